"""The decode pad: its place in links, what a commit may say, and the decoder that the browser gets."""

from __future__ import annotations

from typing import Any, cast

import numpy as np
import pytest
from scipy import stats

from bdlviz.fits import GenerativeFit
from bdlviz.fitted import shelf
from bdlviz.predictive.surface import unpack
from bdlviz.topics.generative.decode import decoder, place
from bdlviz.topics.shared.autoencoders import Autoencoder
from bdlviz.ui.model import Result, Setting
from tests.told import numbers_in
from tests.topics.shared.page_results import result_of


def model(codes: str = "2d", images: str = "mnist") -> Autoencoder:
    fit, extra = shelf.shipped(f"vae_{images}_{codes}")
    return Autoencoder(images, cast(GenerativeFit, fit), extra)


def drawn(**values: str) -> Result:
    return result_of("decode", values)


@pytest.mark.parametrize(
    ("codes", "z"), [("2d", ",".join(["0.5"] * 20)), ("20d", "1,2"), ("2d", "nan,1"), ("2d", "a,b"), ("2d", "")]
)
def test_a_code_of_another_decoder_gets_one_sentence(codes: str, z: str):
    [said, *_] = drawn(codes=codes, z=z).words
    assert f"{codes.removesuffix('d')} numbers" in said


def test_the_place_of_a_setting_is_drawn_and_reproduced():
    result = drawn(z="1.5,-0.25", axes="2,1")
    assert len(result.words) == 1 and "fit.decode([1.5, -0.25])" in result.call
    found, problem = place.place_of(Setting({"z": "1.5,-0.25", "axes": "2,1"}), model())
    assert (found.code, found.across, found.up, problem) == ((1.5, -0.25), 1, 0, "")
    assert (place.code_text(found), place.axes_text(found)) == ("1.5,-0.25", "2,1")


@pytest.mark.parametrize("axes", ["", "x", "1", "1,2,3"])
def test_axes_that_cannot_be_read_are_the_first_two(axes: str):
    assert place.read_place("1,2", axes, 2) == decoder.Place((1.0, 2.0), 0, 1)


def test_a_start_is_the_middle_or_a_held_out_image():
    here = model("20d")
    assert place.at_start(here, "origin").code == (0.0,) * 20
    row = here.clear_example(3)
    np.testing.assert_allclose(place.at_start(here, "3").code, here.mean("test")[row], atol=5e-4)
    assert [place.at_start(here, "3").across, place.at_start(here, "3").up] == place.order_of(here)[0][:2]


@pytest.mark.parametrize("name", ["vae_mnist_2d", "vae_digits_20d"])
def test_the_block_holds_the_decoder(name: str):
    fit = cast(GenerativeFit, shelf.shipped(name)[0])
    block = decoder.decoder_block(fit)
    assert len(block) < 1_400_000
    header, arrays = unpack(block)
    values = np.random.default_rng(0).normal(size=(5, header["sizes"][0]))
    codes, last = values, len(header["sizes"]) - 2
    for layer in range(last + 1):
        weight, bias = (arrays[f"{kind}{layer}"].view(np.float16).astype(float) for kind in ("weight", "bias"))
        values = values @ weight + bias
        values = np.maximum(values, 0) if layer < last else 1 / (1 + np.exp(-values))
    np.testing.assert_allclose(values, fit.decode(codes), atol=1e-4)


@pytest.mark.parametrize(
    "event",
    [
        {},
        {"code": None},
        {"code": [1.0]},
        {"code": [1.0, float("nan")]},
        {"code": "ab"},
        {"code": [1, 2], "across": 0, "up": 0},
        {"code": [1, 2], "across": 0, "up": 7},
        {"code": [1, 2], "across": "x"},
    ],
)
def test_a_bad_commit_is_ignored(event: dict[str, Any]):
    assert decoder.committed(event, 2) is None


def test_a_commit_gives_a_place():
    assert decoder.committed({"code": [1, -2.00049], "across": 1, "up": 0}, 2) == decoder.Place((1.0, -2.0), 1, 0)


def mixture(here: Autoencoder, codes: np.ndarray) -> np.ndarray:
    """Log density of codes under the average posterior of the first thousand training images."""
    mean, std = here.mean("train")[:1000].astype(float), here.std("train")[:1000].astype(float)
    return np.array([np.log(np.exp(stats.norm.logpdf(code, mean, std).sum(1)).mean()) for code in codes.astype(float)])


@pytest.mark.parametrize("images", ["mnist", "digits"])
def test_far_out_means_a_density_below_that_of_99_per_cent_of_held_out_images(images: str):
    here = model(images=images)
    held_out = mixture(here, here.mean("test"))
    places = np.array([[2.5, -2.5], [2.5, 0.5], [3, 3], [-3, 3], [0, 0], [1, -1]])
    for place_, density in zip(places, mixture(here, places), strict=True):
        said = drawn(images=images, z=",".join(map(str, place_))).says
        is_far = density < np.quantile(held_out, 0.01)
        before, _, after = said.partition(": ")
        assert numbers_in(before) == ([pytest.approx(100 * (held_out > density).mean(), abs=0.1)] if is_far else [])
        near = np.argsort(np.square(here.mean("train")[:1000].astype(np.float16) - place_).sum(1))[:20]
        counts = np.bincount(here.labels("train")[near], minlength=10)
        count, of, top, *second = numbers_in(after)
        assert (count, of, counts[int(top)]) == (counts.max(), 20, counts.max())
        assert bool(second) == (count < 15) and (not second or second[0] == counts[int(second[1])])


@pytest.mark.parametrize("digit", range(10))
def test_a_start_is_a_crisp_image_of_its_class_and_not_far_out(digit: int):
    here = model()
    row, codes = here.clear_example(digit), here.mean("test")
    assert here.labels("test")[row] == digit and not here.is_far_out(codes[row : row + 1])[0]
    images = here.decode(codes)
    grey = (images * (1 - images)).sum((1, 2)) / images.sum((1, 2))
    assert grey[row] < np.median(grey[here.labels("test") == digit])
