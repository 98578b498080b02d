"""Strange inputs to every method: the values of the same numbers as float64, or one sentence; never a traceback."""

import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pandas as pd
import pytest
import torch

import bdlviz
from bdlviz.data import estimate_noise_std
from bdlviz.methods import METHODS
from bdlviz.types import Dataset

METHOD_NAMES = [name for name, spec in METHODS.items() if not spec.is_generative]
QUICK: dict[str, Any] = {"hidden": (4,), "num_steps": 3, "batch_size": None, "learning_rate": 0.01}
RNG = np.random.default_rng(0)
X = np.round(RNG.uniform(-3, 3, 30), 3)
Y = np.round(np.sin(X) + 0.1 * RNG.standard_normal(30), 3)
WHOLE_X = RNG.choice(np.arange(-100, 101), 30, replace=False)
NOT_FINITE = [np.nan, np.inf, -np.inf]


@pytest.fixture(autouse=True)
def without_warnings() -> Iterator[None]:
    """A warning of numpy, such as of an overflow, is a fault here."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", RuntimeWarning)
        yield


def quick(method: str, x: Any, y: Any, **settings: Any) -> bdlviz.Fit:
    few = {"hmc": {"num_chains": 2, "num_leapfrog": 2}, "deep_ensemble": {"num_members": 2}}.get(method, {})
    return bdlviz.fit(method, (x, y), **{**QUICK, **few, **settings})


def predicted(method: str, x: Any, y: Any, at: Any, **settings: Any) -> np.ndarray[Any, Any]:
    """Mean, standard deviations of the function and of y, and log densities of y, as four rows."""
    predictive = quick(method, x, y, **settings).predict(at, 8)
    assert predictive.mean.shape == (len(x), 1)
    values = (predictive.mean, predictive.epistemic_std, predictive.total_std, predictive.log_prob(y)[:, None])
    found = np.array(values)[..., 0]
    assert np.isfinite(found).all()
    return found


def in_units(values: Any, scale: float, offset: float = 0.0) -> Any:
    """Rows of `predicted` for y in other units."""
    return np.array([scale * values[0] + offset, scale * values[1], scale * values[2], values[3] - np.log(scale)])


# The same numbers, written in another way -----------------------------------------------------------------------------


def whole_y(kind: Any) -> np.ndarray[Any, Any]:
    """Whole numbers over nearly the whole range of an integer type, of at most 32 bits."""
    limits = np.iinfo(kind)
    return np.linspace(limits.min + 3, limits.max - 4, 30)[RNG.permutation(30)].astype(kind)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_numbers_of_any_kind_are_those_numbers(method):
    for kind in (np.int8, np.uint8, np.int16, np.uint16, np.int32, np.uint32, np.int64):
        y = whole_y(np.int32 if kind is np.int64 else kind).astype(kind)
        expected = predicted(method, WHOLE_X.astype(float), y.astype(float), WHOLE_X.astype(float))
        found = predicted(method, WHOLE_X.astype(np.int8), y[:, None], WHOLE_X.astype(np.int16), task="regression")
        np.testing.assert_array_equal(found, expected, err_msg=f"{kind}")
    for kind in (np.float16, np.float32, np.longdouble, ">f8"):
        x, y = X.astype(kind), Y.astype(kind)
        expected = predicted(method, x.astype(float), y.astype(float), x.astype(float))
        np.testing.assert_array_equal(predicted(method, x, y, x), expected, err_msg=f"{kind}")
    expected = predicted(method, X, Y, X)
    for x, y in (
        (X.tolist(), Y.tolist()),
        (X.astype(object), Y.astype(object)),
        (X[:, None], Y[:, None]),
        (pd.Series(X), pd.Series(Y)),
        (pd.DataFrame({"x": X}), pd.DataFrame({"y": Y})),
        (pd.array(X), pd.array(Y)),
        (np.ma.masked_invalid(X), np.ma.masked_invalid(Y)),
        (torch.tensor(X, requires_grad=True), torch.tensor(Y, requires_grad=True)),
        ([torch.tensor(value, requires_grad=True) for value in X], list(torch.tensor(Y))),
    ):
        np.testing.assert_array_equal(predicted(method, x, y, x), expected)
    np.testing.assert_array_equal(bdlviz.fit(method, X, Y, **QUICK).noise_std, quick(method, X, Y).noise_std)


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_units_do_not_matter(method):
    expected = predicted(method, X, Y, X)
    for x_scale, x_offset in ((2.0**300, 0.0), (2.0**-300, 0.0), (1.0, 2.0**20), (-(2.0**10), 2.0**30)):
        if x_scale > 0:
            x = x_scale * X + x_offset
            np.testing.assert_allclose(predicted(method, x, Y, x), expected, rtol=1e-3, atol=1e-4)
    for y_scale, y_offset in ((2.0**300, 0.0), (2.0**-300, 0.0), (1.0, 2.0**20), (2.0**-40, 2.0**-20)):
        found = predicted(method, X, y_scale * Y + y_offset, X)
        np.testing.assert_allclose(
            in_units(found - np.array([[y_offset], [0], [0], [0]]), 1 / y_scale), expected, rtol=1e-3, atol=1e-4
        )


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_a_flat_column_carries_nothing(method):
    x = RNG.standard_normal((30, 2))
    noise_std = quick(method, x, Y).noise_std
    for value in (0.0, 14.62, 0.1, -1e-9, 1e20, 1 / 3):
        flat = np.column_stack([x, np.full(30, value)])
        fit = quick(method, flat, Y)
        assert fit.noise_std == noise_std
        assert np.isfinite(predicted(method, flat, Y, flat)).all()
        np.testing.assert_allclose(
            fit.predict(flat, 8).mean, quick(method, np.c_[x, np.zeros(30)], Y).predict(flat * [1, 1, 0], 8).mean
        )
    by_rounding = np.column_stack([x, np.where(np.arange(30) % 2, 0.3, 0.1 + 0.2)])
    assert quick(method, by_rounding, Y).noise_std == noise_std
    assert np.isfinite(predicted(method, by_rounding, Y, by_rounding)).all()


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_few_points_duplicates_and_flat_data(method):
    for x, y in (
        ([1.5], [2.5]),
        ([1.5, 1.5], [2.5, 2.5]),
        ([0.0, 1.0], [0.0, 1.0]),
        (np.repeat(X[:5], 4), np.repeat(Y[:5], 4)),
        (np.zeros(10), Y[:10]),
        (X, np.full(30, 14.62)),
        (X, np.where(np.arange(30) % 2, 0.3, 0.1 + 0.2)),
        (X, np.full(30, 1e20)),
    ):
        predicted(method, np.array(x), np.array(y), np.array(x))


# Refused --------------------------------------------------------------------------------------------------------------

REFUSED = {
    "nan": X * np.nan,
    "infinite": np.where(X > 1, np.inf, X),
    "masked": np.ma.masked_greater(X, 1),
    "rows of masked": [np.ma.masked_greater(row, 1) for row in X[:, None]],
    "dates": np.arange("2020-01-01", "2020-01-31", dtype="datetime64[D]"),
    "durations": np.arange(30).astype("timedelta64[D]"),
    "dates of pandas": pd.Series(pd.date_range("2020-01-01", periods=30)),
    "dates as objects": np.array(pd.date_range("2020-01-01", periods=30).to_pydatetime()),
    "complex": X + 1j,
    "words of digits": np.array([str(value) for value in X]),
    "words of digits as objects": np.array([str(value) for value in X], object),
    "missing": [None, *X[1:]],
    "missing in pandas": pd.Series([pd.NA, *range(29)], dtype="Int64"),
    "ragged": [[1.0, 2.0], *([[1.0]] * 29)],
    "too large": np.where(X > 1, 1e200, X),
    "a dictionary": {"a": 1},
    "a word": "abc",
    "nothing": None,
    "a function": np.sin,
    "a generator": (value for value in X),
    "a sparse tensor's words": object(),
    "fields": np.zeros(30, [("a", float), ("b", float)]),
    "far": X + 1e30,
}


@pytest.mark.parametrize("method", METHOD_NAMES)
def test_inputs_that_are_no_numbers_have_their_sentence(method):
    fit = quick(method, X, Y)
    for name, wrong in REFUSED.items():
        for use in (
            lambda wrong: quick(method, wrong, Y),
            lambda wrong: quick(method, X, wrong, task="regression"),
            lambda wrong: fit.predict(wrong, 8),
            lambda wrong: fit.predict(X, 8).log_prob(wrong),
        ):
            try:
                use(wrong)
            except bdlviz.InvalidInput as error:
                assert str(error).endswith(".") and str(error).count(". ") == 0, (name, error)
            else:
                assert name == "far", name
    with pytest.raises(bdlviz.InvalidInput, match=r"All values of y lie below 1e-100"):
        quick(method, X, 1e-200 * Y)


# Labels, sets, settings -----------------------------------------------------------------------------------------------


def refused(sentence: str) -> Any:
    return pytest.raises(bdlviz.InvalidInput, match=sentence)


def test_labels_with_gaps_are_refused_and_many_whole_numbers_ask_for_the_task():
    x = RNG.standard_normal((200, 2))
    for y in (["up", np.nan] * 100, pd.Series(["up", np.nan] * 100), ["up", None] * 100, ["up", 1] * 100):
        for task in (None, "classification"):
            with refused("Labels must be whole numbers, words or booleans, all of one kind, and none may be missing"):
                bdlviz.fit("map", (x, y), task=task, **QUICK)
    with refused("Labels must be whole numbers"):
        bdlviz.fit("map", (x, np.array([np.datetime64("2020-01-01")] * 200)), task="classification", **QUICK)
    with refused("y has masked values"):
        bdlviz.fit("map", (x, np.ma.masked_equal(np.arange(200) % 3, 1)), task="classification", **QUICK)
    with refused("y holds 26 different whole numbers, which may be classes or values: say task="):
        bdlviz.fit("map", (x, np.arange(200) % 26), **QUICK)
    labels = np.array(list("abcdefghijklmnopqrstuvwxyz"))[np.arange(200) % 26]
    expected = bdlviz.fit("map", (x, np.arange(200) % 26), task="classification", **QUICK).predict(x).mean
    for y in (labels, labels.astype(object), labels.astype("S"), pd.Series(labels), pd.Categorical(labels)):
        fit = bdlviz.fit("map", x, y, **QUICK)
        assert fit.classes == tuple("abcdefghijklmnopqrstuvwxyz")
        np.testing.assert_array_equal(fit.predict(x).mean, expected)
    for kind in (np.int8, np.uint8, np.uint64, float):
        y = (np.arange(200) % 3 + 100).astype(kind)
        assert bdlviz.fit("map", (x, y), task="classification", **QUICK).classes == (100, 101, 102)
    large = [2**53, 2**53 + 1] * 100
    assert bdlviz.fit("map", (x, large), task="classification", **QUICK).classes == (2**53, 2**53 + 1)


def test_a_set_made_by_hand_has_ranges_around_its_data():
    data = Dataset("mine", "Mine", np.array([[100.0], [300.0]]), np.array([[1.0], [5.0]]))
    assert (data.x_range, data.y_range) == ((50, 350), (-1, 7))
    more = Dataset("mine", "Mine", data.x, data.y, x_test=np.array([[500.0]]), y_test=np.array([[2.0]]))
    assert more.x_range == (0, 600)
    with refused(r"Images of the image_shape \(6, 10\) do not have 1 pixels"):
        Dataset("mine", "Mine", data.x, data.y, image_shape=(6, 10))
    fit = bdlviz.fit("map", (data.x, data.y), **QUICK)
    figure = bdlviz.plots.function_draws(fit.predict([100.0, 200.0]), ([100.0, 300.0], [1, 5]))
    assert figure.layout.xaxis.range == (50, 350)


def test_images_and_codes_of_another_shape():
    pixels = RNG.random((20, 6, 10))
    data = Dataset(
        "mine", "Mine", pixels.reshape(20, -1), np.arange(20) % 2, task="classification", image_shape=(6, 10)
    )
    fit = bdlviz.fit("vae", data, hidden=(4,), num_epochs=1)
    expected = fit.encode(data.x)[0]
    np.testing.assert_array_equal(fit.encode(pixels)[0], expected)
    np.testing.assert_allclose(fit.encode(pixels[0])[0], expected[:1], rtol=1e-5)
    np.testing.assert_allclose(fit.encode(data.x[0])[0], expected[:1], rtol=1e-5)
    for images in (pixels.transpose(0, 2, 1), pixels[0].T):
        with refused("This fit knows images of 6 x 10 pixels, not 10 x 6"):
            fit.encode(images)
    for images, sentence in (
        (np.ma.masked_greater(data.x, 0.5), "Images has masked values"),
        (np.full((2, 60), np.nan), "pixels between 0 and 1"),
        (np.full((2, 60), "a"), "Images must be numbers"),
    ):
        with refused(sentence):
            fit.encode(images)
    for codes in ([[0, np.nan]], [[0, np.inf]], [["a", "b"]], [[0, 1e30]], [0, 1, 2], np.ma.masked_equal([[0, 1]], 1)):
        with refused("Codes|codes"):
            fit.decode(codes)
    for use in (
        lambda: fit.sample(True),
        lambda: fit.sample(2.5),  # pyright: ignore[reportArgumentType]
        lambda: fit.sample(2, seed=-1),
        lambda: fit.elbo(data.x, 2.5),  # pyright: ignore[reportArgumentType]
        lambda: fit.traverse(data.x[0], 0.5, [1.0]),  # pyright: ignore[reportArgumentType]
        lambda: fit.interpolate(data.x[0], data.x[1], 2.5),  # pyright: ignore[reportArgumentType]
    ):
        with refused("must be"):
            use()


ODD = [["relu"], {"a": 1}, {1, 2}, object(), np.sin, "", b"a", 1j, [[1], [1, 2]], np.array([]), torch.ones(2), True]
OF_FIT = (
    *("hidden", "activation", "num_steps", "num_epochs", "batch_size", "learning_rate", "schedule", "noise_std"),
    *("length_scale", "num_snapshots", "seed", "dropout_rate", "likelihood", "cancel", "network", "task"),
)
ACCEPTED = [  # a boolean as a number, no hidden layers, the default, all data, a large seed
    *("learning_rate True", "noise_std True", "length_scale True"),
    *("hidden []", "likelihood ", f"batch_size {10**400}", f"seed {10**400}"),
]


@pytest.mark.parametrize("name", OF_FIT)
def test_wrong_settings_have_their_sentence(name):
    usual = {key: value for key, value in QUICK.items() if key != name and {name, key} != {"num_epochs", "num_steps"}}
    for value in [*ODD, 10**400]:
        try:
            bdlviz.fit("mc_dropout", (X, Y), **{**usual, name: value})
        except bdlviz.InvalidInput as error:
            assert str(error).endswith("."), (value, error)
        else:
            assert f"{name} {value}" in ACCEPTED


def test_wrong_arguments_of_fits_have_their_sentence():
    fit = quick("mc_dropout", X, Y, num_snapshots=1)
    for value in ODD:
        for use in (
            lambda value: fit.predict(X, num_samples=value),
            lambda value: fit.predict(X, seed=value),
            lambda value: fit.at_snapshot(value),
            lambda value: fit.cell(dropout_rate=value),
            lambda value: fit.cell(seed=value),
            lambda value: bdlviz.fit(value, (X, Y)),
        ):
            with refused(r"\.$"):
                use(value)
    with refused("A data set has its own y: leave y out"):
        bdlviz.fit("map", "x_sin_x", Y)


def test_noise_of_flat_columns_and_of_integers():
    """188 of 200 flat values at N = 100 once gave no number."""
    x, y = RNG.standard_normal((100, 1)), RNG.standard_normal(100)
    expected = estimate_noise_std(x, y)
    for value in RNG.uniform(-100, 100, 200):
        assert estimate_noise_std(np.column_stack([x, np.full(100, value)]), y) == expected
    whole = RNG.integers(-30000, 30000, 100)
    assert estimate_noise_std(x, whole.astype(np.int16)) == estimate_noise_std(x, whole.astype(float)) > 0
