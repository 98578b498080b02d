"""Every page survives hostile addresses: whole runs of its script, a few here, many in `make fuzz`."""

from __future__ import annotations

import hypothesis
import numpy as np
import pytest
from hypothesis import HealthCheck, Phase
from hypothesis import strategies as st

from bdlviz.lectures import lectures
from bdlviz.ui.controls import data_choice
from tests.fuzz import hostile, links
from tests.fuzz.target import MANY
from tests.ui.conftest import no_installed_components, queue, quick
from tests.ui.harness import PAGES, controls, open_page, rested, scenes

__all__ = ["no_installed_components", "queue", "quick"]  # fixtures, which pytest finds by their names here

EXTREME = (0.0, -0.0, 1.0, 1.0 + 1e-7, -1.0, 5e-324, 1e-30, 1e12, -1e12, 0.1)
extreme_points = st.lists(st.tuples(st.sampled_from(EXTREME), st.sampled_from(EXTREME)), min_size=1, max_size=8).map(
    lambda pairs: data_choice.encode_points(np.array(pairs))
)
parts = st.sampled_from(("controls", "scenes", "tabs", "navigation", "width"))

pytestmark = pytest.mark.usefixtures("quick")


def queries_of(name: str) -> st.SearchStrategy[dict[str, str]]:
    """Addresses of a page: its own controls and keys, some with values on offer, most with others."""
    offered = controls(name)
    given: dict[str, st.SearchStrategy[str]] = {
        "tab": st.sampled_from(("Code", "Export", "Exercises", "Derivation", "Reproduce")),
        "present": st.just("1"),
        "hide": st.lists(parts | hostile.sendable, max_size=3).map(",".join),
        "lecture": st.sampled_from(tuple(lectures())),
        "step": st.integers(0, 30).map(str),
        "guess": st.just("no"),
        "points": extreme_points | links.point_texts.map(lambda text: text.encode("utf-8", "replace").decode()),
        "training_step": st.integers(0, 10**6).map(str),
        "classes": st.just("47"),
        "other": st.just("width%3D16"),
        **({"scene": st.sampled_from(sorted(scenes(name)))} if scenes(name) else {}),
        **{key: st.sampled_from(control.options) for key, control in offered.items()},
    }
    mixed = {key: values | hostile.sendable for key, values in given.items()}
    usual = st.fixed_dictionaries({}, optional=mixed | {"x" * 100: hostile.sendable, "\u202e": hostile.sendable})
    if "data" not in offered or data_choice.OWN not in offered["data"].options:
        return usual
    own = st.builds(lambda query, points: query | {"data": "own", "points": points}, usual, extreme_points)
    return usual | own


def visit(name: str, num_pairs: int) -> None:
    """Come to a page by hostile addresses, and from each go on to a second one in the same tab.

    The empty pair that Hypothesis begins with counts as one.
    """

    @hypothesis.settings(
        max_examples=num_pairs,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example),
        phases=(Phase.generate,),
    )
    @hypothesis.given(first=queries_of(name), second=queries_of(name))
    def survive(first: dict[str, str], second: dict[str, str]) -> None:
        if not first and not second:
            return
        app = open_page(name, first)
        assert not app.exception, (first, [each.stack_trace for each in app.exception])
        app.query_params.clear()
        app.query_params.update(second)
        rested(app.run())
        assert app.get("html"), "The page shows nothing, not even its frame."
        assert not app.exception, (first, second, [each.stack_trace for each in app.exception])

    survive()


@pytest.mark.parametrize("name", PAGES)
def test_a_page_survives_hostile_addresses(name: str):
    visit(name, 36 if MANY else 2)
