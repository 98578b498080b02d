"""Pictures: the right pixels at the right places."""

import base64
import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from bdlviz import plots
from bdlviz.plots import images
from bdlviz.plots.theme import DARK, LIGHT, Theme, rgb
from bdlviz.types import Array
from tests.told import numbers_in


def pixels(png: bytes) -> Array:
    return np.asarray(Image.open(io.BytesIO(png)).convert("RGB"))


@pytest.mark.parametrize("look", [LIGHT, DARK], ids=["light", "dark"])
def test_a_grid_of_pictures(look: Theme) -> None:
    images = np.zeros((3, 2, 2))
    images[0, 0, 1] = 1
    images[2] = 0.5
    sheet = pixels(plots.image_grid(images, 2, theme=look, gap=1, scale=1))
    assert sheet.shape == (5, 5, 3)
    assert tuple(sheet[0, 0]) == rgb(look.paper)
    assert tuple(sheet[0, 1]) == rgb(look.ink)
    assert tuple(sheet[2, 0]) == tuple(sheet[0, 2]) == rgb(look.grid)
    halfway = (np.array(rgb(look.paper)) + rgb(look.ink)) / 2
    np.testing.assert_allclose(sheet[3:, :2], np.broadcast_to(halfway, (2, 2, 3)), atol=1)
    assert tuple(sheet[4, 4]) == rgb(look.paper)  # no fourth picture


def test_scale_repeats_pixels_and_values_outside_are_clipped() -> None:
    images = np.random.default_rng(0).random((4, 3, 5))
    small = pixels(plots.image_grid(images, 2, gap=0, scale=1))
    assert small.shape == (6, 10, 3)
    large = pixels(plots.image_grid(images, 2, gap=0, scale=3))
    np.testing.assert_array_equal(large, small.repeat(3, axis=0).repeat(3, axis=1))
    images = np.array([[[-1.0, 2.0, np.nan]]])
    sheet = pixels(plots.image_grid(images, 1, scale=1))
    assert [tuple(pixel) for pixel in sheet[0]] == [rgb(LIGHT.paper), rgb(LIGHT.ink), rgb(LIGHT.paper)]


def test_the_manifold_puts_every_picture_at_its_code() -> None:
    images = np.linspace(0, 1, 9)[:, None, None] * np.ones((9, 4, 4))
    fig: Any = plots.manifold(images, (-2, 2, -1, 1), chosen=0)
    (picture,) = fig.layout.images
    assert (picture.x, picture.y, picture.sizex, picture.sizey) == (-3, 1.5, 6, 3)
    sheet = pixels(base64.b64decode(picture.source.split(",")[1]))
    assert tuple(sheet[0, 0]) == rgb(LIGHT.paper) and tuple(sheet[-1, -1]) == rgb(LIGHT.ink)
    (lattice,) = fig.data
    np.testing.assert_array_equal(lattice.customdata, range(9))
    assert (lattice.x[0], lattice.y[0], lattice.x[-1], lattice.y[-1]) == (-2, 1, 2, -1)
    (outline,) = fig.layout.shapes
    assert (outline.x0, outline.x1, outline.y0, outline.y1) == (-3, -1, 0.5, 1.5)
    row: Any = plots.manifold(np.zeros((5, 2, 2)), (-2, 2, 0, 0), columns=5)
    assert len(row.data[0].x) == 5
    one: Any = plots.manifold(np.zeros((1, 2, 2)), (0, 0, 0, 0))
    assert one.layout.xaxis.range == one.layout.yaxis.range == (-0.5, 0.5)
    images = np.random.default_rng(0).random((400, 28, 28)) ** 8  # mostly paper, like digits
    picture = plots.manifold(images, (-2, 2, -2, 2)).to_json()
    assert picture is not None and len(picture) < 1_500_000


