"""Looking closer at one fit: a highlighted draw and its dropped units, q(w), training watched and scrubbed."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.fits import Fit
from bdlviz.topics.shared import curves as regression
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.controls import picked
from bdlviz.ui.controls.control import number_control
from bdlviz.ui.controls.data_choice import add_or_remove
from bdlviz.ui.frame.look import figure, present_theme
from bdlviz.ui.places import link

STEP = "training_step"  # key in the session state and in the link
LATTICE = (61, 41)  # invisible points that make the empty plot clickable
MAX_STEP = 10**9  # that a link may name; the kept step nearest to it is shown
SHOWN_SAMPLES = 200
UNIT = re.compile(r"\(([^\W_](?:[^\W_]|[ .,%°·/^²³⁻¹-]){0,29})\)")  # no sign that Markdown reads: it stands in labels
HIGHLIGHTED = number_control("highlighted_draw", "Highlighted draw (0: none)", range(SHOWN_SAMPLES + 1), 0)


def watch_button() -> bool:
    """A switch that trains the present setting while the page looks on."""
    asked = link.whole_number(link.arrived_with(STEP), MAX_STEP)
    if asked is not None:
        st.session_state["watch"], st.session_state[STEP] = True, asked
    return st.toggle("Watch it train", key="watch", help="Train this setting now and keep moments of the training.")


def at_chosen_step(fit: Fit, with_slider: bool = True) -> Fit:
    """A finished fit with snapshots, as it was at the step chosen on a slider, here or in the view that moves."""
    chosen = chosen_step(fit)
    if chosen is None:
        return fit
    if with_slider:
        steps = [int(step) for step in fit.snapshot_steps]
        st.session_state[STEP] = steps[chosen]
        chosen = steps.index(st.select_slider("Training step", steps, key=STEP))
    if chosen < len(fit.snapshot_steps) - 1:
        link.add(STEP, str(fit.snapshot_steps[chosen]))
    return fit.at_snapshot(chosen)


def chosen_step(fit: Fit) -> int | None:
    """Which snapshot of a finished fit to show, the last one unless a slider or the link says otherwise."""
    steps = fit.snapshot_steps
    if len(steps) < 2 or fit.num_steps_done < fit.config.num_steps:
        return None
    return int(np.abs(steps - st.session_state.get(STEP, steps[-1])).argmin())


def highlighted(predictive: Predictive) -> int | None:
    """The draw that the visitor singled out, if there is one."""
    chosen = int(st.session_state[HIGHLIGHTED.key])
    return chosen - 1 if 0 < chosen <= len(predictive.draws) else None


def unit(dataset: Dataset) -> str:
    """The unit of y in parentheses, as its axis label has it."""
    found = UNIT.search(dataset.y_label)
    return f" ({found[1]})" if found else ""


def show_picture(fig: Any, dataset: Dataset, alt: str) -> None:
    """The main picture; on the visitor's own points it takes clicks that add and remove points."""
    if dataset.name != "your_data":
        figure(fig, key="function_picture", alt=alt)
        return
    xs, ys = np.linspace(*dataset.x_range, LATTICE[0]), np.linspace(*dataset.y_range, LATTICE[1])
    grid_x, grid_y = (axis.ravel().astype(np.float32) for axis in np.meshgrid(xs, ys))
    invisible = {"size": 9, "opacity": 0}
    fig.add_scatter(x=grid_x, y=grid_y, mode="markers", marker=invisible, hoverinfo="none", showlegend=False)
    st.caption("Click into the picture to add a point, click a point to remove it.")
    figure(fig, key="own_picture", alt=alt, on_select=lambda: _click(dataset), selection_mode="points")


def _click(dataset: Dataset) -> None:
    points = picked.points("own_picture")
    place = picked.place(points[-1]) if points else None
    if place is None:
        return
    (left, right), (low, high) = dataset.x_range, dataset.y_range
    add_or_remove(place, ((right - left) / 50, (high - low) / 50))


def tabs(fit: Fit | None, dataset: Dataset) -> dict[str, Callable[[], None]]:
    """The tabs of this page for a finished fit: inside a draw (with masks), and training (with snapshots)."""
    pages: dict[str, Callable[[], None]] = {}
    if fit is None:
        return pages
    if fit.config.method == "mc_dropout" and fit.config.hyperparameter("dropout_rate") > 0:
        pages["Inside a draw"] = lambda: _inside_a_draw(fit)
    if len(fit.snapshot_steps) > 1:
        pages["Training"] = lambda: _training(fit, dataset)
    return pages


def _inside_a_draw(fit: Fit) -> None:
    theme = present_theme()
    left, right = st.columns(2, gap="large")
    masks = fit.masks(SHOWN_SAMPLES)
    with left:
        chosen = max(int(HIGHLIGHTED.show()), 1) - 1
        of_draw = [mask[chosen] for mask in masks]
        sizes = fit.model.network.sizes
        fig = plots.network(sizes, of_draw, theme=theme)
        figure(fig, key="network_picture", alt=plots.describe_network(sizes, of_draw))
        st.caption(
            f"Draw {chosen + 1}: this network, without its crossed-out units, computes one function for every x."
        )
    with right:
        weights = _largest_weights(fit.params["weight1"][0, 0])
        which = st.slider("Weight (largest first)", 1, len(weights), 1, key="spike_weight")
        rate = fit.config.hyperparameter("dropout_rate")
        alt = f"q(w) of one weight: mass {rate:g} at 0, and {1 - rate:g} at {weights[which - 1]:.2g}."
        figure(plots.two_spikes(weights, rate, chosen=which - 1, theme=theme), key="spikes_picture", alt=alt)
        st.caption(
            "q(w) of one weight behind a dropped unit is two spikes: at 0 when the unit is dropped, "
            "at m / (1 − p) when it is kept. All weights of a unit jump together."
        )


def _largest_weights(weight: Array, count: int = 40) -> Array:
    flat = weight.ravel()
    return flat[np.argsort(-np.abs(flat))[:count]]


def _training(fit: Fit, dataset: Dataset) -> None:
    steps, curves = regression.training_curves(fit, dataset)
    fig = plots.learning_curves(curves, steps, y_label="½ (y − f)², standardised", theme=present_theme())
    figure(fig, key="training_picture", alt="Training and held-out loss over training steps, with and without dropout.")
    st.caption("With dropout: mean over 20 masks. Without: one pass with all units kept (the naive prediction).")
