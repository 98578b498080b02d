"""What of the first page is Streamlit code: the picture that redraws during a drag, and the cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from bdlviz.topics.start.home.first import SLIDERS, First
from bdlviz.ui.model import Custom, Setting, Widget
from bdlviz.ui.places import navigation, routes
from bdlviz.ui.scrub import grids, picture, switch
from bdlviz.ui.scrub.picture import Side, Slider

ABSENT = ("difference", "isEditable", "isOwn", "canUndo", "canCompare", "canPin")  # what this picture does without
CARDS_IN_A_ROW = 5


def moves(setting: Setting) -> bool:
    """True unless the browser failed to draw the picture."""
    return bool(setting.text(switch.MOVES))


def moving_picture(setting: Setting, study: First) -> Widget:
    """The picture in the browser; it has sliders where the whole grid of fits is there."""
    return Widget(lambda: _show_picture({control.key: setting[control] for control in SLIDERS}, study))


def _show_picture(at: dict[str, str], study: First) -> None:
    sliders = [Slider(control.key, control.label, control.options, at[control.key]) for control in SLIDERS]
    grid = grids.grid_block(study.fit.config, study.dataset) if study.has_grid else None
    picture.show(
        [Side(study.predict(), at, grid=grid)],
        study.dataset,
        sliders if study.has_grid else [],
        commit,
        key="first_picture",
        **dict.fromkeys(ABSENT, False),
        pinned=None,
    )


def commit(event: dict[str, Any]) -> None:
    """Keep what the visitor chose with a slider of the picture; runs before the page does."""
    picture.commit_values(event, SLIDERS)
    switch.note_failure(event)


# The sliders are in the picture: they are no controls of the page, and the link does not hold them.
OF_PICTURE = Custom(
    lambda: None,
    more=lambda: {
        **{control.key: control.present() for control in SLIDERS},
        switch.MOVES: "" if st.session_state.get(switch.FAILED) else "yes",
    },
)
WAY_IN = Custom(lambda: routes.link("start/lecture", "Or take the lecture: **the whole story in 45 minutes**"))


def cards(sentences: Mapping[str, str]) -> Widget:
    """A card for each page: its title is a link to it, and under it stands a sentence."""
    return Widget(lambda: _show_cards(sentences))


def _show_cards(sentences: Mapping[str, str]) -> None:
    pages = list(sentences)
    with st.container(key="doors"):
        for start in range(0, len(pages), CARDS_IN_A_ROW):
            row = pages[start : start + CARDS_IN_A_ROW]
            for place, page in zip(st.columns(CARDS_IN_A_ROW), row, strict=True):
                with place, st.container(border=True, height="stretch"):
                    routes.link(page, f"**{navigation.title(page)}**")
                    st.caption(sentences[page])
