"""Exercises and predictions of the page generative/manifold, with their checks."""

from __future__ import annotations

from collections.abc import Mapping

from scipy.special import ndtr

from bdlviz.lectures.exercise import Choice, Exercise, Number, Prediction, Setting
from bdlviz.predictive import latent


def _holds_99_percent(options: Mapping[str, str]) -> bool:
    """The smallest range on the slider whose square has 99 % of the prior is 3."""
    reach = float(options["reach"])
    return (1 - 2 * ndtr(-reach)) ** 2 >= 0.99 and reach <= 3


MANIFOLD: tuple[Exercise, ...] = (
    Number(
        "Five digits a side over ±2, with equal prior mass between them: at which z₁ is the fourth column? Even "
        "steps would put it at 1.",
        lambda: float(latent.code_grid(2, 5, "quantile")[3, 0]),
        0.03,
        "Two of the four steps lie within ±0.64: where the density of the prior is high, there are many pictures.",
        "The prior mass between neighbouring columns is a quarter of Φ(2) − Φ(−2) = 0.954.",
    ),
    Setting(
        "Choose the smallest range whose square holds 99 % of the prior's codes.",
        _holds_99_percent,
        {"reach": "3"},
        "$(1 - 2\\Phi(-a))^2$: 91 % at 2, 97.5 % at 2.5, 99.5 % at 3. Both coordinates have to be inside.",
        "One coordinate is within ±2.6 in 99 % of the draws; two must be inside at once.",
    ),
    Choice(
        "Show the training codes over ±2: 29 % lie outside, though only 9 % of the prior's draws would. What follows?",
        (
            "The decoder is too small.",
            "Codes drawn from the prior give some kinds of images too seldom: the codes of images are wider than the "
            "prior.",
            "The KL term counts too much.",
        ),
        1,
        "The average q(z|x) need not be the prior. Here the coordinates of the codes have sds of 1.46 and 1.39, and "
        "images with codes far out are seldom drawn.",
        "Compare the codes of images with draws from N(0, I).",
    ),
)

BEFORE_PRIOR_MASS = Prediction(
    Choice(
        "Now equal prior mass between two pictures instead of even steps. In which part of the plane are there more "
        "pictures than before?",
        ("Near the border.", "In the middle.", "In none: it is the same grid, only stretched."),
        1,
        "The density of N(0, I) is highest there, so steps of equal mass are shortest.",
    ),
    {},
)

BEFORE_FAR = Prediction(
    Choice(
        "The range is now ±4, with corners where there are no codes. What does the decoder draw there?",
        ("Blurred images.", "Noise.", "Strokes as sharp as elsewhere."),
        2,
        "Its pictures look like those at the border of the codes. Nothing in them shows that no image has its code "
        "there.",
    ),
    {},
)
