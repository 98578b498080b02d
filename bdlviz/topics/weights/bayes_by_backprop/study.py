"""The shipped fits of Bayes by Backprop on curves: every prior and KL weight of the page's sliders, one training."""

from __future__ import annotations

from typing import Any

from bdlviz.data import load
from bdlviz.fits import Fit, fit
from bdlviz.methods.common import KL_WEIGHT
from bdlviz.types import Array

Made = tuple[Fit, dict[str, Array]]
SETTINGS: dict[str, Any] = {"hidden": (32, 32), "num_steps": 3000, "batch_size": 32, "learning_rate": 1e-2}
PRIOR_STDS = (0.0498, 0.135, 0.368, 1.0, 2.72, 7.39)  # powers of e
NUM_SNAPSHOTS = 20
DATASETS = ("blundell", "two_clusters")
BESIDE = ("map", "deep_ensemble")


def length_scale_of(prior_std: float) -> float:
    r"""The length-scale of a prior of that standard deviation, to six digits, as configurations compare them.

    $$ \ell = 1 / \sigma_1 $$
    """
    return float(f"{1 / prior_std:.6g}")


def curve(dataset: str = "blundell") -> Made:
    """Every prior with every KL weight, as they end."""
    scales = [length_scale_of(std) for std in PRIOR_STDS]
    return fit("bayes_by_backprop", load(dataset), length_scale=scales, kl_weight=KL_WEIGHT.values, **SETTINGS), {}


def course(dataset: str = "blundell") -> Made:
    """The usual prior with every KL weight, at moments of the training."""
    weights = {"kl_weight": KL_WEIGHT.values, "num_snapshots": NUM_SNAPSHOTS}
    return fit("bayes_by_backprop", load(dataset), **SETTINGS | weights), {}


def beside(method: str, dataset: str) -> Made:
    """A network without distributions over its weights, or an ensemble of them, to compare with."""
    return fit(method, load(dataset), **SETTINGS), {}
