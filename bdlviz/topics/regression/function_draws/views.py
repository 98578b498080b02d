"""The picture of the page: functions of a fit, of two settings, or outlined by another answer."""

from __future__ import annotations

from functools import partial

from bdlviz import plots
from bdlviz.fits import Fit
from bdlviz.methods import METHODS
from bdlviz.plots import Reference
from bdlviz.predictive import functions, length_scale, summaries
from bdlviz.topics.regression.function_draws import reference, told, views_moving
from bdlviz.topics.regression.function_draws.asked import OTHER, Asked, asked_of
from bdlviz.topics.regression.function_draws.controls import DATA, DRAWS, SLIDERS
from bdlviz.topics.shared import calculator, curves, draw_inspector, reproduce, seeds
from bdlviz.topics.shared.coverage import mark_coverage
from bdlviz.types import Dataset, Predictive
from bdlviz.ui.cache import data_key, remembered
from bdlviz.ui.jobs.obtain import SECOND
from bdlviz.ui.model import (
    Figure,
    Formula,
    Later,
    Numbers,
    Part,
    Result,
    Says,
    Screen,
    Setting,
    Stops,
    Tab,
    Widget,
    Words,
)
from bdlviz.ui.scrub import switch

BETWEEN = "between the first and the last point"  # the place of the first sd that other seeds have
FOLLOWED = {  # by the kind of inference: what the formula of a method is
    "optimised": "What training minimises over the weights.",
    "sampled": "What the chains follow: each of their states is one draw.",
    "solved": "What is solved, in one step.",
}
PRECISION = Formula(
    length_scale.model_precision,
    "Weight decay is a Gaussian prior: with its length-scale it determines the noise.",
    {
        r"\tau": "precision of the noise, 1 / variance, of standardised y",
        r"\ell": "length-scale: the prior of a weight is N(0, 1/ℓ²)",
        r"\lambda": "weight decay, per point",
        "N": "number of points",
        "p": "dropout rate",
    },
)
MOMENTS = Formula(
    summaries.summarise_regression,
    "The prediction averages the draws; their spread and the noise add up.",
    {"S": "number of draws", "f_s": "function of draw s, in the unit of y", r"\tau^{-1}": "variance of the noise"},
    {"f_s": "draws", r"\tau^{-1}": "aleatoric"},
)
MAP = "Map of networks"  # the title of that picture
MAX_WHILE_TRAINING = 20  # draws: the picture has to come again before the next look


def draw(setting: Setting, screen: Screen, fits: list[Fit | None]) -> Result:
    """The functions of the fits that were obtained; while one trains, its functions so far."""
    asked = asked_of(setting)
    found = asked.found(fits)
    fit = found[""]
    if fit is None:
        return about(setting)
    count = int(setting[DRAWS]) if fit.is_done else min(int(setting[DRAWS]), MAX_WHILE_TRAINING)
    stops = draw_inspector.stops_of(fit)
    shown = draw_inspector.at_stop(fit, stops, setting)
    predictive, other = predict(shown, asked.dataset, count), found.get(OTHER)
    outlined, remarks = reference.outline(found.get(SECOND), predictive.x)
    against = None if other is None else predict(other, asked.dataset, count)
    parts: list[Part] = [Says(_sentence(setting, asked, predictive, against, outlined))]
    parts += [Words(asked.remark, "info")] if asked.remark else []
    if setting.text(switch.MOVES):
        parts.append(_moving(setting, asked, fit, predictive, against, outlined))
    else:
        parts += _still(setting, screen, asked, predictive, outlined, stops)
    if fit.is_done:
        parts += [*remarks, *_flat_prior(fit), Later(lambda: _numbers(asked, shown, predictive))]
    moves = setting.text(switch.MOVES) and other is None
    surprises = views_moving.surprises(fit.config, asked.dataset) if moves else None
    if surprises is None:
        return _result(setting, screen, asked, parts, fit, {})
    on_map = _moving(setting, asked, fit, predictive, None, outlined, has_map=True)
    return _result(setting, screen, asked, parts, fit, {MAP: lambda: [Says(told.on_map(*surprises)), on_map]})


