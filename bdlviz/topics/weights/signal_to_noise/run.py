"""One shipped run of Bayes by Backprop on digits, as the views draw it, and the numbers that every view shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from bdlviz import plots
from bdlviz.digits import number
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.weights.signal_to_noise import signal, study
from bdlviz.topics.weights.signal_to_noise.controls import IMAGES, PRESET
from bdlviz.topics.weights.signal_to_noise.figures import Line, Meaning
from bdlviz.topics.weights.signal_to_noise.study import CURVES, FRACTIONS, MANY_DRAWS, NUM_DRAWS
from bdlviz.types import Array
from bdlviz.ui.cache import remembered
from bdlviz.ui.controls.control import text
from bdlviz.ui.jobs.shipped import SHAPES
from bdlviz.ui.model import (
    Figure,
    Formula,
    Function,
    Need,
    Numbers,
    Obtained,
    Part,
    Result,
    Says,
    Screen,
    Setting,
    Words,
)

NOTEBOOK = "notebook"


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

    @property
    def is_wrong(self) -> Array:
        """Whether the mean of the draws is wrong on each held-out image, (N,)."""
        return self.extra["probabilities"].argmax(1) != self.extra["labels"]

    @property
    def spread(self) -> Array:
        """The standard deviation over draws of the largest class's probability, (N,)."""
        return self.extra["spread"].astype(np.float32)

    def cost(self, fraction: float, curve: str) -> tuple[float, float]:
        """By how many points the error rises without a fraction of the weights, and the standard error of that."""
        row, column = CURVES.index(curve), FRACTIONS.index(fraction)
        error = 100 * self.extra["removed_error"][row].astype(float)
        return float(error[column] - error[0]), float(100 * self.extra["removed_se"][row, column])

    def rises_from(self, curve: str) -> float:
        """The share of weights removed from which on the error is above its start by more than its 95 % interval."""
        costs = [self.cost(fraction, curve) for fraction in FRACTIONS]
        return FRACTIONS[1 + max(at for at, (points, error) in enumerate(costs) if points <= 1.96 * error)]

    def share_below(self, ratio: float) -> float:
        """Share of the weights whose signal-to-noise ratio is below this one."""
        return float(np.mean(np.concatenate([values.ravel() for values in self.ratios.values()]) < ratio))


# How a view gets it ---------------------------------------------------------------------------------------------------


def needed(setting: Setting) -> Need[Run]:
    """The chosen run."""
    return need_of(setting[IMAGES], setting[PRESET])


def notebook_needed(setting: Setting) -> Need[Run]:
    """The run of the notebook's network."""
    return need_of(setting[IMAGES], NOTEBOOK)


def need_of(images: str, preset: str) -> Need[Run]:
    """A shipped run."""
    name = study.name_of(images, preset)
    make = f"`python -m bdlviz train {name}` makes it in some minutes."
    return Need(name, shipped=lambda: shipped(images, preset), missing=make)


def shipped(images: str, preset: str) -> Run:
    """A shipped run.

    Raises:
        CheckpointError: it is missing, damaged or of an older version.
    """
    name = study.name_of(images, preset)
    fit, extra = shelf.shipped(name)
    needed = {"plain_nll" if preset == NOTEBOOK else "error_many"} | ({"unsure_rows"} if images == "mnist" else set())
    if not needed <= extra.keys():
        raise CheckpointError(f"The checkpoint {name} is of an older version.")
    return Run(images, preset, fit, extra)


# What every view says of it -------------------------------------------------------------------------------------------


def result_of(
    setting: Setting,
    screen: Screen,
    parts: Sequence[Part],
    formulas: tuple[Formula | Function, ...],
    code: tuple[Function, ...],
    call: Sequence[str],
) -> Result:
    """The result of a view, with the tab that shows the two parts of the bound of the chosen run."""
    bound = Obtained(needed(setting), lambda run: bound_parts(screen, run))
    return Result(parts, formulas, code, "\n".join(call), tabs={"Data term and KL": lambda: [bound]})


