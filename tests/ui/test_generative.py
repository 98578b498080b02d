"""The pages on generative models without a browser: bad links, missing data, a visitor's own digit, the decoder."""

from __future__ import annotations

import gzip
import io
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest
from PIL import Image

from bdlviz import data, fits
from bdlviz.data import images
from bdlviz.errors import InvalidInput
from bdlviz.fits import GenerativeFit
from bdlviz.fitted import shelf
from bdlviz.predictive.surface import unpack
from bdlviz.topics.generative.vae import views_training as vae_views_training
from bdlviz.topics.shared import codemap, generative_source, own_digit
from bdlviz.types import Array
from bdlviz.ui import cache
from bdlviz.ui.scrub import decoder, sketch
from tests import idx_files
from tests.ui.harness import assert_works, figures, move, open_page

PAGES = ("vae", "latent_space", "manifold", "decode", "autoencoder", "likelihood", "conditional")


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


# The data are not there, or not what the link says ----------------------------------------------------------------


def test_fashion_is_offered_where_its_files_are(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(data, "available", lambda name: name != "fashion-mnist")
    assert vae_views_training.images_control() is generative_source.IMAGES
    app = open_page("vae", {"images": "fashion"})
    assert_works(app, warnings=1)
    assert "not on offer" in app.warning[0].value


@pytest.mark.usefixtures("quick")
def test_a_vae_of_fashion_is_trained(monkeypatch: pytest.MonkeyPatch):
    clothes = replace(data.load("digits", num_data=200), name="fashion-mnist", title="Fashion-MNIST")
    monkeypatch.setattr(data, "available", lambda name: True)
    monkeypatch.setattr(generative_source, "whole", lambda name, num_data: clothes)
    app = open_page("vae", {"images": "fashion"})
    assert_works(app)
    assert not app.info and len(figures(app)) == 1


def test_damaged_files_of_fashion_get_a_sentence_and_no_other_picture(monkeypatch: pytest.MonkeyPatch):
    def refuse(name: str, num_data: int | None) -> None:
        raise InvalidInput("The file train-images-idx3-ubyte.gz is truncated: fetch it again.")

    monkeypatch.setattr(data, "available", lambda name: True)
    monkeypatch.setattr(generative_source, "whole", refuse)
    app = open_page("vae", {"images": "fashion"})
    assert not app.exception
    assert ["truncated" in each.value for each in app.error] == [True] and not figures(app)


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
    said: list[str] = []
    monkeypatch.setattr(vae_views_training.st, "caption", said.append)
    stopped = vae_views_training.Run(
        vae_views_training.replace(fit, num_steps_done=0), "digits", data.load("digits"), {}
    )
    vae_views_training._draw(stopped)
    assert said == ["No epoch is done yet: nothing to draw."]


@pytest.mark.parametrize("steps", [0, 1])
def test_every_tab_after_a_stop_in_the_first_epoch(steps: int, monkeypatch: pytest.MonkeyPatch):
    stopped = fits.fit("vae", "digits", num_epochs=50, hidden=(16,), latent_dim=20, cancel=_SetAfter(steps))
    assert stopped.num_steps_done == steps
    monkeypatch.setattr(vae_views_training, "obtain", lambda wanted, draw: (draw(stopped), stopped)[1])
    app = open_page("vae", {"images": "digits", "epochs": "50"})
    assert not app.exception and any("No epoch is done" in each.value for each in app.caption)
    for tab in [tab.label for tab in app.tabs]:
        app.session_state["tabs"] = tab
        assert not app.run().exception, tab


class _SetAfter(threading.Event):
    """An event that is set once it was asked a number of times."""

    def __init__(self, times: int) -> None:
        super().__init__()
        self.left = times

    def is_set(self) -> bool:
        self.left -= 1
        return self.left < 0


@pytest.mark.parametrize("part", ["truncated", "altered"])
def test_damaged_files_of_mnist_get_a_sentence_and_no_other_picture(
    part: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    (tmp_path / "mnist").mkdir()
    for name in images.MNIST.names:
        content = gzip.compress(idx_files.encode(np.zeros((3, 28, 28) if "images" in name else 3, np.uint8)))
        (tmp_path / name).write_bytes(content[:-9] if part == "truncated" else content)
    monkeypatch.setenv("BDLVIZ_DATA", str(tmp_path))
    cache.DATA.clear()
    app = open_page("vae", {"images": "mnist60000", "beta": "4"})
    assert not app.exception and not figures(app)
    [said] = [each.value for each in app.error]
    assert "train-images" in said and "fetch it again" in said


@pytest.mark.parametrize(
    ("codes", "z"), [("2d", ",".join(["0.5"] * 20)), ("20d", "1,2"), ("2d", "nan,1"), ("2d", "a,b"), ("2d", "")]
)
def test_a_code_of_another_decoder_gets_one_sentence(codes: str, z: str):
    app = open_page("decode", {"codes": codes, "z": z})
    assert_works(app, warnings=1)
    assert f"{codes.removesuffix('d')} numbers" in app.warning[0].value


@pytest.mark.parametrize("page", ["manifold", "autoencoder", "conditional"])
@pytest.mark.parametrize(("key", "asked"), [("codes", "20d"), ("latent_dim", "20"), ("codes", "<b>")])
def test_a_page_of_planes_says_so_to_a_link_for_longer_codes(page: str, key: str, asked: str):
    app = open_page(page, {key: asked})
    assert_works(app, warnings=1)
    assert "codes of 2 dimensions" in app.warning[0].value
    assert not open_page(page, {key: "2"}).warning


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


@pytest.mark.parametrize(
    ("numbers", "rows"),
    [("", []), ("7", [6]), ("3, 5,", [2, 4]), (" 8 - 10 ", [7, 8, 9]), ("2–3,2", [1, 2]), ("100", [99])],
)
def test_images_are_chosen_by_number(numbers: str, rows: list[int]):
    assert codemap.rows_of(numbers, 100) == rows


@pytest.mark.parametrize("numbers", ["0", "101", "9-3", "a", "-4", "4-", "1.5", "²", "1-999999999999"])
def test_a_number_of_no_image_gets_one_sentence(numbers: str):
    with pytest.raises(InvalidInput, match="names none of the images 1 to 100"):
        codemap.rows_of(numbers, 100)


@pytest.mark.parametrize(("asked", "said"), [("7", "a "), ("40-60", "21 images"), ("1-1437", "1437 images")])
def test_a_link_may_name_images(asked: str, said: str):
    app = open_page("latent_space", {"images": "digits", "chosen_images": asked})
    assert_works(app)
    assert app.query_params["chosen_images"] == asked
    assert any(each.value.startswith("**Chosen") and said in each.value for each in app.markdown)
    assert len(figures(app)) == 2


def test_a_link_that_names_no_image_gets_one_sentence():
    app = open_page("latent_space", {"images": "digits", "chosen_images": "5-<b>"})
    assert_works(app, warnings=1)
    assert "names none of the images 1 to 1,437" in app.warning[0].value


def test_classes_and_colours_need_no_new_embedding(monkeypatch: pytest.MonkeyPatch):
    from bdlviz.topics.generative.latent_space import views_embedding as latent_space_views_embedding

    def refuse(*_: Any, **__: Any) -> None:
        raise AssertionError("t-SNE ran again")

    monkeypatch.setattr(latent_space_views_embedding.embedding, "embed", refuse)
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
    here = generative_source.Source("digits", cast(GenerativeFit, fit), extra)
    row = int(np.flatnonzero(found.y_test == 0)[0])
    large = np.kron(found.x_test[row].reshape(8, 8), np.ones((20, 20)))
    digit = own_digit.to_digit(own_digit.read_image(png((255 * large).astype(np.uint8))), (8, 8))
    mean, _ = here.fit.encode(digit.reshape(1, -1))
    nearest = np.linalg.norm(here.mean("train") - mean, axis=1).argsort()[:5]
    assert (here.labels("train")[nearest] == 0).sum() >= 4
