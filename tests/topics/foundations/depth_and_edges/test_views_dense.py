"""The views of dense prediction: every control moves the picture, extremes work, and what is missing is said."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bdlviz.topics.foundations.depth_and_edges import controls, dense_source, scenes, study_dense
from bdlviz.topics.foundations.depth_and_edges.views_dense import depth
from bdlviz.types import Array
from bdlviz.ui.model import Result, Setting
from tests.told import numbers_in
from tests.topics.shared.page_results import SCREEN, needs_of, number, plain, result_of, run_snippet, view_of
from tests.ui.harness import assert_works, drawn, numbers, open_page

PAGE = "depth_and_edges"
VIEWS = ["depth", "classes", "scenes", "second_task"]


def shown(name: str = "depth", **values: str) -> Result:
    """A view of the shipped networks or studies."""
    return result_of(PAGE, {"look": name} | values)


def maps(result: Result) -> list[Array]:
    """The amounts that the first figure shows, (H, W) each."""
    found = [each["z"] for each in plain(result)["data"] if each["type"] == "heatmap"]
    arrays = (numbers(each) if isinstance(each, dict) else np.asarray(each, float) for each in found)
    return [each.reshape(scenes.SIZE, -1) for each in arrays]


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
    assert not np.array_equal(maps(shown())[-1], maps(shown("depth", **{control.key: other}))[-1])


@pytest.mark.parametrize("name", ["depth", "classes"])
@pytest.mark.parametrize(
    "values",
    [
        {"room": "0", "n_scenes": "3", "dense_draws": "1"},
        {"room": "499", "n_scenes": "300", "dense_draws": "50", "front": "floating"},
        {"front": "green", "draws_of": "networks", "tasks": "edges"},
    ],
)
def test_extremes(name: str, values: dict[str, str]):
    assert all(np.isfinite(each).all() for each in maps(shown(name, **values)))


def test_one_draw_has_no_epistemic_uncertainty_and_the_view_says_why():
    result = shown(dense_draws="1")
    assert number(result, "Epistemic") == 0 and set(result.words) - set(shown().words)


@pytest.mark.parametrize("name", ["depth", "classes"])
@pytest.mark.parametrize("change", [change for change in scenes.CHANGES if change != "none"])
def test_a_changed_thing_is_compared_with_the_usual_one(name: str, change: str):
    assert set(shown(name, front=change).words) - set(shown(name).words)


@pytest.mark.parametrize(("name", "values"), [("depth", {}), ("depth", {"draws_of": "networks"}), ("classes", {})])
def test_the_snippet_runs(name: str, values: dict[str, str], capsys: pytest.CaptureFixture[str]):
    run_snippet(shown(name, **values))
    assert len(capsys.readouterr().out.split()) >= 2


def test_axes_and_scales_stay_while_controls_move():
    one, other = shown(), shown(n_scenes="3", front="green", room="3")
    for first, second in zip(plain(one)["data"], plain(other)["data"], strict=True):
        assert (first.get("zmin"), first.get("zmax")) == (second.get("zmin"), second.get("zmax"))


@pytest.mark.parametrize("values", [{}, {"n_scenes": "3"}, {"look": "classes"}])
def test_the_titles_have_the_means_of_their_pictures(values: dict[str, str]):
    result = result_of(PAGE, values)
    [*_, wrong, noise, ignorance] = maps(result)
    titles = [note["text"] for note in plain(result)["layout"]["annotations"]]
    told = [numbers_in(title.partition("<br>")[0]) for title in titles if numbers_in(title)]
    share = 100 if "look" in values else 1  # wrong pixels are told in percent
    expected = [share * wrong.mean(), noise.mean(), ignorance.mean()]
    assert told == [[pytest.approx(each, rel=0.06)] for each in expected]


@pytest.mark.parametrize("values", [{}, {"front": "green"}])
def test_the_error_is_the_distance_of_prediction_and_truth(values: dict[str, str]):
    result = shown(**values)
    further = Result(result.tabs["True and predicted depth"]())
    true, predicted = maps(further)
    np.testing.assert_allclose(maps(result)[0], np.abs(predicted - true), atol=1e-5)
    assert told(further.says, [np.abs(predicted - true).mean()])
    change: Any = values.get("front", "none")
    scene = scenes.make_scenes(1, dense_source.FIRST_SEED + int(controls.ROOM.default), change)
    np.testing.assert_allclose(true, scene.depth[0], rtol=1e-6)


# Sentences ------------------------------------------------------------------------------------------------------------


def told(says: str, expected: list[float]) -> bool:
    """Whether a sentence has these numbers to two digits."""
    return all(any(abs(value - each) <= 0.051 * abs(value) for each in numbers_in(says)) for value in expected)


@pytest.mark.parametrize(("count", "other"), [("3", "300"), ("30", "300"), ("300", "30")])
@pytest.mark.parametrize("room", ["40", "400"])
def test_the_sentence_and_the_titles_compare_two_numbers_of_scenes(count: str, other: str, room: str):
    result = shown(n_scenes=count, room=room)
    here, there = ([each.mean() for each in maps(shown(n_scenes=each, room=room))] for each in (count, other))
    assert numbers_in(result.says) == pytest.approx([int(count), here[2], int(other), there[2]], rel=0.06)
    few, many = (there, here) if count == "300" else (here, there)
    falls = [many[1] < few[1], many[2] < few[2]]
    says = result.says.partition(": ")[2]
    assert ("neither" in says) == (not any(falls)) and (" and " in says) == all(falls)
    assert ("noise, not" in says, "ignorance, not" in says) == (
        falls == [True, False],
        falls == [False, True],
    )
    headings = [note["text"].partition("<br>") for note in plain(result)["layout"]["annotations"]][1:]
    assert [numbers_in(first) for first, *_ in headings] == [[pytest.approx(each, rel=0.06)] for each in here]
    below = [numbers_in(re.sub("<[^>]*>", " ", second)) for *_, second in headings]
    assert below == [[int(other), pytest.approx(each, rel=0.06)] for each in there]


@pytest.mark.parametrize("values", [{}, {"dense_draws": "5", "n_scenes": "3"}, {"draws_of": "networks"}])
def test_the_noise_needs_one_pass_and_the_ignorance_all_of_them(values: dict[str, str]):
    result = shown(**values)
    names = run_snippet(result)
    if "outputs" in names:
        log_variances = names["outputs"][..., 1]
    else:
        count = int(values.get("dense_draws", controls.DRAWS.default))
        image = names["scene"].images[0]
        log_variances = study_dense.outputs_of(names["settings"], names["params"], image, count)[..., 1]
    single = 2.0 * np.exp(log_variances.astype(float) / 2)  # 2 metres are 1 in units of the network
    gap = np.abs(single - np.sqrt(np.square(single).mean(0))).mean()
    [words] = [text for text in result.words if "pass" in text]
    assert numbers_in(words) == [pytest.approx(gap, rel=0.06), len(single), len(single), 2017]


def test_a_thing_never_seen_is_told_with_its_error():
    result = shown(front="green")
    scene = scenes.make_scenes(1, dense_source.FIRST_SEED + int(controls.ROOM.default), "green")
    front, (error, _, between) = scene.front[0], maps(result)
    assert told(result.says, [error[front].mean(), between[front].mean()])


def test_the_entropies_at_outlines():
    result = shown("classes")
    scene = scenes.make_scenes(1, dense_source.FIRST_SEED + int(controls.ROOM.default))
    noise, between = maps(result)[-2:]
    edges = scene.edges[0]
    assert told(result.says, [each[where].mean() for each in (noise, between) for where in (edges, ~edges)])


@pytest.mark.parametrize("count", [*study_dense.NUM_SCENES])
def test_the_bands_of_several_trainings(count: int):
    found = dense_source.bundle(study_dense.SIZES)
    column = [*map(int, study_dense.STUDIED)].index(count)
    expected = [found[key][:, column].mean() for key in ("aleatoric", "epistemic")]
    says = shown("scenes", n_scenes=str(count)).says
    assert told(says, [*expected, 100 * found["coverage_total"][:, column].mean(), count])


def test_the_noise_with_a_second_task():
    found = dense_source.bundle(study_dense.TASKS)
    assert told(shown("second_task").says, [*found["sigma"].mean(0), len(found["sigma"])])


# On the page ----------------------------------------------------------------------------------------------------------


def test_an_ensemble_needs_no_masks():
    app = open_page(PAGE, {"look": "depth", "draws_of": "networks"})
    assert_works(app)
    assert not {"dense_draws", "tasks"} & drawn(app)
    assert {"dense_draws", "tasks"} <= drawn(open_page(PAGE, {"look": "depth"}))


def test_next_scene_goes_on_and_round():
    app = open_page(PAGE, {"look": "depth", "room": "499"})
    app.button(key="next_room").click().run()
    assert app.session_state["room"] == "0"
    assert_works(app)


# Something is missing -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", VIEWS)
def test_a_missing_bundle_says_how_it_is_made(name: str):
    setting = Setting({"look": name})
    for need in needs_of(view_of(PAGE, setting), setting):
        assert need.work is None and f"python -m bdlviz train {need.key}" in need.missing


def test_without_a_network_the_known_noise_is_still_drawn():
    assert len(maps(depth(Setting(), SCREEN, [None]))) == 3


def test_four_trainings_show_no_change_by_a_second_task():
    """Student's quantile for four trainings is 3.2: both intervals of the learned noise contain 0."""
    found = dense_source.bundle(study_dense.TASKS)
    for index in (1, 2):
        change = found["sigma"][:, index] - found["sigma"][:, 0]
        assert abs(change.mean()) < stats.t.ppf(0.975, 3) * change.std(ddof=1) / 2
