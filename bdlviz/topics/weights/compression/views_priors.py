"""Priors that shrink: density, tails, shrinkage factor, and the posterior mean after one observation."""

from __future__ import annotations

import numpy as np

from bdlviz.digits import number, percent
from bdlviz.topics.weights.compression import figures, shrinkage
from bdlviz.topics.weights.compression.controls import ASPECT, PRIOR, SCALE, SLAB
from bdlviz.topics.weights.compression.figures import Curves
from bdlviz.topics.weights.compression.shrinkage import PRIORS
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Formula, Numbers, Part, Result, Says, Screen, Setting, Words

W = np.linspace(-5, 5, 801)
ALL_W = np.linspace(-20, 20, 4001)  # in units of the scale: nearly all of a Laplace density
W_LOG = np.geomspace(1e-3, 1e3, 301)
KAPPA = np.linspace(0.001, 0.999, 999)
Y = np.linspace(-8, 8, 241)
NUM_GAUSSIANS = 10  # whose sum is nearly a Laplace density
TINY = 1e-12  # a density below it is not worth its digits
ABOUT = {
    "density": Curves(
        "Weight w (standard deviations of the noise)", "Density p(w); bar: probability", (-5.0, 5.0), (0.0, 1.2)
    ),
    "tails": Curves("Size of the weight |w|", "Density p(w)", (-3.0, 3.0), (-9.0, 3.0), (True, True)),
    "kappa": Curves(
        "Shrinkage factor κ: 0 keeps the observation, 1 sets the weight to 0",
        "Density p(κ); bars: probability",
        (-0.03, 1.03),
        (0.0, 4.0),
    ),
    "mean": Curves(
        "Observed y (standard deviations of the noise)",
        "Posterior mean E[w | y]",
        (-8.0, 8.0),
        (-8.0, 8.0),
        diagonal="y itself: no shrinkage",
    ),
}
DENSITY = Formula(
    shrinkage.density,
    "The prior density of a weight.",
    {"w": "weight, in standard deviations of the noise", "s": "scale of the prior, in the same unit"},
)
FORMULAS = {
    "density": DENSITY,
    "tails": DENSITY,
    "kappa": Formula(
        shrinkage.shrinkage_density,
        "How much a weight is shrunk: the posterior mean is (1 − κ) y.",
        {r"\kappa": "0: kept as observed, 1: set to 0", "s": "scale of the prior"},
    ),
    "mean": Formula(
        shrinkage.posterior_mean,
        "What is left of an observation: it is shrunk by the expected κ.",
        {"y": "observation with noise of variance 1", r"\lambda": "local scale", "s": "scale of the prior"},
    ),
}
MIXTURE = Formula(
    shrinkage.exponential_variances,
    "The Laplace prior is a Gaussian whose variance has an exponential distribution.",
    {"v": "variance of the weight", "s": "scale of the prior", "K": "number of Gaussians in the picture"},
)
WHY = {
    "gaussian": "There is one κ for all weights: signals shrink as much as noise. Nothing is pruned.",
    "laplace": (
        "Its peak at 0 shrinks small weights, but the posterior mean is never 0, and large weights are shrunk as well."
    ),
    "horseshoe": (
        "Its density is infinite at 0 and has heavy tails: noise shrinks to nearly 0, signals stay. This suits "
        "compression."
    ),
    "log_uniform": (
        "All orders of magnitude are equally likely: it prunes strongly. Without the two ends set here it cannot be "
        "normalised."
    ),
    "spike_and_slab": (
        "A weight is either 0 or drawn from the slab: this prunes best, but M weights make 2^M networks to compare."
    ),
}


def priors(setting: Setting, screen: Screen, _: object) -> Result:
    """One aspect of all priors; one prior is highlighted."""
    aspect, chosen = setting[ASPECT], setting[PRIOR]
    scale, slab = setting.number(SCALE), setting.number(SLAB)
    x, curves = _curves(aspect, scale, slab)
    named = {PRIORS[name]: curve for name, curve in curves.items()}
    masses = {PRIORS[name]: stems for name, stems in _masses(aspect, scale, slab).items()}
    fig = figures.prior_curves(x, named, ABOUT[aspect], chosen=PRIORS[chosen], masses=masses, theme=screen.theme)
    alt = f"{ASPECT.name(aspect)} of {len(named)} priors at scale {scale:g}; {PRIORS[chosen]} stands out. {WHY[chosen]}"
    told = Words(f"**{PRIORS[chosen]}.** {WHY[chosen]}")
    parts = [
        Says(_says(aspect, chosen, scale, slab)),
        Figure("shrinking_priors", fig, alt),
        told,
        _numbers(chosen, scale, slab),
    ]
    return Result(
        parts,
        (FORMULAS[aspect], MIXTURE),
        (FORMULAS[aspect].of,),
        _call(chosen, scale, slab),
        tabs={"Laplace as a mixture": lambda: laplace_mixture(screen)},
    )


