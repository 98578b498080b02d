"""The public verb `fit`: units, length-scales, cells, history, snapshots and known answers."""

import inspect
import re
import threading
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

import bdlviz
from bdlviz.fits import round_ends
from bdlviz.methods import METHODS
from bdlviz.models.mlp import MLP
from bdlviz.settings import ARGUMENTS_OF_FIT, NUM_ROUNDS, SHARED
from bdlviz.training.method import Setup
from bdlviz.types import Dataset, Snapshot

X = np.linspace(-2, 2, 24)
Y = np.sin(3 * X)
QUICK = {"hidden": (8, 8), "num_steps": 30, "batch_size": 16, "learning_rate": 0.01}


def quick(method="mc_dropout", data=(X, Y), **settings):
    return bdlviz.fit(method, data, **{**QUICK, **settings})


def test_inputs_may_be_lists_integers_numbers_or_columns():
    fit = quick()
    expected = fit.predict(np.array([[0.0], [1.0]]), 5).draws
    for x in ([0, 1], [0.0, 1.0], np.array([0, 1]), np.array([0, 1], np.float32), [[0], [1]]):
        np.testing.assert_array_equal(fit.predict(x, 5).draws, expected)
    assert fit.predict(0.5, 5).mean.shape == (1, 1)


def test_configuration_is_what_was_asked_for():
    config = bdlviz.configure(
        *("mc_dropout", Dataset("mine", "Mine", X[:, None], Y[:, None])),
        **{"hidden": [8, 4], "dropout_rate": (0.1, 0.5), "seed": np.array([3, 1]), "num_epochs": 5, "batch_size": 10},
    )
    assert (config.hidden, config.seeds, config.num_steps, config.batch_size) == ((8, 4), (3, 1), 15, 10)
    assert dict(config.axes) == {"dropout_rate": (0.1, 0.5), "weight_decay": (1e-4,)}
    assert config.grid_shape == (2, 1) and config.hyperparameter("weight_decay") == 1e-4
    assert hash(config) == hash(config) and config.likelihood == "gaussian"
    with pytest.raises(ValueError, match="grid axis with 2 values"):
        config.hyperparameter("dropout_rate")
    assert bdlviz.configure("map", Dataset("mine", "Mine", X[:, None], Y[:, None]), batch_size=24).batch_size is None


# Length-scale, noise, weight decay ----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["map", "mc_dropout"])
@pytest.mark.parametrize("rate", [None, 0.0, 0.4])
def test_two_of_length_scale_noise_and_weight_decay_determine_the_third(method, rate):
    """Whichever two are given, `Fit.length_scale` is the third; the method's own default rate counts, too."""
    given = {} if rate is None or method == "map" else {"dropout_rate": rate}
    used = 0.1 if rate is None and method == "mc_dropout" else given.get("dropout_rate", 0.0)
    short = {**given, "num_steps": 1}
    by_noise = quick(method, length_scale=0.3, noise_std=0.2, **short)
    decay, precision = by_noise.config.hyperparameter("weight_decay"), (Y.std() / 0.2) ** 2
    assert by_noise.precision == pytest.approx(precision)
    assert decay == pytest.approx(0.3**2 / (2 * 24 * precision * (1 - used)))
    assert by_noise.length_scale == pytest.approx(0.3)
    by_decay = quick(method, length_scale=0.3, weight_decay=decay, **short)
    assert by_decay.noise_std == pytest.approx(0.2)
    assert by_decay.length_scale == pytest.approx(0.3)
    assert quick(method, noise_std=0.2, weight_decay=decay, **short).length_scale == pytest.approx(0.3)
    default = quick(method, length_scale=0.3, **short)
    assert default.length_scale == pytest.approx(0.3)
    assert default.noise_std == quick(method, num_steps=1).noise_std


