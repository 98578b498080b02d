"""Learned keep probabilities of digits: of every pixel, of every layer, and over the training."""

from __future__ import annotations

from functools import cache

import numpy as np

from bdlviz import data
from bdlviz.methods import concrete_dropout
from bdlviz.methods.concrete_dropout import START_RATE
from bdlviz.topics.digits.concrete_dropout import figures, study
from bdlviz.topics.digits.concrete_dropout.controls import IMAGES, MOMENT, num_images
from bdlviz.topics.digits.concrete_dropout.run import WITHOUT, Run, Runs
from bdlviz.topics.digits.concrete_dropout.views_claims import tabs_of
from bdlviz.topics.shared import views_hover
from bdlviz.types import Array
from bdlviz.ui.jobs.shipped import SHAPES
from bdlviz.ui.model import Figure, Numbers, Part, Result, Screen, Setting, Words

HEIGHTS = (500, 480)  # px of the picture of pixels, wide and on a phone
PIXELS = "kept_pixels"
DATASETS, EXAMPLE, SEED = {"mnist": "mnist-1000", "digits": "digits"}, 3, 0  # of the digit beside the picture
START_KEEP = 1 - START_RATE.default


def pixels(setting: Setting, screen: Screen, runs: Runs) -> Result:
    """Keep probability of every pixel at one moment of the training."""
    run, (height, width) = runs.chosen, SHAPES[setting[IMAGES]]
    at = int(np.abs(run.steps - setting.number(MOMENT)).argmin())
    kept, (image, label) = run.pixels[at].reshape(height, width), example(setting[IMAGES])
    fig = figures.kept_pixels(
        kept, masked(image, kept), theme=screen.theme, height=screen.by_width(*HEIGHTS), stacked=screen.is_narrow
    )
    told = figures.describe_rates(run.names, list(run.mean[at]))
    alt = (
        f"Keep probabilities of {height} x {width} pixels, and a {label} under two dropout masks of its pixels. {told}"
    )
    history = run.pixels.reshape(-1, height, width)
    card = views_hover.history(PIXELS, history, at, f"{int(run.steps[-1]):,} steps", screen.theme)
    hint = Words(
        "Hover over a pixel to see its keep probability over training. At the right: one digit under two dropout "
        "masks, with dropped pixels in grey."
    )
    return _result(setting, screen, run, [Figure(PIXELS, fig, alt), hint, _means(run, at), card])


@cache
def example(images: str) -> tuple[Array, int]:
    """A held-out image (h, w) and its class."""
    dataset = data.load(DATASETS[images])
    row = int(np.flatnonzero(dataset.y_test == EXAMPLE)[0])
    return dataset.x_test[row].reshape(SHAPES[images]), EXAMPLE


def masked(image: Array, kept: Array) -> Array:
    """The image (h, w) under two dropout masks, (2, h, w); NaN where a pixel is dropped.

    The uniform numbers behind the masks are the same for all ``kept`` (h, w), so that a pixel only changes where its
    keep probability crosses its number.
    """
    uniform = np.random.default_rng(SEED).random((2, *image.shape))
    return np.where(uniform < kept, image, np.nan)


def layers(setting: Setting, screen: Screen, runs: Runs) -> Result:
    """How the keep probabilities of each layer are distributed at the end."""
    run = runs.chosen
    fig = figures.keep_histograms(dict(zip(run.names, run.keep.values(), strict=True)), theme=screen.theme)
    alt = figures.describe_rates(run.names, list(run.mean[-1]))
    return _result(setting, screen, run, [Figure("keep_histograms", fig, alt), _means(run, -1)])


def path(setting: Setting, screen: Screen, runs: Runs) -> Result:
    """The keep probabilities of each layer over the training, beside the run without (or with) the entropy term."""
    run, other = runs
    beside = None
    if other is not None:
        beside = (other.steps, other.quantiles, f"median {'with' if other.has_entropy else 'without'} the entropy term")
    fig = figures.rate_paths(
        run.steps, run.quantiles, names=run.names, other=beside, theme=screen.theme, stacked=screen.is_narrow
    )
    alt = figures.describe_rates(run.names, list(run.mean[-1]))
    parts: list[Part] = [Figure("rate_paths", fig, alt)]
    if other is None:
        parts.append(Words(f"Without the entropy term: choose N = {WITHOUT[run.images]:,} to see both."))
    return _result(setting, screen, run, [*parts, _means(run, -1)])


def _means(run: Run, at: int) -> Numbers:
    help_text = f"Mean over its units, {run.title}. All rates start at a keep probability of {START_KEEP:g}."
    names = [name.lower().removeprefix("hidden ") for name in run.names]  # short enough for a phone
    means = zip(names, run.mean[at], strict=True)
    return Numbers([(f"Mean keep, {name}", f"{mean:.2f}", help_text) for name, mean in means][:4])


def _result(setting: Setting, screen: Screen, run: Run, parts: list[Part]) -> Result:
    if run.num_data != num_images(setting):
        parts = [
            Words(f"Without the entropy term only a run with N = {run.num_data:,} is shipped: this is it."),
            *parts,
        ]
    return Result(
        parts,
        (concrete_dropout.relaxed_mask, concrete_dropout.kl_to_prior, concrete_dropout.bernoulli_entropy),
        (
            concrete_dropout.relaxed_negative_log_likelihood,
            concrete_dropout.kl_to_prior,
            concrete_dropout.keep_probabilities,
        ),
        call_of(run),
        tabs=tabs_of(screen),
    )


def call_of(run: Run) -> str:
    """Python that learns the same keep probabilities."""
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
