"""The tab *Your own digit*: drawn or uploaded, classified by every draw."""

from __future__ import annotations

import streamlit as st

from bdlviz import plots
from bdlviz.plots.images import scale_of
from bdlviz.topics.digits.mc_dropout.controls import DIGIT, NUM_SAMPLES, OWN
from bdlviz.topics.digits.mc_dropout.source import Source
from bdlviz.topics.digits.mc_dropout.views_sheet import own_picture
from bdlviz.topics.shared import own_digit
from bdlviz.types import Array
from bdlviz.ui.frame.render import show_parts
from bdlviz.ui.model import Figure, Part, Screen, Setting, Sheet, Widget, Words

SIZE = 112  # px


def tab(setting: Setting, screen: Screen, source: Source) -> list[Part]:
    """The tab of the page."""
    return [Widget(lambda: _show(setting, screen, source))]


def _show(setting: Setting, screen: Screen, source: Source) -> None:
    left, right = st.columns([1, 2], gap="large")
    with left:
        own_digit.ask("digit_sketch", "digit_upload")
    with right:
        if problem := st.session_state.get(own_digit.PROBLEM):
            st.error(problem)
        picture = own_picture(source.shape)
        if picture is None:
            st.markdown("Draw a digit, or something that is none: do the draws agree on it?")
        else:
            show_parts(prediction_of(setting, screen, source, picture))
            st.button("Take it to the picture above, to turn, blend or blur it", key="take_own", on_click=_take)


def prediction_of(setting: Setting, screen: Screen, source: Source, picture: Array) -> list[Part]:
    """The digit in the form of the data, and its class probabilities in every draw."""
    prediction = source.predict(picture[None], int(setting[NUM_SAMPLES]))
    draws = prediction.draws[:, 0]
    fig = plots.softmax_draws(
        draws,
        draws.mean(0),
        expected_entropy=float(prediction.expected_entropy[0]),
        mutual_information=float(prediction.mutual_information[0]),
        one_pass=None if prediction.one_pass is None else prediction.one_pass[0],
        theme=screen.theme,
        height=360,
    )
    told = "Your digit in the data's form."
    return [
        Sheet(picture[None], 1, told, scale_of(source.shape, SIZE)),
        Words(told),
        Figure("own_draws", fig, plots.describe_softmax_draws(draws, draws.mean(0))),
    ]


def _take() -> None:
    st.session_state[DIGIT.key] = OWN
