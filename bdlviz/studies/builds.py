"""Building one shipped checkpoint by its name, in this process or on another machine."""

from __future__ import annotations

import contextlib
import platform
import statistics
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np

from bdlviz import __version__, data
from bdlviz.errors import InvalidInput
from bdlviz.fitted import bundles, checkpoints, shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.studies.registry import ARRAYS, GROUPS, STUDIES
from bdlviz.types import FitConfig

METRICS = {  # how the array of a metric is reduced to one number: the best value of a grid or of seeds, or the mean
    "nll": np.nanmin,
    "rmse": np.nanmin,
    "test_elbo": np.max,
    "bound_importance": np.max,
    "accuracy": np.mean,
    "ece": np.mean,
}


@dataclass(frozen=True)
class Built:
    """A finished checkpoint: the bytes of its file, and its manifest entry as plain JSON."""

    name: str
    content: bytes
    entry: dict[str, Any]
    seconds: float


def build(name: str) -> Built | None:
    """Compute a checkpoint without writing it; None if the data set that it needs is missing."""
    if name in ARRAYS:
        return _build_arrays(name)
    study = STUDIES[name]
    if study.needs and not data.available(study.needs):
        return None
    start = time.perf_counter()
    fit, extra = study.make()
    seconds = time.perf_counter() - start
    kept = fit if study.keeps_weights else replace(fit, params={})
    content = checkpoints.to_bytes(kept, half=study.half, extra=extra)
    return Built(name, content, _fit_entry(name, fit.config, extra, seconds), seconds)


def _build_arrays(name: str) -> Built:
    start = time.perf_counter()
    study = ARRAYS[name]
    arrays = study.make()
    content = checkpoints.bundle_to_bytes(arrays, study.settings)
    seconds = time.perf_counter() - start
    return Built(name, content, {"settings": study.settings} | _entry(name, study.title, arrays, seconds), seconds)


def _fit_entry(name: str, config: FitConfig, extra: dict[str, Any], seconds: float) -> dict[str, Any]:
    return {
        "config": checkpoints.config_to_json(config),
        "is_without_weights": not STUDIES[name].keeps_weights,
        **_entry(name, STUDIES[name].title, extra, seconds),
    }


def _entry(name: str, title: str, arrays: dict[str, Any], seconds: float) -> dict[str, Any]:
    """The fields that all manifest entries have."""
    return {
        "title": title,
        "metrics": {key: round(float(best(arrays[key])), 4) for key, best in METRICS.items() if key in arrays},
        "versions": _versions(),
        "platform": platform.machine(),
        "seconds": round(seconds, 1),
        "command": f"python -m bdlviz train {name}",
    }


def _versions() -> dict[str, str]:
    return {"bdlviz": __version__, "torch": metadata.version("torch"), "numpy": np.__version__}


def chosen(names: Sequence[str], everything: bool) -> list[str]:
    """The named checkpoints without duplicates; groups are replaced by their members.

    Raises:
        InvalidInput: no name, or an unknown name.
    """
    known = [*STUDIES, *ARRAYS]
    requested = known if everything else [each for name in names for each in GROUPS.get(name, (name,))]
    if not requested:
        raise InvalidInput(f"Give names of checkpoints or groups, or --all: {', '.join([*GROUPS, *known])}")
    unknown = sorted(set(requested) - set(known))
    if unknown:
        raise InvalidInput(f"No checkpoint is called {', '.join(unknown)}; there are {', '.join([*GROUPS, *known])}")
    return list(dict.fromkeys(requested))


def check(name: str, folder: Path) -> None:
    """Read a checkpoint of a folder in full, and compare it with the folder's manifest.

    Raises:
        CheckpointError: it is missing, damaged, or different from its manifest entry.
    """
    if name in ARRAYS:
        bundles.shipped(name, ARRAYS[name].settings, folder)
    else:
        shelf.check(name, folder)


def why_to_build(name: str, folder: Path) -> str | None:
    """The reason why a checkpoint must be computed; None if it exists and was computed with these versions.

    A change in the code of the study is not detected, because its effect is known only after the computation.
    """
    try:
        entry = shelf.manifest(folder).get(name)
        if entry is None:
            return "it is missing"
        check(name, folder)
    except CheckpointError as error:
        return str(error)
    recorded, versions = entry.get("versions") or {}, _versions()
    other = [f"{part} {version}" for part, version in recorded.items() if versions.get(part) != version]
    return f"it was computed with {', '.join(other)}" if other else None


def expected_seconds(names: Sequence[str]) -> dict[str, float]:
    """The seconds of each checkpoint according to the manifest, at least 1; the median for those not in it."""
    known: dict[str, float] = {}
    with contextlib.suppress(CheckpointError):  # only an estimate, so a damaged manifest is no error here
        manifest = shelf.manifest()
        known = {name: max(1.0, manifest[name].get("seconds", 1.0)) for name in names if name in manifest}
    median = statistics.median(known.values()) if known else 1.0
    return {name: known.get(name, median) for name in names}
