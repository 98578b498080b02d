"""One fit in detail: a highlighted draw and its dropped units, q(w), moments of the training."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
import plotly.graph_objects as go

from bdlviz import plots
from bdlviz.fits import Fit
from bdlviz.topics.shared import curves as regression
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.controls.control import number_control
from bdlviz.ui.model import Chooser, Columns, Field, Figure, Part, Screen, Setting, Stops, Tab, Words

STEP = "training_step"  # key of the shown moment of the training, in the session state and in the link
WATCH = "watch"  # key in the setting: not empty where the training is to be watched
LATTICE = (61, 41)  # invisible points that make the empty plot clickable
MAX_STEP = 10**9  # that a link may name; the kept step nearest to it is shown
SHOWN_SAMPLES = 200
UNIT = re.compile(r"\(([^\W_](?:[^\W_]|[ .,%°·/^²³⁻¹-]){0,29})\)")  # no sign that Markdown reads: it stands in labels
HIGHLIGHTED = number_control("highlighted_draw", "Highlighted draw (0: none)", range(SHOWN_SAMPLES + 1), 0)


def stops_of(fit: Fit) -> Stops | None:
    """The slider over the kept moments of a finished training; None where there are none."""
    if len(fit.snapshot_steps) < 2 or not fit.is_done:
        return None
    return Stops(STEP, "Training step", tuple(int(step) for step in fit.snapshot_steps))


def at_stop(fit: Fit, stops: Stops | None, setting: Setting) -> Fit:
    """The fit as it was at the chosen moment of its training."""
    if stops is None:
        return fit
    return fit.at_snapshot(stops.stops.index(stops.chosen(setting)))


def highlighted(setting: Setting, predictive: Predictive) -> int | None:
    """The draw that the visitor singled out, if there is one."""
    chosen = int(setting[HIGHLIGHTED])
    return chosen - 1 if 0 < chosen <= len(predictive.draws) else None


def unit(dataset: Dataset) -> str:
    """The unit of y in parentheses, as its axis label has it."""
    found = UNIT.search(dataset.y_label)
    return f" ({found[1]})" if found else ""


def add_targets(fig: go.Figure, dataset: Dataset) -> None:
    """Invisible points all over a picture, so that a click anywhere is heard."""
    xs, ys = np.linspace(*dataset.x_range, LATTICE[0]), np.linspace(*dataset.y_range, LATTICE[1])
    grid_x, grid_y = (axis.ravel().astype(np.float32) for axis in np.meshgrid(xs, ys))
    invisible = {"size": 9, "opacity": 0}
    fig.add_scatter(x=grid_x, y=grid_y, mode="markers", marker=invisible, hoverinfo="none", showlegend=False)


def tabs(setting: Setting, screen: Screen, fit: Fit | None, dataset: Dataset) -> dict[str, Tab]:
    """The tabs for a finished fit: inside a draw (with masks), and training (with snapshots)."""
    found: dict[str, Tab] = {}
    if fit is None:
        return found
    if fit.config.method == "mc_dropout" and fit.config.hyperparameter("dropout_rate") > 0:
        found["Inside a draw"] = lambda: _inside_a_draw(setting, screen, fit)
    if len(fit.snapshot_steps) > 1:
        found["Training"] = lambda: _training(screen, fit, dataset)
    return found


def _inside_a_draw(setting: Setting, screen: Screen, fit: Fit) -> list[Part]:
    chosen = max(int(setting[HIGHLIGHTED]), 1) - 1
    of_draw = [mask[chosen] for mask in fit.masks(SHOWN_SAMPLES)]
    sizes = fit.model.network.sizes
    network = [
        HIGHLIGHTED,
        Figure(
            "network_picture", plots.network(sizes, of_draw, theme=screen.theme), plots.describe_network(sizes, of_draw)
        ),
        Words(f"Draw {chosen + 1}: this network, without its crossed-out units, computes one function for every x."),
    ]
    weights = _largest_weights(fit.single()["weight1"])
    rate = fit.config.hyperparameter("dropout_rate")

    def spikes(which: int) -> Sequence[Part]:
        alt = f"q(w) of one weight: mass {rate:g} at 0, and {1 - rate:g} at {weights[which - 1]:.2g}."
        fig = plots.two_spikes(weights, rate, chosen=which - 1, theme=screen.theme)
        return [
            Figure("spikes_picture", fig, alt),
            Words(
                "q(w) of one weight behind a dropped unit is two spikes: at 0 when the unit is dropped, "
                "at m / (1 − p) when it is kept. All weights of a unit change together."
            ),
        ]

    field = Field("spike_weight", "Weight (largest first)", tuple(range(1, len(weights) + 1)))
    return [Columns([network, [Chooser([field], spikes)]], gap="large")]


def _largest_weights(weight: Array, count: int = 40) -> Array:
    flat = weight.ravel()
    return flat[np.argsort(-np.abs(flat))[:count]]


def _training(screen: Screen, fit: Fit, dataset: Dataset) -> list[Part]:
    steps, curves = regression.training_curves(fit, dataset)
    fig = plots.learning_curves(curves, steps, y_label="½ (y − f)², standardised", theme=screen.theme)
    alt = "Training and held-out loss over training steps, with and without dropout."
    told = "With dropout: mean over 20 masks. Without: one pass with all units kept (the naive prediction)."
    return [Figure("training_picture", fig, alt), Words(told)]
