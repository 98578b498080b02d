"""What holds for all figures: colours and fonts come from the theme and from nowhere else."""

import json
import re
from collections.abc import Iterable
from typing import Any, get_args

import numpy as np
import plotly.graph_objects as go
import pytest

from bdlviz import plots
from bdlviz.errata import figures as errata
from bdlviz.errata.figures import Curve, Map, Maps, Panel, Role
from bdlviz.plots.theme import Theme, rgb, theme
from bdlviz.topics.digits.concrete_dropout import figures as concrete_dropout_figures
from bdlviz.topics.digits.mc_dropout import figures as mc_dropout_figures
from bdlviz.topics.generative.autoencoder import figures as autoencoder
from bdlviz.topics.generative.conditional import figures as conditional
from bdlviz.topics.generative.latent_space import figures as latent_space
from bdlviz.topics.generative.likelihood import figures as likelihood
from bdlviz.topics.generative.vae import figures as vae
from bdlviz.topics.generative.vae import figures_bounds as vae_bounds
from bdlviz.topics.generative.vae import figures_posteriors as vae_posteriors
from bdlviz.topics.results.figure_index import figures as figure_index
from bdlviz.topics.results.register import figures as register
from bdlviz.topics.results.scoreboard import figures as scoreboard
from bdlviz.topics.shared import grey_pixel_figure
from bdlviz.topics.weights.bayes_by_backprop import figures as bbb
from bdlviz.topics.weights.bayes_by_backprop import figures_costs as bbb_costs
from bdlviz.topics.weights.bayes_by_backprop import figures_functions as bbb_functions
from bdlviz.topics.weights.bayes_by_backprop import figures_gradients as bbb_gradients
from bdlviz.topics.weights.compression import figures as compression
from bdlviz.topics.weights.compression import figures_results as compressed
from bdlviz.topics.weights.signal_to_noise import figures as signal
from bdlviz.topics.weights.signal_to_noise.figures import Line, Meaning
from bdlviz.topics.weights.sparsity import figures as sparsity
from bdlviz.topics.weights.sparsity import figures_one as one_weight
from bdlviz.topics.weights.sparsity import figures_pixels as sparsity_pixels
from bdlviz.topics.weights.variational_dropout import figures as noise
from bdlviz.types import Dataset, Predictive
from tests.plots import examples_of_truth
from tests.plots.examples_of_truth import RNG, Build, of, rand
from tests.plots.figure_properties import empty_panels, palette, read, walk

HISTORY = vae.History(np.arange(1, 10), {name: -rand(9) for name in ("elbo", "reconstruction", "kl")})
CODES, LABELS = rand((40, 2)), np.arange(40) % 10
BINNED = scoreboard.Binned(rand(5), rand(5), np.array([0, 20, 30, 40, 900]))
BOUNDS = ("exact", "cubic", "sigmoidal", "ard")
line, normal, W = np.linspace, RNG.standard_normal, np.linspace(-2, 2, 9)
SOFTMAX = RNG.dirichlet(np.ones(10), 20).astype(np.float32)  # (S, K)


def by(names: Iterable[str], size: int) -> dict[str, Any]:
    """Numbers by name."""
    return {name: rand(size) for name in names}


def errata_maps() -> Maps:
    values = np.linspace(0, 1, 16).reshape(4, 4)
    return Maps([Map("as shown", values, "wrong"), Map("as meant", 1 - values, "right")], "Probability", "It differs.")


def errata_curves(num_panels: int) -> errata.Comparison:
    """Every role of a curve, on axes of both kinds."""
    x = np.linspace(1, 10, 5)
    curves = [Curve(role, x, rand((3, 5) if role.endswith("draws") else 5), role) for role in get_args(Role)]
    is_log = (num_panels == 1, False)
    return errata.Comparison([Panel(curves, "A")] * num_panels, "x", "y", (1.0, 10.0), (0.0, 1.0), is_log)


