"""One training of concrete dropout on digits, as the views draw it, and how a view gets what is shipped."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, TypeVar

import numpy as np

from bdlviz.fits import Fit
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.digits.concrete_dropout import study
from bdlviz.topics.digits.concrete_dropout.controls import ENTROPY, IMAGES, NUM_IMAGES, num_images
from bdlviz.types import Array
from bdlviz.ui.jobs.shipped import shipped_need
from bdlviz.ui.model import Need, Setting

Found = TypeVar("Found")
Extra = dict[str, Array]
MANY = 5000  # images, from which on a run is in the second file
WITHOUT = {"mnist": 1000, "digits": 1437}  # images of the run without the entropy term


@dataclass(frozen=True, eq=False)
class Run:
    """One training: its keep probabilities over the steps and at the end.

    ``steps`` (T,); ``pixels`` (T, D) and ``mean`` (T, L) in [0, 1]; ``quantiles`` (T, L, 5); ``keep`` (H,) by layer.
    """

    images: str
    num_data: int
    has_entropy: bool
    steps: Array
    pixels: Array
    mean: Array
    quantiles: Array
    keep: dict[int, Array]

    @property
    def names(self) -> list[str]:
        """What the units of each layer's input are."""
        return ["Pixels", *(f"Hidden layer {layer}" for layer in range(1, len(self.keep)))]

    @property
    def title(self) -> str:
        """What was trained on, in a few words."""
        return f"N = {self.num_data:,}{'' if self.has_entropy else ', no entropy term'}"


class Runs(NamedTuple):
    """The chosen run and, where there is one, the same with the entropy term switched the other way."""

    chosen: Run
    other: Run | None


def file_of(images: str, num_data: int) -> str:
    """The checkpoint that holds the run on so many images."""
    return f"concrete_{images}_10000" if images == "mnist" and num_data >= MANY else f"concrete_{images}"


def shipped_with(name: str, key: str, read: Callable[[Fit, Extra], Found]) -> Need[Found]:
    """The need of a shipped fit with its arrays, ``key`` among them; ``read`` makes what the view draws of them."""

    def checked(pairs: list[tuple[Fit, Extra]]) -> Found:
        [(fit, extra)] = pairs
        if key not in extra:
            raise CheckpointError(f"The checkpoint {name} is of an older version.")
        return read(fit, extra)

    return shipped_need(name, read=checked)


def runs_needed(setting: Setting) -> Need[Runs]:
    """The chosen training; without the entropy term the one that is shipped."""
    images, has_entropy = setting[IMAGES], setting[ENTROPY] == "on"
    num_data = num_images(setting) if has_entropy else WITHOUT[images]

    def read(_: Fit, extra: Extra) -> Runs:
        run, other = (_run(images, num_data, entropy, extra) for entropy in (has_entropy, not has_entropy))
        assert run is not None
        return Runs(run, other)

    return shipped_with(file_of(images, num_data), "run_num_data", read)


def course_needed(setting: Setting) -> Need[list[Run]]:
    """The trainings on every number of images; without the entropy term the one that is shipped."""
    images, has_entropy = setting[IMAGES], setting[ENTROPY] == "on"
    counts = [int(each) for each in NUM_IMAGES[images].options] if has_entropy else [WITHOUT[images]]

    def read(pairs: list[tuple[Fit, Extra]]) -> list[Run]:
        extra = {key: array for _, each in pairs for key, array in each.items()}
        found = [run for count in counts if (run := _run(images, count, has_entropy, extra)) is not None]
        if len(found) < len(counts):
            raise CheckpointError(f"A checkpoint of {' and '.join(names)} is of an older version.")
        return found

    names = dict.fromkeys(file_of(images, count) for count in counts)
    return shipped_need(*names, read=read)


def _run(images: str, num_data: int, has_entropy: bool, extra: Extra) -> Run | None:
    """A run of a file; None where the file has none such."""
    start = study.run_name(num_data, float(has_entropy))
    own = {name.removeprefix(start): array for name, array in extra.items() if name.startswith(start)}
    if "step" not in own:
        return None
    layers = sorted(int(name.removeprefix("keep")) for name in own if name.startswith("keep"))
    return Run(
        images,
        num_data,
        has_entropy,
        own["step"],
        own["pixels"].astype(np.float32) / 255,
        own["mean"],
        own["quantiles"].astype(np.float32),
        {layer: own[f"keep{layer}"].astype(np.float32) for layer in layers},
    )