def numbers_of(run: Run) -> list[Part]:
    """Error, mean standard deviation, how many weights are noise, and the error without them."""
    error, many = (100 * float(run.extra[name][-1]) for name in ("error_bayes", "error_many"))
    three_quarters, most = (run.cost(fraction, "snr_draws") for fraction in (0.75, 0.95))
    count, mean_std = len(run.extra["labels"]), float(run.extra["mean_std"][-1])
    start = np.logaddexp(0, dict(run.fit.config.options)["start_rho"])
    values = Numbers(
        [
            (
                "Error, all weights",
                f"{error:.2f} %",
                f"Held-out, nothing removed: mean of {NUM_DRAWS} draws, {count:,} images.",
            ),
            ("Mean σ", text(float(f"{mean_std:.2g}")), f"Over all weights; it began at {start:.2g}."),
            ("Below SNR 1", f"{100 * run.share_below(1):.0f} %", "Share of weights whose σ is larger than their mean."),
            (
                "75 % / 95 % removed",
                f"{_signed(three_quarters[0])} / {_signed(most[0])}",
                "Points of error, weights of the lowest signal-to-noise ratio first, mean of the draws.",
            ),
        ]
    )
    told = Words(
        f"Removing 75 % of the weights costs {_points(three_quarters)}, 95 % {_points(most)}: ± one standard error of "
        f"the difference on the same {count:,} images, one training. A difference below it is no evidence. "
        f"{NUM_DRAWS} draws are few: the mean of {MANY_DRAWS} is wrong on {many:.2f} %."
    )
    return [values, told]


def _points(cost: tuple[float, float]) -> str:
    return f"{_signed(cost[0])} ± {cost[1]:.2f} points"


def _signed(points: float) -> str:
    return f"{points:+.2f}".replace("-", "−")


def bound_parts(screen: Screen, run: Run) -> list[Part]:
    """The two parts of the bound over training, in the same unit."""
    data_term, kl = run.extra["misfit"].astype(float) * run.fit.num_data, run.extra["kl"].astype(float)
    fig = plots.learning_curves(
        {"data term, one draw": data_term, "KL to the prior": kl},
        run.extra["step"],
        y_label="nats, all training images",
        theme=screen.theme,
    )
    told = f"data term {data_term[-1]:,.0f}, KL {kl[-1]:,.0f} nats at the end"
    words = (
        f"At the end the data term is {data_term[-1]:,.0f} nats and the KL {kl[-1]:,.0f} nats, "
        f"{kl[-1] / run.fit.num_data:,.1f} for each of {run.fit.num_data:,} images."
    )
    alt = f"The two parts of the bound over training: {told}."
    says = Says(
        f"At the end the images cost {number(data_term[-1])} nats of surprise, leaving the prior (KL) {number(kl[-1])}."
    )
    return [says, Figure("bound_parts", fig, alt), Words(words)]


def call_head(run: Run) -> list[str]:
    """Python that loads the run, and its means and standard deviations."""
    return [
        "from bdlviz.fitted import shelf",
        "from bdlviz.topics.weights.signal_to_noise import signal, study",
        "",
        f"fit, extra = shelf.shipped({run.name!r})",
        f"# or, in minutes: study.bayes({run.images!r}, {run.preset!r})",
        "mean, std = study.means_and_stds(fit)",
    ]


def lines_of(run: Run, names: Sequence[tuple[str, str, Meaning]]) -> list[Line]:
    """Held-out error in % by the fraction removed, for some of the curves: (curve, title, what it is of)."""
    fractions = np.array(FRACTIONS, float)
    rows = run.extra["removed_error"].astype(float)
    return [Line(name, fractions, 100 * rows[CURVES.index(curve)], of) for curve, name, of in names]
