"""Bayes by Backprop on digits: the shipped runs, what a page chooses among them, and the numbers that matter."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.weights.signal_to_noise import signal, study
from bdlviz.topics.weights.signal_to_noise.figures import Line, Meaning
from bdlviz.topics.weights.signal_to_noise.study import CURVES, FRACTIONS, MANY_DRAWS, NUM_DRAWS
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control, number_control, text
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.jobs.memory import remembered
from bdlviz.ui.jobs.shipped import SHAPES

IMAGES = Control(
    "images",
    "Images",
    ("mnist", "digits"),
    "mnist",
    "buttons",
    "All 60,000 images of MNIST, or scikit-learn's 8×8 digits.",
    {"mnist": "MNIST", "digits": "8×8 digits"},
)
PRESET = Control(
    "preset",
    "Standard deviations",
    study.PRESETS,
    "honest",
    "buttons",
    "Learned in earnest, or so small at the start that they never matter.",
    {"honest": "learned", "small_sigma": "tiny"},
)
REMOVED = number_control(
    "removed", "Weights removed (%)", [100 * each for each in FRACTIONS], 75, "The lowest of the whole network first."
)
PREDICTS = Control(
    "predicts",
    "Predicts",
    ("draws", "means"),
    "draws",
    "buttons",
    f"The mean of {NUM_DRAWS} draws of the weights that are left, or one pass through their means.",
    {"draws": f"{NUM_DRAWS} draws", "means": "the means"},
)
CONTROLS = (IMAGES, PRESET, REMOVED, PREDICTS)
NAMES = {"mnist": "MNIST", "digits": "8×8 digits"}


@dataclass(frozen=True, eq=False)
class Run:
    """One shipped network with the arrays of `bdlviz.topics.weights.signal_to_noise.study` beside it."""

    images: str
    preset: str
    fit: Fit
    extra: dict[str, Array]

    @property
    def name(self) -> str:
        """Of its checkpoint."""
        return study.name_of(self.images, self.preset)

    @property
    def shape(self) -> tuple[int, int]:
        """Of an image, in pixels."""
        return SHAPES[self.images]

    @cached_property
    def parts(self) -> tuple[dict[str, Array], dict[str, Array]]:
        """Means and standard deviations, by the names of the weights."""
        return study.means_and_stds(self.fit)

    @cached_property
    def ratios(self) -> dict[str, Array]:
        """The signal-to-noise ratio of every weight, by name."""
        return remembered(self.fit, "signal to noise", lambda: signal.signal_to_noise(*self.parts))

    @property
    def epochs(self) -> Array:
        """The moments of the training, (T,)."""
        steps_per_epoch = -(-self.fit.num_data // (self.fit.config.batch_size or self.fit.num_data))
        return self.extra["step"] / steps_per_epoch

    def cost(self, fraction: float, curve: str) -> tuple[float, float]:
        """Points of error that removing a fraction costs, and the standard error of that."""
        row, column = CURVES.index(curve), FRACTIONS.index(fraction)
        error = 100 * self.extra["removed_error"][row].astype(float)
        return float(error[column] - error[0]), float(100 * self.extra["removed_se"][row, column])

    def share_below(self, ratio: float) -> float:
        """Share of the weights whose signal-to-noise ratio is below this one."""
        return float(np.mean(np.concatenate([values.ravel() for values in self.ratios.values()]) < ratio))


def choose() -> None:
    """Draw the controls that choose a run, with a sentence on each kind."""
    IMAGES.show()
    if PRESET.show() == "honest":
        st.caption("σ is learned and the KL term has its full weight: most weights end as noise of the prior's width.")
    else:
        st.caption(
            "σ starts at 0.00005 and stays tiny: nearly a plain network. On MNIST the KL term has a tenth of its "
            "weight here, and training is short, since Adam would move σ away from its start. This is another setting "
            "than the paper's, whose four errors stand beside ours under *Published numbers*."
        )


def present_run(preset: str = "") -> Run | None:
    """The chosen run, or the notebook's; None, and a sentence on the page, where it cannot be used."""
    return found(IMAGES.present(), preset or PRESET.present())


