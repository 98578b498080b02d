"""Two visitors at once: what is kept for all visitors never shows one visitor the data of another."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest
from hypothesis import given
from hypothesis import strategies as st

import bdlviz
from bdlviz import data, plots
from bdlviz.checks import digest
from bdlviz.data.built_in import part_of
from bdlviz.data.tables import STARTING_POINTS
from bdlviz.fits import configure, run
from bdlviz.predictive.summaries import rmse
from bdlviz.topics.regression.effect_of_lambda import grid as grid_of_decays
from bdlviz.topics.shared import curves
from bdlviz.topics.shared.noisy_curve import prediction
from bdlviz.types import Array, Dataset
from bdlviz.ui.cache import RESULTS, data_key
from bdlviz.ui.controls.control import Control
from bdlviz.ui.controls.data_choice import data_controls, dataset_of
from bdlviz.ui.controls.own_points import OwnPoints
from bdlviz.ui.frame import drag_frames
from bdlviz.ui.frame.drag_frames import Recipe
from bdlviz.ui.model import Figure, Result, Screen, Setting, View
from tests.topics.shared.page_results import view_of

SCREEN = Screen(plots.theme("light"))
PANEL = data_controls()
SLOPE = Control("slope", "Slope", ("0", "1"), "1")
QUICK: dict[str, Any] = {"hidden": (4,), "num_steps": 20}


def points_of(setting: Setting, screen: Screen, study: Any) -> Result:
    """A picture of the visitor's points."""
    own = setting.own
    assert own is not None
    fig = go.Figure(go.Scatter(x=own.points[:, 0], y=own.points[:, 1]))
    fig.update_layout(height=400, xaxis_title=own.labels[0], yaxis_title=own.labels[1])
    return Result([Figure("points", fig, "Points.")])


def recipe(own: OwnPoints) -> Recipe:
    view = View("points", "Points", points_of, live=(SLOPE,))
    return Recipe("test/page", view, "slope", SLOPE.options, Setting({"data": "own"}, own), SCREEN, 500)


def frames(own: OwnPoints, of: Callable[[OwnPoints], Recipe] = recipe) -> list[dict[str, Any]]:
    """What the browser of this visitor gets for a drag."""
    found = drag_frames.stream(drag_frames.note(of(own)), 0)
    assert found is not None
    return [json.loads(line) for line in gzip.decompress(b"".join(found)).splitlines()]


def frame(given: Recipe) -> dict[str, Any]:
    """The first frame, drawn for this visitor alone, as the browser reads it."""
    return json.loads(json.dumps(drag_frames.frame_at(given, given.stops[0])))


def chosen(own: OwnPoints) -> Dataset:
    """The data set of a page's data panel."""
    return dataset_of(Setting({"data": "own"}, own), PANEL)


@pytest.fixture(autouse=True)
def fresh() -> None:
    for cache in (drag_frames.FRAMES, drag_frames.RECIPES, RESULTS):
        cache.clear()


# The property ---------------------------------------------------------------------------------------------------------

COORDINATES = st.one_of(st.sampled_from([0.0, -0.0, 1.0, 1e-300, 1.7e9]), st.floats(-1e12, 1e12))
LABELS = st.sampled_from([("x", "y"), ("y", "x"), ("x, y", ""), ("x", "y ")])
SIZES = st.sampled_from([1, 2, 6, 25, 501, 1200])
ORIGINS = st.sampled_from([None, "x_sin_x", "two_clusters"])
SEEDS = st.integers(0, 5)


@st.composite
def visitors(draw: st.DrawFn) -> OwnPoints:
    """Points whose ends are the same for many visitors, with a few values of their own in the middle."""
    size = draw(SIZES)
    points = np.random.default_rng(draw(SEEDS)).normal(size=(size, 2))
    for _ in range(draw(st.integers(0, 2))):
        points[draw(st.integers(0, size - 1)), draw(st.integers(0, 1))] = draw(COORDINATES)
    return OwnPoints(points, draw(LABELS), draw(ORIGINS))


@st.composite
def pairs(draw: st.DrawFn) -> tuple[OwnPoints, OwnPoints]:
    """Two visitors who differ in nothing, in the smallest step of one number, in words, or in everything."""
    one = draw(visitors())
    points, at = one.points.copy(), (draw(st.integers(0, len(one.points) - 1)), draw(st.integers(0, 1)))
    match draw(st.sampled_from(["nothing", "step", "sign", "words", "origin", "order", "everything"])):
        case "step":
            points[at] = np.nextafter(points[at], np.inf)
        case "sign":
            points[at] = -points[at]
        case "words":
            return one, replace(one, points=points, labels=draw(LABELS))
        case "origin":
            return one, replace(one, points=points, origin=draw(ORIGINS))
        case "order":
            points = points[::-1].copy()
        case "everything":
            return one, draw(visitors())
    return one, replace(one, points=points)


