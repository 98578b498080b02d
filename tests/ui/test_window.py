"""The width of the window: what the browser reports, and before its report whether the visitor uses a phone."""

from __future__ import annotations

import json
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.ui.frame import window


def rows(app: AppTest) -> int:
    """Of panels, in the first figure."""
    layout = json.loads(app.get("plotly_chart")[0].proto.spec)["layout"]
    return len({tuple(axis["domain"]) for name, axis in layout.items() if name.startswith("yaxis")})


@pytest.fixture
def page() -> AppTest:
    from tests.ui.harness import PAGES, SECONDS

    return AppTest.from_file(PAGES["effect_of_lambda"], default_timeout=SECONDS)


def test_panels_lie_one_below_the_other_in_a_narrow_window(page: AppTest):
    assert rows(page.run()) == 1
    assert len(page.get("plotly_chart")) == 2  # the panels and the curve, once each
    page.session_state[window.REPORTED_NARROW] = True
    assert rows(page.run()) == 3


@pytest.mark.parametrize("told", [None, 7, "narrow", [True], {}, {"is_narrow": "yes"}, {"is_narrow": {"a": 1}}])
def test_only_a_true_flag_means_a_narrow_window(told: Any, monkeypatch: pytest.MonkeyPatch):
    class Told:
        shown = told

    state: dict[str, Any] = {window.KEY: Told()}
    monkeypatch.setattr(window.st, "session_state", state)
    window._hear()
    assert state.get(window.REPORTED_NARROW, False) is False
    Told.shown = {"type": "dark", "is_narrow": True}
    window._hear()
    assert state[window.REPORTED_NARROW] is True