def test_the_first_layer_has_a_length_scale_of_its_own():
    """Its input is never dropped: the others have sqrt(1 - p) times its length-scale."""
    first, second, third = (fit := quick(dropout_rate=0.4, weight_decay=1e-3, num_steps=1)).length_scales
    assert second == third == fit.length_scale
    assert fit.length_scale == pytest.approx((1 - 0.4) ** 0.5 * first)
    assert first == pytest.approx((2 * len(X) * 1e-3 * fit.precision) ** 0.5)
    plain = quick("map", weight_decay=1e-3, num_steps=1)
    assert plain.length_scales == (plain.length_scale,) * 3
    with pytest.raises(bdlviz.InvalidInput, match="a length-scale for every layer"):
        _ = quick("bayes_by_backprop", num_steps=1).length_scales


def test_classes_have_no_noise_and_precision_one():
    data = Dataset("bands", "Bands", X[:, None], np.digitize(X, [-0.7, 0.7]), task="classification")
    fit = quick(data=data, length_scale=0.3, dropout_rate=0.5, num_steps=1)
    assert fit.config.noise_std is None and fit.precision == 1.0
    assert fit.config.hyperparameter("weight_decay") == pytest.approx(0.3**2 / (2 * 24 * 0.5))
    assert fit.length_scale == pytest.approx(0.3)
    with pytest.raises(bdlviz.InvalidInput, match="Give length_scale or weight_decay"):
        quick(data=data, length_scale=0.3, weight_decay=0.1)
    with pytest.raises(bdlviz.InvalidInput, match="'gaussian' is for regression, the data are for classification"):
        quick(data=data, likelihood="gaussian")


def test_known_noise_of_a_data_set_is_used_unless_another_is_given():
    data = bdlviz.dataset("x_sin_x")
    assert quick(data=data, num_steps=1).noise_std == data.noise_std
    assert quick(data=data, num_steps=1, noise_std=0.7).noise_std == 0.7


# Cells, history, snapshots ------------------------------------------------------------------------------------------


def test_cell_picks_its_part_of_a_grid_of_three_axes():
    grid = quick(
        "concrete_dropout", length_scale=(0.1, 1.0, 10.0), temperature=(0.1, 1.0), seed=(4, 2), num_snapshots=2
    )
    assert grid.config.grid_shape == (3, 2)
    for i, length_scale in enumerate((0.1, 1.0, 10.0)):
        part = grid.cell(length_scale=length_scale)
        assert part.config.grid_shape == (1, 2) and part.config.seeds == (4, 2)
        for j, temperature in enumerate((0.1, 1.0)):
            for cell in (
                part.cell(temperature=temperature, seed=2),
                grid.cell(temperature=temperature).cell(length_scale=length_scale).cell(seed=2),
            ):
                for name, array in cell.params.items():
                    np.testing.assert_array_equal(array[0, 0], grid.params[name][1, 2 * i + j])
                    np.testing.assert_array_equal(cell.snapshots[name][:, 0, 0], grid.snapshots[name][:, 1, 2 * i + j])
                np.testing.assert_array_equal(cell.history["loss"], grid.losses["loss"][:, 1, 2 * i + j])
                assert cell.config.hyperparameter("length_scale") == length_scale
                assert cell.is_single


def test_cell_of_members_keeps_their_axis():
    grid = quick("deep_ensemble", num_members=3, weight_decay=(0.0, 1.0), seed=(0, 1))
    assert grid.params["weight1"].shape == (2, 2, 3, 8, 8)
    cell = grid.cell(seed=1, weight_decay=1.0)
    np.testing.assert_array_equal(cell.params["weight1"], grid.params["weight1"][1:, 1:])
    assert cell.predict(X).draws.shape == (3, 24, 1)


