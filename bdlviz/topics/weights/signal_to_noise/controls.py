"""The controls of the page on signal-to-noise ratios."""

from __future__ import annotations

from bdlviz.topics.weights.signal_to_noise.study import FRACTIONS, NUM_DRAWS, NUM_UNSURE, PRESETS, UNSURE
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.model import Note, Setting

IMAGES = Control(
    "images",
    "Images",
    ("mnist", "digits"),
    "mnist",
    "buttons",
    "All 60,000 images of MNIST, or scikit-learn's 8×8 digits.",
    {"mnist": "MNIST", "digits": "8×8 digits"},
)
PRESET = Control(
    "preset",
    "Standard deviations",
    PRESETS,
    "honest",
    "buttons",
    "Learned, or so small at the start that they hardly matter.",
    {"honest": "learned", "small_sigma": "tiny"},
)
REMOVED = number_control(
    "removed",
    "Weights removed (%)",
    [100 * each for each in FRACTIONS],
    95,
    "The weights with the lowest ratios of the whole network are removed first.",
)
PREDICTS = Control(
    "predicts",
    "Predicts",
    ("draws", "means"),
    "draws",
    "buttons",
    f"The mean of {NUM_DRAWS} draws of the weights that are left, or one pass through their means.",
    {"draws": f"{NUM_DRAWS} draws", "means": "the means"},
)
WHOSE = Control(
    "whose",
    "Network",
    (*PRESETS, "notebook"),
    "honest",
    "menu",
    "Two hidden layers with σ learned or tiny, or the notebook's one hidden layer.",
    {"honest": "learned σ", "small_sigma": "tiny σ", "notebook": "the notebook's"},
)
ORDER = Control(
    "unsure",
    "Least certain by",
    UNSURE,
    "spread",
    "menu",
    "The standard deviation over draws of the likeliest class's probability, or the lowest mean of that probability.",
    {"spread": "draws that differ (sd)", "largest": "lowest probability"},
)
RANK = number_control("rank", "Digit", range(1, NUM_UNSURE + 1), 1, "1 is the least certain. Or click a picture.")


def _about_preset(setting: Setting) -> str:
    if setting[PRESET] == "honest":
        return (
            "σ is learned, and the price of leaving the prior (the KL term) counts in full: most weights end about as "
            "wide as the prior, with a mean near 0."
        )
    return (
        "σ starts at 0.00005 and stays tiny: this is nearly a plain network. On MNIST the price of leaving the prior "
        "has a tenth of its weight here, and the training is short: Adam would move σ away. This setting is not "
        "that of the paper, whose four errors stand beside ours under *Published numbers*."
    )


ABOUT_PRESET = Note(_about_preset)
