"""bdlviz: see Bayesian deep learning.

>>> import bdlviz
>>> fit = bdlviz.fit("mc_dropout", "x_sin_x", dropout_rate=0.1, weight_decay=1e-4)  # doctest: +SKIP
>>> predictive = fit.predict([0.0, 1.0])  # doctest: +SKIP
"""

from __future__ import annotations

from typing import Any

from bdlviz.data import from_points
from bdlviz.data import load as dataset
from bdlviz.data import names as datasets
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, GenerativeFit, Snapshot, configure, fit, load, register, run
from bdlviz.methods import ordered
from bdlviz.models.likelihood_base import Likelihood
from bdlviz.sweeps import Swept, sweep
from bdlviz.types import Dataset, FitConfig, Predictive

__version__ = "0.1.0"

__all__ = [
    "Dataset",
    "Fit",
    "FitConfig",
    "GenerativeFit",
    "InvalidInput",
    "Likelihood",
    "Predictive",
    "Snapshot",
    "Swept",
    "configure",
    "dataset",
    "datasets",
    "fit",
    "from_points",
    "load",
    "methods",
    "register",
    "run",
    "sweep",
]


def methods() -> tuple[str, ...]:
    """Names of all registered methods, in the order of menus."""
    return tuple(spec.name for spec in ordered())


def __getattr__(name: str) -> Any:
    if name == "plots":  # plotly takes a moment to import
        import importlib

        return importlib.import_module("bdlviz.plots")
    raise AttributeError(f"module 'bdlviz' has no attribute {name!r}")
