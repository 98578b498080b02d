"""The tabs under the picture: formulas from the code that computes, and snippets that give the page's numbers."""

from __future__ import annotations

import inspect
import warnings
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from streamlit.testing.v1 import AppTest

import bdlviz
from bdlviz import fits
from bdlviz.fitted import shelf
from bdlviz.types import FitConfig
from bdlviz.ui.controls.data_choice import encode_points
from bdlviz.ui.frame import explain, footer, tabs
from bdlviz.ui.model import Result
from tests.ui.conftest import OBTAIN
from tests.ui.harness import PAGES, controls, definition, figures, further_pictures, has_tabs, open_page, trace

WITH_FOOTER = [page for page in PAGES if has_tabs(page)]
# Their snippets fit nothing, or follow a study; they are tested with the page.
FIT_NOTHING = {
    *("errata", "register", "scoreboard", "compression", "signal_to_noise", "sparsity", "variational_dropout"),
    *(
        "bayes_rule",
        "variational_or_mcmc",
        "noise_or_ignorance",
        "deciding",
        "depth_and_edges",
        "compare",
        "in_between",
        "active_learning",
    ),
    *("playground", "concrete_dropout", "likelihood"),
}
OWN = {"data": "own", "points": encode_points(np.array([[0.1, 1.0], [2.0, -1.5], [3.25, 7.7]]))}
STATES = {
    "mc_dropout": {"num_steps": "100", "width": "16", "dropout_rate": "0.2", "seed": "3", "draws": "20"},
    "ensemble": {"num_steps": "100", "method": "deep_ensemble", "num_members": "3", "activation": "tanh", "depth": "1"},
    "noise follows": {"num_steps": "100", "follows": "noise", "length_scale": "0.5", "batch_size": "full"},
    "decay follows": {"num_steps": "100", "follows": "weight_decay", "assumed_noise": "2", "learning_rate": "0.01"},
    "other data": {"num_steps": "100", "data": "two_clusters", "num_data": "50", "noise": "2", "data_seed": "4"},
    "own points": {"num_steps": "100", "method": "map", **OWN},
}


@cache
def result_of(page: str) -> Result:
    """What a page shows in its first state."""
    shown: list[Result] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(footer, "show", lambda page, result, **_: shown.append(result))
        open_page(page)
    return shown[-1]


def tab(app: AppTest, title: str) -> AppTest:
    app.session_state["tabs"] = title
    return app.run()


@pytest.mark.parametrize("page", ["scoreboard", "vae", "noise_or_ignorance"])
def test_what_to_try_stands_once_also_without_a_column_of_controls_with_room_for_it(page: str):
    told = definition(page)
    assert told is not None and told.try_this
    app = tab(open_page(page), tabs.EXPLAIN)
    for line in told.try_this:
        assert sum(line in each.value for each in app.markdown) == 1


def example() -> None:
    r"""A line.

    $$ a $$

    Words, and a price of $5.

    $$ \begin{aligned}
    b &= c \\
    d &= e
    \end{aligned} $$
    """


def test_formulas_are_all_blocks_of_the_docstring():
    first, second = explain.formulas(example)
    assert first == "a"
    assert second.startswith(r"\begin{aligned}") and second.endswith(r"\end{aligned}")
    assert explain.formulas(tab) == []


@pytest.mark.parametrize("page", WITH_FOOTER)
def test_every_function_in_the_maths_tab_has_a_formula(page: str):
    shown = {each.value for each in tab(open_page(page), tabs.MATHS).latex}
    for formula in result_of(page).formulas:
        function = explain.as_formula(formula).of
        found = explain.formulas(function)
        assert found, f"{function.__module__}.{function.__qualname__} has no $$ formula $$."
        assert 2 * len(found) == (inspect.getdoc(function) or "").count("$$")
        assert {latex.strip("$ ") for latex in found} <= {latex.strip("$ \n") for latex in shown}


def test_the_code_tab_shows_the_source():
    shown = [each.value for each in tab(open_page("function_draws"), tabs.CODE).code]
    assert shown[1:] == [inspect.getsource(function).rstrip() for function in result_of("function_draws").code]


