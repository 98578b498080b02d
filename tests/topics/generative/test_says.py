"""The sentences of the pages on generative models: their numbers, computed again from what is shipped by other ways."""

from __future__ import annotations

from base64 import b64decode
from io import BytesIO
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image
from scipy import stats
from scipy.integrate import trapezoid
from scipy.spatial import KDTree
from scipy.spatial.distance import cdist

from bdlviz import data
from bdlviz.fits import GenerativeFit
from bdlviz.fitted import shelf
from bdlviz.topics.generative.autoencoder import controls as autoencoder_controls
from bdlviz.topics.generative.conditional import controls as conditional_controls
from bdlviz.topics.generative.likelihood import controls as likelihood_controls
from bdlviz.topics.generative.manifold import controls as manifold_controls
from bdlviz.topics.shared import autoencoders
from bdlviz.types import Array
from bdlviz.ui.model import sentence_of
from tests.told import numbers_in
from tests.topics.shared.page_results import result_of

PAGES = ("autoencoder", "conditional", "decode", "latent_space", "likelihood", "manifold", "vae")


def extra(name: str) -> dict[str, np.ndarray]:
    return {key: values.astype(float) for key, values in shelf.shipped(name)[1].items()}


@pytest.mark.parametrize("page", PAGES)
def test_every_further_picture_has_a_sentence(page: str):
    for title, tab in result_of(page).tabs.items():
        assert sentence_of(tab()), title


@pytest.mark.parametrize(("codes", "part"), [("20d", "train"), ("2d", "train"), ("20d", "test"), ("2d", "test")])
def test_how_often_the_nearest_code_is_of_the_same_class(codes: str, part: str):
    found = extra(f"vae_mnist_{codes}")
    mean, std, labels = (found[f"{part}_{name}"] for name in ("mean", "std", "labels"))
    near = np.asarray(KDTree(mean).query(mean, 9)[1])[:, 1:]
    same = labels[near[:, 0]] == labels
    result = result_of("latent_space", {"codes": codes, "part": part})
    said, figure = numbers_in(result.says), cast(Any, result.figures[0].figure)
    others = ~np.eye(len(labels), dtype=bool)  # by chance, any other image is the nearest
    by_chance = (labels[:, None] == labels)[others].mean()
    np.testing.assert_allclose(said, [mean.shape[1], 100 * same.mean(), 100 * by_chance], atol=0.5)
    *names, title, arrow = figure.layout.annotations
    assert numbers_in(title.text) == [len(labels), said[0], said[0], 100 - said[1]]
    assert {int(name.text) for name in names} == {*range(10)}
    [rings] = [trace for trace in figure.data if trace.customdata is None]
    assert len(rings.x) == (~same).sum()
    codes_of = np.concatenate([np.stack([trace.x, trace.y], 1) for trace in figure.data[:10]])
    rows = np.concatenate([trace.customdata for trace in figure.data[:10]])
    row = rows[np.abs(codes_of - (arrow.x, arrow.y)).sum(1).argmin()]
    assert numbers_in(arrow.text) == [labels[row]] and (labels[near[row]] == labels[row]).all()
    kl = stats.norm.logpdf(mean, mean, std).sum(1)  # -entropy + 1/2 for each dimension
    kl = kl - 0.5 * mean.shape[1] - (stats.norm.logpdf(mean) - 0.5 * std**2).sum(1)
    said = numbers_in(result_of("latent_space", {"codes": codes, "part": part, "colour": "kl"}).says)
    np.testing.assert_allclose(said, [np.median(kl), 90, *np.percentile(kl, (5, 95))], rtol=0.01)


def test_the_sentence_is_of_the_chosen_images():
    found = extra("vae_digits_20d")
    labels = found["train_labels"]
    near = np.asarray(KDTree(found["train_mean"]).query(found["train_mean"][6], 9)[1])
    said = numbers_in(result_of("latent_space", {"images": "digits", "chosen_images": "7"}).says)
    assert said == [8, labels[6], (labels[near[1:]] == labels[6]).sum()]
    said = numbers_in(result_of("latent_space", {"images": "digits", "chosen_images": "40-60"}).says)
    classes, counts = np.unique(labels[39:60], return_counts=True)
    assert said[:3] == [21, len(classes), counts.max()] and said[3] in classes[counts == counts.max()]


