"""The shipped fits: ``checkpoints/*.safetensors`` beside a ``manifest.json`` with their hashes and configurations.

They are in the folder that the environment variable BDLVIZ_CHECKPOINTS names, else in that of the source of bdlviz.
A missing, truncated, altered or stale file is noticed and named, so that a page can say so and train instead.
"""

from __future__ import annotations

import hashlib
import json
import math
import os
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from bdlviz.fitted import Fit, checkpoints, fit_of
from bdlviz.types import Array, FitConfig
from bdlviz.writing import alone_in, move, remove_unfinished, write_atomically

OF_THE_SOURCE = Path(__file__).resolve().parents[2] / "checkpoints"
MANIFEST, DAMAGED_MANIFEST = "manifest.json", "manifest.damaged.json"
WAITING = ".waiting"  # how the name of a file ends that the manifest may mean already, but that has not its place yet

Stamp = tuple[int, int, int, int]
Read = TypeVar("Read")


def folder() -> Path:
    """The folder of the shipped fits, as the environment names it now."""
    return Path(os.environ.get("BDLVIZ_CHECKPOINTS") or OF_THE_SOURCE)


def manifest(folder: Path | None = None) -> dict[str, dict[str, Any]]:
    """What is shipped: for each name its file's hash, configuration, metrics and the command that rebuilds it.

    Entries with ``settings`` instead of a ``config`` are no fits; see `bdlviz.fitted.bundles`.
    """
    return {name: entry for name, (entry, _) in _entries(_chosen(folder)).items()}


def _chosen(given: Path | None) -> Path:
    return folder() if given is None else given


def _manifest(folder: Path) -> dict[str, tuple[dict[str, Any], FitConfig]]:
    """Every fit's entry of the manifest with its configuration."""
    return {name: (entry, config) for name, (entry, config) in _entries(folder).items() if config is not None}


def _entries(folder: Path) -> dict[str, tuple[dict[str, Any], FitConfig | None]]:
    """Every entry of the manifest, with its configuration where it is a fit's."""
    path = folder / MANIFEST
    stamp = stamp_of(path)
    return _read_manifest(path, stamp) if stamp is not None else {}


