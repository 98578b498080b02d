"""Which classes are shown and which images are chosen, in widgets that are no controls: buttons, a text, the map."""

from __future__ import annotations

import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.topics.generative.latent_space.chosen import rows_of
from bdlviz.topics.shared.autoencoders import CODES, IMAGES, PART
from bdlviz.ui.controls import picked
from bdlviz.ui.model import Custom, Setting, Widget
from bdlviz.ui.places import link

CLASSES = "classes"  # in the session state and in the link: the shown classes as digits, such as "479"
NUMBERS = "chosen_images"  # in the session state and in the link: numbers from 1, such as "7, 40-60"
PICKED = "picked_rows"  # in the setting: rows from 0 of the points that were clicked or encircled
ARRIVED = "arrived_with"  # session state: the link that brought about this run
MOST_TYPED = 200  # characters
WRAP = f"<style>.st-key-{CLASSES} [data-testid='stButtonGroup'] * {{ flex-wrap: wrap; }}</style>"


def map_key(images: str, codes: str, part: str) -> str:
    """The key of the map; another one for other codes, because rows chosen among some mean nothing among others."""
    return f"code_map_{images}_{codes.removesuffix('d')}_{part}"


def _read() -> dict[str, str]:
    """What is chosen, as the link says it or as the visitor set it last."""
    has_arrived = bool(st.session_state.get(ARRIVED))
    classes, numbers = st.session_state.get(CLASSES) or (), st.session_state.get(NUMBERS) or ""
    rows = picked.rows(map_key(IMAGES.present(), CODES.present(), PART.present()))
    return {
        CLASSES: _classes_in_link() if has_arrived else "".join(map(str, sorted(classes))),
        NUMBERS: _numbers_in_link() if has_arrived else numbers,
        PICKED: ",".join(map(str, rows)),
    }


def _classes_in_link() -> str:
    return "".join(sorted(set(link.arrived_with(CLASSES) or "") & set("0123456789")))


def _numbers_in_link() -> str:
    return (link.arrived_with(NUMBERS) or "")[:MOST_TYPED]


def classes_of(setting: Setting) -> tuple[int, ...]:
    """The classes to show; all where none is chosen."""
    return tuple(map(int, setting.text(CLASSES))) or tuple(range(10))


def picked_of(setting: Setting, count: int) -> list[int]:
    """The rows of the points that were clicked or encircled, each once."""
    rows = (int(row) for row in setting.text(PICKED).split(",") if row)
    return [row for row in dict.fromkeys(rows) if row < count]


def _choose_classes() -> None:
    if st.session_state.get(ARRIVED):
        st.session_state[CLASSES] = [int(digit) for digit in _classes_in_link()]
    st.html(WRAP)
    chosen = st.pills("Classes (none chosen: all)", range(10), selection_mode="multi", key=CLASSES)
    if chosen:
        link.add(CLASSES, "".join(map(str, sorted(chosen))))


CHOICE = Custom(_choose_classes, more=_read)  # small buttons; in the link unless all classes are shown


def number_field() -> Widget:
    """A text field for the numbers of images."""
    return Widget(_show_number_field, is_picture=False)


def _show_number_field() -> None:
    if st.session_state.get(ARRIVED):
        st.session_state[NUMBERS] = _numbers_in_link()
    numbers = st.text_input(
        "Images by number", key=NUMBERS, max_chars=MOST_TYPED, placeholder="7 or 40-60", help="Instead of the pointer."
    )
    if numbers:
        link.add(NUMBERS, numbers)


def problem(numbers: str, count: int) -> str:
    """One sentence for numbers that name no images, as Markdown; empty where they do."""
    try:
        rows_of(numbers, count)
    except InvalidInput as error:
        return link.plain(str(error))
    return ""
