"""Fits: the results of training, or of reading a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bdlviz.fitted import checkpoints
from bdlviz.fitted.fit import Fit
from bdlviz.fitted.generative import GenerativeFit
from bdlviz.fitted.learned_noise import NoiseLearner
from bdlviz.fitted.sound import is_sound
from bdlviz.methods import method as find_method
from bdlviz.types import FitConfig

__all__ = ["Fit", "GenerativeFit", "NoiseLearner", "fit_of", "load"]


def fit_of(config: FitConfig, **fields: Any) -> Fit:
    """A `Fit` of these fields, or a `GenerativeFit` if the method is generative."""
    kind = GenerativeFit if find_method(config.method).is_generative else Fit
    return kind(config, **fields)


def load(path: Any) -> Fit:
    """Read a fit that `Fit.save` wrote.

    Raises:
        CheckpointError: the file is missing, truncated, altered or of another kind.
    """
    path = Path(path)
    fields, _ = checkpoints.from_bytes(checkpoints.read(path), path.name)
    if not is_sound(fields):
        raise checkpoints.CheckpointError(f"{path.name} is not a checkpoint of bdlviz, or it is damaged.")
    return fit_of(**fields)
