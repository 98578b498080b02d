"""Targets that read what bdlviz itself writes: saved fits, bundles, compact networks, the manifest."""

from __future__ import annotations

import atexit
import json
import shutil
import struct
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from hypothesis import strategies as st

import bdlviz
from bdlviz import data
from bdlviz.fits import configure, fit_of
from bdlviz.fitted import checkpoints, shelf
from bdlviz.models.autoencoder import Autoencoder
from bdlviz.models.likelihoods import likelihood
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.models.scaling import Scaling
from bdlviz.predictive import compression
from bdlviz.types import Array, Dataset
from tests.fuzz import hostile
from tests.fuzz.target import Target

FOLDER = Path(tempfile.mkdtemp(prefix="bdlviz-fuzz-"))  # one file of a name is written again and again
atexit.register(shutil.rmtree, FOLDER, ignore_errors=True)
DIGITS = "digits"


def _made(method: str, dataset: Dataset, network: Any, **settings: Any) -> bytes:
    """A fit with its starting weights, which no training has seen, as a file."""
    config = configure(method, dataset, **settings)
    stack = (len(config.seeds), int(np.prod(config.grid_shape)))
    start: Mapping[str, Array] = network.init(np.random.default_rng(0))
    steps = np.arange(1, 4)
    return checkpoints.to_bytes(
        fit_of(
            config,
            model=Model(network, likelihood(config.likelihood)),
            scaling=Scaling.of(dataset),
            noise_std=config.noise_std or 0.0,
            num_data=dataset.num_data,
            params={name: np.broadcast_to(array, stack + array.shape) for name, array in start.items()},
            losses={"step": steps, "loss": np.ones((3, *stack)), "snapshot_step": steps[:0]},
            num_steps_done=3,
        )
    )


CURVE = data.load("x_sin_x", num_data=5)
SAVED = (
    _made("mc_dropout", CURVE, MLP((1, 3, 2, 1)), hidden=(3, 2), num_steps=3, dropout_rate=(0.1, 0.5), seed=(0, 2)),
    _made("map", CURVE, MLP((1, 2, 1)), hidden=(2,), num_steps=3),
    _made("vae", data.load(DIGITS, num_data=20), Autoencoder(64, (2,), 2, num_outputs=64), hidden=(2,), num_steps=3),
)
BUNDLE = checkpoints.bundle_to_bytes({"scores": np.ones((2, 3), np.float16)}, {"seeds": [0, 1], "title": "t"})
COMPACT = compression.to_bytes(
    compression.compact(MLP((3, 4, 2)), MLP((3, 4, 2)).init(np.random.default_rng(0)), {"name": "x"})
)
MANIFEST = json.loads((shelf.folder() / "manifest.json").read_text(encoding="utf-8"))
SMALL_MANIFEST = {"checkpoints": dict(list(MANIFEST["checkpoints"].items())[:3])}

# A safetensors file taken apart, changed with its structure in mind, and put together again -------------------------

DTYPES = ("F16", "F32", "F64", "BF16", "F8_E4M3", "I8", "I64", "U8", "BOOL", "C64", "X", "", 7, None)
LENGTHS = (0, 1, 2**31, 2**32, 2**62, 2**63, 2**64 - 1)
DEPTHS = (20, 127, 128, 1000, 100_000)
paths = st.lists(st.integers(0, 50), max_size=5)
header_values = st.one_of(
    hostile.json_values,
    st.sampled_from(DTYPES),
    st.lists(st.sampled_from((0, 1, 3, -1, 10**9, 2**32, 2**63, 2**64, 1.5, "1")), max_size=6),
)


def _parts(content: bytes) -> tuple[dict[str, Any], bytes]:
    end = 8 + int.from_bytes(content[:8], "little")
    return json.loads(content[8:end]), content[end:]


def _whole(header: Any, body: bytes, length: int | None = None) -> bytes:
    text = hostile.dumps(header).encode()
    return struct.pack("<Q", len(text) if length is None else length) + text + body


def _with_metadata(content: bytes, key: str, text: str) -> bytes:
    header, body = _parts(content)
    return _whole(header | {"__metadata__": {key: text}}, body)


def _changed_metadata(content: bytes, key: str, path: list[int], new: Any) -> bytes:
    metadata = json.loads(_parts(content)[0]["__metadata__"][key])
    return _with_metadata(content, key, hostile.dumps(hostile.replaced(metadata, path, new)))


