"""A check for the exercises of several pages of regression."""

from __future__ import annotations

from collections.abc import Mapping

DEFAULT_DATA = {"data": "x_sin_x", "num_data": "all", "data_seed": "0"}  # the options of the default data set


def _has_own_data(options: Mapping[str, str], noise: str) -> bool:
    """True if the data set is the default one, with this option of the noise."""
    return options["noise"] == noise and all(options[key] == option for key, option in DEFAULT_DATA.items())
