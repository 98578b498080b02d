r"""Laplace's approximation: a Gaussian around the weights of one trained network, with the curvature of its loss.

$$ w \sim \mathcal{N}\left(w^*, \Sigma\right), \qquad
   \Sigma^{-1} = \sum_i J(x_i)^\top H_i\, J(x_i) + \Lambda, \qquad f(x) = f(x; w^*) + J(x)\, (w - w^*) $$

MacKay, "A practical Bayesian framework for backpropagation networks", Neural Computation 1992; the linearised
predictive: Immer, Korzepa & Bauer, "Improving predictions of Bayesian neural nets via local linearization", 2021 (arXiv
2008.08216).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.methods.common import LENGTH_SCALE, PRIOR_BY_WIDTH
from bdlviz.models.likelihoods import Categorical, Gaussian
from bdlviz.models.mlp import MLP
from bdlviz.models.priors import prior_precisions
from bdlviz.predictive.linearised import Deviation, LinearisedPosterior
from bdlviz.threads import draw_here
from bdlviz.types import Array, Draws, Hyperparameter, MethodSpec, TrainingSettings

if TYPE_CHECKING:
    from bdlviz.training.method import Method, Setup

ALL_LAYERS = Hyperparameter(
    name="all_layers",
    label="All layers are uncertain",
    symbol=r"\Sigma",
    values=(0.0, 1.0),
    default=1.0,
    minimum=0.0,
    maximum=1.0,
    help="1: all weights have a distribution. 0: only the weights of the last layer; the others are fixed after "
    "training.",
    is_axis=False,
    is_whole=True,
)
MAX_ROWS = 3000  # rows of the matrix that is factored; the time grows with the cube of this number


def build(setup: Setup) -> Method:
    r"""The weights with the highest posterior density; the curvature is computed with the first draws.

    $$ w^* = \operatorname*{argmin}_w \sum_i -\log p(y_i \mid x_i, w) + \tfrac12 w^\top \Lambda w, \qquad
       \Sigma^{-1} = \sum_i J_i^\top H_i J_i + \Lambda $$
    """
    _check(setup)
    from bdlviz.training.posterior_mode import posterior_mode

    by_width, length_scale = setup.options["prior_by_width"], setup.hyperparameters["length_scale"]
    likelihood = setup.model.likelihood
    is_classifier = isinstance(likelihood, Categorical)
    of_noise = likelihood.output_precisions(setup.precision) if isinstance(likelihood, Gaussian) else np.ones(1)
    keep = {"noise_std": of_noise**-0.5, "prior_by_width": by_width, "is_classifier": float(is_classifier)}
    precisions = prior_precisions(setup.model.network, length_scale, by_width == 1)
    return posterior_mode(setup, precisions, keep | {"all_layers": setup.options["all_layers"]})


def _check(setup: Setup) -> None:
    network = setup.model.network
    if not isinstance(network, MLP):
        raise InvalidInput("Laplace's approximation works on the built-in network only.")
    if not isinstance(setup.model.likelihood, Gaussian | Categorical):
        raise InvalidInput("Laplace's approximation needs Gaussian noise of a known size, or classes.")
    if setup.batch_size < setup.num_data:
        raise InvalidInput("Laplace's approximation needs all of the data in every step: set batch_size=None.")
    observed, weights = setup.num_data * network.sizes[-1], _num_weights(network, setup.options["all_layers"] == 1)
    if min(observed, weights) > MAX_ROWS:
        raise InvalidInput(
            f"Laplace's approximation factors a matrix with one row per weight ({weights}) or one row per observation "
            f"({observed}); the smaller number may be at most {MAX_ROWS}. Use fewer points or units, or all_layers=0."
        )


def _num_weights(network: MLP, all_layers: bool) -> int:
    return network.num_numbers if all_layers else (network.sizes[-2] + 1) * network.sizes[-1]


def posterior_of(network: MLP, params: Mapping[str, Array], length_scale: float) -> LinearisedPosterior:
    """The posterior given by the parameters of one fitted cell; before the first step, the prior covariance is used."""
    numbers = {name: float(params[name][0]) for name in ("num_seen", "prior_by_width", "all_layers")}
    x = params["x"][: int(numbers["num_seen"])]
    first = 0 if numbers["all_layers"] == 1 else network.num_layers - 1
    variances = {n: 1 / p for n, p in prior_precisions(network, length_scale, numbers["prior_by_width"] == 1).items()}
    uncertain = [Deviation(variances[f"weight{i}"], variances[f"bias{i}"]) for i in range(first, network.num_layers)]
    weights = {name: params[name] for name in network.shapes()}
    if float(params["is_classifier"][0]):
        roots = softmax_roots(network, weights, x)
    else:
        roots = np.broadcast_to(np.eye(network.sizes[-1]) / params["noise_std"], (len(x), *[network.sizes[-1]] * 2))
    return LinearisedPosterior(network, weights, x, roots, uncertain, first)


def softmax_roots(network: MLP, params: Mapping[str, Array], x: Array) -> Array:
    r"""A root of the Hessian of the softmax loss with respect to the logits, at every point of x (N, D): (N, K, K).

    $$ H = \operatorname{diag}(p) - p\, p^\top = R R^\top, \qquad
       R = \operatorname{diag}(\sqrt p) \left(I - \sqrt p \sqrt p^\top\right) $$
    """
    from bdlviz.predictive.linearised import tangents

    logits, _ = tangents(network, params, x, network.num_layers - 1)
    shares = np.exp(logits - logits.max(1, keepdims=True, initial=-np.inf))
    root = np.sqrt(shares / shares.sum(1, keepdims=True))
    return root[:, :, None] * (np.eye(root.shape[1]) - root[:, :, None] * root[:, None])


def sample(
    network: Any,
    params: Mapping[str, Array],
    hyperparameters: Mapping[str, float],
    rng: np.random.Generator,
    num_samples: int,
) -> Draws:
    """Draws of the linearised network, with exact moments; with the dropout rate 0, the network with weights w*."""
    weights = {name: params[name] for name in network.shapes()}
    if hyperparameters.get("dropout_rate") == 0:
        return Draws(weights, num_samples=1)
    posterior = draw_here(lambda: posterior_of(network, params, hyperparameters["length_scale"]))
    functions = posterior.functions(rng, num_samples)
    exact = {"moments": posterior.moments, "covariance": posterior.covariance}
    return Draws(weights, num_samples=num_samples, function=functions, **exact)


SPEC = MethodSpec(
    name="laplace",
    title="Laplace",
    idea="A Gaussian around the weights of one trained network, with the curvature of its loss.",
    reference="MacKay 1992; Immer et al. 2021",
    hyperparameters=(LENGTH_SCALE, PRIOR_BY_WIDTH, ALL_LAYERS),
    build=build,
    sample=sample,
    needs_all_data=True,
    curve_settings=TrainingSettings(batch_size=None, num_steps=3000, schedule="linear", learning_rate=0.01),
    order=120,
    is_gaussian=True,
    is_usual=True,
)
