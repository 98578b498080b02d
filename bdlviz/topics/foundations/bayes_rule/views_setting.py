"""What the views of the page on Bayes' rule share: points, and what a view leaves for the tabs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import streamlit as st

from bdlviz.plots.panels import panel_axes
from bdlviz.topics.foundations.bayes_rule.two_parameters import LINE, Family
from bdlviz.types import Array
from bdlviz.ui.controls import data_choice, picked
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.look import figure
from bdlviz.ui.places import link

MAX_POINTS = 20  # of those that are made
NOISE_STD = 0.7  # in the points that are made, whatever the model assumes
TRUTH = {"line": (0.9, -0.6), "network": (1.2, 1.5)}
SAME_X = 1.5
NUM_HELD_OUT = 30
MAX_OWN = 200  # of the visitor's points that are used
FARTHEST = (10.0, 100.0)  # x and y of a visitor's point that is used
USUAL = (4.0, 5.0)  # how far from 0 x and y go in pictures, unless they must go farther
LATTICE = 41  # to a side: invisible points that make the empty plot clickable

POINTS = Control(
    "data",
    "Points",
    ("made", "same", data_choice.OWN),
    "made",
    "menu",
    "Points of a known function with noise of standard deviation 0.7; the same, all at one x; or your own.",
    {"made": "From a known function", "same": "All at one x", data_choice.OWN: "Your own: click them in"},
)
SEEN = number_control("points_seen", "Points seen N", range(MAX_POINTS + 1), 3, "They arrive one by one.")
SEED = number_control("data_seed", "Data seed", range(10), 0, "Another seed: other points.")
OWN_PANEL = (POINTS, *data_choice.data_controls()[1:])


@dataclass(frozen=True, eq=False)
class Points:
    """The points that have been seen, x and y (N,), and held-out ones where the truth is known."""

    x: Array
    y: Array
    x_test: Array
    y_test: Array
    truth: Array | None = None  # the parameters (2,) behind the points
    note: str = ""  # what was left out


def choose_points() -> None:
    """Draw the controls of the points."""
    if POINTS.present() == data_choice.OWN:
        data_choice.choose_data(OWN_PANEL)
        return
    POINTS.show()
    SEEN.show()
    SEED.show()


def present_points(family: Family = LINE) -> Points:
    """The points that are chosen."""
    if POINTS.present() == data_choice.OWN:
        return own_points(data_choice.own_points())
    return made_points(family, int(SEEN.present()), int(SEED.present()), POINTS.present() == "same")


def made_points(family: Family, count: int, seed: int, at_one_x: bool) -> Points:
    """So many noisy points of the family's true function, and held-out ones; more points begin with the same ones."""
    rng = np.random.default_rng(seed)
    x, noise = rng.uniform(-2.5, 2.5, MAX_POINTS), NOISE_STD * rng.standard_normal(MAX_POINTS)
    x = np.full_like(x, SAME_X) if at_one_x else x
    x_test = rng.uniform(-USUAL[0], USUAL[0], NUM_HELD_OUT)
    truth = np.array(TRUTH[family.name])
    y_test = family.at(truth, x_test) + NOISE_STD * rng.standard_normal(NUM_HELD_OUT)
    y = family.at(truth, x) + noise
    return Points(x[:count].round(3), y[:count].round(3), x_test, y_test, truth)


def own_points(table: Array) -> Points:
    """The visitor's points (N, 2) as far as this page can use them."""
    near = (np.abs(table) <= FARTHEST).all(1)
    used = table[near][:MAX_OWN]
    none = np.empty(0)
    notes = []
    if not near.all():
        notes.append(
            f"{int((~near).sum())} of {len(table)} points lie beyond |x| = {FARTHEST[0]:g} or |y| = {FARTHEST[1]:g} "
            "and are left out: scale them to stay near 0."
        )
    if near.sum() > MAX_OWN:
        notes.append(f"Only the first {MAX_OWN} points are used.")
    return Points(used[:, 0], used[:, 1], none, none, note=" ".join(notes))


def reach_for(values: Array, usual: float) -> float:
    """How far an axis goes from 0: as far as usual, or in doublings until it holds all values."""
    reach, farthest = usual, float(np.abs(values).max(initial=0.0))
    while reach < farthest:
        reach *= 2
    return reach


def show_clickable(fig: Any, *, panel: int, limits: Array, key: str, alt: str) -> None:
    """A figure; a click into the panel adds or removes one's own point.

    Its last trace is the data; ``limits`` (2, 2) are those of x and y.
    """
    if POINTS.present() == data_choice.OWN:
        st.caption("Click into the prediction to add a point, click a point to remove it; or edit the table.")
        _clickable(fig, panel, limits, f"own_{key}", alt)
    else:
        figure(fig, key=key, alt=alt)


def _clickable(fig: Any, panel: int, limits: Array, key: str, alt: str) -> None:
    """A figure whose panel is full of invisible points."""
    from_curve = len(fig.data) - 1  # the data; the lattice comes next
    xs, ys = (np.linspace(low, high, LATTICE) for low, high in limits)
    grid_x, grid_y = (each.ravel().astype(np.float32) for each in np.meshgrid(xs, ys))
    look = {"mode": "markers", "marker": {"size": 9, "opacity": 0}, "hoverinfo": "none", "showlegend": False}
    fig.add_scatter(x=grid_x, y=grid_y, **look, **panel_axes(panel))

    def click() -> None:
        chosen = [each for each in picked.points(key) if _curve(each) >= from_curve]
        place = picked.place(chosen[-1]) if chosen else None
        if place is not None:
            across, up = (limits[:, 1] - limits[:, 0]) / 50
            data_choice.add_or_remove(place, (across, up))

    figure(fig, key=key, alt=alt, on_select=click, selection_mode="points")


def _curve(point: dict[str, Any]) -> int:
    """The trace that a chosen point belongs to; -1 where it says none."""
    found = link.whole_number(point.get("curve_number"), picked.MOST)
    return -1 if found is None else found


def number(value: float, digits: int = 2) -> str:
    """A number with a true minus sign, and none before 0."""
    return f"{round(value, digits) + 0.0:.{digits}f}".replace("-", "−")
