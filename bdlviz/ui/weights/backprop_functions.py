"""The functions of Bayes by Backprop: median and middle half of its draws, beside a network without distributions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from bdlviz import plots
from bdlviz.fits import Fit, configure
from bdlviz.methods import METHODS, bayes_by_backprop
from bdlviz.predictive import functions
from bdlviz.predictive.summaries import negative_log_likelihood
from bdlviz.recipes_backprop_curves import SETTINGS
from bdlviz.types import Array, Dataset
from bdlviz.ui.controls import Control, number_control
from bdlviz.ui.draw_inspector import unit
from bdlviz.ui.look import figure, numbers, present_theme
from bdlviz.ui.obtain import Wanted, obtain
from bdlviz.ui.page import Shown
from bdlviz.ui.regression import inputs
from bdlviz.ui.weights import backprop_setting as setting
from bdlviz.ui.window import is_narrow

NUM_SAMPLES = 300  # for median and quartiles; few of them are drawn as lines
WIDE_GAP = 0.2  # of the data's range, from which on an interval without points is a gap
DRAWS = number_control("draws", "Function draws S", (1, 5, 20, 50, 100), 20, "Lines behind the band.")
BESIDE = Control(
    "beside",
    "Beside it",
    ("map", "deep_ensemble"),
    "map",
    "buttons",
    "The same network without distributions, or five of them with different starts.",
    {"map": "plain network", "deep_ensemble": "ensemble of 5"},
)
CONTROLS = (DRAWS, BESIDE)


@dataclass(frozen=True)
class Place:
    """Where the page asks for an uncertainty besides the data: in words, and which inputs those are."""

    name: str
    low: float
    high: float


def choose() -> None:
    """Draw the controls of this view."""
    BESIDE.show()
    DRAWS.show()
    setting.choose()


def show() -> Shown | None:
    """Draws, median and interquartile band, beside the same for another method."""
    dataset = setting.present_dataset()
    with setting.said():
        config = setting.configuration(dataset)
        other_config = configure(BESIDE.present(), dataset, **SETTINGS)
        other = obtain(Wanted(other_config, dataset), lambda fit: None)
        if other is None:
            return None
        fit = setting.get(config, dataset, lambda fit: _draw(fit, other, dataset))
        if fit is None:
            return None
        return Shown(
            (bayes_by_backprop.build, functions.drawn_weights, bayes_by_backprop.kl_to_prior),
            (bayes_by_backprop.sample, functions.drawn_weights, plots.quartile_panels),
            _snippet(fit, other, dataset),
        )
    return None


def _draw(fit: Fit, other: Fit, dataset: Dataset) -> None:
    x, num_draws = inputs(dataset), int(DRAWS.present())
    predictives = {each.spec.title: each.predict(x, NUM_SAMPLES) for each in (fit, other)}
    panels = [(title, predictive.draws[:, :, 0]) for title, predictive in predictives.items()]
    fig = plots.quartile_panels(
        panels, x[:, 0], dataset, num_draws=num_draws, theme=present_theme(), stacked=is_narrow()
    )
    figure(fig, key="quartiles", alt=plots.describe_quartiles(panels, x[:, 0], dataset))
    if fit.num_steps_done == fit.config.num_steps:
        numbers(_numbers([draws for _, draws in panels], x[:, 0], dataset, fit, other))


def widest_gap(x: Array) -> Place:
    """The middle of the widest interval without points (N,), if it is wide; else all that lies outside them."""
    at = np.sort(x)
    if len(at) > 1:
        start = int(np.diff(at).argmax())
        low, high = float(at[start]), float(at[start + 1])
        if high - low > WIDE_GAP * (at[-1] - at[0]):
            room = (high - low) / 4
            return Place("in the gap", low + room, high - room)
    return Place("outside", float(at[-1]), np.inf)


def _numbers(draws: list[Array], x: Array, dataset: Dataset, fit: Fit, other: Fit) -> list[tuple[str, str, str]]:
    at = dataset.x[:, 0]
    place, of_unit = widest_gap(at), unit(dataset)
    among = (x >= at.min()) & (x <= at.max())
    away = ~among
    if np.isfinite(place.high):
        away = (x >= place.low) & (x <= place.high)
        among &= ~away
    sds = [each.std(0) if len(each) > 1 else np.zeros(len(x)) for each in draws]
    here, there = (float(np.median(sds[0][where])) if where.any() else 0.0 for where in (among, away))
    beside = float(np.median(sds[1][away])) if away.any() else 0.0
    name = BESIDE.name(BESIDE.present())
    rows = [
        (f"Sd at the data{of_unit}", f"{here:.2g}", "Of the draws; median over the x among the points."),
        (f"Sd {place.name}{of_unit}", f"{there:.2g}", "Of the draws; median over the x there."),
        (f"… of the {name}", f"{beside:.2g}", f"Spread of its functions {place.name}; a single one has none."),
    ]
    if len(dataset.x_test) == 0:
        return rows
    nll = negative_log_likelihood(fit.predict(dataset.x_test, 100), dataset.y_test)
    than = negative_log_likelihood(other.predict(dataset.x_test, 100), dataset.y_test)
    return [*rows, ("Held-out NLL (nats)", f"{nll:.3g}", f"Per point, lower is better; of the {name}: {than:.3g}.")]


def _snippet(fit: Fit, other: Fit, dataset: Dataset) -> str:
    low, high = dataset.x_range
    title = METHODS[other.config.method].title
    settings = ", ".join(f"{name}={value!r}" for name, value in SETTINGS.items())
    return setting.snippet(
        fit.config,
        dataset,
        f'other = bdlviz.fit("{other.config.method}", data, {settings})',
        f"x = np.linspace({low!r}, {high!r}, 200)",
        f"panels = [(name, each.predict(x, {NUM_SAMPLES}).draws[:, :, 0])",
        f'          for name, each in (("{fit.spec.title}", fit), ("{title}", other))]',
        "bdlviz.plots.quartile_panels(panels, x, data).show()",
    )
