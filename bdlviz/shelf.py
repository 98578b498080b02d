"""The shipped fits: ``checkpoints/*.safetensors`` beside a ``manifest.json`` with their hashes and configurations.

A missing, truncated, altered or stale file is noticed and named, so that a page can say so and train instead.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from bdlviz import checkpoints
from bdlviz.fits import Fit, fit_of
from bdlviz.types import Array, FitConfig

FOLDER = Path(__file__).resolve().parent.parent / "checkpoints"


def manifest(folder: Path = FOLDER) -> dict[str, dict[str, Any]]:
    """What is shipped: for each name its file's hash, configuration, metrics and the command that rebuilds it.

    Entries with ``settings`` instead of a ``config`` are no fits; see `bdlviz.bundles`.
    """
    return {name: entry for name, (entry, _) in _entries(folder).items()}


def _manifest(folder: Path) -> dict[str, tuple[dict[str, Any], FitConfig]]:
    """Every fit's entry of the manifest with its configuration."""
    return {name: (entry, config) for name, (entry, config) in _entries(folder).items() if config is not None}


def _entries(folder: Path) -> dict[str, tuple[dict[str, Any], FitConfig | None]]:
    """Every entry of the manifest, with its configuration where it is a fit's."""
    path = folder / "manifest.json"
    return _read_manifest(path, path.stat().st_mtime_ns) if path.exists() else {}


@lru_cache(maxsize=4)
def _read_manifest(path: Path, stamp: int) -> dict[str, tuple[dict[str, Any], FitConfig | None]]:
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["checkpoints"]
        if not all(entry["sha256"] for entry in entries.values()):
            raise ValueError
        return {
            name: (entry, None if "settings" in entry else checkpoints.config_from_json(entry["config"]))
            for name, entry in entries.items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError):
        raise checkpoints.CheckpointError(
            f"{path.name} is damaged; restore it or run `python -m bdlviz train --all`."
        ) from None


def shipped(name: str, folder: Path = FOLDER) -> tuple[Fit, dict[str, Array]]:
    """A shipped fit and its extra arrays, after its hash was compared with the manifest."""
    entry = manifest(folder).get(name)
    if entry is None:
        raise checkpoints.CheckpointError(f"No checkpoint called {name} is shipped.")
    path = folder / f"{name}.safetensors"
    stamp = path.stat().st_mtime_ns if path.exists() else 0
    return _shipped(path, entry["sha256"], stamp)


@lru_cache(maxsize=16)
def _shipped(path: Path, sha256: str, stamp: int) -> tuple[Fit, dict[str, Array]]:
    content = checkpoints.read(path)
    if hashlib.sha256(content).hexdigest() != sha256:
        raise checkpoints.CheckpointError(
            f"The checkpoint {path.name} was altered or is incomplete (its hash does not match)."
        )
    fields, extra = checkpoints.from_bytes(content, path.name)
    return fit_of(**fields), extra


def find(config: FitConfig, folder: Path = FOLDER) -> Fit | None:
    """The shipped fit, or the cells of one, that a configuration asks for; None when it has to be trained.

    Raises:
        CheckpointError: there should be one, but its file is missing or damaged.
    """
    problem: checkpoints.CheckpointError | None = None
    for name, (entry, whole) in _manifest(folder).items():
        if not entry.get("is_without_weights") and _covers(whole, config):
            try:
                return _select(shipped(name, folder)[0], config)
            except checkpoints.CheckpointError as error:
                problem = error  # another file may hold the same cells
    if problem is not None:
        raise problem
    return None


def _covers(whole: FitConfig, part: FitConfig) -> bool:
    same = replace(part, axes=whole.axes, seeds=whole.seeds, num_snapshots=whole.num_snapshots) == whole
    if not same or not set(part.seeds) <= set(whole.seeds) or part.num_snapshots > whole.num_snapshots:
        return False
    stops = dict(whole.axes)
    return (
        stops.keys() == dict(part.axes).keys()
        and all(len(v) == 1 or v == stops.get(n) for n, v in part.axes)
        and all(
            any(np.isclose(value, stop, rtol=1e-6, atol=0) for stop in stops.get(name, ()))
            for name, values in part.axes
            for value in values
        )
    )


def _select(fit: Fit, config: FitConfig) -> Fit:
    picked: dict[str, Any] = {name: values[0] for name, values in config.axes if len(values) == 1}
    if len(config.seeds) == 1:
        return fit.cell(seed=config.seeds[0], **picked)
    return fit.cell(**picked)


def put(name: str, content: bytes, entry: dict[str, Any], folder: Path = FOLDER) -> None:
    """Ship a checkpoint: write its file, then its line in the manifest."""
    checkpoints.write_atomically(folder / f"{name}.safetensors", content)
    entries = manifest(folder)
    entries[name] = entry | {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    text = json.dumps({"checkpoints": dict(sorted(entries.items()))}, indent=1, sort_keys=True)
    checkpoints.write_atomically(folder / "manifest.json", (text + "\n").encode())


def check(name: str, folder: Path = FOLDER) -> None:
    """Read a shipped checkpoint in full and compare it with its manifest entry.

    Raises:
        CheckpointError: it is missing, damaged, or not of the configuration that the manifest says.
    """
    fit, _ = shipped(name, folder)
    if fit.config != _manifest(folder)[name][1]:
        raise checkpoints.CheckpointError(f"{name} holds another configuration than the manifest says.")
    if fit.diverged.any():
        raise checkpoints.CheckpointError(f"{name} holds a diverged fit.")


def extra(config: FitConfig, folder: Path = FOLDER) -> dict[str, Array] | None:
    """What is shipped beside the fit of exactly this configuration, or None."""
    for name, (_, whole) in _manifest(folder).items():
        if whole == config:
            return shipped(name, folder)[1]
    return None
