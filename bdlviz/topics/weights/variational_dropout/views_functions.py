"""Learned noise in regression: a plain network, Gaussian dropout and variational dropout side by side."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bdlviz import data, plots
from bdlviz.fits import Fit
from bdlviz.methods import gaussian_dropout, variational_dropout
from bdlviz.topics.shared import curves, repeats, repeats_study
from bdlviz.topics.weights.variational_dropout import figures, study
from bdlviz.topics.weights.variational_dropout.study import ALPHA_PER, CURVE_METHODS, KL_WEIGHTS
from bdlviz.topics.weights.variational_dropout.views_theory import RATE
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow
from bdlviz.ui.jobs.memory import remembered
from bdlviz.ui.jobs.obtain import Wanted, obtain

SETS = ("x_sin_x", "two_clusters", "step", "trend_and_season")
DATA = Control(
    "noise_data",
    "Data",
    SETS,
    study.CURVE,
    "menu",
    "Other data than the first train five networks while you watch.",
    {name: data.DATASETS[name].title for name in SETS},
)
BETA = number_control(
    "noise_beta",
    "Weight of the KL term β",
    KL_WEIGHTS,
    0.001,
    "1 is the evidence lower bound; less trusts the data more than Bayes' rule does.",
)
PER = Control(
    "alpha_of", "One α for each", tuple(ALPHA_PER), "neuron", "buttons", "What the learned noise is shared by."
)
CONTROLS = (DATA, BETA, PER)
NUM_DRAWS = 50
SHOWN_DRAWS = 20
TITLES = {
    "map": "No noise (MAP)",
    "gaussian": "Gaussian, p = {rate}",
    "layer": "α per layer",
    "neuron": "α per neuron",
    "weight": "α per weight",
}


def choose() -> None:
    """Draw the controls of the functions."""
    DATA.show()
    BETA.show()
    RATE.show()
    PER.show()


def configuration(which: str, dataset: Dataset) -> FitConfig:
    """The fit of one panel."""
    if which == "map":
        return study.curve_config(which, dataset)
    if which == "gaussian":
        return study.curve_config(which, dataset, dropout_rate=float(RATE.present()))
    return study.curve_config(which, dataset, kl_weight=float(BETA.present()))


def show() -> Shown | None:
    """Functions of five networks, of which what is not shipped trains one after the other, and the learned noise."""
    dataset = data.load(DATA.present())
    found: dict[str, Fit] = {}
    for which in CURVE_METHODS:
        config = configuration(which, dataset)

        def draw_unfinished(fit: Fit, which: str = which, config: FitConfig = config) -> None:
            if fit.num_steps_done < config.num_steps:
                _draw_panels({**found, which: fit}, dataset)

        fit = obtain(Wanted(config, dataset), draw_unfinished)
        if fit is None or fit.num_steps_done < config.num_steps:
            return None
        found[which] = fit
    _draw_panels(found, dataset)
    numbers(_scores(found, dataset))
    _say_other_seeds(found["neuron"])
    _draw_noise(found[PER.present()])
    return Shown(
        (gaussian_dropout.build, variational_dropout.build),
        (variational_dropout.build, variational_dropout.alphas, variational_dropout.sample),
        snippet(dataset),
    )


def _draw_panels(found: dict[str, Fit], dataset: Dataset) -> None:
    """Function draws side by side; one under the other on a phone."""
    panels = []
    for which, fit in found.items():
        predictive = fit.predict(curves.inputs(dataset), NUM_DRAWS)
        panels.append((TITLES[which].format(rate=RATE.present()), predictive))
    fig = figures.functions_in_a_row(panels, dataset, theme=present_theme(), num_draws=SHOWN_DRAWS, stacked=is_narrow())
    told = " ".join(f"{title}: {plots.describe_function_draws(each, dataset)}" for title, each in panels)
    figure(fig, key="noise_functions", alt=told)


def _scores(found: dict[str, Fit], dataset: Dataset) -> list[tuple[str, str, str]]:
    """Held-out scores of what has noise."""
    rows = []
    for which in CURVE_METHODS[1:]:
        fit = found[which]
        scores = remembered(fit, "scores", lambda fit=fit: curves.scores(fit, dataset))
        title = TITLES[which].format(rate=RATE.present())
        nll = "–" if scores is None else f"{scores[1]:.2f}"
        rows.append((f"NLL, {title}", nll, "Held out, in nats per point; lower is better."))
    return rows


def _say_other_seeds(fit: Fit) -> None:
    """How far the score of an alpha for each neuron depends on the training seed, where that is known."""
    for column, weight in enumerate(repeats_study.NOISE_KL_WEIGHTS):
        if fit.config == repeats_study.noise_config(weight) and (found := repeats.study(repeats_study.WEIGHTS)):
            nll = found["noise_nll"][:, column]
            repeats.say(len(nll), f"with an α per neuron the held-out NLL is {repeats.told(nll, '.2f')} nats")


def _draw_noise(fit: Fit) -> None:
    """How the alphas of the chosen kind are spread."""
    found: dict[str, Any] = study.noise_of(fit)
    names = [f"Layer {layer + 1}" for layer in range(len(found["mean"]))]
    stacked = is_narrow()
    fig = figures.alpha_histograms(
        found["shares"],
        study.EDGES,
        names=names,
        capped=found["capped"],
        theme=present_theme(),
        stacked=stacked,
        height=None if stacked else 260,
    )
    st.markdown(f"**Learned noise, one α for each {PER.present()}**")
    figure(fig, key="noise_spread", alt=figures.describe_alphas(names, found["mean"], found["capped"]))


def snippet(dataset: Dataset) -> str:
    """Code that trains the five networks and draws them."""
    return "\n".join(
        [
            "import numpy as np",
            "import bdlviz",
            "from bdlviz.topics.weights.variational_dropout import study",
            "",
            f"data = bdlviz.dataset({dataset.name!r})",
            f"chosen = {{'gaussian': {{'dropout_rate': {RATE.present()}}}, 'map': {{}}}}",
            "panels = []",
            "for which in study.CURVE_METHODS:",
            f"    config = study.curve_config(which, data, **chosen.get(which, {{'kl_weight': {BETA.present()}}}))",
            "    fit = bdlviz.fits.run(config, data)",
            f"    predictive = fit.predict(np.linspace(*data.x_range, {curves.NUM_INPUTS}), {NUM_DRAWS})",
            "    panels.append((which, predictive))",
            "bdlviz.plots.functions_in_a_row(panels, data).show()",
        ]
    )
