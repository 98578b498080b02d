"""Noise on weights before any training: masks beside Gaussian noise, and the divergence of a weight's noise."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from bdlviz.digits import number, percent
from bdlviz.models import divergences
from bdlviz.topics.weights.variational_dropout import figures, weight_noise
from bdlviz.topics.weights.variational_dropout.controls import LOG_ALPHA, NUM_INPUTS, RATE
from bdlviz.topics.weights.variational_dropout.figures import LOG_ALPHAS, NOISES
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Folded, Formula, Numbers, Result, Says, Screen, Setting, Words

GRID = np.linspace(*LOG_ALPHAS, 361)
GOLDEN = (-5.0, -2.0, 0.0, 1.0, 3.0)  # log alphas at which the table has values
IMPORTS = ("import numpy as np", "from bdlviz.topics.weights.variational_dropout import figures, weight_noise", "")

MATCHED = Formula(
    weight_noise.matched_alpha,
    "Gaussian noise gets the variance of a mask that is divided by the keep probability.",
    {"p": "dropout rate", "z": "mask: 0 (dropped) or 1", r"\alpha": "variance of the noise"},
)
MOMENTS = Formula(
    weight_noise.sum_moments,
    "A unit's sum then has the same mean and variance with both kinds of noise.",
    {r"h_i \theta_i": "input i times its weight", r"\xi_i": "its noise, 1 on average"},
)
DISTANCE = Formula(
    weight_noise.distance_to_gaussian,
    "The largest gap between the two distribution functions, 0 to 1.",
    {"F": "distribution function with masks", r"\Phi": "that of a Gaussian"},
    {r"\Phi": "mean"},
)
EXACT = Formula(
    divergences.log_uniform,
    "The KL of one weight to the log-uniform prior, exactly, as a series.",
    {r"\operatorname{KL}": "the curve", r"\alpha": "variance of the noise", r"\psi": "digamma function"},
    {r"\operatorname{KL}": "exact"},
)
CUBIC = Formula(
    weight_noise.cubic_with_constant,
    "Kingma et al. 2015: a cubic, for α up to 1 only.",
    {"c_1, c_2, c_3": "their constants", r"\gamma": "Euler's constant"},
)
SIGMOIDAL = Formula(
    divergences.sparse_variational,
    "Molchanov et al. 2017: a sigmoid, for every α.",
    {"k_1, k_2, k_3": "their constants", "s": "sigmoid"},
)


# Two kinds of noise ---------------------------------------------------------------------------------------------------


def noise(setting: Setting, screen: Screen, _: object) -> Result:
    """A mask and Gaussian noise of the same moments: on one input, and in a unit's sum."""
    rate, num_inputs = setting.number(RATE), int(setting[NUM_INPUTS])
    noises = np.linspace(*NOISES, 801)
    fig = figures.noise_pair(
        noises,
        weight_noise.noise_density(noises, rate),
        weight_noise.bernoulli_sum(num_inputs, rate),
        num_inputs=num_inputs,
        dropout_rate=rate,
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    gap = weight_noise.distance_to_gaussian(num_inputs, rate)
    alt = f"Bernoulli and Gaussian noise at rate {rate:g}; sums of {num_inputs} inputs differ by {100 * gap:.1f} %."
    mean, variance = weight_noise.sum_moments(np.full(num_inputs, 1 / num_inputs), rate)
    values = Numbers(
        [
            ("Noise α = p / (1 − p)", f"{weight_noise.matched_alpha(rate):.3g}", "Variance of either noise."),
            ("Mean of the sum, both", f"{mean:.3g}", "Without noise the contributions add up to 1."),
            ("Its sd, both", f"{variance**0.5:.3g}", "The root of α / n: the moments are equal for every n."),
            ("Gap between the two", f"{100 * gap:.1f} %", "The largest gap between their distribution functions."),
        ]
    )
    inputs = "one input" if num_inputs == 1 else f"{num_inputs} inputs"
    says = Says(
        f"Mask and Gaussian noise of variance {number(weight_noise.matched_alpha(rate))}: sums of {inputs} have "
        f"equal mean and sd, but their distributions differ by up to {percent(gap)}."
    )
    return Result(
        [says, Figure("noise_pair", fig, alt), values],
        (MATCHED, MOMENTS, DISTANCE),
        (weight_noise.noise_density, weight_noise.bernoulli_sum, weight_noise.distance_to_gaussian),
        _noise_call(rate, num_inputs),
    )


def _noise_call(rate: float, num_inputs: int) -> str:
    return "\n".join(
        [
            *IMPORTS,
            f"rate, num_inputs = {rate!r}, {num_inputs}",
            f"noises = np.linspace({NOISES[0]!r}, {NOISES[1]!r}, 801)",
            "density = weight_noise.noise_density(noises, rate)",
            "atoms = weight_noise.bernoulli_sum(num_inputs, rate)",
            "print(weight_noise.distance_to_gaussian(num_inputs, rate))",
            "figures.noise_pair(noises, density, atoms, num_inputs=num_inputs, dropout_rate=rate).show()",
        ]
    )


# The divergence -------------------------------------------------------------------------------------------------------


def divergence(setting: Setting, screen: Screen, _: object) -> Result:
    """The divergence of one weight against its noise, exactly and as three papers compute it."""
    chosen = setting.number(LOG_ALPHA)
    readings = {key: float(values[0]) for key, values in weight_noise.divergence_curves(np.array([chosen])).items()}
    fig = figures.divergence_curves(
        GRID, _curves(), chosen=chosen, readings=readings, theme=screen.theme, stacked=screen.is_narrow
    )
    exact = readings["exact"]
    alt = f"Divergences of one weight; {exact:.3f} nats at {chosen:g}."
    cubic = f"{readings['cubic']:.4f}" if chosen <= 0 else "–"
    values = Numbers(
        [
            ("Exact (nats)", f"{exact:.4f}", f"At log α = {chosen:g}, log-uniform prior; 0 in the limit α → ∞."),
            ("Kingma et al.", cubic, f"Error {_signed(readings['cubic'] - exact)}; no value past α = 1."),
            ("Molchanov et al.", f"{readings['sigmoidal']:.4f}", f"Error {_signed(readings['sigmoidal'] - exact)}."),
            ("ARD", f"{readings['ard']:.4f}", "Another prior, the best Gaussian: not an approximation of the first."),
        ]
    )
    compared = Folded("Values to compare with", [Words(table(), "markdown")])
    return Result(
        [Says(_of_divergence(chosen, readings)), Figure("divergences", fig, alt), values, compared],
        (EXACT, CUBIC, SIGMOIDAL),
        (divergences.log_uniform, weight_noise.divergence_curves),
        _divergence_call(chosen),
    )


def _of_divergence(chosen: float, readings: Mapping[str, float]) -> str:
    """The exact divergence, and the approximations at the same place."""
    exact, cubic, sigmoidal = (number(readings[key]) for key in ("exact", "cubic", "sigmoidal"))
    out = "" if chosen <= 0 else ", out of range"
    return (
        f"At log α = {number(chosen)} the exact KL is {exact} nats; Molchanov's formula gives {sigmoidal}, "
        f"Kingma's cubic {cubic}{out}."
    )


@cache
def _curves() -> dict[str, Array]:
    """The curves, which no control changes; the exact one takes a moment."""
    return weight_noise.divergence_curves(GRID)


def table() -> str:
    """The four divergences at a few log alphas, as Markdown."""
    rows = ["| log α | exact | Kingma et al. | Molchanov et al. | ARD |", "|---:|---:|---:|---:|---:|"]
    found = weight_noise.divergence_curves(np.array(GOLDEN))
    for index, at in enumerate(GOLDEN):
        cubic = f"{found['cubic'][index]:.5f}" if at <= 0 else "–"
        exact, sigmoidal, ard = (f"{found[key][index]:.5f}" for key in ("exact", "sigmoidal", "ard"))
        rows.append(f"| {at:g} | {exact} | {cubic} | {sigmoidal} | {ard} |".replace("-", "−"))
    return "\n".join(rows)


def _signed(error: float) -> str:
    return f"{error:+.4f} nats".replace("-", "−")


def _divergence_call(chosen: float) -> str:
    return "\n".join(
        [
            *IMPORTS,
            f"log_alpha, chosen = np.linspace({LOG_ALPHAS[0]!r}, {LOG_ALPHAS[1]!r}, 361), {chosen!r}",
            "curves = weight_noise.divergence_curves(log_alpha)",
            "at = weight_noise.divergence_curves(np.array([chosen]))",
            "readings = {name: float(values[0]) for name, values in at.items()}",
            "figures.divergence_curves(log_alpha, curves, chosen=chosen, readings=readings).show()",
        ]
    )