def test_one_trace_and_one_label_per_class() -> None:
    codes = np.array([[0.0, 0.0], [2.0, 0.0], [0.0, 5.0], [1.0, 0.0]])
    fig: Any = plots.latent_scatter(codes, np.array([3, 3, 7, 3]), hover=list("abcd"))
    assert [trace.name for trace in fig.data] == ["3", "7"]
    assert [trace.marker.color for trace in fig.data] == [LIGHT.classes[3], LIGHT.classes[7]]
    np.testing.assert_array_equal(fig.data[0].customdata, [0, 1, 3])
    assert tuple(fig.data[0].text) == ("a", "b", "d")
    notes = {note.text: (note.x, note.y) for note in fig.layout.annotations}
    assert notes == {"3": pytest.approx((0, 0)), "7": pytest.approx((0, 5))}
    assert [note.bgcolor for note in fig.layout.annotations] == [LIGHT.text(LIGHT.classes[each]) for each in (3, 7)]
    words = np.array(["cat", "cat", "dog", "cat"])
    fig: Any = plots.latent_scatter(codes, words, std=codes + 1, marks="ellipses", chosen=[2])
    assert [trace.name for trace in fig.data] == ["q(z|x) of cat", "cat", "q(z|x) of dog", "dog", "chosen"]
    assert [fig.data[place].marker.color for place in (1, 3)] == [LIGHT.classes[0], LIGHT.classes[1]]
    assert [(note.text, note.x, note.y) for note in fig.layout.annotations] == [("cat", 0, 0), ("dog", 0, 5)]
    fig: Any = plots.latent_scatter(codes, words, classes=["dog"])
    assert [(trace.name, trace.marker.color) for trace in fig.data] == [("dog", LIGHT.classes[1])]
    assert "dog at (0, 5)" in plots.describe_latent_scatter(codes, words)
    fig: Any = plots.manifold(np.zeros((4, 2, 2)), (-2, 2, -1, 3), overlay=(codes, words))
    assert [(trace.name, trace.marker.color) for trace in fig.data[:2]] == [
        ("cat", LIGHT.classes[0]),
        ("dog", LIGHT.classes[1]),
    ]
    rng = np.random.default_rng(0)
    for count, expected in ((700, [(5, 5), (0, 0)]), (300, [(5, 5)])):
        islands = np.concatenate([rng.normal((0, 0), 0.1, (count, 2)), rng.normal((5, 5), 0.1, (900, 2))])
        fig: Any = plots.latent_scatter(islands, np.zeros(len(islands), int))
        names = [(note.x, note.y) for note in fig.layout.annotations]
        np.testing.assert_allclose(names, expected, atol=0.15)
    codes = np.array([[0.0, 0.0], [0.1, 0.0], [10.0, 10.0]])
    fig: Any = plots.latent_scatter(codes, np.arange(3), extent=(0, 10, 0, 10))
    first, second = fig.layout.annotations[:2]
    assert second.x - first.x >= 0.69
    assert fig.layout.xaxis.range == (0, 10)
    fig: Any = plots.latent_scatter(np.random.default_rng(0).random((3000, 2)), np.zeros(3000, int))
    assert fig.data[0].type == "scattergl"
    fig: Any = plots.latent_scatter(np.zeros((1, 2)), np.zeros(1, int))
    assert fig.layout.xaxis.range == (-0.5, 0.5)
    assert 1 in numbers_in(plots.describe_latent_scatter(np.zeros((1, 2)), np.zeros(1, int)))


def test_keep_probabilities_and_their_histograms() -> None:
    fig: Any = plots.keep_probabilities(np.full((3, 4), 0.4))
    (picture,) = fig.data
    assert (picture.zmin, picture.zmax, picture.z.dtype, picture.z.shape) == (0, 1, np.float32, (3, 4))
    assert picture.colorscale == images.KEPT_SCALE
    assert fig.layout.yaxis.range == (2.5, -0.5)  # the first row is at the top


def test_the_outline_of_pixels_has_each_side_to_a_pixel_outside_once():
    """Two neighbours at the border of the picture have six outer sides; the side between them is not drawn."""
    inside = np.zeros((3, 4), bool)
    inside[0, 1:3] = True
    x, y = (part.reshape(-1, 3)[:, :2] for part in images.outline(inside))
    sides = {tuple(sorted(zip(*side, strict=True))) for side in zip(x.tolist(), y.tolist(), strict=True)}
    flat = {((left, row), (left + 1, row)) for left in (0.5, 1.5) for row in (-0.5, 0.5)}
    assert sides == flat | {((column, -0.5), (column, 0.5)) for column in (0.5, 2.5)} and len(x) == 6
