"""The page in the browser, and the server's fit of the same setting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any

import numpy as np
import streamlit as st
from streamlit.components import v2

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit
from bdlviz.methods import METHODS
from bdlviz.predictive import summaries
from bdlviz.topics.start.playground import sources
from bdlviz.topics.start.playground.asked import Asked, asked_of, text_of
from bdlviz.types import Array
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.jobs.obtain import fit_need
from bdlviz.ui.model import Custom, Formula, Obtained, Part, Result, Says, Screen, Setting, Widget, Words
from bdlviz.ui.scrub import base

ASKED = "playground_asked"  # session state: the last fit that the browser has asked for, as text
SHORT = {"hmc": "HMC on the server"}  # methods that answer for another one
DIGITS = 8  # of the numbers of an answer: the range of an axis is at least a thousandth of its largest number
SAYS = Says("Where functions differ, the network does not know.")  # until the browser has numbers
FORMULAS = (
    Formula(
        summaries.summarise_regression,
        "Curve: the blue bands are the spread of the sampled functions, the rest of the variance is noise.",
        {"f_s(x)": "sampled function s of S, in units of y", r"\tau^{-1}": "variance of the noise, σ²"},
    ),
    Formula(
        summaries.summarise_classification,
        "Classes: the entropy of the mean is what the sampled networks do not agree on, plus their mean entropy.",
        {"p_s": "class probabilities of sampled network s", r"\mathbb{I}[y, w]": "mutual information, in nats"},
    ),
    Formula(METHODS["deep_ensemble"].build, "Deep ensemble: every sampled function is one network, trained alone."),
)
OF_CODE = ("mc_dropout", "deep_ensemble", "bayes_by_backprop")
CODE = (*(METHODS[name].build for name in OF_CODE), summaries.summarise_regression)
# The view has the whole width: the column of controls is empty on this page.
STYLE = """
<style>
.st-key-frame > [data-testid="stHorizontalBlock"] > [data-testid="stColumn"]:first-child,
.st-key-frame > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] >
  [data-testid="stColumn"]:first-child { display: none; }
</style>
"""


@cache
def _view() -> Callable[..., Any]:
    return v2.component(
        "bdlviz_playground", html=sources.read("playground.html"), css=sources.css(), js=sources.module()
    )


@cache
def _answer() -> Callable[..., Any]:
    return v2.component("bdlviz_playground_answer", js=sources.read("answer.js"))


def playground(setting: Setting, screen: Screen, study: None) -> Result:
    """The view; below it the progress of a fit on the server, whose answer the view draws as an outline."""
    text = setting.text(ASKED)
    if not text:
        return Result([SAYS, Widget(_show_view)], FORMULAS, CODE)
    try:
        asked = asked_of(text)
    except InvalidInput as error:
        return Result([SAYS, Widget(_show_view), Words(str(error), "error")], FORMULAS, CODE)
    need = fit_need(asked.config, asked.dataset)
    parts = [SAYS, Widget(_show_view), Obtained(need, lambda fit: answer(asked, fit))]
    return Result(parts, FORMULAS, CODE, call=asked.call())


def answer(asked: Asked, fit: Fit) -> Sequence[Part]:
    """Hands the predictions of the server's fit to the view; those of chains when they have ended."""
    is_sampled = fit.spec.inference == "sampled"
    if is_sampled and not fit.is_done:
        return []  # chains that have not left their start say nothing
    predictive = fit.predict(asked.inputs(), asked.num_samples)
    told = {"of": asked.of, "by": SHORT.get(asked.config.method, "Server"), "mean": _plain(predictive.mean)}
    if asked.config.task == "regression":
        told["epistemic"] = _plain(predictive.epistemic_std)
    parts: list[Part] = [Widget(lambda: _answer()(key="playground_answer", data=told), is_picture=False)]
    if is_sampled and not fit.convergence(asked.inputs()).is_reached:
        parts.append(Words("The chains of the server do not agree yet, so that their answer is not exact."))
    return parts


def _plain(values: Array) -> tuple[float, ...]:
    """All numbers in row-major order. A tuple: Streamlit would try to read a list as a table."""
    return tuple(float(f"{value:.{DIGITS}g}") for value in np.ravel(values))


def _show_view() -> None:
    theme = present_theme()
    told = base.tokens(theme) | {"class_colors": " ".join(theme.classes)}
    base.mount(_view(), "playground", {"theme": told}, {}, commit)


def commit(event: dict[str, Any]) -> None:
    """Keep what the browser has asked for; runs before the page does."""
    st.session_state[ASKED] = text_of(event)


OF_BROWSER = Custom(
    lambda: st.html(STYLE),
    more=lambda: {ASKED: st.session_state.get(ASKED, "")},
)
