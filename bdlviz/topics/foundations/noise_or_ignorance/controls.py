"""The controls of the page on noise and ignorance."""

from __future__ import annotations

from dataclasses import fields, replace

from bdlviz.methods import METHODS
from bdlviz.topics.foundations.noise_or_ignorance import study
from bdlviz.topics.shared.noisy_curve import DATA, DATA_PANEL, METHOD
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.model import Custom, Panel

POINTS = number_control(
    "n_points",
    "Data points N",
    (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000),
    5,
    "The posterior is solved again for every N.",
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

# By view --------------------------------------------------------------------------------------------------------------

HEADS = (METHOD, HEAD, DATA_BELOW)
LOSS = (METHOD, HEAD, DATA_PANEL)