def _changed_header(content: bytes, path: list[int], new: Any) -> bytes:
    header, body = _parts(content)
    return _whole(hostile.replaced(header, path, new), body)


def _nested_metadata(content: bytes, key: str, depth: int, opening: str) -> bytes:
    return _with_metadata(content, key, opening * depth)


def _changed_numbers(content: bytes, piece: bytes) -> bytes:
    header, body = _parts(content)
    return _whole(header, (piece * (len(body) // len(piece) + 1))[: len(body)])


def damaged_files(contents: tuple[bytes, ...], key: str) -> st.SearchStrategy[bytes]:
    """Files in that format, most of which keep their outer structure."""
    content = st.sampled_from(contents)
    return st.one_of(
        st.builds(hostile.damaged, content, hostile.damages),
        st.builds(lambda c, path, new: _changed_metadata(c, key, path, new), content, paths, header_values),
        st.builds(lambda c, path, new: _changed_metadata(c, key, path, new), content, paths, header_values),
        st.builds(_changed_header, content, paths, header_values),
        st.builds(
            lambda c, length: _whole(*_parts(c), length), content, st.sampled_from(LENGTHS) | st.integers(0, 999)
        ),
        st.builds(
            lambda c, depth, opening: _nested_metadata(c, key, depth, opening),
            content,
            st.sampled_from(DEPTHS),
            st.sampled_from(("[", '{"a":', '[{"a":')),
        ),
        st.builds(lambda c, depth: _whole(hostile.nested(depth), b""), content, st.sampled_from(DEPTHS[:3])),
        st.builds(
            _changed_numbers, content, st.sampled_from((b"\x00\x7c", b"\xff\xff", b"\x00\x00\x80\x7f", b"\x01\0\0\0"))
        ),
        st.binary(max_size=60),
    )


def load_fit(content: bytes) -> None:
    """A saved fit; what is loaded can be looked at without surprises."""
    path = FOLDER / "fit.safetensors"
    path.write_bytes(content)
    fit = bdlviz.load(path)
    assert hash(fit.config) is not None and fit.spec.name == fit.config.method
    assert fit.diverged.shape in ((), (len(fit.config.seeds), int(np.prod(fit.config.grid_shape))))
    one = fit.cell(seed=fit.config.seeds[0], **{name: stops[0] for name, stops in fit.config.axes})
    assert one.is_single and one.num_steps_done <= 10**9
    assert checkpoints.config_from_json(checkpoints.config_to_json(fit.config)) == fit.config


def read_bundle(content: bytes) -> None:
    """Arrays that are no fit."""
    settings, arrays = checkpoints.bundle_from_bytes(content, "bundle")
    assert isinstance(settings, dict) and all(isinstance(array, np.ndarray) for array in arrays.values())


def read_compact(content: bytes) -> None:
    """A compact network, and what it answers."""
    network = compression.from_bytes(content)
    assert network.num_weights >= 0
    with np.errstate(all="ignore"):
        assert network.outputs(np.zeros((2, network.num_inputs), np.float32)).shape == (2, network.sizes[-1])


manifests = st.one_of(
    st.builds(
        lambda path, new: hostile.dumps(hostile.replaced(SMALL_MANIFEST, path, new)).encode(), paths, header_values
    ),
    st.builds(hostile.damaged, st.just(json.dumps(SMALL_MANIFEST).encode()), hostile.damages),
    st.builds(
        lambda depth, opening: (opening * depth).encode(),
        st.sampled_from(DEPTHS),
        st.sampled_from(("[", '{"checkpoints":')),
    ),
)


def read_manifest(content: bytes) -> None:
    """The list of what is shipped."""
    (FOLDER / "manifest.json").write_bytes(content)
    shelf._read_manifest.cache_clear()
    for name in shelf.manifest(FOLDER):
        assert isinstance(name, str)


TARGETS = (
    Target(
        *("saved fits", damaged_files(SAVED, "bdlviz"), load_fit, SAVED[0], 400, 16_000),
        known=(SAVED[1].replace(b"history.loss", b"history.lost"), SAVED[1].replace(b"history.step", b"history.stop")),
    ),
    Target("bundles", damaged_files((BUNDLE,), "bdlviz"), read_bundle, BUNDLE, 100, 4_000),
    Target("compact networks", damaged_files((COMPACT,), compression.HEADER), read_compact, COMPACT, 200, 6_000),
    Target("manifests", manifests, read_manifest, json.dumps(SMALL_MANIFEST).encode(), 100, 4_000),
)