@pytest.mark.parametrize("grid", ["linear", "quantile"])
@pytest.mark.parametrize("reach", ["1", "2", "4"])
@pytest.mark.parametrize("steps", ["5", "20"])
def test_how_many_pictures_of_the_grid_have_no_code_near(grid: str, reach: str, steps: str):
    a, n = float(reach), int(steps)
    ends = np.linspace(stats.norm.cdf(-a), stats.norm.cdf(a), n)
    ticks = np.linspace(-a, a, n) if grid == "linear" else stats.norm.ppf(ends)
    codes = np.array([(x, y) for y in ticks for x in ticks])
    result = result_of("manifold", {"grid": grid, "reach": reach, "steps": steps})
    said = numbers_in(result.says)
    found = extra("vae_mnist_2d")
    is_far = cdist(codes, found["train_mean"]).min(1) > 0.25
    far = int(is_far.sum())
    shipped = autoencoders.needed("mnist", "2d").shipped
    assert shipped is not None
    model = shipped()
    assert model is not None
    shares = greys(model.decode(codes), is_far) if far else []
    assert said == [far, n * n, *(pytest.approx(100 * each, rel=0.05) for each in shares)]
    figure: Any = result.figures[0].figure
    titles = [note.text for note in figure.layout.annotations if "shaded" in note.text.lower()]
    assert {tuple(numbers_in(title)) for title in titles} == {(1000, 0.25), (far, n * n)}
    shaded = [
        np.stack([trace.x, trace.y], 1).reshape(-1, 5, 2)[:, :4]
        for trace in figure.data
        if trace.type == "scatter" and trace.fill
    ]
    assert len(shaded) == (far > 0) and sum(map(len, shaded)) == far
    if far and grid == "linear":
        np.testing.assert_allclose(np.sort(shaded[0].mean(1), 0), np.sort(codes[is_far], 0), atol=1e-5)


def greys(images: Array, is_far: Array) -> list[float]:
    """The shares of pixels with 5 to 95 % ink in images far from all codes, and in the others."""
    return [float(np.mean(np.abs(images[where] - 0.5) < 0.45)) for where in (is_far, ~is_far)]


@pytest.mark.parametrize("part", ["train", "test"])
def test_the_map_beside_the_decoded_images_has_their_range_and_the_places_without_codes(part: str):
    figure: Any = result_of("manifold", {"overlay": part, "reach": "3"}).figures[0].figure
    frame = figure.layout.shapes[-1]
    assert (frame.x0, frame.x1, frame.y0, frame.y1, frame.xref) == (-3, 3, -3, 3, "x2")
    found = extra("vae_mnist_2d")
    clouds = [
        np.stack([cloud.x, cloud.y], 1) for cloud in figure.data if cloud.xaxis == "x2" and cloud.type == "scatter"
    ]
    np.testing.assert_allclose(np.sort(np.concatenate(clouds), 0), np.sort(found[f"{part}_mean"], 0), atol=1e-3)
    [region] = [trace for trace in figure.data if trace.type == "heatmap"]
    cells = np.random.default_rng(0).integers(len(region.x), size=(40, 2))
    places = [(region.x[column], region.y[row]) for row, column in cells]
    distances = cdist(places, found[f"{part}_mean"]).min(1)
    np.testing.assert_array_equal([region.z[row][column] for row, column in cells], distances > 0.25)


@pytest.mark.parametrize("reach", manifold_controls.REACH.options)
@pytest.mark.parametrize("grid", manifold_controls.GRID.options)
def test_ticks_stand_at_the_codes_of_the_pictures(grid: str, reach: str):
    figure: Any = result_of("manifold", {"grid": grid, "reach": reach, "steps": "30"}).figures[0].figure
    axis, [lattice] = figure.layout.xaxis, [trace for trace in figure.data if trace.customdata is not None]
    values = [numbers_in(text)[0] for text in axis.ticktext]
    columns = [numbers_in(text)[1 if "z₁" not in text else 0] for text in lattice.text[:30]]
    np.testing.assert_allclose(np.interp(values, columns, lattice.x[:30]), axis.tickvals, atol=0.03 * float(reach))
    assert values == sorted(values) and {-float(reach), 0.0, float(reach)} <= {*values}


