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


@pytest.mark.parametrize("count", [3, 4, 5])
@pytest.mark.parametrize("stacked", [False, True])
def test_the_last_two_panels_are_large_or_all_are_equal_on_a_phone(stacked: bool, count: int):
    layout = figures_dense.pixel_panels(PANELS[-count:], stacked=stacked).to_dict()["layout"]
    spans = [[layout[f"{axis}axis{index + 1 if index else ''}"]["domain"] for axis in "xy"] for index in range(count)]
    assert all(-1e-9 <= low < high <= 1 for both in spans for low, high in both)
    areas = [np.prod([high - low for low, high in both]) for both in spans]
    assert areas == pytest.approx([areas[0]] * count) if stacked else min(areas[-2:]) > 2 * max(areas[:-2])
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
