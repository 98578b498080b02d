"""The frame of every page: it draws what a `bdlviz.ui.model.Page` declares."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import partial
from typing import Any

import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import (
    arrival,
    derivation,
    details,
    docked,
    drag,
    footer,
    lecture,
    mode,
    on_page,
    prediction,
    room,
    scenes,
    start,
    steps,
    window,
)
from bdlviz.ui.frame.look import STYLE, present_theme
from bdlviz.ui.frame.redraw import redraw_first
from bdlviz.ui.frame.render import show_main_parts, show_parts
from bdlviz.ui.jobs.obtain import obtain, obtain_all
from bdlviz.ui.model import (
    Custom,
    Entry,
    Need,
    Note,
    Page,
    Panel,
    Result,
    Screen,
    Setting,
    View,
    When,
    Words,
    customs_in,
    sentence_of,
)
from bdlviz.ui.places import link

MOST_ABOVE_TRIES = 3  # entries in the column of controls with room under them for what to try


@dataclass(frozen=True)
class Places:
    """The containers of a page, to be used with ``with``.

    ``menu`` is None on a page without scenes and tabs, ``start`` where no sentences are compared.
    """

    says: Any
    start: Any
    menu: Any
    controls: Any
    picture: Any
    below: Any


def show(page: Page) -> None:
    """Draw a page: heading, scenes, the controls of the chosen view, its picture, and the tabs."""
    places = open_frame(page)
    view = page.view(present_setting(page))
    is_beside = _has_room(view, present_setting(page))
    with places.controls:
        _show_controls(page, view)
        if is_beside:
            footer.show_tries(page)
    with places.picture:
        result = redraw_first(lambda: draw(page, view, places)) if view.is_fragment else draw(page, view, places)
    if places.menu is not None:
        with places.menu:
            scenes.show_menu(page, result)
    details.note_in_link(page, result)
    with places.below:
        if page.below is not None:
            show_parts(page.below(present_setting(page)))
        if result is None and view.about is not None:
            result = view.about(present_setting(page))
        if result is not None and page.has_tabs:
            footer.show(page, result, has_tries=not is_beside)
        elif result is not None and result.call:
            footer.show_exports(page, result.call)
        if page.at_end is not None:
            show_parts(page.at_end(present_setting(page)))
    close_frame(page)


def draw(page: Page, view: View, places: Places) -> Result | None:
    """Obtain what a view needs, draw it, and say what it shows. Returns the last drawn result, or None.

    While something is computed, the page has no sentence: the part that is redrawn meanwhile cannot write there.
    """
    setting = present_setting(page)
    screen = Screen(present_theme(), window.is_narrow(), mode.is_presenting())
    drawn: list[Result] = []
    sentence = at_start = ""

    def show_result(study: Any, is_final: bool = True) -> None:
        nonlocal sentence, at_start
        drawn[:] = [view.draw(setting, screen, study)]
        detail = details.chosen(page, drawn[0])
        named = docked.row(page, view, setting, drawn[0])
        asked = prediction.height(page)
        parts = drawn[0].parts if detail is None else detail()
        sentence = sentence_of(parts) if is_final else ""
        if detail is None:
            available = show_main_parts(parts, [*docked.primary(page, view.live_at(setting)), *named], asked)
            if is_final and places.start is not None:
                at_start = start.sentence(page, view, setting, screen, drawn[0])
            drag.mount(page, view, setting, screen, drawn[0], available, at_start)
        else:
            show_main_parts(parts, named, asked)

    try:
        need = view.needs(setting) if view.needs is not None else None
        if isinstance(need, Need):
            obtain(need, show_result, while_computing=partial(show_result, is_final=False))
        elif need is not None and len(need) == 1:
            obtain(
                need[0], lambda found: show_result([found]), while_computing=lambda found: show_result([found], False)
            )
        elif need is not None:
            obtain_all(need, show_result, while_computing=partial(show_result, is_final=False))
        elif view.needs is None:
            show_result(None)
    except InvalidInput as error:
        st.error(str(error))
    _say(page, places, sentence, at_start)
    return drawn[0] if drawn else None


def present_setting(page: Page) -> Setting:
    """The setting of the page in this session: its controls, other choices, and the visitor's own points."""
    values = {control.key: control.present() for control in page.controls}
    for view in page.views:
        for custom in customs_in((*view.controls, *view.advanced)):
            values |= custom.more()
    return Setting(values, data_choice.present_own_points())


