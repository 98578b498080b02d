"""Studies of concrete dropout: the best rate at every width, and the authors' own study."""

from __future__ import annotations

from typing import Literal

import numpy as np

from bdlviz import plots
from bdlviz.digits import number
from bdlviz.plots import Panel, Series
from bdlviz.predictive import length_scale, relaxation
from bdlviz.published import AUTHORS_STUDY, authors_study
from bdlviz.topics.digits.concrete_dropout import figures, study
from bdlviz.topics.digits.concrete_dropout.controls import SCORE, TRAINED, WIDTH
from bdlviz.topics.digits.concrete_dropout.run import Extra, shipped_with
from bdlviz.topics.digits.concrete_dropout.views import PENALTY
from bdlviz.topics.digits.concrete_dropout.views_claims import mean_sd, tabs_of, widths_needed
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Formula, Need, Numbers, Result, Says, Screen, Setting, Words

AUTHORS_FILES = {"published": "concrete_authors", "settled": "concrete_authors_settled"}

NAMES = {"nll": "held-out NLL", "accuracy": "held-out accuracy", "auroc": "AUROC"}
LABELS = {"nll": "Held-out NLL (nats per image)", "accuracy": "Held-out accuracy", "auroc": "AUROC of shuffled digits"}

TRUE_NOISE = 1.0
SETTLED = 0.02  # a rate that moves less than this over the last fifth of a training

WEIGHT_DECAY = Formula(
    length_scale.weight_decay_for,
    "The weight decay of MC dropout that stands for the same prior at every rate.",
)
FASTEST = Formula(
    relaxation.fastest_rate,
    "Adam moves a logit by at most one learning rate a step: p can rise no faster than the dotted line.",
    {"p_n": "the dotted line", "p_0": "rate at the start", "n": "number of steps", r"\eta": "learning rate"},
    {"p_n": "warning"},
)

HOW_TO_READ = """
**How to read it.** A rate's logit moves by about one learning rate a step, and p started at 0.1. N ≤ 1,000 got 2,000,
2,000, 1,500, 1,000 and 1,000 steps: there the published curve of p against N counts optimiser steps (dotted), not data.
"""


# Width against rate ---------------------------------------------------------------------------------------------------


def widths_need(_: Setting) -> Need[Extra]:
    """The study of widths and rates, whatever the controls say."""
    return widths_needed()


def widths(setting: Setting, screen: Screen, extra: Extra) -> Result:
    """A held-out score of MC dropout against its rate at every width, with the rate that concrete dropout learned."""
    score = setting[SCORE]
    stops = extra["widths"].tolist()
    chosen = stops.index(int(setting[WIDTH]))
    rates, scores = extra["rates"].astype(float), extra[score].astype(float)
    learned, reached = extra["concrete_rate"][..., 1].astype(float), extra[f"concrete_{score}"].astype(float)
    fig = figures.score_against_rate(
        rates,
        scores,
        stops,
        chosen=chosen,
        concrete=(learned, reached),
        label=LABELS[score],
        y_range=_score_range(scores, reached, score),
        lower_is_better=score == "nll",
        theme=screen.theme,
    )
    best = _best(scores, score)[:, chosen]
    at = f"best at p = {rates[best].mean():.2f}, learned {learned.mean(0)[chosen]:.2f}"
    alt = f"{LABELS[score]} against dropout rate; {at}."
    at_best = np.take_along_axis(scores[:, chosen], best[:, None], 1).mean()
    values = Numbers(
        [
            ("Best rate of the grid", mean_sd(rates[best]), "Mean ± sd over three seeds, each with its own best rate."),
            ("Learned rate", mean_sd(learned[:, chosen]), "One rate for all hidden units, mean ± sd over seeds."),
            (f"{_short(score)} at the best rate", f"{at_best:.3f}", "Mean over seeds of each seed's best."),
            (f"{_short(score)}, concrete", mean_sd(reached[:, chosen], 3), "Pixels are dropped too."),
        ]
    )
    told, at_learned = NAMES[score], reached[:, chosen].mean()
    says = Says(
        f"With {stops[chosen]:,} hidden units p = {number(learned.mean(0)[chosen], 2)} is learned; the best {told} is "
        f"at p = {number(rates[best].mean(), 2)}: {number(at_best)}, with the learned rates {number(at_learned)}."
    )
    return Result(
        [says, Figure("width_against_rate", fig, alt), values],
        (PENALTY, WEIGHT_DECAY),
        (study.widths, study.held_out, figures.score_against_rate),
        "from bdlviz.topics.digits.concrete_dropout import study\n\nfit, extra = study.widths()  # some minutes\n"
        f"print(extra['rates'], extra[{score!r}].mean(0), extra['concrete_rate'].mean(0))",
        tabs=tabs_of(screen),
    )


def _score_range(scores: Array, reached: Array, score: str) -> tuple[float, float]:
    """The same axis for every width: NLL from 0, the worst far ends cut off; shares up to 1."""
    if score == "nll":
        return 0.0, float(np.ceil(10 * np.quantile(scores.mean(0), 0.9)) / 10)
    low = min(float(np.quantile(scores.mean(0), 0.05)), float(reached.min()))
    return float(np.floor(20 * low) / 20), 1.0


def _best(scores: Array, score: str) -> Array:
    """The position of the best rate, over the last axis."""
    return scores.argmin(-1) if score == "nll" else scores.argmax(-1)


