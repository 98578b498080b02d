"""What the exercises of several pages of regression share."""

from __future__ import annotations

from collections.abc import Mapping

UNTOUCHED = {"data": "x_sin_x", "num_data": "all", "data_seed": "0"}  # the data as pages offer them first


def _has_own_data(options: Mapping[str, str], noise: str) -> bool:
    return options["noise"] == noise and all(options[key] == option for key, option in UNTOUCHED.items())
