"""The relaxation behind learned dropout rates: a mask between 0 and 1 instead of a hard one."""

from __future__ import annotations

import numpy as np
from scipy.special import expit

from bdlviz.digits import number, percent
from bdlviz.methods import concrete_dropout
from bdlviz.predictive import relaxation
from bdlviz.topics.digits.concrete_dropout import figures
from bdlviz.topics.digits.concrete_dropout.controls import RELAXED_RATE, TEMPERATURE
from bdlviz.topics.digits.concrete_dropout.views_claims import tabs_of
from bdlviz.ui.model import Figure, Formula, Numbers, Result, Says, Screen, Setting

Z = expit(np.linspace(-11, 11, 441))  # relaxed masks at which the curves are drawn, dense at both ends
BETWEEN = (0.01, 0.99)

DISTRIBUTION = Formula(
    relaxation.relaxed_distribution,
    "The probability that a relaxed mask is at most z̃; at temperature 0 it is the hard mask.",
    {
        r"P(\tilde z)": "the curve",
        r"\tilde z": "relaxed mask, 0 (dropped) to 1 (kept)",
        "t": "temperature",
        "p": "dropout rate",
    },
    {r"P(\tilde z)": "mean"},
)
DENSITY = Formula(relaxation.relaxed_density, "Its derivative by z̃ is the density in the left panel.")


def relaxed(setting: Setting, screen: Screen, _: object) -> Result:
    """The density and the distribution function of a relaxed mask, and the hard mask as their limit."""
    rate, temperature = setting.number(RELAXED_RATE), setting.number(TEMPERATURE)
    density = relaxation.relaxed_density(Z, rate, temperature)
    distribution = relaxation.relaxed_distribution(Z, rate, temperature)
    fig = figures.relaxed_bernoulli(
        Z, density, distribution, dropout_rate=rate, theme=screen.theme, stacked=screen.is_narrow
    )
    between = relaxation.share_between(*BETWEEN, rate, temperature)
    alt = f"Relaxed mask at t = {temperature:g}, dropout rate {rate:g}: {100 * between:.1f} % between 0.01 and 0.99."
    below = float(relaxation.relaxed_distribution(np.array(0.5), rate, temperature))
    numbers = Numbers(
        [
            ("Neither kept nor dropped", f"{100 * between:.1f} %", "Probability of a mask between 0.01 and 0.99."),
            ("Mask below one half", f"{100 * below:.1f} %", "Equal to p at every temperature."),
            ("Mean mask", f"{_mean(rate, temperature):.3f}", f"A hard mask has {1 - rate:g}: the gap is a bias."),
        ]
    )
    says = Says(
        f"At temperature {number(temperature)} and p = {number(rate)}, {percent(between)} of the relaxed masks are "
        "between 0.01 and 0.99: neither kept nor dropped."
    )
    return Result(
        [says, Figure("relaxed", fig, alt), numbers],
        (DISTRIBUTION, DENSITY),
        (relaxation.relaxed_density, relaxation.relaxed_distribution, concrete_dropout.relaxed_mask),
        _call(rate, temperature),
        tabs=tabs_of(screen),
    )


def _mean(rate: float, temperature: float) -> float:
    """The mean of a relaxed mask, by quantiles of the logistic variable behind it."""
    u = (np.arange(20_000) + 0.5) / 20_000
    logistic = np.log(u) - np.log1p(-u)
    return float(expit((logistic - np.log(rate / (1 - rate))) / temperature).mean())


def _call(rate: float, temperature: float) -> str:
    return "\n".join(
        [
            "import numpy as np",
            "from bdlviz.predictive import relaxation",
            "from bdlviz.topics.digits.concrete_dropout import figures",
            "",
            "z = 1 / (1 + np.exp(-np.linspace(-11, 11, 441)))",
            f"rate, temperature = {rate!r}, {temperature!r}",
            "density = relaxation.relaxed_density(z, rate, temperature)",
            "distribution = relaxation.relaxed_distribution(z, rate, temperature)",
            "figures.relaxed_bernoulli(z, density, distribution, dropout_rate=rate).show()",
        ]
    )
