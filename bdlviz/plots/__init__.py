"""Figures: numpy results in, plotly figures (or the bytes of a PNG) out. No torch and no Streamlit here."""

from bdlviz.plots.codes import describe_latent_scatter, latent_scatter, posterior_bars
from bdlviz.plots.curves import describe_held_out_curve, held_out_curve, learning_curves
from bdlviz.plots.diagrams import taxonomy, two_posteriors
from bdlviz.plots.elbo import (
    COLLAPSED,
    Course,
    bounds_against_samples,
    elbo_curves,
    gradient_variances,
    identity_bars,
    kl_by_dimension,
    pixel_densities,
    posterior_contours,
)
from bdlviz.plots.functions import (
    LAYERS,
    SHOW,
    describe_function_draws,
    function_draws,
    prior_and_posterior,
    small_multiples,
)
from bdlviz.plots.images import image_grid, keep_histograms, keep_probabilities, manifold
from bdlviz.plots.networks import describe_network, network, two_spikes
from bdlviz.plots.published import Compared, coverage, differences
from bdlviz.plots.theme import DARK, LIGHT, MODEBAR, Theme, figure, theme

__all__ = [
    "COLLAPSED",
    "DARK",
    "LAYERS",
    "LIGHT",
    "MODEBAR",
    "SHOW",
    "Compared",
    "Course",
    "Theme",
    "bounds_against_samples",
    "coverage",
    "describe_function_draws",
    "describe_held_out_curve",
    "describe_latent_scatter",
    "describe_network",
    "differences",
    "elbo_curves",
    "figure",
    "function_draws",
    "gradient_variances",
    "held_out_curve",
    "identity_bars",
    "image_grid",
    "keep_histograms",
    "keep_probabilities",
    "kl_by_dimension",
    "latent_scatter",
    "learning_curves",
    "manifold",
    "network",
    "pixel_densities",
    "posterior_bars",
    "posterior_contours",
    "prior_and_posterior",
    "small_multiples",
    "taxonomy",
    "theme",
    "two_posteriors",
    "two_spikes",
]
