"""Streamlit: the only package of bdlviz that imports it. Pages are written with what is exported here."""

from bdlviz.ui.controls import Control, hyperparameter_control, number_control
from bdlviz.ui.data_choice import choose_data, data_controls
from bdlviz.ui.look import figure, numbers, present_theme
from bdlviz.ui.obtain import Wanted, obtain
from bdlviz.ui.page import Page, Paper, Scene, View, Views
from bdlviz.ui.redraw import redraw_first
from bdlviz.ui.window import is_narrow

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
