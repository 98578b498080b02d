"""Learned keep probabilities of digits: of every pixel, of every layer, and over the training."""

from __future__ import annotations

import numpy as np

from bdlviz import plots
from bdlviz.methods import concrete_dropout
from bdlviz.methods.concrete_dropout import START_RATE
from bdlviz.topics.digits.concrete_dropout import figures, study
from bdlviz.topics.digits.concrete_dropout.controls import IMAGES, MOMENT, num_images
from bdlviz.topics.digits.concrete_dropout.run import WITHOUT, Run, Runs
from bdlviz.topics.digits.concrete_dropout.views_claims import tabs_of
from bdlviz.ui.jobs.shipped import SHAPES
from bdlviz.ui.model import Figure, Numbers, Part, Result, Screen, Setting, Words

HEIGHTS = (500, 400)  # px of the picture of pixels, wide and on a phone: a square and its scale
START_KEEP = 1 - START_RATE.default


def pixels(setting: Setting, screen: Screen, runs: Runs) -> Result:
    """Keep probability of every pixel at one moment of the training."""
    run, (height, width) = runs.chosen, SHAPES[setting[IMAGES]]
    at = int(np.abs(run.steps - setting.number(MOMENT)).argmin())
    kept = run.pixels[at].reshape(height, width)
    fig = plots.keep_probabilities(kept, theme=screen.theme, height=screen.by_width(*HEIGHTS))
    told = figures.describe_rates(run.names, list(run.mean[at]))
    picture = Figure("kept_pixels", fig, f"Keep probabilities of {height} x {width} pixels. {told}")
    return _result(setting, screen, run, [picture, _means(run, at)])


def layers(setting: Setting, screen: Screen, runs: Runs) -> Result:
    """How the keep probabilities of each layer are distributed at the end."""
    run = runs.chosen
    fig = figures.keep_histograms(dict(zip(run.names, run.keep.values(), strict=True)), theme=screen.theme)
    alt = figures.describe_rates(run.names, list(run.keep.values()))
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
    alt = figures.describe_rates(run.names, list(run.keep.values()))
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
