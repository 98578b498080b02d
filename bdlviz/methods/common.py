"""Hyper-parameters of several methods, and the length of training records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

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
    image_default=0.5,
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
    image_default=5e-5,
)
LENGTH_SCALE = Hyperparameter(
    name="length_scale",
    label="Prior length-scale",
    symbol=r"\ell",
    values=(0.01, 0.03, 0.1, 0.3, 1.0, 3.0, 10.0),
    default=1.0,
    minimum=1e-4,
    maximum=1e3,
    # The convention is the same for every method: N(0, 1/ℓ²) for each weight, unless `PRIOR_BY_WIDTH` is 1.
    help="The prior of every weight is N(0, 1/ℓ²): large means small weights and smooth functions.",
)
PRIOR_BY_WIDTH = Hyperparameter(
    name="prior_by_width",
    label="Prior variance of a weight",
    symbol=r"n_{\text{in}}",
    values=(0.0, 1.0),
    default=0.0,
    minimum=0.0,
    maximum=1.0,
    help="0: 1/ℓ² for every weight, as in all methods. 1: 1/(nℓ²) for the weights of a layer with n inputs, so that "
    "the size of functions does not depend on the width of the network; 1/ℓ² for biases.",
    is_axis=False,
    is_whole=True,
)
KL_WEIGHT = Hyperparameter(
    name="kl_weight",
    label="Weight of the KL term",
    symbol=r"\beta",
    values=(0.0, 0.01, 0.03, 0.1, 0.3, 1.0),
    default=1.0,
    minimum=0.0,
    maximum=100.0,
    help="1: the evidence lower bound. Less than 1: the data have more weight than in Bayes' rule (a cold posterior).",
)
KL_WARM_UP = Hyperparameter(
    name="kl_warm_up",
    label="Warm-up of the KL term",
    symbol=r"t_{\text{warm}}",
    values=(0.0, 0.1, 0.2, 0.5),
    default=0.0,
    minimum=0.0,
    maximum=1.0,
    help="The share of training after which the KL term has its full weight. In the first quarter of this time its "
    "weight is 0.",
    is_axis=False,
)
LATENT_DIM = Hyperparameter(
    name="latent_dim",
    label="Latent dimensions",
    symbol="Z",
    values=(2, 5, 10, 20, 32),
    default=2,
    minimum=2,
    maximum=32,
    help="The number of dimensions of the code of an image.",
    is_axis=False,
    is_whole=True,
)
STEP_SIZE = Hyperparameter(
    name="step_size",
    label="Step size ε",
    symbol=r"\epsilon",
    values=(1e-4, 3e-4, 1e-3, 3e-3, 1e-2, 3e-2, 0.1),
    default=1e-3,
    minimum=1e-6,
    maximum=1.0,
    help="A small step has a small error and explores slowly. A step that is too large makes the chain diverge.",
)
NUM_KEPT = Hyperparameter(
    name="num_kept",
    label="Kept states",
    symbol="S",
    values=(10, 30, 100, 300, 1000),
    default=100,
    minimum=1,
    maximum=10_000,
    help="The last states of the chain, which are the draws; fewer if training is shorter or a state is very large.",
    is_axis=False,
    is_whole=True,
)
THINNING = Hyperparameter(
    name="thinning",
    label="Steps between kept states",
    symbol="k",
    values=(1, 10, 100, 1000),
    default=100,
    minimum=1,
    maximum=100_000,
    help="Successive states are similar, so that only one of so many steps is kept.",
    is_axis=False,
    is_whole=True,
)
MAX_RECORD_ROWS = 1000


def with_prefix(params: Mapping[str, Any], prefix: str) -> dict[str, Any]:
    """The parameters whose names start with ``prefix``, by their names without the prefix."""
    return {name.removeprefix(prefix): values for name, values in params.items() if name.startswith(prefix)}


def record_every(num_data: int, batch_size: int, num_steps: int) -> int:
    """Steps per row of a training record: one epoch, or several epochs if there would be too many rows."""
    epoch = -(-num_data // batch_size)
    return epoch * -(-num_steps // (epoch * MAX_RECORD_ROWS))
