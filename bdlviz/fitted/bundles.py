"""Shipped arrays without a fit: stored with the settings they were made with, verified like every checkpoint.

A bundle is a file of ``checkpoints/`` and an entry of the manifest with ``settings`` where a fit has a ``config``.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from bdlviz.fitted import checkpoints, shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.types import Array


def shipped(name: str, settings: Mapping[str, Any], folder: Path | None = None) -> dict[str, Array]:
    """The arrays of a bundle, after its hash was compared with the manifest and its settings with the ones given.

    Raises:
        CheckpointError: it is missing, damaged, or was made with other settings.
    """
    folder = shelf.folder() if folder is None else folder
    found, arrays = shelf.verified(name, folder, _read)
    if found != shelf.manifest(folder).get(name, {}).get("settings"):
        raise CheckpointError(f"{name} holds other settings than the manifest says.")
    if found != settings:
        raise CheckpointError(f"The checkpoint {name} is stale: it was made with other settings.")
    return arrays


@lru_cache(maxsize=16)
def _read(path: Path, sha256: str, stamp: shelf.Stamp | None) -> tuple[dict[str, Any], dict[str, Array]]:
    return checkpoints.bundle_from_bytes(shelf.verified_bytes(path, sha256), path.name)
