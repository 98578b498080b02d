"""Studies of concrete dropout: width against rate, the authors' own, and what becomes of two claims."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.methods import concrete_dropout, mc_dropout
from bdlviz.models.likelihoods import HeteroscedasticGaussian
from bdlviz.plots import Panel, Series
from bdlviz.predictive import length_scale, relaxation
from bdlviz.published import AUTHORS_STUDY, authors_study
from bdlviz.topics.digits.concrete_dropout import study, views_keep
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.legacy import Shown
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import is_narrow

WIDTHS_FILE = "concrete_widths"
AUTHORS_FILES = {"published": "concrete_authors", "settled": "concrete_authors_settled"}

WIDTH = number_control("net_width", "Hidden units", study.WIDTHS, 256, "Of the one hidden layer.")
SCORE = Control(
    "width_score",
    "Held-out score",
    ("nll", "accuracy", "auroc"),
    "nll",
    "menu",
    "Shuffled digits: how well predictive entropy tells held-out digits from the same with their patches in disorder.",
    {"nll": "negative log likelihood", "accuracy": "accuracy", "auroc": "shuffled digits found (AUROC)"},
)
TRAINED = Control(
    "authors_steps",
    "Trained",
    ("published", "settled"),
    "published",
    "buttons",
    "With the authors' number of steps, or until rates hardly move.",
    {"published": "as published", "settled": "to convergence"},
)
CONTROLS = (WIDTH, SCORE, TRAINED)
LABELS = {"nll": "Held-out NLL (nats per image)", "accuracy": "Held-out accuracy", "auroc": "AUROC of shuffled digits"}

TRUE_NOISE = 1.0
SETTLED = 0.02  # a rate that moves less than this over the last fifth of a training

HONEST = """
**How to read it.** A rate's logit moves by about one learning rate a step, and p started at 0.1. N ≤ 1,000 got 2,000,
2,000, 1,500, 1,000 and 1,000 steps: there the published curve of p against N counts optimiser steps (dotted), not data.
"""


# Width against rate ---------------------------------------------------------------------------------------------------


def show_widths() -> Shown | None:
    """A held-out score of MC dropout against its rate at every width, with the rate that concrete dropout learned."""
    found = views_keep.found(WIDTHS_FILE, "concrete_rate")
    if found is None:
        return None
    extra, score = found[1], SCORE.present()
    widths = extra["widths"].tolist()
    chosen = widths.index(int(WIDTH.present()))
    rates, scores = extra["rates"].astype(float), extra[score].astype(float)
    learned, reached = extra["concrete_rate"][..., 1].astype(float), extra[f"concrete_{score}"].astype(float)
    fig = plots.score_against_rate(
        rates,
        scores,
        widths,
        chosen=chosen,
        concrete=(learned, reached),
        label=LABELS[score],
        y_range=_score_range(scores, reached, score),
        lower_is_better=score == "nll",
        theme=present_theme(),
    )
    best = _best(scores, score)[:, chosen]
    at = f"best at p = {rates[best].mean():.2f}, learned {learned.mean(0)[chosen]:.2f}"
    alt = f"{LABELS[score]} against dropout rate; {at}."
    figure(fig, key="width_against_rate", alt=alt)
    at_best = np.take_along_axis(scores[:, chosen], best[:, None], 1).mean()
    numbers(
        [
            ("Best rate of the grid", _spread(rates[best]), "Mean ± sd over three seeds, each with its own best rate."),
            ("Learned rate", _spread(learned[:, chosen]), "One rate for all hidden units, mean ± sd over seeds."),
            (f"{_short(score)} at the best rate", f"{at_best:.3f}", "Mean over seeds of each seed's best."),
            (f"{_short(score)}, concrete", _spread(reached[:, chosen], 3), "Pixels are dropped too."),
        ]
    )
    return Shown(
        (mc_dropout.build, concrete_dropout.kl_to_prior, length_scale.weight_decay_for),
        (study.widths, study.held_out, plots.score_against_rate),
        "from bdlviz.topics.digits.concrete_dropout import study\n\nfit, extra = study.widths()  # some minutes\n"
        f"print(extra['rates'], extra[{score!r}].mean(0), extra['concrete_rate'].mean(0))",
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


def _spread(values: Array, digits: int = 2) -> str:
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1):.{digits}f}"


# The authors' study ---------------------------------------------------------------------------------------------------


def show_authors() -> Shown | None:
    """Learned rates, aleatoric and epistemic standard deviation against N, beside what the authors published."""
    kind = TRAINED.present()
    found = views_keep.found(AUTHORS_FILES[kind], "narrow_rates")
    if found is None:
        return None
    extra = found[1]
    num_data = extra["num_data"].astype(float)
    fig = plots.against_setting(
        num_data, _authors_panels(extra), x_label="Data points N", theme=present_theme(), stacked=is_narrow()
    )
    figure(fig, key="authors_study", alt=_describe_authors(extra))
    st.markdown(HONEST if kind == "published" else _settled_words(extra))
    width = "wide" if "wide_rates" in extra else "narrow"
    rates = extra[f"{width}_rates"].mean(0)[:, 1:].mean(1)
    last = extra["num_data"].tolist()
    numbers(
        [
            (f"Hidden p, N = {last[0]:,}", f"{rates[0]:.2f}", "Published: 0.40."),
            (f"Hidden p, N = {last[-1]:,}", f"{rates[-1]:.2f}", "Published: 0.157."),
            ("Aleatoric sd, largest N", f"{extra[f'{width}_aleatoric'].mean(0)[-1]:.2f}", "Published: 1.13; truth 1."),
            ("Epistemic sd, largest N", f"{extra[f'{width}_epistemic'].mean(0)[-1]:.2f}", "Published: 0.53."),
        ]
    )
    name = "authors_published" if kind == "published" else "authors_settled"
    return Shown(
        (relaxation.fastest_rate, HeteroscedasticGaussian, concrete_dropout.kl_to_prior),
        (authors_study.authors_data, authors_study.fit_in_own_units, plots.against_setting),
        f"from bdlviz.topics.digits.concrete_dropout import study\n\nfit, extra = study.{name}()  # some minutes\n"
        "print(extra['num_data'], extra['narrow_rates'].mean(0))",
    )


def _authors_panels(extra: dict[str, Array]) -> list[Panel]:
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


def _describe_authors(extra: dict[str, Array]) -> str:
    rates = extra["narrow_rates"][..., 1:].mean((0, 2))
    told = ", ".join(f"{rate:.2f} at N = {count:,}" for count, rate in zip(extra["num_data"], rates, strict=True))
    return f"Dropout rates of hidden layers against N: {told}."


def _settled_words(extra: dict[str, Array]) -> str:
    """How far the rates still moved over the last fifth of the training."""
    path = extra["narrow_path"]
    moved = np.abs(path[..., -1, :] - path[..., -1 - study.NUM_MOMENTS // 5, :]).max()
    steps = int(extra["num_steps"][0])
    verdict = "they have settled" if moved < SETTLED else "they still move a little"
    return (
        f"**To convergence.** {steps:,} steps for every N, at a quarter of the authors' width: over the last fifth no "
        f"rate moved by more than {moved:.3f}, so {verdict}. Rings are the published values, after fewer steps."
    )


# Two claims -----------------------------------------------------------------------------------------------------------


def tabs() -> dict[str, Callable[[], None]]:
    """What else there is."""
    return {"Two claims": show_claims}


def show_claims() -> None:
    """“Large nets push p to .5” and “over-parameterised nets give better uncertainty”, with the measured numbers."""
    found = views_keep.found(WIDTHS_FILE, "concrete_rate")
    if found is None:
        return
    extra = found[1]
    rates = extra["rates"].astype(float)
    best = rates[extra["nll"].argmin(-1)]
    at_best = {name: _at_best(extra, name) for name in ("nll", "auroc")}
    rate_panel = Panel(
        "Dropout rate",
        "p",
        (0.0, 0.95),
        [
            Series("concrete dropout", extra["concrete_rate"][..., 1]),
            Series("concrete dropout, pixels", extra["concrete_rate"][..., 0], "muted", "dot"),
            Series("best of the grid", best, "mean", "dash"),
        ],
    )
    top = float(np.ceil(10 * max(at_best["nll"].max(), extra["concrete_nll"].max())) / 10)
    panels = [
        rate_panel,
        Panel("Held-out NLL", "nats per image", (0.0, top), _both(extra, at_best, "nll")),
        Panel("Shuffled digits found", "AUROC", (0.5, 1.0), _both(extra, at_best, "auroc")),
    ]
    widths = extra["widths"].astype(float)
    fig = plots.against_setting(widths, panels, x_label="Hidden units", theme=present_theme(), stacked=is_narrow())
    figure(fig, key="claims", alt=_first_claim(extra, best).replace("**", ""))
    st.markdown(f"{_first_claim(extra, best)}\n\n{_second_claim(extra, at_best)}")


def _both(extra: dict[str, Array], at_best: dict[str, Array], name: str) -> list[Series]:
    concrete = Series("concrete dropout", extra[f"concrete_{name}"])
    return [concrete, Series("best of the grid", at_best[name], "mean", "dash")]


def _at_best(extra: dict[str, Array], name: str) -> Array:
    """A score at each seed's and width's rate of lowest NLL, (R, W)."""
    return np.take_along_axis(extra[name], extra["nll"].argmin(-1)[..., None], -1)[..., 0]


def _first_claim(extra: dict[str, Array], best: Array) -> str:
    learned, widths = extra["concrete_rate"][..., 1], extra["widths"]
    return (
        f"**“Large networks push p to 0.5.”** Concrete dropout learned {_spread(learned[:, 0])} at {widths[0]} hidden "
        f"units and {_spread(learned[:, -1])} at {widths[-1]:,}; the rate of lowest held-out NLL is "
        f"{_spread(best[:, 0])} and {_spread(best[:, -1])}. So it is true of the learned rate, and no advice: the "
        "bound rewards the entropy of every further unit, while held-out digits ask for little dropout at any width."
    )


def _second_claim(extra: dict[str, Array], at_best: dict[str, Array]) -> str:
    widths = extra["widths"]
    nll, auroc = extra["concrete_nll"], extra["concrete_auroc"]
    return (
        f"**“Over-parameterised networks give better uncertainty.”** From {widths[0]} to {widths[-1]:,} hidden units "
        f"the held-out NLL of concrete dropout goes from {_spread(nll[:, 0], 3)} to {_spread(nll[:, -1], 3)}, of the "
        f"best rate from {_spread(at_best['nll'][:, 0], 3)} to {_spread(at_best['nll'][:, -1], 3)}; the AUROC of "
        f"finding shuffled digits by entropy goes from {_spread(auroc[:, 0])} to {_spread(auroc[:, -1])}. Beyond "
        "the narrowest network width buys no better uncertainty here: 320 training digits, one hidden layer, and the "
        "same prior (ℓ = 1) at every width and rate."
    )
