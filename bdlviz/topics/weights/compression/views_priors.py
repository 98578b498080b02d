"""A gallery of priors that shrink: density, tails, shrinkage factor, and what each makes of one observation."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz.topics.weights.compression import figures, shrinkage
from bdlviz.topics.weights.compression.figures import Curves
from bdlviz.topics.weights.compression.shrinkage import PRIORS
from bdlviz.types import Array
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown

PRIOR = Control("shrinking_prior", "Prior", tuple(PRIORS), "horseshoe", "menu", "The one that stands out.", PRIORS)
ASPECT = Control(
    "aspect",
    "Picture",
    ("density", "tails", "kappa", "mean"),
    "mean",
    "menu",
    "",
    {"density": "density", "tails": "tails", "kappa": "shrinkage factor κ", "mean": "observed and believed"},
)
SCALE = number_control(
    "prior_scale",
    "Prior's scale s",
    (0.01, 0.03, 0.1, 0.3, 1, 3, 10),
    1,
    "In standard deviations of the noise with which a weight is seen. Small: weights are expected to be small.",
)
SLAB = number_control(
    "slab_share", "Share of the slab", (0.01, 0.05, 0.1, 0.3, 0.5, 0.9), 0.1, "Of the spike and slab: weights not 0."
)
CONTROLS = (ASPECT, PRIOR, SCALE, SLAB)

W = np.linspace(-5, 5, 801)
W_LOG = np.geomspace(1e-3, 1e3, 301)
KAPPA = np.linspace(0.001, 0.999, 999)
Y = np.linspace(-8, 8, 241)
ABOUT = {
    "density": Curves(
        "Weight w (standard deviations of the noise)", "Density p(w); bar: probability", (-5.0, 5.0), (0.0, 1.2)
    ),
    "tails": Curves("Size of the weight |w|", "Density p(w)", (-3.0, 3.0), (-9.0, 3.0), (True, True)),
    "kappa": Curves(
        "Shrinkage factor κ: 0 believed, 1 taken for noise",
        "Density p(κ); bars: probability",
        (-0.03, 1.03),
        (0.0, 4.0),
    ),
    "mean": Curves(
        "Observed y (standard deviations of the noise)",
        "Believed E[w | y]",
        (-8.0, 8.0),
        (-8.0, 8.0),
        diagonal="y itself: no shrinkage",
    ),
}
WHY = {
    "gaussian": "One κ for all: signals shrink as much as noise. Nothing is pruned.",
    "laplace": "A kink at 0 pulls small weights down, but its mean never sets one to 0, and large ones pay for it.",
    "horseshoe": "Infinite at 0 and with heavy tails: noise goes to 0, signals stay. What compression wants.",
    "log_uniform": "Every order of size alike: prunes hard. Without the two ends set here it is no distribution.",
    "spike_and_slab": "A weight is 0 or it is not: this prunes best, but M weights make 2^M networks to compare.",
}


def choose() -> None:
    """Draw the controls of the gallery."""
    for control in CONTROLS:
        control.show()


def show() -> Shown:
    """One aspect of all priors, one of them standing out."""
    aspect, chosen = ASPECT.present(), PRIOR.present()
    scale, slab = float(SCALE.present()), float(SLAB.present())
    x, curves = _curves(aspect, scale, slab)
    named = {PRIORS[name]: curve for name, curve in curves.items()}
    masses = {PRIORS[name]: stems for name, stems in _masses(aspect, scale, slab).items()}
    fig = figures.prior_curves(x, named, ABOUT[aspect], chosen=PRIORS[chosen], masses=masses, theme=present_theme())
    alt = f"{ASPECT.name(aspect)} of {len(named)} priors at scale {scale:g}; {PRIORS[chosen]} stands out. {WHY[chosen]}"
    figure(fig, key="shrinking_priors", alt=alt)
    st.caption(f"**{PRIORS[chosen]}.** {WHY[chosen]}")
    _show_numbers(chosen, scale, slab)
    formulas = {
        "density": shrinkage.density,
        "tails": shrinkage.density,
        "kappa": shrinkage.shrinkage_density,
        "mean": shrinkage.posterior_mean,
    }
    return Shown((formulas[aspect],), (formulas[aspect],), _snippet(chosen, scale, slab))


def _curves(aspect: str, scale: float, slab: float) -> tuple[Array, dict[str, Array]]:
    if aspect == "mean":
        return Y, {name: shrinkage.posterior_mean(name, Y, scale, slab) for name in PRIORS}
    if aspect == "kappa":
        curves = {name: shrinkage.shrinkage_density(name, KAPPA, scale) for name in PRIORS}
        return KAPPA, {name: np.where(curve > 0, curve, np.nan) for name, curve in curves.items()}
    x = W if aspect == "density" else W_LOG
    floor = 0.0 if aspect == "density" else 10.0 ** (ABOUT["tails"].y_range[0] - 3)
    curves = {name: shrinkage.density(name, x, scale, slab) for name in PRIORS}
    return x, {name: np.clip(curve, floor, 1e6) for name, curve in curves.items()}


def _masses(aspect: str, scale: float, slab: float) -> dict[str, list[tuple[float, float]]]:
    if aspect == "kappa":
        found = {name: shrinkage.shrinkage_masses(name, scale, slab) for name in PRIORS}
        return {name: stems for name, stems in found.items() if stems}
    return {"spike_and_slab": [(0.0, 1 - slab)]} if aspect == "density" else {}


def _show_numbers(prior: str, scale: float, slab: float) -> None:
    small, large = shrinkage.posterior_mean(prior, np.array([1.0, 6.0]), scale, slab)
    noise, signal = (shrinkage.prior_mass(prior, *ends, scale, slab) for ends in ((0.9, 1.0), (0.0, 0.1)))
    numbers(
        [
            ("Believed at y = 1", f"{small:.2f}", "Mostly noise: a prior that prunes says 0 here."),
            ("Believed at y = 6", f"{large:.2f}", "A clear signal: a good prior leaves it alone."),
            ("Prior mass, κ > 0.9", f"{noise:.0%}", "How often a weight is expected to be taken for noise."),
            ("Prior mass, κ < 0.1", f"{signal:.0%}", "How often a weight is expected to be believed."),
        ]
    )


def _snippet(prior: str, scale: float, slab: float) -> str:
    return "\n".join(
        [
            "import numpy as np",
            "from bdlviz.models import shrinkage",
            "",
            f"prior, scale, slab = {prior!r}, {scale:g}, {slab:g}",
            "w, y, kappa = np.linspace(-5, 5, 801), np.linspace(-8, 8, 241), np.linspace(0.001, 0.999, 999)",
            "density = shrinkage.density(prior, w, scale, slab)",
            "factor = shrinkage.shrinkage_density(prior, kappa, scale)",
            "believed = shrinkage.posterior_mean(prior, y, scale, slab)",
        ]
    )
