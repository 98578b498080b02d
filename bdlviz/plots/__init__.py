"""Figures: numpy results in, plotly figures (or the bytes of a PNG) out. No torch and no Streamlit here."""

from bdlviz.plots.curves import describe_held_out_curve, held_out_curve, learning_curves
from bdlviz.plots.functions import (
    LAYERS,
    SHOW,
    describe_function_draws,
    function_draws,
    prior_and_posterior,
    small_multiples,
)
from bdlviz.plots.images import (
    describe_latent_scatter,
    image_grid,
    keep_histograms,
    keep_probabilities,
    latent_scatter,
    manifold,
)
from bdlviz.plots.networks import describe_network, network, two_spikes
from bdlviz.plots.theme import DARK, LIGHT, MODEBAR, Theme, figure, theme

__all__ = [
    "DARK",
    "LAYERS",
    "LIGHT",
    "MODEBAR",
    "SHOW",
    "Theme",
    "describe_function_draws",
    "describe_held_out_curve",
    "describe_latent_scatter",
    "describe_network",
    "figure",
    "function_draws",
    "held_out_curve",
    "image_grid",
    "keep_histograms",
    "keep_probabilities",
    "latent_scatter",
    "learning_curves",
    "manifold",
    "network",
    "prior_and_posterior",
    "small_multiples",
    "theme",
    "two_spikes",
]
