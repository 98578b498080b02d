"""The Streamlit app. Pages are declared with the names exported here; `bdlviz.ui.model` describes them."""

from bdlviz.ui.controls.control import Control, hyperparameter_control, number_control
from bdlviz.ui.controls.data_choice import choose_data, data_controls
from bdlviz.ui.controls.data_panel import data_panel
from bdlviz.ui.frame.legacy import Page as LegacyPage
from bdlviz.ui.frame.legacy import Views as LegacyViews
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import show
from bdlviz.ui.frame.redraw import redraw_first
from bdlviz.ui.frame.window import is_narrow
from bdlviz.ui.jobs.obtain import fit_need, obtain
from bdlviz.ui.model import Custom, Note, Page, Panel, Paper, Scene, View, When

__all__ = [
    "Control",
    "Custom",
    "LegacyPage",
    "LegacyViews",
    "Note",
    "Page",
    "Panel",
    "Paper",
    "Scene",
    "View",
    "When",
    "choose_data",
    "data_controls",
    "data_panel",
    "figure",
    "fit_need",
    "hyperparameter_control",
    "is_narrow",
    "number_control",
    "numbers",
    "obtain",
    "present_theme",
    "redraw_first",
    "show",
]
