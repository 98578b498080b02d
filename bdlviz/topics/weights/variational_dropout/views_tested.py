"""Noise on all weights of two finished networks: how many digits they still get right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np

from bdlviz import data
from bdlviz.digits import number, percent
from bdlviz.fits import Fit
from bdlviz.methods import gaussian_dropout, variational_dropout
from bdlviz.predictive.functions import evaluate
from bdlviz.topics.results.scoreboard.study import name_of
from bdlviz.topics.weights.variational_dropout import figures_tested
from bdlviz.topics.weights.variational_dropout.controls import TESTED, TESTED_WITH
from bdlviz.topics.weights.variational_dropout.views_digits import LOSS, METHOD
from bdlviz.types import Array
from bdlviz.ui.cache import remembered
from bdlviz.ui.jobs.shipped import SHAPES, shipped_need
from bdlviz.ui.model import Figure, Need, Result, Says, Screen, Setting, Words

IMAGES, PASSES, SEED = "digits", 10, 0  # passes through the held-out digits, each with new noise


@dataclass(frozen=True, eq=False)
class Tested:
    """Shares of held-out digits that are right with `TESTED` times the noise ``learned`` on all weights, (T,) each.

    ``learned`` is a standard deviation. The first network was trained with that noise, the other one without any.
    ``digit`` is the index of the digit that is right about as often as all, ``answers`` (T, S) are the first network's.
    """

    learned: float
    with_noise: Array
    plain: Array
    digit: int
    answers: Array


def needed(_: Setting) -> Need[Tested]:
    """Two shipped classifiers, tested with every noise."""

    def read(pairs: list[tuple[Fit, dict[str, Array]]]) -> Tested:
        (with_noise, _), (plain, _) = pairs
        alpha = float(np.mean([*variational_dropout.alphas(with_noise.single(float)).values()]))
        found, others = (remembered(fit, ("noise", alpha), partial(answers, fit, alpha)) for fit in (with_noise, plain))
        y = data.load(IMAGES).y_test
        right = (found == y).mean(1)
        typical = int(np.abs(right - right.mean(1, keepdims=True)).sum(0).argmin())
        return Tested(alpha**0.5, right.mean(1), (others == y).mean((1, 2)), typical, found[:, :, typical])

    return shipped_need(name_of(METHOD, IMAGES), name_of("map", IMAGES), read=read)


def answers(fit: Fit, alpha: float) -> Array:
    """The classes of held-out digits in `PASSES` passes with `TESTED` times the noise on all weights, (T, S, N).

    Its variance is ``alpha``. All levels multiply the same standard normal numbers.
    """
    digits, params = data.load(IMAGES), fit.single(np.float32)
    x = fit.scaling.standardise_x(digits.x_test).astype(np.float32)
    weights = {name: array for name, array in params.items() if not name.startswith(variational_dropout.LOG_ALPHA)}

    def with_noise(times: float) -> Array:
        noise, rng = dict.fromkeys(weights, times**2 * alpha), np.random.default_rng(SEED)
        draws = gaussian_dropout.noisy_draws(weights, noise, rng, PASSES)
        return evaluate(fit.model.network, draws, x).argmax(-1).astype(np.uint8)

    return np.array([with_noise(times) for times in TESTED])


def tested(setting: Setting, screen: Screen, found: Tested) -> Result:
    """One weight with the noise at test time, the answers for one digit, and accuracy against the noise."""
    times, digits = setting.number(TESTED_WITH), data.load(IMAGES)
    at, sd = TESTED.index(times), times * found.learned
    fig = figures_tested.accuracy_by_noise(
        np.array(TESTED, float),
        found.with_noise,
        found.plain,
        at,
        learned=found.learned,
        digit=digits.x_test[found.digit].reshape(SHAPES[IMAGES]),
        label=int(digits.y_test[found.digit]),
        answers=found.answers[at],
        theme=screen.theme,
        height=screen.by_width(460, 620),
        stacked=screen.is_narrow,
    )
    right, plain = (percent(float(shares[at])) for shares in (found.with_noise, found.plain))
    says = f"With {number(times)} × the training noise (± {percent(sd, 3)} of every weight), {right} of digits are "
    says += f"right; trained without noise, {plain} are."
    told = "Every weight is multiplied by a draw of N(1, α). The standard deviation √α was learned in training: "
    told += f"{number(found.learned, 2)}; in the test it is {number(sd, 2)}."
    return Result(
        [Says(says), Figure("noise_at_test", fig, says), Words(told)],
        (LOSS,),
        (gaussian_dropout.noisy_draws, answers),
        "\n".join(
            [
                "from bdlviz import data",
                "from bdlviz.fitted import shelf",
                "from bdlviz.methods import variational_dropout",
                "from bdlviz.topics.weights.variational_dropout import views_tested",
                "",
                f'fit, _ = shelf.shipped("{name_of(METHOD, IMAGES)}")',
                "alpha = sum(each.mean() for each in variational_dropout.alphas(fit.single()).values()) / 3",
                f'print((views_tested.answers(fit, alpha) == data.load("{IMAGES}").y_test).mean((1, 2)))',
            ]
        ),
    )
