"""What two fits, or two checkpoints, have to share: every bit but the time they took."""

import json
from typing import Any

import numpy as np
from safetensors.numpy import load as load_arrays

from bdlviz.fits import Fit


def content(checkpoint: bytes) -> tuple[dict[str, Any], dict[str, Any]]:
    """Header and arrays of a checkpoint's bytes, without the seconds."""
    length = int.from_bytes(checkpoint[:8], "little")
    header = json.loads(json.loads(checkpoint[8 : 8 + length])["__metadata__"]["bdlviz"])
    header.pop("seconds", None)
    return header, {name: _bits(array) for name, array in load_arrays(checkpoint).items()}


def bits(fit: Fit) -> dict[str, Any]:
    """All numbers of a fit."""
    groups = {"params": fit.params, "losses": fit.losses, "snapshots": fit.snapshots}
    found = {f"{group}.{name}": _bits(array) for group, arrays in groups.items() for name, array in arrays.items()}
    return found | {"config": fit.config, "noise": _bits(np.asarray(fit.noise_std)), "steps": fit.num_steps_done}


def _bits(array: Any) -> tuple[str, tuple[int, ...], bytes]:
    return array.dtype.str, array.shape, array.tobytes()
