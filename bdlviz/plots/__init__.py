"""Figures: from numpy results to plotly figures or PNG images, without torch and Streamlit."""

from bdlviz.plots.against_setting import Panel, Series, against_setting
from bdlviz.plots.codes import NUM_ELLIPSES, describe_latent_scatter, latent_scatter
from bdlviz.plots.compare import (
    MethodCurve,
    MethodPanel,
    add_widths,
    describe_distances,
    describe_method_panels,
    distance_curves,
    method_panels,
    over_reference,
)
from bdlviz.plots.curves import accuracy_by_samples, describe_held_out_curve, held_out_curve, learning_curves
from bdlviz.plots.focus import focus
from bdlviz.plots.functions import (
    LAYERS,
    SHOW,
    Reference,
    describe_function_draws,
    function_draws,
    prior_and_posterior,
    small_multiples,
)
from bdlviz.plots.images import contact_sheet, image_grid, keep_probabilities, manifold
from bdlviz.plots.networks import describe_network, network, two_spikes
from bdlviz.plots.shift_course import describe_shift_course, shift_course
from bdlviz.plots.softmax import describe_softmax_draws, softmax_draws
from bdlviz.plots.theme import DARK, LIGHT, MODEBAR, Theme, figure, theme

__all__ = [
    "DARK",
    "LAYERS",
    "LIGHT",
    "MODEBAR",
    "NUM_ELLIPSES",
    "SHOW",
    "MethodCurve",
    "MethodPanel",
    "Panel",
    "Reference",
    "Series",
    "Theme",
    "accuracy_by_samples",
    "add_widths",
    "against_setting",
    "contact_sheet",
    "describe_distances",
    "describe_function_draws",
    "describe_held_out_curve",
    "describe_latent_scatter",
    "describe_method_panels",
    "describe_network",
    "describe_shift_course",
    "describe_softmax_draws",
    "distance_curves",
    "figure",
    "focus",
    "function_draws",
    "held_out_curve",
    "image_grid",
    "keep_probabilities",
    "latent_scatter",
    "learning_curves",
    "manifold",
    "method_panels",
    "network",
    "over_reference",
    "prior_and_posterior",
    "shift_course",
    "small_multiples",
    "softmax_draws",
    "theme",
    "two_spikes",
]
