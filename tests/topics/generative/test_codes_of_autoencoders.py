"""The spread of the codes of an autoencoder is that of each coordinate; the distance of their means is not a spread."""

from __future__ import annotations

import numpy as np
import pytest

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
