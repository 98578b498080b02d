"""Presenter mode: the controls that the notes of the current step name stand under the picture.

The column of controls is hidden there. A note names a control, one of its options, a scene, or a further picture in
italics, as in *Points seen N*.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import Any

import streamlit as st

from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import lecture, mode, prediction, scenes
from bdlviz.ui.model import Custom, Entry, Note, Page, Panel, Result, Setting, View, When, Widget, controls_in

NAME = re.compile(r"(?<![*\w])\*([^\s*](?:[^*]*[^\s*])?)\*(?![*\w])")  # italics in Markdown


def names(say: str) -> list[str]:
    """The names in the notes of a step, each once."""
    return list(dict.fromkeys(" ".join(found.split()) for found in NAME.findall(say)))


def controls(page: Page, view: View, setting: Setting) -> list[Control]:
    """The controls that the step names and that are neither primary nor among the parts of the picture."""
    menu = [page.menu] if page.menu is not None and not page.has_view_menu else []
    offered = [*menu, *_offered(view.controls, setting), *_offered(view.advanced, setting)]
    elsewhere = {control.key for control in (*controls_in(view.live), *view.inside)}
    return named([control for control in offered if control.key not in elsewhere], _names(page))


def row(page: Page, view: View, setting: Setting, result: Result | None) -> list[Control | Widget]:
    """What the step names, for the row of primary controls: controls, and buttons for scenes and other pictures."""
    wanted = _names(page)
    found: list[Control | Widget] = [*controls(page, view, setting)]
    titles = scenes.pictures(page, result) | {f"scene:{scene.name}": scene.title for scene in page.scenes}
    for index, (name, title) in enumerate(titles.items()):
        if title in wanted:
            look: dict[str, Any] = {"on_click": scenes.open_picture, "args": (page, name), "width": "stretch"}
            found.append(Widget(partial(st.button, title, key=f"docked_{index}", **look)))
    return found


def primary(page: Page, live: Sequence[Control | Widget]) -> list[Control | Widget]:
    """On a slide, those of the primary controls that its notes name, or else the first one; otherwise all of them."""
    under_way = lecture.present()
    if not mode.is_magnified() or under_way is None or not lecture.is_here(under_way[0].steps[under_way[1]]):
        return [*live]
    wanted = named([each for each in live if isinstance(each, Control)], _names(page))
    return [each for each in live if each in wanted] or [*live[:1]]


def named(offered: Sequence[Control], wanted: Iterable[str]) -> list[Control]:
    """The controls that some names stand for, in the order of the names.

    A name is the label of a control, its beginning, or the label of one of its options.
    """
    found: dict[str, Control] = {}
    for name in wanted:
        for matches in _meanings(name):
            if matching := [control for control in offered if matches(control)]:
                found |= {control.key: control for control in matching}
                break
    return list(found.values())


def _meanings(name: str) -> tuple[Callable[[Control], bool], ...]:
    """What a name can mean, the most exact meaning first."""
    return (
        lambda control: control.label == name,
        lambda control: control.label.startswith(f"{name} "),
        lambda control: name in control.names.values(),
    )


def _names(page: Page) -> list[str]:
    """The names in the notes of the current step; empty outside presenter mode and while a question is open."""
    under_way = lecture.present()
    if under_way is None or not mode.is_presenting() or prediction.is_open(page) is not None:
        return []
    step = under_way[0].steps[under_way[1]]
    return names(step.say) if lecture.is_here(step) else []


def _offered(entries: Sequence[Entry], setting: Setting) -> Iterator[Control]:
    """The controls that the column of controls shows at a setting."""
    for entry in entries:
        match entry:
            case Control():
                yield entry
            case When():
                if entry.holds(setting):
                    yield from _offered(entry.controls, setting)
            case Panel() | Custom():
                yield from _offered(entry.controls, setting)
            case Note():
                pass
