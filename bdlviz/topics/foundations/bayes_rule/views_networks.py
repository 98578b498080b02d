"""Bayes' rule over four networks: a table whose every number can be checked by hand."""

from __future__ import annotations

import numpy as np

from bdlviz.digits import SMALL, percent
from bdlviz.digits import number as rounded
from bdlviz.models import bayes_rule, four_networks
from bdlviz.models.four_networks import NAMES, FourPosteriors
from bdlviz.topics.foundations.bayes_rule import controls as c
from bdlviz.topics.foundations.bayes_rule import figures
from bdlviz.topics.foundations.bayes_rule.points import FOUR_REACH, Points, number, points_of_networks, points_snippet
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Formula, Numbers, Part, Result, Says, Screen, Setting, Table, Words

NUM_INPUTS = 161
SURE = 0.999  # of the posterior: more is said as more than this
TIE = 1e-9  # masses that differ by less, as a share of the largest, are equal
EXAMPLE = Words(
    "With N = 0 and the prior weights 1, 2, 1, 2 the masses are 1/6, 1/3, 1/6, 1/3, as in a lecture's example of "
    "averaging over four networks."
)
RULE = Formula(
    bayes_rule.update,
    "Prior times likelihood for each network, divided by the sum over the four.",
    {"p(w)": "prior", r"p(D \mid w)": "likelihood of the points D", r"p(w \mid D)": "posterior", "p(D)": "evidence"},
    {"p(w)": "prior", r"p(w \mid D)": "exact"},
)
LIKELIHOOD = Formula(
    bayes_rule.log_normal,
    "Minus the log-likelihood of Gaussian noise is the sum of squares over 2σ² plus a constant, so the most likely "
    "network has the least squares.",
    {"f_w(x_i)": "the function at a point", r"\sigma": "sd of the noise, in units of y", "N": "number of points"},
)
AVERAGE = Formula(
    bayes_rule.average,
    "The prediction is the mean of the four functions, each with its posterior as its weight.",
    {"f_w(x)": "function of network w, in units of y", r"\mathbb{E}[f(x)]": "the average"},
    {r"\mathbb{E}[f(x)]": "exact"},
)
X_RANGE = Y_RANGE = (-FOUR_REACH, FOUR_REACH)  # of the picture


def networks(setting: Setting, screen: Screen, _: object) -> Result:
    """The probabilities of the networks, their functions, and the table of Bayes' rule."""
    points = points_of(setting)
    prior = np.array([setting.number(control) for control in c.ODDS])
    found = four_networks.infer(points.x, points.y, prior, setting.number(c.FOUR_NOISE))
    at = setting.number(c.AT)
    heads, rows = table(found, at)
    says = Says(_sentence(found, points, setting[c.FOUR_TRUTH] == c.BETWEEN))
    return Result(
        [says, _picture(screen, found, points, at), Table(heads, rows), Numbers(_key_numbers(found, points))],
        (RULE, LIKELIHOOD, AVERAGE),
        (bayes_rule.update, four_networks.infer, bayes_rule.average),
        _snippet(points, prior, found.noise_std),
        _latex(found),
        tabs={"Average of the networks": lambda: _average(screen, found, points)},
    )


def points_of(setting: Setting) -> Points:
    """The points that are chosen."""
    truth = setting[c.FOUR_TRUTH]
    network = None if truth == c.BETWEEN else NAMES.index(truth)
    return points_of_networks(network, int(setting[c.FOUR_SEEN]), int(setting[c.SEED]))


