"""Pages that stand on one shipped fit: load it, and where it is missing or damaged say so and train it again."""

from __future__ import annotations

import threading
from functools import lru_cache

import streamlit as st

from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.studies.registry import RECIPES
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control

IMAGES = Control(
    "images",
    "Images",
    ("mnist", "digits"),
    "mnist",
    "buttons",
    "The first 100 images of each class of MNIST, or scikit-learn's 8x8 digits.",
    {"mnist": "MNIST-1000", "digits": "8×8 digits"},
)
SHAPES = {"mnist": (28, 28), "digits": (8, 8)}

LONG = ("60000", "concrete")  # in the name of a fit that takes too long to train in front of a visitor

_training = threading.Lock()


def fit_and_extra(name: str) -> tuple[Fit, dict[str, Array]] | None:
    """A shipped fit and what is stored beside it; None, and a sentence on the page, when there is no way to get it."""
    try:
        return shelf.shipped(name)
    except CheckpointError as error:
        if any(part in name for part in LONG):
            instead = "; choose MNIST-1000 meanwhile" if "60000" in name else ""
            st.warning(f"{error} `python -m bdlviz train {name}` makes it in some minutes{instead}.")
            return None
        st.info(f"{error} Training it again, which takes a minute or two.")
        with st.spinner("Training …", show_time=True):
            return _made(name)


def _made(name: str) -> tuple[Fit, dict[str, Array]]:
    with _training:  # one at a time in the process; the others find it made
        return _remembered(name)


@lru_cache(maxsize=4)
def _remembered(name: str) -> tuple[Fit, dict[str, Array]]:
    return RECIPES[name].make()
