"""The function picture of the regression pages, scrubbed: its sliders, its commits, and the plain figure instead."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from bdlviz.fits import Fit
from bdlviz.plots.functions import Reference
from bdlviz.topics.regression.function_draws import views_neighbourhood, views_two
from bdlviz.topics.shared import curves, draw_inspector
from bdlviz.types import Dataset, Predictive
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control
from bdlviz.ui.jobs.obtain import Wanted, obtain
from bdlviz.ui.places import link
from bdlviz.ui.scrub import grids, picture, switch
from bdlviz.ui.scrub.picture import Side, Slider

KEY = "function_view"


@dataclass(frozen=True)
class FunctionView:
    """What a page offers to scrub.

    ``sliders`` are the controls that become sliders of the view, ``setting`` all controls of which two settings to
    compare may differ (none: no comparison), and ``edits`` says whether clicks may add points.
    """

    sliders: Sequence[Control]
    setting: Sequence[Control] = ()
    edits: bool = True

    def is_wanted(self) -> bool:
        """Draw the switch between the two pictures; is it the one that redraws during a drag?"""
        is_chosen = switch.choose(switch.PICTURE)
        views_two.arrive(self.setting)
        if is_chosen:
            views_two.leave_link()
        return is_chosen

    def obtain(self, wanted: Wanted, draw: Callable[[Fit, Fit | None], None]) -> Fit | None:
        """As `obtain`, with the other fit of a comparison, which comes first: the picture needs both."""
        views_neighbourhood.leave(wanted.config)
        found, other = views_two.present(), None
        if found is not None and st.session_state.get(switch.PICTURE.key) == switch.SCRUB:
            config = curves.configuration(found.other, self.setting, wanted.dataset)
            if config is not None and (other := obtain(Wanted(config, wanted.dataset), lambda fit: None)) is None:
                return None
        return obtain(wanted, lambda fit: draw(fit, other))

    def show(
        self,
        fit: Fit,
        predictive: Predictive,
        dataset: Dataset,
        other: Predictive | None = None,
        reference: Reference | None = None,
    ) -> None:
        """Draw the view of a fit, of which ``predictive`` are the functions to show, or of two settings.

        The ``reference``, at the same x, is outlined over both.
        """
        found = views_two.present() if other is not None else None
        axes = dict(fit.config.axes)
        sliders = [Slider.of(control) for control in self.sliders if control.key in axes]
        pinned = int(draw_inspector.HIGHLIGHTED.present())
        picture.show(
            [replace(side, reference=reference) for side in self._sides(fit, predictive, dataset, found, other)],
            dataset,
            [*sliders, *_steps(fit)],
            lambda event: self.commit(event, dataset),
            key=KEY,
            unit=draw_inspector.unit(dataset),
            pinned=pinned - 1 if pinned else None,
            difference=found is not None and found.difference,
            isEditable=self.edits,
            isOwn=dataset.name == "your_data",
            canUndo=self.edits and data_choice.can_undo(),
            canCompare=bool(self.setting),
            canPin=True,
        )

    def _sides(
        self,
        fit: Fit,
        predictive: Predictive,
        dataset: Dataset,
        found: views_two.Comparison | None,
        other: Predictive | None,
    ) -> list[Side]:
        at = {control.key: control.present() for control in self.sliders}
        own = link.settings(self.setting)
        against = found.other if found else own
        label, other_label = found.labels if found else ("", "")
        title = views_two.describe(own, against, self.setting) if self.setting else fit.spec.title
        grid = grids.grid_block(fit.config, dataset) or views_neighbourhood.block(fit, dataset)
        film = grids.film_block(fit, dataset)
        sides = [Side(predictive, at, title, label, grid=grid, film=film)]
        if found is not None and other is not None:
            title = views_two.describe(found.other, own, self.setting)
            sides.append(Side(other, at | found.other, title, other_label, is_active=False))
        return sorted(sides, key=lambda side: side.label)

    def commit(self, event: dict[str, Any], dataset: Dataset) -> None:
        """Do what the visitor did in the view; runs before the page does."""
        values = picture.commit_values(event, self.sliders)
        step = link.whole_number(values.get(draw_inspector.STEP), draw_inspector.MAX_STEP)
        if step is not None:
            st.session_state[draw_inspector.STEP] = step
        if "pin" in event:
            pinned = link.whole_number(event["pin"], draw_inspector.SHOWN_SAMPLES - 1)
            st.session_state[draw_inspector.HIGHLIGHTED.key] = "0" if pinned is None else str(pinned + 1)
        if "edit" in event and self.edits:
            data_choice.edit(event, dataset)
        if self.setting and isinstance(what := event.get("compare"), str):
            views_two.act(what, self.setting)
        switch.note_failure(event)


def _steps(fit: Fit) -> list[Slider]:
    """The slider over the kept moments of training, where there are some."""
    chosen = draw_inspector.chosen_step(fit)
    if chosen is None:
        return []
    stops = tuple(str(int(step)) for step in fit.snapshot_steps)
    return [Slider(draw_inspector.STEP, "Training step", stops, stops[chosen])]
