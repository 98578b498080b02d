"""The functions of Bayes by Backprop: its draws, their mean and spread, beside a network without distributions."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from bdlviz.digits import THIN, number
from bdlviz.fits import Fit, configure
from bdlviz.methods import METHODS, bayes_by_backprop
from bdlviz.predictive import functions, in_between
from bdlviz.topics.shared import seeds
from bdlviz.topics.shared.curves import inputs
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.topics.weights.bayes_by_backprop import figures_functions, network, views_weight
from bdlviz.topics.weights.bayes_by_backprop.controls import BESIDE, DRAWS, KL, PRIOR_STD, beside
from bdlviz.topics.weights.bayes_by_backprop.study import SETTINGS
from bdlviz.types import Array, Dataset
from bdlviz.ui.jobs.obtain import SECOND, FitNeed, fit_need
from bdlviz.ui.model import Figure, Numbers, Part, Result, Says, Screen, Setting, Tab

POINTS, GAP, LEFT, RIGHT = "at the points", "in the gap", "left of the points", "right of the points"
Place = tuple[float, str, float, float]  # x, one of these words, the mean and the standard deviation of the draws there
NARROW = 3  # times the sd at the points: less is no wide band
BEYOND = 0.25  # of the way from the last point to the end of the axis
LOST = 0.5  # of the sd of y: a mean that is farther from the points does not follow them
CERTAIN = {"most certain": 0.0, "in the middle": 0.5, "least certain": 1.0}  # ranks of weights by their sd
SHOWN, ALIKE = 3, 0.1  # prior sds on each side of 0; and of an sd, by which a weight differs from the prior at most
NUM_SAMPLES = 300  # for mean and spread; few of them are drawn as lines


def needed(setting: Setting) -> list[FitNeed]:
    """The network beside it, and the network of Bayes by Backprop."""
    dataset = network.dataset_of(setting)
    other = fit_need(configure(beside(setting), dataset, **SETTINGS), dataset, name=SECOND)
    return [other, network.needed(setting)]


def drawn(setting: Setting, screen: Screen, fits: Sequence[Fit | None]) -> Result:
    """Draws, mean and one standard deviation, alone or beside the same for another method."""
    dataset = network.dataset_of(setting)
    other, fit = fits
    parts: list[Part] = []
    tabs: dict[str, Tab] = {}
    x, shown = inputs(dataset), [fit] if setting[BESIDE] == "nothing" else [fit, other]
    there = [each for each in shown if each is not None]
    panels = [(each.spec.title, each.predict(x, NUM_SAMPLES).draws[:, :, 0]) for each in there]
    if panels:
        look = {"theme": screen.theme, "stacked": screen.is_narrow}
        places = [] if fit is None else _places(panels[0][1], x[:, 0], dataset)
        unit, where = screen.by_width((" (sd)", "at "), ("", ""))
        told = [f"± {number(sd, 2)}{unit}<br>{where}x = {number(at, 2)}" for at, _, _, sd in places]
        marks = [(at, mean, sd, text) for (at, _, mean, sd), text in zip(places, told, strict=True)]
        fig = figures_functions.draws_in_panels(
            panels, x[:, 0], dataset, num_draws=int(setting[DRAWS]), marks=marks, **look
        )
        if fit is not None and len(panels) == 1 and not screen.is_narrow:
            _add_weights(fig, fit, screen)
        says = _sentence(setting, places, _is_lost(panels[0][1], x[:, 0], dataset)) if places else ""
        parts += [*([Says(says)] if says else []), Figure("draws_beside", fig, says or "Functions.")]
    if fit is not None and other is not None and fit.is_done:
        name = BESIDE.name(beside(setting))
        both = [each.predict(x, NUM_SAMPLES).draws[:, :, 0] for each in (fit, other)]
        parts.append(Numbers(_numbers(both, x[:, 0], dataset, fit, other, name)))
        parts += seeds.curves_caption({fit.spec.title: fit.config, name: other.config}, "at the data", _away(dataset))
        tabs["A number or a density"] = lambda: views_weight.numbers_and_densities(setting, screen, fit, other)
    return Result(
        parts,
        (network.LOSS, network.DRAW, network.KL_TERM),
        (bayes_by_backprop.sample, functions.drawn_weights, figures_functions.draws_in_panels),
        _call(setting, dataset),
        tabs=tabs,
    )


def _add_weights(fig: go.Figure, fit: Fit, screen: Screen) -> None:
    """A few weights of the network beside its functions, by their standard deviation."""
    found = network.weights_of(fit)
    at = [views_weight.chosen_weight(found, "all", rank)[0] for rank in CERTAIN.values()]
    mean, std = (each[at] for each in found.flat())
    title, wide = f"{len(at)} of its {found.num_weights:,} weights", found.prior.wide_std
    is_told = not screen.is_presenting  # there is no room on a slide
    names = [
        f"{name}, like the prior" if is_told and abs(middle) < ALIKE * wide and abs(sd / wide - 1) < ALIKE else name
        for name, middle, sd in zip(CERTAIN, mean, std, strict=True)
    ]
    look = {"label": f"Weight w (prior σ₁ = {number(wide, 2)})", "reach": SHOWN * wide, "theme": screen.theme}
    figures_functions.add_weights(fig, title, names, mean, std, lambda w: np.exp(found.prior.log_density(w)), **look)


def _sentence(setting: Setting, places: Sequence[Place], is_lost: bool) -> str:
    """How far the drawn functions differ at one x among the points and at one away from them, and with which prior."""
    (_, _, _, here), (_, where, _, there) = places
    prior = f"With prior sd {number(setting.number(PRIOR_STD), 2)}"
    prior += "" if setting.is_default(KL) else f", β{THIN}={THIN}{setting[KL]}"
    close = ": weights are independent" if where == GAP and there < NARROW * here else ""
    told = [
        f"±{THIN}{number(sd, 2)}{unit} {words} (x{THIN}={THIN}{number(at, 2)})"
        for unit, (at, words, _, sd) in zip((" (sd)", ""), places, strict=True)
    ]
    return f"{prior}, functions differ by {told[0]} and by {told[1]}{': all miss the points' if is_lost else close}."


def _places(draws: Array, x: Array, dataset: Dataset) -> list[Place]:
    """The middle of the points and an x away from them, with mean and standard deviation of the draws there."""
    points = dataset.x[:, 0]
    low, high, gap = float(points.min()), float(points.max()), in_between.wide_gap(points)
    if gap is not None:
        at = {POINTS: (low + in_between.widest_gap(points)[0]) / 2, GAP: sum(gap) / 2}
    else:
        start, end, side = (high, float(x[-1]), RIGHT) if high < x[-1] else (low, float(x[0]), LEFT)
        at = {POINTS: (low + high) / 2, side: start + BEYOND * (end - start)}
    mean, std = (np.interp([*at.values()], x, curve).tolist() for curve in (draws.mean(0), draws.std(0)))
    return [*zip(at.values(), at, mean, std, strict=True)]


def _is_lost(draws: Array, x: Array, dataset: Dataset) -> bool:
    """Whether the mean of the draws does not follow the points."""
    error = np.interp(dataset.x[:, 0], x, draws.mean(0)) - dataset.y[:, 0]
    return float(np.sqrt(np.mean(error**2))) > LOST * float(dataset.y.std())


def _away(dataset: Dataset) -> str:
    """The words for the places away from the data."""
    return "outside" if in_between.wide_gap(dataset.x[:, 0]) is None else "in the gap"


def _numbers(
    draws: list[Array], x: Array, dataset: Dataset, fit: Fit, other: Fit, name: str
) -> list[tuple[str, str, str]]:
    stds = [each.std(0) if len(each) > 1 else np.zeros(len(x)) for each in draws]
    (here, there), (_, beside) = (in_between.among_and_away(x, std, dataset.x[:, 0]) for std in stds)
    away, of_unit = _away(dataset), unit(dataset)
    rows = [
        (f"Sd at the data{of_unit}", f"{here:.2g}", "Of the draws; median over the x among the points."),
        (f"Sd {away}{of_unit}", f"{there:.2g}", "Of the draws; median over the x there."),
        (f"Sd {away}, {name}", f"{beside:.2g}", f"Standard deviation of its functions {away}; 0 if there is one."),
    ]
    if len(dataset.x_test) == 0:
        return rows
    nll, than = (-float(each.predict(dataset.x_test, 100).log_prob(dataset.y_test).mean()) for each in (fit, other))
    help_text = f"Per point, lower is better; of the {name}: {number(than)}."
    return [*rows, ("Held-out NLL (nats)", number(nll), help_text)]


def _call(setting: Setting, dataset: Dataset) -> str:
    low, high = dataset.x_range
    method, title = beside(setting), METHODS["bayes_by_backprop"].title
    settings = ", ".join(f"{name}={value!r}" for name, value in SETTINGS.items())
    return network.call_of(
        setting,
        network.needed(setting).config,
        [
            f'other = bdlviz.fit("{method}", data, {settings})',
            f"x = np.linspace({low!r}, {high!r}, 200)",
            f"panels = [(name, each.predict(x, {NUM_SAMPLES}).draws[:, :, 0])",
            f'          for name, each in (("{title}", fit), ("{METHODS[method].title}", other))]',
            "figures_functions.draws_in_panels(panels, x, data).show()",
        ],
        ["from bdlviz.topics.weights.bayes_by_backprop import figures_functions"],
    )
