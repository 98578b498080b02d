"""Every wrong argument of `fit` and `predict` raises `InvalidInput` with its own sentence."""

import numpy as np
import pytest

import bdlviz
from bdlviz.settings import MAX_NETWORKS

X = np.linspace(-2, 2, 24)
Y = np.sin(3 * X)
QUICK = {"hidden": (8, 8), "num_steps": 30, "batch_size": 16, "learning_rate": 0.01}


def quick(method="mc_dropout", data=(X, Y), **settings):
    return bdlviz.fit(method, data, **{**QUICK, **settings})


@pytest.mark.parametrize(
    ("settings", "sentence"),
    [
        ({"dropout_rate": 1.0}, r"dropout_rate must be between 0 and 0.95, not 1\."),
        ({"dropout_rate": -0.1}, r"dropout_rate must be between 0 and 0.95, not -0.1\."),
        ({"dropout_rate": float("nan")}, r"dropout_rate must be between 0 and 0.95, not nan\."),
        ({"dropout_rate": "much"}, r"dropout_rate must be a number, not 'much'\."),
        ({"dropout_rate": (0.1, "much")}, r"dropout_rate must be a number, not 'much'\."),
        ({"dropout_rate": ()}, r"dropout_rate needs at least one value"),
        ({"dropout_rate": (0.1, 0.2, 0.1)}, r"dropout_rate needs at least one value, and each value once\."),
        ({"weight_decay": 101}, r"weight_decay must be between 0 and 100, not 101\."),
        (
            {"droput_rate": 0.1},
            r"MC dropout has no setting droput_rate; it has dropout_rate, weight_decay\. Did you mean dropout_rate\?",
        ),
        ({"learnin_rate": 0.1}, r"MC dropout has no setting learnin_rate; .* Did you mean learning_rate\?"),
        ({"on_snapshots": 3}, r"MC dropout has no setting on_snapshots; .* Did you mean on_snapshot\?"),
        ({"xyz": 1}, r"MC dropout has no setting xyz; it has dropout_rate, weight_decay\.$"),
        ({"seed": -1}, r"seed must be one non-negative number or several different ones\."),
        ({"seed": (1, 1)}, r"seed must be one non-negative number or several different ones\."),
        ({"seed": ()}, r"seed must be one non-negative number or several different ones\."),
        ({"seed": 0.5}, r"seed must be whole numbers"),
        ({"seed": "zero"}, r"seed must be whole numbers"),
        ({"hidden": 64}, r"hidden must be whole numbers, such as \(64, 64\), not 64\."),
        ({"hidden": (64, 0)}, r"at least one unit in every layer"),
        ({"hidden": (64,) * 11}, r"At most 10 hidden layers of at most 4096 units"),
        ({"hidden": (5000,)}, r"At most 10 hidden layers of at most 4096 units"),
        ({"activation": "sine"}, r"Unknown activation 'sine': choose one of relu, tanh, gelu, silu\."),
        ({"num_steps": 0}, r"num_steps must be between 1 and 1000000, not 0\."),
        ({"num_steps": 10**7}, r"num_steps must be between 1 and 1000000"),
        ({"batch_size": 0}, r"batch_size must be at least 1, not 0\."),
        ({"learning_rate": 0}, r"learning_rate must be above 0 and at most 10, not 0\."),
        ({"learning_rate": float("nan")}, r"learning_rate must be above 0 and at most 10, not nan\."),
        ({"schedule": "cosine"}, r"Unknown schedule 'cosine': choose one of constant, drop_at_half, linear\."),
        ({"noise_std": 0}, r"noise_std must be positive, not 0\."),
        ({"noise_std": float("inf")}, r"noise_std must be positive, not inf\."),
        ({"num_snapshots": 41}, r"num_snapshots must be between 0 and 40, not 41\."),
        ({"seed": tuple(range(MAX_NETWORKS + 1))}, r"That grid has more than 4096 networks"),
        ({"length_scale": 0}, r"length_scale must be one positive number, not 0\."),
        ({"length_scale": float("nan")}, r"length_scale must be one positive number, not nan\."),
        ({"length_scale": (1, 2)}, r"length_scale must be one positive number, not \(1, 2\)\."),
        (
            {"length_scale": 1, "weight_decay": 1, "noise_std": 1},
            r"Give two of length_scale, noise_std and weight_decay",
        ),
        ({"length_scale": 1, "dropout_rate": (0.1, 0.2)}, r"length_scale needs a single dropout_rate"),
        ({"length_scale": 1, "weight_decay": (0.1, 0.2)}, r"length_scale needs a single weight_decay"),
        ({"length_scale": 1, "weight_decay": 0}, r"No length_scale belongs to weight_decay 0"),
        ({"length_scale": 1, "dropout_rate": "much"}, r"dropout_rate must be a number"),
        ({"length_scale": 1e6}, r"weight_decay must be between 0 and 100"),
    ],
)
def test_every_wrong_setting_has_its_sentence(settings, sentence):
    with pytest.raises(bdlviz.InvalidInput, match=sentence):
        quick(**settings)


