"""Noise on weights before any training: masks beside Gaussian noise, and what a weight's noise costs."""

from __future__ import annotations

from functools import cache

import numpy as np
import streamlit as st

from bdlviz.models import divergences
from bdlviz.topics.weights.variational_dropout import figures, weight_noise
from bdlviz.topics.weights.variational_dropout.figures import LOG_ALPHAS, NOISES
from bdlviz.topics.weights.variational_dropout.study import RATES
from bdlviz.types import Array
from bdlviz.ui.controls.control import number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow

RATE = number_control("noise_rate", "Dropout rate p", RATES, 0.5, "α = p / (1 − p): both kinds of noise are as large.")
NUM_INPUTS = number_control(
    "noise_inputs", "Inputs of the unit n", (1, 2, 3, 5, 10, 20, 50, 100, 200, 500), 5, "Each contributes as much."
)
LOG_ALPHA = number_control("log_alpha", "log α", np.arange(-10, 8.1, 0.5), 0, "Of one weight: α is 1 at 0.")
CONTROLS = (RATE, NUM_INPUTS, LOG_ALPHA)
GRID = np.linspace(*LOG_ALPHAS, 361)
GOLDEN = (-5.0, -2.0, 0.0, 1.0, 3.0)  # log alphas at which the table has values


# Two kinds of noise ---------------------------------------------------------------------------------------------------


def choose_noise() -> None:
    """Draw the controls of the two kinds of noise."""
    RATE.show()
    NUM_INPUTS.show()


def show_noise() -> Shown:
    """A mask and Gaussian noise of the same moments: on one input, and in a unit's sum."""
    rate, num_inputs = float(RATE.present()), int(NUM_INPUTS.present())
    noises = np.linspace(*NOISES, 801)
    density = weight_noise.noise_density(noises, rate)
    atoms = weight_noise.bernoulli_sum(num_inputs, rate)
    fig = figures.noise_pair(
        noises,
        density,
        atoms,
        num_inputs=num_inputs,
        dropout_rate=rate,
        theme=present_theme(),
        stacked=is_narrow(),
    )
    gap = weight_noise.distance_to_gaussian(num_inputs, rate)
    alt = f"Bernoulli and Gaussian noise at dropout rate {rate:g}; sums of {num_inputs} inputs differ by {gap:.1%}."
    figure(fig, key="noise_pair", alt=alt)
    mean, variance = weight_noise.sum_moments(np.full(num_inputs, 1 / num_inputs), rate)
    numbers(
        [
            ("Noise α = p / (1 − p)", f"{weight_noise.matched_alpha(rate):.3g}", "Variance of either noise."),
            ("Mean of the sum, both", f"{mean:.3g}", "Contributions add up to 1 without noise."),
            ("Its sd, both", f"{variance**0.5:.3g}", "The root of α / n: moments are equal, whatever n is."),
            ("Gap between the two", f"{gap:.1%}", "The largest gap between their distribution functions."),
        ]
    )
    return Shown(
        (weight_noise.matched_alpha, weight_noise.sum_moments, weight_noise.distance_to_gaussian),
        (weight_noise.noise_density, weight_noise.bernoulli_sum, weight_noise.distance_to_gaussian),
        _noise_snippet(rate, num_inputs),
    )


def _noise_snippet(rate: float, num_inputs: int) -> str:
    return "\n".join(
        [
            "import numpy as np",
            "import bdlviz",
            "from bdlviz.predictive import weight_noise",
            "",
            f"rate, num_inputs = {rate!r}, {num_inputs}",
            f"noises = np.linspace({NOISES[0]!r}, {NOISES[1]!r}, 801)",
            "density = weight_noise.noise_density(noises, rate)",
            "atoms = weight_noise.bernoulli_sum(num_inputs, rate)",
            "print(weight_noise.distance_to_gaussian(num_inputs, rate))",
            "bdlviz.plots.noise_pair(noises, density, atoms, num_inputs=num_inputs, dropout_rate=rate).show()",
        ]
    )


# What noise costs -----------------------------------------------------------------------------------------------------


def show_divergence() -> Shown:
    """The divergence of one weight against its noise, exactly and as three papers compute it."""
    chosen = float(LOG_ALPHA.present())
    curves = _curves()
    readings = {key: float(values[0]) for key, values in weight_noise.divergence_curves(np.array([chosen])).items()}
    fig = figures.divergence_curves(
        GRID, curves, chosen=chosen, readings=readings, theme=present_theme(), stacked=is_narrow()
    )
    exact = readings["exact"]
    figure(fig, key="divergences", alt=f"Divergences of one weight; {exact:.3f} nats at {chosen:g}.")
    cubic = f"{readings['cubic']:.4f}" if chosen <= 0 else "–"
    numbers(
        [
            ("Exact (nats)", f"{exact:.4f}", f"At log α = {chosen:g}, log-uniform prior; 0 for endless noise."),
            ("Kingma et al.", cubic, f"Error {_signed(readings['cubic'] - exact)}; no value past α = 1."),
            ("Molchanov et al.", f"{readings['sigmoidal']:.4f}", f"Error {_signed(readings['sigmoidal'] - exact)}."),
            ("ARD", f"{readings['ard']:.4f}", "Another prior, the best Gaussian: not an approximation of the first."),
        ]
    )
    with st.expander("Values to compare with"):
        st.markdown(table())
    return Shown(
        (
            divergences.log_uniform,
            weight_noise.cubic_with_constant,
            divergences.sparse_variational,
            divergences.ard,
        ),
        (divergences.log_uniform, weight_noise.divergence_curves),
        _divergence_snippet(chosen),
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


def _divergence_snippet(chosen: float) -> str:
    return "\n".join(
        [
            "import numpy as np",
            "import bdlviz",
            "from bdlviz.predictive import weight_noise",
            "",
            f"log_alpha, chosen = np.linspace({LOG_ALPHAS[0]!r}, {LOG_ALPHAS[1]!r}, 361), {chosen!r}",
            "curves = weight_noise.divergence_curves(log_alpha)",
            "at = weight_noise.divergence_curves(np.array([chosen]))",
            "readings = {name: float(values[0]) for name, values in at.items()}",
            "bdlviz.plots.divergence_curves(log_alpha, curves, chosen=chosen, readings=readings).show()",
        ]
    )
