r"""Gaussian process: the limit of an infinitely wide network. Its posterior is computed exactly, without training.

$$ f \sim \mathcal{GP}(0, k), \quad y_i = f(x_i) + \epsilon_i: \qquad
   f \mid \mathcal{D} \sim \mathcal{GP}\left( k(x, X)\, A^{-1} y,\; k(x, x') - k(x, X)\, A^{-1} k(X, x') \right),
   \quad A = k(X, X) + \tau^{-1} I $$

Neal, "Bayesian learning for neural networks", 1996; Lee et al., "Deep neural networks as Gaussian processes", ICLR 2018
(arXiv 1711.00165). ReLU and GELU have closed-form kernels; tanh is replaced by erf, and SiLU by a scaled GELU.

With ``prior_by_width`` 0 the covariance is that of a network with the given ``hidden`` widths (exactly for one hidden
layer). With 1 it does not depend on these widths, as in the limit of infinite width.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.methods.common import LENGTH_SCALE, PRIOR_BY_WIDTH
from bdlviz.models.gaussian_process import Posterior
from bdlviz.models.infinite_mlp import InfiniteMLP
from bdlviz.models.likelihoods import Gaussian
from bdlviz.models.mlp import MLP
from bdlviz.predictive.pathwise import PathwiseDraws
from bdlviz.threads import draw_here
from bdlviz.types import Array, Draws, MethodSpec

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup

MAX_POINTS = 2000  # the time grows with the cube of the number of points
LARGEST_VARIANCE = 1e34  # largest prior variance at a data point; squares of larger functions overflow float32


def build(setup: Setup) -> Method:
    r"""The negative log marginal likelihood per data point, and the jitter that was added to the noise variance.

    $$ f \mid \mathcal{D} \sim \mathcal{GP}, \qquad
       \mathbb{E}[f(x)] = k(x, X) \left(K + \tau^{-1} I\right)^{-1} y, \qquad
       \operatorname{Var}[f(x)] = k(x, x) - k(x, X) \left(K + \tau^{-1} I\right)^{-1} k(X, x) $$
    """
    from bdlviz.training.solved import solved

    network, likelihood = setup.model.network, _checked_likelihood(setup)
    by_width = setup.options["prior_by_width"]
    precisions = likelihood.output_precisions(setup.precision)

    def solve(cell: int, x: Array, y: Array) -> tuple[float, dict[str, Array]]:
        prior = InfiniteMLP.of(network, setup.hyperparameters["length_scale"][cell], by_width == 1)
        if not prior.variance(x).max() < LARGEST_VARIANCE:
            raise InvalidInput("Functions of this prior are too large for float32: choose a larger length_scale.")
        outputs = zip(_groups(y, len(precisions)), precisions.tolist(), strict=True)
        posteriors = [Posterior(prior, x, group, precision) for group, precision in outputs]
        loss = sum(posterior.negative_log_evidence for posterior in posteriors) / len(x)
        return loss, {"jitter": np.array([posterior.jitter for posterior in posteriors])}

    no_jitter = np.zeros(len(precisions))
    return solved(setup, {"noise_std": precisions**-0.5, "prior_by_width": by_width, "jitter": no_jitter}, solve)


def _groups(y: Array, count: int) -> list[Array]:
    """The outputs (N, K) as one group (``count`` = 1, one noise for all) or as K groups with their own noise."""
    return [y] if count == 1 else np.split(y, count, axis=1)


def _checked_likelihood(setup: Setup) -> Gaussian:
    """The likelihood, if the posterior has a closed form; otherwise raises `InvalidInput`."""
    if not isinstance(setup.model.network, MLP):
        raise InvalidInput("A Gaussian process is the limit of the built-in network only.")
    if not isinstance(setup.model.likelihood, Gaussian):
        raise InvalidInput("A Gaussian process is solved exactly for Gaussian noise of a known size only.")
    if setup.num_data > MAX_POINTS:
        raise InvalidInput(
            "The time of an exact Gaussian process grows with the cube of the number of points: use at most "
            f"{MAX_POINTS} points, not {setup.num_data}."
        )
    return setup.model.likelihood


def posteriors_of(network: MLP, params: Mapping[str, Array], length_scale: float) -> list[Posterior]:
    """The posteriors given by the parameters of one fitted cell; before the training step, the priors.

    There is one for all outputs, or one for each output if every output has its own noise.
    """
    prior = InfiniteMLP.of(network, length_scale, float(params["prior_by_width"][0]) == 1)
    num_seen, noises, jitters = int(params["num_seen"][0]), params["noise_std"].tolist(), params["jitter"].tolist()
    groups = _groups(params["y"][:num_seen], len(noises))
    return [
        Posterior(prior, params["x"][:num_seen], y, noise**-2, jitter)
        for y, noise, jitter in zip(groups, noises, jitters, strict=True)
    ]


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """Function draws from the posterior, with its exact moments; they are not given by weights."""
    posteriors = posteriors_of(network, params, hyperparameters["length_scale"])

    def moments(x: Array) -> tuple[Array, Array]:
        means = [posterior.mean(x) for posterior in posteriors]
        variances = [
            np.broadcast_to(posterior.variance(x)[:, None], mean.shape)
            for posterior, mean in zip(posteriors, means, strict=True)
        ]
        return np.concatenate(means, 1), np.concatenate(variances, 1)

    drawn = draw_here(lambda: [PathwiseDraws(posterior, rng, num_samples) for posterior in posteriors])
    return Draws(
        params,
        num_samples=num_samples,
        function=lambda x: np.concatenate([draws(x) for draws in drawn], -1),
        moments=moments,
    )


SPEC = MethodSpec(
    name="gaussian_process",
    title="Gaussian process",
    idea="The limit of a network with infinitely wide layers, whose posterior has a closed form.",
    reference="Neal 1996; Lee et al. 2018",
    hyperparameters=(LENGTH_SCALE, PRIOR_BY_WIDTH),
    build=build,
    sample=sample,
    tasks=("regression",),
    inference="solved",
    needs_all_data=True,
    order=140,
    abbreviation="GP",
    is_gaussian=True,
    exact_title="Exact, infinitely wide (GP)",
    is_usual=True,
)
