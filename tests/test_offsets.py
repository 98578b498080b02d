"""Numbers with a large offset, such as unix seconds and Julian days, are drawn, linked, exported and repeated exactly.

Single precision has steps of 128 near 1.7e9 and of 0.25 near 2.4e6.
"""

from __future__ import annotations

import csv
import io
from typing import Any

import numpy as np
import pytest

import bdlviz
from bdlviz import plots
from bdlviz.digits import compact, exact, significant
from bdlviz.export import csv_of
from bdlviz.export.traces import values
from bdlviz.plots.theme import LIGHT
from bdlviz.predictive.surface import MAX_ERROR, Curves, pack_surface, pixel, unpack
from bdlviz.topics.foundations.bayes_rule.points import Points, points_snippet
from bdlviz.topics.regression.function_draws.controls import DATA
from bdlviz.topics.shared import draw_inspector, reproduce
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.controls.data_choice import PANEL_DEFAULTS, decode_points, encode_points
from bdlviz.ui.controls.own_points import OwnPoints
from bdlviz.ui.frame import drag_frames
from bdlviz.ui.frame.drag_frames import Recipe
from bdlviz.ui.model import Result, Screen, Setting, View
from bdlviz.ui.scrub import grids

RNG = np.random.default_rng(0)
SETS = {
    "unix seconds": np.column_stack([1.7e9 + np.arange(30), 1.4e9 + 80 * RNG.standard_normal(30)]),
    "unix seconds over years": np.column_stack([1.6e9 + 1e8 * RNG.random(30), RNG.standard_normal(30)]),
    "Julian days of one night": np.column_stack([2460310.25 + np.arange(48) / 137, RNG.standard_normal(48)]),
    "UTM metres": np.column_stack([5.8e6 + RNG.random(30), 4.5e5 + RNG.random(30)]),
    "GPS degrees": np.column_stack([52.5 + 1e-5 * RNG.random(30), 13.4 + 1e-5 * RNG.random(30)]),
    "milliseconds": np.column_stack([1.7e11 + np.arange(30) / 1000, RNG.standard_normal(30)]),
    "an ordinary set": np.column_stack([RNG.uniform(-3, 3, 30), RNG.standard_normal(30)]),
}


@pytest.fixture(params=SETS)
def points(request: pytest.FixtureRequest) -> Array:
    return SETS[request.param]


def dataset_of(points: Array) -> Dataset:
    return bdlviz.from_points(points[:, 0], points[:, 1], held_out=False)


def predictive_of(dataset: Dataset) -> Predictive:
    """Draws about the mean of y whose sd is a tenth of that of y."""
    x = np.linspace(*dataset.x_range, 200)[:, None]
    y, sd = dataset.y.mean(), dataset.y.std() / 10
    draws = y + sd * RNG.standard_normal((20, 1, 1)) * np.linspace(1, 2, 200)[:, None]
    spread = np.full_like(x, sd)
    return Predictive(x, draws, draws.mean(0), draws.std(0), spread, 20)


def named(fig: Any, name: str) -> list[Any]:
    """The traces with a name, casings left out."""
    return [trace for trace in fig.data if trace.name == name and trace.opacity != 0.8]


# A picture ------------------------------------------------------------------------------------------------------------


def test_data_are_drawn_exactly(points: Array) -> None:
    dataset = dataset_of(points)
    (trace,) = named(plots.function_draws(predictive_of(dataset), dataset), "Data")
    np.testing.assert_array_equal(np.column_stack([trace.x, trace.y]), points)


