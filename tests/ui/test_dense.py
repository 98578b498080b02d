"""The views of dense prediction: every control moves the picture, extremes work, and what is missing is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.fitted import bundles, shelf
from bdlviz.topics.foundations.kinds_of_uncertainty import study_dense as kinds_of_uncertainty_study_dense
from bdlviz.topics.foundations.kinds_of_uncertainty import views_dense as kinds_of_uncertainty_views_dense
from bdlviz.topics.foundations.kinds_of_uncertainty import views_dense_source as kinds_of_uncertainty_views_dense_source
from bdlviz.topics.foundations.kinds_of_uncertainty.scenes import CHANGES
from tests.ui.harness import SECONDS, assert_works, drawn, figures, numbers, trace


def page() -> None:
    """A page of these views alone."""
    import streamlit as st

    from bdlviz.topics.foundations.kinds_of_uncertainty.views_dense import VIEWS

    _, choose, show = VIEWS[st.session_state.get("view", "depth")]
    choose()
    shown = show()
    if shown is not None:
        st.code(shown.snippet)


def opened(view: str = "depth", **chosen: str) -> AppTest:
    """A view with some controls set."""
    app = AppTest.from_function(page, default_timeout=SECONDS)
    for key, value in {"view": view, **chosen}.items():
        app.session_state[key] = value
    return app.run()


def maps(app: AppTest) -> list[np.ndarray]:
    """The amounts that the first figure shows, (H, W) each."""
    found = [each["z"] for each in figures(app)[0]["data"] if each["type"] == "heatmap"]
    return [numbers(each) if isinstance(each, dict) else np.array(each, float) for each in found]


def metrics(app: AppTest) -> dict[str, str]:
    return {each.label: each.value for each in app.metric}


@pytest.mark.parametrize("view", kinds_of_uncertainty_views_dense.VIEWS)
def test_every_view_works(view: str):
    app = opened(view)
    assert_works(app)
    assert len(metrics(app)) == 4


@pytest.mark.parametrize("key", ["n_scenes", "tasks", "dense_draws", "room", "front", "draws_of"])
def test_every_control_changes_the_depth(key: str):
    control = next(control for control in kinds_of_uncertainty_views_dense.CONTROLS if control.key == key)
    other = next(option for option in reversed(control.options) if option != control.default)
    assert not np.array_equal(maps(opened())[3], maps(opened(**{key: other}))[3])


@pytest.mark.parametrize("view", ["depth", "classes"])
@pytest.mark.parametrize(
    "chosen",
    [
        {"room": "0", "n_scenes": "3", "dense_draws": "1", "row": "0"},
        {"room": "499", "n_scenes": "300", "dense_draws": "50", "row": "31", "front": "floating"},
        {"front": "green", "draws_of": "networks", "tasks": "edges"},
    ],
)
def test_extremes(view: str, chosen: dict[str, str]):
    assert_works(opened(view, **chosen))


def test_one_draw_has_no_epistemic_uncertainty_and_the_page_says_why():
    app = opened(dense_draws="1")
    assert metrics(app)["Epistemic sd, mean"] == "0.00 m"
    assert any("nobody to disagree with" in each.value for each in app.caption)


def test_an_ensemble_needs_no_masks():
    app = opened(draws_of="networks")
    assert not {"dense_draws", "tasks"} & drawn(app) and "network_depths" in app.code[0].value
    assert {"dense_draws", "tasks"} <= drawn(opened())


def test_next_scene_goes_on_and_round():
    app = opened(room="499")
    app.button(key="next_room").click().run()
    assert app.session_state["room"] == "0"
    assert_works(app)


@pytest.mark.parametrize("view", ["depth", "classes"])
@pytest.mark.parametrize("change", [change for change in CHANGES if change != "none"])
def test_a_strange_thing_is_compared_with_the_usual_one(view: str, change: str):
    said = [each.value for each in opened(view, front=change).caption]
    assert any(each.startswith("Pixels of the thing in front, as in training and changed") for each in said)


def test_the_row_is_the_one_that_is_drawn():
    app = opened(row="20")
    scene = kinds_of_uncertainty_views_dense_source.make_scenes(
        1,
        kinds_of_uncertainty_views_dense_source.FIRST_SEED + int(kinds_of_uncertainty_views_dense_source.ROOM.default),
    )
    np.testing.assert_allclose(trace(figures(app)[-1], "truth")[1], scene.depth[0, 20], rtol=1e-6)
    assert figures(app)[0]["layout"]["shapes"][0]["y0"] == 20


@pytest.mark.parametrize("view", ["depth", "classes"])
def test_the_snippet_runs(view: str, capsys: pytest.CaptureFixture[str]):
    exec(compile(opened(view).code[0].value, "snippet", "exec"), {})
    assert len(capsys.readouterr().out.split()) >= 2


def test_axes_and_scales_stay_while_controls_move():
    one, other = (figures(opened(**chosen))[0] for chosen in ({}, {"n_scenes": "3", "front": "green", "room": "3"}))
    for first, second in zip(one["data"], other["data"], strict=True):
        assert (first.get("zmin"), first.get("zmax")) == (second.get("zmin"), second.get("zmax"))
    cuts = [figures(opened(**chosen))[-1]["layout"] for chosen in ({}, {"row": "3", "n_scenes": "3"})]
    assert cuts[0]["yaxis"]["range"] == cuts[1]["yaxis"]["range"]


# Something is missing -------------------------------------------------------------------------------------------------


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Callable[[], None]:
    """Take the shipped bundles away."""
    return lambda: monkeypatch.setattr(bundles.shipped, "__defaults__", (tmp_path,))


@pytest.mark.parametrize("view", kinds_of_uncertainty_views_dense.VIEWS)
def test_a_missing_bundle_is_said_and_not_a_traceback(view: str, without: Callable[[], None]):
    without()
    app = opened(view)
    assert not app.exception and app.warning
    assert (
        "No checkpoint called dense_" in app.warning[0].value
        and "python -m bdlviz train dense_" in app.warning[0].value
    )


def test_without_a_network_the_known_noise_is_still_drawn(without: Callable[[], None]):
    without()
    assert len(maps(opened())) == 3


def test_bundles_that_are_shipped_are_not_stale():
    for name, recipe in kinds_of_uncertainty_study_dense.BUNDLES.items():
        assert name in shelf.manifest() and bundles.shipped(name, recipe.settings)
