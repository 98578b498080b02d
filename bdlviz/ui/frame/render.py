"""Rendering: the parts of a result on the page, one after another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import Any

import streamlit as st

from bdlviz.ui.controls.control import Control, written
from bdlviz.ui.frame import images, look, mode, room
from bdlviz.ui.frame.look import present_theme
from bdlviz.ui.jobs.obtain import obtain
from bdlviz.ui.model import (
    Below,
    Chooser,
    Columns,
    Custom,
    Figure,
    Folded,
    Later,
    Numbers,
    Obtained,
    Part,
    Says,
    Setting,
    Sheet,
    Stops,
    Table,
    Widget,
    Words,
    sentence_of,
)
from bdlviz.ui.places import link

PICTURES = (Figure, Sheet, Widget)
LEAST_BESIDE, WIDTHS_BESIDE = 250, (2, 1)  # in presenter mode, of a second figure beside the first one: height in px
STOPS = "live_stop"  # key of the container of a slider over stops
TABLE_STYLE = """
<style>
.published { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.published th, .published td { text-align: left; padding: 0.35rem 0.7rem 0.35rem 0; vertical-align: top;
  border-bottom: 1px solid rgba(128, 128, 128, 0.25); }
.published th { font-weight: 600; }
.published th:first-child { width: 36%; }
.published td { min-width: 7rem; }
.published td:first-child { min-width: 12rem; }
.published code { white-space: nowrap; font-size: 0.875em; }
.published a { color: LINK; }
.wide-table { overflow-x: auto; }
</style>
"""


def show_main_parts(parts: Iterable[Part], live: Sequence[Control | Widget] = (), taken: int = 0) -> int | None:
    """Put the parts of a view on the page. The first picture is fitted to the window.

    The ``live`` controls are at `Below`, or else after the first picture. ``taken`` is the height in px that something
    above the picture needs, such as a question. Returns the height in px that the first picture may have; None on a
    phone.
    """
    parts = _for_a_room(list(parts)) if mode.is_magnified() else list(parts)
    is_placed = not live or any(isinstance(part, Below) for part in parts)
    main = next((part for part in parts if has_picture(part)), None)
    has_sliders = bool(live) or any(isinstance(part, Stops) for part in parts)
    available = room.available(has_sliders, sentence_of(parts), taken)
    for part in parts:
        if isinstance(part, Below):
            _show_live(live)
        else:
            show_part(part, available if part is main else None)
        if not is_placed and part is main:
            _show_live(live)
            is_placed = True
    if not is_placed:
        _show_live(live)
    return available


def _for_a_room(parts: list[Part]) -> list[Part]:
    """The parts in presenter mode: two figures side by side, the sliders directly under them."""
    main = next((index for index, part in enumerate(parts) if has_picture(part)), None)
    if main is None:
        return parts
    first, others = parts[main], parts[main + 1 :]
    second = others[0] if others else None
    drawn: Any = second.figure if isinstance(second, Figure) else None
    height = 0 if drawn is None else drawn.layout.height or mode.UNSET_HEIGHT
    if isinstance(first, Figure) and isinstance(second, Figure) and height >= LEAST_BESIDE:
        first, others = Columns(((first,), (second,)), WIDTHS_BESIDE, gap="small"), others[1:]
    at_once = [part for part in others if isinstance(part, Below | Stops)]
    later = [part for part in others if not isinstance(part, Below | Stops)]
    return [*parts[:main], first, *at_once, *later]


def show_parts(parts: Iterable[Part], available: int | None = None) -> None:
    """Put parts on the page; pictures are fitted to the ``available`` height in px."""
    for part in parts:
        show_part(part, available)


def has_picture(part: Part) -> bool:
    """True for a picture, and for columns that hold one."""
    if isinstance(part, Columns):
        return any(has_picture(each) for column in part.columns for each in column)
    return isinstance(part, PICTURES) and not (isinstance(part, Widget) and not part.is_picture)


def _show_live(live: Sequence[Control | Widget]) -> None:
    """Show the primary controls side by side."""
    if not live:
        return
    with st.container(key="live"):
        for place, control in zip(st.columns(len(live), gap="medium", vertical_alignment="bottom"), live, strict=True):
            with place:
                control.show()


def show_part(part: Part, available: int | None = None) -> None:
    """Put one part on the page; a picture is fitted to the ``available`` height in px."""
    match part:
        case Figure() if part.on_select is not None:
            options = {"on_select": part.on_select, "selection_mode": part.selection_mode}
            look.figure(part.figure, key=part.key, alt=part.alt, available=available, **options)
        case Figure():
            look.figure(part.figure, key=part.key, alt=part.alt, available=available)
        case Sheet():
            images.sheet(part.images, part.columns, alt=part.alt, scale=part.scale, width=part.width)
        case Words(text, "caption"):
            st.caption(text)
        case Words(text, "markdown"):
            st.markdown(text)
        case Words(text, "info"):
            st.info(text)
        case Words(text, "warning"):
            st.warning(text)
        case Words(text, _):
            st.error(text)
        case Numbers():
            look.numbers([*part.values])
        case Table():
            html_table(part.heads, part.rows)
        case Folded():
            with st.expander(part.title):
                show_parts(part.parts)
        case Columns():
            places = st.columns(part.widths or len(part.columns), gap=part.gap, vertical_alignment=part.align)
            for place, parts in zip(places, part.columns, strict=True):
                with place:
                    show_parts(parts, available)
        case Chooser():
            _show_chooser(part)
        case Stops():
            _show_stops(part)
        case Later():
            show_parts(part.parts())
        case Obtained():
            obtain(part.need, lambda found: show_parts(part.parts(found)))
        case Widget() | Control():
            part.show()
        case Says():
            pass  # the frame shows it under the title


def _show_chooser(chooser: Chooser) -> None:
    values: list[Any] = []
    places = st.columns(len(chooser.fields))
    for place, field in zip(places, chooser.fields, strict=True):
        options = field.options(*values) if callable(field.options) else field.options
        default = options[0] if field.default is None else field.default
        if field.kind == "number":
            values.append(place.number_input(field.label, options[0], options[-1], default, key=field.key))
        else:
            values.append(place.select_slider(field.label, options, default, key=field.key))
    show_parts(chooser.parts(*values))


def _show_stops(part: Stops) -> None:
    said = st.session_state.get(part.key)
    st.session_state[part.key] = str(part.chosen(Setting({part.key: "" if said is None else str(said)})))
    with st.container(key=STOPS):
        stops = [*map(str, part.stops)]
        chosen = st.select_slider(part.label, stops, key=part.key, format_func=written, persist_state="page")
    if chosen != str(part.chosen(Setting())):
        link.add(part.key, chosen)


def stop_in_session(key: str, most: int) -> Custom:
    """An entry that reads the position of a slider over `Stops` from the session, at most ``most``."""

    def read() -> dict[str, str]:
        if (asked := link.whole_number(link.arrived_with(key), most)) is not None:
            st.session_state[key] = asked
        return {key: str(st.session_state.get(key, ""))}

    return Custom(lambda: None, more=read)


def html_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Show a table whose cells are HTML; on a phone it scrolls horizontally."""
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in heads)
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    table = f"<table class='published'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    theme = present_theme()
    style = TABLE_STYLE.replace("LINK", theme.text(theme.mean))
    st.html(f"{style}<div class='wide-table'>{table}</div>")
