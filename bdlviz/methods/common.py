"""Hyper-parameters that several methods share."""

from __future__ import annotations

from bdlviz.types import Hyperparameter

DROPOUT_RATE = Hyperparameter(
    name="dropout_rate",
    label="Dropout rate p",
    symbol="p",
    values=(0.0, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95),
    default=0.1,
    minimum=0.0,
    maximum=0.95,
    help="Probability of dropping a hidden unit.",
)
WEIGHT_DECAY = Hyperparameter(
    name="weight_decay",
    label="Weight decay λ",
    symbol=r"\lambda",
    values=(0.0, 1e-7, 1e-6, 1e-5, 3e-5, 1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1, 0.3, 1.0, 10.0, 100.0),
    default=1e-4,
    minimum=0.0,
    maximum=100.0,
    help="Multiplies the sum of squared weights in the loss per data point.",
)