def test_cell_refuses_values_that_are_not_on_the_grid():
    grid = quick(dropout_rate=(0.0, 0.1), num_steps=1)
    assert grid.cell(dropout_rate=0.1 * (1 + 1e-7)).config.hyperparameter("dropout_rate") == 0.1
    assert grid.cell(dropout_rate=0.0).config.hyperparameter("dropout_rate") == 0.0
    with pytest.raises(bdlviz.InvalidInput, match=r"dropout_rate=0.2 is not on this fit's grid: 0, 0.1\."):
        grid.cell(dropout_rate=0.2)
    for value in (np.nan, np.inf, -np.inf):  # their distance to a value is in no relation to their size
        with pytest.raises(bdlviz.InvalidInput, match=f"dropout_rate={value:g} is not on this fit's grid: 0, 0.1"):
            grid.cell(dropout_rate=value)
    with pytest.raises(bdlviz.InvalidInput, match="has no axis length; its axes are dropout_rate, weight_decay"):
        grid.cell(length=1)
    with pytest.raises(bdlviz.InvalidInput, match="has no seed 3; its seeds are 0"):
        grid.cell(seed=3)


@pytest.mark.parametrize("num_steps", [1, 7, 40, 41, 1000])
def test_rounds_end_with_the_last_step(num_steps):
    data = Dataset("mine", "Mine", X[:, None], Y[:, None])
    rounds = round_ends(bdlviz.configure("map", data, num_steps=num_steps), data)
    assert len(rounds) == min(num_steps, NUM_ROUNDS) and rounds[-1] == num_steps
    assert list(rounds) == sorted(set(rounds)) and rounds[0] >= 1


def test_images_look_up_after_every_epoch():
    data = Dataset("dots", "Dots", X[:, None], Y[:, None], image_shape=(1, 1))
    assert round_ends(bdlviz.configure("map", data, num_steps=7, batch_size=10), data) == (3, 6, 7)


@pytest.mark.parametrize(("asked", "steps"), [(0, []), (1, [200]), (3, [5, 100, 200]), (40, range(5, 201, 5))])
def test_snapshots_say_their_own_steps(asked, steps):
    fit = quick(num_steps=200, num_snapshots=asked)
    np.testing.assert_array_equal(fit.snapshot_steps, steps)
    for name in fit.snapshots:
        np.testing.assert_allclose(fit.snapshots[name][-1], fit.params[name], rtol=1e-3, atol=1e-6)
    if asked:
        last = fit.at_snapshot(len(steps) - 1)
        assert last.num_steps_done == 200
        np.testing.assert_allclose(last.predict(X, 5).draws, fit.predict(X, 5).draws, atol=0.02)


def test_a_stopped_fit_has_the_snapshots_it_reached():
    fit = quick(num_steps=200, num_snapshots=3, on_snapshot=lambda snapshot: snapshot.step < 110)
    np.testing.assert_array_equal(fit.snapshot_steps, [5, 100])
    assert len(fit.snapshots["weight0"]) == 2 and fit.num_steps_done == 110


def test_snapshots_of_huge_weights_do_not_become_infinite(recwarn):
    fit = quick(num_steps=20, num_snapshots=1, learning_rate=10.0, weight_decay=0.0, hidden=(4,))
    huge = np.array([1e6, -1e6, np.inf, np.nan], np.float32)
    from bdlviz.training.run import _half

    np.testing.assert_array_equal(_half(huge), np.array([65504, -65504, np.inf, np.nan], np.float16))
    assert not fit.at_snapshot(0).diverged.any()
    assert not [said for said in recwarn.list if issubclass(said.category, RuntimeWarning)]


def test_progress_of_a_snapshot():
    seen = []
    quick(num_steps=80, on_snapshot=seen.append)
    assert [s.step for s in seen] == list(range(2, 81, 2)) and seen[0].num_steps == 80
    assert seen[19].fraction == 0.5 and seen[-1].seconds_left == 0
    assert seen[19].seconds_left == pytest.approx(seen[19].seconds)


