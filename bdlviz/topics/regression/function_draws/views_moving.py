"""The function picture that redraws during a drag: its sliders and its commits, and the switches of the page."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import streamlit as st

from bdlviz.fits import Fit
from bdlviz.plots.functions import Reference
from bdlviz.predictive.surface import unpack
from bdlviz.topics.regression.function_draws import two, views_neighbourhood, views_two
from bdlviz.topics.regression.function_draws.controls import OF_FIT, SLIDERS
from bdlviz.topics.shared import draw_inspector
from bdlviz.types import Dataset, FitConfig, Predictive
from bdlviz.ui.controls import data_choice, picked
from bdlviz.ui.frame.render import stop_in_session
from bdlviz.ui.model import Custom, Setting
from bdlviz.ui.places import link
from bdlviz.ui.scrub import grids, picture, switch
from bdlviz.ui.scrub.picture import Side, Slider

KEY = "function_view"


# The switches ---------------------------------------------------------------------------------------------------------


def _show_switch() -> None:
    is_chosen = switch.choose(switch.PICTURE)
    views_two.arrive(OF_FIT)
    if is_chosen:
        views_two.leave_link()


def _in_setting() -> dict[str, str]:
    return switch.moving(switch.PICTURE) | views_two.in_setting()


def _show_watch() -> None:
    if link.whole_number(link.arrived_with(draw_inspector.STEP), draw_inspector.MAX_STEP) is not None:
        st.session_state[draw_inspector.WATCH] = True
    words = "Train this setting now and keep moments of the training."
    st.toggle("Watch it train", key=draw_inspector.WATCH, help=words)


def _watches() -> dict[str, str]:
    return {draw_inspector.WATCH: "yes" if st.session_state.get(draw_inspector.WATCH) else ""}


SWITCH = Custom(_show_switch, more=_in_setting)
WATCH = Custom(_show_watch, more=_watches)
MOMENT = stop_in_session(draw_inspector.STEP, draw_inspector.MAX_STEP)
PINNED = Custom(lambda: None, (draw_inspector.HIGHLIGHTED,))  # drawn in a tab, and set by the view


# The view -------------------------------------------------------------------------------------------------------------


def show(
    setting: Setting,
    dataset: Dataset,
    fit: Fit,
    predictive: Predictive,
    other: Predictive | None,
    outlined: Reference | None,
    has_map: bool = False,
) -> None:
    """Draw the view of a fit, of which ``predictive`` are the functions to show, or of two settings.

    The outlined answer, at the same x, is drawn over both. ``has_map`` puts the map of networks beside them.
    """
    comparison = views_two.present() if other is not None else None
    axes = dict(fit.config.axes)
    drawn = "Thin line: network with random units off" if fit.config.method == "mc_dropout" else ""
    sliders = [Slider.of(control) for control in SLIDERS if control.key in axes]
    pinned = int(setting[draw_inspector.HIGHLIGHTED])
    picture.show(
        [replace(side, reference=outlined) for side in _sides(setting, dataset, fit, predictive, comparison, other)],
        dataset,
        [*sliders, *_moments(setting, fit)],
        partial(commit, dataset=dataset),
        key=KEY,
        unit=draw_inspector.unit(dataset),
        told={"title": fit.spec.short, "reference": "" if outlined is None else outlined.name, "draws": drawn},
        pinned=pinned - 1 if pinned else None,
        difference=comparison is not None and comparison.difference,
        isEditable=True,
        isOwn=dataset.name == "your_data",
        canUndo=data_choice.can_undo(),
        canCompare=True,
        canPin=True,
        hasPad=has_map,
    )


def surprises(config: FitConfig, dataset: Dataset) -> tuple[float, float] | None:
    """The surprise at new points of the fit and of the best network on its map; None if there is no map."""
    block = grids.grid_block(config, dataset)
    header, arrays = ({}, {}) if block is None else unpack(block)
    if "nll" not in arrays or len(header["axes"]) != 2:
        return None
    given, scores = dict(config.axes), arrays["nll"].reshape([len(axis["stops"]) for axis in header["axes"]])
    cell = tuple(int(np.argmin(np.abs(np.subtract(axis["stops"], given[axis["key"]][0])))) for axis in header["axes"])
    return float(scores[cell]), float(scores.min())


def _sides(
    setting: Setting,
    dataset: Dataset,
    fit: Fit,
    predictive: Predictive,
    comparison: two.Comparison | None,
    other: Predictive | None,
) -> list[Side]:
    at = {control.key: setting[control] for control in SLIDERS}
    own = {control.key: setting[control] for control in OF_FIT if not setting.is_default(control)}
    label, other_label = comparison.labels if comparison else ("", "")
    title = two.describe(own, comparison.other if comparison else own, OF_FIT)
    grid = grids.grid_block(fit.config, dataset) or views_neighbourhood.block(fit, dataset)
    sides = [Side(predictive, at, title, label, grid=grid, film=grids.film_block(fit, dataset))]
    if comparison is not None and other is not None:
        title = two.describe(comparison.other, own, OF_FIT)
        sides.append(Side(other, at | comparison.other, title, other_label, is_active=False))
    return sorted(sides, key=lambda side: side.label)


def _moments(setting: Setting, fit: Fit) -> list[Slider]:
    """The slider over the kept moments of training, where there are some; the link says the chosen one."""
    stops = draw_inspector.stops_of(fit)
    if stops is None:
        return []
    chosen = stops.chosen(setting)
    if chosen != stops.stops[-1]:
        link.add(stops.key, str(chosen))
    return [Slider(stops.key, stops.label, tuple(map(str, stops.stops)), str(chosen))]


def commit(event: dict[str, Any], dataset: Dataset) -> None:
    """Do what the visitor did in the view; runs before the page does."""
    values = picture.commit_values(event, SLIDERS)
    step = link.whole_number(values.get(draw_inspector.STEP), draw_inspector.MAX_STEP)
    if step is not None:
        st.session_state[draw_inspector.STEP] = step
    if "pin" in event:
        pinned = link.whole_number(event["pin"], draw_inspector.SHOWN_SAMPLES - 1)
        st.session_state[draw_inspector.HIGHLIGHTED.key] = "0" if pinned is None else str(pinned + 1)
    if "edit" in event:
        data_choice.edit(event, dataset)
    if isinstance(what := event.get("compare"), str):
        views_two.act(what, OF_FIT)
    switch.note_failure(event)


def add_or_remove_clicked(dataset: Dataset) -> None:
    """A click into the plain figure adds one of the visitor's points, or removes one (for use in a callback)."""
    points = picked.points("own_picture")
    place = picked.place(points[-1]) if points else None
    if place is None:
        return
    (left, right), (low, high) = dataset.x_range, dataset.y_range
    data_choice.add_or_remove(place, ((right - left) / 50, (high - low) / 50))
