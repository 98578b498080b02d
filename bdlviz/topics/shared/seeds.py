"""Captions with median and range over training seeds, beside the one fit that a page shows."""

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
    """Arrays of `bdlviz.topics.shared.study_seeds`; none where they cannot be read, and `problem` says why."""
    return _read(name)[0]


def problem(name: str) -> list[Part]:
    """The sentence that says why the arrays of that name cannot be read; nothing where they can."""
    sentence = _read(name)[1]
    return [Words(sentence)] if sentence else []


def _read(name: str) -> tuple[Mapping[str, Array], str]:
    try:
        return bundles.shipped(name, study_seeds.ARRAYS[name].settings), ""
    except CheckpointError as error:
        return {}, f"{error} `python -m bdlviz train {name}` makes it in some minutes."


def of_config(config: FitConfig) -> Array | None:
    """At the data and away from them, (R, 2), of fits like this one with R other training seeds; None: not shipped."""
    return _of_case(config, "")


def curve_of(config: FitConfig) -> Array | None:
    """The smallest, the median and the largest sd of such fits over x, (3, N), on *In between*; None: not shipped."""
    return _of_case(config, study_seeds.CURVE)


def _of_case(config: FitConfig, suffix: str) -> Array | None:
    name = study_seeds.name_of(config)
    array = None if name is None else study(study_seeds.CURVES).get(name + suffix)
    return None if array is None else array.astype(float)


def sentence(num_seeds: int, told: str) -> str:
    """A sentence with the number of seeds and the words of `told`."""
    return f"{num_seeds} training seeds, median and range: {told}."


def curves_caption(configs: Mapping[str, FitConfig], away: str) -> list[Part]:
    """A caption with the standard deviations of each configuration over the training seeds, where they are shipped.

    ``away`` says in words where the second standard deviation is measured.
    """
    parts = [
        f"{name} {told(values[:, 0], '.2g')} at the data, {told(values[:, 1], '.2g')} {away}"
        for name, config in configs.items()
        if (values := of_config(config)) is not None
    ]
    if not parts:
        return problem(study_seeds.CURVES) if any(map(study_seeds.name_of, configs.values())) else []
    words = f"Epistemic sd over {NUM_CURVE_SEEDS} training seeds, median and range: {'; '.join(parts)}."
    return [Words(words)]


def told(values: Array, form: str = ".0f") -> str:
    """Median and range of values (R,), each number written in a format of Python's."""
    median, low, high = (format(each, form) for each in (np.median(values), values.min(), values.max()))
    return f"{median} ({low} – {high})"
