"""The spread of the codes of an autoencoder is that of each coordinate; the distance of their means is not a spread."""

from __future__ import annotations

import re

import numpy as np
import pytest

from bdlviz.fitted import shelf
from tests.topics.shared.page_results import reading, result_of


@pytest.mark.parametrize("images", ["digits", "mnist", "mnist60000"])
@pytest.mark.parametrize(("label", "name"), [("Plain", "autoencoder"), ("VAE", "vae")])
def test_the_sd_of_codes_is_told_by_coordinate(images: str, label: str, name: str):
    codes = shelf.shipped(f"{name}_{images}_2d")[1]["train_mean"].astype(float)
    right = np.sqrt(((codes - codes.mean(0)) ** 2).mean(0))
    told = reading(result_of("autoencoder", {"images": images}), label)
    assert [float(each) for each in re.findall(r"[\d.]+", told)] == pytest.approx(right, abs=0.0051)
