"""One fit in detail: a highlighted draw and its dropped units, q(w), snapshots of the training."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from bdlviz import plots
from bdlviz.digits import compact, percent
from bdlviz.fits import Fit
from bdlviz.topics.shared import curves as regression
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.controls.control import number_control
from bdlviz.ui.model import Chooser, Columns, Field, Figure, Part, Says, Screen, Setting, Stops, Tab, Words

STEP = "training_step"  # key of the shown training step, in the session state and in the link
WATCH = "watch"  # key in the setting: not empty if the user asked to watch the training
LATTICE = (61, 41)  # numbers of invisible points in x and y that make the empty plot clickable
MAX_STEP = 10**9  # the largest step that a link may name; the nearest snapshot is shown
SHOWN_SAMPLES = 200
# Units are shown in labels, which are Markdown, so the pattern allows no characters with a meaning in Markdown.
UNIT = re.compile(r"\(([^\W_](?:[^\W_]|[ .,%°·/^²³⁻¹-]){0,29})\)")
HIGHLIGHTED = number_control("highlighted_draw", "Highlighted draw (0: none)", range(SHOWN_SAMPLES + 1), 0)


def stops_of(fit: Fit) -> Stops | None:
    """The slider over the snapshots of a finished training; None if there are fewer than two."""
    if len(fit.snapshot_steps) < 2 or not fit.is_done:
        return None
    return Stops(STEP, "Training step", tuple(int(step) for step in fit.snapshot_steps))


def at_stop(fit: Fit, stops: Stops | None, setting: Setting) -> Fit:
    """The fit at the chosen snapshot of its training."""
    if stops is None:
        return fit
    return fit.at_snapshot(stops.stops.index(stops.chosen(setting)))


def highlighted(setting: Setting, predictive: Predictive) -> int | None:
    """The index of the highlighted draw; None if no draw is highlighted."""
    chosen = int(setting[HIGHLIGHTED])
    return chosen - 1 if 0 < chosen <= len(predictive.draws) else None


def unit(dataset: Dataset) -> str:
    """The unit of y from its axis label, as " (unit)"; "" if the label has none."""
    match = UNIT.search(dataset.y_label)
    return f" ({match[1]})" if match else ""


def add_targets(fig: go.Figure, dataset: Dataset) -> None:
    """Add invisible points everywhere in a figure: plotly reports clicks on points only."""
    xs, ys = np.linspace(*dataset.x_range, LATTICE[0]), np.linspace(*dataset.y_range, LATTICE[1])
    grid_x, grid_y = map(compact, np.meshgrid(xs, ys))
    invisible = {"size": 9, "opacity": 0}
    fig.add_scatter(x=grid_x, y=grid_y, mode="markers", marker=invisible, hoverinfo="none", showlegend=False)


def tabs(setting: Setting, screen: Screen, fit: Fit | None, dataset: Dataset) -> dict[str, Tab]:
    """Further pictures of a finished fit: *Inside a draw* if it has masks, *Training* if it has snapshots."""
    by_title: dict[str, Tab] = {}
    if fit is None:
        return by_title
    if fit.config.method == "mc_dropout" and fit.config.hyperparameter("dropout_rate") > 0:
        by_title["Inside a draw"] = lambda: inside_a_draw(setting, screen, fit)
    if len(fit.snapshot_steps) > 1:
        by_title["Training"] = lambda: _training(screen, fit, dataset)
    return by_title


def inside_a_draw(setting: Setting, screen: Screen, fit: Fit) -> list[Part]:
    """The networks of a draw and of the next one, how many units they share, and q(w) of one weight."""
    first = max(int(setting[HIGHLIGHTED]), 1) - 1
    pair = (first, (first + 1) % SHOWN_SAMPLES)
    masks, sizes = fit.masks(SHOWN_SAMPLES), fit.model.network.sizes
    kept = [np.concatenate([mask[draw] != 0 for mask in masks]) for draw in pair]
    networks = [
        _network(f"network_of_draw_{which}", sizes, [mask[pair[which]] for mask in masks], screen) for which in (0, 1)
    ]
    (one, other), shared = (int(each.sum()) for each in kept), int((kept[0] & kept[1]).sum())
    says = (
        f"Draw {pair[0] + 1} keeps {one} of {len(kept[0])} hidden units and draw {pair[1] + 1} keeps {other}; {shared} "
        "units belong to both networks."
    )
    weights = _largest_weights(fit.single()["weight1"])
    rate = fit.config.hyperparameter("dropout_rate")

    def spikes(which: int) -> Sequence[Part]:
        alt = f"q(w) of one weight: mass {rate:g} at 0, and {1 - rate:g} at {weights[which - 1]:.2g}."
        fig = plots.two_spikes(weights, rate, chosen=which - 1, theme=screen.theme)
        return [
            Figure("spikes_picture", fig, alt),
            Words(
                "q(w) of a weight that leaves a unit with dropout has two point masses: at 0 if the unit is dropped, "
                "and at m / (1 − p) if it is kept. All weights of a unit change together."
            ),
        ]

    field = Field("spike_weight", "Weight (largest first)", tuple(range(1, len(weights) + 1)))
    told = (
        "Many models in one: without its crossed-out units every draw computes another function of x. With "
        f"p = {rate:g} a draw keeps {percent(1 - rate)} of the units on average, and two draws share "
        f"{percent((1 - rate) ** 2)} of all. No unit can rely on another one, so the network needs redundant features: "
        "by a rule of thumb 1 / (1 − p) times as many units in a layer (Srivastava et al. 2014, appendix A.1)."
    )
    return [HIGHLIGHTED, Says(says), Columns(networks), Words(told), Chooser([field], spikes)]


def _network(key: str, sizes: Sequence[int], masks: Sequence[Array], screen: Screen) -> list[Part]:
    return [Figure(key, plots.network(sizes, masks, theme=screen.theme), plots.describe_network(sizes, masks))]


def _largest_weights(weight: Array, count: int = 40) -> Array:
    flat = weight.ravel()
    return flat[np.argsort(-np.abs(flat))[:count]]


def _training(screen: Screen, fit: Fit, dataset: Dataset) -> list[Part]:
    steps, curves = regression.training_curves(fit, dataset)
    fig = plots.learning_curves(curves, steps, y_label="½ (y − f)², standardised", theme=screen.theme)
    alt = "Training and held-out loss over training steps, with and without dropout."
    caption = "With dropout: mean over 20 masks. Without dropout: one pass in which all units are kept."
    return [Figure("training_picture", fig, alt), Words(caption)]
