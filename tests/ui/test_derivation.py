"""Derivations in the tab Maths: steps open one by one, their traces are in focus, their numbers agree."""

from __future__ import annotations

import pytest

from bdlviz.plots.focus import DIMMED
from bdlviz.ui.frame import derivation, tabs
from tests.ui.harness import PAGES, assert_works, definition, figures, open_page, open_working, press, rested

DERIVED = [page for page in PAGES if (found := definition(page)) is not None and found.derivation is not None]


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("page", DERIVED)
def test_every_step_opens_with_the_lines_before_it(page: str):
    defined = definition(page)
    assert defined is not None and defined.derivation is not None
    found = defined.derivation
    app = open_working(page, {"tab": tabs.MATHS, "picture": "figure", **found.state})
    formulas: list[str] = []
    for index, step in enumerate(found.steps):
        app.session_state[derivation.STEP] = f"{index + 1}. {step.title}"
        app = rested(app.run())
        assert_works(app)
        shown = [each.value.strip("$ \n") for each in app.latex]
        expected = [each.latex.strip() for each in found.steps[: index + 1]]
        formulas = formulas if index else shown[:-1]  # of the page, above the derivation
        assert shown == formulas + expected
        assert step.because in [each.value for each in app.markdown]
        if step.traces:
            assert_in_focus(figures(app), step.traces)


def assert_in_focus(drawn: list[dict[str, object]], names: tuple[str, ...]) -> None:
    focused = [each for each in drawn if any(trace.get("name") in names for trace in each["data"])]  # type: ignore[attr-defined]
    assert focused, f"No figure shows {names}."
    for each in focused:
        for trace in each["data"]:  # type: ignore[attr-defined]
            assert (trace.get("opacity") == DIMMED) == (trace.get("name") not in names)


def test_no_trace_is_dimmed_while_another_tab_is_open():
    app = open_page("vae", {"tab": tabs.CODE})
    assert not [trace for each in figures(app) for trace in each["data"] if trace.get("opacity") == DIMMED]


def test_a_step_is_checked_in_numbers_when_asked():
    app = open_page("variational_or_mcmc", {"tab": tabs.MATHS})
    defined = definition("variational_or_mcmc")
    assert defined is not None and defined.derivation is not None
    index = next(index for index, step in enumerate(defined.derivation.steps) if step.sides is not None)
    app.session_state[derivation.STEP] = f"{index + 1}. {defined.derivation.steps[index].title}"
    before = len(rested(app.run()).caption)
    press(app, "check_step")
    assert len(app.caption) > before


def test_a_button_shows_the_picture_of_the_derivation():
    app = open_page("concrete_dropout", {"tab": tabs.MATHS})
    press(app, "set_derivation")
    assert app.session_state["look"] == "relaxation"
    assert "set_derivation" not in [button.key for button in app.button]
