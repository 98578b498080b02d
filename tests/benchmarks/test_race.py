"""The check that contenders of a race reached the same."""

import numpy as np
import pytest

from benchmarks import ceiling
from benchmarks.timing import Runs
from benchmarks.training import check_losses
from benchmarks.workload import Workload

RNG = np.random.default_rng(0)


def _runs(*means):
    """Five rounds, whose losses scatter by a hundredth."""
    losses = np.array(means) * (1 + 0.01 * RNG.standard_normal((5, len(means))))
    return Runs([1.0] * 5, list(losses if len(means) > 1 else losses[:, 0]))


def test_equal_losses_pass_the_check():
    check_losses("grid", _runs(0.02, 0.1, 0.5), _runs(0.02, 0.1, 0.5), _runs(0.02))
    check_losses("one fit", _runs(0.02), _runs(0.02))


@pytest.mark.parametrize("other", [(0.03, 0.1, 0.5), (0.02, 0.1, 0.8), (0.03,)])
def test_another_loss_fails_the_check(other):
    with pytest.raises(AssertionError, match="mean losses"):
        check_losses("grid", _runs(0.02, 0.1, 0.5), _runs(*other))


def test_some_losses_are_those_of_the_first_the_middle_and_the_last_network():
    work, rng = Workload(hidden=(4,)), np.random.default_rng(0)
    shapes = {"weight0": (1, 4), "bias0": (1, 4), "weight1": (4, 1), "bias1": (1, 1)}
    params = {name: rng.standard_normal((5, *shape)) for name, shape in shapes.items()}
    expected = [work.final_loss({name: array[i] for name, array in params.items()}) for i in (0, 2, 4)]
    np.testing.assert_allclose(work.some_losses(params), expected)


def test_no_product_between_hidden_layers_is_no_ceiling():
    assert ceiling.seconds_per_network_step(Workload(hidden=(100,)), 1) == 0
