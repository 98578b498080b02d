"""The page of errata: each one shows both formulas and its numbers, and the table leads on."""

from __future__ import annotations

import re
from html import unescape
from typing import Any

import numpy as np
import pytest

from bdlviz.errata import ERRATA, Erratum
from bdlviz.errata.figures import Comparison, Panel
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.results.errata import views, views_html
from bdlviz.topics.results.errata.controls import ERRATUM, address_of
from bdlviz.ui.frame import explain, tabs
from bdlviz.ui.model import Result
from bdlviz.ui.places.navigation import TITLES
from tests.told import numbers_in
from tests.topics.shared.page_results import SCREEN, curve, result_of
from tests.ui.harness import assert_works, controls, open_page, states

EACH = pytest.mark.parametrize("erratum", ERRATA.values(), ids=ERRATA)


def drawn(name: str) -> Result:
    return result_of("errata", {"erratum": name})


@EACH
def test_each_one_has_its_numbers_and_a_picture(erratum: Erratum):
    result = drawn(erratum.name)
    effect = erratum.measure()
    wrong, right, *more = effect.numbers
    assert result.numbers == {number.label: number.text for number in (wrong, right)}
    assert result.words == [" · ".join(f"{number.label}: {number.text}" for number in more)]
    assert len(result.figures) == 1
    assert max(len(label) for label in result.numbers) <= 25, "A label fits a quarter of the picture."
    assert explain.formulas(erratum.wrong) and explain.formulas(erratum.right)


def plain(latex: str) -> str:
    """A formula without colours and spaces."""
    colored = re.sub(r"(\{)?\\textcolor\{#\w+\}\{((?:[^{}]|\{[^{}]*\})*)\}(?(1)\})", r"\2", latex)
    return re.sub(r"\s", "", colored)


@EACH
def test_what_differs_in_the_formulas_is_coloured(erratum: Erratum):
    """Nothing else changes, and what is left in ink is the same in both."""
    given = [explain.formulas(side) for side in (erratum.wrong, erratum.right)]
    assert [len(each) for each in given] == [1, 1]
    (wrong,), (right,) = given
    found = views_html.marked(wrong, right, ("#111111", "#222222"))
    assert [plain(each) for each in found] == [plain(wrong), plain(right)]
    assert "#111111" in found[0] or "#222222" in found[1]
    assert all(each.count("{") == each.count("}") for each in found)
    assert "#222222" not in found[0] and "#111111" not in found[1]


def test_the_coloured_symbols_of_the_gradient_are_the_noise_and_what_stands_for_it():
    sides = [explain.formulas(side)[0] for side in (ERRATA["rho-gradient"].wrong, ERRATA["rho-gradient"].right)]
    wrong, right = views_html.marked(sides[0], sides[1], ("#111111", "#222222"))
    assert re.findall(r"#1+\}\{(.*?)\}", wrong) == [r"\partial", "w"]
    assert re.findall(r"#2+\}\{(.*?)\}", right) == [r"\epsilon"]


@EACH
def test_each_one_leads_to_the_right_formula_in_use(erratum: Erratum):
    assert erratum.page in TITLES
    page = erratum.page.split("/")[-1]
    asked = dict(erratum.query)
    title = asked.pop(tabs.TAB, tabs.MATHS)
    assert title == tabs.MATHS or title in result_of(page, asked).tabs
    assert tabs.TAB not in dict(erratum.query) or title in erratum.link
    for key, value in asked.items():
        known = states(page) if key == "scene" else controls(page)[key].options
        assert value in known
    assert address_of(erratum).startswith(page)


def test_the_table_and_the_menu_hold_all_of_them():
    assert tuple(ERRATA) == ERRATUM.options
    rows = [views_html.Row(each, views.effect_of(each).says, each.name == "ard-kl") for each in ERRATA.values()]
    text = views_html.table_html(rows, SCREEN.theme)
    for erratum in ERRATA.values():
        assert erratum.measure().says in unescape(text) and erratum.where in unescape(text)
        assert f'href="errata?erratum={erratum.name}"' in text and address_of(erratum) in unescape(text)
    assert text.count("role='row'") == len(ERRATA) + 1
    [present] = re.findall(r"aria-current='true'><th[^>]*><a href=\"errata\?erratum=([\w-]+)", text)
    assert present == "ard-kl"


def test_the_picture_and_the_formulas_are_those_of_the_chosen_erratum():
    result, ridge = drawn("ridge"), ERRATA["ridge"]
    panel = ridge.measure().picture.panels[0]
    assert isinstance(panel, Panel)
    [wrong] = [each for each in panel.curves if each.role == "wrong"]
    np.testing.assert_allclose(curve(result, "✗ penalty λ = 9"), wrong.y, rtol=1e-6)
    app = open_page("errata", {"erratum": "ridge"})
    assert_works(app)
    shown = {plain(each.value.strip("$ \n")) for each in app.latex}
    assert {plain(latex) for side in (ridge.wrong, ridge.right) for latex in explain.formulas(side)} <= shown
    assert "aria-current='true'" in " ".join(each.proto.body for each in app.get("html"))  # type: ignore[attr-defined]


def test_a_missing_checkpoint_is_named_and_looked_for_again(monkeypatch: pytest.MonkeyPatch):
    def missing(name: str) -> None:
        raise CheckpointError(f"{name} is not there.")

    views.RESULTS.forget(("erratum", "plug-in"))
    with monkeypatch.context() as patch:
        patch.setattr(shelf, "shipped", missing)
        result = drawn("plug-in")
        assert result.words[0].startswith("vae_mnist_20d is not there.")
    whole = drawn("plug-in")
    assert len(whole.words) == 1 and set(whole.numbers) != set(result.numbers)


@EACH
def test_the_snippet_gives_the_numbers_of_the_page(
    erratum: Erratum, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    shown: list[Any] = []
    monkeypatch.setattr("plotly.graph_objects.Figure.show", lambda figure: shown.append(figure))
    exec(views.call_of(erratum), {})
    said = capsys.readouterr().out
    for number in erratum.measure().numbers:
        assert f"{number.label} {number.text}" in said
    assert len(shown) == 1


def test_the_panels_of_the_opening_erratum_have_the_numbers_of_its_sentence():
    effect = ERRATA["mask-per-point"].measure()
    assert isinstance(effect.picture, Comparison)
    titles = [numbers_in(panel.title) for panel in effect.picture.panels]
    assert (
        titles == [[number] for number in numbers_in(effect.says)[:2]] == [[float(n.text)] for n in effect.numbers[:2]]
    )