@given(pairs())
def test_two_visitors_share_a_token_and_frames_only_if_all_bytes_agree(pair: tuple[OwnPoints, OwnPoints]):
    one, other = pair
    agree = (one.labels, one.origin) == (other.labels, other.origin)
    agree &= (one.points.shape, one.points.tobytes()) == (other.points.shape, other.points.tobytes())
    assert (one.key == other.key) == (recipe(one).token == recipe(other).token) == agree
    for visitor in (one, other):
        assert frames(visitor)[0] == {"index": 0} | frame(recipe(visitor))


@given(pairs())
def test_two_visitors_share_a_fit_or_a_score_only_if_all_bytes_of_the_data_agree(pair: tuple[OwnPoints, OwnPoints]):
    one, other = map(chosen, pair)

    def bytes_of(*arrays: Array) -> list[tuple[tuple[int, ...], bytes]]:
        return [(each.shape, each.tobytes()) for each in arrays]

    trained = [bytes_of(each.x, each.y) for each in (one, other)]
    assert (one.fingerprint == other.fingerprint) == (trained[0] == trained[1])
    if trained[0] != trained[1]:
        assert configure("map", one, noise_std=1) != configure("map", other, noise_std=1)
    drawn = [
        (*bytes_of(each.x, each.y, each.x_test, each.y_test), each.x_label, each.y_label, each.x_range, each.y_range,
         each.noise_std, each.truth)
        for each in (one, other)
    ]  # fmt: skip
    assert (data_key(one) == data_key(other)) == (drawn[0] == drawn[1])


@given(st.integers(1, 6), st.integers(1, 3), st.sampled_from(["<f8", ">f8", "<f4", "<i8", ">i2", "<U3", "?", "<f2"]))
def test_a_digest_is_of_values_in_any_order_of_bytes_and_memory(rows: int, columns: int, kind: str):
    values = np.arange(rows * columns).reshape(rows, columns) % 2
    array = values.astype(kind)
    wide = np.empty((2 * rows, 2 * columns), kind)
    wide[::2, ::2] = array
    others = (array.astype(array.dtype.newbyteorder()), np.asfortranarray(array), wide[::2, ::2])
    assert {digest(each) for each in others} == {digest(array)}
    assert digest(array) not in {digest(array.ravel()), digest(array, array), digest([array]), digest(array.tobytes())}
    assert digest(array.ravel()) != digest(array[:, :0])
    changed = array.copy()
    changed[-1, -1] = values[-1, -1] ^ 1
    assert digest(changed) != digest(array)


def test_a_digest_tells_what_only_looks_alike():
    nan = np.array([0x7FF8000000000000, 0x7FF8000000000001]).view(np.float64)
    assert np.isnan(nan).all()
    parts: list[Any] = [
        *(np.array([0.0]), np.array([-0.0]), nan[:1], nan[1:], np.array([0.0], "f4"), np.array([0]), np.array([False])),
        *(0, 0.0, -0.0, False, None, "0", b"0", "", (), ((),), ("a", "b"), ("ab",), ("a", ("b",)), np.float32(0)),
        *(np.zeros((0, 1)), np.zeros((1, 0)), np.zeros(0), "\ud800", "\0", "\0\0"),
    ]
    assert len({digest(each) for each in parts}) == len(parts)
    assert len({digest(*np.split(np.arange(6), cut)) for cut in ([1], [2], [3], [1, 2])}) == 4
    for unknown in (object(), len, np.array([object()]), {1}, {"a": 1}):
        with pytest.raises(TypeError, match="No exact key can be made of"):
            digest(unknown)


# What went wrong ------------------------------------------------------------------------------------------------------


def alike(values: float) -> OwnPoints:
    """More points than ``repr`` writes out, equal to those of other visitors in the first and last three rows."""
    points = np.column_stack([np.linspace(-3, 3, 501), np.full(501, values)])
    points[:3, 1] = points[-3:, 1] = 0
    return OwnPoints(points)


@pytest.mark.parametrize("page", ["bayes_rule", "compare", "bayes_by_backprop"])
def test_the_frames_of_a_large_table_show_its_own_points(page: str):
    def of(own: OwnPoints) -> Recipe:
        setting = Setting({"data": "own"}, own)
        view = view_of(page, setting)
        control = next(each for each in view.all_controls if each.kind == "slider")
        return Recipe(page, view, control.key, control.options, setting, SCREEN, 500)

    one, other = of(alike(1.0)), of(alike(2.0))
    assert one.token == of(alike(1.0)).token != other.token
    renamed = of(replace(alike(1.0), labels=("x", "height")))
    assert renamed.token not in (one.token, other.token)
    if page == "bayes_rule":  # it needs no fit
        drawn = [frames(alike(value), of) for value in (1.0, 2.0)]
        assert drawn[0] != drawn[1]
        assert all(lines[0] == {"index": 0} | frame(of(alike(v))) for lines, v in zip(drawn, (1.0, 2.0), strict=True))


def test_the_second_visitor_drags_the_second_points():
    first, second = frames(alike(1.0)), frames(alike(2.0))
    shown = [y_of(each) for each in (first, second)]
    np.testing.assert_array_equal(shown[0][3:-3], np.full(495, 1.0))
    np.testing.assert_array_equal(shown[1][3:-3], np.full(495, 2.0))