FIGURES: dict[str, Build] = {
    "function_draws": lambda look, p, d: plots.function_draws(
        p, d, theme=look, highlighted=1, show=plots.SHOW | {"held_out"}, reference=plots.Reference(p)
    ),
    "small_multiples": lambda look, p, d: plots.small_multiples([("A", p), ("B", p)], d, theme=look),
    "prior_and_posterior": lambda look, p, d: plots.prior_and_posterior(
        p.x, p.draws[:, :, 0], p.draws[:, :, 0], d, theme=look
    ),
    "held_out_curve": of(plots.held_out_curve, np.logspace(-5, -1, 5), rand((3, 5)), metric="NLL in nats", chosen=1),
    "learning_curves": of(plots.learning_curves, {name: 1 + rand(9) for name in "abcd"}, np.arange(9)),
    "network": of(plots.network, (1, 32, 1), [rand(32) < 0.5]),
    "two_spikes": of(plots.two_spikes, normal(5), 0.2),
    "manifold": of(plots.manifold, rand((9, 4, 4)), (-2, 2, -2, 2), chosen=3),
    "latent_scatter": of(plots.latent_scatter, CODES, LABELS),
    "manifold_with_codes": of(plots.manifold, rand((9, 4, 4)), (-2, 2, -2, 2), overlay=(CODES, LABELS)),
    "digits_of_codes": of(plots.latent_scatter, CODES, LABELS, marks="digits", chosen=[3], hover=["a"] * 40),
    "ellipses_of_codes": of(plots.latent_scatter, CODES, LABELS, marks="ellipses", std=CODES, classes=[1, 2]),
    "values_of_codes": of(plots.latent_scatter, CODES, LABELS, values=rand(40), values_label="KL (nats)"),
    "posterior_bars": of(latent_space.posterior_bars, normal(20), rand(20)),
    "elbo_curves": of(vae.elbo_curves, HISTORY, HISTORY, published=(-400.0, -218.0), num_epochs=9, chosen=3),
    "kl_by_dimension": of(vae.kl_by_dimension, np.arange(9), rand((9, 5)) * np.arange(5), num_epochs=9),
    "identity_bars": of(vae_bounds.identity_bars, -70.0, 25.0, 3.0),
    "bounds_against_samples": of(
        vae_bounds.bounds_against_samples, np.array([1, 5, 500]), np.array([-103.0, -101.0, -99.0]), -103.0, -97.0
    ),
    "grey_values": of(likelihood.grey_values, by("abcd", 50), rand(50)),
    "collapse_by_weight": of(likelihood.collapse_by_weight, ["0", "1", "10"], rand((3, 4)), chosen=1),
    "bounds_by_class": of(conditional.bounds_by_class, rand(10), 3),
    "bounds_of_one_image": of(
        vae_bounds.bounds_against_samples,
        np.array([1, 5]),
        np.array([-9.0, -8.0]),
        -9.0,
        -7.0,
        error=rand(2),
        truth=-7.5,
        chosen=5,
    ),
    "gradient_variances": of(vae_bounds.gradient_variances, np.array([1, 10, 100]), by("abc", 3)),
    "posterior_contours": of(
        vae_bounds.posterior_contours, np.arange(5.0), np.arange(4.0), rand((4, 5)), np.ones(2), np.ones(2)
    ),
    "pixel_densities": of(grey_pixel_figure.pixel_densities, by("abc", 9), line(0, 1, 9)),
    "reliability_diagram": of(scoreboard.reliability_diagram, BINNED, BINNED, edges=line(0, 1, 6), num_answers=198),
    "rotation_curves": of(
        scoreboard.rotation_curves,
        np.arange(0.0, 181.0, 30.0),
        {name: 1 + rand(7) for name in "ab"},
        by("ab", 7),
        rand(7),
        chosen="a",
    ),
    "risk_coverage": of(scoreboard.risk_coverage, {name: rand(20) / 9 for name in "abc"}, chosen="b", refused=0.2),
    "entropy_histograms": of(
        scoreboard.entropy_histograms, rand(50), 2 * rand(50), names=("digits", "others"), top=2.3
    ),
    "accuracies": of(
        scoreboard.accuracies,
        [scoreboard.Accuracies("a", (90.2, 0.3), (90.1, 0.2)), scoreboard.Accuracies("b", None, (89.0, 0.4))],
        x_range=(88, 91),
    ),
    "two_posteriors": of(vae_posteriors.two_posteriors),
    "taxonomy": of(autoencoder.taxonomy),
    "differences": of(
        register.differences,
        [register.Compared("a", 0.4, 0, 0.8, 2, 2, True), register.Compared("b", 9, 8, 10, 0, 0, False, 7)],
        unit="nats",
    ),
    "verdict_counts": of(
        register.verdict_counts, [("Lee", (5, 1, 0, 2)), ("A paper", (0, 2, 1, 0))], verdicts=("a", "b", "c", "d")
    ),
    "figure_counts": of(figure_index.figure_counts, [("Lecture 0", 8), ("Lecture 1", 7)]),
    "wrong_and_right": of(errata.wrong_and_right, errata_curves(1)),
    "wrong_and_right_stacked": of(errata.wrong_and_right, errata_curves(2), stacked=True),
    "wrong_and_right_maps": of(errata.wrong_and_right, errata_maps()),
    "keep_probabilities": of(plots.keep_probabilities, rand((4, 4))),
    "rate_paths": of(
        concrete_dropout_figures.rate_paths,
        np.arange(4),
        np.sort(rand((4, 2, 5))),
        names=["Pixels", "Hidden"],
        other=(np.arange(4), rand((4, 2, 5)), "other"),
    ),
    "relaxed_bernoulli": of(
        concrete_dropout_figures.relaxed_bernoulli, line(0.1, 0.9, 5), rand(5), np.sort(rand(5)), dropout_rate=0.2
    ),
    "score_against_rate": of(
        concrete_dropout_figures.score_against_rate,
        line(0, 0.9, 4),
        rand((2, 3, 4)),
        (16, 64, 256),
        chosen=1,
        concrete=(rand((2, 3)), rand((2, 3))),
        label="Held-out NLL (nats)",
        y_range=(0.0, 1.0),
    ),
    "against_setting": of(
        plots.against_setting,
        np.array([10.0, 100, 1000]),
        [
            plots.Panel("a", "sd", (0.0, 1.0), [plots.Series("wide", rand((2, 3)))], [(10, 0.5)], truth=0.5),
            plots.Panel("b", "sd", (0.0, 1.0), [plots.Series("wide", rand((1, 3)), "mean", "dash")]),
        ],
        x_label="Data points N",
    ),
    "softmax_draws": of(
        plots.softmax_draws,
        SOFTMAX,
        SOFTMAX.mean(0),
        expected_entropy=1.2,
        mutual_information=0.4,
        one_pass=SOFTMAX[0],
        label=3,
    ),
    "shift_course": of(
        plots.shift_course,
        np.arange(5.0),
        SOFTMAX[:, None].repeat(5, 1).swapaxes(0, 1),
        rand(5),
        rand(5),
        rand((5, 8, 8)),
        label="Angle (degrees)",
    ),
    "uncertainty_plane": of(
        mc_dropout_figures.uncertainty_plane,
        rand(40),
        rand(40),
        rand(40) < 0.2,
        chosen=[3],
        course=(rand(4), rand(4), "b"),
    ),
    "accuracy_by_samples": of(plots.accuracy_by_samples, np.array([1, 10, 100]), rand((3, 3)), rand((3, 3)), rand(3)),
    "contact_sheet": of(
        plots.contact_sheet, rand((5, 8, 8)), 3, names="abcde", is_wrong=np.arange(5) == 2, rows=np.arange(5), chosen=1
    ),
    "weights_left": of(sparsity_pixels.weights_left, RNG.integers(0, 9, (4, 4)), rand((4, 4)), num_units=9),
    "unit_weights": of(sparsity_pixels.unit_weights, normal((3, 4, 4)), rand((3, 4, 4)) < 0.3, names="abc", columns=2),
    "noise_histograms": of(
        sparsity.noise_histograms,
        line(-15, 15, 61),
        {name: RNG.integers(0, 99, 60) for name in "abc"},
        threshold=3.0,
        thresholds=line(-8, 8, 33),
        accuracy=rand(33),
    ),
    "signal_and_noise": of(sparsity.signal_and_noise, RNG.normal(-3, 2, 99), RNG.normal(-1, 1, 99), threshold=1.0),
    "sparsity_course": of(
        sparsity.sparsity_course,
        np.arange(1.0, 5),
        rand((4, 3)),
        accuracy=rand(4),
        compression=np.array([1.0, 10, 100, np.inf]),
        misfit=rand(4),
        kl=rand(4),
        layers=["a", "b", "c"],
        warm_up=2.0,
    ),
    "trade_off": of(
        one_weight.trade_off,
        line(-9, 9, 9),
        rand(9),
        rand(9),
        best=1.0,
        others=rand((2, 9)),
        course=(line(-9, 9, 9), np.logspace(3, 0, 9)),
        strength=2.0,
        pruned=3.0,
    ),
    "budget": of(
        one_weight.budget,
        [one_weight.Paid("a", 0.5, 1.0, "says"), one_weight.Paid("b", 2.3, 0.0, is_chosen=True)],
        nothing=2.3,
    ),
    "keep_histograms": of(concrete_dropout_figures.keep_histograms, {"Input": rand(30)}),
    "quartile_panels": lambda look, p, d: bbb_functions.quartile_panels(
        [("A", p.draws[:, :, 0]), ("B", p.draws[:1, :, 0])], p.x[:, 0], d, theme=look
    ),
    "prior_and_weights": of(bbb.prior_and_weights, W, rand(9), rand((2, 9)), rand(9), normal(30)),
    "prior_and_weights_log": of(bbb.prior_and_weights, W, rand(9), rand((0, 9)), rand(9), normal(30), is_log=True),
    "weight_over_training": of(
        bbb.weight_over_training, W, rand((4, 9)), rand(9), np.arange(1, 5), normal(4), rand(4), chosen=1
    ),
    "description_bars": of(
        bbb_costs.description_bars,
        np.arange(1, 5),
        rand((4, 2)),
        ("0", "1"),
        rand((2, 2)),
        1.2,
        chosen=1,
        y_label="bits per point",
        y_range=(0.0, 2.0),
    ),
    "gradient_noise": of(
        bbb_gradients.gradient_noise,
        np.array([1, 4, 16]),
        np.sort(rand((3, 3))),
        {name: np.sort(rand((3, 3))) for name in "abc"},
        chosen=1,
        y_range=(-3.0, 1.0),
    ),
    "removal_curves": of(
        signal.removal_curves,
        [Line(each, np.array([0.0, 0.9, 1.0]), 1 + 80 * rand(3), each) for each in get_args(Meaning)],
        0.9,
        rand((8, 8)),
    ),
    "signal_to_noise": of(
        signal.signal_to_noise, {"all weights": normal(90), "layer 1": normal(50)}, 1.0, normal((8, 8))
    ),
    "weight_histograms": of(
        signal.weight_histograms,
        line(-1, 1, 401),
        {each: (RNG.integers(1, 9, 400), each) for each in get_args(Meaning)},
    ),
    "errors_over_training": of(
        signal.errors_over_training,
        [Line(each, np.arange(1, 9), 1 + 80 * rand(8), each) for each in get_args(Meaning)],
        x_label="Epochs",
    ),
    "noise_pair": of(
        noise.noise_pair, line(-4, 8, 9), rand(9), (np.arange(4.0), rand(4)), num_inputs=3, dropout_rate=0.2
    ),
    "divergence_curves": of(
        noise.divergence_curves, line(-10, 8, 9), by(BOUNDS, 9), chosen=-2.0, readings=dict.fromkeys(BOUNDS, 0.5)
    ),
    "functions_in_a_row": lambda look, p, d: noise.functions_in_a_row([("A", p), ("B", p)], d, theme=look),
    "alpha_histograms": of(noise.alpha_histograms, rand((2, 3)), line(-3, 0, 4), names=["a", "b"], capped=rand(2)),
    "alpha_picture": of(noise.alpha_picture, rand((8, 8))),
    "prior_curves": of(
        compression.prior_curves,
        line(-1, 1, 5),
        by("abcde", 5),
        compression.Curves("x", "p", (-1.0, 1.0), (0.0, 2.0), diagonal="same"),
        chosen="c",
        masses={"c": [(0.5, 0.3)], "a": [(0.0, 0.3)]},
    ),
    "prior_tails": of(
        compression.prior_curves,
        np.logspace(-3, 3, 5),
        {"a": np.logspace(0, -6, 5)},
        compression.Curves("x", "p", (-3.0, 3.0), (-9.0, 3.0), (True, True)),
        chosen="a",
    ),
    "architecture": of(
        compression.architecture,
        [rand(16) < 0.5, rand(21) < 0.5, np.ones(10, bool)],
        ["pixels", "hidden", "classes"],
        [(40, 336), (70, 210)],
        image_shape=(4, 4),
    ),
    "architecture_stacked": of(
        compression.architecture, [rand(16) < 0.5, np.ones(10, bool)], ["pixels", "classes"], [(40, 160)], stacked=True
    ),
    "rounding": of(compression.rounding, np.arange(5), rand(5), by_layer=[3, 2], after=0.8, full=0.9),
    "speeds": of(compression.speeds, {name: 1 + rand(9) for name in "abc"}),
    "error_against_compression": of(
        compressed.error_against_compression,
        [
            compressed.Point("a", 1.0, 9),
            compressed.Point("b", 2.0, 90, "convolutional"),
            compressed.Point("c", 3.0, 9, "ours"),
        ],
    ),
}
FIGURES |= examples_of_truth.FIGURES

