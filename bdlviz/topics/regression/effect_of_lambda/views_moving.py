"""A whole grid of fits to scrub: the page on weight decay, whose every cell is at hand."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bdlviz.fits import Fit
from bdlviz.topics.shared import draw_inspector
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.controls.control import Control, text
from bdlviz.ui.scrub import grids, picture, switch
from bdlviz.ui.scrub.picture import Side, Slider

KEY = "grid_view"
PANELS = Control(
    "panels",
    "Picture",
    ("three", switch.SCRUB),
    "three",
    "buttons",
    "Three panels: too small, chosen, too large. Scrub: one picture that redraws while you drag.",
    {"three": "Three panels", switch.SCRUB: "Scrub"},
)


@dataclass(frozen=True)
class GridView:
    """The view of a (dropout rate x weight decay) grid; ``rate`` and ``decay`` are the page's controls."""

    rate: Control
    decay: Control

    def is_wanted(self) -> bool:
        """Draw the switch between the panels and this view; is it this view?"""
        return switch.choose(PANELS)

    def show(
        self, fit: Fit, predictive: Predictive, dataset: Dataset, chosen: int, scored: Mapping[str, Array] | None
    ) -> None:
        """Draw the view at the chosen weight decay, with the grid once it is trained."""
        decays = tuple(text(value) for value in dict(fit.config.axes)["weight_decay"])
        sliders = [Slider.of(self.rate), Slider(self.decay.key, self.decay.label, decays, decays[chosen])]
        at = {slider.key: slider.value for slider in sliders}
        picture.show(
            [Side(predictive, at, fit.spec.title, grid=grids.block_of_grid(fit, dataset, scored))],
            dataset,
            sliders,
            self.commit,
            key=KEY,
            unit=draw_inspector.unit(dataset),
            pinned=None,
            difference=False,
            isEditable=False,
            isOwn=False,
            canUndo=False,
            canCompare=False,
            canPin=False,
        )

    def commit(self, event: dict[str, Any]) -> None:
        """Do what the visitor did in the view; runs before the page does."""
        picture.commit_values(event, (self.rate, self.decay))
        switch.note_failure(event)