def test_a_weight_decay_of_100_leaves_a_constant():
    app = open_page("function_draws", {"num_steps": "100", "weight_decay": "100"})
    _, mean = trace(figures(app)[0], "Predictive mean")
    assert np.isfinite(mean).all() and np.ptp(mean) < 0.5


@pytest.mark.parametrize("state", STATES)
def test_the_snippet_gives_the_numbers_of_the_page(state: str, monkeypatch: pytest.MonkeyPatch):
    app = tab(open_page("function_draws", STATES[state]), tabs.CODE)
    assert not app.warning and not app.exception
    predictive = run_snippet(app.code[0].value, monkeypatch)["predictive"]
    x, y = trace(figures(app)[0], "Predictive mean")
    np.testing.assert_allclose(predictive.x[:, 0], x, rtol=1e-6)
    np.testing.assert_allclose(predictive.mean[:, 0], y, rtol=1e-6, atol=1e-6 * np.abs(y).max())


def test_the_snippet_of_a_shipped_fit_gives_its_numbers_but_for_half_precision(monkeypatch: pytest.MonkeyPatch):
    app = tab(open_page("function_draws"), tabs.CODE)
    predictive = run_snippet(app.code[0].value, monkeypatch)["predictive"]
    _, y = trace(figures(app)[0], "Predictive mean")
    np.testing.assert_allclose(predictive.mean[:, 0], y, atol=0.02 * np.ptp(y))


def run_snippet(text: str, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names a snippet leaves behind, run exactly as shown, its figure not opened."""
    monkeypatch.setattr(go.Figure, "show", lambda figure: None)
    names: dict[str, Any] = {}
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The negative log-likelihood")  # the fits are short
        exec(compile(text, "snippet", "exec"), names)
    return names


@pytest.mark.parametrize("page", [page for page in WITH_FOOTER if page not in FIT_NOTHING])
def test_the_snippet_asks_for_the_fit_of_the_page(page: str, monkeypatch: pytest.MonkeyPatch):
    class Asked(Exception):
        pass

    def ask(method: str, data: Any, **settings: Any) -> None:
        raise Asked(fits.configure(method, data, **settings))

    link = {"images": "digits"} if "images" in controls(page) else {}
    app = tab(open_page(page, link), tabs.CODE)
    monkeypatch.setattr(bdlviz, "fit", ask)
    with pytest.raises(Asked) as raised:
        run_snippet(app.code[0].value, monkeypatch)
    asked, drawn = raised.value.args[0], configs_of(page, link, monkeypatch)
    assert any(is_part(used, asked) for used in drawn), f"{asked} is none of {drawn}."


def is_part(used: FitConfig, asked: FitConfig) -> bool:
    """Is one fit a cell and seed of another?"""
    if used.axes and not {name for name, _ in used.axes} <= {name for name, _ in asked.axes}:
        return False
    axes = all(set(stops) <= set(dict(asked.axes)[name]) for name, stops in used.axes)
    rest = [replace(config, axes=(), seeds=(), num_snapshots=0) for config in (asked, used)]
    return axes and set(used.seeds) <= set(asked.seeds) and rest[0] == rest[1]


def configs_of(page: str, link: dict[str, str], monkeypatch: pytest.MonkeyPatch) -> list[FitConfig]:
    """The configurations of the fits, or cells of one, that a page draws."""
    found: list[FitConfig] = []

    def noting(owner: Any, name: str, fit_of: Callable[..., fits.Fit | None]) -> None:
        function = getattr(owner, name)

        def call(*given: Any) -> Any:
            result = function(*given)
            if (fit := fit_of(result, *given)) is not None:
                found.append(fit.config)
            return result

        monkeypatch.setattr(owner, name, call)

    noting(shelf, "find", lambda fit, config: fit)
    noting(shelf, "shipped", lambda result, *place: result[0])
    noting(fits.Fit, "_require_finite", lambda result, fit: fit)
    open_page(page, link)
    return found


def test_the_widest_and_deepest_network_has_a_picture(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(OBTAIN, "WAIT_BEFORE_PROGRESS_S", 0.2)
    app = open_page("function_draws", {"num_steps": "100", "width": "512", "depth": "5"})
    assert not app.exception and not app.error
    assert "Training" not in further_pictures(app)