def found(images: str, preset: str) -> Run | None:
    """A shipped run; None, and a sentence on the page, where it is missing, damaged or of an older version."""
    name = study.name_of(images, preset)
    try:
        fit, extra = shelf.shipped(name)
    except CheckpointError as error:
        st.warning(f"{error} `python -m bdlviz train {name}` makes it in some minutes.")
        return None
    needed = {"plain_nll" if preset == "notebook" else "error_many"} | ({"unsure_rows"} if images == "mnist" else set())
    if not needed <= extra.keys():
        st.warning(f"The checkpoint {name} is of an older version: `python -m bdlviz train {name}` makes it again.")
        return None
    return Run(images, preset, fit, extra)


def present_fraction() -> float:
    """The fraction of weights removed that the slider says."""
    return FRACTIONS[REMOVED.options.index(REMOVED.present())]


def show_numbers(run: Run) -> None:
    """Error, mean standard deviation, how many weights are noise, and what removing them costs."""
    error, many = (100 * float(run.extra[name][-1]) for name in ("error_bayes", "error_many"))
    three_quarters, most = (run.cost(fraction, "snr_draws") for fraction in (0.75, 0.95))
    count, mean_std = len(run.extra["labels"]), float(run.extra["mean_std"][-1])
    numbers(
        [
            (
                "Error, all weights",
                f"{error:.2f} %",
                f"Held-out, nothing removed: mean of {NUM_DRAWS} draws, {count:,} images.",
            ),
            ("Mean σ", text(float(f"{mean_std:.2g}")), f"Over all weights; it began at {_start(run)}."),
            ("Below SNR 1", f"{run.share_below(1):.0%}", "Share of weights whose σ is larger than their mean."),
            (
                "75 % / 95 % removed",
                f"{_signed(three_quarters[0])} / {_signed(most[0])}",
                "Points of error, weights of the lowest signal-to-noise ratio first, mean of the draws.",
            ),
        ]
    )
    st.caption(
        f"Removing 75 % of the weights costs {_points(three_quarters)}, 95 % {_points(most)}: ± one standard error of "
        f"the difference on the same {count:,} images, one training. A difference below it is no difference. "
        f"{NUM_DRAWS} draws are few: the mean of {MANY_DRAWS} is wrong on {many:.2f} %."
    )


def _start(run: Run) -> str:
    return f"{np.logaddexp(0, dict(run.fit.config.options)['start_rho']):.2g}"


def _points(cost: tuple[float, float]) -> str:
    return f"{_signed(cost[0])} ± {cost[1]:.2f} points"


def _signed(points: float) -> str:
    return f"{points:+.2f}".replace("-", "−")


def show_parts() -> None:
    """The two parts of the bound over training, in the same unit."""
    run = present_run()
    if run is None:
        return
    data_term, kl = run.extra["misfit"].astype(float) * run.fit.num_data, run.extra["kl"].astype(float)
    fig = plots.learning_curves(
        {"data term, one draw": data_term, "KL to the prior": kl},
        run.extra["step"],
        y_label="nats, all training images",
        theme=present_theme(),
    )
    told = f"data term {data_term[-1]:,.0f}, KL {kl[-1]:,.0f} nats at the end"
    figure(fig, key="bound_parts", alt=f"The two parts of the bound over training: {told}.")
    st.markdown(
        f"At the end the data term is {data_term[-1]:,.0f} nats and the KL {kl[-1]:,.0f} nats, "
        f"{kl[-1] / run.fit.num_data:,.1f} for each of {run.fit.num_data:,} images."
    )


def lines_of(run: Run, names: Sequence[tuple[str, str, Meaning]]) -> list[Line]:
    """Held-out error in % by the fraction removed, for some of the curves: (curve, what to call it, what it is of)."""
    fractions = np.array(FRACTIONS, float)
    rows = run.extra["removed_error"].astype(float)
    return [Line(name, fractions, 100 * rows[CURVES.index(curve)], of) for curve, name, of in names]
