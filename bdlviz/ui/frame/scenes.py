"""The scenes of a page: the current one, buttons to choose one, and Reset."""

from __future__ import annotations

import streamlit as st

from bdlviz.ui.controls.control import set_controls
from bdlviz.ui.frame import lecture, prediction
from bdlviz.ui.model import Page, Scene
from bdlviz.ui.places import link


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
    """Show a button for each scene, and Reset."""
    if not page.controls:
        return
    with st.container(horizontal=True, key="scenes"):
        for scene in page.scenes:
            st.button(scene.title, key=f"scene_{scene.name}", on_click=choose, args=(page, scene))
        words = "Set all controls to their defaults."
        st.button("Reset", key="reset", on_click=reset, args=(page,), type="tertiary", help=words)


def say(page: Page) -> None:
    """Show one sentence on the current scene, and the verdict on a guess."""
    if not page.controls:
        return
    scene = shown(page)
    with st.container(key="says"):
        if scene is not None or lecture.present() is None:
            own = "Your own setting: the address of this page is the link to it."
            st.caption(scene.says if scene else own)
        if scene is not None and (told := prediction.verdict(page, scene)):
            st.markdown(told)
