"""Learned noise in regression: a plain network, Gaussian dropout and variational dropout side by side."""

from __future__ import annotations

from collections.abc import Sequence

from bdlviz import data, plots
from bdlviz.digits import number
from bdlviz.fits import Fit
from bdlviz.methods import gaussian_dropout, variational_dropout
from bdlviz.topics.shared import curves, seeds, study_seeds
from bdlviz.topics.weights.variational_dropout import figures, study
from bdlviz.topics.weights.variational_dropout.controls import BETA, DATA, PER, RATE
from bdlviz.topics.weights.variational_dropout.study import CURVE, CURVE_METHODS, EDGES, EXTREMES, curve_config
from bdlviz.topics.weights.variational_dropout.views_digits import LOSS
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.jobs.obtain import FitNeed, fit_need
from bdlviz.ui.model import Figure, Formula, Numbers, Part, Result, Says, Screen, Setting, Words

NUM_DRAWS = 50
SHOWN_DRAWS = 20
TITLES = {
    "map": "No noise (MAP)",
    "gaussian": "Gaussian, p = {rate}",
    "layer": "α per layer",
    "neuron": "α per neuron",
    "weight": "α per weight",
}

CHOSEN_NOISE = Formula(
    gaussian_dropout.build,
    "With noise that is chosen there is no KL term, only weight decay.",
    {r"\theta": "means of the weights", r"\lambda": "weight decay"},
)


def needed(setting: Setting) -> list[FitNeed]:
    """The fits of all panels, in the order of `CURVE_METHODS`; those that are not shipped are trained in turn."""
    dataset = data.load(setting[DATA])
    return [fit_need(_config(setting, which, dataset), dataset) for which in CURVE_METHODS]


def _config(setting: Setting, which: str, dataset: Dataset) -> FitConfig:
    if which == "map":
        return curve_config(which, dataset)
    if which == "gaussian":
        return curve_config(which, dataset, dropout_rate=setting.number(RATE))
    return curve_config(which, dataset, kl_weight=setting.number(BETA))


def functions(setting: Setting, screen: Screen, fits: Sequence[Fit | None]) -> Result:
    """The functions of those networks that there are; once all are trained, their scores and the learned noise."""
    dataset = data.load(setting[DATA])
    found = {which: fit for which, fit in zip(CURVE_METHODS, fits, strict=True) if fit is not None}
    is_done = len(found) == len(fits) and all(fit.num_steps_done == fit.config.num_steps for fit in found.values())
    parts: list[Part] = [Says(_sentence(setting, found, dataset) if is_done else "The networks are still training.")]
    parts += [_panels(setting, screen, found, dataset)] if found else []
    if is_done:
        parts.append(Numbers(_scores(setting, found, dataset)))
        parts += _other_seeds(found["neuron"])
        parts += _noise(setting, screen, found[setting[PER]])
    return Result(
        parts,
        (LOSS, CHOSEN_NOISE),
        (variational_dropout.build, variational_dropout.alphas, variational_dropout.sample),
        call_of(setting, dataset),
    )


def _sentence(setting: Setting, found: dict[str, Fit], dataset: Dataset) -> str:
    """The held-out score with learned noise and with chosen noise."""
    scores = [curves.remembered_scores(found[which], dataset) for which in (setting[PER], "gaussian")]
    learned, chosen = ("unknown" if each is None else number(each.nll) for each in scores)
    return (
        f"Held-out NLL with learned noise (an α per {setting[PER]}, β = {number(setting.number(BETA))}): {learned} "
        f"nats per point; with p = {number(setting.number(RATE))} chosen: {chosen}."
    )


def _title(setting: Setting, which: str) -> str:
    return TITLES[which].format(rate=setting[RATE])


def _panels(setting: Setting, screen: Screen, found: dict[str, Fit], dataset: Dataset) -> Figure:
    """Function draws side by side; one under the other on a phone."""
    x = curves.inputs(dataset)
    panels = [(_title(setting, which), fit.predict(x, NUM_DRAWS)) for which, fit in found.items()]
    fig = figures.functions_in_a_row(
        panels, dataset, theme=screen.theme, num_draws=SHOWN_DRAWS, stacked=screen.is_narrow
    )
    alt = " ".join(f"{title}: {plots.describe_function_draws(each, dataset)}" for title, each in panels)
    return Figure("noise_functions", fig, alt)


def _scores(setting: Setting, found: dict[str, Fit], dataset: Dataset) -> list[tuple[str, str, str]]:
    """Held-out scores of the networks with noise."""
    rows = []
    for which in CURVE_METHODS[1:]:
        fit = found[which]
        scores = curves.remembered_scores(fit, dataset)
        nll = "–" if scores is None else f"{scores.nll:.2f}"
        rows.append((f"NLL, {_title(setting, which)}", nll, "Held out, in nats per point; lower is better."))
    return rows


def _other_seeds(fit: Fit) -> list[Part]:
    """How far the score of an alpha for each neuron depends on the training seed, where that is known."""
    parts: list[Part] = []
    for column, weight in enumerate(EXTREMES):
        is_shown = fit.config == curve_config("neuron", data.load(CURVE), kl_weight=weight)
        if is_shown and (found := seeds.study(study_seeds.WEIGHTS)):
            nll = found["noise_nll"][:, column]
            told = f"with an α per neuron the held-out NLL is {seeds.told(nll, '.2f')} nats"
            parts.append(Words(seeds.sentence(len(nll), told)))
        elif is_shown:
            parts += seeds.problem(study_seeds.WEIGHTS)
    return parts


def _noise(setting: Setting, screen: Screen, fit: Fit) -> list[Part]:
    """The distribution of the alphas of the chosen kind."""
    found = study.noise_of(fit)
    names = figures.layer_names(found["mean"])
    fig = figures.alpha_histograms(
        found["shares"],
        EDGES,
        names=names,
        capped=found["capped"],
        theme=screen.theme,
        stacked=screen.is_narrow,
        height=screen.by_width(260, None),
    )
    alt = figures.describe_alphas(names, found["mean"], found["capped"])
    return [
        Words(f"**Learned noise, one α for each {setting[PER]}**", "markdown"),
        Figure("noise_spread", fig, alt),
    ]


def call_of(setting: Setting, dataset: Dataset) -> str:
    """Code that trains the five networks and draws them."""
    return "\n".join(
        [
            "import numpy as np",
            "import bdlviz",
            "from bdlviz.topics.weights.variational_dropout import figures, study",
            "",
            f"data = bdlviz.dataset({dataset.name!r})",
            f"chosen = {{'gaussian': {{'dropout_rate': {setting[RATE]}}}, 'map': {{}}}}",
            "panels = []",
            "for which in study.CURVE_METHODS:",
            f"    config = study.curve_config(which, data, **chosen.get(which, {{'kl_weight': {setting[BETA]}}}))",
            "    fit = bdlviz.fits.run(config, data)",
            f"    predictive = fit.predict(np.linspace(*data.x_range, {curves.NUM_INPUTS}), {NUM_DRAWS})",
            "    panels.append((which, predictive))",
            "figures.functions_in_a_row(panels, data).show()",
        ]
    )
