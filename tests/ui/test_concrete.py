"""The page on learned keep probabilities: its numbers are those of the shipped runs, and nothing missing breaks it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from scipy.special import expit

from bdlviz.fitted import shelf
from bdlviz.predictive.relaxation import relaxed_distribution
from bdlviz.topics.digits.concrete_dropout import study as concrete_dropout_study
from bdlviz.topics.digits.concrete_dropout import views_keep as concrete_dropout_views_keep
from tests.ui.harness import assert_works, figures, move, open_page

PAGE = "concrete_dropout"
FILES = {
    "pixels": "concrete_mnist",
    "layers": "concrete_mnist",
    "path": "concrete_mnist",
    "changed": "concrete_mnist",
    "width": "concrete_widths",
    "authors": "concrete_authors",
}


def run_snippet(query: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> tuple[Any, dict[str, Any]]:
    """The page in this state, and the names its snippet leaves behind."""
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    app, names = open_page(PAGE, query), {}
    app.session_state["tabs"] = "Reproduce"
    app.run()
    exec(compile(app.code[0].value, "snippet", "exec"), names)
    return app, names


@pytest.mark.parametrize("how", ["removed", "truncated", "old"])
@pytest.mark.parametrize("view", FILES)
def test_a_missing_checkpoint_gets_one_sentence(view: str, how: str, own_shelf: Path):
    file = own_shelf / f"{FILES[view]}.safetensors"
    if how == "removed":
        file.unlink()
    elif how == "truncated":
        file.write_bytes(file.read_bytes()[:1000])
    else:
        other = own_shelf / "function_draws_map.safetensors"
        shelf.put(file.stem, other.read_bytes(), shelf.manifest(own_shelf)[file.stem], own_shelf)
    app = open_page(PAGE, {"look": view})
    assert not app.exception and not app.error
    [said] = [each.value for each in app.warning]
    assert f"python -m bdlviz train {FILES[view]}" in said
    move(app, "look", "relaxation")
    assert_works(app)


@pytest.mark.parametrize(
    ("images", "control", "num_data"),
    [("mnist", "n_mnist", 1000), ("mnist", "n_mnist", 5000), ("digits", "n_digits", 300)],
)
def test_the_numbers_are_those_of_the_run(images: str, control: str, num_data: int):
    app = open_page(PAGE, {"images": images, control: str(num_data)})
    assert_works(app)
    _, extra = shelf.shipped(concrete_dropout_views_keep.file_of(images, num_data))
    expected = [f"{mean:.2f}" for mean in extra[f"{concrete_dropout_study.run_name(num_data, 1)}mean"][-1]]
    assert [each.value for each in app.metric] == expected


def test_the_step_slider_begins_where_all_rates_start():
    app = open_page(PAGE, {"moment": "0"})
    assert {each.value for each in app.metric} == {"0.88"}


def test_without_the_entropy_term_there_is_one_run():
    app = open_page(PAGE, {"entropy_term": "off", "n_mnist": "10000"})
    assert_works(app)
    assert any("N = 1,000 is shipped" in each.value for each in app.caption)


@pytest.mark.parametrize("temperature", ["0.001", "10"])
@pytest.mark.parametrize("rate", ["0.01", "0.99"])
def test_the_relaxation_at_both_ends(temperature: str, rate: str):
    app = open_page(PAGE, {"look": "relaxation", "temperature": temperature, "relaxed_rate": rate})
    assert_works(app)
    between, below, _ = (each.value for each in app.metric)
    assert below == f"{float(rate):.1%}"
    share = np.diff(relaxed_distribution(np.array([0.01, 0.99]), float(rate), float(temperature)))[0]
    assert between == f"{share:.1%}"


def test_the_snippet_of_the_relaxation(monkeypatch: pytest.MonkeyPatch):
    _, names = run_snippet({"look": "relaxation", "temperature": "0.3"}, monkeypatch)
    np.testing.assert_allclose(names["z"], expit(np.linspace(-11, 11, 441)))
    np.testing.assert_allclose(names["distribution"], relaxed_distribution(names["z"], 0.12, 0.3))


@pytest.mark.parametrize("change", ["rotate", "blend"])
def test_the_snippet_of_a_changed_digit_gives_the_numbers_of_the_page(change: str, monkeypatch: pytest.MonkeyPatch):
    query = {"look": "changed", "images": "digits", "synthetic": change, "shown_digit": "2"}
    app, names = run_snippet(query, monkeypatch)
    total, peak = names["predictive"].predictive_entropy, names["predictive"].predictive_entropy.argmax()
    assert [each.value for each in app.metric][:2] == [f"{total[0]:.2f}", f"{total[peak]:.2f}"]


def test_the_authors_rates_are_on_the_figure():
    app = open_page(PAGE, {"look": "authors"})
    assert_works(app)
    names = {trace.get("name") for trace in figures(app)[0]["data"]}
    assert {"width 1,024", "width 256", "published", "one learning rate a step", "truth"} <= names
    assert not any(
        trace.get("name") == "one learning rate a step"
        for trace in figures(open_page(PAGE, {"look": "authors", "authors_steps": "settled"}))[0]["data"]
    )


@pytest.mark.parametrize("score", ["nll", "accuracy", "auroc"])
def test_widths_and_their_best_rates(score: str):
    _, extra = shelf.shipped("concrete_widths")
    app = open_page(PAGE, {"look": "width", "net_width": "1024", "width_score": score})
    assert_works(app)
    scores = extra[score][:, extra["widths"].tolist().index(1024)]
    best = extra["rates"][scores.argmin(-1) if score == "nll" else scores.argmax(-1)].astype(float)
    assert app.metric[0].value == f"{best.mean():.2f} ± {best.std(ddof=1):.2f}"
