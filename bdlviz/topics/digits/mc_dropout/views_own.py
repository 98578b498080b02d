"""The visitor's own digit: drawn or uploaded, classified by every draw."""

from __future__ import annotations

import streamlit as st

from bdlviz import plots
from bdlviz.plots.images import scale_of
from bdlviz.topics.digits.mc_dropout import views_choice, views_source
from bdlviz.topics.digits.mc_dropout.views_source import Source
from bdlviz.topics.shared import own_digit
from bdlviz.types import Array
from bdlviz.ui.frame.images import sheet
from bdlviz.ui.frame.look import figure, present_theme

SIZE = 112  # px


def show(found: Source) -> None:
    """Let the visitor draw or upload a digit, and show what the draws make of it."""
    left, right = st.columns([1, 2], gap="large")
    with left:
        own_digit.ask("digit_sketch", "digit_upload")
    with right:
        if problem := st.session_state.get(own_digit.PROBLEM):
            st.error(problem)
        picture = views_choice.own_picture(found.shape)
        if picture is None:
            st.markdown("Draw a digit, or something that is none: do the draws agree on it?")
        else:
            _show_answer(found, picture)


def _show_answer(found: Source, picture: Array) -> None:
    prediction = found.predict(picture[None], int(views_source.NUM_SAMPLES.present()))
    draws = prediction.draws[:, 0]
    sheet(picture[None], 1, alt="Your digit in the data's form.", scale=scale_of(found.shape, SIZE))
    st.caption("Your digit in the data's form.")
    fig = plots.softmax_draws(
        draws,
        draws.mean(0),
        expected_entropy=float(prediction.expected_entropy[0]),
        mutual_information=float(prediction.mutual_information[0]),
        one_pass=None if prediction.one_pass is None else prediction.one_pass[0],
        theme=present_theme(),
        height=360,
    )
    figure(fig, key="own_draws", alt=plots.describe_softmax_draws(draws, draws.mean(0)))
    st.button("Take it to the picture above, to turn, blend or blur it", key="take_own", on_click=_take)


def _take() -> None:
    st.session_state[views_choice.DIGIT.key] = views_choice.OWN
