"""Exercises and predictions of the page results/errata, with their checks."""

from __future__ import annotations

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.predictive import length_scale


def _precision_over_error() -> float:
    """How many times too small τ is at p = 0.2, whatever the other arguments."""
    settings = (1.0, 1e-3, 100, 0.2)
    return length_scale.model_precision(*settings) / length_scale.precision_without_rescaling(*settings)


ERRATA: tuple[Exercise, ...] = (
    Number(
        "Open *τ used with inverted dropout*: τ comes out 4 times too small at p = 0.5 and 1.23 times at p = 0.1. By "
        "which factor at p = 0.2?",
        _precision_over_error,
        0.02,
        "1 / (1 − p)² = 1 / 0.64. Where masks are divided by 1 − p the penalised weights are 1 − p times those of the "
        "formula, and their squares (1 − p)² times.",
        "What is 4 made of at p = 0.5, and 1.23 at p = 0.1? Think of 1 − p.",
    ),
    Setting(
        "Find the error that no accuracy can show: the most probable class is right with both formulas, while a score "
        "reads better with every draw.",
        lambda options: options["erratum"] == "predictive-sum",
        {"erratum": "predictive-sum"},
        "A sum over S draws is S times the mean. The largest stays the largest, but the NLL reads log S nats too good.",
        "It is about prediction with S draws of the weights.",
    ),
    Choice(
        "With a new mask at every x the sd over draws is as large as with one mask for each draw, 0.53 and 0.54. Yet "
        "the draws are noise. What is wrong with them?",
        (
            "Their mean.",
            "How values at different x belong together: a function is drawn as a whole.",
            "Their number: with more draws they would become smooth.",
        ),
        1,
        "Every single x has the right distribution. From one x to the next a draw moves by 0.61 instead of 0.07, so "
        "nothing that needs two values at once can be read from such draws, no slope and no maximum.",
        "Compare how far a draw moves from one x to the next.",
    ),
)

BEFORE_RHO = Prediction(
    Choice(
        "A slide has $\\frac{\\partial w}{1 + e^{-\\rho}}$ in the gradient by ρ. Read without the $\\partial w$, "
        "$\\rho$ moves along $\\frac{\\partial f}{\\partial w} \\frac{1}{1 + e^{-\\rho}} + "
        "\\frac{\\partial f}{\\partial \\rho}$, with $w = \\mu + \\log(1 + e^\\rho)\\, \\epsilon$. A σ of 1 at the "
        "start should become 0.22. What does it do?",
        ("It becomes 0.22, only more slowly.", "It shrinks to 0.", "It stays about where it started."),
        2,
        "ε belongs where ∂w stands. Without it both terms average to 0 once μ is learned, and σ ends at 1.2.",
    ),
    {},
)

BEFORE_ARD = Prediction(
    Choice(
        "A KL is printed as $\\log\\frac{\\sigma}{\\lambda} + \\frac{\\sigma^2 + \\mu^2}{2\\lambda^2}$, and λ, "
        "the prior's sd, is to be where it is smallest. Where is that?",
        ("At $\\lambda^2 = \\mu^2 + \\sigma^2$.", "At λ = 0.", "Nowhere: it falls without end."),
        2,
        "The fraction in the logarithm is turned over: with λ it goes to −∞, where a KL is never negative.",
    ),
    {},
)

BEFORE_PLUG_IN = Prediction(
    Choice(
        "A code takes $\\log p(x \\mid z)$ at the mean code alone, not its mean over codes $z \\sim q(z|x)$, and "
        "subtracts the KL. Where is the value, seen from the ELBO?",
        (
            "Below it: a single code is worse than many.",
            "Above it, and it may even exceed $\\log p(x)$.",
            "It is the ELBO: the mean code is the mean.",
        ),
        1,
        "The decoder does best at the middle of q(z|x). The VAE of MNIST-1000 reads 6.8 nats too good.",
    ),
    {},
)