@pytest.mark.parametrize("images", ["mnist", "digits", "mnist60000"])
@pytest.mark.parametrize("part", ["train", "test"])
def test_codes_in_the_circle_of_the_prior_and_their_spreads(images: str, part: str):
    ours, plain = (extra(f"{name}_{images}_2d")[f"{part}_mean"] for name in ("vae", "autoencoder"))
    inside = [100 * (np.square(each).sum(1) <= 2.45**2).mean() for each in (ours, plain)]
    values = {"look": "planes", "images": images, "part": part}
    said = numbers_in(result_of("autoencoder", values).says)
    np.testing.assert_allclose(said, [2.45, 100 * stats.chi2(2).cdf(2.45**2), *inside], atol=0.51)
    said = numbers_in(result_of("autoencoder", values | {"scale": "own"}).says)
    np.testing.assert_allclose(said, [*ours.std(0), 1, *plain.std(0)], rtol=0.006)


@pytest.mark.parametrize("images", ["mnist", "digits", "mnist60000"])
def test_the_frame_around_the_codes_of_the_vae_is_the_panel_that_is_enlarged(images: str):
    figure: Any = result_of("autoencoder", {"look": "planes", "images": images}).figures[0].figure
    codes = extra(f"vae_{images}_2d")["train_mean"]
    [frame] = [shape for shape in figure.layout.shapes if shape.type == "rect"]
    assert (codes > (frame.x0, frame.y0)).all() and (codes < (frame.x1, frame.y1)).all() and frame.xref == "x2"
    assert [*figure.layout.xaxis3.range, *figure.layout.yaxis3.range] == [frame.x0, frame.x1, frame.y0, frame.y1]
    for axis in ("x2", "x3"):
        clouds = [np.stack([cloud.x, cloud.y], 1) for cloud in figure.data if cloud.xaxis == axis]
        np.testing.assert_allclose(np.sort(np.concatenate(clouds), 0), np.sort(codes, 0), atol=1e-3)


@pytest.mark.parametrize("weight", autoencoder_controls.WEIGHT.options)
@pytest.mark.parametrize("part", ["train", "test"])
def test_codes_come_to_the_circle_with_the_weight_of_the_kl_term(part: str, weight: str):
    """The numbers of the sentence and at the circle, by the points and the circle that are drawn."""
    result = result_of("autoencoder", {"part": part, "kl_weight": weight})
    figure: Any = result.figures[0].figure
    [new] = [np.stack([trace.x, trace.y], 1) for trace in figure.data if trace.name == "new codes"]
    codes, again = (
        np.concatenate([np.stack([cloud.x, cloud.y], 1) for cloud in clouds]).astype(float)
        for axis in ("x", "x2")
        for clouds in [[trace for trace in figure.data if trace.xaxis == axis and trace.customdata is not None]]
    )
    np.testing.assert_array_equal(codes, again)
    circle, enlarged = figure.layout.shapes
    radius = (circle.x1 - circle.x0) / 2
    assert radius == (enlarged.x1 - enlarged.x0) / 2 < figure.layout.xaxis2.range[1] and enlarged.xref == "x2"
    assert len(new) == 9
    inside = 100 * (np.hypot(*codes.T) <= radius).mean()
    np.testing.assert_allclose(numbers_in(result.says), [float(weight), inside, 95], atol=0.51)
    [told] = [numbers_in(note.text) for note in figure.layout.annotations if "in the circle:" in note.text]
    assert told == [numbers_in(result.says)[1]]
    (left, right), (bottom, top) = figure.layout.xaxis.range, figure.layout.yaxis.range
    first: Any = result_of("autoencoder", {"part": part}).figures[0].figure
    assert first.layout.xaxis.range == (left, right) and first.layout.yaxis.range == (bottom, top)
    assert (codes > (left, bottom)).all() and (codes < (right, top)).all() and len(codes) == 1000


def test_the_ends_of_the_weights_are_the_autoencoder_and_the_vae():
    arrays = extra("autoencoder_to_vae_mnist")
    codes = np.random.Generator(np.random.SFC64(0)).standard_normal((25, 2), np.float32)
    for at, name in ((0, "autoencoder_mnist_2d"), (-1, "vae_mnist_2d")):
        fit, beside = cast(GenerativeFit, shelf.shipped(name)[0]), extra(name)
        for part in ("train", "test"):
            np.testing.assert_array_equal(arrays[f"{part}_codes"][at], beside[f"{part}_mean"])
            np.testing.assert_array_equal(arrays[f"{part}_labels"], beside[f"{part}_labels"])
        np.testing.assert_allclose(arrays["new_images"][at], 255 * fit.decode(codes), atol=1)


