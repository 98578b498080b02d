r"""The shipped arrays of the erratum on relaxed masks: concrete dropout trained right, and with a probability as logit.

Both networks have the objective of Gal, Hron & Kendall 2017 with unscaled masks and one keep probability k for every
input unit of every layer, and differ only in the masks:

$$ \mathbb{E}_z\left[-\log p(y \mid x, W, z)\right] + \frac1N \sum_k \left[ \frac{\ell^2}{2}\, k \lVert M_k \rVert^2
   - \mathbb{H}(k) \right] + \frac{\ell^2}{2N} \lVert b \rVert^2 $$
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from bdlviz.data import load
from bdlviz.errata.concrete import SETTINGS, SHIPPED
from bdlviz.methods.concrete_dropout import bernoulli_entropy, drop_logits, logistic_noise, logit
from bdlviz.models.likelihoods import likelihood
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.predictive.functions import evaluate
from bdlviz.studies.study import ArrayStudy
from bdlviz.types import Array, Dataset, Draws

if TYPE_CHECKING:
    from torch import Tensor

    from bdlviz.training.by_gradient import Loss
    from bdlviz.training.method import Setup

READ_AS_LOGIT = (False, True)  # of the two networks, the right one first


def relaxed_bernoulli() -> dict[str, Array]:
    """Both networks on MNIST-1000: ``keep`` (2, 784), the learned variable of every pixel, the right network first.

    ``keep_mean`` (2, 3) is its mean over the input units of each layer; ``held_out_accuracy`` (2,) is that of the mean
    of the draws.
    """
    return train(load(SETTINGS["dataset"]), SETTINGS)


def train(dataset: Dataset, settings: Mapping[str, Any]) -> dict[str, Array]:
    """The arrays of `relaxed_bernoulli` for any data set of images."""
    from bdlviz.training.by_gradient import by_gradient
    from bdlviz.training.method import Setup
    from bdlviz.training.noise import MinibatchStream

    network = MLP((dataset.x.shape[1], *settings["hidden"], dataset.num_classes), "relu", "glorot")
    batch_size, seeds = settings["batch_size"], (settings["seed"],)
    setup = Setup(
        model=Model(network, likelihood("categorical")),
        hyperparameters={"read_as_logit": np.array(READ_AS_LOGIT)},
        seeds=seeds,
        num_data=dataset.num_data,
        batch_size=batch_size,
        num_steps=settings["num_steps"],
        learning_rate=settings["learning_rate"],
        num_inputs=dataset.x.shape[1],
        options={name: settings[name] for name in ("temperature", "start_keep", "length_scale")},
    )
    method = by_gradient(setup, _init(setup), _draw_noise(setup), _loss(setup))
    minibatches = MinibatchStream(dataset.x.astype(np.float32), dataset.y.reshape(-1, 1), batch_size, seeds)
    state = method.init()
    for _ in range(setup.num_steps):
        state = method.update(state, minibatches.next(), False)
    pairs = [{name: array[0, cell] for name, array in method.params(state).items()} for cell in (0, 1)]
    keep = [[1 / (1 + np.exp(each.ravel())) for each in drop_logits(params)] for params in pairs]
    return {
        "keep": np.array([layers[0] for layers in keep], np.float32),
        "keep_mean": np.array([[layer.mean() for layer in layers] for layers in keep], np.float32),
        "held_out_accuracy": np.array(
            [
                _accuracy(network, params, _kept(layers, is_mistaken), dataset, settings["num_samples"])
                for params, layers, is_mistaken in zip(pairs, keep, READ_AS_LOGIT, strict=True)
            ],
            np.float32,
        ),
    }


def _init(setup: Setup) -> Callable[[np.random.Generator], dict[str, Array]]:
    network, start = setup.model.network, -logit(setup.options["start_keep"])

    def init(rng: np.random.Generator) -> dict[str, Array]:
        logits = {f"drop_logit{k}": np.full((1, width), start, np.float32) for k, width in enumerate(_widths(network))}
        return network.init(rng) | logits

    return init


def _draw_noise(setup: Setup) -> Callable[[np.random.Generator], Sequence[Array]]:
    shapes = [(setup.batch_size, width) for width in _widths(setup.model.network)]
    return lambda rng: [logistic_noise(rng, shape) for shape in shapes]


def _loss(setup: Setup) -> Loss:
    """The objective of the module, (R, C); the masks of a mistaken cell take the probability as their logit."""
    import torch

    from bdlviz.training.by_gradient import Objective, forward

    model, decay = setup.model, setup.options["length_scale"] ** 2 / 2
    is_mistaken = torch.tensor(setup.hyperparameters["read_as_logit"])[:, None, None]

    def loss(params: dict[str, Tensor], x: Tensor, y: Tensor, noise: Sequence[Tensor], step: int) -> Objective:
        masks, penalty = [], torch.zeros(())
        for layer, (drop_logit, uniform) in enumerate(zip(drop_logits(params), noise, strict=True)):
            keep = torch.sigmoid(-drop_logit)
            logits = torch.where(is_mistaken, keep, -drop_logit)
            masks.append(torch.sigmoid((logits - uniform) / setup.options["temperature"]))
            norms = params[f"weight{layer}"].square().sum(-1)
            cost = decay * keep[..., 0, :] * norms - bernoulli_entropy(drop_logit)[..., 0, :]
            penalty = penalty + cost.sum(-1) + decay * params[f"bias{layer}"].square().sum((-1, -2))
        data_term = model.likelihood.negative_log_likelihood(forward(model.network, params, x, masks), y).mean(-1)
        whole = data_term + penalty / setup.num_data
        return Objective(whole, whole)

    return loss


def _kept(keep: Sequence[Array], is_mistaken: bool) -> list[Array]:
    """The probabilities with which the masks of a network keep the input units of each layer."""
    return [1 / (1 + np.exp(-each)) for each in keep] if is_mistaken else list(keep)


def _accuracy(
    network: MLP, params: Mapping[str, Array], kept: Sequence[Array], dataset: Dataset, num_samples: int
) -> float:
    """Held-out accuracy of the mean of the draws, with hard masks that are not divided by anything."""
    rng = np.random.default_rng(0)
    first, *rest = ((rng.random((num_samples, len(each))) < each).astype(np.float32) for each in kept)
    weights = {name: array for name, array in params.items() if not name.startswith("drop_logit")}
    outputs = evaluate(network, Draws(weights, tuple(rest), num_samples, first), dataset.x_test.astype(np.float32))
    mean = likelihood("categorical").mean(outputs).mean(0)
    return float((mean.argmax(-1) == dataset.y_test.ravel()).mean())


def _widths(network: MLP) -> tuple[int, ...]:
    """Input units of each layer."""
    return network.sizes[:-1]


ARRAYS = {SHIPPED: ArrayStudy("Concrete dropout with a probability read as a logit", relaxed_bernoulli, SETTINGS)}
