"""Few and many points of a curve whose noise is known: what more data change, and what they do not."""

from __future__ import annotations

from functools import cache

import numpy as np

from bdlviz.data import load, noisy_curves
from bdlviz.digits import number
from bdlviz.topics.foundations.noise_or_ignorance import exact, figures, study
from bdlviz.topics.foundations.noise_or_ignorance.controls import POINTS
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.model import Figure, Formula, Numbers, Result, Says, Screen, Setting, Words

NUM_INPUTS, MARKED = 241, 2.0  # MARKED is the x whose standard deviations are told
SOLVED = Formula(
    exact.posterior,
    "The posterior of the function, solved for these points.",
    {
        r"\mu(x)": "mean of the function at x",
        "s(x)": "its standard deviation: the ignorance, in the unit of y",
        r"\sigma_i": "known noise of point i, in the unit of y",
    },
    {r"\mu(x)": "mean", "s(x)": "epistemic", r"\sigma_i": "aleatoric"},
)
NOISE = Formula(
    noisy_curves.noise_and_gap_noise_std,
    "The noise of the curve. No amount of data changes it.",
    {r"\sigma(x)": "standard deviation of y at x, in the unit of y"},
    {r"\sigma(x)": "aleatoric"},
)


def points(setting: Setting, screen: Screen, _: object) -> Result:
    """Both bands for the first N points, and both standard deviations over x."""
    dataset, predictive = solved(int(setting[POINTS]))
    noise = predictive.aleatoric_std[:, 0]
    fig = figures.kinds_of_noise(predictive, dataset, None, is_given=True, theme=screen.theme, stacked=screen.is_narrow)
    here = int(np.argmin(np.abs(predictive.x[:, 0] - MARKED)))
    blue, orange = (float(each[here, 0]) for each in (predictive.epistemic_std, predictive.aleatoric_std))
    figures.mark_place(fig, dataset, MARKED, (blue, orange), screen.theme)
    says = Says(
        f"With {dataset.num_data:,} {'point' if dataset.num_data == 1 else 'points'} the curve at x = {MARKED:g} is "
        f"uncertain by {number(blue, 2)} (blue, ignorance); the given noise (orange) stays {number(orange, 2)}."
    )
    among, gap, outside = _means(predictive)
    values = Numbers(
        [
            ("Ignorance where data are", number(among, 2), "Mean sd of the function for x from −4 to −1 and 1 to 4."),
            ("… in the gap", number(gap, 2), "Between −0.5 and 0.5."),
            ("… left and right of the data", number(outside, 2), "Beyond −4 and 4."),
        ]
    )
    told = Words(
        "Blue: where the curve may be, after these points. Orange: how far a new point may lie from the curve. The "
        "prior of the curve is a Gaussian process, and the noise is known, so the posterior is exact."
    )
    shown = Figure("points", fig, figures.describe_kinds(predictive, dataset, noise))
    return Result(
        [says, shown, values, told], (SOLVED, NOISE), (exact.posterior, figures.kinds_of_noise), _call(dataset)
    )


@cache
def solved(count: int) -> tuple[Dataset, Predictive]:
    """The first points, and the posterior at the inputs of the figure, with the noise as it is known."""
    dataset = load(study.DATASET, num_data=count)
    x, at = dataset.x[:, 0], np.linspace(*dataset.x_range, NUM_INPUTS)
    mean, std = exact.posterior(x, dataset.y[:, 0], noisy_curves.noise_and_gap_noise_std(x), at)
    noise = noisy_curves.noise_and_gap_noise_std(at)[:, None]
    mean, std = mean[:, None], std[:, None]
    return dataset, Predictive(at[:, None], mean[None], mean, std, noise, 1)


def _means(predictive: Predictive) -> tuple[float, float, float]:
    """Mean epistemic sd where data are, in the gap and outside."""
    x: Array = predictive.x[:, 0]
    places = (study.where_data_are(x), np.abs(x) < 0.5, np.abs(x) > 4)
    among, gap, outside = (float(predictive.epistemic_std[place].mean()) for place in places)
    return among, gap, outside


def _call(dataset: Dataset) -> str:
    return (
        "import numpy as np\nimport bdlviz\n"
        "from bdlviz.data.noisy_curves import noise_and_gap_noise_std\n"
        "from bdlviz.topics.foundations.noise_or_ignorance import exact\n\n"
        f"data = bdlviz.dataset({study.DATASET!r}, num_data={dataset.num_data})\n"
        "x, y, at = data.x[:, 0], data.y[:, 0], np.linspace(*data.x_range, 241)\n"
        "mean, std = exact.posterior(x, y, noise_and_gap_noise_std(x), at)\n"
        "print(std.mean(), noise_and_gap_noise_std(at).mean())"
    )
