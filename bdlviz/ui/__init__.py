"""Streamlit: the only package of bdlviz that imports it. Pages are written with what is exported here."""

from bdlviz.ui.controls.control import Control, hyperparameter_control, number_control
from bdlviz.ui.controls.data_choice import choose_data, data_controls
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Page, Paper, Scene, View, Views
from bdlviz.ui.frame.redraw import redraw_first
from bdlviz.ui.frame.window import is_narrow
from bdlviz.ui.jobs.obtain import Wanted, obtain

__all__ = [
    "Control",
    "Page",
    "Paper",
    "Scene",
    "View",
    "Views",
    "Wanted",
    "choose_data",
    "data_controls",
    "figure",
    "hyperparameter_control",
    "is_narrow",
    "number_control",
    "numbers",
    "obtain",
    "present_theme",
    "redraw_first",
]
