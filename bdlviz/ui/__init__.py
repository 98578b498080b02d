"""Streamlit. Pages are declared with what is exported here; see `bdlviz.ui.model` for what each of them means."""

from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.controls.data_panel import data_panel
from bdlviz.ui.frame.page import show
from bdlviz.ui.model import Custom, Explanation, Note, Page, Panel, Scene, View, When

__all__ = [
    "Control",
    "Custom",
    "Explanation",
    "Note",
    "Page",
    "Panel",
    "Scene",
    "View",
    "When",
    "data_panel",
    "number_control",
    "show",
]