def stamp_of(path: Path) -> Stamp | None:
    """What tells one state of a file from the next, whatever the clock says; None where there is no such file."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ctime_ns, found.st_size, found.st_ino


@lru_cache(maxsize=4)
def _read_manifest(path: Path, stamp: Stamp) -> dict[str, tuple[dict[str, Any], FitConfig | None]]:
    try:
        entries = json.loads(path.read_text(encoding="utf-8"))["checkpoints"]
        if not all(entry["sha256"] for entry in entries.values()):
            raise ValueError
        return {
            name: (entry, None if "settings" in entry else checkpoints.config_from_json(entry["config"]))
            for name, entry in entries.items()
        }
    except (OSError, ValueError, LookupError, TypeError, AttributeError, RecursionError):
        raise checkpoints.CheckpointError(
            f"{path.name} is damaged; restore it or run `python -m bdlviz train --all`."
        ) from None


def verified(name: str, folder: Path, read: Callable[[Path, str, Stamp | None], Read]) -> Read:
    """What ``read(path, sha256, stamp)`` makes of the file of an entry, wherever a change of it stands just now.

    While `put` replaces a file, the one that the manifest means is for a moment still the waiting one.

    Raises:
        CheckpointError: no such checkpoint is shipped, or its file is missing or damaged.
    """
    sha256, problem, is_anew = "", None, False
    while True:
        entry = manifest(folder).get(name)
        if entry is None:
            raise checkpoints.CheckpointError(_missing(name, folder))
        if entry["sha256"] == sha256 and problem is not None:
            if is_anew:
                raise problem
            # Two changes within one tick of the file system's clock may leave the same stamp.
            _read_manifest.cache_clear()
            is_anew = True
            continue
        sha256, problem, is_anew, seen = entry["sha256"], None, False, set()
        place, waiting = _place(name, folder), _waiting(name, sha256, folder)
        for path in (place, waiting, place):  # it may take its place between two looks
            stamp = stamp_of(path)
            if (path, stamp) in seen:
                continue
            seen.add((path, stamp))
            try:
                return read(path, sha256, stamp)
            except checkpoints.CheckpointError as error:
                problem = problem or error


def _missing(name: str, folder: Path) -> str:
    if folder.is_dir():
        return f"No checkpoint called {name} is shipped."
    return (
        "This installation has no shipped checkpoints: set BDLVIZ_CHECKPOINTS to the folder `checkpoints` of the "
        "source of bdlviz."
    )


def verified_bytes(path: Path, sha256: str) -> bytes:
    """The content of a checkpoint file that has this hash.

    Raises:
        CheckpointError: it cannot be read, or is another one.
    """
    content = checkpoints.read(path)
    if hashlib.sha256(content).hexdigest() != sha256:
        raise checkpoints.CheckpointError(
            f"The checkpoint {path.name} was altered or is incomplete (its hash does not match)."
        )
    return content


def _place(name: str, folder: Path) -> Path:
    return folder / f"{name}.safetensors"


def _waiting(name: str, sha256: str, folder: Path) -> Path:
    """Where the file of an entry is between being written and taking its place."""
    return folder / f".{name}.{sha256}{WAITING}"


def shipped(name: str, folder: Path | None = None) -> tuple[Fit, dict[str, Array]]:
    """A shipped fit and its extra arrays, after its hash was compared with the manifest."""
    return verified(name, _chosen(folder), _shipped)


@lru_cache(maxsize=16)
def _shipped(path: Path, sha256: str, stamp: Stamp | None) -> tuple[Fit, dict[str, Array]]:
    fields, extra = checkpoints.from_bytes(verified_bytes(path, sha256), path.name)
    return fit_of(**fields), extra


def find(config: FitConfig, folder: Path | None = None) -> Fit | None:
    """The shipped fit, or the cells of one, that a configuration asks for; None when it has to be trained.

    Raises:
        CheckpointError: there should be one, but its file is missing or damaged.
    """
    folder = _chosen(folder)
    problem: checkpoints.CheckpointError | None = None
    path = folder / MANIFEST
    stamp = stamp_of(path)
    for name in _names_covering(path, stamp, config) if stamp is not None else ():
        try:
            return _select(shipped(name, folder)[0], config)
        except checkpoints.CheckpointError as error:
            problem = error  # another file may hold the same cells
    if problem is not None:
        raise problem
    return None


@lru_cache(maxsize=4096)
def _names_covering(path: Path, stamp: Stamp, config: FitConfig) -> tuple[str, ...]:
    """The names of the fits that hold a configuration, which every run of a page asks for."""
    entries = _read_manifest(path, stamp).items()
    return tuple(
        name
        for name, (entry, whole) in entries
        if whole is not None and not entry.get("is_without_weights") and _covers(whole, config)
    )


def _covers(whole: FitConfig, part: FitConfig) -> bool:
    same = (part.method, part.data_fingerprint) == (whole.method, whole.data_fingerprint)  # what most differ in
    same = same and replace(part, axes=whole.axes, seeds=whole.seeds, num_snapshots=whole.num_snapshots) == whole
    if not same or not set(part.seeds) <= set(whole.seeds) or part.num_snapshots > whole.num_snapshots:
        return False
    stops = dict(whole.axes)
    return (
        stops.keys() == dict(part.axes).keys()
        and all(len(v) == 1 or v == stops.get(n) for n, v in part.axes)
        and all(
            any(math.isclose(value, stop, rel_tol=1e-6) for stop in stops.get(name, ()))
            for name, values in part.axes
            for value in values
        )
    )


def _select(fit: Fit, config: FitConfig) -> Fit:
    picked: dict[str, Any] = {name: values[0] for name, values in config.axes if len(values) == 1}
    if len(config.seeds) == 1:
        return fit.cell(seed=config.seeds[0], **picked)
    return fit.cell(**picked)


def put(name: str, content: bytes, entry: dict[str, Any], folder: Path | None = None) -> None:
    """Ship a checkpoint: its file and its line in the manifest change together, whenever the writer is killed.

    The new file is written beside the old one; then the manifest names its hash, which is the moment of the change;
    then it takes the old one's place. Whoever reads in between finds it waiting (`verified`), and the next `put`
    finishes, or removes, what was left. Writers of the same folder, in any number of programs, take turns.

    Raises:
        InvalidInput: the disk is full, or the folder may not be written to; what was shipped is as it was.
    """
    folder = _chosen(folder)
    sha256 = hashlib.sha256(content).hexdigest()
    with alone_in(folder):
        _settle(folder)
        waiting = _waiting(name, sha256, folder)
        write_atomically(waiting, content)
        entries = manifest(folder) | {name: entry | {"sha256": sha256, "bytes": len(content)}}
        text = json.dumps({"checkpoints": dict(sorted(entries.items()))}, indent=1, sort_keys=True)
        write_atomically(folder / MANIFEST, (text + "\n").encode())
        move(waiting, _place(name, folder))


def _settle(folder: Path) -> None:
    """Finish what a killed writer had begun, or remove what it left. Only for whoever is alone in the folder."""
    try:
        entries = manifest(folder)
    except checkpoints.CheckpointError:  # what it said is lost for programs, and kept for people
        move(folder / MANIFEST, folder / DAMAGED_MANIFEST)
        return
    meant = {_waiting(name, entry["sha256"], folder): _place(name, folder) for name, entry in entries.items()}
    for path in folder.glob(f".*{WAITING}"):
        if path in meant:
            move(path, meant[path])
        else:
            with suppress(OSError):  # a file that is open cannot be removed everywhere; the next one will
                path.unlink()
    remove_unfinished(folder)


def check(name: str, folder: Path | None = None) -> None:
    """Read a shipped checkpoint in full and compare it with its manifest entry.

    Raises:
        CheckpointError: it is missing, damaged, or not of the configuration that the manifest says.
    """
    folder = _chosen(folder)
    fit, _ = shipped(name, folder)
    if fit.config != _manifest(folder)[name][1]:
        raise checkpoints.CheckpointError(f"{name} holds another configuration than the manifest says.")
    if fit.diverged.any():
        raise checkpoints.CheckpointError(f"{name} holds a diverged fit.")


def extra(config: FitConfig, folder: Path | None = None) -> dict[str, Array] | None:
    """What is shipped beside the fit of exactly this configuration, or None."""
    folder = _chosen(folder)
    for name, (_, whole) in _manifest(folder).items():
        if whole == config:
            return shipped(name, folder)[1]
    return None
