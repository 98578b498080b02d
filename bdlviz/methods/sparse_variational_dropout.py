r"""Sparse variational dropout: the noise of every weight is learned. Weights with much noise are removed.

$$ q(w) = \mathcal{N}(w \mid \theta, \alpha \theta^2), \qquad p(|w|) \propto \frac{1}{|w|} $$

Molchanov, Ashukha & Vetrov, "Variational dropout sparsifies deep neural networks", ICML 2017 (arXiv 1701.05369). The
standard deviation is learned instead of alpha, which makes the gradient less noisy (their section 4.2).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.methods.common import KL_WARM_UP, KL_WEIGHT, with_prefix
from bdlviz.models import divergences
from bdlviz.types import Array, Draws, Hyperparameter, MethodSpec

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup
    from bdlviz.training.weight_families import LogAlphaDivergence

LOG_STD = "log_std_"  # prefix of the names of log standard deviations; the rest is the name of the weights
# Without a warm-up the KL term removes all weights of a few hundred points before the network has learned from them.
WARM_UP = replace(KL_WARM_UP, default=0.5)
START_LOG_STD = Hyperparameter(
    name="start_log_std",
    label="log σ at the start",
    symbol=r"\log \sigma_0",
    values=(-8.0, -6.0, -5.0, -4.0, -3.0, -2.0),
    default=-5.0,
    minimum=-20.0,
    maximum=1.0,
    help="The initial log standard deviation of every weight: −5 means a standard deviation of 0.007.",
    is_axis=False,
)


def build(setup: Setup) -> Method:
    r"""The negative evidence lower bound per data point, minimised by gradient descent; biases have no noise.

    $$ \frac1B \sum_{i \in \text{batch}} -\log p(y_i \mid x_i, w_i)
       + \frac{\beta}{N} \sum_{\text{weights}} \operatorname{KL}(\log \alpha) $$
    """
    from bdlviz.training.weight_families import sparse_variational

    return prunable_weights(setup, sparse_variational)


def prunable_weights(setup: Setup, divergence: LogAlphaDivergence) -> Method:
    """Training of Gaussian weights whose divergence from the prior is a function of log alpha."""
    from bdlviz.training.gaussian_weights import SMALLEST_SQUARE, family_of_weights
    from bdlviz.training.weight_families import LogStdFamily

    def init(rng: np.random.Generator) -> dict[str, Array]:
        start = setup.model.network.init(rng)
        log_std = {
            LOG_STD + name: np.full_like(mean, setup.options["start_log_std"])
            for name, mean in start.items()
            if name.startswith("weight")
        }
        return start | log_std

    family = LogStdFamily(LOG_STD, divergence, SMALLEST_SQUARE)
    return family_of_weights(setup, init, family, setup.hyperparameters["kl_weight"], setup.precision)


def log_alphas(params: Mapping[str, Array]) -> dict[str, Array]:
    r"""Log of the variance over the squared mean of every weight, by name and with the shapes of the weights.

    $$ \log \alpha = 2 \log \sigma - \log \theta^2 $$
    """
    with np.errstate(divide="ignore"):  # log alpha of a weight that is exactly 0 is infinite
        return {
            name: 2 * log_std - np.log(np.square(params[name]))
            for name, log_std in with_prefix(params, LOG_STD).items()
        }


class WeightPruner:
    """Pruning of single weights by their log alpha; ``params`` are the parameters of one cell."""

    threshold = divergences.PRUNED

    def log_alphas(self, params: Mapping[str, Array]) -> dict[str, Array]:
        """Log alpha of every weight; see the function with this name."""
        return log_alphas(params)

    def pruned(self, params: Mapping[str, Array], threshold: float) -> dict[str, Array]:
        """The means, with 0 for every weight whose log alpha is above the threshold; the biases are unchanged."""
        noise = log_alphas(params)
        means = {name: params[name] for name in params if not name.startswith(LOG_STD)}
        return {
            name: np.where(noise[name] > threshold, np.float32(0), mean) if name in noise else mean
            for name, mean in means.items()
        }

    def variances(self, params: Mapping[str, Array]) -> dict[str, Array]:
        """The posterior variance of every weight, (in, out) by name."""
        return {name: np.exp(2 * log_std) for name, log_std in with_prefix(params, LOG_STD).items()}

    def sparsity(self, params: Mapping[str, Array], threshold: float) -> dict[str, float]:
        """The share of weights that are pruned, 0 to 1, by the names of the weights of the layers."""
        return {name: float(np.mean(noise > threshold)) for name, noise in log_alphas(params).items()}

    def compression(self, params: Mapping[str, Array], threshold: float) -> float:
        """The number of weights divided by the number of those left; infinite if none is left."""
        noise = log_alphas(params)
        left = sum(int(np.sum(values <= threshold)) for values in noise.values())
        return sum(values.size for values in noise.values()) / left if left else float("inf")


PRUNER = WeightPruner()


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """One set of weights per draw, without the pruned ones: each draw is one function."""
    mean = PRUNER.pruned(params, PRUNER.threshold)
    if hyperparameters.get("dropout_rate") == 0:  # the prediction with the means of the weights
        return Draws(mean, num_samples=1)
    std = {name: np.zeros_like(values) for name, values in mean.items()}
    std |= {name: np.where(mean[name] == 0, 0, np.exp(values)) for name, values in with_prefix(params, LOG_STD).items()}
    return Draws(mean, num_samples=num_samples, weight_std=std, weight_seeds=rng.integers(2**63, size=num_samples))


SPEC = MethodSpec(
    name="sparse_variational_dropout",
    title="Sparse variational dropout",
    idea="The noise of every weight is learned. Weights that are mostly noise are removed.",
    reference="Molchanov, Ashukha & Vetrov 2017",
    hyperparameters=(KL_WEIGHT, WARM_UP, START_LOG_STD),
    build=build,
    sample=sample,
    order=80,
    short_title="Sparse variational d.",
    noise_on="weights",
    in_menus=False,
)
