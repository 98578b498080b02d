"""Captions with median and range over training seeds, for pages that show a fit of one seed."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.fitted import bundles
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.shared import study_seeds
from bdlviz.types import Array, FitConfig
from bdlviz.ui.model import Part, Words

NUM_CURVE_SEEDS = len(study_seeds.CURVE_SEEDS)


def study(name: str) -> Mapping[str, Array]:
    """Arrays of `bdlviz.topics.shared.study_seeds`; empty if they cannot be read (`problem` has the reason)."""
    return _read(name)[0]


def problem(name: str) -> list[Part]:
    """A sentence with the reason why the arrays of that name cannot be read; empty if they can be read."""
    sentence = _read(name)[1]
    return [Words(sentence)] if sentence else []


def _read(name: str) -> tuple[Mapping[str, Array], str]:
    try:
        return bundles.shipped(name, study_seeds.ARRAYS[name].settings), ""
    except CheckpointError as error:
        return {}, f"{error} `python -m bdlviz train {name}` computes it in some minutes."


def of_config(config: FitConfig) -> Array | None:
    """The sd at the data and away from them, (R, 2), for R training seeds of this config; None if not shipped."""
    return _of_case(config, "")


def curve_of(config: FitConfig) -> Array | None:
    """The smallest, median and largest sd over x, (3, N), of such fits on *In between*; None if not shipped."""
    return _of_case(config, study_seeds.CURVE)


def _of_case(config: FitConfig, suffix: str) -> Array | None:
    name = study_seeds.name_of(config)
    array = None if name is None else study(study_seeds.CURVES).get(name + suffix)
    return None if array is None else array.astype(float)


def sentence(num_seeds: int, told: str) -> str:
    """A sentence with the number of seeds and a text of `told`."""
    return f"{num_seeds} training seeds, median and range: {told}."


def curves_caption(configs: Mapping[str, FitConfig], here: str, away: str) -> list[Part]:
    """A caption with the standard deviations over training seeds of every configuration for which they are shipped.

    ``here`` and ``away`` say where the two standard deviations are.
    """
    parts = [
        f"{name} {told(values[:, 0], '.2g')} {here}, {told(values[:, 1], '.2g')} {away}"
        for name, config in configs.items()
        if (values := of_config(config)) is not None
    ]
    if not parts:
        return problem(study_seeds.CURVES) if any(map(study_seeds.name_of, configs.values())) else []
    words = f"Epistemic sd over {NUM_CURVE_SEEDS} training seeds, median and range: {'; '.join(parts)}."
    return [Words(words)]


def told(values: Array, form: str = ".0f") -> str:
    """Median and range of values (R,) as text, with this Python format of the numbers."""
    median, low, high = (format(each, form) for each in (np.median(values), values.min(), values.max()))
    return f"{median} ({low} – {high})"
