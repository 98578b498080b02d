"""The rows of the scoreboard: every method that classifies, with its shipped fit and scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.methods import ordered
from bdlviz.predictive import calibration
from bdlviz.predictive.intervals import mean_interval
from bdlviz.topics.results.scoreboard import study
from bdlviz.types import Array, FitConfig, MethodSpec
from bdlviz.ui.cache import memoised
from bdlviz.ui.jobs.shipped import IMAGES
from bdlviz.ui.model import Need, Setting

CLASSIFIERS = {spec.name: spec for spec in ordered() if "classification" in spec.tasks and not spec.is_generative}
ON_BOARD = {name: spec for name, spec in CLASSIFIERS.items() if name in study.on_board("digits")}
NEEDED = {"probabilities", "one_pass", "labels", "rotation_expected", "entropy_shuffled", "ece_interval", "samples"}


@dataclass(frozen=True, eq=False)
class Row:
    """A method with its fit and scores, or with the sentence that says why they are missing."""

    spec: MethodSpec
    fit: Fit | None = None
    scores: Mapping[str, Array] | None = None
    problem: str = ""

    @property
    def known(self) -> Mapping[str, Array]:
        """The scores of a method that has them."""
        assert self.scores is not None
        return self.scores

    @property
    def is_averaged(self) -> bool:
        """True if the mean of many networks differs from one of them."""
        return self.scores is not None and not np.array_equal(self.scores["probabilities"], self.scores["one_pass"])

    def of_seeds(self, key: str, refused: float = 0.0) -> Array | None:
        """A score of every seed, (R,); None where it is missing."""
        if self.scores is None:
            return None
        if key == "kept":
            return 1 - np.array([curve.risk_after_refusing(refused) for curve in self.risks])
        return self.scores.get(key)

    def in_percent(self, key: str) -> tuple[float, float] | None:
        """Mean and standard deviation of a score over the seeds, in per cent; None where it is missing."""
        values = self.of_seeds(key)
        return None if values is None else (100 * float(values.mean()), 100 * float(values.std(ddof=1)))

    @property
    def is_beyond_chance(self) -> bool | None:
        """Is the calibration error above what chance allows? None where the 95 % interval over seeds has both."""
        _, low, high = mean_interval(self.known["ece"] - self.known["ece_chance"])
        return True if low > 0 else False if high < 0 else None

    @property
    def risks(self) -> list[calibration.RiskCoverage]:
        """The risk-coverage curve of every seed."""
        answers = zip(self.known["probabilities"], self.known["predictive_entropy"], strict=True)
        labels = self.known["labels"]
        return [calibration.risk_coverage(entropy, calibration.is_correct(p, labels)) for p, entropy in answers]


def needed(setting: Setting) -> Need[list[Row]]:
    """What every view of the scoreboard draws: the rows of the chosen images."""
    images = setting[IMAGES]
    return Need(("scoreboard", images), shipped=lambda: rows(images))


def rows(images: str) -> list[Row]:
    """Every method of the registry that classifies and has a study, with what is shipped of it."""
    return [_row(ON_BOARD[name], images) for name in study.on_board(images)]


def _row(spec: MethodSpec, images: str) -> Row:
    name = study.name_of(spec.name, images)
    again = f"`python -m bdlviz train {name}` makes it."
    try:
        fit, extra = shelf.shipped(name)
    except CheckpointError as error:
        return Row(spec, problem=f"{error} {again}")
    if not extra.keys() >= NEEDED or fit.config != _config(spec.name, images):
        return Row(spec, problem=f"The checkpoint {name} is of other settings or data than today's. {again}")
    return Row(spec, fit, extra)


@memoised()
def _config(method: str, images: str) -> FitConfig:
    return study.config_of(method, images)


def chosen(found: Sequence[Row], method: str) -> Row | None:
    """The row of a method, or else the first one with scores; None where no row has any."""
    present = [row for row in found if row.scores is not None]
    return next((row for row in present if row.spec.name == method), present[0] if present else None)


# Numbers of several seeds as text -------------------------------------------------------------------------------------


def mean_sd(values: Array, decimals: int = 1) -> str:
    """Mean and standard deviation over the seeds."""
    return f"{float(values.mean()):.{decimals}f} ± {float(values.std(ddof=1)):.{decimals}f}"


def smallest_to_largest(values: Array) -> str:
    """The range over the seeds."""
    return f"{values.min():.3f} to {values.max():.3f} over {len(values)} seeds"
