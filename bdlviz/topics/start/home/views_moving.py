"""What of the first page is Streamlit code: the picture that redraws during a drag, and the cards."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from bdlviz.lectures import lectures
from bdlviz.topics.start.home.first import FAR, METHOD, SLIDER, SLIDERS, First, method_of, values_of
from bdlviz.ui.frame import window
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.model import Custom, Setting, Widget
from bdlviz.ui.places import link, navigation, routes
from bdlviz.ui.scrub import grids, picture, switch
from bdlviz.ui.scrub.picture import Side, Slider

# What this picture does without.
ABSENT = ("difference", "isEditable", "isOwn", "canUndo", "canCompare", "canPin", "hasPad")
CARDS_IN_A_ROW = 5
WITHOUT_CARD = (navigation.HOME, "start/lecture", "start/glossary", "results/status")  # pages of words
# The picture has the whole width: the column of controls is empty on this page.
STYLE = """
<style>
.st-key-question > :first-child { display: none; }
.st-key-claim { margin-top: 0.5rem; }
.st-key-frame { --canvas: 62vh; } /* on a slide: a row of buttons stands above the picture */
.st-key-doors { margin-top: 1.5rem; } /* the first screen ends with the slider */
.st-key-question h3 { font-size: 2rem !important; line-height: 1.2; }
.st-key-frame > [data-testid="stHorizontalBlock"] > [data-testid="stColumn"]:first-child,
.st-key-frame > [data-testid="stLayoutWrapper"] > [data-testid="stHorizontalBlock"] >
  [data-testid="stColumn"]:first-child { display: none; }
.st-key-first_method [data-testid="stWidgetLabel"] { display: none; }
.st-key-ways { row-gap: 0.4rem !important; }
.st-key-ways [data-testid="stPageLink-NavLink"] {
  border: 1px solid color-mix(in srgb, currentColor 30%, transparent); border-radius: 0.5rem; padding: 0.35rem 0.9rem;
}
.st-key-start_lecture [data-testid="stPageLink-NavLink"] { background: MEAN; border-color: MEAN; }
.st-key-start_lecture [data-testid="stPageLink-NavLink"] p { color: PAPER !important; font-weight: 600; }
[class*="st-key-card_"] { position: relative; gap: 0.35rem !important; }
[class*="st-key-card_"] [data-testid="stElementToolbar"] { display: none; }
[class*="st-key-card_"] img { border-radius: 0.4rem; border: 1px solid rgba(128, 128, 128, 0.25); width: 100%; }
[class*="st-key-card_"] [data-testid="stPageLink-NavLink"] { padding: 0; margin: 0; }
[class*="st-key-card_"] [data-testid="stPageLink-NavLink"]::after {
  content: ""; position: absolute; inset: 0; z-index: 1;
}
[class*="st-key-card_"] div:has([data-testid="stPageLink-NavLink"]),
[class*="st-key-card_"] [data-testid="stPageLink-NavLink"] { position: static !important; }
@media (max-width: 640px) {
  .st-key-question h3 { font-size: 1.45rem !important; }
  .st-key-claim { display: block; }
  .st-key-ways > :first-child { flex: 1 0 100% !important; }
  .st-key-doors [data-testid="stColumn"] { min-width: 44%; flex: 1 1 44%; }
}
</style>
"""


def _show_style() -> None:
    theme = present_theme()
    st.html(STYLE.replace("MEAN", theme.mean).replace("PAPER", theme.paper))


def _show_row() -> None:
    with st.container(key="ways", horizontal=True, vertical_alignment="bottom"):
        with st.container(width="stretch"):
            METHOD.show()
        with st.container(key="explore", width="content"):
            routes.link("regression/function_draws", "Explore the methods")
        with st.container(key="start_lecture", width="content"):
            name, story = next(iter(lectures().items()))
            first_step: dict[str, str] = dict(zip(link.LECTURE_KEYS, (name, "1"), strict=True))
            routes.link(story.steps[0].page, f"Start the lecture ({story.minutes:g} min)", first_step)


def switch_row() -> Widget:
    """The switch between methods, and the two ways into the explorer."""
    return Widget(_show_row)


def moves(setting: Setting) -> bool:
    """True unless the browser failed to draw the picture."""
    return bool(setting.text(switch.MOVES))


def moving_picture(setting: Setting, study: First) -> Widget:
    """The picture in the browser; it has a slider where the whole grid of fits is there."""
    return Widget(lambda: _show_picture(method_of(setting), values_of(setting), study))


def _show_picture(name: str, at: Mapping[str, str], study: First) -> None:
    control = SLIDER[name]
    slider = Slider(control.key, control.label, control.options, at[control.key], control.default)
    grid = None if study.grid is None else grids.block_of_grid(study.grid, study.dataset, None)
    picture.show(
        [Side(study.predict(), at, grid=grid)],
        study.dataset,
        [slider] if grid is not None else [],
        commit,
        key="first_picture",
        method=METHOD.name(name) if name != METHOD.default else "",
        pinned=None,
        told={"title": "", "reference": "", "at": FAR, "draws": "Each line: one function"},
        **dict.fromkeys(ABSENT, False),
    )


def commit(event: dict[str, Any]) -> None:
    """Keep what the visitor chose with a slider of the picture; runs before the page does."""
    picture.commit_values(event, SLIDERS)
    switch.note_failure(event)


# The switch is with the picture: it is no control of the page, and the link does not hold it.
OF_PICTURE = Custom(
    _show_style,
    more=lambda: {
        METHOD.key: METHOD.present(),
        switch.MOVES: "" if st.session_state.get(switch.FAILED) else "yes",
    },
)


def cards() -> Widget:
    """A card with a picture for each page that shows results, in the order of the navigation."""
    return Widget(_show_cards)


def _show_cards() -> None:
    every = [
        (name, f":gray[{section} ·] **{title}**" if section else f"**{title}**")
        for section, pages in navigation.SECTIONS.items()
        for name, title in pages
        if name not in WITHOUT_CARD
    ]
    with st.container(key="doors"):
        for start in range(0, len(every), CARDS_IN_A_ROW):
            row = every[start : start + CARDS_IN_A_ROW]
            for place, (page, label) in zip(st.columns(CARDS_IN_A_ROW), row, strict=False):
                with place, st.container(key=f"card_page_{page.replace('/', '_')}"):
                    routes.link(page, label)
                    if small := navigation.thumbnail(page, window.theme_kind()):
                        st.image(small, width="stretch", alt=f"Picture of the page {navigation.title(page)}")
