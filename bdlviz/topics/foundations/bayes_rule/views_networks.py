"""Bayes' rule over four networks: a table whose every number can be checked by hand."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz.errors import InvalidInput
from bdlviz.models import bayes_rule, four_networks
from bdlviz.models.four_networks import NAMES, FourBeliefs
from bdlviz.topics.foundations.bayes_rule import figures
from bdlviz.topics.foundations.bayes_rule import views_setting as setting
from bdlviz.topics.foundations.bayes_rule.views_maps import points_snippet
from bdlviz.topics.foundations.bayes_rule.views_setting import Points, number
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow

SEEN_WITHIN = (-3.0, 1.8)  # x of the points: beyond, networks 1 and 3 part
NOISE_STD = 0.5  # in the points, whatever is assumed
NUM_INPUTS = 161
X_REACH, Y_REACH = 4.0, 4.0  # of the picture
BETWEEN = "between"

TRUTH = Control(
    "four_truth",
    "The points come from",
    (*NAMES, BETWEEN),
    "1",
    "buttons",
    "One of the networks, with noise of standard deviation 0.5; or half-way between networks 2 and 4.",
    {BETWEEN: "2 and 4"},
)
SEEN = number_control("four_points", "Points seen N", (0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 50, 100), 3)
NOISE = number_control(
    "four_noise",
    "Noise sd σ assumed",
    (0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 5),
    0.5,
    "Sharpens the likelihoods or blurs them; the noise in the points is 0.5.",
)
ODDS = tuple(
    number_control(f"odds_{name}", f"Prior weight, network {name}", (0, 1, 2, 3, 5, 10, 20), 1, "Divided by their sum.")
    for name in NAMES
)
AT = number_control("read_at", "Read the prediction at x", [each / 2 for each in range(-8, 9)], 3.5)
CONTROLS = (TRUTH, SEEN, NOISE, *ODDS, AT)


def choose() -> None:
    """Draw the controls of this view."""
    TRUTH.show()
    SEEN.show()
    NOISE.show()
    for control in ODDS:
        control.show()
    AT.show()
    setting.SEED.show()


def show_networks() -> Shown | None:
    """The beliefs, the functions, and the table of Bayes' rule."""
    points = made_points(TRUTH.present(), int(SEEN.present()), int(setting.SEED.present()))
    prior = np.array([float(control.present()) for control in ODDS])
    try:
        found = four_networks.believe(points.x, points.y, prior, float(NOISE.present()))
    except InvalidInput as error:
        st.error(str(error))
        return None
    at = float(AT.present())
    _draw(found, points, at)
    st.table(table(found, at))
    numbers(_key_numbers(found, points))
    return Shown(
        (bayes_rule.update, bayes_rule.log_normal, bayes_rule.average, four_networks.evaluate),
        (bayes_rule.update, four_networks.believe, bayes_rule.average),
        _snippet(points, prior, found.noise_std),
        _latex(found),
    )


def made_points(truth: str, count: int, seed: int) -> Points:
    """So many noisy points of the network that is the truth; more points begin with the same ones."""
    rng = np.random.default_rng(100 + seed)
    most = int(SEEN.options[-1])
    x, noise = rng.uniform(*SEEN_WITHIN, most), NOISE_STD * rng.standard_normal(most)
    x_test = rng.uniform(-X_REACH, X_REACH, setting.NUM_HELD_OUT)
    noise_test = NOISE_STD * rng.standard_normal(setting.NUM_HELD_OUT)
    x = x.round(3)
    y, y_test = _true_function(truth, x) + noise, _true_function(truth, x_test) + noise_test
    return Points(x[:count], y[:count].round(3), x_test, y_test)


def _true_function(truth: str, x: Array) -> Array:
    functions = four_networks.evaluate(x)
    return (functions[1] + functions[3]) / 2 if truth == BETWEEN else functions[NAMES.index(truth)]


def _draw(found: FourBeliefs, points: Points, at: float) -> None:
    inputs = np.linspace(-X_REACH, X_REACH, NUM_INPUTS)
    belief, picks = found.belief, (found.most_likely, found.most_believed)
    likelihood = np.exp(belief.log_likelihood - belief.log_likelihood.max())
    fig = figures.four_beliefs(
        prior=np.exp(belief.log_prior),
        likelihood=likelihood,
        posterior=belief.posterior,
        predictive=found.predict(inputs),
        x=points.x,
        y=points.y,
        names=NAMES,
        picks=picks,
        at=at,
        x_range=(-X_REACH, X_REACH),
        y_range=(-Y_REACH, Y_REACH),
        theme=present_theme(),
        stacked=is_narrow(),
    )
    alt = figures.describe_four_beliefs(belief.posterior, NAMES, picks, len(points.x))
    figure(fig, key="four_beliefs", alt=alt)
    st.caption(_says(found, points))


