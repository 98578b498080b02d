"""The prior of one weight, and what the weights of the network became under it; one weight's q over the training."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz.fits import Fit
from bdlviz.methods import bayes_by_backprop
from bdlviz.models.priors import log_scale_mixture
from bdlviz.topics.weights.bayes_by_backprop import description, figures
from bdlviz.topics.weights.bayes_by_backprop import views_setting as setting
from bdlviz.topics.weights.bayes_by_backprop.figures import WEIGHTS
from bdlviz.topics.weights.bayes_by_backprop.views_setting import Weights
from bdlviz.types import Array, Dataset
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.legacy import Shown
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import is_narrow

DENSITY_AXIS = Control("density_axis", "Density axis", ("linear", "log"), "linear", "buttons")
REACH = 4.0  # standard deviations of q that a picture of one weight shows
NUM_POINTS = 401
NEARLY_PRIOR = 0.9  # of the prior's sd: a weight at least as wide has learned nothing

LAYER = Control(
    "weight_layer",
    "Weights of",
    ("all", "0", "1", "2"),
    "all",
    "menu",
    "Biases count as weights.",
    {"all": "all layers", "0": "the first layer", "1": "the middle layer", "2": "the last layer"},
)
RANK = number_control(
    "weight_rank",
    "Weight, from the most certain (0 %) to the least",
    range(0, 101, 5),
    0,
    "Ordered by the standard deviation of q at the end.",
)
MOMENT = number_control("weight_snapshot", "Snapshot", range(1, setting.NUM_SNAPSHOTS + 1), setting.NUM_SNAPSHOTS)
CONTROLS = (DENSITY_AXIS, LAYER, RANK, MOMENT)


# The prior ------------------------------------------------------------------------------------------------------------


def choose_prior() -> None:
    """Draw the controls of the prior's view."""
    DENSITY_AXIS.show()
    setting.choose(with_mixture=True)


def show_prior() -> Shown | None:
    """The prior's density and its parts, the histogram of learned means, and the average q."""
    dataset = setting.present_dataset()
    with setting.said():
        fit = setting.get(setting.configuration(dataset), dataset, _draw_prior)
        if fit is not None:
            return Shown(
                (log_scale_mixture, description.kl_by_weight, bayes_by_backprop.build),
                (log_scale_mixture, description.kl_by_weight),
                _prior_snippet(fit, dataset),
            )
    return None


def _draw_prior(fit: Fit) -> None:
    found = setting.weights_of(fit)
    mean, std = flat(found)
    w = grid_of_weights(found)
    parts = part_densities(w, found.prior)
    fig = figures.prior_and_weights(
        w,
        np.exp(found.prior.log_density(w)),
        parts,
        average_density(w, mean, std),
        mean,
        is_log=DENSITY_AXIS.present() == "log",
        theme=present_theme(),
    )
    small = float((np.abs(mean) < 0.05).mean())
    wide = float((std > NEARLY_PRIOR * found.prior.wide_std).mean())
    kl = description.kl_to_prior(found.mean, found.std, found.prior)
    alt = (
        f"Prior of one weight with the standard deviation {found.prior.wide_std:.2g}; of {found.num_weights:,} learned "
        f"means {small:.0%} lie within 0.05 of zero."
    )
    figure(fig, key="prior_and_weights", alt=alt)
    numbers(
        [
            ("Means within 0.05 of zero", f"{small:.0%}", f"Of {found.num_weights:,} weights."),
            ("As wide as the prior", f"{wide:.0%}", f"σ above {NEARLY_PRIOR:g} σ₁: the data said nothing of them."),
            ("Median σ", f"{np.median(std):.2g}", "Standard deviation of q, standardised units."),
            ("KL to the prior (nats)", f"{kl:,.0f}", f"Of all weights; {kl / found.num_weights:.2f} each."),
        ]
    )


def grid_of_weights(found: Weights) -> Array:
    """Where densities are drawn, (P,): evenly, and densely around 0 where the prior may be a spike."""
    around = np.geomspace(1e-5, WEIGHTS[1], 150)
    return np.unique(np.concatenate([np.linspace(*WEIGHTS, NUM_POINTS), around, -around]))


def part_densities(w: Array, prior: description.Prior) -> Array:
    """The two Gaussians of a mixture at w (P,), each times its share, (2, P); (0, P) where the prior is one."""
    if prior.is_gaussian:
        return np.empty((0, len(w)))
    pairs = ((prior.wide_std, prior.share), (prior.narrow_std, 1 - prior.share))
    return np.array([share * np.exp(description.Prior(std).log_density(w)) for std, share in pairs])


def average_density(w: Array, mean: Array, std: Array) -> Array:
    r"""The mean over all weights (W,) of q's density at w (P,), (P,).

    $$ \frac1W \sum_j \mathcal{N}(w \mid \mu_j, \sigma_j^2) $$
    """
    z = (w[:, None] - mean) / std
    return (np.exp(-0.5 * np.square(z)) / (std * np.sqrt(2 * np.pi))).mean(1)


