"""Standard deviations over many training seeds, beside those of the single fit that a page shows."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from bdlviz.fitted import bundles
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.regression.in_between import study as in_between_study
from bdlviz.topics.shared import repeats
from bdlviz.types import Array, FitConfig

NUM_SEEDS = len(in_between_study.SEEDS)


def of_config(config: FitConfig) -> Array | None:
    """At the data and away from them, (R, 2), of fits like this one with R other training seeds; None: not shipped."""
    return _shipped(config, "")


def curve_of(config: FitConfig) -> Array | None:
    """The smallest, the median and the largest sd of such fits over x, (3, N), on *In between*; None: not shipped."""
    return _shipped(config, in_between_study.CURVE)


def _shipped(config: FitConfig, suffix: str) -> Array | None:
    name = in_between_study.name_of(config)
    if name is None:
        return None
    try:
        found = bundles.shipped(in_between_study.NAME, in_between_study.settings())
    except CheckpointError as error:
        st.caption(str(error))
        return None
    array = found.get(name + suffix)
    return None if array is None else array.astype(float)


def say(configs: Mapping[str, FitConfig], away: str) -> None:
    """A caption with the standard deviations of each configuration over the training seeds, where they are shipped.

    ``away`` says in words where the second standard deviation is measured.
    """
    parts = [
        f"{name} {repeats.told(values[:, 0], '.2g')} at the data, {repeats.told(values[:, 1], '.2g')} {away}"
        for name, config in configs.items()
        if (values := of_config(config)) is not None
    ]
    if parts:
        st.caption(f"Epistemic sd over {NUM_SEEDS} training seeds, median and range: {'; '.join(parts)}.")