def test_lines_and_bands_are_right_to_a_hundredth_of_a_pixel(points: Array) -> None:
    dataset = dataset_of(points)
    predictive = predictive_of(dataset)
    fig: Any = plots.function_draws(predictive, dataset)
    (line,), (outer, _) = named(fig, "Predictive mean"), named(fig, "Epistemic (1, 2 sd)")
    _, draws = named(fig, "Function draws")
    x, mean, sd = predictive.x[:, 0], predictive.mean[:, 0], predictive.epistemic_std[:, 0]
    for given, right, limits in (
        (line.x, x, dataset.x_range),
        (line.y, mean, dataset.y_range),
        (outer.y, np.concatenate([mean + 2 * sd, (mean - 2 * sd)[::-1]]), dataset.y_range),
        (draws.x[:200], x, dataset.x_range),
        (draws.y[:200], predictive.draws[0, :, 0], dataset.y_range),
    ):
        assert np.abs(np.asarray(given, float) - right).max() <= 0.01 * (limits[1] - limits[0]) / 1000


def test_clicks_land_on_a_lattice_of_different_places(points: Array) -> None:
    dataset = dataset_of(points)
    fig: Any = plots.function_draws(predictive_of(dataset), dataset)
    draw_inspector.add_targets(fig, dataset)
    lattice = fig.data[-1]
    assert len(np.unique(lattice.x)) == draw_inspector.LATTICE[0]
    assert len(np.unique(lattice.y)) == draw_inspector.LATTICE[1]


def test_hover_and_description_tell_neighbours_apart() -> None:
    dataset = dataset_of(SETS["unix seconds"])
    predictive = predictive_of(dataset)
    (trace,) = named(plots.function_draws(predictive, dataset), "Data")
    assert trace.hovertemplate.startswith("(%{x:.12~g}, %{y:.10~g})")
    assert "from 1700000000 to 1700000029" in plots.describe_function_draws(predictive, dataset)


# The browser ----------------------------------------------------------------------------------------------------------


def test_the_block_of_the_moving_picture(points: Array) -> None:
    dataset = dataset_of(points)
    predictive = predictive_of(dataset)
    _, arrays = unpack(grids.cell_block(predictive, dataset, predictive))
    (left, right), (low, high) = dataset.x_range, dataset.y_range
    for name, given, span in (
        ("data_x", points[:, 0], right - left),
        ("data_y", points[:, 1], high - low),
        ("draws", predictive.draws[:, :, 0], high - low),
        ("reference_mean", predictive.mean[:, 0], high - low),
    ):
        assert np.abs(arrays[name].astype(float) - given).max() <= 0.01 * span / 1000, name


def test_an_ordinary_set_is_sent_in_single_precision() -> None:
    dataset = dataset_of(SETS["an ordinary set"])
    predictive = predictive_of(dataset)
    _, arrays = unpack(grids.cell_block(predictive, dataset, predictive))
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float32)}
    fig: Any = plots.function_draws(predictive, dataset)
    assert {trace.y.dtype for trace in fig.data if trace.name != "Data"} == {np.dtype(np.float32)}


def test_the_surface_of_a_grid_has_an_error_below_a_pixel() -> None:
    limits = (1.4e9 - 200.0, 1.4e9 + 200.0)
    x = np.linspace(0, 1, 60)
    draws = 1.4e9 + 80 * np.sin(RNG.uniform(1, 6, (6, 10, 1)) * x + RNG.uniform(0, 6, (6, 10, 1)))
    _, arrays = unpack(pack_surface([("rate", range(6))], draws, limits))
    decoded = Curves(*(arrays[part] for part in ("centre", "basis", "scale", "fine", "coarse"))).decode()
    assert np.abs(decoded - draws.reshape(60, 60)).max() <= 1.01 * MAX_ERROR * pixel(limits)


def test_frames_of_a_drag(points: Array) -> None:
    dataset = dataset_of(points)
    fig: Any = plots.function_draws(predictive_of(dataset), dataset)
    frame = [drag_frames._plain(trace) for trace in fig.to_dict()["data"]]
    span = dataset.x_range[1] - dataset.x_range[0]
    for sent, trace in zip(frame, fig.data, strict=True):
        found = np.array(values(sent["x"]), float)
        gap = np.abs(found - np.asarray(trace.x, float))
        assert np.nanmax(gap) <= 0.01 * span / 1000


