"""The scenes of a page: the current one, buttons to choose one, the menu *Other pictures*, and Reset."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bdlviz.ui.controls.control import set_controls
from bdlviz.ui.frame import details, on_page, prediction
from bdlviz.ui.model import Page, Result, Scene
from bdlviz.ui.places import link

NUM_BUTTONS = 6  # scenes in sight; the others are in the menu
PICTURES = "pictures"  # key of the menu


def shown(page: Page) -> Scene | None:
    """The scene whose values the controls have, or None."""
    if (asked := prediction.is_open(page)) is not None:
        return asked
    if details.asked():
        return None
    present = link.settings(page.controls)
    return next((s for s in page.scenes if prediction.stands_at(s.values, present, page.controls)), None)


def choose(page: Page, scene: Scene) -> None:
    """Show a scene, or ask its question first (for use in a callback)."""
    prediction.drop()
    details.ask_for("")
    if scene.ask is not None:
        prediction.ask(page, scene, scene.values)
    else:
        set_controls(scene.values, page.controls)


def reset(page: Page) -> None:
    """Set all controls to their defaults (for use in a callback)."""
    prediction.drop()
    details.ask_for("")
    set_controls({}, page.controls)


def show_row(page: Page) -> Any:
    """Show a button for each of the first scenes, and Reset; returns the container of the menu, None without a row."""
    if not (page.scenes or page.has_tabs or page.menu):
        return None
    present = shown(page)
    with st.container(horizontal=True, key="scenes", vertical_alignment="center"):
        for scene in page.scenes[:NUM_BUTTONS]:
            kind = "primary" if scene is present else "secondary"
            st.button(scene.title, key=f"scene_{scene.name}", type=kind, on_click=choose, args=(page, scene))
        menu = st.container(width="content")
        if page.controls:
            words = "Set all controls to their defaults."
            st.button("Reset", key="reset", on_click=reset, args=(page,), type="tertiary", help=words)
    return menu


# The menu -------------------------------------------------------------------------------------------------------------


def pictures(page: Page, result: Result | None) -> dict[str, str]:
    """The entries of the menu, name -> title: scenes without a button, the views, and the further pictures."""
    scenes = {f"scene:{scene.name}": scene.title for scene in page.scenes[NUM_BUTTONS:]}
    further = {f"detail:{title}": title for title in details.of_page(page, result)}
    views = {f"view:{view.name}": view.title for view in page.views} if page.has_view_menu or further else {}
    return scenes | views | further


def open_picture(page: Page, name: str) -> None:
    """Show an entry of the menu (for use in a callback)."""
    kind, _, found = name.partition(":")
    if kind == "scene":
        choose(page, next(scene for scene in page.scenes if scene.name == found))
        return
    prediction.drop()
    details.ask_for(found if kind == "detail" else "")
    if kind == "view" and page.menu is not None and page.has_view_menu:
        st.session_state[page.menu.key] = found


def show_menu(page: Page, result: Result | None) -> None:
    """Show the menu, if there is something to choose. It is marked while it holds the picture that is shown."""
    titles = pictures(page, result)
    if not titles:
        return
    present = shown(page)
    is_marked = bool(details.asked()) or (present is not None and present not in page.scenes[:NUM_BUTTONS])
    kind = "primary" if is_marked else "secondary"

    def open_chosen() -> None:
        if (name := st.session_state[PICTURES]) is not None:
            open_picture(page, name)

    label = "Other pictures" if page.scenes else "More"  # such as lists of a page of words
    st.menu_button(label, [*titles], format_func=titles.__getitem__, key=PICTURES, type=kind, on_click=open_chosen)


# The sentence ---------------------------------------------------------------------------------------------------------


def say(page: Page, place: Any, sentence: str) -> None:
    """Show the sentence of what is drawn, or else that of the current scene, and the verdict on a guess.

    While a question is open there is none, because it would give the answer.
    """
    if prediction.is_open(page) is not None:
        return
    scene = shown(page)
    told = sentence or (scene.says if scene is not None else "")
    on_page.note_sentence(told)
    with place:
        if told:
            st.markdown(link.plain(told))
        if scene is not None and (verdict := prediction.verdict(page, scene)):
            st.markdown(verdict)
