"""More noise at test time than in training: how many digits two finished networks still get right."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from scipy.special import ndtr

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
from bdlviz.ui.jobs.shipped import shipped_need
from bdlviz.ui.model import Figure, Need, Result, Says, Screen, Setting, Words

IMAGES, PASSES, SEED = "digits", 10, 0  # passes through the held-out digits, each with new noise


@dataclass(frozen=True, eq=False)
class Tested:
    """Shares of held-out digits that are right with `TESTED` times the noise ``learned`` on all weights, (T,) each.

    The first network was trained with that noise, which it has learned, the other one without any.
    """

    learned: float
    with_noise: Array
    plain: Array


def needed(_: Setting) -> Need[Tested]:
    """Two shipped classifiers, tested with every noise."""

    def read(pairs: list[tuple[Fit, dict[str, Array]]]) -> Tested:
        (with_noise, _), (plain, _) = pairs
        alpha = float(np.mean([*variational_dropout.alphas(with_noise.single(float)).values()]))
        both = (remembered(fit, ("noise", alpha), partial(accuracies, fit, alpha)) for fit in (with_noise, plain))
        return Tested(alpha, *both)

    return shipped_need(name_of(METHOD, IMAGES), name_of("map", IMAGES), read=read)


def accuracies(fit: Fit, alpha: float) -> Array:
    """The mean accuracy on held-out digits of `PASSES` passes with `TESTED` times the noise alpha on all weights, (T,).

    All levels multiply the same standard normal numbers.
    """
    digits, params = data.load(IMAGES), fit.single(np.float32)
    x = fit.scaling.standardise_x(digits.x_test).astype(np.float32)
    weights = {name: array for name, array in params.items() if not name.startswith(variational_dropout.LOG_ALPHA)}

    def accuracy(times: float) -> float:
        noise, rng = dict.fromkeys(weights, times * alpha), np.random.default_rng(SEED)
        answers = evaluate(fit.model.network, gaussian_dropout.noisy_draws(weights, noise, rng, PASSES), x)
        return float((answers.argmax(-1) == digits.y_test).mean())

    return np.array([accuracy(times) for times in TESTED])


def tested(setting: Setting, screen: Screen, found: Tested) -> Result:
    """Accuracy against the noise at test time, and the values that a weight takes with it."""
    times = setting.number(TESTED_WITH)
    at, alpha = TESTED.index(times), times * found.learned
    fig = figures_tested.accuracy_by_noise(
        np.array(TESTED),
        {"trained with noise": found.with_noise, "trained without": found.plain},
        at,
        alpha,
        float(ndtr(-1 / np.sqrt(alpha))),
        theme=screen.theme,
        height=screen.by_width(460, 560),
        stacked=screen.is_narrow,
    )
    here, plain = (percent(float(each[at])) for each in (found.with_noise, found.plain))
    noise = f"With {'' if times == 1 else f'{number(times)} times '}the noise of training"
    says = f"{noise}, {here} of held-out digits are right; after training without noise, {plain}."
    told = f"Every weight is multiplied by a draw of N(1, α): in training α = {number(found.learned, 2)}, which was "
    told += f"learned; in the test {number(alpha, 2)}."
    return Result(
        [Says(says), Figure("noise_at_test", fig, says), Words(told)],
        (LOSS,),
        (gaussian_dropout.noisy_draws, accuracies),
        "\n".join(
            [
                "from bdlviz.fitted import shelf",
                "from bdlviz.methods import variational_dropout",
                "from bdlviz.topics.weights.variational_dropout import views_tested",
                "",
                f'fit, _ = shelf.shipped("{name_of(METHOD, IMAGES)}")',
                "alpha = sum(each.mean() for each in variational_dropout.alphas(fit.single()).values()) / 3",
                "print(views_tested.accuracies(fit, alpha))",
            ]
        ),
    )
