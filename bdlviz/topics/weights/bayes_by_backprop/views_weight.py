"""One weight over the training: its q at every snapshot."""

from __future__ import annotations

import numpy as np

from bdlviz.digits import number
from bdlviz.fits import Fit
from bdlviz.methods import bayes_by_backprop
from bdlviz.topics.weights.bayes_by_backprop import figures, network
from bdlviz.topics.weights.bayes_by_backprop.controls import BESIDE, LAYER, MOMENT, RANK, START_RHO, beside
from bdlviz.topics.weights.bayes_by_backprop.network import Weights, weights_of
from bdlviz.types import Array
from bdlviz.ui.jobs.obtain import FitNeed
from bdlviz.ui.model import Figure, Numbers, Part, Result, Says, Screen, Setting, Words

REACH = 4.0  # standard deviations of q that the picture shows
NUM_POINTS = 401
RANKS = (0.0, 0.01, 0.03, 0.1, 0.3, 1.0)  # of a few weights in the order of their standard deviations


def needed(setting: Setting) -> FitNeed:
    """The network with moments of its training."""
    return network.need_of(setting, with_course=True)


def one_weight(setting: Setting, screen: Screen, fit: Fit) -> Result:
    """One weight's q at every snapshot, one of them chosen, and the path of its mean and standard deviation."""
    parts = _parts(setting, screen, fit) if len(fit.snapshot_steps) else [Says(network.FIRST_SNAPSHOT)]
    return Result(
        parts,
        (network.LOSS, network.KL_TERM),
        (bayes_by_backprop.standard_deviations, figures.weight_over_training),
        _call(setting, fit),
    )


def _parts(setting: Setting, screen: Screen, fit: Fit) -> list[Part]:
    moments = [weights_of(fit.at_snapshot(index)).flat() for index in range(len(fit.snapshot_steps))]
    means, stds = (np.array(each) for each in zip(*moments, strict=True))
    found = weights_of(fit)
    position, name = chosen_weight(found, setting[LAYER], setting.number(RANK) / 100)
    mean, std = means[:, position], stds[:, position]
    chosen = min(int(setting[MOMENT]), len(mean)) - 1
    ratio = abs(mean[chosen]) / std[chosen]
    start = np.logaddexp(0, setting.number(START_RHO))
    values = Numbers(
        [
            ("Weight", name, "The unit it comes from, and the one it goes to, counted from 1."),
            ("Mean μ", f"{mean[chosen]:.3f}".replace("-", "−"), f"After {int(fit.snapshot_steps[chosen]):,} steps."),
            ("Sd σ", f"{std[chosen]:.3g}", f"It started at {start:.2g}."),
            ("Signal |μ| / σ", f"{ratio:.3g}" if ratio >= 0.01 else "< 0.01", "Below 1 the weight's sign is open."),
        ]
    )
    after = f"After {int(fit.snapshot_steps[chosen]):,} steps" if chosen < len(mean) - 1 else "At the end"
    sd = number(found.prior.wide_std, 2)
    says = Says(
        f"{after} this weight is {number(mean[chosen])} ± {number(std[chosen])} (prior: 0 ± {sd}); its mean is "
        f"{number(ratio, 2)} standard deviations from 0."
    )
    return [says, _picture(screen, fit.snapshot_steps, found, mean, std, chosen), values]


def _picture(screen: Screen, steps: Array, found: Weights, mean: Array, std: Array, chosen: int) -> Figure:
    low, high = (mean - REACH * std).min(), (mean + REACH * std).max()
    w = np.linspace(low, high, NUM_POINTS)
    z = (w - mean[:, None]) / std[:, None]
    densities = np.exp(-0.5 * np.square(z)) / (std[:, None] * np.sqrt(2 * np.pi))
    fig = figures.weight_over_training(
        w,
        densities,
        np.exp(found.prior.log_density(w)),
        steps,
        mean,
        std,
        chosen=chosen,
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    return Figure("one_weight", fig, figures.describe_weight(steps, mean, std, chosen))


def numbers_and_densities(setting: Setting, screen: Screen, fit: Fit, other: Fit) -> list[Part]:
    """A few weights, from the most certain to the least: their q, and their numbers in networks without one."""
    found = weights_of(fit)
    mean, std = found.flat()
    positions, names = zip(*(chosen_weight(found, "all", rank) for rank in RANKS), strict=True)
    at, of_network = [*positions], {name: array.size for name, array in found.mean.items()}
    values = np.concatenate([other.params[name].reshape(-1, size) for name, size in of_network.items()], axis=1)[:, at]
    title, count = BESIDE.name(beside(setting)), len(values)
    fig = figures.numbers_and_densities(names, mean[at], std[at], values, title, theme=screen.theme)
    low, high = number(std[at].min(), 2), number(std[at].max(), 2)
    numbers = "one number" if count == 1 else f"{count} numbers"
    told = ", ".join(
        f"{name} ({number(m, 2)} ± {number(s, 2)})" for name, m, s in zip(names, mean[at], std[at], strict=True)
    )
    return [
        Says(
            f"Each of {len(at)} weights has {numbers} in the {title}, and with Bayes by Backprop a standard deviation, "
            f"{low} to {high}."
        ),
        Figure("numbers_and_densities", fig, f"Weights by their standard deviation, as mean ± sd of q: {told}."),
        Words(
            "The rows go from the smallest standard deviation of all weights to the largest; every hill has the same "
            "height. A number need not lie under its hill, because hidden units have no fixed order: another training "
            "can use the same unit for something else."
        ),
    ]


def chosen_weight(found: Weights, layer: str, rank: float) -> tuple[int, str]:
    """The position among all weights of the one at this share of the order by sd, and what it connects."""
    names = [name for name in found.std if layer == "all" or name.endswith(layer)]
    starts = dict(zip(found.std, np.cumsum([0, *(a.size for a in found.std.values())]), strict=False))
    positions = np.concatenate([starts[name] + np.arange(found.std[name].size) for name in names])
    _, std = found.flat()
    order = positions[np.argsort(std[positions], kind="stable")]
    position = int(order[round(rank * (len(order) - 1))])
    name = [key for key, start in starts.items() if start <= position][-1]
    row, column = np.unravel_index(position - starts[name], found.std[name].shape)
    index = int(name.removeprefix("weight").removeprefix("bias")) + 1
    source = "bias" if name.startswith("bias") else f"{row + 1}"
    return position, f"layer {index}: {source} → {column + 1}"


def _call(setting: Setting, fit: Fit) -> str:
    return network.call_of(
        setting,
        fit.config,
        [
            "moments = [{name: a[0, 0] for name, a in fit.at_snapshot(i).params.items()}",
            "           for i in range(len(fit.snapshot_steps))]",
            "std = np.array([standard_deviations(moment)['weight0'][0] for moment in moments])  # (T, 32)",
        ],
        ["from bdlviz.methods.bayes_by_backprop import standard_deviations"],
    )