def flat(found: Weights) -> tuple[Array, Array]:
    """Means and standard deviations of all weights, (W,) each."""
    mean, std = (np.concatenate([a.ravel() for a in part.values()]) for part in (found.mean, found.std))
    return mean, std


def _prior_snippet(fit: Fit, dataset: Dataset) -> str:
    prior = setting.prior_of(fit.config)
    return setting.snippet(
        fit.config,
        dataset,
        "params = fit.single()",
        "std = standard_deviations(params)",
        f"prior = Prior({prior.wide_std:.6g}, {prior.narrow_std:.6g}, {prior.share:g})",
        "kl = kl_to_prior({name: params[name] for name in std}, std, prior)  # nats",
        "density = np.exp(prior.log_density(np.linspace(-2.5, 2.5, 401)))",
        imports=(
            "from bdlviz.methods.bayes_by_backprop import standard_deviations",
            "from bdlviz.topics.weights.bayes_by_backprop.description import Prior, kl_to_prior",
        ),
    )


# One weight -----------------------------------------------------------------------------------------------------------


def choose_weight() -> None:
    """Draw the controls of one weight's view."""
    LAYER.show()
    RANK.show()
    setting.choose()


def show_weight() -> Shown | None:
    """One weight's q at every snapshot, one of them chosen, and the path of its mean and standard deviation."""
    dataset = setting.present_dataset()
    with setting.said():
        fit = setting.get(setting.configuration(dataset, with_course=True), dataset, _draw_weight)
        if fit is not None and len(fit.snapshot_steps):
            return Shown(
                (bayes_by_backprop.build, average_density),
                (bayes_by_backprop.standard_deviations, figures.weight_over_training),
                _weight_snippet(fit, dataset),
            )
    return None


def _draw_weight(fit: Fit) -> None:
    if not len(fit.snapshot_steps):
        st.caption("The first snapshot is on its way.")
        return
    courses = [flat(setting.weights_of(fit.at_snapshot(index))) for index in range(len(fit.snapshot_steps))]
    means, stds = (np.array(each) for each in zip(*courses, strict=True))
    found = setting.weights_of(fit)
    position, name = chosen_weight(found, LAYER.present(), float(RANK.present()) / 100)
    mean, std = means[:, position], stds[:, position]
    chosen = min(int(MOMENT.present()), len(mean)) - 1
    fig = _weight_figure(fit, found, mean, std, chosen, is_narrow())
    figure(fig, key="one_weight", alt=figures.describe_weight(fit.snapshot_steps, mean, std, chosen))
    MOMENT.show()
    ratio = abs(mean[chosen]) / std[chosen]
    step = int(fit.snapshot_steps[chosen])
    numbers(
        [
            ("Weight", name, "The unit it comes from, and the one it goes to, counted from 1."),
            ("Mean μ", f"{mean[chosen]:.3f}", f"After {step:,} steps."),
            ("Sd σ", f"{std[chosen]:.3g}", f"It started at {np.logaddexp(0, float(setting.START_RHO.present())):.2g}."),
            ("Signal |μ| / σ", f"{ratio:.3g}" if ratio >= 0.01 else "< 0.01", "Below 1 the weight's sign is open."),
        ]
    )


def _weight_figure(fit: Fit, found: Weights, mean: Array, std: Array, chosen: int, stacked: bool) -> object:
    low, high = (mean - REACH * std).min(), (mean + REACH * std).max()
    w = np.linspace(low, high, NUM_POINTS)
    z = (w - mean[:, None]) / std[:, None]
    densities = np.exp(-0.5 * np.square(z)) / (std[:, None] * np.sqrt(2 * np.pi))
    prior = np.exp(found.prior.log_density(w))
    return figures.weight_over_training(
        w, densities, prior, fit.snapshot_steps, mean, std, chosen=chosen, theme=present_theme(), stacked=stacked
    )


def chosen_weight(found: Weights, layer: str, rank: float) -> tuple[int, str]:
    """The position among all weights of the one at this share of the order by sd, and what it connects."""
    names = [name for name in found.std if layer == "all" or name.endswith(layer)]
    starts = dict(zip(found.std, np.cumsum([0, *(a.size for a in found.std.values())]), strict=False))
    positions = np.concatenate([starts[name] + np.arange(found.std[name].size) for name in names])
    _, std = flat(found)
    order = positions[np.argsort(std[positions], kind="stable")]
    position = int(order[round(rank * (len(order) - 1))])
    name = [key for key, start in starts.items() if start <= position][-1]
    row, column = np.unravel_index(position - starts[name], found.std[name].shape)
    index = int(name.removeprefix("weight").removeprefix("bias")) + 1
    source = "bias" if name.startswith("bias") else f"{row + 1}"
    return position, f"layer {index}: {source} → {column + 1}"


def _weight_snippet(fit: Fit, dataset: Dataset) -> str:
    return setting.snippet(
        fit.config,
        dataset,
        "moments = [fit.at_snapshot(i).single() for i in range(len(fit.snapshot_steps))]",
        "std = np.array([standard_deviations(moment)['weight0'][0] for moment in moments])  # (T, 32)",
        imports=("from bdlviz.methods.bayes_by_backprop import standard_deviations",),
    )
