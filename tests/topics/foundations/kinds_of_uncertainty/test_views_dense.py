"""The views of dense prediction: every control moves the picture, extremes work, and what is missing is said."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from bdlviz import plots
from bdlviz.fitted import bundles, shelf
from bdlviz.topics.foundations.kinds_of_uncertainty import controls, dense_source, scenes, study_dense, views
from bdlviz.topics.foundations.kinds_of_uncertainty.views_dense import depth
from bdlviz.types import Array
from bdlviz.ui.model import Need, Result, Screen, Setting
from tests.ui.harness import assert_works, drawn, numbers, open_page, trace

SCREEN = Screen(plots.theme("light"))
VIEWS = {view.name: view for view in views.DENSE}


def needs_of(name: str, setting: Setting) -> list[Need[Any]]:
    """All needs of a view."""
    needs = VIEWS[name].needs
    assert needs is not None
    need = needs(setting)
    return [need] if isinstance(need, Need) else [*(need or ())]


def shown(name: str = "depth", **values: str) -> Result:
    """A view of the shipped networks or studies."""
    setting = Setting(values)
    found = [need.shipped() for need in needs_of(name, setting) if need.shipped is not None]
    return VIEWS[name].draw(setting, SCREEN, found if name in ("depth", "scenes") else found[0])


def plain(result: Result) -> list[dict[str, Any]]:
    return [each.figure.to_dict() for each in result.figures]


def maps(result: Result) -> list[Array]:
    """The amounts that the first figure shows, (H, W) each."""
    found = [each["z"] for each in plain(result)[0]["data"] if each["type"] == "heatmap"]
    return [numbers(each) if isinstance(each, dict) else np.asarray(each, float) for each in found]


@pytest.mark.parametrize("name", VIEWS)
def test_every_view_has_four_numbers(name: str):
    assert len(shown(name).numbers) == 4


@pytest.mark.parametrize(
    "control",
    [controls.NUM_SCENES, controls.TASKS, controls.DRAWS, controls.ROOM, controls.FRONT, controls.FROM],
    ids=lambda control: control.key,
)
def test_every_control_changes_the_depth(control: controls.Control):
    other = next(option for option in reversed(control.options) if option != control.default)
    assert not np.array_equal(maps(shown())[3], maps(shown("depth", **{control.key: other}))[3])


@pytest.mark.parametrize("name", ["depth", "classes"])
@pytest.mark.parametrize(
    "values",
    [
        {"room": "0", "n_scenes": "3", "dense_draws": "1", "row": "0"},
        {"room": "499", "n_scenes": "300", "dense_draws": "50", "row": "31", "front": "floating"},
        {"front": "green", "draws_of": "networks", "tasks": "edges"},
    ],
)
def test_extremes(name: str, values: dict[str, str]):
    assert all(np.isfinite(each).all() for each in maps(shown(name, **values)))


def test_one_draw_has_no_epistemic_uncertainty_and_the_view_says_why():
    result = shown(dense_draws="1")
    assert result.numbers["Epistemic sd, mean"] == "0.00 m"
    assert any("of one draw is 0" in sentence for sentence in result.words)


@pytest.mark.parametrize("name", ["depth", "classes"])
@pytest.mark.parametrize("change", [change for change in scenes.CHANGES if change != "none"])
def test_a_changed_thing_is_compared_with_the_usual_one(name: str, change: str):
    said = shown(name, front=change).words
    assert any(each.startswith("Pixels of the thing in front, as in training and changed") for each in said)


def test_the_row_is_the_one_that_is_drawn():
    result = shown(row="20")
    scene = scenes.make_scenes(1, dense_source.FIRST_SEED + int(controls.ROOM.default))
    np.testing.assert_allclose(trace(plain(result)[-1], "truth")[1], scene.depth[0, 20], rtol=1e-6)
    assert plain(result)[0]["layout"]["shapes"][0]["y0"] == 20


@pytest.mark.parametrize(("name", "values"), [("depth", {}), ("depth", {"draws_of": "networks"}), ("classes", {})])
def test_the_snippet_runs(name: str, values: dict[str, str], capsys: pytest.CaptureFixture[str]):
    exec(compile(shown(name, **values).call, "snippet", "exec"), {})
    assert len(capsys.readouterr().out.split()) >= 2


def test_axes_and_scales_stay_while_controls_move():
    one, other = (plain(result) for result in (shown(), shown(n_scenes="3", front="green", room="3", row="3")))
    for first, second in zip(one[0]["data"], other[0]["data"], strict=True):
        assert (first.get("zmin"), first.get("zmax")) == (second.get("zmin"), second.get("zmax"))
    assert one[-1]["layout"]["yaxis"]["range"] == other[-1]["layout"]["yaxis"]["range"]


# On the page ----------------------------------------------------------------------------------------------------------


def test_an_ensemble_needs_no_masks():
    app = open_page("kinds_of_uncertainty", {"look": "depth", "draws_of": "networks"})
    assert_works(app)
    assert not {"dense_draws", "tasks"} & drawn(app)
    assert {"dense_draws", "tasks"} <= drawn(open_page("kinds_of_uncertainty", {"look": "depth"}))


def test_next_scene_goes_on_and_round():
    app = open_page("kinds_of_uncertainty", {"look": "depth", "room": "499"})
    app.button(key="next_room").click().run()
    assert app.session_state["room"] == "0"
    assert_works(app)


# Something is missing -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VIEWS)
def test_a_missing_bundle_says_how_it_is_made(name: str):
    for need in needs_of(name, Setting()):
        assert need.work is None and f"python -m bdlviz train {need.key}" in need.missing


def test_without_a_network_the_known_noise_is_still_drawn():
    assert len(maps(depth(Setting(), SCREEN, [None]))) == 3


def test_bundles_that_are_shipped_are_not_stale():
    for name, made in study_dense.ARRAYS.items():
        assert name in shelf.manifest() and bundles.shipped(name, made.settings)
