"""Fits of single scenes, which are shipped so that every scene opens without training."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from bdlviz.fits import configure, run
from bdlviz.fitted import Fit
from bdlviz.methods import METHODS
from bdlviz.studies.study import Made, Study
from bdlviz.types import Array, Dataset, FitConfig

GROUP = "scenes"  # the group of the studies that only scenes need
KEPT = 64  # number of draws of each chain in a shipped file
# Half precision would change the solutions of linear systems, and small differences between members of an ensemble.
FULL_PRECISION = ("gaussian_process", "laplace", "deep_ensemble")


@dataclass(frozen=True)
class SceneFit:
    """One fit of a scene: its title, its data, and the configuration that the page requests."""

    title: str
    method: str
    load: Callable[[], Dataset]
    settings: Callable[[str, Dataset], FitConfig]

    @property
    def config(self) -> FitConfig:
        """The configuration of the fit."""
        return self.settings(self.method, self.load())

    @property
    def half(self) -> bool:
        """True if weights are stored in half precision, because it does not visibly change the figures."""
        return self.method not in FULL_PRECISION

    def make(self) -> Made:
        """The trained fit; a sampled fit keeps only some draws of each chain."""
        dataset = self.load()
        fit = run(self.settings(self.method, dataset), dataset)
        return thinned(fit, KEPT) if METHODS[self.method].inference == "sampled" else fit, {}


def studies_of(fits: Mapping[str, SceneFit]) -> dict[str, Study]:
    """The studies of fits of scenes, by the names of their checkpoints."""
    return {f"scene_{name}": Study(each.title, each.make, half=each.half, group=GROUP) for name, each in fits.items()}


def with_settings(**settings: Any) -> Callable[[str, Dataset], FitConfig]:
    """A function from a method and a data set to its configuration with these settings; the others are defaults."""
    return lambda method, dataset: configure(method, dataset, **settings)


def thinned(fitted: Fit, count: int) -> Fit:
    """A sampled fit with ``count`` evenly spaced draws of each chain, because neighbouring draws are correlated."""
    chains = int(dict(fitted.config.options)["num_chains"])

    def thin(array: Array) -> Array:
        by_chain = array.reshape(*array.shape[:2], chains, -1, *array.shape[3:])
        chosen = np.linspace(0, by_chain.shape[3] - 1, min(count, by_chain.shape[3])).round().astype(int)
        return by_chain[:, :, :, chosen].reshape(*array.shape[:2], -1, *array.shape[3:])

    weights = fitted.model.network.shapes()
    return replace(fitted, params={n: thin(a) if n in weights else a for n, a in fitted.params.items()})
