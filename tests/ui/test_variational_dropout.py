"""The page on Gaussian and variational dropout: its numbers are right, and nothing missing breaks it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from bdlviz import plots
from bdlviz.fitted import shelf
from bdlviz.topics.weights.variational_dropout import views_theory as variational_dropout_views_theory
from bdlviz.topics.weights.variational_dropout import weight_noise
from bdlviz.topics.weights.variational_dropout.study import KL_WEIGHTS, array_name
from tests.ui.harness import assert_works, axis_ranges, figures, move, open_page, trace

PAGE = "variational_dropout"


def run_snippet(query: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, dict[str, Any]]:
    """The page in this state, and the names its snippet leaves behind."""
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    app, names = open_page(PAGE, query), {}
    app.session_state["tabs"] = "Reproduce"
    app.run()
    exec(compile(app.code[0].value, "snippet", "exec"), names)
    return app, names


@pytest.mark.parametrize("how", ["removed", "truncated", "old"])
@pytest.mark.parametrize("view", ["pixels", "layers"])
def test_a_missing_study_gets_one_sentence(view: str, how: str, own_shelf: Path):
    file = own_shelf / "learned_noise_digits.safetensors"
    if how == "removed":
        file.unlink()
    elif how == "truncated":
        file.write_bytes(file.read_bytes()[:1000])
    else:
        other = own_shelf / "function_draws_map.safetensors"
        shelf.put(file.stem, other.read_bytes(), shelf.manifest(own_shelf)[file.stem], own_shelf)
    app = open_page(PAGE, {"noise_look": view, "images": "digits"})
    assert not app.exception and not app.error
    [said] = [each.value for each in app.warning]
    assert "python -m bdlviz train learned_noise_digits" in said
    move(app, "noise_look", "divergence")
    assert_works(app)


@pytest.mark.parametrize("images", ["mnist", "digits"])
@pytest.mark.parametrize("view", ["pixels", "layers"])
@pytest.mark.parametrize("alpha_of", ["layer", "neuron", "weight"])
def test_the_numbers_are_those_of_the_study(view: str, images: str, alpha_of: str):
    app = open_page(PAGE, {"noise_look": view, "images": images, "alpha_of": alpha_of, "noise_beta": "0.1"})
    assert_works(app)
    _, extra = shelf.shipped(f"learned_noise_{images}")
    at = KL_WEIGHTS.index(0.1)
    one, many, mean = (extra[array_name(alpha_of, key)][at] for key in ("one_pass", "accuracy", "mean"))
    assert [each.value for each in app.metric][:3] == [f"{100 * one:.1f} %", f"{100 * many:.1f} %", f"{mean[0]:.2f}"]


def test_the_lectures_row_stands_beside_ours():
    app = open_page(PAGE)
    table = next(each.value for each in app.markdown if "held-out accuracy" in each.value)
    _, extra = shelf.shipped("classifier_mnist_variational_dropout")
    assert "88.77 ± 0.53 %" in table and "89.60 ± 0.56 %" in table and "α per layer" in table
    assert f"{100 * extra['accuracy'].mean():.2f} ±" in table


@pytest.mark.parametrize("num_inputs", ["1", "500"])
@pytest.mark.parametrize("rate", ["0.05", "0.8"])
def test_two_kinds_of_noise_at_both_ends(num_inputs: str, rate: str):
    app = open_page(PAGE, {"noise_look": "noise", "noise_inputs": num_inputs, "noise_rate": rate})
    assert_works(app)
    alpha = float(rate) / (1 - float(rate))
    gap = weight_noise.distance_to_gaussian(int(num_inputs), float(rate))
    expected = [f"{alpha:.3g}", "1", f"{(alpha / int(num_inputs)) ** 0.5:.3g}", f"{gap:.1%}"]
    assert [each.value for each in app.metric] == expected
    assert axis_ranges(figures(app)[0]) == axis_ranges(figures(open_page(PAGE, {"noise_look": "noise"}))[0])


@pytest.mark.parametrize(("log_alpha", "cubic"), [("-10", "5.6351"), ("-2", "1.5041"), ("0", "0.3895"), ("8", "–")])
def test_divergences_at_the_marker(log_alpha: str, cubic: str):
    app = open_page(PAGE, {"noise_look": "divergence", "log_alpha": log_alpha})
    assert_works(app)
    exact = weight_noise.divergence_curves(np.array([float(log_alpha)]))["exact"][0]
    assert [each.value for each in app.metric][:2] == [f"{exact:.4f}", cubic]


def test_the_table_has_the_golden_values():
    rows = [row.strip("| ").split(" | ") for row in variational_dropout_views_theory.table().split("\n")[2:]]
    assert [row[1] for row in rows] == ["3.13178", "1.54415", "0.42669", "0.17319", "0.02469"]
    assert [row[2] for row in rows[3:]] == ["–", "–"] and rows[0][0] == "−5"


def test_five_methods_side_by_side_are_shipped():
    app = open_page(PAGE, {"noise_look": "functions", "noise_beta": "1", "noise_rate": "0.8"})
    assert_works(app)
    assert not app.info
    titles = [note["text"] for note in figures(app)[0]["layout"]["annotations"]]
    assert titles == ["No noise (MAP)", "Gaussian, p = 0.8", "α per layer", "α per neuron", "α per weight"]
    assert len(app.metric) == 4


@pytest.mark.usefixtures("quick")
def test_other_data_train_while_one_watches():
    app = open_page(PAGE, {"noise_look": "functions", "noise_data": "two_clusters"})
    assert_works(app)
    x, _ = trace(figures(app)[0], "Data")
    assert len(x) > 5 and len(app.metric) == 4


def test_the_snippet_of_the_sums(monkeypatch: pytest.MonkeyPatch):
    _, names = run_snippet({"noise_look": "noise", "noise_inputs": "20"}, monkeypatch)
    assert len(names["atoms"][0]) == 21


def test_the_snippet_of_the_divergences(monkeypatch: pytest.MonkeyPatch):
    app, names = run_snippet({"noise_look": "divergence", "log_alpha": "1"}, monkeypatch)
    assert app.metric[0].value == f"{names['readings']['exact']:.4f}"


def test_the_snippet_of_the_functions(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bdlviz.topics.weights.variational_dropout.study.CURVE_SETTINGS", {"num_steps": 2})
    shown = []
    monkeypatch.setattr(plots, "functions_in_a_row", lambda panels, data: shown.append(panels) or go.Figure())
    _, names = run_snippet({"noise_look": "divergence"}, monkeypatch)
    from bdlviz import data
    from bdlviz.topics.weights.variational_dropout import views_functions as variational_dropout_views_functions

    exec(compile(variational_dropout_views_functions.snippet(data.load("x_sin_x")), "snippet", "exec"), names)
    assert [title for title, _ in shown[0]] == ["map", "gaussian", "layer", "neuron", "weight"]
