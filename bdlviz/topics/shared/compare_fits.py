"""The fits of several methods for one figure: their needs, and the available fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field

from bdlviz.fits import Fit
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import METHODS
from bdlviz.predictive.convergence import Convergence
from bdlviz.types import Array, Dataset, FitConfig, Predictive
from bdlviz.ui.cache import remembered
from bdlviz.ui.jobs.obtain import FitNeed, fit_need
from bdlviz.ui.model import Need

NUM_SAMPLES = 500  # function draws of every method
REFERENCE_SAMPLES = 1000
DIVERGED = "The training diverged: the weights are no longer finite. A larger ℓ or another seed may help."
Configs = Mapping[str, FitConfig | str]  # by method: its configuration, or the reason why there is none


@dataclass(frozen=True, eq=False)
class Candidate:
    """The fit of one method, or the reason why there is none (``problem``)."""

    method: str
    fit: Fit | None = None
    is_shipped: bool = False
    problem: str = ""


@dataclass(frozen=True, eq=False)
class ComparedFits:
    """The fits of the methods of a figure, by method; ``waiting`` are those that are not trained yet."""

    dataset: Dataset
    fits: Mapping[str, Fit] = field(default_factory=dict)
    problems: Mapping[str, str] = field(default_factory=dict)  # one sentence each
    waiting: tuple[str, ...] = ()
    shipped: frozenset[str] = frozenset()

    def predictive(self, method: str, x: Array, num_samples: int = NUM_SAMPLES) -> Predictive:
        """The prediction of a method at x (N, 1), computed once.

        Raises:
            InvalidInput: the fit diverged.
        """
        fit, key = self.fits[method], (x.tobytes(), num_samples, "predictive")
        return remembered(fit, key, lambda: fit.predict(x, num_samples))

    def convergence(self, method: str, x: Array) -> Convergence | None:
        """Whether the chains of a sampled method agree at x (N, 1); None for other methods."""
        if METHODS[method].inference != "sampled":
            return None
        fit = self.fits[method]
        return remembered(fit, (x.tobytes(), "convergence"), lambda: fit.convergence(x))


def needs_of(configs: Configs, dataset: Dataset) -> list[Need[Candidate | None]]:
    """The needs of `compared_fits`: the fit of every method, shipped or trained one after another."""
    return [_need_of(method, config, dataset) for method, config in configs.items()]


def compared_fits(configs: Configs, dataset: Dataset, found: Sequence[Candidate | None]) -> ComparedFits:
    """The fits of several methods from the results of `needs_of`."""
    candidates = [each for each in found if each is not None]
    return ComparedFits(
        dataset,
        {each.method: each.fit for each in candidates if each.fit is not None},
        {each.method: each.problem for each in candidates if each.fit is None},
        tuple(method for method, each in zip(configs, found, strict=True) if each is None),
        frozenset(each.method for each in candidates if each.is_shipped),
    )


def shipped_fits(configs: Configs, dataset: Dataset) -> ComparedFits:
    """The fits of several methods as far as they are shipped. Nothing is trained."""
    found: list[Candidate | None] = []
    for need in needs_of(configs, dataset):
        found.append(None)
        with suppress(CheckpointError):
            found[-1] = need.shipped() if need.shipped is not None else None
    return compared_fits(configs, dataset, found)


def _need_of(method: str, config: FitConfig | str, dataset: Dataset) -> Need[Candidate | None]:
    title = METHODS[method].title
    if isinstance(config, str):
        return Need((method, config), shipped=lambda: Candidate(method, problem=config), title=title)
    of_fit = fit_need(config, dataset)
    return Need(
        config,
        shipped=lambda: _shipped(method, of_fit),
        work=of_fit.work,
        read=lambda fit: _candidate(method, fit, config),
        streams=False,
        title=title,
        problem=lambda sentence: Candidate(method, problem=sentence),
    )


def _shipped(method: str, need: FitNeed) -> Candidate | None:
    fit = need.shipped() if need.shipped is not None else None
    return None if fit is None else Candidate(method, fit, is_shipped=True)


def _candidate(method: str, fit: Fit, config: FitConfig) -> Candidate | None:
    """A fit that was trained on demand; None if it was stopped early, because it does not represent the method."""
    if fit.diverged.any():
        return Candidate(method, problem=DIVERGED)
    return Candidate(method, fit) if fit.num_steps_done >= config.num_steps else None
