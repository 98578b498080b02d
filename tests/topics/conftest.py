"""The fixtures of the tests of the explorer and of figures, for the tests of topics."""

from tests.plots.conftest import data, make_predictive, predictive
from tests.ui.conftest import no_installed_components, own_shelf, plain_figures, queue, quick

__all__ = [
    "data",
    "make_predictive",
    "no_installed_components",
    "own_shelf",
    "plain_figures",
    "predictive",
    "queue",
    "quick",
]
