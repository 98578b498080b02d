"""The controls of the page on the latent space."""

from __future__ import annotations

from bdlviz.ui.controls.control import Control, number_control

SHIPPED_PERPLEXITY = 30
PERPLEXITY = number_control(
    "perplexity",
    "Perplexity of t-SNE",
    (5, 10, 20, 30, 50, 100),
    SHIPPED_PERPLEXITY,
    "Roughly how many neighbours count. The shipped picture has 30; others take some seconds.",
)
MARKS = Control(
    "marks",
    "Drawn as",
    ("digits", "points", "ellipses"),
    "digits",
    "buttons",
    "Digits need no colour to be told apart. Ellipses: one standard deviation of q(z|x), of a plane of codes.",
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
PICK = Control(
    "pick",
    "Choose by",
    ("click", "lasso", "box"),
    "click",
    "buttons",
    "Click a point, or drag around several; shift adds to the choice, a double click clears it. Streamlit takes "
    "either clicks or drags. With click, a drag scrolls the page, which a phone needs.",
)
