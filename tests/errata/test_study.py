"""The training behind the erratum on relaxed masks: its objective, and that only the masks differ."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from bdlviz.data import load
from bdlviz.errata import study as errata_study
from bdlviz.methods import concrete_dropout
from bdlviz.models.likelihoods import likelihood
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.training.method import Setup

SMALL = errata_study.SETTINGS | {"hidden": [16], "num_steps": 40, "batch_size": 20, "num_samples": 5}


def tensors(seed: int, keep: float) -> tuple[MLP, dict[str, torch.Tensor]]:
    """A network of 4, 3 and 2 units twice, (1, 2, rows, columns), and its drop logits."""
    network, rng = MLP((4, 3, 2)), np.random.default_rng(seed)
    params = {name: rng.standard_normal((1, 1, *shape)).repeat(2, 1) for name, shape in network.shapes().items()}
    params |= {f"drop_logit{k}": np.full((1, 2, 1, width), -np.log(keep / (1 - keep))) for k, width in ((0, 4), (1, 3))}
    return network, {name: torch.tensor(array) for name, array in params.items()}


@pytest.mark.parametrize("keep", [0.3, 0.9])
def test_the_objective_is_that_of_concrete_dropout_with_unscaled_masks(keep: float):
    """The right network's equals the project's own, whose masks are divided by k and whose weights are k M."""
    network, params = tensors(1, keep)
    options = {"temperature": 0.1, "start_keep": 0.88, "length_scale": 0.7}
    setup = Setup(
        Model(network, likelihood("categorical")),
        {"read_as_logit": np.array(errata_study.READ_AS_LOGIT)},
        (0,),
        *(50, 6, 1, 1e-3, 4),
        options=options,
    )
    rng = np.random.default_rng(2)
    x, y = torch.tensor(rng.standard_normal((1, 1, 6, 4))), torch.tensor(rng.integers(0, 2, (1, 1, 6, 1)))
    noise = [torch.tensor(rng.logistic(size=(1, 1, 6, width))) for width in (4, 3)]
    found = errata_study._loss(setup)(params, x, y, noise, 0).minimised
    scaled = params | {name: keep * params[name] for name in ("weight0", "weight1")}
    own = concrete_dropout.relaxed_negative_log_likelihood(setup.model, scaled, x, y, noise, torch.tensor([0.1, 0.1]))
    own = own + concrete_dropout.kl_to_prior(scaled, torch.tensor(0.7)) / 50
    assert float(found[0, 0]) == pytest.approx(float(own[0, 0]), rel=1e-6)
    assert abs(float(found[0, 1] - found[0, 0])) > 1e-3


def test_masks_of_the_mistaken_network_have_the_probability_as_their_logit():
    keep = [np.array([0.0, 0.5, 1.0])]
    np.testing.assert_allclose(errata_study._kept(keep, True)[0], [0.5, 0.6224593, 0.7310586], rtol=1e-6)
    np.testing.assert_array_equal(errata_study._kept(keep, False)[0], keep[0])


def test_a_short_training_repeats_and_both_networks_start_alike():
    digits = load("digits", num_data=100)
    first, again = (errata_study.train(digits, SMALL) for _ in range(2))
    for name, array in first.items():
        np.testing.assert_array_equal(array, again[name])
    shapes = {name: array.shape for name, array in first.items()}
    assert shapes == {"keep": (2, 64), "keep_mean": (2, 2), "held_out_accuracy": (2,)}
    assert np.abs(first["keep"] - 0.88).max() < 0.05  # a logit moves by at most a learning rate in a step
    assert np.ptp(first["keep"], 0).max() > 0
