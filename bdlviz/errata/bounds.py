"""Errata about the bound: the evidence that is left out, expectations under log q, sums of draws, and its direction."""

from __future__ import annotations

import numpy as np

from bdlviz.errata.base import Effect, Erratum, Number, written
from bdlviz.errata.figures import Comparison, Curve, Panel
from bdlviz.errata.one_weight import LOG_TWO_PI, one_weight
from bdlviz.predictive import bounds, latent
from bdlviz.types import Array

STDS = np.geomspace(0.05, 1.0, 120)
NUM_DRAWS = 5  # m

# The evidence ---------------------------------------------------------------------------------------------------------


def kl_without_evidence(kl_to_prior: Array, expected_log_likelihood: Array, log_evidence: float) -> Array:
    r"""KL of q to the posterior as printed, all of one shape.

    $$ \operatorname{KL}[q \Vert p(w \mid D)] = \operatorname{KL}[q \Vert p(w)] - \mathbb{E}_q[\log p(D \mid w)] $$
    """
    return kl_to_prior - expected_log_likelihood


def kl_to_posterior(kl_to_prior: Array, expected_log_likelihood: Array, log_evidence: float) -> Array:
    r"""KL of q to the posterior in nats, all of one shape.

    $$ \operatorname{KL}[q \Vert p(w \mid D)] = \operatorname{KL}[q \Vert p(w)] - \mathbb{E}_q[\log p(D \mid w)]
       + \log p(D) $$
    """
    return kl_to_prior - expected_log_likelihood + log_evidence


def measure_evidence() -> Effect:
    """Both expressions against the standard deviation of q, whose mean is that of the posterior."""
    model = one_weight()
    mean, exact = model.posterior
    stds = np.sort(np.append(STDS, exact))
    parts = latent.kl_per_dimension(np.array(mean), stds), model.expected_log_likelihood(mean, stds)
    wrong, right = (rule(*parts, model.log_evidence) for rule in (kl_without_evidence, kl_to_posterior))
    off, good = float(wrong.min()), abs(float(right.min()))
    says = (
        f"The distance of the exact posterior to itself must be 0; as printed it is {off:.2f} nats (right: {good:.2f})."
    )
    panel = Panel([Curve("without log p(D)", stds, wrong, "wrong"), Curve("with log p(D)", stds, right, "right")])
    return Effect(
        Number("✗ KL, exact q (nats)", off, ".2f"),
        Number("✓ KL, exact q (nats)", good, ".2f"),
        (Number("log p(D) (nats)", model.log_evidence, ".2f"), Number("Posterior σ", exact)),
        says,
        Comparison(
            [panel], "Standard deviation σ of q", "KL in nats", (0.05, 1.0), (-2.0, 1.3 * off), (True, False), says
        ),
    )


# Expectations under log q ---------------------------------------------------------------------------------------------


def weights_under_log_q(w: Array, mean: float, std: float) -> Array:
    r"""The weights (W,) of an expectation under log q, at weights w (W,).

    $$ \mathbb{E}_{\log q}[f] = \int \log q(w)\, f(w)\, dw $$
    """
    return -0.5 * np.square((w - mean) / std) - np.log(std) - 0.5 * LOG_TWO_PI


def weights_under_q(w: Array, mean: float, std: float) -> Array:
    r"""The weights (W,) of an expectation under q, at weights w (W,).

    $$ \mathbb{E}_q[f] = \int q(w)\, f(w)\, dw $$
    """
    return np.exp(weights_under_log_q(w, mean, std))


