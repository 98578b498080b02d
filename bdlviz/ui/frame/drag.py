"""Pictures that follow a dragged slider: what the browser needs to show the frames of the primary sliders."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.components import v2

from bdlviz.ui.frame import derivation, prediction, start
from bdlviz.ui.frame.drag_frames import Recipe, note, told
from bdlviz.ui.frame.drag_routes import plotly_address, root
from bdlviz.ui.frame.render import has_picture
from bdlviz.ui.model import Columns, Page, Part, Result, Screen, Setting, Stops, View, Widget

CLIENT = Path(__file__).resolve().parents[1] / "client" / "drag"
SCRIPTS = ("frames", "picture", "play", "main")
KEY = "drag"
LOADED = "drag_is_loaded"  # session state: pages whose first frames were fetched without a touch


@cache
def _component() -> Callable[..., Any]:
    def read(name: str) -> str:
        return (CLIENT / name).read_text(encoding="utf-8")

    script = "\n".join(read(f"{name}.js") for name in SCRIPTS)
    # Plotly puts its style sheet into the page, so overlays must be part of the page.
    return v2.component("bdlviz_drag", css=read("drag.css"), js=script, isolate_styles=False)


def mount(
    page: Page, view: View, setting: Setting, screen: Screen, result: Result, available: int | None, at_start: str
) -> None:
    """Let the browser show the frames of the primary sliders of a view while they are dragged.

    ``available`` is the height in px that the page has given to the main picture; None on a phone. ``at_start`` is the
    sentence that stands under that of a frame which says something else.
    """
    if prediction.is_open(page) is not None or derivation.traces_in_focus():
        return  # the picture is covered, or a step of the derivation dims a part of it
    main = next((part for part in result.parts if has_picture(part)), None)
    if isinstance(main, Widget):
        return  # a view in the browser, which no frame can show
    sliders = [*_sliders(view, setting, result.parts)]
    if not sliders:
        return
    given = []
    for key, stops, value, plays in sliders:
        recipe = Recipe(page.name, view, key, stops, setting, screen, available)
        given.append({"key": key, "token": note(recipe), "index": stops.index(value), "plays": plays})
    seen = st.session_state.setdefault(LOADED, set())
    places = {"plotly": plotly_address(), "root": root(), "isPrefetched": page.name not in seen}
    lines = {"start": at_start, "compared": f"{start.COMPARED}{at_start}"}
    data = {"sliders": given, "lines": lines, "told": told(result.parts), "isStill": screen.is_presenting, **places}
    seen.add(page.name)
    _component()(key=KEY, data=data)


def _sliders(view: View, setting: Setting, parts: Sequence[Part]) -> Iterator[tuple[str, Sequence[str], str, bool]]:
    """Key, stops, present stop of the primary sliders, and whether they play."""
    for control in view.live_at(setting):
        if control.kind == "slider":
            yield control.key, control.options, setting[control], control.plays
    for stops in _stops(parts):
        yield stops.key, [str(each) for each in stops.stops], str(stops.chosen(setting)), True


def _stops(parts: Sequence[Part]) -> Iterator[Stops]:
    for part in parts:
        if isinstance(part, Stops):
            yield part
        elif isinstance(part, Columns):
            for column in part.columns:
                yield from _stops(column)
