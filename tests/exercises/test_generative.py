"""Exercises on generative models: numbers by other ways, settings by hand, claims on the shipped models."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import stats

from bdlviz.fitted import shelf
from bdlviz.predictive.latent import COLLAPSED, code_grid, traverse
from bdlviz.topics.generative.manifold import exercises as manifold_exercises
from bdlviz.topics.generative.vae import exercises as vae_exercises
from tests.exercises.answers import metrics, setting_of
from tests.told import numbers_in
from tests.ui.harness import controls


def test_four_dimensions_are_in_use():
    assert metrics("vae", {"images": "digits", "shown_epoch": "100"})["use"] == "4 of 20"
    assert 20 in numbers_in(vae_exercises.BEFORE_COLLAPSE.choice.question)


def test_the_range_is_the_smallest_with_99_per_cent_of_a_plane():
    shares = {reach: stats.chi2(1).cdf(float(reach) ** 2) ** 2 for reach in controls("manifold")["reach"].options}
    enough = [reach for reach, share in shares.items() if share >= 0.99]
    setting = setting_of(manifold_exercises.MANIFOLD)
    assert [reach for reach in shares if setting.is_met({"reach": reach})] == [min(enough, key=float)]


def test_the_second_coordinate_is_slant_and_the_first_one_weight():
    fit, _ = shelf.shipped("conditional_vae_mnist_2d")
    rows, columns = np.mgrid[:28, :28]

    def picture(label: int, first: float, second: float) -> np.ndarray:
        code = np.array([[first, second]], np.float32)
        return fit.given(label).decode(code).reshape(28, 28)  # type: ignore[attr-defined]

    def slant(label: int, second: float) -> float:
        image = picture(label, 2.0, second)
        x, y = columns - np.average(columns, weights=image), rows - np.average(rows, weights=image)
        return -float((image * x * y).sum() / (image * y**2).sum())

    assert all(slant(label, -2.0) < 0 < slant(label, 2.0) for label in range(10))
    ink = [sum(picture(label, first, 0.0).sum() for label in range(10)) for first in np.arange(-2, 2.5, 0.5)]
    assert int(np.argmin(ink)) == len(ink) - 1


def test_no_code_of_the_plain_autoencoder_is_near_the_middle():
    _, extra = shelf.shipped("autoencoder_mnist_2d")
    assert np.linalg.norm(extra["train_mean"].astype(float), axis=1).min() > 2


def test_codes_end_before_the_corners_and_strokes_do_not_blur_there():
    fit, extra = shelf.shipped("vae_mnist_2d")
    mean = extra["train_mean"].astype(float)
    assert (np.abs(mean) > 2).any(1).mean() == pytest.approx(0.29, abs=0.005)
    assert (np.linalg.norm(mean, axis=1) < 4.5).all()
    codes = code_grid(4, 15)
    images = fit.decode(codes)  # type: ignore[attr-defined]
    blur, radius = (images * (1 - images)).sum(1) / images.sum(1), np.linalg.norm(codes, axis=1)
    assert blur[radius > 4].mean() < 0.5 * blur[radius < 1].mean()
    middle = traverse(np.zeros(2), 0, np.zeros(1))
    assert float(fit.decode(middle).max()) < 0.9 < float(np.median(images[radius > 4].max(1)))  # type: ignore[attr-defined]


def test_four_is_the_smallest_weight_that_silences_all_dimensions():
    _, extra = shelf.shipped("betas_digits")
    used = (extra["kl_per_dimension"] > COLLAPSED).sum(1)
    betas = controls("likelihood")["kl_weight"].options
    assert betas[int(np.argmax(used == 0))] == "4" and used[betas.index("2")] == 4