def y_of(lines: list[dict[str, Any]]) -> Array:
    y = lines[0]["figures"]["points"]["data"][0]["y"]
    return np.frombuffer(base64.b64decode(y["bdata"]), f"<{y['dtype']}")


def seconds(start: float) -> tuple[Array, Array]:
    """A table with times in unix seconds, which begins ``start`` seconds later than another one."""
    since = np.linspace(0, 80, 40)
    return 1.7e9 + start + since, np.sin(2 * np.pi * since / 80)


def test_tables_in_unix_seconds_have_fits_of_their_own():
    """Sixty seconds are 4e-8 of the largest number, and most of the range of each table."""
    fits: dict[Any, bdlviz.Fit] = {}
    for start in (0.0, 60.0):
        dataset = data.from_points(*seconds(start))
        config = configure("gaussian_process", dataset, noise_std=0.05)
        if config not in fits:  # as the queue keeps fits, for all visitors
            fits[config] = run(config, dataset)
        found = rmse(fits[config].predict(dataset.x_test, 200), dataset.y_test)
        near_zero = data.from_points(*seconds(-1.7e9))  # the same curve in numbers without a common offset
        alone = run(configure("gaussian_process", near_zero, noise_std=0.05), near_zero)
        assert found == pytest.approx(rmse(alone.predict(near_zero.x_test, 200), near_zero.y_test), abs=1e-3)
        assert found < 0.1
    assert len(fits) == 2


def test_a_sweep_takes_no_configuration_of_other_data():
    (x, y), (later, _) = seconds(0.0), seconds(1e-6)
    assert (x != later).any() and np.abs(x / later - 1).max() < 1e-14
    configs = [configure("map", bdlviz.from_points(x, y, held_out=False), **QUICK)]
    assert len(bdlviz.sweep(configs, (x, y))) == 1
    with pytest.raises(bdlviz.InvalidInput, match="the configuration belongs to other data"):
        bdlviz.sweep(configs, (later, y))


def test_labels_and_columns_belong_to_the_data():
    x, y = np.arange(6.0)[:, None], np.arange(6) % 2
    kinds = [y, y.astype(bool), y.astype(str), y + 1]
    made = [Dataset("mine", "Mine", x, each, task="classification") for each in kinds]
    assert len({each.fingerprint for each in made}) == len(kinds), "False and True are 0 and 1 to Python"
    assert len({Dataset("mine", "Mine", x, x, columns=(name,)).fingerprint for name in "ab"}) == 2


def test_two_visitors_with_the_same_training_points_have_their_own_held_out_scores():
    """Every fifth point of a table is held out: the fit may be shared, its scores may not."""
    x = np.linspace(-2, 2, 25)
    tables = [np.column_stack([x, np.sin(3 * x)]) for _ in range(2)]
    is_held = np.arange(25) % 5 == 4
    tables[1][is_held, 1] += 1.0
    tables[1][4, 0] = 3.0  # outside: the range of the figure is another one
    one, other = (chosen(OwnPoints(each)) for each in tables)
    config = configure("map", one, noise_std=0.1, **QUICK)
    assert configure("map", other, noise_std=0.1, **QUICK) == config
    fit = run(config, one)
    for dataset in (one, other):
        assert curves.remembered_scores(fit, dataset) == curves.scores(fit, dataset)
        np.testing.assert_array_equal(prediction(fit, dataset).x, curves.inputs(dataset))
    assert curves.scores(fit, one) != curves.scores(fit, other)
    needs = [grid_of_decays.needed(Setting({"data": "own"}, OwnPoints(each))).key for each in tables]
    assert needs[0] != needs[1]


# Shipped fits ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", data.names("regression"))
def test_built_in_data_are_found_if_a_processor_rounds_in_another_way(name: str, monkeypatch: pytest.MonkeyPatch):
    usual = data.load(name)
    other = part_of(usual)
    object.__setattr__(other, "y", usual.y * (1 + 2.0**-52))
    assert usual.is_built_in and (other.y != usual.y).any() and other.fingerprint == usual.fingerprint
    same_values = replace(usual, title=usual.title)
    assert not same_values.is_built_in, "anybody's values may have replaced the usual ones"
    assert len(usual.fingerprint) == 16 and len(same_values.fingerprint) == 32


def test_the_first_points_of_a_table_are_shipped_and_their_neighbours_are_not():
    assert chosen(OwnPoints(STARTING_POINTS.copy(), ("a", "b"))).is_built_in
    assert chosen(OwnPoints(STARTING_POINTS.copy(), ("a", "b"))).x_label == "a"
    near = STARTING_POINTS.copy()
    near[2, 1] = np.nextafter(near[2, 1], 2)
    other = chosen(OwnPoints(near))
    assert not other.is_built_in
    assert other.fingerprint != chosen(OwnPoints(STARTING_POINTS)).fingerprint
    assert part_of(chosen(OwnPoints(near)), slice(3)).is_built_in is False
    with pytest.raises(TypeError):
        part_of(data.load("x_sin_x"), x=near[:, :1])
