"""Exercises and predictions of the page regression/active_learning, with their checks."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.topics.regression.active_learning import acquisition
from bdlviz.types import Predictive


def _information_at_a() -> float:
    one = np.ones((1, 1))
    predictive = Predictive(one, one[None], one, 0.4 * one, 0.2 * one, 1)
    return acquisition.information(predictive, np.random.default_rng(0)).item()


def _is_greedy_by_draws(options: Mapping[str, str]) -> bool:
    wanted = ("bandit", "thompson", "exact", "0")
    return tuple(options[key] for key in ("active_look", "policy", "belief", "widened")) == wanted


ACTIVE_LEARNING: tuple[Exercise, ...] = (
    Number(
        "Two places can be measured. At A the epistemic sd is 0.4 and the noise 0.2, at B both are 1. Total variance "
        "is higher at B. How many nats of information about the function would a label at A give?",
        _information_at_a,
        0.04,
        "$\\frac12 \\log(1 + 0.4^2 / 0.2^2) = 0.80$, against $\\frac12 \\log 2 = 0.35$ at B: there a label "
        "gives little information. Total variance includes noise, which no label reduces.",
        "Choose *information* and open *Maths*.",
        "nats",
    ),
    Setting(
        "Set *a bandit* so that Thompson sampling, with the exact posterior, chooses as greedy does in every round.",
        _is_greedy_by_draws,
        {"active_look": "bandit", "widened": "0"},
        "With the posterior's sd times 0 every draw is the mean, and both lose 26.0 on average. Thompson "
        "sampling explores only because its draws differ from the mean: without that it is greedy.",
        "Greedy uses the mean, Thompson sampling uses a draw. When is a draw equal to the mean?",
    ),
)

BEFORE_NOISE = Prediction(
    Choice(
        "The noise grows to the right; in half of the pool its sd is above 0.3. Labels are asked for where the total "
        "variance, noise included, is highest. Where will twenty of them go?",
        (
            "Nearly all into the noise.",
            "About half into the noise, like the points of the pool.",
            "Nearly all where the noise is low.",
        ),
        0,
        "No label lowers the noise, so the noisy points keep the highest variance, and few labels go elsewhere. In "
        "each of five runs at least 18 of the 20 labels went into the noise.",
    ),
    {"pool": "heteroscedastic", "ask": "total", "learner": "deep_ensemble", "asked": "0"},
)

BEFORE_DROPOUT_ASKS = Prediction(
    Choice(
        "The Gaussian process asks where its functions differ most, and needs 3.6 ± 3.2 fewer labels than random "
        "choice (95 %, five runs). Next, labels are asked for in the same way by the draws of MC dropout. How good is "
        "its curve after 19 labels?",
        (
            "Better than with labels at random.",
            "As good as with labels at random.",
            "Worse than with labels at random.",
        ),
        2,
        "At the labelled points its draws differ nearly as much as before, so it asks at the same places again. Over "
        "five runs the RMSE is 0.18 ± 0.05, at random 0.08 ± 0.02 (95 %).",
    ),
    {"pool": "two_clusters", "asked": "19"},
)

BEFORE_GREEDY = Prediction(
    Choice(
        "Thompson sampling stands at the best arm at the end of 88 % of its runs. Greedy takes the arm with the "
        "highest mean in every round. In how many of its runs will it stand at the best arm?",
        ("In about as many.", "In less than half of them.", "In none."),
        1,
        "In 31 % of 120 runs. Once an arm is good enough, no other is ever tried. The first tries decide which "
        "arm that is.",
    ),
    {"active_look": "bandit"},
)
