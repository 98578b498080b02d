"""The evidence is the bound plus a divergence, whatever q is. The small case is the page's straight line."""

from __future__ import annotations

import numpy as np

from bdlviz.lectures.derivation import Derivation, Sides, Step
from bdlviz.lectures.small_cases import LOG_TWO_PI
from bdlviz.models import divergences, targets
from bdlviz.topics.foundations.variational_or_mcmc import gaussian_fit
from bdlviz.types import Array

LINE = targets.find("line")
ONE_WEIGHT = np.array([0.4, 0.1])  # a place that is nothing special
MEAN, STD = np.array([0.2, 0.6]), np.array([0.3, 0.2])  # of a q that is not the posterior
FACTOR = np.diag(STD)
ENTROPY = float(np.log(STD).sum() + 1 + LOG_TWO_PI)


def _log_evidence() -> float:
    """The targets are Gaussian once the weights are integrated out: y ~ N(0, prior_std^2 X X' + noise_std^2 I)."""
    design = np.stack([np.ones_like(LINE.x), LINE.x], axis=1)
    covariance = LINE.prior_std**2 * design @ design.T + LINE.noise_std**2 * np.eye(len(LINE.x))
    distance = LINE.y @ np.linalg.solve(covariance, LINE.y)
    return float(-0.5 * (distance + np.linalg.slogdet(covariance)[1] + len(LINE.x) * LOG_TWO_PI))


def _log_posterior(weights: Array) -> float:
    mean, precision = targets.line_moments(LINE)
    gap = weights - mean
    return float(0.5 * (np.linalg.slogdet(precision)[1] - gap @ precision @ gap) - LOG_TWO_PI)


def _expected_log_posterior() -> float:
    _, precision = targets.line_moments(LINE)
    return _log_posterior(MEAN) - 0.5 * float(np.diag(precision) @ STD**2)


def _elbo() -> float:
    return gaussian_fit.elbo(LINE, MEAN, FACTOR)


def bayes_rule() -> Sides:
    """The evidence by integrating the weights out, and by Bayes' rule at one place."""
    return Sides(_log_evidence(), float(LINE.log_joint(ONE_WEIGHT)) - _log_posterior(ONE_WEIGHT))


def expectation() -> Sides:
    """The evidence, and the mean over q of both logarithms."""
    return Sides(_log_evidence(), _elbo() - ENTROPY - _expected_log_posterior())


def decomposition() -> Sides:
    """The evidence by a sum over a grid; the bound by a lattice, and the divergence between two Gaussians."""
    divergence = -ENTROPY - _expected_log_posterior()
    return Sides(targets.grid_of(LINE.name).log_evidence, _elbo() + divergence)


def inequality() -> Sides:
    """The bound of this q, and the evidence."""
    return Sides(_elbo(), _log_evidence())


def equality() -> Sides:
    """The bound where q is the posterior, and the evidence."""
    mean, precision = targets.line_moments(LINE)
    factor = np.linalg.cholesky(np.linalg.inv(precision))
    return Sides(gaussian_fit.elbo(LINE, mean, factor), _log_evidence())


def fit_and_prior() -> Sides:
    """The bound by its lattice; the expected fit and the divergence from the prior in closed form."""
    f = MEAN[0] + MEAN[1] * LINE.x
    variance = STD[0] ** 2 + STD[1] ** 2 * LINE.x**2
    squares = (np.square(LINE.y - f) + variance) / LINE.noise_std**2
    fit = -0.5 * float((squares + LOG_TWO_PI + 2 * np.log(LINE.noise_std)).sum())
    return Sides(_elbo(), fit - float(divergences.gaussian(MEAN, STD, 1 / LINE.prior_std).sum()))


def gradients() -> Sides:
    """Gradient of the bound by the mean of the first weight, and of the divergence with its sign turned."""
    mean, precision = targets.line_moments(LINE)
    by_mean = gaussian_fit.elbo_and_gradient(LINE, MEAN, FACTOR)[1]
    return Sides(float(by_mean[0]), -float((precision @ (MEAN - mean))[0]))


