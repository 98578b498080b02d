"""What trainings with further seeds came to, for a caption beside the one network that a page shows."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import streamlit as st

from bdlviz.fitted import bundles
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.shared import repeats_study
from bdlviz.types import Array


def study(name: str) -> Mapping[str, Array]:
    """The arrays of a bundle of `repeats_study`; none, and a sentence on the page, where it cannot be read."""
    try:
        return bundles.shipped(name, repeats_study.BUNDLES[name].settings)
    except CheckpointError as error:
        st.caption(f"{error} `python -m bdlviz train {name}` makes it in some minutes.")
        return {}


def say(num_seeds: int, told: str) -> None:
    """A caption: the number of seeds, and what they came to."""
    st.caption(f"{num_seeds} training seeds, median and range: {told}.")


def told(values: Array, form: str = ".0f") -> str:
    """Median and range of values (R,), each number written in a format of Python's."""
    median, low, high = (format(each, form) for each in (np.median(values), values.min(), values.max()))
    return f"{median} ({low} – {high})"