def test_frames_of_different_points_have_different_names() -> None:
    def token(points: Array) -> str:
        setting = Setting({"data": "own"}, own=OwnPoints(points))
        view = View("functions", "", lambda setting, screen, study: Result([]))
        return Recipe("page", view, "rate", ("1", "2"), setting, Screen(LIGHT), None).token

    points = np.column_stack([1.7e9 + np.arange(2000), np.arange(2000.0)])
    moved = points + np.where(np.arange(2000) == 1000, 1, 0)[:, None]
    assert token(points) == token(points.copy()) != token(moved)
    assert token(points) != token(points[:, ::-1])


# Link, table and code -------------------------------------------------------------------------------------------------


def test_the_link_holds_every_point_exactly(points: Array) -> None:
    np.testing.assert_array_equal(decode_points(encode_points(points)), points)


def test_the_table_holds_every_point_exactly(points: Array) -> None:
    dataset = dataset_of(points)
    fig: Any = plots.function_draws(predictive_of(dataset), dataset)
    rows = [row for row in csv.DictReader(io.StringIO(csv_of({"A": fig}), newline="")) if row["series"] == "Data"]
    np.testing.assert_array_equal([[float(row["x"]), float(row["y"])] for row in rows], points)


def test_the_code_makes_every_point_exactly(points: Array) -> None:
    dataset = dataset_of(points)
    chosen = {control.key: PANEL_DEFAULTS.get(control.key, "own") for control in DATA}
    found: dict[str, Any] = {"bdlviz": bdlviz}
    exec(reproduce.data_call(dataset, Setting(chosen, own=OwnPoints(points)), DATA), found)
    made_here, is_held_out = found["data"], np.arange(len(points)) % 5 == 4
    np.testing.assert_array_equal(np.column_stack([made_here.x, made_here.y]), points[~is_held_out])
    np.testing.assert_array_equal(np.column_stack([made_here.x_test, made_here.y_test]), points[is_held_out])
    made: dict[str, Array] = {}
    exec(points_snippet(Points(points[:, 0], points[:, 1], points[:0, 0], points[:0, 1])), found | {"np": np}, made)
    np.testing.assert_array_equal(np.column_stack([made["x"], made["y"]]), points)


def test_a_point_that_moves_by_a_second_makes_other_data() -> None:
    points = SETS["unix seconds"]
    for column, change in ((0, 0.5), (1, 1e-3)):
        moved = points.copy()
        moved[7, column] += change
        assert dataset_of(moved).fingerprint != dataset_of(points).fingerprint
    assert dataset_of(points + np.array([1, 0])).fingerprint != dataset_of(points).fingerprint
    assert dataset_of(points.copy()).fingerprint == dataset_of(points).fingerprint


# The rules ------------------------------------------------------------------------------------------------------------


def test_arrays_are_compact_where_that_moves_nothing() -> None:
    assert compact([0.1, 0.7, np.nan]).dtype == compact([1700000000, 2000]).dtype == np.float32
    assert compact([1.7e9, 1.7e9 + 1]).dtype == compact([2460310.3, 2460310.4]).dtype == np.float64
    assert compact([1.7e9, 1.7e9 + 1], span=1e8).dtype == np.float32
    assert compact([0.1], span=0).dtype == compact([1e300, 0.0]).dtype == np.float64
    assert compact([]).dtype == compact([np.nan]).dtype == np.float32


@pytest.mark.parametrize(
    ("value", "text"), [(1700000001.0, "1700000001"), (0.1, "0.1"), (-0.0, "0"), (2460310.7234567, "2460310.7234567")]
)
def test_exact_text(value: float, text: str) -> None:
    assert exact(value) == text and float(text) == value


@pytest.mark.parametrize(
    ("low", "high", "digits"),
    [
        (0, 1, 3),
        (-10, 10, 3),
        (1958, 2001, 5),
        (1.7e9, 1.7e9 + 30, 11),
        (-1.7e9 - 1, -1.7e9, 13),
        (0, 0, 3),
        (5, 5, 15),
    ],
)
def test_digits_that_a_range_needs(low: float, high: float, digits: int) -> None:
    assert significant(low, high) == digits