@pytest.mark.parametrize("parameter", likelihood_controls.PIXEL.options)
@pytest.mark.parametrize(("images", "count"), [("mnist", 784), ("digits", 64)])
def test_the_area_under_the_bernoulli_term(parameter: str, images: str, count: int):
    p, greys = float(parameter), np.linspace(0, 1, 100_001)
    area = trapezoid(np.exp(greys * np.log(p) + (1 - greys) * np.log(1 - p)), greys)
    result = result_of("likelihood", {"look": "pixel", "pixel": parameter, "images": images})
    np.testing.assert_allclose(numbers_in(result.says), [p, area, 1, count, -count * np.log(area)], rtol=0.02)
    figure: Any = result.figures[0].figure
    [shaded] = [trace for trace in figure.data if trace.fill]
    [told] = [note.text for note in figure.layout.annotations if note.yanchor == "bottom"]
    assert [trapezoid(shaded.y, shaded.x)] == pytest.approx(numbers_in(told), rel=0.02)
    assert trapezoid(shaded.y, shaded.x) == pytest.approx(area, abs=1e-4)
    highest = max(float(np.nanmax(trace.y)) for trace in figure.data)
    assert 0.9 * figure.layout.yaxis.range[1] < highest < figure.layout.yaxis.range[1]


def pictures_of(figure: Any) -> list[np.ndarray]:
    """The pictures of each row of the sheet of four decoders, from its PNG, 0 (paper) to 1 (ink)."""
    [sheet] = figure.layout.images
    found = np.asarray(Image.open(BytesIO(b64decode(sheet.source.split(",")[1]))), float) / 254
    return np.split(found, len(figure.layout.yaxis.ticktext))


@pytest.mark.parametrize("averaged", likelihood_controls.AVERAGED.options)
@pytest.mark.parametrize("images", ["mnist", "digits"])
def test_grey_pixels_of_the_four_decoders(images: str, averaged: str):
    """The shares in the sentence stand beside the rows; they are of 25 images, of which the sheet shows the first."""
    result = result_of("likelihood", {"images": images, "averaged": averaged, "decoders": "all"})
    figure: Any = result.figures[0].figure
    told = [numbers_in(text)[0] for text in figure.layout.yaxis.ticktext]
    few = result_of("likelihood", {"images": images, "averaged": averaged})
    one: Any = few.figures[0].figure
    beside = [numbers_in(text.split("</b>")[1])[0] for text in one.layout.yaxis.ticktext]
    assert (beside[0], beside[2]) == (told[0], told[1]) and beside[1] == 0 and beside[3] >= max(beside[2], told[0])
    assert numbers_in(few.says) == [beside[0], 0, float(averaged), *beside[2:]]
    assert numbers_in(result.says)[-2:] == [min(told[1:]), max(told[1:])]
    held_out = data.load({"mnist": "mnist-1000", "digits": "digits"}[images]).x_test[:25]
    assert told[0] == pytest.approx(100 * np.mean((held_out > 0.05) & (held_out < 0.95)), abs=0.51)
    shown = [100 * np.mean((row > 0.05) & (row < 0.95)) for row in pictures_of(figure)]
    np.testing.assert_allclose(told, shown, atol=8)
    assert (told[1] == told[2] == 0) == (averaged == "1") and told[3] > told[0]


@pytest.mark.parametrize("images", ["mnist", "digits"])
def test_errors_of_the_means_of_the_four(images: str):
    names = ("bernoulli", "binarised_bernoulli", "continuous_bernoulli", "gaussian_pixels")
    errors = [255 * float(extra(f"likelihood_{images}_{name}")["test_rmse"][0]) for name in names]
    result = result_of("likelihood", {"images": images, "shown": "means"})
    np.testing.assert_allclose(numbers_in(result.says), [min(errors), 255, max(errors)], rtol=0.006)
    figure: Any = result.figures[0].figure
    beside = [numbers_in(text)[0] for text in figure.layout.yaxis.ticktext[1:]]
    np.testing.assert_allclose(beside, errors, rtol=0.006)


