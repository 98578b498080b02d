"""The spread of the codes of an autoencoder is that of each coordinate; the distance of their means is not a spread."""

from __future__ import annotations

import numpy as np
import pytest

import bdlviz
from bdlviz.fitted import shelf
from tests.told import numbers_in
from tests.topics.shared.page_results import result_of


@pytest.mark.parametrize("images", ["digits", "mnist", "mnist60000"])
@pytest.mark.parametrize(("label", "name"), [("Plain", "autoencoder"), ("VAE", "vae")])
def test_the_sd_of_codes_is_told_by_coordinate(images: str, label: str, name: str):
    codes = shelf.shipped(f"{name}_{images}_2d")[1]["train_mean"].astype(float)
    right = np.sqrt(((codes - codes.mean(0)) ** 2).mean(0))
    shown = result_of("autoencoder", {"look": "planes", "images": images}).numbers
    told = [numbers_in(value) for title, value in shown.items() if label in title]
    assert sum(len(each) == len(right) and np.allclose(each, right, rtol=0, atol=0.0051) for each in told) == 1


@pytest.mark.parametrize("part", ["train", "test"])
@pytest.mark.parametrize("weight", ["0", "0.001", "0.01", "0.1", "0.3", "1"])
def test_the_code_trains_the_weight_that_is_shown(weight: str, part: str, monkeypatch: pytest.MonkeyPatch):
    trained: list[tuple[str, dict[str, float]]] = []
    seen: list[np.ndarray] = []

    class Fake:
        def encode(self, x: np.ndarray):
            seen.append(x)
            return x, x

        def decode(self, codes: np.ndarray):
            seen.append(codes)

    def fit(method: str, data: object, **settings: float) -> Fake:
        trained.append((method, settings))
        return Fake()

    monkeypatch.setattr(bdlviz, "fit", fit)
    exec(result_of("autoencoder", {"kl_weight": weight, "part": part}).call, {})
    beta = {"beta": float(weight)} if float(weight) else {}
    assert trained == [("vae" if beta else "autoencoder", {"latent_dim": 2, **beta})]
    data = bdlviz.dataset("mnist-1000")
    np.testing.assert_array_equal(seen[0], data.x if part == "train" else data.x_test)
    np.testing.assert_array_equal(seen[1], np.random.Generator(np.random.SFC64(0)).standard_normal((25, 2), np.float32))