def measure_log_q() -> Effect:
    """What both give to f = 1, over five standard deviations of the exact posterior on each side."""
    mean, std = one_weight().posterior
    w = mean + std * np.linspace(-5, 5, 401)
    wrong, right = (rule(w, mean, std) for rule in (weights_under_log_q, weights_under_q))
    off, good = (float(np.trapezoid(curve, w)) for curve in (wrong, right))
    says = (
        "The weights of a mean add up to 1; with log q as the weight they add up to "
        f"{written(off, '.2f')} (right: {good:.2f})."
    )
    panel = Panel([Curve("log q(w)", w, wrong, "wrong"), Curve("q(w)", w, right, "right")])
    return Effect(
        Number("✗ E[1]", off, ".2f", "Over five standard deviations on each side; over all w it is −∞."),
        Number("✓ E[1]", good, ".2f", "Over five standard deviations on each side."),
        (Number("Least weight, log q", float(wrong.min()), ".1f"), Number("Posterior σ", std)),
        says,
        Comparison([panel], "Weight w", "Weight in the expectation", (w[0], w[-1]), (-13.0, 2.5), says=says),
    )


# Sums over draws ------------------------------------------------------------------------------------------------------


def bound_summed_to_n(terms: Array, num_data: int) -> float:
    r"""The bound from terms (m,) of m draws, if the sum has as many terms as there are points, n.

    $$ \frac1m \sum_{i=1}^{n} \left[\log p(D \mid w_i) + \log p(w_i) - \log q(w_i)\right] $$
    """
    return float(np.resize(terms, num_data).sum() / len(terms))


def bound_summed_to_m(terms: Array, num_data: int) -> float:
    r"""The bound from terms (m,) of m draws.

    $$ \frac1m \sum_{i=1}^{m} \left[\log p(D \mid w_i) + \log p(w_i) - \log q(w_i)\right] $$
    """
    return float(terms.mean())


def measure_sum_to_n() -> Effect:
    """The bound at the exact posterior, where every draw has the term log p(D), for 1 to 20 points."""
    counts = np.arange(1, 21)
    rng = np.random.default_rng(6)
    found = []
    for count in counts:
        model = one_weight(int(count))
        mean, std = model.posterior
        draws = mean + std * rng.standard_normal(NUM_DRAWS)
        terms = model.expected_log_likelihood(draws, 0.0) - 0.5 * (draws**2 + LOG_TWO_PI)
        terms -= weights_under_log_q(draws, mean, std)
        found.append((bound_summed_to_n(terms, int(count)), bound_summed_to_m(terms, int(count)), model.log_evidence))
    wrong, right, exact = np.array(found).T
    off, good = float(wrong[-1]), float(right[-1])
    says = (
        f"A sum of {counts[-1]} terms, divided by {NUM_DRAWS}, is {off / good:.0f} times too large: the bound is "
        f"{written(off, '.1f')} nats (right: {written(good, '.1f')})."
    )
    panel = Panel(
        [
            Curve("log p(D), exact", counts, exact, "exact"),
            Curve("sum to n", counts, wrong, "wrong"),
            Curve("sum to m", counts, right, "right"),
        ]
    )
    return Effect(
        Number("✗ Bound (nats)", off, ".1f", f"{counts[-1]} points, {NUM_DRAWS} draws; the draws are repeated."),
        Number("✓ Bound (nats)", good, ".1f", f"{counts[-1]} points, {NUM_DRAWS} draws."),
        (Number("log p(D) (nats)", float(exact[-1]), ".1f"), Number("Factor n/m", off / good, ".1f")),
        says,
        Comparison([panel], "Points n", "Bound in nats", (1.0, 20.0), (1.1 * off, 5.0), says=says),
    )


# The direction --------------------------------------------------------------------------------------------------------


def step_that_minimises(elbo_slope: float, learning_rate: float) -> float:
    r"""The change of a parameter if the ELBO is minimised.

    $$ \min_\theta\; \mathbb{E}_q[\log p(D \mid w)] - \operatorname{KL}[q \Vert p] $$
    """
    return -learning_rate * elbo_slope


def step_that_maximises(elbo_slope: float, learning_rate: float) -> float:
    r"""The change of a parameter if the ELBO is maximised.

    $$ \max_\theta\; \mathbb{E}_q[\log p(D \mid w)] - \operatorname{KL}[q \Vert p] $$
    """
    return learning_rate * elbo_slope


