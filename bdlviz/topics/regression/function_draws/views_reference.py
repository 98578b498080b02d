"""Another answer outlined over a function picture: the exact posterior of the same network, or another method's."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, configure
from bdlviz.methods import METHODS, method
from bdlviz.plots import Reference
from bdlviz.predictive.convergence import Convergence
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.function_draws.views_moving import FunctionView
from bdlviz.topics.shared.curves import inputs
from bdlviz.types import Array, Dataset, FitConfig, Predictive
from bdlviz.ui.controls.control import Control
from bdlviz.ui.jobs.obtain import Wanted, leave_second
from bdlviz.ui.jobs.obtain import obtain as obtain_fit

Draw = Callable[[Fit, Dataset, Fit | None, Fit | None], None]
NONE = "none"
EXACT = {"hmc": "Exact (HMC)", "gaussian_process": "Exact, infinitely wide (GP)"}
NAMES = tuple(name for name in ("hmc", "gaussian_process", "laplace", "deep_ensemble") if name in METHODS)
REFERENCE = Control(
    "reference",
    "Outline over it",
    (NONE, *NAMES),
    NONE,
    "menu",
    "Another answer to the same question: same data, network and noise and, where it has one, the same prior of "
    "weights. A weight decay leaves biases out; the outlined answer has one ℓ for all layers, and for the biases too.",
    {NONE: "nothing"} | {name: EXACT.get(name, METHODS[name].title) for name in NAMES},
)
NUM_SAMPLES = 1000


def configuration(config: FitConfig, dataset: Dataset, length_scale: float) -> FitConfig | None:
    """The fit to outline over another one of the same data, network and noise, with the same prior of weights.

    ``length_scale`` is what a weight decay stands for. None where nothing is chosen, or, with a sentence on the page,
    where there is no such fit.
    """
    name = REFERENCE.present()
    if name == NONE or name == config.method:
        return None
    settings = _prior(name, config, length_scale)
    if settings.get("length_scale") == 0:
        st.info(f"λ = 0 is a flat prior, which has no posterior to outline: {method(name).title} needs a λ above 0.")
        return None
    if method(name).inference == "sampled":
        settings |= compare_study.CHAINS
    try:
        return configure(
            name,
            dataset,
            hidden=config.hidden,
            activation=config.activation,
            noise_std=config.noise_std,
            seed=config.seeds[0],
            **settings,
        )
    except InvalidInput as error:
        st.info(str(error))
        return None


def _prior(name: str, config: FitConfig, length_scale: float) -> dict[str, Any]:
    axes = {key: values[0] for key, values in config.axes}
    if method(name).hyperparameter("weight_decay") is not None:
        return {"weight_decay": axes["weight_decay"]} if "weight_decay" in axes else {}
    if "length_scale" in axes:
        by_width = dict(config.options).get("prior_by_width", 0.0)
        return {"length_scale": axes["length_scale"], "prior_by_width": by_width}
    if "weight_decay" in axes:
        return {"length_scale": length_scale, "prior_by_width": 0.0}
    return {}


def outline(fit: Fit, x: Array) -> Reference | None:
    """The answer to outline; None where chains do not agree, which is said on the page."""
    if fit.spec.inference == "sampled" and not agreed(fit.convergence(x)):
        return None
    name = fit.config.method
    return Reference(fit.predict(x, NUM_SAMPLES), REFERENCE.names[name], name in EXACT)


def agreed(found: Convergence) -> bool:
    """Say how far the chains agree; do they?"""
    size = f"{found.num_chains} chains, {found.num_draws:,} draws, {found.acceptance:.0%} of the trajectories accepted"
    if found.is_reached:
        st.caption(
            f"HMC: split R̂ at most {found.worst:.3f}, effective sample size at least {found.fewest:,.0f} over all x: "
            f"the chains agree ({size})."
        )
        return True
    st.warning(
        f"HMC has not converged: {found.numbers}; {size}. Its draws cannot stand for the posterior. More leapfrog "
        "steps or trajectories, a smaller network or a narrower prior help."
    )
    return False


def judge(fit: Fit, dataset: Dataset) -> None:
    """Of a picture that chains have drawn: say whether they agree over the x shown."""
    if fit.spec.inference == "sampled":
        agreed(fit.convergence(inputs(dataset)))


def obtain(view: FunctionView, wanted: Wanted, beside: FitConfig | None, draw: Draw) -> Fit | None:
    """Draw the fit that a page wants, with the one beside it where there is one: that trains after it.

    ``draw`` takes a fit, the data, the other fit of a comparison, and the fit to outline. Returns the page's own fit
    when it is finished or was stopped.
    """
    if beside is None:
        leave_second()
        return view.obtain(wanted, lambda fit, other: draw(fit, wanted.dataset, other, None))
    finished: list[tuple[Fit, Fit | None]] = []

    def draw_unfinished(fit: Fit, other: Fit | None) -> None:
        if fit.num_steps_done < wanted.config.num_steps:
            draw(fit, wanted.dataset, other, None)
        else:
            finished.append((fit, other))

    fit = view.obtain(wanted, draw_unfinished)
    if finished:
        shown, other = finished[0]
        obtain_fit(
            Wanted(beside, wanted.dataset, is_second=True), lambda found: draw(shown, wanted.dataset, other, found)
        )
    return fit


def describe(reference: Reference | None, predictive: Predictive) -> str:
    """The outline in words, for people who do not see it."""
    if reference is None:
        return ""
    ratio = predictive.epistemic_std.mean() / max(float(reference.predictive.epistemic_std.mean()), 1e-12)
    return f" Outlined: {reference.name}; the picture's epistemic spread is {ratio:.2g} times its, on average over x."
