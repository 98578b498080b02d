"""The scenes of a page: the current one, buttons to choose one, and Reset."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from bdlviz.ui.controls.control import set_controls
from bdlviz.ui.frame import lecture, prediction
from bdlviz.ui.model import Page, Scene
from bdlviz.ui.places import link

NUM_BUTTONS = 5  # scenes in sight; the others are in a menu
MORE = "scenes_more"  # key of the menu


def shown(page: Page) -> Scene | None:
    """The scene whose values the controls have, or None."""
    if (asked := prediction.is_open(page)) is not None:
        return asked
    present = link.settings(page.controls)
    return next((s for s in page.scenes if prediction.stands_at(s.values, present, page.controls)), None)


def choose(page: Page, scene: Scene) -> None:
    """Show a scene, or ask its question first (for use in a callback)."""
    prediction.drop()
    if scene.ask is not None:
        prediction.ask(page, scene, scene.values)
    else:
        set_controls(scene.values, page.controls)


def reset(page: Page) -> None:
    """Set all controls to their defaults (for use in a callback)."""
    prediction.drop()
    set_controls({}, page.controls)


def show_buttons(page: Page) -> None:
    """Show a button for each of the first scenes, a menu with the others, and Reset. The shown scene is marked."""
    if not page.scenes:
        return
    present = shown(page)
    with st.container(horizontal=True, key="scenes", vertical_alignment="center"):
        _show_scenes(page, page.scenes[:NUM_BUTTONS], present)
        if others := page.scenes[NUM_BUTTONS:]:
            is_marked = present in others
            title = f"More: {present.title}" if present is not None and is_marked else "More"
            with st.popover(title, key=MORE, type="primary" if is_marked else "secondary"):
                _show_scenes(page, others, present)
        words = "Set all controls to their defaults."
        st.button("Reset", key="reset", on_click=reset, args=(page,), type="tertiary", help=words)


def _show_scenes(page: Page, scenes: Sequence[Scene], present: Scene | None) -> None:
    for scene in scenes:
        kind = "primary" if scene is present else "secondary"
        st.button(scene.title, key=f"scene_{scene.name}", type=kind, on_click=choose, args=(page, scene))


def say(page: Page) -> None:
    """Show one sentence on the current scene, and the verdict on a guess."""
    if not page.scenes:
        return
    scene = shown(page)
    with st.container(key="says"):
        if scene is not None or lecture.present() is None:
            st.caption(scene.says if scene else "Custom setting: share the URL of this page.")
        if scene is not None and (verdict := prediction.verdict(page, scene)):
            st.markdown(verdict)