EVIDENCE = Derivation(
    title="Evidence = ELBO + KL",
    claim=r"Raising the bound brings $q$ closer to the posterior, although $\log p(\mathcal{D})$ is not known.",
    steps=(
        Step(
            "Bayes' rule, read for the evidence",
            r"\log p(\mathcal{D}) = \log p(\mathcal{D}, w) - \log p(w \mid \mathcal{D})",
            r"$p(w \mid \mathcal{D}) = p(\mathcal{D}, w) / p(\mathcal{D})$. It holds at every $w$; the right side is "
            "the same number everywhere.",
            "The level line at the top of the lower chart.",
            ("log p(D)",),
            bayes_rule,
        ),
        Step(
            "Average over any q",
            r"\log p(\mathcal{D}) = \mathbb{E}_q[\log p(\mathcal{D}, w)] - \mathbb{E}_q[\log p(w \mid \mathcal{D})]",
            "The left side is a constant: its mean under any distribution is itself.",
            "q is the pair of blue ellipses on the posterior.",
            sides=expectation,
        ),
        Step(
            "Add and subtract log q",
            r"\log p(\mathcal{D}) = \underbrace{\mathbb{E}_q\left[\log \frac{p(\mathcal{D}, w)}{q(w)}\right]}"
            r"_{\operatorname{ELBO}(q)} + \underbrace{\mathbb{E}_q\left[\log \frac{q(w)}{p(w \mid \mathcal{D})}"
            r"\right]}_{\operatorname{KL}[q \Vert p(w \mid \mathcal{D})]}",
            r"$\mathbb{E}_q[\log q(w)]$ is taken from one term and given to the other: the expectation is linear.",
            "In the chart below the picture: the blue line, and the green area above it up to the black line.",
            ("ELBO", "KL[q ‖ p]", "log p(D)"),
            decomposition,
        ),
        Step(
            "A divergence is never negative",
            r"\operatorname{ELBO}(q) \le \log p(\mathcal{D})",
            r"Jensen: the logarithm is concave, so $-\operatorname{KL} = \mathbb{E}_q[\log (p / q)] \le "
            r"\log \mathbb{E}_q[p / q] \le \log 1 = 0$.",
            "The blue line never crosses the level line.",
            ("ELBO", "log p(D)"),
            inequality,
            "<=",
        ),
        Step(
            "Equal at the posterior only",
            r"q(w) = p(w \mid \mathcal{D}) \;\Rightarrow\; \operatorname{ELBO}(q) = \log p(\mathcal{D})",
            "Jensen's inequality is an equality only where the ratio inside the logarithm is constant.",
            "Choose full covariance: the green area nearly vanishes. Mean field has no correlation and keeps some.",
            ("KL[q ‖ p]",),
            equality,
        ),
        Step(
            "Split the joint: fit and prior",
            r"\operatorname{ELBO}(q) = \mathbb{E}_q[\log p(\mathcal{D} \mid w)]"
            r" - \operatorname{KL}[q(w) \Vert p(w)]",
            r"The product rule, $p(\mathcal{D}, w) = p(\mathcal{D} \mid w)\, p(w)$. This is the form that every method "
            "with a KL term computes: no posterior is left in it.",
            "The height of the blue line.",
            ("ELBO",),
            fit_and_prior,
        ),
        Step(
            "Maximise the one, minimise the other",
            r"\nabla_\mu \operatorname{ELBO} = -\nabla_\mu \operatorname{KL}[q \Vert p(w \mid \mathcal{D})]",
            r"$\log p(\mathcal{D})$ does not depend on $q$, so the gradients of the two add up to 0.",
            "In every step the blue line rises by as much as the green area above it shrinks.",
            ("ELBO", "KL[q ‖ p]"),
            gradients,
        ),
    ),
    source="Blei, Kucukelbir & McAuliffe 2017; Bishop 2006, section 10.1",
)
