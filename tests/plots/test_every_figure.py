"""What holds for all figures: colours and fonts come from the theme and from nowhere else."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import fields
from typing import Any, get_args

import numpy as np
import plotly.graph_objects as go
import pytest

from bdlviz import plots
from bdlviz.errata import figures as errata_figures
from bdlviz.errata.figures import Curve, Map, Maps, Panel, Role
from bdlviz.plots.theme import Theme, rgb, theme
from bdlviz.topics.generative.autoencoder import figures as autoencoder_figures
from bdlviz.topics.generative.conditional import figures as conditional_figures
from bdlviz.topics.generative.latent_space import figures as latent_space_figures
from bdlviz.topics.generative.likelihood import figures as likelihood_figures
from bdlviz.topics.generative.vae import figures as vae_figures
from bdlviz.topics.generative.vae import figures_bounds, figures_posteriors
from bdlviz.topics.results.figure_index import figures as figure_index_figures
from bdlviz.topics.results.register import figures as register_figures
from bdlviz.topics.results.scoreboard import figures as scoreboard_figures
from bdlviz.topics.shared import grey_pixel_figure
from bdlviz.topics.weights.bayes_by_backprop import figures as bayes_by_backprop_figures
from bdlviz.topics.weights.bayes_by_backprop import figures_costs as bayes_by_backprop_figures_costs
from bdlviz.topics.weights.bayes_by_backprop import figures_functions as bayes_by_backprop_figures_functions
from bdlviz.topics.weights.bayes_by_backprop import figures_gradients as bayes_by_backprop_figures_gradients
from bdlviz.topics.weights.compression import figures as compression_figures
from bdlviz.topics.weights.compression import figures_results as compression_figures_results
from bdlviz.topics.weights.signal_to_noise import figures as signal_to_noise_figures
from bdlviz.topics.weights.signal_to_noise.figures import Line, Meaning
from bdlviz.topics.weights.sparsity import figures as sparsity_figures
from bdlviz.topics.weights.sparsity import figures_one as sparsity_figures_one
from bdlviz.topics.weights.sparsity import figures_pixels as sparsity_figures_pixels
from bdlviz.topics.weights.variational_dropout import figures as variational_dropout_figures
from bdlviz.types import Dataset, Predictive
from tests.plots import examples_of_truth

RNG = np.random.default_rng(0)
HISTORY = vae_figures.History(np.arange(1, 10), {name: -RNG.random(9) for name in ("elbo", "reconstruction", "kl")})
SOFTMAX = RNG.dirichlet(np.ones(10), 20).astype(np.float32)  # (S, K)
Build = Callable[[Theme, Predictive, Dataset], go.Figure]


def errata_maps() -> Maps:
    values = np.linspace(0, 1, 16).reshape(4, 4)
    return Maps([Map("as shown", values, "wrong"), Map("as meant", 1 - values, "right")], "Probability", "It differs.")


def errata_curves(num_panels: int) -> errata_figures.Comparison:
    """Every role of a curve, on axes of both kinds."""
    x = np.linspace(1, 10, 5)
    curves = [Curve(role, x, RNG.random((3, 5) if role.endswith("draws") else 5), role) for role in get_args(Role)]
    is_log = (num_panels == 1, False)
    return errata_figures.Comparison([Panel(curves, "A")] * num_panels, "x", "y", (1.0, 10.0), (0.0, 1.0), is_log)


FIGURES: dict[str, Build] = {
    "function_draws": lambda look, p, d: plots.function_draws(
        p, d, theme=look, highlighted=1, show=plots.SHOW | {"held_out"}, reference=plots.Reference(p)
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
    "posterior_bars": lambda look, p, d: latent_space_figures.posterior_bars(
        RNG.normal(size=20), RNG.random(20), theme=look
    ),
    "elbo_curves": lambda look, p, d: vae_figures.elbo_curves(
        HISTORY, HISTORY, published=(-400.0, -218.0), num_epochs=9, chosen=3, theme=look
    ),
    "kl_by_dimension": lambda look, p, d: vae_figures.kl_by_dimension(
        np.arange(9), RNG.random((9, 5)) * np.arange(5), num_epochs=9, theme=look
    ),
    "identity_bars": lambda look, p, d: figures_bounds.identity_bars(-70.0, 25.0, 3.0, theme=look),
    "bounds_against_samples": lambda look, p, d: figures_bounds.bounds_against_samples(
        np.array([1, 5, 500]), np.array([-103.0, -101.0, -99.0]), -103.0, -97.0, theme=look
    ),
    "grey_values": lambda look, p, d: likelihood_figures.grey_values(
        {name: RNG.random(50) for name in "abcd"}, RNG.random(50), theme=look
    ),
    "collapse_by_weight": lambda look, p, d: likelihood_figures.collapse_by_weight(
        ["0", "1", "10"], RNG.random((3, 4)), chosen=1, theme=look
    ),
    "bounds_by_class": lambda look, p, d: conditional_figures.bounds_by_class(RNG.random(10), 3, theme=look),
    "bounds_of_one_image": lambda look, p, d: figures_bounds.bounds_against_samples(
        np.array([1, 5]), np.array([-9.0, -8.0]), -9.0, -7.0, error=RNG.random(2), truth=-7.5, chosen=5, theme=look
    ),
    "gradient_variances": lambda look, p, d: figures_bounds.gradient_variances(
        np.array([1, 10, 100]), {name: RNG.random(3) for name in "abc"}, theme=look
    ),
    "posterior_contours": lambda look, p, d: figures_bounds.posterior_contours(
        np.arange(5.0), np.arange(4.0), RNG.random((4, 5)), np.ones(2), np.ones(2), theme=look
    ),
    "pixel_densities": lambda look, p, d: grey_pixel_figure.pixel_densities(
        {name: RNG.random(9) for name in "abc"}, np.linspace(0, 1, 9), theme=look
    ),
    "reliability_diagram": lambda look, p, d: scoreboard_figures.reliability_diagram(
        scoreboard_figures.Binned(RNG.random(5), RNG.random(5), np.array([0, 20, 30, 40, 900])),
        scoreboard_figures.Binned(RNG.random(5), RNG.random(5), np.array([0, 20, 30, 40, 900])),
        edges=np.linspace(0, 1, 6),
        num_answers=198,
        theme=look,
    ),
    "rotation_curves": lambda look, p, d: scoreboard_figures.rotation_curves(
        np.arange(0.0, 181.0, 30.0),
        {name: 1 + RNG.random(7) for name in "ab"},
        {name: RNG.random(7) for name in "ab"},
        RNG.random(7),
        chosen="a",
        theme=look,
    ),
    "risk_coverage": lambda look, p, d: scoreboard_figures.risk_coverage(
        {name: RNG.random(20) / 9 for name in "abc"}, chosen="b", refused=0.2, theme=look
    ),
    "entropy_histograms": lambda look, p, d: scoreboard_figures.entropy_histograms(
        RNG.random(50), 2 * RNG.random(50), names=("digits", "others"), top=2.3, theme=look
    ),
    "accuracies": lambda look, p, d: scoreboard_figures.accuracies(
        [
            scoreboard_figures.Accuracies("a", (90.2, 0.3), (90.1, 0.2)),
            scoreboard_figures.Accuracies("b", None, (89.0, 0.4)),
        ],
        x_range=(88, 91),
        theme=look,
    ),
    "two_posteriors": lambda look, p, d: figures_posteriors.two_posteriors(theme=look),
    "taxonomy": lambda look, p, d: autoencoder_figures.taxonomy(theme=look),
    "differences": lambda look, p, d: register_figures.differences(
        [
            register_figures.Compared("a", 0.4, 0, 0.8, 2, 2, True),
            register_figures.Compared("b", 9, 8, 10, 0, 0, False, 7),
        ],
        unit="nats",
        theme=look,
    ),
    "verdict_counts": lambda look, p, d: register_figures.verdict_counts(
        [("Lee", (5, 1, 0, 2)), ("A paper", (0, 2, 1, 0))], verdicts=("a", "b", "c", "d"), theme=look
    ),
    "figure_counts": lambda look, p, d: figure_index_figures.figure_counts(
        [("Lecture 0", 8), ("Lecture 1", 7)], theme=look
    ),
    "wrong_and_right": lambda look, p, d: errata_figures.wrong_and_right(errata_curves(1), theme=look),
    "wrong_and_right_stacked": lambda look, p, d: errata_figures.wrong_and_right(
        errata_curves(2), theme=look, stacked=True
    ),
    "wrong_and_right_maps": lambda look, p, d: errata_figures.wrong_and_right(errata_maps(), theme=look),
    "keep_probabilities": lambda look, p, d: plots.keep_probabilities(RNG.random((4, 4)), theme=look),
    "rate_paths": lambda look, p, d: plots.rate_paths(
        np.arange(4),
        np.sort(RNG.random((4, 2, 5))),
        names=["Pixels", "Hidden"],
        other=(np.arange(4), RNG.random((4, 2, 5)), "other"),
        theme=look,
    ),
    "relaxed_bernoulli": lambda look, p, d: plots.relaxed_bernoulli(
        np.linspace(0.1, 0.9, 5), RNG.random(5), np.sort(RNG.random(5)), dropout_rate=0.2, theme=look
    ),
    "score_against_rate": lambda look, p, d: plots.score_against_rate(
        np.linspace(0, 0.9, 4),
        RNG.random((2, 3, 4)),
        (16, 64, 256),
        chosen=1,
        concrete=(RNG.random((2, 3)), RNG.random((2, 3))),
        label="Held-out NLL (nats)",
        y_range=(0.0, 1.0),
        theme=look,
    ),
    "against_setting": lambda look, p, d: plots.against_setting(
        np.array([10.0, 100, 1000]),
        [
            plots.Panel("a", "sd", (0.0, 1.0), [plots.Series("wide", RNG.random((2, 3)))], [(10, 0.5)], truth=0.5),
            plots.Panel("b", "sd", (0.0, 1.0), [plots.Series("wide", RNG.random((1, 3)), "mean", "dash")]),
        ],
        x_label="Data points N",
        theme=look,
    ),
    "softmax_draws": lambda look, p, d: plots.softmax_draws(
        SOFTMAX, SOFTMAX.mean(0), expected_entropy=1.2, mutual_information=0.4, one_pass=SOFTMAX[0], label=3, theme=look
    ),
    "shift_course": lambda look, p, d: plots.shift_course(
        np.arange(5.0),
        SOFTMAX[:, None].repeat(5, 1).swapaxes(0, 1),
        RNG.random(5),
        RNG.random(5),
        RNG.random((5, 8, 8)),
        label="Angle (degrees)",
        theme=look,
    ),
    "uncertainty_plane": lambda look, p, d: plots.uncertainty_plane(
        RNG.random(40),
        RNG.random(40),
        RNG.random(40) < 0.2,
        chosen=[3],
        course=(RNG.random(4), RNG.random(4), "b"),
        theme=look,
    ),
    "accuracy_by_samples": lambda look, p, d: plots.accuracy_by_samples(
        np.array([1, 10, 100]), RNG.random((3, 3)), RNG.random((3, 3)), RNG.random(3), theme=look
    ),
    "contact_sheet": lambda look, p, d: plots.contact_sheet(
        RNG.random((5, 8, 8)), 3, names="abcde", is_wrong=np.arange(5) == 2, rows=np.arange(5), chosen=1, theme=look
    ),
    "weights_left": lambda look, p, d: sparsity_figures_pixels.weights_left(
        RNG.integers(0, 9, (4, 4)), RNG.random((4, 4)), num_units=9, theme=look
    ),
    "unit_weights": lambda look, p, d: sparsity_figures_pixels.unit_weights(
        RNG.normal(size=(3, 4, 4)), RNG.random((3, 4, 4)) < 0.3, names="abc", columns=2, theme=look
    ),
    "noise_histograms": lambda look, p, d: sparsity_figures.noise_histograms(
        np.linspace(-15, 15, 61),
        {name: RNG.integers(0, 99, 60) for name in "abc"},
        threshold=3.0,
        thresholds=np.linspace(-8, 8, 33),
        accuracy=RNG.random(33),
        theme=look,
    ),
    "signal_and_noise": lambda look, p, d: sparsity_figures.signal_and_noise(
        RNG.normal(-3, 2, 99), RNG.normal(-1, 1, 99), threshold=1.0, theme=look
    ),
    "sparsity_course": lambda look, p, d: sparsity_figures.sparsity_course(
        np.arange(1.0, 5),
        RNG.random((4, 3)),
        accuracy=RNG.random(4),
        compression=np.array([1.0, 10, 100, np.inf]),
        misfit=RNG.random(4),
        kl=RNG.random(4),
        layers=["a", "b", "c"],
        warm_up=2.0,
        theme=look,
    ),
    "trade_off": lambda look, p, d: sparsity_figures_one.trade_off(
        np.linspace(-9, 9, 9),
        RNG.random(9),
        RNG.random(9),
        best=1.0,
        others=RNG.random((2, 9)),
        course=(np.linspace(-9, 9, 9), np.logspace(3, 0, 9)),
        strength=2.0,
        pruned=3.0,
        theme=look,
    ),
    "budget": lambda look, p, d: sparsity_figures_one.budget(
        [sparsity_figures_one.Paid("a", 0.5, 1.0, "says"), sparsity_figures_one.Paid("b", 2.3, 0.0, is_chosen=True)],
        nothing=2.3,
        theme=look,
    ),
    "keep_histograms": lambda look, p, d: plots.keep_histograms({"Input": RNG.random(30)}, theme=look),
    "quartile_panels": lambda look, p, d: bayes_by_backprop_figures_functions.quartile_panels(
        [("A", p.draws[:, :, 0]), ("B", p.draws[:1, :, 0])], p.x[:, 0], d, theme=look
    ),
    "prior_and_weights": lambda look, p, d: bayes_by_backprop_figures.prior_and_weights(
        np.linspace(-2, 2, 9), RNG.random(9), RNG.random((2, 9)), RNG.random(9), RNG.normal(size=30), theme=look
    ),
    "prior_and_weights_log": lambda look, p, d: bayes_by_backprop_figures.prior_and_weights(
        np.linspace(-2, 2, 9),
        RNG.random(9),
        RNG.random((0, 9)),
        RNG.random(9),
        RNG.normal(size=30),
        is_log=True,
        theme=look,
    ),
    "weight_over_training": lambda look, p, d: bayes_by_backprop_figures.weight_over_training(
        np.linspace(-2, 2, 9),
        RNG.random((4, 9)),
        RNG.random(9),
        np.arange(1, 5),
        RNG.normal(size=4),
        RNG.random(4),
        chosen=1,
        theme=look,
    ),
    "description_bars": lambda look, p, d: bayes_by_backprop_figures_costs.description_bars(
        np.arange(1, 5),
        RNG.random((4, 2)),
        ("0", "1"),
        RNG.random((2, 2)),
        1.2,
        chosen=1,
        y_label="bits per point",
        y_range=(0.0, 2.0),
        theme=look,
    ),
    "gradient_noise": lambda look, p, d: bayes_by_backprop_figures_gradients.gradient_noise(
        np.array([1, 4, 16]),
        np.sort(RNG.random((3, 3))),
        {name: np.sort(RNG.random((3, 3))) for name in "abc"},
        chosen=1,
        y_range=(-3.0, 1.0),
        theme=look,
    ),
    "removal_curves": lambda look, p, d: signal_to_noise_figures.removal_curves(
        [Line(of, np.array([0.0, 0.9, 1.0]), 1 + 80 * RNG.random(3), of) for of in get_args(Meaning)],
        0.9,
        RNG.random((8, 8)),
        theme=look,
    ),
    "signal_to_noise": lambda look, p, d: signal_to_noise_figures.signal_to_noise(
        {"all weights": RNG.normal(size=90), "layer 1": RNG.normal(size=50)}, 1.0, RNG.normal(size=(8, 8)), theme=look
    ),
    "weight_histograms": lambda look, p, d: signal_to_noise_figures.weight_histograms(
        np.linspace(-1, 1, 401), {of: (RNG.integers(1, 9, 400), of) for of in get_args(Meaning)}, theme=look
    ),
    "errors_over_training": lambda look, p, d: signal_to_noise_figures.errors_over_training(
        [Line(of, np.arange(1, 9), 1 + 80 * RNG.random(8), of) for of in get_args(Meaning)],
        x_label="Epochs",
        theme=look,
    ),
    "noise_pair": lambda look, p, d: variational_dropout_figures.noise_pair(
        np.linspace(-4, 8, 9),
        RNG.random(9),
        (np.arange(4.0), RNG.random(4)),
        num_inputs=3,
        dropout_rate=0.2,
        theme=look,
    ),
    "divergence_curves": lambda look, p, d: variational_dropout_figures.divergence_curves(
        np.linspace(-10, 8, 9),
        {name: RNG.random(9) for name in ("exact", "cubic", "sigmoidal", "ard")},
        chosen=-2.0,
        readings=dict.fromkeys(("exact", "cubic", "sigmoidal", "ard"), 0.5),
        theme=look,
    ),
    "functions_in_a_row": lambda look, p, d: variational_dropout_figures.functions_in_a_row(
        [("A", p), ("B", p)], d, theme=look
    ),
    "alpha_histograms": lambda look, p, d: variational_dropout_figures.alpha_histograms(
        RNG.random((2, 3)), np.linspace(-3, 0, 4), names=["a", "b"], capped=RNG.random(2), theme=look
    ),
    "alpha_picture": lambda look, p, d: variational_dropout_figures.alpha_picture(RNG.random((8, 8)), theme=look),
    "prior_curves": lambda look, p, d: compression_figures.prior_curves(
        np.linspace(-1, 1, 5),
        {name: RNG.random(5) for name in "abcde"},
        compression_figures.Curves("x", "p", (-1.0, 1.0), (0.0, 2.0), diagonal="same"),
        chosen="c",
        masses={"c": [(0.5, 0.3)], "a": [(0.0, 0.3)]},
        theme=look,
    ),
    "prior_tails": lambda look, p, d: compression_figures.prior_curves(
        np.logspace(-3, 3, 5),
        {"a": np.logspace(0, -6, 5)},
        compression_figures.Curves("x", "p", (-3.0, 3.0), (-9.0, 3.0), (True, True)),
        chosen="a",
        theme=look,
    ),
    "architecture": lambda look, p, d: compression_figures.architecture(
        [RNG.random(16) < 0.5, RNG.random(21) < 0.5, np.ones(10, bool)],
        ["pixels", "hidden", "classes"],
        [(40, 336), (70, 210)],
        image_shape=(4, 4),
        theme=look,
    ),
    "architecture_stacked": lambda look, p, d: compression_figures.architecture(
        [RNG.random(16) < 0.5, np.ones(10, bool)], ["pixels", "classes"], [(40, 160)], theme=look, stacked=True
    ),
    "rounding": lambda look, p, d: compression_figures.rounding(
        np.arange(5), RNG.random(5), by_layer=[3, 2], after=0.8, full=0.9, theme=look
    ),
    "speeds": lambda look, p, d: compression_figures.speeds({name: 1 + RNG.random(9) for name in "abc"}, theme=look),
    "error_against_compression": lambda look, p, d: compression_figures_results.error_against_compression(
        [
            compression_figures_results.Point("a", 1.0, 9),
            compression_figures_results.Point("b", 2.0, 90, "convolutional"),
            compression_figures_results.Point("c", 3.0, 9, "ours"),
        ],
        theme=look,
    ),
}
FIGURES |= examples_of_truth.FIGURES

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


@ALL
@pytest.mark.parametrize("look", [theme("light"), theme("dark", presenter=True)])
def test_plotly_finds_nothing_to_refuse_or_to_change(
    build: Build, look: Theme, predictive: Predictive, data: Dataset
) -> None:
    """Figures are made without plotly's checks, which take most of the time."""
    fig = build(look, predictive, data)
    checked = go.Figure(fig.to_dict())
    assert json.loads(checked.to_json() or "") == json.loads(fig.to_json() or "")


@ALL
def test_whatever_a_figure_holds_can_be_read_from_it(build: Build, predictive: Predictive, data: Dataset) -> None:
    fig = build(theme("light"), predictive, data)
    for part in (fig.layout, *fig.data):
        read(part)


def read(part: Any) -> None:
    """Read all properties that are set, as a notebook would."""
    for name in part.to_plotly_json():
        value = part[name]
        for inner in value if isinstance(value, tuple) else (value,):
            if hasattr(inner, "to_plotly_json"):
                read(inner)