def _picture(screen: Screen, found: FourPosteriors, points: Points, at: float) -> Figure:
    terms, picks = found.terms, (found.most_likely, found.most_probable)
    fig = figures.four_posteriors(
        prior=np.exp(terms.log_prior),
        likelihood=np.exp(terms.log_likelihood - terms.log_likelihood.max()),
        posterior=terms.posterior,
        predictive=found.predict(np.linspace(*X_RANGE, NUM_INPUTS)),
        x=points.x,
        y=points.y,
        names=NAMES,
        picks=picks,
        at=at,
        x_range=X_RANGE,
        y_range=Y_RANGE,
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    return Figure("four_beliefs", fig, figures.describe_four_posteriors(terms.posterior, NAMES, picks, len(points.x)))


def _average(screen: Screen, found: FourPosteriors, points: Points) -> list[Part]:
    """The four functions with their masses, and how far the average is from the most probable network."""
    predictive = found.predict(np.linspace(*X_RANGE, NUM_INPUTS))
    posterior = found.terms.posterior
    most = np.flatnonzero(posterior >= (1 - TIE) * posterior.max())
    gaps = predictive.mean[:, 0] - predictive.draws[most, :, 0]
    fig = figures.average_of_networks(
        posterior,
        predictive,
        points.x,
        points.y,
        names=NAMES,
        most=most,
        gaps=gaps,
        x_range=X_RANGE,
        y_range=Y_RANGE,
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    told = _about_gaps(most, gaps, predictive.x[:, 0], _share(float(posterior.max())))
    masses = ", ".join(f"network {name} {percent(mass)}" for name, mass in zip(NAMES, posterior, strict=True))
    return [Says(told), Figure("four_average", fig, f"Four functions and their average: {masses}. {told}"), EXAMPLE]


def _about_gaps(most: Array, gaps: Array, x: Array, share: str) -> str:
    """The largest distance of the average from each of the most probable networks, whose gaps are (M, P) at x (P,)."""
    largest, best = np.abs(gaps).max(1), NAMES[most[0]]
    if len(most) == 1 and largest[0] < SMALL:
        return f"The average is practically the function of network {best}, which has {share} of the posterior."
    if len(most) == 1:
        at = rounded(float(x[np.abs(gaps[0]).argmax()]), 2)
        return (
            f"The average differs from network {best}, the most probable one with {share}, by up to "
            f"{rounded(float(largest[0]), 2)}, at x = {at}."
        )
    which, by = _listed([NAMES[each] for each in most]), _listed([rounded(float(each), 2) for each in largest])
    return f"Networks {which} are most probable ({share} each); the average differs from them by up to {by}."


def _listed(words: list[str]) -> str:
    return f"{', '.join(words[:-1])} and {words[-1]}"


def table(found: FourPosteriors, at: float) -> tuple[list[str], list[list[str]]]:
    """Heads and rows of every term of Bayes' rule for each network and their sums, with their predictions at x."""
    terms = found.terms
    values = four_networks.evaluate(np.array([at]))[:, 0]
    heads = ["Network", "Prior p(w)", "Likelihood p(D|w)", "Numerator", "Posterior p(w|D)", f"f({number(at, 1)})"]
    rows = [
        [
            name,
            f"{np.exp(terms.log_prior[k]):.3f}",
            _scientific(terms.log_likelihood[k]),
            _scientific(terms.log_numerator[k]),
            f"{terms.posterior[k]:.4f}",
            number(values[k]),
        ]
        for k, name in enumerate(NAMES)
    ]
    mean, std = bayes_rule.average(terms.posterior, values[:, None])
    evidence, average = f"{_scientific(terms.log_evidence)} = p(D)", f"{number(float(mean[0]))} ± {float(std[0]):.2f}"
    return heads, [*rows, ["Sum, average", "1", "", evidence, "1", average]]


def _scientific(log_value: float) -> str:
    """The number with this logarithm, also where a float would round it to 0."""
    if np.isneginf(log_value):
        return "0"
    exponent = int(np.floor(log_value / np.log(10)))
    mantissa = float(np.exp(log_value - exponent * np.log(10)))
    return f"{mantissa * 10.0**exponent:.4f}" if -3 <= exponent <= 2 else f"{mantissa:.3f}e{exponent}".replace("-", "−")


def _sentence(found: FourPosteriors, points: Points, is_between: bool) -> str:
    """The network that has the most of the posterior, and what the average of all costs on new points."""
    posterior, count = found.terms.posterior, len(points.x)
    if not count:
        return "Without data all likelihoods are equal, so the posterior is the prior."
    seen = "1 point" if count == 1 else f"{count} points"
    loss = -float(found.log_predictive(points.x_test, points.y_test).mean())
    share = _share(float(posterior.max()))
    told = f"After {seen}, network {NAMES[found.most_probable]} has {share} of the posterior"
    if is_between:
        return f"{told}, but none of the four is right; surprise at new points: {rounded(loss)} nats."
    if found.most_likely != found.most_probable:
        return f"{told} because of its prior; the likelihood of network {NAMES[found.most_likely]} is larger."
    return f"{told}; new points surprise the average of all four by {rounded(loss)} nats."


def _share(mass: float) -> str:
    return percent(mass) if mass < SURE else f"over {percent(SURE)}"


def _key_numbers(found: FourPosteriors, points: Points) -> list[tuple[str, str, str]]:
    row = [
        ("Evidence log p(D) (nats)", number(found.terms.log_evidence), "The logarithm of the sum of the numerators.")
    ]
    functions = four_networks.evaluate(points.x_test)
    for name, pick in (("MLE", found.most_likely), ("MAP", found.most_probable)):
        losses = -bayes_rule.log_normal(np.square(points.y_test - functions[pick]), 1, found.noise_std)
        help_text = (
            f"Average surprise: mean of −log density of {len(points.x_test)} new points under network {NAMES[pick]}."
        )
        row.append((f"Surprise, {name} (nats)", number(float(losses.mean())), help_text))
    average = -float(found.log_predictive(points.x_test, points.y_test).mean())
    told = "The same under the posterior average. Lower is better; the order may differ for another data seed."
    return [*row, ("Surprise, average (nats)", number(average), told)]


def _latex(found: FourPosteriors) -> str:
    best, terms = found.most_probable, found.terms
    logs = terms.log_prior[best], terms.log_likelihood[best], terms.log_evidence
    prior, likelihood, evidence = (rf"e^{{{value:.2f}}}" for value in logs)
    left = rf"p(w = {NAMES[best]} \mid D)"
    return rf"{left} = \frac{{{likelihood} \cdot {prior}}}{{{evidence}}} = {terms.posterior[best]:.4f}"


def _snippet(points: Points, prior: Array, noise_std: float) -> str:
    return "\n".join(
        [
            "import numpy as np",
            "from bdlviz.models import four_networks",
            "",
            points_snippet(points),
            f"found = four_networks.infer(x, y, np.array({prior.tolist()}), noise_std={noise_std:g})",
            "print(found.terms.posterior, found.terms.log_evidence)",
            f"predictive = found.predict(np.linspace(-4, 4, {NUM_INPUTS}))",
        ]
    )
