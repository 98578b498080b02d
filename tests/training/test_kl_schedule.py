"""How much of the KL term a minibatch carries: shares that sum to one, and a warm-up as published."""

import numpy as np
import pytest

import bdlviz
from bdlviz.errors import InvalidInput
from bdlviz.training.kl_schedule import halved, warmed_up
from tests.methods.contract import X, Y


def test_shares_and_warm_up_as_published():
    """Also where 2^M is past the largest float."""
    for minibatches in [1, 2, 10, 5000]:
        shares = [halved(index, minibatches) for index in range(minibatches)]
        assert np.mean(shares) == pytest.approx(1)
        assert minibatches == 1 or shares[0] / shares[1] == pytest.approx(2)
    assert halved(1, 3) / 3 == pytest.approx(2 ** (3 - 2) / (2**3 - 1))
    # Molchanov et al.: 200 epochs, so a warm-up of a tenth.
    assert [warmed_up(epoch, 0.1 * 200) for epoch in (0, 5, 12.5, 20, 199)] == pytest.approx([0, 0, 0.5, 1, 1])
    assert warmed_up(0, 0) == 1
    with pytest.raises(InvalidInput, match=r"kl_halving must be a whole number, not 0\.5"):
        bdlviz.fit("bayes_by_backprop", (X, Y), num_steps=1, kl_halving=0.5)
    # With one step of training the term is off throughout: the spread hears of the data alone.
    warm = bdlviz.fit("ard", (X, Y), hidden=(16,), num_steps=100, kl_warm_up=1.0, learning_rate=0.05)
    cold = bdlviz.fit("ard", (X, Y), hidden=(16,), num_steps=100, kl_warm_up=0.0, learning_rate=0.05)
    assert warm.params["log_std_weight0"].mean() < cold.params["log_std_weight0"].mean()
    full, warm = (bdlviz.fit("ard", (X, Y), hidden=(16,), num_steps=1, kl_warm_up=share) for share in (0.0, 1.0))
    np.testing.assert_array_equal(full.losses["loss"], warm.losses["loss"])
