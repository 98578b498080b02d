"""What every supervised method must do, as checks of a method's name. `checks_of` says which a method must pass.

Arrays are compared exactly unless a check says why not. Widths and the batch are multiples of 16 on purpose: torch's
tanh, gelu, silu and sigmoid treat what is left over behind whole vector registers with other instructions, which may
round the last bit differently, and then a network's numbers depend on its place in the stack.
"""

import random
import threading
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import bdlviz
from bdlviz.fits import Fit
from bdlviz.methods import METHODS
from bdlviz.types import Dataset

X = np.linspace(-2, 2, 24)
Y = np.sin(3 * X) + 0.1 * np.cos(40 * X)
X_NEW = np.linspace(-3, 3, 13)
SMALL: dict[str, Any] = {"hidden": (16, 16), "num_steps": 25, "batch_size": 16, "learning_rate": 0.01}


def quick(name: str, data: Any = None, **settings: Any) -> Fit:
    """A short fit of a small network; structural settings as small as they go."""
    options = {p.name: p.values[0] for p in METHODS[name].hyperparameters if not p.is_axis}
    return bdlviz.fit(name, (X, Y) if data is None else data, **{**options, **SMALL, **settings})


def axes_of(name: str) -> dict[str, Any]:
    """Two values for each of the method's grid axes."""
    return {p.name: (p.values[0], p.values[len(p.values) // 2]) for p in METHODS[name].hyperparameters if p.is_axis}


def predictive_of(fit: Fit) -> bdlviz.Predictive:
    """What the fit says about new inputs, checked to be finite."""
    predictive = fit.predict(X_NEW, 7)
    for array in (predictive.draws, predictive.mean, predictive.epistemic_std, predictive.aleatoric_std):
        assert np.isfinite(array).all()
    return predictive


def assert_same_fit(one: Fit, other: Fit) -> None:
    """The same parameters, losses and predictions to the last bit."""
    assert one.params.keys() == other.params.keys()
    for name, array in one.params.items():
        np.testing.assert_array_equal(array, other.params[name], err_msg=name)
    np.testing.assert_array_equal(one.predict(X_NEW, 5).draws, other.predict(X_NEW, 5).draws)


def check_shapes(name: str) -> None:
    """(R, C, ...) for parameters, (T, R, C) for losses, (T', R, C, ...) for snapshots, (S, N, K) for draws."""
    fit = quick(name, **axes_of(name), seed=(3, 1, 2), num_snapshots=4)
    num_cells = int(np.prod(fit.config.grid_shape))
    assert num_cells == 2 ** len(axes_of(name))
    num_steps = 1 if METHODS[name].inference == "solved" else 25
    for key, array in fit.params.items():
        assert array.dtype == np.float32 and array.shape[:2] == (3, num_cells)
        assert fit.snapshots[key].shape == (min(4, num_steps), *array.shape)
    assert fit.losses["loss"].shape == (num_steps, 3, num_cells)
    np.testing.assert_array_equal(fit.losses["step"], np.arange(1, num_steps + 1))
    first: dict[str, Any] = {axis: values[0] for axis, values in axes_of(name).items()}
    cell = fit.cell(seed=1, **first)
    assert cell.history["loss"].shape == (num_steps,)
    predictive = predictive_of(cell)
    assert predictive.draws.shape == (predictive.num_samples, len(X_NEW), 1)
    assert predictive.mean.shape == predictive.epistemic_std.shape == predictive.aleatoric_std.shape == (13, 1)


def check_cell_in_the_grid_equals_cell_alone(name: str) -> None:
    """Every cell of a grid is, to the last bit, what that setting gives when it is trained alone."""
    for activation in ("relu", "tanh"):
        grid = quick(name, **axes_of(name), activation=activation)
        for corner in (0, 1):
            picks: dict[str, Any] = {axis: values[corner] for axis, values in axes_of(name).items()}
            assert_same_fit(grid.cell(**picks), quick(name, **picks, activation=activation))


def check_seed_in_a_stack_equals_seed_alone(name: str) -> None:
    """Neither the other seeds nor their order matter; the full batch, which seeds share, included."""
    for batch_size in (16, None):
        stack = quick(name, seed=(5, 0, 7), batch_size=batch_size)
        for seed in (0, 7):
            assert_same_fit(stack.cell(seed=seed), quick(name, seed=seed, batch_size=batch_size))


def check_same_seed_same_bits(name: str) -> None:
    """Twice the same call: the same bits."""
    assert_same_fit(quick(name, seed=4), quick(name, seed=4))


def check_seeds_differ(name: str) -> None:
    """Other seeds start elsewhere and see other minibatches; other seeds of draws draw otherwise."""
    one, other = quick(name, seed=4), quick(name, seed=5)
    assert all(not np.array_equal(one.params[n], other.params[n]) for n in one.params if n.startswith("weight"))
    draws, again = (one.predict(X_NEW, 9, seed=seed).draws for seed in (0, 1))
    if predictive_of(one).num_samples == 7:  # a method with as many functions as one asks for
        assert not np.array_equal(draws, again)
        assert len(np.unique(draws[:, 0])) > 1


def check_losses_are_finite(name: str) -> None:
    """Recorded losses are finite, and training lowers them."""
    loss = quick(name, num_steps=150).history["loss"]
    assert loss.shape == (40,) and np.isfinite(loss).all()
    assert loss[-10:].mean() < loss[:3].mean()


def check_global_random_state_is_left_alone(name: str) -> None:
    """Neither read nor written: a fit does not depend on it, and it does not change."""
    torch.manual_seed(11)
    np.random.seed(11)
    random.seed(11)
    before = torch.get_rng_state(), np.random.get_state(legacy=False), random.getstate()
    one = quick(name)
    one.predict(X_NEW, 5)
    after = torch.get_rng_state(), np.random.get_state(legacy=False), random.getstate()
    assert torch.equal(before[0], after[0])
    np.testing.assert_equal(after[1], before[1])
    assert before[2] == after[2]
    torch.manual_seed(12)
    assert_same_fit(one, quick(name))


def check_draws_are_functions(name: str) -> None:
    """A draw's value at x does not depend on what other x it is evaluated at (up to the rounding of products)."""
    fit = quick(name)
    everywhere, some = fit.predict(X_NEW, 40).draws, fit.predict(X_NEW[[2, 9, 4]], 40).draws
    np.testing.assert_allclose(some, everywhere[:, [2, 9, 4]], rtol=1e-4, atol=1e-5)


def check_num_samples_is_honoured(name: str) -> None:
    """S draws, or all functions there are; fewer draws are the first of more."""
    fit = quick(name)
    few, many = fit.predict(X_NEW, 5), fit.predict(X_NEW, 33)
    assert many.num_samples == len(many.draws)
    assert many.num_samples == min(33, fit.predict(X_NEW, 1000).num_samples)
    assert few.num_samples == min(5, many.num_samples)
    np.testing.assert_allclose(many.draws[: len(few.draws)], few.draws, rtol=1e-4, atol=1e-5)


def check_snapshots_stream_and_stop(name: str) -> None:
    """``on_snapshot`` sees every round; each gives a fit as it then stood; False ends the training there."""
    seen: list[tuple[int, Fit]] = []

    def look(snapshot: bdlviz.Snapshot[Fit]) -> bool:
        seen.append((snapshot.step, snapshot.take()))
        return snapshot.step < 8

    stopped = quick(name, num_steps=20, on_snapshot=look)
    assert [step for step, _ in seen] == list(range(1, 9))
    assert [fit.num_steps_done for _, fit in seen] == list(range(1, 9))
    assert stopped.num_steps_done == 8 and not stopped.is_done and len(stopped.history["loss"]) == 8
    assert_same_fit(stopped, seen[-1][1])
    first, second = (seen[i][1].predict(X_NEW, 5).draws for i in (0, 4))
    assert not np.array_equal(first, second)
    ended = quick(name, num_steps=20, on_snapshot=lambda snapshot: None)  # None goes on
    assert ended.num_steps_done == 20 and ended.is_done


def check_snapshots_are_kept(name: str) -> None:
    """The last snapshot is the end of training, and each belongs to the step it names."""
    fit = quick(name, num_steps=20, num_snapshots=3)
    np.testing.assert_array_equal(fit.snapshot_steps, [1, 10, 20])
    for index, step in enumerate(fit.snapshot_steps):
        then = quick(name, num_steps=20, on_snapshot=lambda snapshot, step=step: snapshot.step < step)
        kept = fit.at_snapshot(index)
        assert kept.num_steps_done == then.num_steps_done == step
        assert kept.is_done == then.is_done == (step == 20)
        for key, array in kept.params.items():
            np.testing.assert_allclose(array, then.params[key], rtol=1e-3, atol=1e-6)  # half precision


class _SetAfter(threading.Event):
    """An event that is set once it was asked a number of times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


def check_cancel_stops_in_the_middle_of_a_round(name: str) -> None:
    """The event is looked at in every step; what was trained so far is kept and can be used."""
    for steps in (7, 33):
        fit = quick(name, num_steps=400, cancel=_SetAfter(steps))  # rounds of 10 steps
        assert steps - 4 <= fit.num_steps_done <= steps  # asked once more at the end of each round
        assert len(fit.history["loss"]) == fit.num_steps_done // 10
        predictive_of(fit)


def check_cancel_before_the_first_step(name: str) -> None:
    """A fit that has seen no data can be used."""
    cancelled = threading.Event()
    cancelled.set()
    grid = quick(name, cancel=cancelled, seed=(0, 1))
    assert grid.num_steps_done == 0
    assert grid.cell(seed=1).history["loss"].shape == (0,)
    predictive_of(grid.cell(seed=1))


def check_divergence_is_noticed_and_said(name: str) -> None:
    """Ten layers at the largest learning rate overflow: no warning, training ends early, and predict says why."""
    fit = quick(name, hidden=(128,) * 10, learning_rate=10.0, num_steps=60, num_snapshots=2)
    assert fit.diverged.all()
    assert fit.num_steps_done < 60 and not fit.is_done
    with pytest.raises(bdlviz.InvalidInput, match=r"diverged.*smaller learning rate"):
        fit.predict(X_NEW)


def check_odd_data(name: str) -> None:
    """One point, a constant y, one x for all points, more points in a batch than there are: finite answers."""
    for x, y, batch_size in (
        ([1.0], [2.0], 32),
        (X, np.full_like(X, 7.0), 16),
        (np.full_like(X, 3.0), Y, 16),
        (np.repeat(X, 2), np.concatenate([Y, -Y]), 16),
        (X, Y, 1000),
        (X, Y, 1),
        (1e6 + X, 1e-6 * Y, 16),
    ):
        predictive_of(quick(name, (np.array(x), np.array(y)), batch_size=batch_size))


def check_extreme_settings(name: str) -> None:
    """Both ends of every hyper-parameter train without a warning and predict finite numbers.

    The largest step of a chain without rejection may diverge; then the fit says so.
    """
    for parameter in METHODS[name].hyperparameters:
        for value in {parameter.minimum, min(parameter.maximum, 100.0)}:
            fit = quick(name, **{parameter.name: value}, num_steps=10)
            if parameter.name == "step_size" and fit.diverged.any():
                with pytest.raises(bdlviz.InvalidInput, match=r"diverged.*smaller step size"):
                    fit.predict(X_NEW)
            else:
                predictive_of(fit)


def check_many_inputs_and_outputs(name: str) -> None:
    """D = 2 and K = 3."""
    fit = quick(name, (np.stack([X, X**2], 1), np.stack([Y, -Y, Y**2], 1)))
    predictive = fit.predict(np.zeros((4, 2)), 6)
    assert predictive.mean.shape == (4, 3) and predictive.draws.shape[1:] == (4, 3)
    np.testing.assert_allclose(predictive.mean, np.tile(predictive.mean[:1], (4, 1)), rtol=1e-5)


def classes() -> Dataset:
    """Three classes along a line."""
    return Dataset("bands", "Bands", X[:, None], np.digitize(X, [-0.7, 0.7]), task="classification")


def check_classification(name: str) -> None:
    """Probabilities, and entropies that add up."""
    if "classification" not in METHODS[name].tasks:
        return
    # A divergence over hundreds of weights, at its full weight, leaves nothing of what 24 points say.
    mild = {"kl_weight": 0.01} if METHODS[name].hyperparameter("kl_weight") else {}
    # With the usual step size, a chain of 200 steps is still near its start.
    mild |= {"step_size": 0.1} if METHODS[name].hyperparameter("step_size") else {}
    fit = quick(name, classes(), num_steps=200, **mild)
    predictive = fit.predict(X, 20)
    assert predictive.draws.shape[1:] == (24, 3)
    np.testing.assert_allclose(predictive.draws.sum(-1), 1, rtol=1e-5)
    assert predictive.predictive_entropy is not None and predictive.mutual_information is not None
    assert (predictive.mutual_information <= predictive.predictive_entropy + 1e-6).all()
    assert np.mean(predictive.mean.argmax(1) == classes().y) > 0.6  # one class alone would be right on a third


def check_sliders(name: str) -> None:
    """What a slider needs of every hyper-parameter is there and fits together."""
    spec = METHODS[name]
    assert spec.name == name and spec.title and spec.reference and spec.idea.endswith(".")
    for parameter in spec.hyperparameters:
        assert parameter.label and parameter.symbol and parameter.name.isidentifier()
        assert list(parameter.values) == sorted(set(parameter.values)) and len(parameter.values) > 1
        assert parameter.minimum <= parameter.values[0] and parameter.values[-1] <= parameter.maximum
        assert parameter.check(parameter.default) == parameter.default
        with pytest.raises(bdlviz.InvalidInput, match=parameter.name):
            parameter.check(parameter.maximum * 1.01 + 1)


CHECKS: dict[str, Callable[[str], None]] = {
    key.removeprefix("check_"): value for key, value in list(globals().items()) if key.startswith("check_")
}

# Only methods that follow a gradient have these: others take one step, or their steps wander.
OPTIMISED_ONLY = {
    "losses_are_finite",
    "snapshots_stream_and_stop",
    "snapshots_are_kept",
    "cancel_stops_in_the_middle_of_a_round",
    "divergence_is_noticed_and_said",
}


def checks_of(name: str) -> list[str]:
    """The checks of the contract that a method must pass."""
    return [check for check in CHECKS if METHODS[name].inference == "optimised" or check not in OPTIMISED_ONLY]
