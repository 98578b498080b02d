"""The view of a whole grid that redraws during a drag, and clicks into the held-out curve."""

from __future__ import annotations

from typing import Any

import streamlit as st

from bdlviz.topics.regression.effect_of_lambda import study
from bdlviz.topics.regression.effect_of_lambda.controls import CHOSEN, PANELS, RATE
from bdlviz.topics.regression.effect_of_lambda.grid import Grid
from bdlviz.topics.shared import draw_inspector
from bdlviz.types import Dataset, Predictive
from bdlviz.ui.controls import picked
from bdlviz.ui.controls.control import text
from bdlviz.ui.model import Custom
from bdlviz.ui.scrub import grids, picture, switch
from bdlviz.ui.scrub.picture import Side, Slider

KEY = "grid_view"
SWITCH = Custom(lambda: switch.choose(PANELS), more=lambda: switch.moving(PANELS))


def show(grid: Grid, predictive: Predictive, dataset: Dataset, chosen: int) -> None:
    """Draw the view at the chosen weight decay, with the grid once it is trained."""
    fit = grid.fit
    decays = tuple(text(value) for value in dict(fit.config.axes)["weight_decay"])
    sliders = [Slider.of(RATE), Slider(CHOSEN.key, CHOSEN.label, decays, decays[chosen])]
    at = {slider.key: slider.value for slider in sliders}
    picture.show(
        [Side(predictive, at, fit.spec.title, grid=grids.block_of_grid(fit, dataset, grid.scores))],
        dataset,
        sliders,
        commit,
        key=KEY,
        unit=draw_inspector.unit(dataset),
        pinned=None,
        difference=False,
        isEditable=False,
        isOwn=False,
        canUndo=False,
        canCompare=False,
        canPin=False,
        hasPad=True,
    )


def commit(event: dict[str, Any]) -> None:
    """Do what the visitor did in the view; runs before the page does."""
    picture.commit_values(event, (RATE, CHOSEN))
    switch.note_failure(event)


def choose_clicked() -> None:
    """A click on the held-out curve chooses its weight decay (for use in a callback)."""
    cells = picked.rows("held_out_curve")
    if cells and cells[0] < len(study.LAMBDA_DECAYS):
        st.session_state[CHOSEN.key] = text(study.LAMBDA_DECAYS[cells[0]])
