"""The pages on generative models without a browser: bad links, missing data, a visitor's own digit, the decoder."""

from __future__ import annotations

import io
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image

from bdlviz import data, shelf
from bdlviz.errors import InvalidInput
from bdlviz.fits import GenerativeFit
from bdlviz.predictive.surface import unpack
from bdlviz.types import Array
from bdlviz.ui.generative import own_digit, source
from bdlviz.ui.scrub import decoder, sketch
from tests.ui.harness import assert_works, figures, move, open_page

PAGES = ("vae", "latent_space", "manifold", "decode", "autoencoder")


def png(pixels: Array, mode: str = "L") -> bytes:
    """The bytes of a picture."""
    buffer = io.BytesIO()
    Image.fromarray(pixels, mode).save(buffer, format="PNG")  # type: ignore[arg-type]
    return buffer.getvalue()


def seven(height: int = 90, width: int = 60) -> Array:
    """Ink of a 7 on a sheet, from 0 to 255."""
    sheet = np.zeros((height, width), np.uint8)
    sheet[height // 6 : height // 4, width // 5 : -width // 5] = 255
    sheet[height // 6 : -height // 6, width // 2 : width // 2 + width // 8] = 255
    return sheet


@pytest.fixture
def no_mnist(monkeypatch: pytest.MonkeyPatch) -> None:
    """A computer without MNIST's files."""
    monkeypatch.setattr(data, "available", lambda name: name == "digits")


# The data are not there, or not what the link says ----------------------------------------------------------------


@pytest.mark.usefixtures("no_mnist")
@pytest.mark.parametrize("page", PAGES)
def test_pages_stand_on_their_checkpoints_alone(page: str):
    app = open_page(page)
    assert_works(app)
    assert not app.info


@pytest.mark.usefixtures("no_mnist")
def test_another_vae_without_the_data_gets_a_sentence_and_the_shipped_one():
    app = open_page("vae", {"beta": "4"})
    assert_works(app)
    [said] = [each.value for each in app.info]
    assert "BDLVIZ_DATA" in said and "8×8 digits" in said


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("beta", ["0", "100"])
def test_extreme_weights_of_the_kl_term(beta: str):
    assert_works(open_page("vae", {"images": "digits", "beta": beta}))


@pytest.mark.usefixtures("quick")
def test_more_images_than_there_are():
    app = open_page("vae", {"images": "digits", "num_data": "60000"})
    assert_works(app)
    assert any("1,437 training images: using all" in each.value for each in app.caption)


@pytest.mark.usefixtures("quick")
@pytest.mark.parametrize("likelihood", ["binarised_bernoulli", "continuous_bernoulli", "gaussian_pixels"])
def test_every_likelihood_has_its_pictures(likelihood: str):
    app = open_page("vae", {"images": "digits", "likelihood": likelihood})
    assert_works(app)
    for tab in ("log p(x)", "What is wrong"):
        app.session_state["tabs"] = tab
        assert_works(app.run())


def test_stopped_before_the_first_epoch(monkeypatch: pytest.MonkeyPatch):
    fit = cast(GenerativeFit, shelf.shipped("vae_digits_2d")[0])
    from bdlviz.ui.generative import training

    said: list[str] = []
    monkeypatch.setattr(training.st, "caption", said.append)
    stopped = training.Run(training.replace(fit, num_steps_done=0), "digits", None, {}, is_done=False)
    training._draw(stopped)
    assert said == ["No epoch is done yet: nothing to draw."]


@pytest.mark.parametrize(
    ("codes", "z"), [("2d", ",".join(["0.5"] * 20)), ("20d", "1,2"), ("2d", "nan,1"), ("2d", "a,b"), ("2d", "")]
)
def test_a_code_of_another_decoder_gets_one_sentence(codes: str, z: str):
    app = open_page("decode", {"codes": codes, "z": z})
    assert_works(app, warnings=1)
    assert f"{codes.removesuffix('d')} numbers" in app.warning[0].value


def test_the_place_in_the_link_is_kept():
    app = open_page("decode", {"z": "1.5,-0.25"})
    assert_works(app)
    assert app.query_params["z"] == "1.5,-0.25"
    assert "z" not in move(app, "start", "origin").query_params


def test_only_the_chosen_classes_are_shown():
    app = open_page("latent_space", {"classes": "47xx"})
    assert_works(app)
    assert [trace["name"] for trace in figures(app)[0]["data"]] == ["4", "7"]
    assert app.query_params["classes"] == "47"


def test_classes_and_colours_need_no_new_embedding(monkeypatch: pytest.MonkeyPatch):
    from bdlviz.ui.generative import embedding_job

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("t-SNE ran again")

    monkeypatch.setattr(embedding_job.embedding, "embed", refuse)
    app = open_page("latent_space", {"images": "digits"})
    for key, option in (("colour", "kl"), ("marks", "points"), ("part", "test")):
        assert_works(move(app, key, option))


def test_another_perplexity_ends_with_a_picture():
    app = open_page("latent_space", {"images": "digits", "part": "test", "perplexity": "10"})
    assert_works(app)


# The decoder of the browser --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["vae_mnist_2d", "vae_digits_20d"])
def test_the_block_holds_the_decoder(name: str):
    fit = cast(GenerativeFit, shelf.shipped(name)[0])
    header, arrays = unpack(decoder.decoder_block(fit))
    values = np.random.default_rng(0).normal(size=(5, header["sizes"][0]))
    codes, last = values, len(header["sizes"]) - 2
    for layer in range(last + 1):
        weight, bias = (arrays[f"{kind}{layer}"].view(np.float16).astype(float) for kind in ("weight", "bias"))
        values = values @ weight + bias
        values = np.maximum(values, 0) if layer < last else 1 / (1 + np.exp(-values))
    np.testing.assert_allclose(values, fit.decode(codes), atol=1e-4)


def test_the_block_of_a_large_decoder_is_small():
    fit = cast(GenerativeFit, shelf.shipped("vae_mnist_2d")[0])
    assert len(decoder.decoder_block(fit)) < 1_400_000


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
def test_a_commit_that_says_no_place(event: dict[str, Any]):
    assert decoder.committed(event, 2) is None


def test_a_commit_says_a_place():
    assert decoder.committed({"code": [1, -2.00049], "across": 1, "up": 0}, 2) == decoder.Place((1.0, -2.0), 1, 0)


@pytest.mark.parametrize("ink", [None, [], [1, 2, 3], "x", [float("inf")] * sketch.SIDE**2])
def test_a_sheet_that_says_no_ink(ink: Any):
    assert sketch.drawn({"ink": ink}) is None


# The visitor's own digit ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [(28, 28), (8, 8)])
@pytest.mark.parametrize("size", [(9, 6), (90, 60), (60, 90), (1200, 700)])
def test_a_digit_of_any_size_takes_the_form_of_the_data(shape: tuple[int, int], size: tuple[int, int]):
    digit = own_digit.to_digit(own_digit.read_image(png(seven(*size))), shape)
    assert digit.shape == shape and digit.dtype == np.float32
    assert digit.min() == 0 and digit.max() == 1
    if shape == (28, 28):
        rows, columns = (np.flatnonzero((digit > 0).any(axis)) for axis in (1, 0))
        assert max(np.ptp(rows), np.ptp(columns)) + 1 in (19, 20, 21)
        middle = (digit.sum(1) @ np.arange(28) / digit.sum(), digit.sum(0) @ np.arange(28) / digit.sum())
        np.testing.assert_allclose(middle, 13.5, atol=0.6)


def test_colour_alpha_and_inversion_make_no_difference():
    ink = seven()
    as_is = own_digit.read_image(png(ink))
    inverted = own_digit.read_image(png(255 - ink))
    coloured = np.zeros((*ink.shape, 3), np.uint8)
    coloured[..., 2] = ink
    transparent = np.full((*ink.shape, 4), 255, np.uint8)
    transparent[..., 3] = ink  # white ink on nothing
    on_nothing = np.zeros((*ink.shape, 4), np.uint8)
    on_nothing[..., 3] = ink  # black ink on nothing
    others = [png(coloured, "RGB"), png(transparent, "RGBA"), png(on_nothing, "RGBA")]
    for other in (inverted, *map(own_digit.read_image, others)):
        np.testing.assert_allclose(other, as_is, atol=0.02)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "not a picture"),
        (b"hello, world", "not a picture"),
        (png(seven())[:60], "not a picture"),
        (b"\0" * 3_000_000, "3 MB"),
        (png(np.full((30, 30), 128, np.uint8)), "blank"),
        (png(np.zeros((5000, 5000), np.uint8)), "5000×5000"),
    ],
)
def test_what_is_no_digit_gets_one_sentence(content: bytes, words: str):
    with pytest.raises(InvalidInput, match=words):
        own_digit.read_image(content)


def test_an_own_digit_is_encoded_where_its_class_is():
    found = data.load("digits")
    fit, extra = shelf.shipped("vae_digits_20d")
    here = source.Source("digits", cast(GenerativeFit, fit), extra)
    row = int(np.flatnonzero(found.y_test == 0)[0])
    large = np.kron(found.x_test[row].reshape(8, 8), np.ones((20, 20)))
    digit = own_digit.to_digit(own_digit.read_image(png((255 * large).astype(np.uint8))), (8, 8))
    mean, _ = here.fit.encode(digit.reshape(1, -1))
    nearest = np.linalg.norm(here.mean("train") - mean, axis=1).argsort()[:5]
    assert (here.labels("train")[nearest] == 0).sum() >= 4
