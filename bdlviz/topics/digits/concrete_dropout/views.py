"""Learned keep probabilities of digits: of every pixel, of every layer, and over the training."""

from __future__ import annotations

from functools import cache

import numpy as np

from bdlviz import data
from bdlviz.digits import percent
from bdlviz.methods import concrete_dropout
from bdlviz.methods.concrete_dropout import START_RATE
from bdlviz.topics.digits.concrete_dropout import figures, study
from bdlviz.topics.digits.concrete_dropout.controls import IMAGES, MOMENT, NUM_IMAGES, num_images
from bdlviz.topics.digits.concrete_dropout.run import WITHOUT, Run, Runs
from bdlviz.topics.digits.concrete_dropout.views_claims import tabs_of
from bdlviz.topics.shared import views_hover
from bdlviz.types import Array
from bdlviz.ui.jobs.shipped import SHAPES
from bdlviz.ui.model import Figure, Formula, Numbers, Part, Result, Says, Screen, Setting, Words

HEIGHTS = (500, 640)  # px of the picture of pixels, wide and on a phone
PIXELS = "kept_pixels"
DATASETS = {"mnist": "mnist-1000", "digits": "digits"}  # that tell which pixels are blank
START_KEEP = 1 - START_RATE.default

PENALTY = Formula(
    concrete_dropout.kl_to_prior,
    "What training pays: large weights cost, and the entropy of each rate is a gain, for any number of images.",
    {
        "p_k": "dropout rate of unit k of a layer's input",
        r"\ell": "prior length-scale of the weights",
        "M_k, W_k": "weights from unit k, before and after division by the keep probability",
        "b": "biases",
    },
)
ENTROPY_OF_A_RATE = Formula(
    concrete_dropout.bernoulli_entropy,
    "The entropy of a mask is largest at p = ½: without data every rate goes there.",
    {"p": "dropout rate of one unit", "a": "its logit, which is learned"},
)
RELAXED_MASK = Formula(
    concrete_dropout.relaxed_mask,
    "A mask between 0 and 1, so that a rate has a gradient.",
    {"u": "a uniform number, new for every image and unit", "t": "temperature; towards 0 the mask becomes hard"},
)


def pixels(setting: Setting, screen: Screen, course: list[Run]) -> Result:
    """Keep probability of every pixel at one moment of the training, and the means over pixels against N."""
    counts, is_blank = [run.num_data for run in course], blank_pixels(setting[IMAGES])
    chosen = counts.index(num_images(setting)) if num_images(setting) in counts else 0
    run = course[chosen]
    at = int(np.abs(run.steps - setting.number(MOMENT)).argmin())
    means = np.array([[each.pixels[at][where.ravel()].mean() for each in course] for where in (~is_blank, is_blank)])
    title = f"How often each pixel is kept, N = {run.num_data:,}"
    ends = [int(each) for each in NUM_IMAGES[setting[IMAGES]].options]
    fig = figures.kept_pixels(
        run.pixels[at].reshape(is_blank.shape),
        title,
        f"line, at every N: ink in any of {len(data.load(DATASETS[setting[IMAGES]]).x):,} images",
        is_blank,
        np.array(counts),
        means,
        chosen=chosen,
        ends=(ends[0], ends[-1]),
        theme=screen.theme,
        height=screen.by_width(*HEIGHTS),
        stacked=screen.is_narrow,
    )
    says = _of_pixels(run, int(setting[MOMENT]), means[:, chosen])
    alt = f"{says} {figures.describe_rates(run.names, list(run.mean[at]))}"
    history = run.pixels.reshape(-1, *is_blank.shape)
    card = views_hover.history(PIXELS, history, at, f"{int(run.steps[-1]):,} steps", screen.theme)
    hint = Words("Hover over a pixel to see its keep probability over training.")
    return _result(setting, screen, run, [Says(says), Figure(PIXELS, fig, alt), hint, _means(run, at), card])


def _of_pixels(run: Run, steps: int, means: Array) -> str:
    """How often the network keeps pixels with ink, and blank pixels, after some steps of training."""
    ink, blank = map(percent, means)
    amount = f"{run.num_data:,} training images and {steps:,} steps"
    start = f"With {amount}" if run.has_entropy else f"Without the entropy term, with {amount}"
    end = ": the start value" if run.has_entropy and not steps else ""
    return f"{start}, pixels with ink are kept {ink} of the time and blank ones {blank}{end}."


@cache
def blank_pixels(images: str) -> Array:
    """Mask (h, w) of the pixels that are blank in all images of one data set, for every number of training images."""
    return np.all(data.load(DATASETS[images]).x == 0, axis=0).reshape(SHAPES[images])


def layers(setting: Setting, screen: Screen, runs: Runs) -> Result:
    """How the keep probabilities of each layer are distributed at the end."""
    run = runs.chosen
    fig = figures.keep_histograms(dict(zip(run.names, run.keep.values(), strict=True)), theme=screen.theme)
    alt = figures.describe_rates(run.names, list(run.mean[-1]))
    without = "" if run.has_entropy else " without the entropy term"
    says = Says(f"Learned from {run.num_data:,} images{without}, mean keep probabilities: {_by_layer(run)}.")
    return _result(setting, screen, run, [says, Figure("keep_histograms", fig, alt), _means(run, -1)])


def _by_layer(run: Run) -> str:
    """The mean keep probability of every layer at the end, in words."""
    pixels, *hidden = (percent(float(mean)) for mean in run.mean[-1])
    return f"{pixels} of pixels, {' and '.join(hidden)} of hidden units"


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
    start, steps = percent(float(run.mean[0].mean())), f"{run.steps[-1]:,} steps"
    says = Says(f"Mean keep probabilities start at {start}; after {steps} they are {_by_layer(run)}.")
    parts: list[Part] = [says, Figure("rate_paths", fig, alt)]
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
            *parts,
            Words(f"Without the entropy term only a run with N = {run.num_data:,} is shipped: this is it."),
        ]
    return Result(
        parts,
        (PENALTY, ENTROPY_OF_A_RATE, RELAXED_MASK),
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
