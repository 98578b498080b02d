"""The controls of the page on the latent space."""

from __future__ import annotations

from bdlviz.topics.shared.autoencoders import CODES
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.setting import Setting

SHIPPED_PERPLEXITY = 30
PERPLEXITY = number_control(
    "perplexity",
    "Neighbours in t-SNE (perplexity)",
    (5, 10, 20, 30, 50, 100),
    SHIPPED_PERPLEXITY,
    "About how many neighbours of a code t-SNE tries to keep near. Values other than 30 take some seconds.",
)
MARKS = Control(
    "marks",
    "Drawn as",
    ("points", "digits", "ellipses"),
    "points",
    "buttons",
    "A ring around a dot means that the nearest code is of another digit. Ellipses show one standard deviation of "
    "q(z|x), if the code has 2 dimensions.",
    {"points": "dots"},
)
COLOUR = Control(
    "colour",
    "Coloured by",
    ("class", "kl", "std"),
    "class",
    "buttons",
    "KL: how much an image's posterior differs from the prior, in nats. Width: mean standard deviation of q(z|x).",
    {"kl": "KL", "std": "width"},
)


def shows_classes(setting: Setting) -> bool:
    """True where classes colour the map; numbers are drawn as points."""
    return setting[COLOUR] == "class"


def has_map(setting: Setting) -> bool:
    """True where t-SNE makes the map; a plane of codes is shown as it is."""
    return setting[CODES] != "2d"


PICK = Control(
    "pick",
    "Choose by",
    ("click", "lasso", "box"),
    "click",
    "buttons",
    "Click a code, or drag around several. Shift adds to the choice, a double click clears it.",
)
