"""The views of dense prediction: every control moves the picture, extremes work, and what is missing is said."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bdlviz.topics.foundations.depth_and_edges import controls, dense_source, scenes, study_dense
from bdlviz.topics.foundations.depth_and_edges.views_dense import LEAST_HELD, NOTICED, depth
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
    of_masks = {} if control is controls.FROM else {"draws_of": "masks"}  # the others are of one network
    assert not np.array_equal(maps(shown(**of_masks))[-1], maps(shown(**of_masks | {control.key: other}))[-1])


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
    result = shown(dense_draws="1", draws_of="masks")
    assert number(result, "Ignorance") == 0 and set(result.words) - set(shown(draws_of="masks").words)


@pytest.mark.parametrize(("name", "values"), [("depth", {}), ("depth", {"draws_of": "masks"}), ("classes", {})])
def test_the_snippet_runs(name: str, values: dict[str, str], capsys: pytest.CaptureFixture[str]):
    run_snippet(shown(name, **values))
    assert len(capsys.readouterr().out.split()) >= 2


def test_axes_and_scales_stay_while_controls_move():
    one, other = shown(), shown(n_scenes="3", room="3", dense_draws="5")
    for first, second in zip(plain(one)["data"], plain(other)["data"], strict=True):
        assert (first.get("zmin"), first.get("zmax")) == (second.get("zmin"), second.get("zmax"))


def headings(result: Result) -> list[list[float]]:
    """The numbers in the titles of the pictures and below them."""
    notes = [note["text"].partition("<br>") for note in plain(result)["layout"]["annotations"]]
    return [numbers_in(title) + numbers_in(re.sub("<[^>]*>", "", below)) for title, _, below in notes]


def test_the_titles_of_classes_have_the_means_of_their_pictures():
    result = shown("classes")
    [*_, wrong, noise, ignorance] = maps(result)
    expected = [100 * wrong.mean(), noise.mean(), ignorance.mean()]
    assert headings(result)[3:] == [[pytest.approx(each, rel=0.06)] for each in expected]


@pytest.mark.parametrize("values", [{"front": "none"}, {"front": "green"}])
def test_the_error_is_the_distance_of_prediction_and_truth(values: dict[str, str]):
    result = shown(**values)
    further = Result(result.tabs["True and predicted depth"]())
    true, predicted, error = maps(further)
    np.testing.assert_allclose(error, np.abs(predicted - true), atol=1e-5)
    assert told(further.says, [np.abs(predicted - true).mean()])
    change: Any = values["front"]
    scene = scenes.make_scenes(1, dense_source.FIRST_SEED + int(controls.ROOM.default), change)
    np.testing.assert_allclose(true, scene.depth[0], rtol=1e-6)


# Sentences ------------------------------------------------------------------------------------------------------------


def told(says: str, expected: list[float]) -> bool:
    """Whether a sentence has these numbers to two digits."""
    return all(any(abs(value - each) <= 0.051 * abs(value) for each in numbers_in(says)) for value in expected)


@pytest.mark.parametrize("count", [*map(str, study_dense.NUM_SCENES)])
@pytest.mark.parametrize("room", ["40", "400"])
def test_the_sentence_and_the_titles_tell_the_noise_at_outlines_and_the_ignorance(count: str, room: str):
    """Outlines are pixels next to one whose inverse depth differs; the bands are those of both maps together."""
    result = shown(n_scenes=count, room=room, front="none", draws_of="masks")
    scene = scenes.make_scenes(1, dense_source.FIRST_SEED + int(room))
    inverse, jumps = np.pad(1 / scene.depth[0], 1, mode="edge"), np.zeros((scenes.SIZE, scenes.SIZE))
    for down, right in ((0, 1), (2, 1), (1, 0), (1, 2)):
        other = inverse[down : down + scenes.SIZE, right : right + scenes.SIZE]
        jumps = np.maximum(jumps, np.abs(other - inverse[1:-1, 1:-1]))
    predicted, noise, ignorance = maps(result)
    times = noise[jumps > scenes.EDGE_STEP].mean() / noise[jumps <= scenes.EDGE_STEP].mean()
    held = 100 * (np.abs(scene.readings[0] - predicted) <= 1.96 * np.hypot(noise, ignorance)).mean()
    close = [pytest.approx(each, rel=0.06) for each in (held, times, ignorance.mean())]
    assert headings(result) == [[], [95, close[0]], [close[1]], [close[2]]]
    told = numbers_in(result.says)
    assert told == [1, int(count)] + ([95, close[0]] if held < 100 * LEAST_HELD else [close[2], close[1]])
    [frame] = [each for each in plain(result)["data"] if each["type"] == "scatter"]
    assert np.isfinite(numbers(frame["x"])).sum() % 2 == 0


@pytest.mark.parametrize("values", [{}, {"dense_draws": "5", "n_scenes": "3", "draws_of": "masks"}])
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


@pytest.mark.parametrize(("networks", "is_noticed"), [("networks", True), ("masks", False)])
@pytest.mark.parametrize("front", ["green", "tent"])
def test_a_thing_never_seen_is_told_with_its_ignorance_and_error(front: Any, networks: str, is_noticed: bool):
    result = shown(front=front, draws_of=networks)
    scene = scenes.make_scenes(1, dense_source.FIRST_SEED + int(controls.ROOM.default), front)
    inside, (predicted, wrong, between) = scene.front[0], maps(result)
    assert np.allclose(wrong, np.abs(predicted - scene.depth[0]), atol=1e-3)
    error = wrong[inside].mean()
    means = [float(between[where].mean()) for where in (inside, ~inside)]
    expected = [pytest.approx(each, rel=0.06) for each in means]
    drawn = 1 if networks == "masks" else 3
    assert numbers_in(result.says) == [drawn, pytest.approx(error, rel=0.06), *expected]
    assert headings(result) == [[], [], [pytest.approx(error, rel=0.06)], expected]
    assert front != "green" or (means[0] > NOTICED * means[1]) == is_noticed == ("more" not in result.says)


def test_networks_differ_more_where_a_colour_was_never_seen():
    """The claim of the page, in thirty scenes: three networks do so in all of them, dropout masks hardly.

    Both differ by less than they are wrong.
    """
    larger = {"networks": [], "masks": []}
    for room in range(30, 60):
        for networks, found in larger.items():
            scene = scenes.make_scenes(1, dense_source.FIRST_SEED + room, "green")
            inside, (wrong, between) = scene.front[0], maps(shown(room=str(room), draws_of=networks))[-2:]
            assert wrong[inside].mean() > between[inside].mean()
            found.append(between[inside].mean() / between[~inside].mean())
    assert min(larger["networks"]) > 1 and np.mean(larger["networks"]) > 3
    assert np.mean(larger["masks"]) < 1.5


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
    assert {"dense_draws", "tasks"} <= drawn(open_page(PAGE, {"look": "depth", "draws_of": "masks"}))


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
