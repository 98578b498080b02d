"""The controls of the page on decoding."""

from __future__ import annotations

from dataclasses import replace

from bdlviz.topics.shared.autoencoders import CODES
from bdlviz.ui.controls.control import Control

ORIGIN = "origin"
PLANES = replace(CODES, default="2d", help="How many numbers describe a digit.")
DIGITS = tuple(map(str, range(10)))
START = Control(
    "start",
    "Start from",
    (ORIGIN, *DIGITS),
    "0",
    "menu",
    "The middle of the prior, or the code of a held-out image of this class.",
    {ORIGIN: "the middle, z = 0"} | {digit: f"a held-out {digit}" for digit in DIGITS},
)
END = Control("end", "Walk to", DIGITS, "6", "menu", names={digit: START.name(digit) for digit in DIGITS})
