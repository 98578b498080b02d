"""What holds for all figures: colours and fonts come from the theme and from nowhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any

import numpy as np
import plotly.graph_objects as go
import pytest

from bdlviz import plots
from bdlviz.plots.theme import Theme, rgb, theme
from bdlviz.types import Dataset, Predictive

RNG = np.random.default_rng(0)
COURSE = plots.Course(np.arange(1, 10), {name: -RNG.random(9) for name in ("elbo", "reconstruction", "kl")})
Build = Callable[[Theme, Predictive, Dataset], go.Figure]

FIGURES: dict[str, Build] = {
    "function_draws": lambda look, p, d: plots.function_draws(
        p, d, theme=look, highlighted=1, show=plots.SHOW | {"held_out"}, reference=p
    ),
    "small_multiples": lambda look, p, d: plots.small_multiples([("A", p), ("B", p)], d, theme=look),
    "prior_and_posterior": lambda look, p, d: plots.prior_and_posterior(
        p.x, p.draws[:, :, 0], p.draws[:, :, 0], d, theme=look
    ),
    "held_out_curve": lambda look, p, d: plots.held_out_curve(
        np.logspace(-5, -1, 5), RNG.random((3, 5)), metric="NLL in nats", chosen=1, theme=look
    ),
    "learning_curves": lambda look, p, d: plots.learning_curves(
        {name: 1 + RNG.random(9) for name in "abcd"}, np.arange(9), theme=look
    ),
    "network": lambda look, p, d: plots.network((1, 32, 1), [RNG.random(32) < 0.5], theme=look),
    "two_spikes": lambda look, p, d: plots.two_spikes(RNG.normal(size=5), 0.2, theme=look),
    "manifold": lambda look, p, d: plots.manifold(RNG.random((9, 4, 4)), (-2, 2, -2, 2), chosen=3, theme=look),
    "latent_scatter": lambda look, p, d: plots.latent_scatter(RNG.random((40, 2)), np.arange(40) % 10, theme=look),
    "manifold_with_codes": lambda look, p, d: plots.manifold(
        RNG.random((9, 4, 4)), (-2, 2, -2, 2), overlay=(RNG.random((40, 2)), np.arange(40) % 10), theme=look
    ),
    "digits_of_codes": lambda look, p, d: plots.latent_scatter(
        RNG.random((40, 2)), np.arange(40) % 10, marks="digits", chosen=[3], hover=["a"] * 40, theme=look
    ),
    "ellipses_of_codes": lambda look, p, d: plots.latent_scatter(
        RNG.random((40, 2)), np.arange(40) % 10, marks="ellipses", std=RNG.random((40, 2)), classes=[1, 2], theme=look
    ),
    "values_of_codes": lambda look, p, d: plots.latent_scatter(
        RNG.random((40, 2)), np.arange(40) % 10, values=RNG.random(40), values_label="KL (nats)", theme=look
    ),
    "posterior_bars": lambda look, p, d: plots.posterior_bars(RNG.normal(size=20), RNG.random(20), theme=look),
    "elbo_curves": lambda look, p, d: plots.elbo_curves(
        COURSE, COURSE, published=(-400.0, -218.0), num_epochs=9, chosen=3, theme=look
    ),
    "kl_by_dimension": lambda look, p, d: plots.kl_by_dimension(
        np.arange(9), RNG.random((9, 5)) * np.arange(5), num_epochs=9, theme=look
    ),
    "identity_bars": lambda look, p, d: plots.identity_bars(-70.0, 25.0, 3.0, theme=look),
    "bounds_against_samples": lambda look, p, d: plots.bounds_against_samples(
        np.array([1, 5, 500]), np.array([-103.0, -101.0, -99.0]), -103.0, -97.0, theme=look
    ),
    "gradient_variances": lambda look, p, d: plots.gradient_variances(
        np.array([1, 10, 100]), {name: RNG.random(3) for name in "abc"}, theme=look
    ),
    "posterior_contours": lambda look, p, d: plots.posterior_contours(
        np.arange(5.0), np.arange(4.0), RNG.random((4, 5)), np.ones(2), np.ones(2), theme=look
    ),
    "pixel_densities": lambda look, p, d: plots.pixel_densities(
        {name: RNG.random(9) for name in "abc"}, np.linspace(0, 1, 9), theme=look
    ),
    "two_posteriors": lambda look, p, d: plots.two_posteriors(theme=look),
    "taxonomy": lambda look, p, d: plots.taxonomy(theme=look),
    "differences": lambda look, p, d: plots.differences(
        [plots.Compared("a", 0.4, 0.2, 2, 2, True), plots.Compared("b", 9, 0.2, 2, np.inf, False)],
        unit="nats",
        theme=look,
    ),
    "coverage": lambda look, p, d: plots.coverage([("Lecture 0", 8, 3), ("Lecture 1", 0, 7)], theme=look),
    "keep_probabilities": lambda look, p, d: plots.keep_probabilities(RNG.random((4, 4)), theme=look),
    "keep_histograms": lambda look, p, d: plots.keep_histograms({"Input": RNG.random(30)}, theme=look),
}

ALL = pytest.mark.parametrize("build", FIGURES.values(), ids=FIGURES)
LOOKS = pytest.mark.parametrize("look", [theme("light"), theme("dark"), theme("dark", presenter=True)])


def walk(value: Any) -> Iterator[dict[str, Any]]:
    """Every object inside a figure."""
    children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    if isinstance(value, dict):
        yield value
    for child in children:
        yield from walk(child)


def palette(look: Theme) -> set[tuple[int, int, int]]:
    named = [getattr(look, field.name) for field in fields(look)]
    colors = [value for value in named if isinstance(value, str) and value.startswith("#")] + list(look.classes)
    return {rgb(color) for color in colors} | {rgb(look.text(color)) for color in colors}


@ALL
@LOOKS
def test_colours_come_from_the_theme(build: Build, look: Theme, predictive: Predictive, data: Dataset) -> None:
    text = build(look, predictive, data).to_json() or ""
    text = re.sub(r'"source":"data:[^"]*"|"bdata":"[^"]*"', "", text)
    used = {rgb(color) for color in re.findall(r"#[0-9A-Fa-f]{6}", text)}
    used |= {tuple(map(int, parts)) for parts in re.findall(r"rgba?\((\d+),(\d+),(\d+)", text)}
    assert used <= palette(look)
    assert look.paper in text


@ALL
@LOOKS
def test_fonts_come_from_the_theme(build: Build, look: Theme, predictive: Predictive, data: Dataset) -> None:
    fonts = [one for one in walk(json.loads(build(look, predictive, data).to_json() or "")) if "family" in one]
    assert {font["family"] for font in fonts} == {look.font_family}
    assert min(font["size"] for font in fonts) == look.small_size >= 14


@ALL
def test_axes_are_fixed_and_figures_carry_no_title(build: Build, predictive: Predictive, data: Dataset) -> None:
    layout = build(theme("light"), predictive, data).to_dict()["layout"]
    axes = [value for key, value in layout.items() if key.startswith(("xaxis", "yaxis"))]
    assert axes and all(one["fixedrange"] and len(one["range"]) == 2 for one in axes)
    assert "title" not in layout


@ALL
def test_numbers_travel_as_float32_or_integers(build: Build, predictive: Predictive, data: Dataset) -> None:
    figure = json.loads(build(theme("light"), predictive, data).to_json() or "")
    kinds = {one["dtype"] for one in walk(figure["data"]) if "bdata" in one}
    assert kinds <= {"f4", "i1", "u1", "i2", "i4"}
    lists = [one[key] for one in figure["data"] for key in ("x", "y", "z") if isinstance(one.get(key), list)]
    assert not lists