ALL = pytest.mark.parametrize("build", FIGURES.values(), ids=FIGURES)
LOOKS = pytest.mark.parametrize("look", [theme("light"), theme("dark"), theme("dark", presenter=True)])


@ALL
@LOOKS
def test_colours_and_fonts_come_from_the_theme(
    build: Build, look: Theme, predictive: Predictive, data: Dataset
) -> None:
    text = build(look, predictive, data).to_json() or ""
    text = re.sub(r'"source":"data:[^"]*"|"bdata":"[^"]*"', "", text)
    used = {rgb(color) for color in re.findall(r"#[0-9A-Fa-f]{6}", text)}
    used |= {tuple(map(int, parts)) for parts in re.findall(r"rgba?\((\d+),(\d+),(\d+)", text)}
    assert used <= palette(look)
    assert look.paper in text
    fonts = [one for one in walk(json.loads(build(look, predictive, data).to_json() or "")) if "family" in one]
    assert {font["family"] for font in fonts} == {look.font_family}
    assert min(font["size"] for font in fonts) == look.small_size >= 14


@ALL
def test_axes_are_fixed_numbers_small_and_everything_can_be_read(
    build: Build, predictive: Predictive, data: Dataset
) -> None:
    layout = build(theme("light"), predictive, data).to_dict()["layout"]
    axes = [value for key, value in layout.items() if key.startswith(("xaxis", "yaxis"))]
    assert axes and all(one["fixedrange"] and len(one["range"]) == 2 for one in axes)
    assert "title" not in layout
    figure = json.loads(build(theme("light"), predictive, data).to_json() or "")
    assert not figure["data"] or not empty_panels(figure), "All traces may be in another panel."
    kinds = {one["dtype"] for one in walk(figure["data"]) if "bdata" in one}
    assert kinds <= {"f4", "i1", "u1", "i2", "i4"}
    lists = [one[key] for one in figure["data"] for key in ("x", "y", "z") if isinstance(one.get(key), list)]
    assert not lists
    fig = build(theme("light"), predictive, data)
    for part in (fig.layout, *fig.data):
        read(part)


@ALL
@pytest.mark.parametrize("look", [theme("light"), theme("dark", presenter=True)])
def test_plotly_finds_nothing_to_refuse_or_to_change(
    build: Build, look: Theme, predictive: Predictive, data: Dataset
) -> None:
    """Figures are made without plotly's checks, which take most of the time."""
    fig = build(look, predictive, data)
    checked = go.Figure(fig.to_dict())
    assert json.loads(checked.to_json() or "") == json.loads(fig.to_json() or "")
