"""The controls of the page on Bayes' rule."""

from __future__ import annotations

from bdlviz.models.four_networks import NAMES
from bdlviz.topics.foundations.bayes_rule.points import MAX_POINTS, SEEDS
from bdlviz.topics.foundations.bayes_rule.two_parameters import FAMILIES
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.model import Custom, Setting, When

FLAT = "inf"  # the value of a flat prior
BETWEEN = "between"  # points that come from none of the four networks

POINTS = Control(
    "data",
    "Points",
    ("made", "same", data_choice.OWN),
    "made",
    "menu",
    "Points of a known function with noise of standard deviation 0.7; the same, all at one x; or your own.",
    {"made": "From a known function", "same": "All at one x", data_choice.OWN: "Your own: click them in"},
)


class _OfMadePoints(Control):
    """A control that is shown only while the points come from a known function."""

    def show(self) -> str:
        """Draw the widget, unless the visitor enters the points."""
        return self.present() if POINTS.present() == data_choice.OWN else super().show()


SEEN = _OfMadePoints(
    "points_seen", "Points seen N", tuple(map(str, range(MAX_POINTS + 1))), "1", help="The points arrive one by one."
)
SEED = Control("data_seed", "Data seed", tuple(map(str, SEEDS)), "0", "menu", "Another seed gives other points.")
OWN_PANEL = (POINTS, *data_choice.data_controls()[1:])

# Two parameters -------------------------------------------------------------------------------------------------------

FAMILY = Control(
    "family",
    "Functions",
    tuple(FAMILIES),
    "line",
    "buttons",
    "A line f(x) = a x + b, or a network of one hidden unit, f(x) = w₂ tanh(w₁ x).",
    {name: family.title for name, family in FAMILIES.items()},
)
PRIOR_STD = Control(
    "prior_std",
    "Prior sd",
    ("0.1", "0.2", "0.3", "0.5", "0.7", "1", "1.5", "2", "3", FLAT),
    "1",
    "slider",
    "Of both parameters, whose prior is a Gaussian around 0. Flat: the same density wherever both lie within ±10.",
    {FLAT: "flat"},
)
NOISE = number_control(
    "assumed_std",
    "Noise sd σ assumed",
    (0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3, 5),
    0.7,
    "The standard deviation of the noise in the likelihood; that in the made points is 0.7.",
)
BY = Control(
    "predict_by",
    "Show the prediction of",
    ("average", "map", "mle", "mean"),
    "average",
    "menu",
    "The prediction whose uncertainty the bands show. A single choice of parameters has the uncertainty of the noise "
    "only.",
    {
        "average": "the posterior average",
        "map": "MAP, plugged in",
        "mle": "maximum likelihood, plugged in",
        "mean": "the mean parameters, plugged in",
    },
)
ORDER = Control(
    "update_by",
    "Update by",
    ("all", "last"),
    "all",
    "buttons",
    "All points at once; or the last one alone, with the posterior of those before it as the prior.",
    {"all": "all points", "last": "the last point"},
)


def has_own_points(setting: Setting) -> bool:
    """True where the visitor enters the points."""
    return setting[POINTS] == data_choice.OWN


MAPS = (
    FAMILY,
    When(has_own_points, (Custom(lambda: data_choice.choose_data(OWN_PANEL)),)),
    When(lambda setting: not has_own_points(setting), (POINTS, SEED)),
    BY,
    ORDER,
)
LIVE_MAPS = (SEEN, PRIOR_STD, NOISE)

# Four networks --------------------------------------------------------------------------------------------------------

FOUR_TRUTH = Control(
    "four_truth",
    "The points come from",
    (*NAMES, BETWEEN),
    "1",
    "buttons",
    "One of the networks, with noise of standard deviation 0.5; or half-way between networks 2 and 4.",
    {BETWEEN: "2 and 4"},
)
FOUR_SEEN = number_control("four_points", "Points seen N", (0, 1, 2, 3, 4, 5, 6, 8, 10, 15, 20, 50, 100), 3)
FOUR_NOISE = number_control(
    "four_noise",
    "Noise sd σ assumed",
    (0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 5),
    0.5,
    "A smaller σ makes the likelihoods of the networks differ more; the noise in the points is 0.5.",
)
ODDS = tuple(
    number_control(f"odds_{name}", f"Prior weight, network {name}", (0, 1, 2, 3, 5, 10, 20), 1, "Divided by their sum.")
    for name in NAMES
)
AT = number_control("read_at", "Read the prediction at x", [each / 2 for each in range(-8, 9)], 3.5)
NETWORKS = (FOUR_TRUTH, *ODDS, SEED)
LIVE_NETWORKS = (FOUR_SEEN, FOUR_NOISE, AT)