def _sentence(
    setting: Setting, asked: Asked, predictive: Predictive, other: Predictive | None, outlined: Reference | None
) -> str:
    title = asked.spec.short
    if other is not None:
        return told.of_two(predictive, other, asked.dataset)
    if outlined is not None:
        return told.beside(predictive, outlined, asked.dataset, title)
    sliders = [control for control in SLIDERS if control.key in dict(asked.config.axes)]
    return told.of_one(predictive, asked.dataset, title, setting, sliders)


def _flat_prior(fit: Fit) -> list[Part]:
    """What a held-out score does not see, where the map says that no weight decay is best."""
    if dict(fit.config.axes).get("weight_decay") != (0.0,):
        return []
    words = (
        "λ = 0 is no prior at all. It may still have the best held-out score: the held-out points lie among the data, "
        "so the score does not see what the functions do in gaps and outside."
    )
    return [Words(words)]


def predict(fit: Fit, dataset: Dataset, num_draws: int) -> Predictive:
    """The functions that the picture shows of a fit: the same for everybody who looks at it."""
    what = ("functions", num_draws, data_key(dataset))
    return remembered(fit, what, lambda: fit.predict(curves.inputs(dataset), num_draws))


def _moving(
    setting: Setting,
    asked: Asked,
    fit: Fit,
    predictive: Predictive,
    other: Predictive | None,
    outlined: Reference | None,
    has_map: bool = False,
) -> Widget:
    return Widget(partial(views_moving.show, setting, asked.dataset, fit, predictive, other, outlined, has_map))


def _still(
    setting: Setting,
    screen: Screen,
    asked: Asked,
    predictive: Predictive,
    outlined: Reference | None,
    stops: Stops | None,
) -> list[Part]:
    dataset = asked.dataset
    fig = plots.function_draws(
        predictive,
        dataset,
        theme=screen.theme,
        num_draws=int(setting[DRAWS]),
        highlighted=draw_inspector.highlighted(setting, predictive),
        reference=outlined,
    )
    mark_coverage(fig, predictive, dataset, screen.theme)
    words = plots.describe_function_draws(predictive, dataset) + reference.describe(outlined, predictive)
    slider: list[Part] = [] if stops is None else [stops]
    if dataset.name != "your_data":
        return [*slider, Figure("function_picture", fig, words)]
    draw_inspector.add_targets(fig, dataset)
    add = partial(views_moving.add_or_remove_clicked, dataset)
    return [
        *slider,
        Words("Click into the picture to add a point, click a point to remove it."),
        Figure("own_picture", fig, words, on_select=add),
    ]


def _numbers(asked: Asked, shown: Fit, predictive: Predictive) -> list[Part]:
    dataset = asked.dataset
    chains: list[Part] = []
    if shown.spec.inference == "sampled":
        chains = [reference.agreement(shown.convergence(curves.inputs(dataset)))]
    values = curves.key_numbers(shown, dataset, predictive, draw_inspector.unit(dataset))
    return [*chains, Numbers(values), *seeds.curves_caption({shown.spec.title: shown.config}, BETWEEN, "outside")]


# The tabs -------------------------------------------------------------------------------------------------------------


def about(setting: Setting) -> Result:
    """What the tabs show while nothing is drawn yet."""
    return _result(setting, None, asked_of(setting), [], None, {})


def _result(
    setting: Setting, screen: Screen | None, asked: Asked, parts: list[Part], fit: Fit | None, tabs: dict[str, Tab]
) -> Result:
    spec = METHODS[asked.config.method]
    decays = curves.scale_taken(spec.name) == calculator.DECAY.key
    return Result(
        parts,
        formulas=(Formula(spec.build, FOLLOWED[spec.inference]), *([PRECISION] if decays else []), MOMENTS),
        code=(spec.sample, functions.evaluate, summaries.summarise_regression),
        call=reproduce.predict_snippet(asked.config, asked.dataset, int(setting[DRAWS]), setting, DATA),
        present=asked.scales.latex if decays else "",
        tabs=tabs if screen is None else draw_inspector.tabs(setting, screen, fit, asked.dataset) | tabs,
    )
