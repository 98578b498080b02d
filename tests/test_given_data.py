"""What users hand over: labels of any kind, tables with named columns, arrays that do not belong together."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import bdlviz
from bdlviz.predictive.summaries import negative_log_likelihood
from bdlviz.types import Dataset

QUICK: dict[str, Any] = {"hidden": (8,), "num_steps": 300, "batch_size": None, "learning_rate": 0.02}
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 2))
IS_UP = X[:, 0] + 0.5 * X[:, 1] > 0
CODES = IS_UP.astype(int)


def labelled(kind: str) -> tuple[Any, tuple[Any, ...]]:
    """The two classes as labels of a kind, and what `Fit.classes` should be."""
    both = {
        "minus": (-1, 1),
        "from_one": (1, 2),
        "far": (7, 1000),
        "words": ("down", "up"),
        "booleans": (False, True),
        "whole_floats": (1.0, 2.0),
    }[kind]
    return np.array([both[code] for code in CODES]), both


def test_labels_of_any_kind_are_two_classes():
    for kind in ["minus", "from_one", "far", "words", "booleans", "whole_floats"]:
        labels, classes = labelled(kind)
        fit = bdlviz.fit("map", (X, labels), task="classification", **QUICK)
        assert fit.classes == classes
        predictive = fit.predict(X)
        assert predictive.mean.shape == (60, 2)
        given_back = np.array(fit.classes)[predictive.mean.argmax(1)]
        assert (given_back == labels).mean() > 0.95
        reference = bdlviz.fit("map", (X, CODES), task="classification", **QUICK).predict(X)
        np.testing.assert_array_equal(predictive.mean, reference.mean)
        expected = negative_log_likelihood(reference, CODES)
        assert negative_log_likelihood(predictive, labels) == expected
        assert negative_log_likelihood(reference, CODES.astype(float)) == expected
    for kind in ["words", "booleans"]:
        labels, classes = labelled(kind)
        assert bdlviz.fit("map", (X, list(labels)), **QUICK).classes == classes
        assert bdlviz.fit("map", (X, pd.Series(labels)), **QUICK).classes == classes
    words = np.array(["b", "a", "c"])[np.arange(60) % 3]
    fit = bdlviz.fit("map", (X, words), **QUICK)
    assert fit.classes == ("a", "b", "c") and fit.model.network.sizes[-1] == 3
    with_gap = Dataset("gap", "Gap", X, np.array([0, 5, 9])[np.arange(60) % 3], task="classification")
    assert (with_gap.num_classes, with_gap.classes) == (3, (0, 5, 9))
    np.testing.assert_array_equal(with_gap.codes, np.arange(60) % 3)


def test_whole_numbers_need_the_task_and_floats_are_values():
    sentence = r"y holds 2 different whole numbers.*task='classification' or task='regression'"
    for y in (CODES, CODES.tolist(), CODES[:, None], pd.Series(CODES), CODES.astype(np.uint8)):
        with pytest.raises(bdlviz.InvalidInput, match=sentence):
            bdlviz.fit("map", (X, y), **QUICK)
    assert bdlviz.fit("map", (X, CODES), task="regression", **QUICK).config.task == "regression"
    assert bdlviz.fit("map", (X[:, 0], CODES), task="regression", **QUICK).config.task == "regression"
    assert bdlviz.fit("map", (X[:, 0], CODES), task="classification", **QUICK).classes == (0, 1)
    assert bdlviz.fit("map", (X, np.arange(60)), **QUICK).config.task == "regression"
    assert bdlviz.fit("map", (X, RNG.integers(0, 1000, 60)), **QUICK).config.task == "regression"
    assert bdlviz.fit("map", (X, CODES.astype(float)), **QUICK).config.task == "regression"
    assert bdlviz.fit("map", (X, np.full(60, 3)), **QUICK).config.task == "regression"  # one value is no two classes
    with pytest.raises(bdlviz.InvalidInput, match="is data for regression, not classification"):
        bdlviz.fit("map", "x_sin_x", task="classification", **QUICK)
    with pytest.raises(bdlviz.InvalidInput, match="task must be 'regression' or 'classification', not 'ranking'"):
        bdlviz.fit("map", (X, CODES), task="ranking", **QUICK)  # pyright: ignore[reportCallIssue, reportArgumentType]


def test_classes_of_sweeps_files_and_parts(tmp_path):
    labels, classes = labelled("from_one")
    dataset = Dataset("your_data", "Your data", X, labels, task="classification")
    configs = [bdlviz.configure("map", dataset, seed=seed, **QUICK) for seed in (0, 1)]
    fits = bdlviz.sweep(configs, (X, labels), task="classification")
    assert [fit.classes for fit in fits] == [classes] * 2
    labels, classes = labelled("words")
    fit = bdlviz.fit("map", (pd.DataFrame(X, columns=["a", "b"]), labels), **QUICK)
    fit.save(tmp_path / "fit.safetensors")
    again = bdlviz.load(tmp_path / "fit.safetensors")
    assert (again.classes, again.columns) == (classes, ("a", "b"))
    digits = bdlviz.dataset("digits")
    few = replace(digits, x=digits.x[digits.y < 3], y=digits.y[digits.y < 3])
    assert few.num_classes == 10
    assert bdlviz.dataset("digits", num_data=3).num_classes == 10
    parts = (Dataset("a", "A", X, labelled(kind)[0], task="classification") for kind in ("minus", "words"))
    assert len({part.fingerprint for part in parts}) == 2
    with pytest.raises(bdlviz.InvalidInput, match="All labels are the same"):
        bdlviz.fit("map", (X, ["same"] * 60), **QUICK)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"y": np.zeros((59, 1))}, r"x and y need the same number of rows, at least one; they have 60 and 59"),
        ({"x": X[:0], "y": np.zeros((0, 1))}, r"at least one; they have 0 and 0"),
        ({"x": X[:, 0]}, r"x must have two axes, one row for each point, not the shape \(60,\)"),
        ({"y": np.zeros(60)}, r"y must have two axes, one row for each point, not the shape \(60,\)"),
        ({"x": np.where(X > 1, np.nan, X)}, r"x must be finite numbers"),
        ({"y": np.full((60, 1), np.inf)}, r"y must be finite numbers"),
        ({"y": np.array([["a"]] * 60)}, r"y must be numbers; with words as labels, say task='classification'"),
        ({"x": np.full((60, 2), "a")}, r"x must be numbers\."),
        ({"x_test": X[:5], "y_test": np.zeros((4, 1))}, r"x_test and y_test need the same number of rows; they have 5"),
        ({"x_test": X[:5, :1], "y_test": np.zeros((5, 1))}, r"x_test and y_test need as many columns as x and y"),
        ({"x_test": X[:5] * np.nan, "y_test": np.zeros((5, 1))}, r"x_test must be finite numbers"),
        ({"y": CODES * 0.5, "task": "classification"}, r"Labels must be whole numbers, words or booleans"),
        ({"y": np.array([None, 1] * 30), "task": "classification"}, r"Labels must be whole numbers, words or booleans"),
        ({"y": np.eye(2)[CODES], "task": "classification"}, r"Labels must have the shape \(N,\)"),
        ({"y": CODES, "task": "ranking"}, r"task must be 'regression' or 'classification'"),
    ],
)
def test_a_data_set_checks_what_it_is_given(changed, sentence):
    given: dict[str, Any] = {"x": X, "y": np.zeros((60, 1))} | changed
    with np.errstate(invalid="ignore"), pytest.raises(bdlviz.InvalidInput, match=sentence):
        Dataset("mine", "Mine", **given)


# Tables ---------------------------------------------------------------------------------------------------------------


def table_fit() -> tuple[bdlviz.Fit, pd.DataFrame]:
    table = pd.DataFrame({"age": X[:, 0], "weight": 100 * X[:, 1]})
    return bdlviz.fit("map", (table, (X[:, 0] - X[:, 1])[:, None]), **QUICK), table


def test_columns_of_tables():
    fit, table = table_fit()
    expected = fit.predict(table).mean
    np.testing.assert_array_equal(fit.predict(table[["weight", "age"]]).mean, expected)
    np.testing.assert_array_equal(fit.predict(table.to_numpy()).mean, expected)
    outputs = fit.draw_outputs(table[["weight", "age"]], 1)
    np.testing.assert_array_equal(outputs, fit.draw_outputs(table, 1))
    with pytest.raises(bdlviz.InvalidInput, match="x needs the columns age, weight, but lacks weight"):
        fit.predict(table[["age"]])
    with pytest.raises(bdlviz.InvalidInput, match="has height, which is not among them"):
        fit.predict(table.assign(height=1.0))
    with pytest.raises(bdlviz.InvalidInput, match="Two columns of x have the same name"):
        bdlviz.fit("map", (pd.DataFrame(X, columns=["a", "a"]), X[:, :1]), **QUICK)
    table = pd.DataFrame({"age": X[:, 0], "weight": X[:, 1]})
    given: Any = {"x": table, "y": X[:, :1], "x_test": table[["weight", "age"]], "y_test": X[:, :1]}
    data = Dataset("mine", "Mine", **given)
    np.testing.assert_array_equal(data.x, data.x_test)
    assert data.columns == ("age", "weight")


# Settings that were rounded or ignored --------------------------------------------------------------------------------


def test_settings_are_neither_rounded_nor_guessed():
    for settings, sentence in [
        ({"num_steps": 10.5}, r"num_steps must be a whole number, not 10\.5"),
        ({"batch_size": 2.7}, r"batch_size must be a whole number, not 2\.7"),
        ({"num_epochs": 2.5}, r"num_epochs must be a whole number, not 2\.5"),
        ({"num_epochs": 0}, r"num_epochs must be at least 1, not 0"),
        ({"num_steps": 10, "num_epochs": 2}, r"Give num_steps or num_epochs, not both"),
        ({"num_snapshots": 1.5}, r"num_snapshots must be a whole number, not 1\.5"),
        ({"learning_rate": "fast"}, r"learning_rate must be a number, not 'fast'"),
        ({"length_scale": "long"}, r"length_scale must be a number, not 'long'"),
    ]:
        with pytest.raises(bdlviz.InvalidInput, match=sentence):
            bdlviz.fit("map", (X, X[:, :1]), **settings)
    for method, name, value in [
        ("deep_ensemble", "num_members", 2.5),
        ("hmc", "num_chains", 4.5),
        ("hmc", "num_leapfrog", 10.5),
        ("gaussian_process", "prior_by_width", 0.5),
        ("laplace", "all_layers", 0.5),
        ("variational_dropout", "alpha_per", 1.5),
    ]:
        with pytest.raises(bdlviz.InvalidInput, match=f"{name} must be a whole number, not {value:g}"):
            bdlviz.fit(method, (X, X[:, :1]), **{name: value})  # pyright: ignore[reportCallIssue, reportArgumentType]
    fit = bdlviz.fit("mc_dropout", (X, X[:, :1]), **QUICK)
    for draw in (fit.predict, fit.draw_outputs):
        with pytest.raises(bdlviz.InvalidInput, match=r"num_samples must be a whole number, not 10\.5"):
            draw(X, 10.5)  # pyright: ignore[reportArgumentType, reportCallIssue]
        with pytest.raises(bdlviz.InvalidInput, match="seed must be a whole number"):
            draw(X, 10, seed=0.5)  # pyright: ignore[reportArgumentType, reportCallIssue]
    with pytest.raises(bdlviz.InvalidInput, match=r"num_steps must be a whole number, not 7\.5"):
        bdlviz.fit("gaussian_process", (X, X[:, :1]), num_steps=7.5)
    with pytest.raises(bdlviz.InvalidInput, match=r"likelihood must be a name or a bdlviz\.Likelihood, not 3"):
        bdlviz.fit("map", (X, X[:, :1]), likelihood=3)  # pyright: ignore[reportCallIssue, reportArgumentType]
    for index in [2, 5, -1]:
        fit = bdlviz.fit("map", (X, X[:, :1]), num_snapshots=2, **QUICK)
        with pytest.raises(bdlviz.InvalidInput, match=f"There is no snapshot {index}: this fit keeps 2"):
            fit.at_snapshot(index)
