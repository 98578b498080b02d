"""Pictures of pixels: the numbers in the figure are the numbers given, and panels stand where they should."""

from __future__ import annotations

import base64
import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bdlviz.plots.theme import LIGHT
from bdlviz.topics.foundations.depth_and_edges import figures_dense
from bdlviz.topics.foundations.depth_and_edges.figures_dense import CLASS_COLOURS, Pixels
from tests.told import numbers_in

RNG = np.random.default_rng(0)
IMAGE = RNG.random((4, 6, 3))
CLASSES = RNG.integers(0, 2, (4, 6))
PANELS = [
    Pixels("Image", IMAGE),
    Pixels("Classes", CLASSES, names=("wall", "floor", "ball")),
    Pixels("Depth", RNG.random((4, 6)), (0.0, 9.0), unit="m"),
    Pixels("Aleatoric", RNG.random((4, 6)), meaning="aleatoric", unit="m"),
    Pixels("Epistemic", RNG.random((4, 6)), meaning="epistemic", unit="m", note="mean 0.5 m"),
]


def of_type(fig: Any, kind: str) -> list[Any]:
    return [trace for trace in fig.data if trace.type == kind]


def test_an_image_is_sent_as_it_is():
    [trace] = of_type(figures_dense.pixel_panels(PANELS), "image")
    content = base64.b64decode(trace.source.partition(",")[2])
    np.testing.assert_array_equal(np.asarray(Image.open(io.BytesIO(content))), np.rint(255 * IMAGE))


def test_amounts_have_the_scale_of_their_panel_and_a_bar_with_its_unit():
    fig = figures_dense.pixel_panels(PANELS, stacked=True)
    classes, *amounts = of_type(fig, "heatmap")
    for trace, panel in zip(amounts, PANELS[2:], strict=True):
        np.testing.assert_allclose(trace.z, panel.values, rtol=1e-6)
        assert (trace.zmin, trace.zmax) == panel.limits and trace.colorbar.ticktext[-1].endswith(" m")
        assert trace.colorscale[-1][1] == getattr(LIGHT, panel.meaning)
    assert not classes.showscale and classes.colorscale[0][1] == LIGHT.classes[CLASS_COLOURS[0]]
    assert [trace.name for trace in of_type(fig, "scatter")] == ["wall", "floor"], "No class that is not shown."


def test_a_frame_goes_around_the_marked_pixels():
    mask = np.zeros((4, 6), bool)
    mask[1, 2:4] = mask[3, 0] = True
    panel = Pixels("Depth", RNG.random((4, 6)), framed=mask)
    [frame] = of_type(figures_dense.pixel_panels([panel] * 2 + PANELS[-1:]), "scatter")[:1]
    x, y = (np.asarray(each, float).reshape(-1, 3) for each in (frame.x, frame.y))
    assert np.isnan(x[:, 2]).all() and len(x) == 6 + 4, "Sides of a pair of pixels and of a single one."
    assert np.hypot(np.diff(x[:, :2]), np.diff(y[:, :2])) == pytest.approx(1.0)
    upper = [(row.tolist(), line[0]) for row, line in zip(x[:, :2], y, strict=True) if line[0] == line[1] == 0.5]
    assert sorted(upper) == [([1.5, 2.5], 0.5), ([2.5, 3.5], 0.5)]


@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("stacked", [False, True])
def test_three_panels_and_those_on_a_phone_are_equal_and_of_more_the_last_two_are_large(stacked: bool, count: int):
    layout = figures_dense.pixel_panels(PANELS[-count:], stacked=stacked).to_dict()["layout"]
    spans = [[layout[f"{axis}axis{index + 1 if index else ''}"]["domain"] for axis in "xy"] for index in range(count)]
    assert all(-1e-9 <= low < high <= 1 for both in spans for low, high in both)
    areas = [np.prod([high - low for low, high in both]) for both in spans]
    is_even = stacked or count == 3
    assert areas == pytest.approx([areas[0]] * count) if is_even else min(areas[-2:]) > 2 * max(areas[:-2])
    for first, (x, y) in enumerate(spans):  # no two overlap
        for other_x, other_y in spans[:first]:
            gaps = [max(low, other[0]) - min(high, other[1]) for (low, high), other in ((x, other_x), (y, other_y))]
            assert max(gaps) > -1e-9
    assert "mean 0.5 m" in layout["annotations"][-1]["text"]


def test_second_task_shows_every_training_and_the_means():
    sigma, rmse = RNG.random((4, 3)), RNG.random((4, 3))
    fig: Any = figures_dense.second_task(["depth", "with edges", "with classes"], sigma, rmse)
    dots = [trace for trace in fig.data if trace.mode == "markers"]
    np.testing.assert_allclose(dots[0].y, sigma.ravel(), rtol=1e-6)
    np.testing.assert_allclose(dots[1].y, rmse.ravel(), rtol=1e-6)
    texts = [note["text"] for note in fig.to_dict()["layout"]["annotations"]]
    assert all(f"{value:.3f}" in texts for value in (*sigma.mean(0), *rmse.mean(0)))


def test_the_description_says_means_with_units():
    told = figures_dense.describe_pixels(PANELS)
    assert 0 < numbers_in(told)[0] < 1 and "m)" in told