def measure_direction() -> Effect:
    """Forty steps of the mean of q in both directions, from the prior's mean, at the posterior's standard deviation."""
    model, num_steps = one_weight(), 40
    _, std = model.posterior
    paths = []
    for step in (step_that_minimises, step_that_maximises):
        mean, path = 0.0, [0.0]
        for _ in range(num_steps):
            slope = float(model.y.sum()) - (1 + len(model.y)) * mean
            mean += step(slope, 2e-3)
            path.append(mean)
        means = np.array(path)
        kl = latent.kl_per_dimension(means, np.full_like(means, std))
        paths.append(model.expected_log_likelihood(means, std) - kl)
    off, good = (float(path[-1]) for path in paths)
    steps = np.arange(num_steps + 1)
    says = (
        f"Minimised, the bound runs away from log p(D): it is {written(off, ',.1f')} nats after {num_steps} steps "
        f"(right: {written(good, '.1f')})."
    )
    panel = Panel(
        [
            Curve("log p(D), exact", steps, np.full(len(steps), model.log_evidence), "exact"),
            Curve("minimised", steps, paths[0], "wrong"),
            Curve("maximised", steps, paths[1], "right"),
        ]
    )
    return Effect(
        Number("✗ ELBO (nats)", off, ",.1f", f"After {num_steps} steps downhill."),
        Number("✓ ELBO (nats)", good, ".1f", f"After {num_steps} steps uphill."),
        (
            Number("log p(D) (nats)", model.log_evidence, ".1f"),
            Number("ELBO at the start (nats)", float(paths[0][0]), ".1f"),
        ),
        says,
        Comparison([panel], "Step", "ELBO in nats", (0.0, float(num_steps)), (1.05 * off, -20.0), says=says),
    )


# The entries ----------------------------------------------------------------------------------------------------------

EVIDENCE = Erratum(
    "kl-without-evidence",
    "The KL to the posterior lacks log p(D)",
    "Gavves: variational inference, KL(q ‖ p(w | D)) = KL(q ‖ p) − E log p(D | w)",
    "The right-hand side is the negative ELBO. It differs from the KL to the posterior by log p(D), which does not "
    "depend on q: the best q is the same, but the value is no distance, and it is not 0 where q is the posterior.",
    kl_without_evidence,
    kl_to_posterior,
    measure_evidence,
    "foundations/variational_or_mcmc",
    "Variational or MCMC: evidence = ELBO + KL",
    (("scene", "fit"),),
    (bounds.bound,),
)
LOG_Q = Erratum(
    "log-q-expectation",
    "An expectation under log q",
    "Notebook: Bayes by Backprop, text, E with log q as its index",
    "An expectation weighs with a density: q is positive and integrates to 1. Its logarithm is negative almost "
    "everywhere, and its integral is −∞. The draws of the code come from q.",
    weights_under_log_q,
    weights_under_q,
    measure_log_q,
    "foundations/variational_or_mcmc",
    "Variational or MCMC: evidence = ELBO + KL",
    (("scene", "fit"),),
)
SUM_TO_N = Erratum(
    "sum-to-n",
    "A sum over m draws that runs to n",
    "Notebook: Bayes by Backprop, text, a sum to n where the draws are counted by m",
    "n counts the points and m the draws of the weights. The mean over draws needs as many terms as it is divided by.",
    bound_summed_to_n,
    bound_summed_to_m,
    measure_sum_to_n,
    "weights/bayes_by_backprop",
    "Bayes by Backprop: both costs in bits",
    (("scene", "bits"),),
    (bounds.bound,),
)
MINIMISED = Erratum(
    "minimised-elbo",
    "“Minimisation of the ELBO”",
    "Notebook: Bayes by Backprop, text",
    "The ELBO is a lower bound on log p(D): it is maximised. What is minimised is the negative ELBO.",
    step_that_minimises,
    step_that_maximises,
    measure_direction,
    "foundations/variational_or_mcmc",
    "Variational or MCMC: evidence = ELBO + KL",
    (("scene", "fit"),),
    (bounds.bound,),
)
