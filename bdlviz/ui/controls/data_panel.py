"""The data panel as an entry among the controls of a view."""

from __future__ import annotations

from collections.abc import Sequence

from bdlviz.ui.controls import data_choice
from bdlviz.ui.model import Custom, Entry, Panel


def data_panel(controls: data_choice.Panel, more: Sequence[Entry] = ()) -> Panel:
    """The panel for the choice of data, with further controls below; it is open for the visitor's own table."""
    chosen = Custom(lambda: data_choice.choose_data(controls), controls)
    return Panel("Data", (chosen, *more), data_choice.table_is_open)
