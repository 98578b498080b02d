"""The page of errata: each one opens with both formulas and its numbers, and the table leads on."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.errata import ERRATA, Erratum
from bdlviz.errata.figures import Panel
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.results.errata import views as errata_views
from bdlviz.ui.frame import explain
from bdlviz.ui.places import routes
from tests.ui.harness import assert_works, controls, figures, move, open_page, scenes, trace

PAGES = {name for entries in routes.SECTIONS.values() for name, _ in entries}
EACH = pytest.mark.parametrize("erratum", ERRATA.values(), ids=ERRATA)


def html(app: AppTest) -> str:
    return " ".join(each.proto.body for each in app.get("html"))  # type: ignore[attr-defined]


def metrics(app: AppTest) -> dict[str, str]:
    return {each.label: each.value for each in app.metric}


@EACH
def test_each_one_opens(erratum: Erratum):
    app = open_page("errata", {"erratum": erratum.name})
    assert_works(app)
    assert not app.info
    shown = [each.value.strip("$ \n") for each in app.latex]
    for function in (erratum.wrong, erratum.right):
        assert {formula.strip() for formula in explain.formulas(function)} <= set(shown)
    effect = erratum.measure()
    assert metrics(app) == {number.label: number.text for number in effect.numbers}
    assert len(figures(app)) == 1


@EACH
def test_each_one_leads_to_the_right_formula_in_use(erratum: Erratum):
    assert erratum.page in PAGES
    page = erratum.page.split("/")[-1]
    for key, value in erratum.query:
        known = scenes(page) if key == "scene" else controls(page)[key].options
        assert value in known


@EACH
def test_labels_fit_a_quarter_of_the_picture(erratum: Erratum):
    assert max(len(number.label) for number in erratum.measure().numbers) <= 25


def test_the_table_holds_all_of_them():
    app = open_page("errata", {"erratum": "ard-kl"})
    text = html(app)
    for erratum in ERRATA.values():
        assert erratum.measure().says in unescape(text) and erratum.where in unescape(text)
        assert f'href="errata?erratum={erratum.name}"' in text
    assert text.count("role='row'") == len(ERRATA) + 1
    [present] = re.findall(r"aria-current='true'><th[^>]*><a href=\"errata\?erratum=([\w-]+)", text)
    assert present == "ard-kl"


def test_the_menu_changes_the_picture():
    app = open_page("errata")
    before = figures(app)[0]
    move(app, "erratum", "ridge")
    assert_works(app)
    assert figures(app)[0] != before and app.query_params["erratum"] == "ridge"
    _, wrong = trace(figures(app)[0], "penalty λ = 9")
    panel = ERRATA["ridge"].measure().picture.panels[0]
    assert isinstance(panel, Panel)
    curve = next(curve for curve in panel.curves if curve.role == "wrong")
    np.testing.assert_allclose(wrong, curve.y, rtol=1e-6)


def test_an_unknown_erratum_gets_one_sentence():
    app = open_page("errata", {"erratum": "nonsense"})
    assert_works(app, warnings=1)
    assert "Erratum" in app.warning[0].value and "nonsense" in app.warning[0].value


def test_a_missing_checkpoint_is_named_and_looked_for_again(monkeypatch: pytest.MonkeyPatch):
    def missing(name: str) -> None:
        raise CheckpointError(f"{name} is not there.")

    errata_views._remembered.cache_clear()
    with monkeypatch.context() as patch:
        patch.setattr(shelf, "shipped", missing)
        app = open_page("errata", {"erratum": "plug-in"})
        assert_works(app)
        assert app.info[0].value.startswith("vae_mnist_20d is not there.")
        assert "Exact log p(x) (nats)" in metrics(app)
    app = open_page("errata", {"erratum": "plug-in"})
    assert not app.info and "Too good by (nats)" in metrics(app)


@EACH
def test_the_snippet_gives_the_numbers_of_the_page(
    erratum: Erratum, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    drawn: list[Any] = []
    monkeypatch.setattr("plotly.graph_objects.Figure.show", lambda figure: drawn.append(figure))
    exec(compile(errata_views.snippet(erratum), "snippet", "exec"), {})
    said = capsys.readouterr().out
    for number in erratum.measure().numbers:
        assert f"{number.label} {number.text}" in said
    assert len(drawn) == 1
