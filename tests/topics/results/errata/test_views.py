"""The page of errata: each one shows both formulas and its numbers, and the table leads on."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.errata import ERRATA, Erratum
from bdlviz.errata.figures import Panel
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.results.errata import views, views_html
from bdlviz.topics.results.errata.controls import ERRATUM, address_of
from bdlviz.ui.frame import explain
from bdlviz.ui.model import Result, Screen, Setting
from bdlviz.ui.places.navigation import TITLES
from tests.ui.harness import assert_works, controls, figures, move, open_page, scenes, trace

SCREEN = Screen(plots.theme("light"))
EACH = pytest.mark.parametrize("erratum", ERRATA.values(), ids=ERRATA)


def drawn(erratum: Erratum) -> Result:
    return views.erratum(Setting({"erratum": erratum.name}), SCREEN, None)


@EACH
def test_each_one_has_its_numbers_and_a_picture(erratum: Erratum):
    result = drawn(erratum)
    effect = erratum.measure()
    assert result.numbers == {number.label: number.text for number in effect.numbers}
    assert not result.words and len(result.figures) == 1
    assert max(len(label) for label in result.numbers) <= 25, "A label fits a quarter of the picture."
    assert explain.formulas(erratum.wrong) and explain.formulas(erratum.right)


@EACH
def test_each_one_leads_to_the_right_formula_in_use(erratum: Erratum):
    assert erratum.page in TITLES
    page = erratum.page.split("/")[-1]
    for key, value in erratum.query:
        known = scenes(page) if key == "scene" else controls(page)[key].options
        assert value in known
    assert address_of(erratum).startswith(page)


def test_the_table_holds_all_of_them():
    rows = [views_html.Row(each, views.effect_of(each).says, each.name == "ard-kl") for each in ERRATA.values()]
    text = views_html.table_html(rows, SCREEN.theme)
    for erratum in ERRATA.values():
        assert erratum.measure().says in unescape(text) and erratum.where in unescape(text)
        assert f'href="errata?erratum={erratum.name}"' in text and address_of(erratum) in unescape(text)
    assert text.count("role='row'") == len(ERRATA) + 1
    [present] = re.findall(r"aria-current='true'><th[^>]*><a href=\"errata\?erratum=([\w-]+)", text)
    assert present == "ard-kl"


def test_the_menu_changes_the_picture():
    app = open_page("errata")
    before = figures(app)[0]
    assert_works(move(app, "erratum", "ridge"))
    assert figures(app)[0] != before and app.query_params["erratum"] == "ridge"
    _, wrong = trace(figures(app)[0], "penalty λ = 9")
    panel = ERRATA["ridge"].measure().picture.panels[0]
    assert isinstance(panel, Panel)
    curve = next(curve for curve in panel.curves if curve.role == "wrong")
    np.testing.assert_allclose(wrong, curve.y, rtol=1e-6)
    shown = {each.value.strip("$ \n") for each in app.latex}
    for function in (ERRATA["ridge"].wrong, ERRATA["ridge"].right):
        assert {formula.strip() for formula in explain.formulas(function)} <= shown
    html = " ".join(each.proto.body for each in app.get("html"))  # type: ignore[attr-defined]
    assert "aria-current='true'" in html


def test_an_unknown_erratum_gets_one_sentence():
    app = open_page("errata", {"erratum": "nonsense"})
    assert_works(app, warnings=1)
    assert "Erratum" in app.warning[0].value and "nonsense" in app.warning[0].value


def test_a_missing_checkpoint_is_named_and_looked_for_again(monkeypatch: pytest.MonkeyPatch):
    def missing(name: str) -> None:
        raise CheckpointError(f"{name} is not there.")

    views.RESULTS.forget(("erratum", "plug-in"))
    with monkeypatch.context() as patch:
        patch.setattr(shelf, "shipped", missing)
        result = drawn(ERRATA["plug-in"])
        assert result.words[0].startswith("vae_mnist_20d is not there.")
        assert "Exact log p(x) (nats)" in result.numbers
    result = drawn(ERRATA["plug-in"])
    assert not result.words and "Too good by (nats)" in result.numbers


@EACH
def test_the_snippet_gives_the_numbers_of_the_page(
    erratum: Erratum, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    shown: list[Any] = []
    monkeypatch.setattr("plotly.graph_objects.Figure.show", lambda figure: shown.append(figure))
    exec(compile(views.call_of(erratum), "snippet", "exec"), {})
    said = capsys.readouterr().out
    for number in erratum.measure().numbers:
        assert f"{number.label} {number.text}" in said
    assert len(shown) == 1


def test_the_first_erratum_of_the_page_is_on_the_menu():
    assert ERRATUM.default in ERRATA and tuple(ERRATA) == ERRATUM.options
