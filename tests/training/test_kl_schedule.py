"""How much of the KL term a minibatch carries: shares that sum to one, and a warm-up as published."""

import numpy as np
import pytest

import bdlviz
from bdlviz.errors import InvalidInput
from bdlviz.training.kl_schedule import halved, warmed_up
from tests.methods.contract import X, Y


@pytest.mark.parametrize("minibatches", [1, 2, 10, 5000])
def test_halved_shares_sum_to_an_epoch(minibatches):
    """Also where 2^M is past the largest float."""
    shares = [halved(index, minibatches) for index in range(minibatches)]
    assert np.mean(shares) == pytest.approx(1)
    assert minibatches == 1 or shares[0] / shares[1] == pytest.approx(2)


def test_halved_is_the_papers_formula():
    assert halved(1, 3) / 3 == pytest.approx(2 ** (3 - 2) / (2**3 - 1))


def test_warm_up_is_off_for_five_epochs_and_full_after_twenty():
    """Molchanov et al.: 200 epochs, so a warm-up of a tenth."""
    assert [warmed_up(epoch, 0.1 * 200) for epoch in (0, 5, 12.5, 20, 199)] == pytest.approx([0, 0, 0.5, 1, 1])
    assert warmed_up(0, 0) == 1


def test_a_warm_up_as_long_as_training_prunes_less():
    """With one step of training the term is off throughout: the spread hears of the data alone."""
    warm = bdlviz.fit("ard", (X, Y), hidden=(16,), num_steps=100, kl_warm_up=1.0, learning_rate=0.05)
    cold = bdlviz.fit("ard", (X, Y), hidden=(16,), num_steps=100, kl_warm_up=0.0, learning_rate=0.05)
    assert warm.params["log_std_weight0"].mean() < cold.params["log_std_weight0"].mean()


def test_the_loss_on_record_has_the_full_term_from_the_start():
    full, warm = (bdlviz.fit("ard", (X, Y), hidden=(16,), num_steps=1, kl_warm_up=share) for share in (0.0, 1.0))
    np.testing.assert_array_equal(full.losses["loss"], warm.losses["loss"])


def test_kl_halving_is_on_or_off():
    with pytest.raises(InvalidInput, match=r"kl_halving must be a whole number, not 0\.5"):
        bdlviz.fit("bayes_by_backprop", (X, Y), num_steps=1, kl_halving=0.5)
