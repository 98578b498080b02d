"""Where the pad stands: a code, and the two of its coordinates that the pad spans."""

from __future__ import annotations

import numpy as np

from bdlviz.predictive import latent
from bdlviz.topics.generative.decode import decoder
from bdlviz.topics.generative.decode.controls import END, ORIGIN, START
from bdlviz.topics.generative.decode.decoder import Place, Walk
from bdlviz.topics.shared.autoencoders import Autoencoder
from bdlviz.types import Array
from bdlviz.ui.model import Setting

CODE, AXES = "z", "axes"  # in the link and in the setting: numbers with commas; two coordinates, counted from 1
MOST_READ = 1000  # characters of a code


def order_of(model: Autoencoder) -> tuple[list[int], Array]:
    """The coordinates of a code, the largest KL term first, and the KL term of each in nats."""
    weights = latent.kl_per_dimension(model.mean("train"), model.std("train")).mean(0)
    return np.argsort(-weights, kind="stable").tolist(), weights


def at_start(model: Autoencoder, start: str) -> Place:
    """The place that an option of `START` means."""
    if start == ORIGIN:
        return of_code(model, np.zeros(model.latent_dim))
    return of_code(model, model.mean("test")[model.clear_example(int(start))])


def walk_of(setting: Setting, model: Autoencoder) -> Walk:
    """The walk from the start to the code of another held-out image."""
    codes = tuple(list(at_start(model, setting[each]).code) for each in (START, END))
    names = [each.name(setting[each]).removeprefix("a held-out ") for each in (START, END)]
    return Walk(codes, f"Move the large dot from {names[0]} to {names[1]}")


def of_code(model: Autoencoder, code: Array) -> Place:
    """The place of a code (Z,) on the pad, which spans the two coordinates with the largest KL term."""
    across, up = (0, 1) if model.latent_dim == 2 else order_of(model)[0][:2]
    return Place(tuple(round(float(value), 3) for value in code), across, up)


def place_of(setting: Setting, model: Autoencoder) -> tuple[Place, str]:
    """The place that a setting asks for, and a sentence where this decoder has no such place; then it is the start."""
    start = at_start(model, setting[START])
    if CODE not in setting.values:
        return start, ""
    found = read_place(setting.text(CODE), setting.text(AXES), model.latent_dim)
    if found is not None:
        return found, ""
    told = f"This decoder takes codes of {model.latent_dim} numbers, the link has another; showing the start."
    return start, told


def read_place(code: str, axes: str, latent_dim: int) -> Place | None:
    """The place that two texts of a link mean; None where they mean none. Unreadable axes are the first two."""
    try:
        across, up = (int(part) - 1 for part in (axes or "1,2").split(","))
    except ValueError:
        across, up = 0, 1
    return decoder.committed({"code": _numbers(code), "across": across, "up": up}, latent_dim)


def _numbers(code: str) -> list[float] | None:
    try:
        return [float(part) for part in code[:MOST_READ].split(",")]
    except ValueError:
        return None


def code_text(place: Place) -> str:
    """A code as it stands in links."""
    return ",".join(f"{value:g}" for value in place.code)


def axes_text(place: Place) -> str:
    """The two coordinates as they stand in links."""
    return f"{place.across + 1},{place.up + 1}"
