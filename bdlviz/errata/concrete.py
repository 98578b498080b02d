"""The erratum about the relaxed masks of concrete dropout: a probability where TensorFlow expects a logit."""

from __future__ import annotations

from typing import Any

import numpy as np

from bdlviz.errata.base import Effect, Erratum, Number
from bdlviz.errata.figures import Comparison, Curve, Map, Maps, Panel
from bdlviz.fitted import bundles
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.predictive import relaxation
from bdlviz.types import Array

SHIPPED = "errata_relaxed_bernoulli"
# How the shipped networks were trained; `bdlviz.errata.study` does it.
SETTINGS: dict[str, Any] = {
    "dataset": "mnist-1000",
    "hidden": [500, 500],
    "temperature": 0.01,
    "start_keep": 0.88,
    "length_scale": 1.0,
    "num_steps": 5000,
    "batch_size": 100,
    "learning_rate": 1e-3,
    "num_samples": 100,
    "seed": 0,
}
SIZE = 28  # pixels a side


def kept_when_read_as_logit(variable: Array) -> Array:
    r"""How often a mask keeps its unit when the variable, of any shape and in [0, 1], is taken for its logit.

    $$ \text{logits} = k: \quad P(z > \tfrac12) = \frac{1}{1 + e^{-k}} \in [0.5,\, 0.73] $$
    """
    return 1 / (1 + np.exp(-variable))


def kept_as_meant(variable: Array) -> Array:
    r"""How often a mask keeps its unit when the variable, of any shape and in [0, 1], is its probability.

    $$ \text{probs} = k: \quad P(z > \tfrac12) = k \in [0,\, 1] $$
    """
    return variable


def measure_relaxed_bernoulli() -> Effect:
    """Two networks trained on MNIST-1000: what the variables of the pixels have learned, and what the masks keep."""
    lowest, highest = (float(kept_when_read_as_logit(np.array(each))) for each in (0.0, 1.0))
    try:
        arrays = bundles.shipped(SHIPPED, SETTINGS)
    except CheckpointError as error:
        return _without_training(lowest, highest, f"{error} So there are no learned pictures here.")
    learned = arrays["keep"].astype(float).reshape(2, SIZE, SIZE)
    right, mistaken = kept_as_meant(learned[0]), learned[1]
    real = kept_when_read_as_logit(mistaken)
    right_accuracy, off_accuracy = (100 * float(each) for each in arrays["held_out_accuracy"])
    says = (
        "Read as a logit, useful pixels are dropped too often: the highest keep probability is "
        f"{real.max():.2f} (right: {right.max():.2f})."
    )
    maps = [
        Map("✗ keep_prob as learned and shown", mistaken, "wrong"),
        Map("✗ what its masks really keep", real, "wrong"),
        Map("✓ read as a probability", right, "right"),
    ]
    return Effect(
        Number("✗ Largest, really kept", float(real.max()), ".2f", "Of all pixels: the share of masks that keep it."),
        Number("✓ Largest", float(right.max()), ".2f", "Of all pixels, with the variable read as a probability."),
        (
            Number("✗ Held-out accuracy (%)", off_accuracy, ".1f", "MNIST-1000, mean of 100 draws, one training."),
            Number("✓ Held-out accuracy (%)", right_accuracy, ".1f", "MNIST-1000, mean of 100 draws, one training."),
        ),
        says,
        Maps(maps, "Probability of being kept", says),
    )


def _without_training(lowest: float, highest: float, remark: str) -> Effect:
    """What can be said without the shipped networks: the probability that each value of the variable amounts to."""
    variable = np.linspace(0, 1, 101)
    says = f"Whatever is learned, the real keep probability lies between {lowest:.2f} and {highest:.2f}."
    panel = Panel(
        [
            Curve("read as a logit", variable, kept_when_read_as_logit(variable), "wrong"),
            Curve("read as a probability", variable, kept_as_meant(variable), "right"),
        ]
    )
    return Effect(
        Number("✗ Kept, keep_prob = 1", highest, ".2f"),
        Number("✓ Kept, keep_prob = 1", 1.0, ".2f"),
        (),
        says,
        Comparison([panel], "keep_prob", "Probability of being kept", (0.0, 1.0), (0.0, 1.0), says=says),
        remark,
    )


RELAXED_BERNOULLI = Erratum(
    "relaxed-bernoulli",
    "keep_prob where a logit is expected",
    "Lee: concrete dropout in TensorFlow, RelaxedBernoulli(0.01, keep_prob)",
    "TensorFlow's second positional argument is `logits`. If the variable holds a probability, as its name says, it is "
    "read as a logit: the masks keep a unit with a probability between 0.50 and 0.73, while penalty, entropy and "
    "picture use the variable itself. `probs=keep_prob` is right. (In torch the second argument is `probs`.)",
    kept_when_read_as_logit,
    kept_as_meant,
    measure_relaxed_bernoulli,
    "digits/concrete_dropout",
    "Concrete dropout: MNIST-1000",
    (("scene", "mnist"),),
    (relaxation.relaxed_distribution,),
)