def _show_controls(page: Page, view: View) -> None:
    setting, menu = present_setting(page), page.menu
    elsewhere = {control.key for control in docked.controls(page, view, setting)}
    if menu is not None and not page.has_view_menu and menu.key not in elsewhere:
        menu.show()
    _show_entries(view.controls, setting, elsewhere)
    if view.advanced:
        with st.expander("More settings"):
            _show_entries(view.advanced, setting, elsewhere)


def _has_room(view: View, setting: Setting) -> bool:
    """True where the column of controls is not empty, and what to try fits under it."""
    shown = [entry for entry in view.controls if not isinstance(entry, When) or entry.holds(setting)]
    has_own_code = any(isinstance(entry, Custom) for entry in shown)
    return 0 < len(shown) + bool(view.advanced) <= MOST_ABOVE_TRIES and not has_own_code


def _show_entries(entries: Sequence[Entry], setting: Setting, elsewhere: Set[str]) -> None:
    """Show the entries, without the controls whose keys are in ``elsewhere``: those stand under the picture."""
    for entry in entries:
        match entry:
            case Control():
                if entry.key not in elsewhere:
                    entry.show()
            case When():
                if entry.holds(setting):
                    _show_entries(entry.controls, setting, elsewhere)
            case Panel():
                with st.expander(entry.title, expanded=entry.is_open()):
                    _show_entries(entry.controls, setting, elsewhere)
            case Custom():
                if elsewhere.isdisjoint(control.key for control in entry.controls):
                    entry.show()
            case Note():
                if text := entry.says(setting):
                    show_parts([Words(text, entry.kind)])


# The frame around it --------------------------------------------------------------------------------------------------


def open_frame(page: Page) -> Places:
    """Show the title and the scenes; returns the containers of the controls and the picture."""
    st.html(STYLE)
    on_page.begin()
    derivation.begin(page.derivation)
    remarks = arrival.arrive(page)
    lecture.note_in_link()
    theme = present_theme()
    mode.show_style(page.controls, theme.paper, theme.grid)
    says, compared = _show_heading(page)
    link.warn("settings", remarks)
    menu = scenes.show_row(page)
    asked = prediction.is_open(page)
    is_covered = asked is not None and prediction.covers(asked)
    if asked is not None and not is_covered:
        prediction.show(page, asked)
    with st.container(key="frame"):
        controls, picture = st.columns([1, 2.9], gap="medium")
    if asked is not None and is_covered:
        with picture:
            prediction.show(page, asked)
        picture = picture.container(key=prediction.COVERED)
    return Places(says, compared, menu, controls.container(), picture, st.container(key="below"))


def _say(page: Page, places: Places, sentence: str, at_start: str) -> None:
    """Show the sentence and the sentence of the start, and tell the style sheets how much height is left.

    ``at_start`` is empty where it is not known.
    """
    setting = present_setting(page)
    view = page.view(setting)
    has_row = mode.is_magnified() and bool(view.live_at(setting) or docked.controls(page, view, setting))
    if places.start is not None:
        places.start.markdown(start.line(at_start, sentence))
    with places.says:
        st.html(room.style(present_theme().paper, has_row, sentence))
    scenes.say(page, places.says, sentence)


def close_frame(page: Page) -> None:
    """Write the link to the state of the page, and release its pictures."""
    link.write(page.title, page.controls)
    on_page.end()


def _show_heading(page: Page) -> tuple[Any, Any]:
    """Show title, question, buttons and claim; returns the containers of the sentence and of that of the start.

    A slide has the title of its step. An open question hides the claim, which could give the answer.
    """
    presents, under_way = mode.is_presenting(), lecture.present()
    step = under_way[0].steps[under_way[1]] if presents and under_way is not None else None
    with st.container(key="heading", horizontal=True, vertical_alignment="bottom"):
        with st.container(key="question"):
            st.caption(page.title)
            st.subheader(step.title if step is not None and lecture.is_here(step) else page.question, anchor=False)
        if not steps.is_bar():
            steps.show_bar(page)
    if steps.is_bar():
        steps.show_bar(page)
    if not page.claim or presents or prediction.is_open(page) is not None:
        return st.container(key="says"), None
    with st.container(key="claim"):
        st.markdown(page.claim)
    return st.container(key="says"), st.container(key="at_start")
