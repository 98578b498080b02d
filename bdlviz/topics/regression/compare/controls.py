"""The data of the page that compares methods: the panel, and what of it is held out and shown."""

from __future__ import annotations

from dataclasses import replace

from bdlviz.errors import InvalidInput
from bdlviz.topics.regression.compare import study
from bdlviz.topics.shared import compare_choice as choice
from bdlviz.topics.shared.curves import near_points
from bdlviz.types import Dataset
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control
from bdlviz.ui.model import Custom, Panel, Setting

DATA = data_choice.data_controls("x_sin_x")
FRONT = replace(
    choice.FRONT, default="deep_ensemble" if "deep_ensemble" in choice.FRONT.options else choice.FRONT.default
)
HOLD_OUT = Control(
    "hold_out",
    "Hold out",
    ("none", "fifth"),
    "none",
    "buttons",
    "Data without held-out points: keep every fifth for scoring, and train on the others.",
    {"none": "nothing", "fifth": "every fifth point"},
)


def _choose_data() -> None:
    dataset = data_choice.choose_data(DATA)
    if len(dataset.x_test) == 0:
        HOLD_OUT.show()


DATA_PANEL = Panel("Data", (Custom(_choose_data, (*DATA, HOLD_OUT)),), data_choice.table_is_open)


def whole_dataset(setting: Setting) -> Dataset:
    """The data that are chosen."""
    return data_choice.dataset_of(setting, DATA)


def is_split_here(setting: Setting) -> bool:
    """Is every fifth point to be held out, of data that have no held-out points of their own?"""
    return not setting.is_default(HOLD_OUT) and len(whole_dataset(setting).x_test) == 0


def dataset_of(setting: Setting) -> tuple[Dataset, str]:
    """The data that are chosen, split where that is asked for, and the sentence that says why they cannot be."""
    dataset = near_points(whole_dataset(setting))
    if not is_split_here(setting):
        return dataset, ""
    try:
        return study.every_fifth_held_out(dataset), ""
    except InvalidInput as error:
        return dataset, str(error)
