"""The controls of the page on MC dropout."""

from __future__ import annotations

from collections.abc import Sequence

from bdlviz.methods import METHODS
from bdlviz.topics.results.scoreboard import study as scoreboard_study
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.jobs import shipped

NUM_CLASSES = 10
NOBODY = "none"
IMAGES = shipped.IMAGES
METHOD = Control(
    "method",
    "Method",
    scoreboard_study.METHODS,
    "mc_dropout",
    "menu",
    "It determines what differs between draws: dropout masks, noisy weights, or networks of an ensemble.",
    {name: METHODS[name].title for name in scoreboard_study.METHODS},
)
NUM_SAMPLES = number_control(
    "num_samples",
    "Draws S",
    (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
    1000,
    "Softmax samples of the image, one for each dropout mask. An ensemble has five, a plain network one.",
)
UNSEEN = Control(
    "unseen",
    "Class never seen",
    (NOBODY, *map(str, range(NUM_CLASSES))),
    NOBODY,
    "menu",
    "Train without the images of this class.",
    {NOBODY: "none"},
)

# Which digit ----------------------------------------------------------------------------------------------------------

ALL, FIRST, OWN = "all", "first", "own"
MOST_IMAGES = 1000
ORDER = Control(
    "order",
    "Order",
    ("ignorance", "uncertain", "disagreement", "noise", "confident", "wrong", "data"),
    "ignorance",
    "menu",
    "The uncertain eighth of the images by the share of ignorance; all by predictive entropy, by mutual information "
    "(disagreement), by expected entropy (noise) or by confidence; wrong ones only; or in the order of the data.",
    {
        "ignorance": "from ignorance to noise",
        "uncertain": "most uncertain first",
        "disagreement": "most disagreement first",
        "noise": "most noise first",
        "confident": "most confident first",
        "wrong": "wrong and most confident first",
        "data": "in the order of the data",
    },
)
CLASS = Control(
    "class",
    "Class",
    (ALL, *map(str, range(NUM_CLASSES))),
    ALL,
    "menu",
    "Show held-out images with this label only.",
    {ALL: "all classes"},
)
DIGIT = Control(
    "digit",
    "Image",
    (FIRST, OWN, *map(str, range(1, MOST_IMAGES + 1))),
    FIRST,
    "menu",
    "Click a digit of the sheet, or give the number of a held-out image.",
    {FIRST: "by its place in the order", OWN: "your own digit"},
)
PLACES = (*range(6), 6, 8, 10, 12, 15, 20, 25, 30, 40, 50, 60, 70, 80, 90, 100)  # % of the images before it


def _place(first: str, last: str, key: str = "place", places: Sequence[int] = PLACES) -> Control:
    names = {"0": first, "100": last}
    shown = {str(each): names.get(str(each), f"{each} % of the way") for each in places}
    help_text = "The share of the images, in the chosen order, that stand before it."
    return Control(key, f"Image, from {first} on", tuple(shown), "0", "slider", help_text, shown)


PLACE = {
    "ignorance": _place("mostly ignorance", "mostly noise", "toward_noise", range(0, 101, 5)),
    "uncertain": _place("the most uncertain", "the most certain"),
    "disagreement": _place("the most disagreement", "the least"),
    "noise": _place("the most noise", "the least"),
    "confident": _place("the most certain", "the most uncertain"),
    "wrong": _place("the most confident mistake", "the least"),
    "data": _place("the first", "the last"),
}  # the order of all images has one slider, whose words follow it