@pytest.mark.parametrize("weight", likelihood_controls.WEIGHT.options)
def test_the_dimensions_in_use_at_a_weight(weight: str):
    found, at = extra("betas_digits"), likelihood_controls.WEIGHT.options.index(weight)
    kl = found["kl_per_dimension"][at]
    said = numbers_in(result_of("likelihood", {"look": "collapse", "kl_weight": weight}).says)
    assert said[:3] == [float(weight), (kl > 0.05).sum(), 10] and said[-2:] == [round(255 * found["rmse"][at]), 255]
    assert said[3] == pytest.approx(kl.sum(), rel=0.06)


@pytest.mark.parametrize("other", conditional_controls.OTHER.options)
@pytest.mark.parametrize("images", ["mnist", "digits"])
def test_lean_and_ink_of_the_ten_digits(images: str, other: str):
    """By a weighted regression of columns on rows for every picture; the number stands at each digit, too."""
    fit = cast(Any, shelf.shipped(f"conditional_vae_{images}_2d")[0])
    side = {"mnist": 28, "digits": 8}[images]
    rows, columns = np.mgrid[:side, :side]
    for moved in (0, 1):
        code = np.zeros((1, 2), np.float32)
        code[0, moved] = float(other)
        digits = [fit.given(label).decode(code).reshape(side, side) for label in range(10)]
        slopes = [np.polyfit(-rows.ravel(), columns.ravel(), 1, w=np.sqrt(each.ravel()))[0] for each in digits]
        leans, ink = np.degrees(np.arctan(slopes)), 100 * np.mean(digits, (1, 2))
        result = result_of("conditional", {"images": images, "moved": str(moved + 1), "other": other})
        said, figure = numbers_in(result.says), cast(Any, result.figures[0].figure)
        assert said[:2] == code[0].tolist()
        ends = np.abs([ink.min(), ink.max()] if moved == 0 else [leans.min(), leans.max()])
        np.testing.assert_allclose(sorted(said[2:]), sorted(ends), atol=0.51)
        beside = [numbers_in(note.text)[0] for note in figure.layout.annotations[:10]]
        np.testing.assert_allclose(beside, np.abs(leans) if moved else ink, atol=0.51)
        lines = figure.layout.shapes[:-1]  # the last one is the vertical
        if moved:
            tall = figure.layout.yaxis.scaleratio
            drawn = [np.degrees(np.arctan((line.x1 - line.x0) / (line.y1 - line.y0) / tall)) for line in lines]
            np.testing.assert_allclose(drawn, leans, atol=0.1)
        else:
            assert not lines


@pytest.mark.parametrize("label", range(10))
@pytest.mark.parametrize("images", ["mnist", "digits"])
def test_how_many_images_are_read_as_the_given_class(images: str, label: int):
    """By the largest cosine to a training image; those of another class are framed, and rows say their lean."""
    result = result_of("conditional", {"images": images, "class": str(label)})
    figure, known = cast(Any, result.figures[0].figure), data.load({"mnist": "mnist-1000", "digits": "digits"}[images])
    places = np.linspace(-1.5, 1.5, 5)
    codes = np.array([(x, y) for y in places[::-1] for x in places], np.float32)
    pixels = cast(Any, shelf.shipped(f"conditional_vae_{images}_2d")[0]).given(label).decode(codes)
    read = known.y[cdist(pixels, known.x, "cosine").argmin(1)]
    right = [(read == label).sum(), 25]
    said, notes = numbers_in(result.says), figure.layout.annotations
    assert said[:4] == [label, *right, label]
    others = read != label
    frames = [((frame.x0 + frame.x1) / 2, (frame.y0 + frame.y1) / 2) for frame in figure.layout.shapes]
    np.testing.assert_allclose(np.reshape(frames, (-1, 2)), codes[others], atol=1e-6)
    assert [int(note.text) for note in notes[: others.sum()]] == read[others].tolist()
    leans = [note.text for note in notes if "leans" in note.text]
    assert len(leans) == 5 and [numbers_in(leans[row])[0] for row in (0, -1)] == said[4:]
    assert numbers_in(notes[-1].text) == [label, *right]
