"""The controls of the page on kinds of uncertainty."""

from __future__ import annotations

from dataclasses import fields, replace

from bdlviz.methods import METHODS
from bdlviz.topics.foundations.kinds_of_uncertainty import study, study_dense
from bdlviz.topics.foundations.kinds_of_uncertainty.scenes import CHANGES, SIZE
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.model import Custom, Panel, Setting, When

# Curves ---------------------------------------------------------------------------------------------------------------

NAMES = tuple(name for name in study.METHODS if name in METHODS)
METHOD = Control(
    "method",
    "Method",
    NAMES,
    "deep_ensemble",
    "menu",
    "How samples of functions are drawn. Hamiltonian Monte Carlo takes longer; its long chains sample the exact "
    "posterior. Its prior gives the weights of a layer with n inputs the variance 1/(nℓ²); in the other methods the "
    "variance is 1/ℓ².",
    {name: METHODS[name].title for name in NAMES},
)
HEAD = Control(
    "head",
    "Noise",
    study.HEADS,
    "heteroscedastic",
    "buttons",
    "Known σ: a constant, the root mean square of the true noise. One σ: a constant that is learned. σ(x): a second "
    "output of the network gives the noise at every x.",
    {"gaussian": "known σ", "homoscedastic": "one σ", "heteroscedastic": "σ(x)"},
)
DATA = data_choice.data_controls(study.DATASET)


class _Amount(Control):
    """The number of points under the picture; hidden while the visitor enters the points."""

    def show(self) -> str:
        """Draw the widget, unless the visitor enters the points."""
        return self.present() if DATA[0].present() == data_choice.OWN else super().show()


class _Elsewhere(Control):
    """A control of the data panel whose widget is under the picture."""

    def show(self) -> str:
        """Return the chosen option and draw nothing."""
        return self.present()


def _as(kind: type[Control], control: Control) -> Control:
    return kind(**{each.name: getattr(control, each.name) for each in fields(control)})


NUM_DATA = _as(_Amount, replace(DATA[1], options=(*DATA[1].options[1:], DATA[1].options[0])))  # "all" at the end
WITHOUT_AMOUNT = (DATA[0], _as(_Elsewhere, DATA[1]), *DATA[2:])
DATA_PANEL = Panel("Data", (Custom(lambda: data_choice.choose_data(DATA), DATA),), data_choice.table_is_open)
DATA_BELOW = Panel(
    "Data", (Custom(lambda: data_choice.choose_data(WITHOUT_AMOUNT), WITHOUT_AMOUNT),), data_choice.table_is_open
)
RESIDUALS = (0, 0.03, 0.1, 0.2, 0.5, 1, 2, 3)
RESIDUAL = number_control(
    "residual", "One residual |y − f|", RESIDUALS, 0.5, "Distance of one point from the function."
)

AMOUNT = number_control("amount", "Data points N", study.AMOUNTS, 100, "All results are shipped: nothing is trained.")
OF = Control(
    "of_method",
    "Highlighted method",
    study.AGAINST_NUMBER,
    "deep_ensemble",
    "menu",
    "The method whose mean and bands are drawn; its lines against N are thick.",
    {name: METHODS[name].title for name in study.AGAINST_NUMBER},
)

COUNT = number_control("class_data", "Points N", (2, 5, 10, 20, 50, 100, 200, 500, 1000, 5000), 200)

# Decisions ------------------------------------------------------------------------------------------------------------

TREAT = number_control("treat", "Cost of treating", (0, 0.5, 1, 2, 5, 10), 1, "For every treated person.")
MISS = number_control("miss", "Cost of missing", (1, 2, 5, 10, 20, 50, 100), 10, "For every untreated ill person.")
LIMIT = number_control(
    "limit", "Ill above y =", (-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5), 1, "A person is ill if y is above it."
)
PEOPLE = Control(
    "people",
    "Who comes",
    ("alike", "everywhere"),
    "everywhere",
    "buttons",
    "Like the data: x is distributed as in the data. From everywhere: x is uniform on the axis, also where there are "
    "no data.",
    {"alike": "like the data", "everywhere": "from everywhere"},
)

# Dense prediction -----------------------------------------------------------------------------------------------------

NUM_ROOMS = 500
ROOM = number_control("room", "Scene", range(NUM_ROOMS), 40, "Number of a held-out scene.")
FRONT = Control(
    "front",
    "The thing in front",
    CHANGES,
    "none",
    "menu",
    "Gives one thing of the scene a shape, place or colour that no training scene contains. The rest does not change.",
    {
        "none": "as in training",
        "tent": "a shape never seen: a tent",
        "floating": "a place never seen: in the air",
        "green": "a colour never seen: green",
    },
)
NUM_SCENES = number_control(
    "n_scenes",
    "Training scenes N",
    study_dense.NUM_SCENES,
    300,
    "Every network was trained for the same number of steps.",
    "buttons",
)
TASKS = Control(
    "tasks",
    "The network learns",
    tuple(study_dense.TASKS_OF),
    "depth",
    "buttons",
    "Depth alone, or depth and a second task in the same network.",
    {"depth": "depth", "edges": "depth, edges", "classes": "depth, classes"},
)
FROM = Control(
    "draws_of",
    "Draws are",
    ("masks", "networks"),
    "masks",
    "buttons",
    "Dropout masks in one network, or an ensemble of three networks without dropout.",
    {"masks": "dropout masks", "networks": "three networks"},
)
DRAWS = number_control("dense_draws", "Draws S", (1, 2, 5, 10, 20, 50), 20, "Number of dropout masks.")
ROW = number_control("row", "Row of pixels", range(SIZE), 15, "The dotted line. The curves below show this row.")


def draws_are_masks(setting: Setting) -> bool:
    """True if the draws are dropout masks in one network."""
    return setting[FROM] == "masks"


# By view --------------------------------------------------------------------------------------------------------------

HEADS = (METHOD, HEAD, DATA_BELOW)
LOSS = (METHOD, HEAD, DATA_PANEL)
AGAINST = (OF,)
LABELS = (METHOD,)
DECISION = (PEOPLE, METHOD, DATA_PANEL)
OF_NETWORK = (NUM_SCENES, FROM, When(draws_are_masks, (TASKS, DRAWS)))

# Under the picture
LIVE_HEADS, LIVE_LOSS, LIVE_AMOUNT, LIVE_LABELS, LIVE_DECISION, LIVE_ROW = (
    (NUM_DATA,),
    (RESIDUAL,),
    (AMOUNT,),
    (COUNT,),
    (TREAT, MISS, LIMIT),
    (ROW,),
)
