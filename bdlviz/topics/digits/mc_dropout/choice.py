"""Which digit is shown: one of the held-out images by class and order, or the visitor's own."""

from __future__ import annotations

import base64
from dataclasses import dataclass

import numpy as np

from bdlviz.topics.digits.mc_dropout.controls import ALL, CLASS, DIGIT, FIRST, ORDER, OWN, PLACE
from bdlviz.topics.digits.mc_dropout.source import HeldOut, Source
from bdlviz.types import Array
from bdlviz.ui.model import Setting

UNCERTAIN, TINY = 8, 1e-12  # one of so many images counts as uncertain; nats that may be divided by
OWN_PICTURE = "own_picture"  # in the setting: the visitor's digit as `to_text` writes it, empty where there is none


@dataclass(frozen=True, eq=False)
class Chosen:
    """The picture that is shown, before any change; ``remark`` says why it is not the one that was asked for."""

    picture: Array  # (height, width)
    label: int | None  # None for the visitor's own
    row: int | None
    remark: str = ""

    @property
    def name(self) -> str:
        """What the page calls it."""
        return "Your own digit" if self.row is None else f"Image {self.row + 1}"


def ordered(held_out: HeldOut, order: str, label: str) -> Array:
    """Rows of the held-out images of a class (or of all) in an order; empty where there is no such image."""
    rows = of_class(held_out.labels, label)
    if order == "data":
        return rows
    if order == "wrong":
        rows = rows[held_out.is_wrong[rows]]
    if order == "ignorance":
        most = np.argsort(-held_out.predictive_entropy[rows], kind="stable")
        rows = rows[most[: -(-len(rows) // UNCERTAIN)]]
    by = {
        "ignorance": held_out.expected_entropy / np.maximum(held_out.predictive_entropy, TINY),
        "uncertain": -held_out.predictive_entropy,
        "disagreement": -held_out.mutual_information,
        "noise": -held_out.expected_entropy,
        "confident": held_out.predictive_entropy,
        "wrong": -held_out.mean.max(1),
    }[order]
    return rows[np.argsort(by[rows], kind="stable")]


def rows_of(setting: Setting, source: Source) -> Array:
    """The held-out rows of the sheet; as the data come while the network still trains."""
    if not source.is_done:
        return of_class(source.labels, setting[CLASS])
    return ordered(source.held_out, setting[ORDER], setting[CLASS])


def of_class(labels: Array, label: str) -> Array:
    """The rows of the images of a class, or of all."""
    return np.arange(len(labels)) if label == ALL else np.flatnonzero(labels == int(label))


def at_places(setting: Setting, rows: Array) -> Array:
    """Those of ``rows`` at every stop of the slider over places, (T,)."""
    places = np.array(PLACE[setting[ORDER]].options, float)
    return rows[np.round(places / 100 * (len(rows) - 1)).astype(int)]


def place(setting: Setting) -> int:
    """The index of the chosen place among the stops of its slider."""
    control = PLACE[setting[ORDER]]
    return control.options.index(setting[control])


def choose(setting: Setting, source: Source, rows: Array) -> Chosen:
    """The chosen picture; where there is none such, the one of ``rows`` at the chosen place."""
    digit, remark = setting[DIGIT], ""
    if digit == OWN:
        if said := setting.text(OWN_PICTURE):
            return Chosen(from_text(said, source.shape), None, None)
        remark = "Draw a digit in the field, or upload a picture. Until then the figure shows the first held-out image."
    elif digit != FIRST:
        row = int(digit) - 1
        if row < len(source.labels):
            return _held_out(source, row)
        remark = f"There are only {len(source.labels)} held-out images. This is the one at the slider."
    return _held_out(source, int(at_places(setting, rows)[place(setting)]) if len(rows) else 0, remark)


def _held_out(source: Source, row: int, remark: str = "") -> Chosen:
    return Chosen(source.pictures[row], int(source.labels[row]), row, remark)


def to_text(digit: Array) -> str:
    """A picture as text: its pixels in base 64."""
    return base64.b64encode(digit.astype(np.float32).tobytes()).decode()


def from_text(said: str, shape: tuple[int, int]) -> Array:
    """The picture that `to_text` has written."""
    return np.frombuffer(base64.b64decode(said), np.float32).reshape(shape)


def describe(source: Source, row: int) -> str:
    """One line about a held-out image, for the pointer."""
    held_out = source.held_out
    answer = int(held_out.mean[row].argmax())
    return (
        f"image {row + 1}, label {source.labels[row]}<br>"
        f"prediction {answer} ({100 * held_out.mean[row, answer]:.0f} %)<br>"
        f"entropy {held_out.predictive_entropy[row]:.2f} nats, {held_out.mutual_information[row]:.2f} between draws"
    )