def test_parameters_of_one_network():
    grid = quick(num_steps=5, dropout_rate=(0.0, 0.1, 0.5), seed=(0, 1))
    one = grid.cell(dropout_rate=0.5, seed=1)
    assert one.single().keys() == grid.params.keys()
    for name, array in one.single().items():
        np.testing.assert_array_equal(array, grid.params[name][1, 2])
        assert array.dtype == np.float32 and one.single(float)[name].dtype == float
    with pytest.raises(bdlviz.InvalidInput, match=r"single needs one cell of one seed; this fit has 3 x 2: pick"):
        grid.single()
    with pytest.raises(bdlviz.InvalidInput, match="weights of this fit were not kept"):
        replace(one, params={}).single()


def test_a_snapshot_from_a_fraction():
    early, late = (Snapshot.at(share, 3.0, lambda: "so far") for share in (0.001, 0.25))
    assert early.step == 1 and late.step == 25 and late.num_steps == 100
    assert late.seconds_left == pytest.approx(9.0) and late.take() == "so far"


def test_numpy_booleans_stop_a_fit_too():
    fit = quick(num_steps=80, on_snapshot=lambda snapshot: np.bool_(snapshot.step < 10))
    assert fit.num_steps_done == 10


def test_an_error_in_the_callback_comes_out():
    def look(snapshot):
        raise RuntimeError("mine")

    with pytest.raises(RuntimeError, match="mine"):
        quick(on_snapshot=look)


def test_a_snapshot_may_be_taken_while_training_goes_on():
    """Another thread looks all the time: whatever it sees has parts that fit together."""
    latest, stop, seen = [], threading.Event(), []

    def watch():
        while not stop.is_set():
            if latest:
                fit = latest[-1].take()
                count = len(fit.losses["step"])
                seen.append(fit.losses["loss"].shape == (count, 1, 1))
                seen.append(all(len(array) == len(fit.snapshot_steps) for array in fit.snapshots.values()))

    watcher = threading.Thread(target=watch)
    watcher.start()
    quick(num_steps=400, num_snapshots=20, on_snapshot=latest.append)
    stop.set()
    watcher.join()
    assert seen and all(seen)


# Known answers ------------------------------------------------------------------------------------------------------


def test_predictions_follow_the_units():
    """10 x + 3 and 5 y - 2, with the noise in y's units: the same functions in other units."""
    plain = quick(noise_std=0.3, num_steps=100, dropout_rate=0.2).predict(X, 20)
    other = quick(data=(10 * X + 3, 5 * Y - 2), noise_std=1.5, num_steps=100, dropout_rate=0.2).predict(10 * X + 3, 20)
    np.testing.assert_allclose(other.draws, 5 * plain.draws - 2, atol=1e-3)
    np.testing.assert_allclose(other.mean, 5 * plain.mean - 2, atol=1e-3)
    np.testing.assert_allclose(other.epistemic_std, 5 * plain.epistemic_std, atol=1e-3)
    np.testing.assert_allclose(other.aleatoric_std, 5 * plain.aleatoric_std)
    assert plain.epistemic_std.max() > 0.05


@pytest.mark.parametrize("method", ["map", "mc_dropout"])
def test_large_weight_decay_shrinks_every_function_to_the_mean(method):
    fit = quick(method, (X, 7 + Y), weight_decay=(1e-6, 100.0), num_steps=600, batch_size=None)
    loose, tight = (fit.cell(weight_decay=value).predict(X, 50).draws for value in (1e-6, 100.0))
    assert np.abs(tight - np.mean(7 + Y)).max() < 0.02
    assert np.abs(loose - np.mean(7 + Y)).max() > 0.5


