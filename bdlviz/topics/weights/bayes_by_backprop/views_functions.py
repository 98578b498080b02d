"""The functions of Bayes by Backprop: median and middle half of its draws, beside a network without distributions."""

from __future__ import annotations

import numpy as np

from bdlviz.fits import Fit, configure
from bdlviz.methods import METHODS, bayes_by_backprop
from bdlviz.predictive import functions, in_between
from bdlviz.predictive.summaries import negative_log_likelihood
from bdlviz.topics.shared import seeds
from bdlviz.topics.shared.curves import inputs
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.topics.weights.bayes_by_backprop import figures_functions
from bdlviz.topics.weights.bayes_by_backprop import views_setting as setting
from bdlviz.topics.weights.bayes_by_backprop.study import SETTINGS
from bdlviz.types import Array, Dataset
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.legacy import Shown
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import is_narrow
from bdlviz.ui.jobs.obtain import fit_need, obtain

NUM_SAMPLES = 300  # for median and quartiles; few of them are drawn as lines
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
        other = obtain(fit_need(other_config, dataset), lambda fit: None)
        if other is None:
            return None
        fit = setting.get(config, dataset, lambda fit: _draw(fit, other, dataset))
        if fit is None:
            return None
        return Shown(
            (bayes_by_backprop.build, functions.drawn_weights, bayes_by_backprop.kl_to_prior),
            (bayes_by_backprop.sample, functions.drawn_weights, figures_functions.quartile_panels),
            _snippet(fit, other, dataset),
        )
    return None


def _draw(fit: Fit, other: Fit, dataset: Dataset) -> None:
    x, num_draws = inputs(dataset), int(DRAWS.present())
    predictives = {each.spec.title: each.predict(x, NUM_SAMPLES) for each in (fit, other)}
    panels = [(title, predictive.draws[:, :, 0]) for title, predictive in predictives.items()]
    fig = figures_functions.quartile_panels(
        panels, x[:, 0], dataset, num_draws=num_draws, theme=present_theme(), stacked=is_narrow()
    )
    figure(fig, key="quartiles", alt=figures_functions.describe_quartiles(panels, x[:, 0], dataset))
    if fit.num_steps_done == fit.config.num_steps:
        numbers(_numbers([draws for _, draws in panels], x[:, 0], dataset, fit, other))
        names = (fit.spec.title, BESIDE.name(BESIDE.present()))
        seeds.say_curves(dict(zip(names, (fit.config, other.config), strict=True)), _away(dataset))


def _away(dataset: Dataset) -> str:
    """Where the page asks for a standard deviation besides the data."""
    return "outside" if in_between.wide_gap(dataset.x[:, 0]) is None else "in the gap"


def _numbers(draws: list[Array], x: Array, dataset: Dataset, fit: Fit, other: Fit) -> list[tuple[str, str, str]]:
    stds = [each.std(0) if len(each) > 1 else np.zeros(len(x)) for each in draws]
    (here, there), (_, beside) = (in_between.among_and_away(x, std, dataset.x[:, 0]) for std in stds)
    away, name, of_unit = _away(dataset), BESIDE.name(BESIDE.present()), unit(dataset)
    rows = [
        (f"Sd at the data{of_unit}", f"{here:.2g}", "Of the draws; median over the x among the points."),
        (f"Sd {away}{of_unit}", f"{there:.2g}", "Of the draws; median over the x there."),
        (f"… of the {name}", f"{beside:.2g}", f"Standard deviation of its functions {away}; 0 if there is one."),
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