def laplace_mixture(screen: Screen) -> list[Part]:
    """Gaussians with the quantiles of an exponential distribution as variances, and the Laplace density."""
    stds = np.sqrt(shrinkage.exponential_variances(NUM_GAUSSIANS))
    parts = np.array([shrinkage.density("gaussian", ALL_W, std) for std in stds]) / NUM_GAUSSIANS
    laplace = shrinkage.density("laplace", ALL_W, 1.0)
    shared = percent(float(np.trapezoid(np.minimum(parts.sum(0), laplace), ALL_W)))
    seen = np.abs(ALL_W) <= W[-1]
    fig = figures.scale_mixture(ALL_W[seen], parts[:, seen], laplace[seen], theme=screen.theme)
    low, high = number(stds[0], 2), number(stds[-1], 2)
    alt = f"{NUM_GAUSSIANS} Gaussians with standard deviations from {low} s to {high} s, their sum, a Laplace density."
    return [
        Says(
            f"The mean of {NUM_GAUSSIANS} Gaussians with standard deviations from {low} s to {high} s overlaps the "
            f"Laplace density by {shared}."
        ),
        Figure("laplace_mixture", fig, alt),
        Words(
            "The narrow Gaussians make the peak at 0, the wide ones the tails; with more Gaussians the peak gets "
            "sharper. The other priors are mixtures of Gaussians, too: they differ in how the variance is distributed."
        ),
    ]


def _says(aspect: str, prior: str, scale: float, slab: float) -> str:
    """What one prior does to small and to large weights, as the chosen picture shows it."""
    name = PRIORS[prior]
    match aspect:
        case "mean":
            small, large = shrinkage.posterior_mean(prior, np.array([1.0, 6.0]), scale, slab)
            return f"{name}: an observation of 1 shrinks to {_short(small)}, and one of 6 to {_short(large)}."
        case "kappa":
            noise, signal = (shrinkage.prior_mass(prior, *ends, scale, slab) for ends in ((0.9, 1.0), (0.0, 0.1)))
            return (
                f"{name}: {percent(noise)} of the weights are shrunk to nearly 0 (κ above 0.9), and {percent(signal)} "
                "are kept (κ below 0.1)."
            )
    near, far = (0.1, 3.0) if aspect == "density" else (0.1, 100.0)
    low, high = shrinkage.density(prior, np.array([near, far]), scale, slab)
    spike = f", besides the spike of {percent(1 - slab)}" if prior == "spike_and_slab" else ""
    return f"{name}: the density is {_short(low)} at w = {near:g} and {_short(high)} at w = {far:g}{spike}."


def _short(value: float) -> str:
    return number(value, 2) if value == 0 or abs(value) > TINY else "almost 0"


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


def _numbers(prior: str, scale: float, slab: float) -> Numbers:
    small, large = shrinkage.posterior_mean(prior, np.array([1.0, 6.0]), scale, slab)
    noise, signal = (shrinkage.prior_mass(prior, *ends, scale, slab) for ends in ((0.9, 1.0), (0.0, 0.1)))
    return Numbers(
        [
            ("Posterior mean at y = 1", f"{small:.2f}", "Mostly noise: with a prior that prunes it is near 0."),
            ("Posterior mean at y = 6", f"{large:.2f}", "A clear signal: with a good prior it stays near 6."),
            ("Prior mass, κ > 0.9", f"{100 * noise:.0f} %", "Prior probability that a weight is shrunk to nearly 0."),
            ("Prior mass, κ < 0.1", f"{100 * signal:.0f} %", "Prior probability that a weight is hardly shrunk."),
        ]
    )


def _call(prior: str, scale: float, slab: float) -> str:
    return "\n".join(
        [
            "import numpy as np",
            "from bdlviz.topics.weights.compression import shrinkage",
            "",
            f"prior, scale, slab = {prior!r}, {scale:g}, {slab:g}",
            "w, y, kappa = np.linspace(-5, 5, 801), np.linspace(-8, 8, 241), np.linspace(0.001, 0.999, 999)",
            "density = shrinkage.density(prior, w, scale, slab)",
            "factor = shrinkage.shrinkage_density(prior, kappa, scale)",
            "mean = shrinkage.posterior_mean(prior, y, scale, slab)",
        ]
    )