@pytest.mark.parametrize("decays", [(0.0, 0.01, 0.3)])
def test_network_without_hidden_layers_is_ridge_regression(decays):
    """J = mean of (y - f)^2 / 2 + lambda |w|^2: w = (X'X / N + 2 lambda)^-1 X'y / N, with the bias left out."""
    rng = np.random.default_rng(0)
    x = rng.standard_normal((40, 3)) * [1.0, 2.0, 5.0] + 1
    y = x @ [0.5, -1.0, 0.2] + 3 + 0.3 * rng.standard_normal(40)
    fit = bdlviz.fit("map", (x, y), hidden=(), batch_size=None, weight_decay=decays, num_steps=3000, learning_rate=0.01)
    z, t = (x - x.mean(0)) / x.std(0), (y - y.mean()) / y.std()
    for cell, decay in enumerate(decays):
        weight = np.linalg.solve(z.T @ z / 40 + 2 * decay * np.eye(3), z.T @ t / 40)
        np.testing.assert_allclose(fit.params["weight0"][0, cell, :, 0], weight, atol=1e-5)
        np.testing.assert_allclose(fit.params["bias0"][0, cell], 0, atol=1e-5)
        expected = (z @ weight * y.std() + y.mean())[:, None]
        np.testing.assert_allclose(fit.cell(weight_decay=decay).predict(x).mean, expected, atol=1e-3)
        loss = 0.5 * np.mean((z @ weight - t) ** 2) + decay * weight @ weight
        assert fit.losses["loss"][-1, 0, cell] == pytest.approx(loss, rel=1e-4)


def test_masks_are_those_of_the_draws():
    fit = quick(dropout_rate=0.5)
    few, many = fit.masks(3), fit.masks(40)
    assert [mask.shape for mask in few] == [(3, 8), (3, 8)]
    for short, long in zip(few, many, strict=True):
        np.testing.assert_array_equal(short, long[:3])
    assert not np.array_equal(few[0], fit.masks(3, seed=1)[0])
    assert isinstance(fit.model.network, MLP)


def test_draws_beyond_what_a_figure_shows_still_count(monkeypatch):
    fit = quick(dropout_rate=0.5)
    whole = fit.predict(X, 300)
    monkeypatch.setattr("bdlviz.fitted.fit.MAX_KEPT_NUMBERS", 24 * 10)
    kept = fit.predict(X, 300)
    assert kept.draws.shape == (10, 24, 1) and kept.num_samples == 300
    np.testing.assert_allclose(kept.mean, whole.mean, rtol=1e-6)


def test_schedule_drops_the_rate_for_the_second_half():
    """The first half is the same; then steps are a tenth."""

    def steps(**settings):
        fits = []
        quick("map", num_steps=20, on_snapshot=lambda s: fits.append(s.take().params["weight1"]), **settings)
        return np.abs(np.diff(fits, axis=0)).max((1, 2, 3, 4))

    constant, dropped = steps(), steps(schedule="drop_at_half")
    np.testing.assert_array_equal(constant[:9], dropped[:9])  # differences 1..9: both ends within the first half
    assert dropped[10:].max() < 0.2 * constant[10:].max()


def test_a_linear_schedule_ends_at_zero():
    setup = Setup(cast(Any, None), {}, (0,), 10, 10, num_steps=20, learning_rate=0.5, num_inputs=1, schedule="linear")
    rates = [setup.learning_rate_at(step) for step in range(20)]
    np.testing.assert_allclose(rates, np.linspace(0.5, 0, 21)[:-1])


def test_help_lists_every_setting_of_every_method():
    text = inspect.getdoc(bdlviz.fit) or ""
    shared = text.partition("Settings that every method has:")[2].partition("Settings of each method")[0]
    for name in SHARED:
        assert f"    - {name}: " in shared, name
    for name, spec in METHODS.items():
        own = text.partition(f"    - {name}: {spec.title}. ")[2]
        assert own, name
        for parameter in spec.hyperparameters:
            found = own.partition(f"        - {parameter.name}: ")[2].split("\n        ", 1)[0]
            assert f"Default {parameter.default:g}" in re.sub(r"\s+", " ", own), parameter.name
            assert found, parameter.name


def test_the_settings_in_the_help_are_those_of_the_signatures():
    own = set(inspect.signature(bdlviz.fit).parameters) - {"method", "data", "y", "likelihood", "settings"}
    assert own == set(ARGUMENTS_OF_FIT)
    assert {"seed", "hidden", "noise_std", "num_snapshots"} < set(SHARED)