def table(found: FourBeliefs, at: float) -> list[dict[str, str]]:
    """Every term of Bayes' rule for each network and their sums; likelihoods may need powers of ten."""
    belief = found.belief
    values = four_networks.evaluate(np.array([at]))[:, 0]
    prediction = f"f({number(at, 1)})"
    rows = [
        {
            "Network": name,
            "Prior p(w)": f"{np.exp(belief.log_prior[k]):.3f}",
            "Likelihood p(D|w)": _scientific(belief.log_likelihood[k]),
            "Numerator": _scientific(belief.log_numerator[k]),
            "Posterior p(w|D)": f"{belief.posterior[k]:.4f}",
            prediction: number(values[k]),
        }
        for k, name in enumerate(NAMES)
    ]
    mean, std = bayes_rule.average(belief.posterior, values[:, None])
    total = {
        "Network": "Sum, average",
        "Prior p(w)": "1",
        "Likelihood p(D|w)": "",
        "Numerator": f"{_scientific(belief.log_evidence)} = p(D)",
        "Posterior p(w|D)": "1",
        prediction: f"{number(float(mean[0]))} ± {float(std[0]):.2f}",
    }
    return [*rows, total]


def _scientific(log_value: float) -> str:
    """The number with this logarithm, also where a float would round it to 0."""
    if np.isneginf(log_value):
        return "0"
    exponent = int(np.floor(log_value / np.log(10)))
    mantissa = float(np.exp(log_value - exponent * np.log(10)))
    return f"{mantissa * 10.0**exponent:.4f}" if -3 <= exponent <= 2 else f"{mantissa:.3f}e{exponent}".replace("-", "−")


def _says(found: FourBeliefs, points: Points) -> str:
    posterior, mle, best = found.belief.posterior, NAMES[found.most_likely], NAMES[found.most_believed]
    if not len(points.x):
        return "No data: all likelihoods are 1, so the posterior is the prior. Bands are what is not known yet."
    text = f"Maximum likelihood picks network {mle}, MAP network {best} with a belief of {posterior.max():.2f}. "
    if TRUTH.present() == BETWEEN and posterior.max() > 0.99:
        return (
            text + "All belief is in one network, and none of the four is right: the rule only weighs what it is given."
        )
    if mle != best:
        return text + "The prior outweighs the points so far."
    if posterior.max() < 0.9:
        return text + "The average keeps the others in mind, and says so where they part."
    return text + "The points have decided."


def _key_numbers(found: FourBeliefs, points: Points) -> list[tuple[str, str, str]]:
    row = [
        ("Evidence log p(D) (nats)", number(found.belief.log_evidence), "The logarithm of the sum of the numerators.")
    ]
    functions = four_networks.evaluate(points.x_test)
    for name, pick in (("MLE", found.most_likely), ("MAP", found.most_believed)):
        losses = -bayes_rule.log_normal(np.square(points.y_test - functions[pick]), 1, found.noise_std)
        help_text = (
            f"Mean negative log density of {len(points.x_test)} new points, −4 to 4, under network {NAMES[pick]}."
        )
        row.append((f"Loss, {name} (nats)", number(float(losses.mean())), help_text))
    average = -float(found.log_predictive(points.x_test, points.y_test).mean())
    row.append(
        (
            "Loss, average (nats)",
            number(average),
            "The same under the posterior average. Lower is better; another data seed may turn it.",
        )
    )
    return row


def _latex(found: FourBeliefs) -> str:
    best, belief = found.most_believed, found.belief
    terms = belief.log_prior[best], belief.log_likelihood[best], belief.log_evidence
    prior, likelihood, evidence = (rf"e^{{{value:.2f}}}" for value in terms)
    left = rf"p(w = {NAMES[best]} \mid D)"
    return rf"{left} = \frac{{{likelihood} \cdot {prior}}}{{{evidence}}} = {belief.posterior[best]:.4f}"


def _snippet(points: Points, prior: Array, noise_std: float) -> str:
    return "\n".join(
        [
            "import numpy as np",
            "from bdlviz.models import four_networks",
            "",
            points_snippet(points),
            f"found = four_networks.believe(x, y, np.array({prior.tolist()}), noise_std={noise_std:g})",
            "print(found.belief.posterior, found.belief.log_evidence)",
            f"predictive = found.predict(np.linspace(-4, 4, {NUM_INPUTS}))",
        ]
    )
