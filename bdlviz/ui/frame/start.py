"""The line under the sentence: what the picture said before its sliders were moved."""

from __future__ import annotations

from dataclasses import replace

from bdlviz.ui.cache import Cache
from bdlviz.ui.frame.drag_frames import result_at
from bdlviz.ui.model import Page, Result, Screen, Setting, Stops, View, sentence_of
from bdlviz.ui.places import link

SENTENCES = Cache(1_000_000, 5_000)
COMPARED = "Opening picture: "
NOTHING = "&nbsp;"  # a line with text, which the browser can replace during a drag


def sentence(page: Page, view: View, setting: Setting, screen: Screen, result: Result) -> str:
    """What the view says with the controls of its picture at the start; empty if that would have to be computed."""
    stops = [part for part in result.parts if isinstance(part, Stops)]
    moved = {control.key for control in (*view.live_at(setting), *view.inside) if not setting.is_default(control)}
    moved |= {each.key for each in stops if each.chosen(setting) != each.chosen(Setting())}
    if not moved:
        return sentence_of(result.parts)
    values = {key: value for key, value in setting.values.items() if key not in moved}

    own = None if setting.own is None else setting.own.key
    key = (page.name, view.name, frozenset(values.items()), own, screen.is_narrow, screen.is_presenting)
    if (told := SENTENCES.find(key)) is None:
        found = result_at(view, replace(setting, values=values), screen)
        if found is None:
            return ""  # and asked again: somebody may compute it
        told = sentence_of(found.parts)
        SENTENCES.keep(key, told)
    return told


def line(start: str, present: str) -> str:
    """The sentence of the start, as Markdown, where the present one says something else; otherwise an empty line."""
    return NOTHING if start in ("", present) else link.plain(f"{COMPARED}{start}")
