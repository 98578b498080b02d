"""Penalised likelihood with a penalty of one's own: the same fit as the built-in one where both say the same."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

import bdlviz
from bdlviz.methods import METHODS, map
from bdlviz.training.penalised import penalised_likelihood
from tests.methods.contract import X, Y

DECAYS = (1e-3, 0.1)


def squares(setup):
    """Weight decay as a torch expression."""
    decay = torch.from_numpy(setup.hyperparameters["weight_decay"].astype(np.float32))
    names = [name for name in ("weight0", "weight1", "0.weight", "2.weight")]

    def penalty(params):
        return decay * sum(params[name].square().flatten(2).sum(-1) for name in names if name in params)

    return penalised_likelihood(setup, penalty=penalty)


def absolute_values(setup):
    """The lasso."""
    factor = torch.from_numpy(setup.hyperparameters["weight_decay"].astype(np.float32))

    def penalty(params):
        return factor * sum(tensor.abs().flatten(2).sum(-1) for tensor in params.values())

    return penalised_likelihood(setup, penalty=penalty)


@pytest.fixture
def registered(request):
    METHODS["own_penalty"] = replace(map.SPEC, name="own_penalty", build=request.param)
    yield
    del METHODS["own_penalty"]


@pytest.mark.parametrize("registered", [squares], indirect=True)
@pytest.mark.parametrize("own_module", [False, True])
def test_the_same_penalty_gives_the_same_fit(registered, own_module):
    network = nn.Sequential(nn.Linear(1, 8), nn.ReLU(), nn.Linear(8, 1)) if own_module else None
    settings: dict[str, Any] = {"network": network} if own_module else {"hidden": (8,)}
    ours, own = (
        bdlviz.fit(name, (X, Y), weight_decay=DECAYS, seed=(0, 1), num_steps=200, **settings)
        for name in ("map", "own_penalty")
    )
    np.testing.assert_allclose(own.history["loss"], ours.history["loss"], rtol=1e-3)
    for name, array in own.params.items():
        np.testing.assert_allclose(array, ours.params[name], atol=1e-3)


@pytest.mark.parametrize("registered", [absolute_values], indirect=True)
def test_another_penalty_trains_other_weights(registered):
    def sizes(name):
        fit = bdlviz.fit(name, (X, Y), weight_decay=0.03, hidden=(32,), num_steps=2000, learning_rate=0.01)
        assert fit.diverged.sum() == 0
        return np.abs(fit.single()["weight0"]).ravel()

    assert (sizes("own_penalty") < 1e-2).mean() > (sizes("map") < 1e-2).mean() + 0.2  # the lasso removes weights
