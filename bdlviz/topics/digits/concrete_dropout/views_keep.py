"""Learned keep probabilities of digits: the shipped runs, and what the page shows of them."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.fits import Fit
from bdlviz.methods import concrete_dropout
from bdlviz.methods.concrete_dropout import START_RATE
from bdlviz.topics.digits.concrete_dropout import study
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.legacy import Shown
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import by_width, is_narrow
from bdlviz.ui.jobs import shipped
from bdlviz.ui.jobs.shipped import SHAPES

MANY = 5000  # images, from which on a run is in the second file
WITHOUT = {"mnist": 1000, "digits": 1437}  # images of the run without the entropy term
IMAGES = replace(shipped.IMAGES, names={"mnist": "MNIST", "digits": "8×8 digits"})
NUM_IMAGES = {
    "mnist": number_control(
        "n_mnist", "Training images N", study.NUM_MNIST, 1000, "1,000: MNIST-1000. More: the first of MNIST."
    ),
    "digits": number_control("n_digits", "Training images N", study.NUM_DIGITS, 1437),
}
ENTROPY = Control(
    "entropy_term",
    "Entropy term",
    ("on", "off"),
    "on",
    "buttons",
    "The part of the bound that rewards dropping. Off, only the data and the weights' prior speak.",
)
STEP_BETWEEN = study.NUM_STEPS // study.NUM_MOMENTS
MOMENT = number_control(
    "moment",
    "After so many steps",
    range(0, study.NUM_STEPS + 1, STEP_BETWEEN),
    study.NUM_STEPS,
    "Of Adam. A rate's logit moves by at most one learning rate a step.",
)
CONTROLS = (IMAGES, *NUM_IMAGES.values(), ENTROPY, MOMENT)
HEIGHTS = (500, 400)  # px of the picture of pixels, wide and on a phone: a square and its scale
START_KEEP = 1 - START_RATE.default


@dataclass(frozen=True, eq=False)
class Run:
    """One training: where its keep probabilities went, and where they ended.

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


def found(name: str, key: str) -> tuple[Fit, dict[str, Array]] | None:
    """A shipped fit with its arrays, ``key`` among them; None, and a sentence on the page, where it cannot be used."""
    pair = shipped.fit_and_extra(name)
    if pair is None:
        return None
    if key not in pair[1]:
        st.warning(f"The checkpoint {name} is of an older version: `python -m bdlviz train {name}` makes it again.")
        return None
    return pair


def file_of(images: str, num_data: int) -> str:
    """The checkpoint that holds the run on so many images."""
    return f"concrete_{images}_10000" if images == "mnist" and num_data >= MANY else f"concrete_{images}"


def present_num_data(images: str) -> int:
    """The chosen number of images."""
    return int(NUM_IMAGES[images].present())


def _run(images: str, num_data: int, has_entropy: bool, extra: dict[str, Array]) -> Run | None:
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


def choose() -> None:
    """Draw the controls of the runs."""
    images = IMAGES.show()
    NUM_IMAGES[images].show()
    ENTROPY.show()


def present_run() -> tuple[Run, Run | None] | None:
    """The chosen run and, where there is one, the same with the entropy term switched the other way."""
    images = IMAGES.present()
    num_data, has_entropy = present_num_data(images), ENTROPY.present() == "on"
    if not has_entropy and num_data != WITHOUT[images]:
        num_data = WITHOUT[images]
        st.caption(f"Without the entropy term N = {num_data:,} is shipped: this is it.")
    pair = found(file_of(images, num_data), "run_num_data")
    if pair is None:
        return None
    run, other = (_run(images, num_data, entropy, pair[1]) for entropy in (has_entropy, not has_entropy))
    assert run is not None
    return run, other


# Views ----------------------------------------------------------------------------------------------------------------


def show_pixels() -> Shown | None:
    """Keep probability of every pixel at one moment of the training."""
    pair = present_run()
    if pair is None:
        return None
    run, (height, width) = pair[0], SHAPES[IMAGES.present()]
    at = int(np.abs(run.steps - int(MOMENT.present())).argmin())
    kept = run.pixels[at].reshape(height, width)
    fig = plots.keep_probabilities(kept, theme=present_theme(), height=by_width(*HEIGHTS))
    told = plots.describe_rates(run.names, list(run.mean[at]))
    alt = f"Keep probabilities of {height} x {width} pixels. {told}"
    figure(fig, key="kept_pixels", alt=alt)
    MOMENT.show()
    _show_means(run, at)
    return _shown(run)


def show_layers() -> Shown | None:
    """How the keep probabilities of each layer are distributed at the end."""
    pair = present_run()
    if pair is None:
        return None
    run = pair[0]
    by_layer = dict(zip(run.names, run.keep.values(), strict=True))
    fig = plots.keep_histograms(by_layer, theme=present_theme())
    figure(fig, key="keep_histograms", alt=plots.describe_rates(run.names, list(run.keep.values())))
    _show_means(run, -1)
    return _shown(run)


def show_path() -> Shown | None:
    """The keep probabilities of each layer on their way, beside the run without (or with) the entropy term."""
    pair = present_run()
    if pair is None:
        return None
    run, other = pair
    beside = None
    if other is not None:
        beside = (other.steps, other.quantiles, f"median {'with' if other.has_entropy else 'without'} the entropy term")
    fig = plots.rate_paths(
        run.steps, run.quantiles, names=run.names, other=beside, theme=present_theme(), stacked=is_narrow()
    )
    figure(fig, key="rate_paths", alt=plots.describe_rates(run.names, list(run.keep.values())))
    if other is None:
        st.caption(f"Without the entropy term: choose N = {WITHOUT[run.images]:,} to see both.")
    _show_means(run, -1)
    return _shown(run)


def _show_means(run: Run, at: int) -> None:
    help_text = f"Mean over its units, {run.title}. All rates start at a keep probability of {START_KEEP:g}."
    names = [name.lower().removeprefix("hidden ") for name in run.names]  # short enough for a phone
    means = zip(names, run.mean[at], strict=True)
    numbers([(f"Mean keep, {name}", f"{mean:.2f}", help_text) for name, mean in means][:4])


def _shown(run: Run) -> Shown:
    return Shown(
        (concrete_dropout.relaxed_mask, concrete_dropout.kl_to_prior, concrete_dropout.bernoulli_entropy),
        (
            concrete_dropout.relaxed_negative_log_likelihood,
            concrete_dropout.kl_to_prior,
            concrete_dropout.keep_probabilities,
        ),
        snippet(run),
    )


def snippet(run: Run) -> str:
    """Code that learns the same keep probabilities."""
    needs_files = run.images == "mnist" and run.num_data > 1000
    first = ['bdlviz.dataset("mnist", download=True)  # once, where it is not here'] if needs_files else []
    hidden = f", hidden={study.SMALL}" if run.images == "digits" else ""
    return "\n".join(
        [
            "import bdlviz",
            "from bdlviz.topics.digits.concrete_dropout import study",
            "from bdlviz.methods.concrete_dropout import keep_probabilities",
            "",
            *first,
            f"data = study.image_data({run.images!r}, {run.num_data})",
            "fit = bdlviz.fit(",
            f'    "concrete_dropout", data, num_steps={study.NUM_STEPS}, entropy_weight={int(run.has_entropy)}{hidden}',
            ")",
            "keep = keep_probabilities(fit)  # layer -> (units,)",
        ]
    )