def _short(score: str) -> str:
    return {"nll": "NLL", "accuracy": "Accuracy", "auroc": "AUROC"}[score]


# The authors' study ---------------------------------------------------------------------------------------------------


def authors_needed(setting: Setting) -> Need[Extra]:
    """The authors' study, with their number of steps or until the rates hardly move."""
    return shipped_with(AUTHORS_FILES[setting[TRAINED]], "narrow_rates", lambda _, extra: extra)


def authors(setting: Setting, screen: Screen, extra: Extra) -> Result:
    """Learned rates, aleatoric and epistemic standard deviation against N, beside what the authors published."""
    num_data = extra["num_data"].astype(float)
    fig = plots.against_setting(
        num_data, _authors_panels(extra), x_label="Data points N", theme=screen.theme, stacked=screen.is_narrow
    )
    kind = setting[TRAINED]
    told = HOW_TO_READ if kind == "published" else _settled_words(extra)
    width, rates = _width_and_rates(extra)
    last = extra["num_data"].tolist()
    values = Numbers(
        [
            (f"Hidden p, N = {last[0]:,}", f"{rates[0]:.2f}", "Published: 0.40."),
            (f"Hidden p, N = {last[-1]:,}", f"{rates[-1]:.2f}", "Published: 0.157."),
            ("Aleatoric sd, largest N", f"{extra[f'{width}_aleatoric'].mean(0)[-1]:.2f}", "Published: 1.13; truth 1."),
            ("Epistemic sd, largest N", f"{extra[f'{width}_epistemic'].mean(0)[-1]:.2f}", "Published: 0.53."),
        ]
    )
    noise = float(extra[f"{width}_aleatoric"].mean(0)[-1])
    says = Says(
        f"From N = {last[0]:,} to {last[-1]:,} the learned p of hidden layers goes from {number(rates[0], 2)} to "
        f"{number(rates[-1], 2)}; estimated noise: {number(noise)} (truth 1)."
    )
    name = "authors_published" if kind == "published" else "authors_settled"
    return Result(
        [says, Figure("authors_study", fig, _describe_authors(extra)), Words(told, "markdown"), values],
        (PENALTY, FASTEST),
        (authors_study.authors_data, authors_study.fit_in_own_units, plots.against_setting),
        f"from bdlviz.topics.digits.concrete_dropout import study\n\nfit, extra = study.{name}()  # some minutes\n"
        "print(extra['num_data'], extra['narrow_rates'].mean(0))",
        tabs=tabs_of(screen),
    )


def _authors_panels(extra: Extra) -> list[Panel]:
    widths = [("wide", authors_study.AUTHORS_WIDTH, "solid"), ("narrow", study.NARROW_WIDTH, "dash")]
    here = [(key, width, dash) for key, width, dash in widths if f"{key}_rates" in extra]

    def series(name: Literal["aleatoric", "epistemic"]) -> list[Series]:
        return [Series(f"width {width:,}", extra[f"{key}_{name}"], name, dash) for key, width, dash in here]

    hidden = [Series(f"width {w:,}", extra[f"{key}_rates"][..., 1:].mean(-1), "ink", dash) for key, w, dash in here]
    pixels = [Series("input x", extra[f"{key}_rates"][..., 0], "muted", dash) for key, _, dash in here]
    fastest = relaxation.fastest_rate(authors_study.AUTHORS_OPTIONS["start_rate"], extra["num_steps"])
    if fastest.max() < 0.5:  # later than that, steps are not what holds rates back
        hidden.append(Series("one learning rate a step", fastest[None], "warning", "dot"))
    points = [[(count, values[column]) for count, values in AUTHORS_STUDY.items()] for column in range(4)]
    return [
        Panel("Dropout rate p", "p", (0.0, 0.62), [*hidden, *pixels], points[0] + points[1]),
        Panel("Aleatoric sd", "units of y", (0.0, 2.6), series("aleatoric"), points[2], truth=TRUE_NOISE),
        Panel("Epistemic sd", "units of y", (0.0, 2.6), series("epistemic"), points[3]),
    ]


def _width_and_rates(extra: Extra) -> tuple[str, Array]:
    """The wider network of the study, and its mean rate of hidden layers at every N."""
    width = "wide" if "wide_rates" in extra else "narrow"
    return width, extra[f"{width}_rates"][..., 1:].mean((0, 2))


def _describe_authors(extra: Extra) -> str:
    _, rates = _width_and_rates(extra)
    told = ", ".join(f"{rate:.2f} at N = {count:,}" for count, rate in zip(extra["num_data"], rates, strict=True))
    return f"Dropout rates of hidden layers against N: {told}."


def _settled_words(extra: Extra) -> str:
    """How far the rates still moved over the last fifth of the training."""
    path = extra["narrow_path"]
    moved = np.abs(path[..., -1, :] - path[..., -1 - study.NUM_MOMENTS // 5, :]).max()
    steps = int(extra["num_steps"][0])
    verdict = "they have settled" if moved < SETTLED else "they still move a little"
    return (
        f"**To convergence.** {steps:,} steps for every N, at a quarter of the authors' width: over the last fifth no "
        f"rate moved by more than {moved:.3f}, so {verdict}. Rings are the published values, after fewer steps."
    )
