"""What is done to the digit, and how far: turned, blended, moved, blurred, under noise, half hidden."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from bdlviz.data import shifts
from bdlviz.digits import number
from bdlviz.topics.digits.mc_dropout.choice import Chosen
from bdlviz.topics.digits.mc_dropout.controls import NUM_CLASSES
from bdlviz.topics.digits.mc_dropout.source import Source
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.model import Setting

NOTHING, BLEND, BLUR = "none", "blend", "blur"
PERCENT = tuple(range(0, 101, 5))

OTHER = Control(
    "other",
    "Blend with a",
    tuple(map(str, range(NUM_CLASSES))),
    "9",
    "menu",
    "The held-out image of this class with the lowest predictive entropy.",
)


@dataclass(frozen=True)
class Change:
    """One way to change pictures: its control, and what one of the control's values does.

    ``done`` says what was done, with ``{}`` for the value; ``place`` is the value with its unit. ``apply`` takes
    pictures (M, height, width), the value, and the picture to blend with; ``code`` is the same as Python for ``image``
    (1, height, width).
    """

    title: str
    done: str
    place: str
    control: Control
    apply: Callable[[Array, float, Array], Array]
    code: str


CHANGES: dict[str, Change] = {
    "rotate": Change(
        "Rotate",
        "Turned by {}°",
        "{}°",
        number_control("angle", "Angle (degrees)", range(0, 181, 10), 60, "Counter-clockwise."),
        lambda x, value, other: shifts.rotate(x, value),
        "shifts.rotate(image, {value})",
    ),
    BLEND: Change(
        "Blend with another",
        "With {}\N{NARROW NO-BREAK SPACE}% of another digit",
        "{}\N{NARROW NO-BREAK SPACE}%",
        number_control("mixed", "Share of the other (%)", PERCENT, 50, "0 is the digit itself, 100 the other one."),
        lambda x, value, other: shifts.blend(x, other[None], value / 100),
        "shifts.blend(image, other, {value} / 100)",
    ),
    "move": Change(
        "Move",
        "Moved right by {}\N{NARROW NO-BREAK SPACE}%",
        "{}\N{NARROW NO-BREAK SPACE}%",
        number_control("moved", "Moved right (% of the width)", range(-50, 51, 5), 20, "Negative: to the left."),
        lambda x, value, other: shifts.translate(x, 0, value / 100 * x.shape[2]),
        "shifts.translate(image, 0, {value} / 100 * image.shape[2])",
    ),
    BLUR: Change(
        "Blur",
        "Blurred by {}\N{NARROW NO-BREAK SPACE}%",
        "{}\N{NARROW NO-BREAK SPACE}%",
        number_control(
            "blurred",
            "Blur (% of the width)",
            range(0, 16),
            0,
            "Standard deviation of the Gaussian that blurs the image.",
        ),
        lambda x, value, other: shifts.blur(x, value / 100 * x.shape[2]),
        "shifts.blur(image, {value} / 100 * image.shape[2])",
    ),
    "noise": Change(
        "Add noise",
        "With pixel noise of {}\N{NARROW NO-BREAK SPACE}%",
        "{}\N{NARROW NO-BREAK SPACE}%",
        number_control("noisy", "Noise, sd (% of the grey scale)", PERCENT, 50, "On every pixel, then clipped."),
        lambda x, value, other: shifts.add_noise(x, value / 100),
        "shifts.add_noise(image, {value} / 100)",
    ),
    "hide": Change(
        "Hide the lower part",
        "With {}\N{NARROW NO-BREAK SPACE}% hidden",
        "{}\N{NARROW NO-BREAK SPACE}%",
        number_control("hidden", "Hidden (% of the height)", PERCENT, 40, "From the bottom up."),
        lambda x, value, other: shifts.occlude(x, value / 100),
        "shifts.occlude(image, {value} / 100)",
    ),
}
CHANGE = Control("change", "Change the digit", (NOTHING, *CHANGES), BLUR, "menu")  # the menu of the views


def chosen_change(setting: Setting) -> Change | None:
    """The chosen change; None for the digit as it is."""
    return CHANGES.get(setting[CHANGE])


def stops(change: Change) -> Array:
    """The values of a change's slider, ascending."""
    return np.array([float(option) for option in change.control.options])


def position(setting: Setting, change: Change) -> int:
    """The index of the chosen value among those of the slider."""
    return change.control.options.index(setting[change.control])


def told(setting: Setting, change: Change) -> str:
    """What is done to the picture at the chosen value, as the beginning of a sentence."""
    value = setting.number(change.control)
    return change.done.format(number(value)) if value else "Unchanged"


def course(setting: Setting, source: Source, chosen: Chosen, change: Change) -> Array:
    """The chosen picture at every value of the slider, (T, height, width)."""
    other = other_picture(setting, source, chosen)
    return np.concatenate([change.apply(chosen.picture[None], value, other) for value in stops(change)])


def other_row(setting: Setting, source: Source, chosen: Chosen) -> int:
    """The held-out image to blend with: of the chosen class, the one with the least entropy, another one."""
    rows = np.flatnonzero(source.labels == int(setting[OTHER]))
    rows = rows[rows != chosen.row]
    return int(rows[source.held_out.predictive_entropy[rows].argmin()] if source.is_done else rows[0])


def other_picture(setting: Setting, source: Source, chosen: Chosen) -> Array:
    """The pixels of this image, (height, width)."""
    return source.pictures[other_row(setting, source, chosen)]