def test_structural_settings_take_one_value_and_count():
    with pytest.raises(bdlviz.InvalidInput, match="num_members cannot be a grid axis: give one value"):
        quick("deep_ensemble", num_members=(2, 3))
    with pytest.raises(bdlviz.InvalidInput, match="more than 4096 networks"):
        quick("deep_ensemble", num_members=100, seed=tuple(range(41)))


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ([X, Y], r"data must be a pair \(x, y\) of arrays, the name of a built-in set, or a Dataset"),
        ((X, Y, Y), r"data must be a pair"),
        ("no_such_set", r"no_such_set"),
        ((X, "words"), r"y must be an array of numbers"),
        (([1, [2, 3]], [1, 2]), r"x must be an array of numbers, with one row for each point; its rows differ"),
        ((X, Y[:-1]), r"x and y need the same number of rows, at least one; they have 24 and 23"),
        ((np.stack([X, X], 1), Y[:-1]), r"x and y need the same number of rows, at least one; they have 24 and 23"),
        ((np.empty((0, 2)), np.empty(0)), r"at least one; they have 0 and 0"),
        ((X, np.where(X > 1, np.nan, Y)), r"y must be finite numbers, but y\[18\] is nan: remove"),
        ((np.stack([X, X * np.inf], 1), Y), r"x must be finite numbers"),
    ],
)
def test_wrong_data_have_their_sentence(data, sentence):
    with np.errstate(invalid="ignore"), pytest.raises(bdlviz.InvalidInput, match=sentence):
        quick(data=data)


@pytest.mark.parametrize(
    ("x", "sentence"),
    [
        ("words", r"x must be an array of numbers"),
        (np.zeros((3, 2)), r"x must have shape \(N, 1\), not \(3, 2\)\."),
        (np.zeros((3, 1, 1)), r"x must have shape \(N, 1\)"),
        ([], r"x must be finite numbers, at least one\."),
        ([0.0, np.nan], r"x must be finite numbers, but x\[1\] is nan"),
    ],
)
def test_wrong_inputs_have_their_sentence(x, sentence):
    with pytest.raises(bdlviz.InvalidInput, match=sentence):
        quick().predict(x)


def test_inputs_of_another_width_are_not_stretched():
    fit = quick(data=(np.stack([X, X**2], 1), Y))
    with pytest.raises(bdlviz.InvalidInput, match=r"x must have shape \(N, 2\), not \(24, 1\)\."):
        fit.predict(X)


@pytest.mark.parametrize("count", [0, -1, 100_001])
def test_number_of_samples_is_checked(count):
    with pytest.raises(bdlviz.InvalidInput, match="num_samples must be between 1 and 100000"):
        quick().predict(X, count)


def test_predict_needs_one_cell_of_one_seed():
    grid = quick(dropout_rate=(0.1, 0.5), seed=(0, 1))
    for use in (lambda: grid.predict(X), lambda: grid.length_scale, lambda: grid.masks(3)):
        with pytest.raises(
            bdlviz.InvalidInput, match=r"one cell of one seed; this fit has 2 x 2: pick with fit.cell\(\)"
        ):
            use()


@pytest.mark.parametrize("method", ["variational_dropout", "ard", "group_horseshoe"])
def test_a_method_without_weight_decay_has_no_length_scale(method):
    fit = bdlviz.fit(method, (X, Y), hidden=(4,), num_steps=1)
    with pytest.raises(bdlviz.InvalidInput, match=f"^{fit.spec.title} has no weight decay, so no length-scale"):
        _ = fit.length_scale


@pytest.mark.parametrize("data", ["x_sin_x", (X, Y)])
def test_names_and_arrays_are_no_data_set(data):
    config = quick(num_steps=1).config
    for use in (lambda: bdlviz.configure("map", data), lambda: bdlviz.run(config, data)):
        with pytest.raises(bdlviz.InvalidInput, match=r"A Dataset is needed here: take bdlviz\.dataset\(name\)"):
            use()


def test_a_configuration_trains_on_its_own_data_only():
    mine, other = (bdlviz.from_points(X, Y + shift, held_out=False) for shift in (0, 1e-9))
    config = bdlviz.configure("map", mine, hidden=(4,), num_steps=1)
    assert bdlviz.run(config, mine).config == config
    with pytest.raises(bdlviz.InvalidInput, match="The configuration belongs to other data"):
        bdlviz.run(config, other)


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"configs": "map"}, r"configs must be configurations from bdlviz\.configure"),
        ({"configs": ["map"]}, r"configs must be configurations from bdlviz\.configure"),
        ({"num_processes": "2"}, r"num_processes must be a whole number, not '2'"),
        ({"num_processes": 1.5}, r"num_processes must be a whole number, not 1\.5"),
        ({"executor": 3}, r"executor must be one of concurrent\.futures, not 3"),
    ],
)
def test_wrong_arguments_of_a_sweep_have_their_sentence(change, sentence):
    data = bdlviz.from_points(X, Y, held_out=False)
    settings = {"configs": [bdlviz.configure("map", data, hidden=(4,), num_steps=1)], "data": data} | change
    with pytest.raises(bdlviz.InvalidInput, match=sentence):
        bdlviz.sweep(**settings)
