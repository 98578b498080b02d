"""The further picture *Accuracy against S*: does averaging over draws help?"""

from __future__ import annotations

import streamlit as st

from bdlviz import plots
from bdlviz.digits import number, percent
from bdlviz.topics.digits.mc_dropout.accuracy import Scores, answer, scores_of
from bdlviz.topics.digits.mc_dropout.source import Source
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Part, Says, Screen, Widget, Words

NOTHING_TO_AVERAGE = "This method has no draws beside one pass: choose a method with dropout to compare both."


def tab(screen: Screen, source: Source) -> list[Part]:
    """The further picture of the page; a spinner turns while scores are computed that are not shipped."""
    if not source.has_one_pass:
        return [Says(NOTHING_TO_AVERAGE)]
    with st.spinner("Predicting every held-out digit …", show_time=True):
        scores = scores_of(source)
    return curve(screen, source, scores)


def curve(screen: Screen, source: Source, scores: Scores) -> list[Part]:
    """The curve, four numbers and what they answer."""
    fig = plots.accuracy_by_samples(
        scores.samples, scores.accuracy, scores.spread, scores.accuracy_one_pass, theme=screen.theme
    )
    alt = f"Held-out accuracy against the number of draws, {100 * scores.accuracy[:, 0].mean():.1f} % with one draw."
    return [
        Says(sentence(scores)),
        Figure("accuracy_by_samples", fig, alt),
        Widget(lambda: _show_metrics(scores)),
        Words(answer(scores, source), "markdown"),
    ]


def sentence(scores: Scores) -> str:
    """Accuracy and likelihood of the mean of many draws beside one pass."""
    many, one = percent(scores.accuracy[:, -1].mean(), 3), percent(scores.accuracy_one_pass.mean(), 3)
    nll, before = number(scores.nll.mean()), number(scores.nll_one_pass.mean())
    return (
        f"The mean of {scores.samples[-1]:.0f} draws is right on {many}, one pass on {one}; the mean's negative "
        f"log-likelihood is {nll} instead of {before} nats."
    )


def _show_metrics(scores: Scores) -> None:
    """Four numbers that are not those of the main picture, and so not among the exports."""
    values = (
        ("Accuracy, one pass", _percent(scores.accuracy_one_pass), "Naive: no masks, mean weights."),
        (f"Accuracy, mean of {scores.samples[-1]:.0f}", _percent(scores.accuracy[:, -1]), "Mean ± sd over seeds."),
        ("NLL, one pass (nats)", _nats(scores.nll_one_pass), "Of the right class, per held-out digit."),
        ("NLL, mean of many (nats)", _nats(scores.nll), "Lower: its probabilities are better calibrated."),
    )
    for column, (label, value, help_text) in zip(st.columns(4), values, strict=True):
        column.metric(label, value, help=help_text)


def _percent(values: Array) -> str:
    spread = f" ± {100 * values.std(ddof=1):.1f}" if len(values) > 1 else ""
    return f"{100 * values.mean():.1f}{spread} %"


def _nats(values: Array) -> str:
    spread = f" ± {values.std(ddof=1):.3f}" if len(values) > 1 else ""
    return f"{values.mean():.3f}{spread}"
