"""Two claims about concrete dropout in wide networks, with the measured numbers."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz import plots
from bdlviz.digits import number
from bdlviz.plots import Panel, Series
from bdlviz.predictive.intervals import mean_interval
from bdlviz.topics.digits.concrete_dropout.run import Extra, shipped_with
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Need, Obtained, Part, Says, Screen, Tab, Words

WIDTHS_FILE = "concrete_widths"


def widths_needed() -> Need[Extra]:
    """The study of widths and rates."""
    return shipped_with(WIDTHS_FILE, "concrete_rate", lambda _, extra: extra)


def tabs_of(screen: Screen) -> Mapping[str, Tab]:
    """The further picture that every view of the page has."""
    return {"Two claims": lambda: [Obtained(widths_needed(), lambda extra: claims(screen, extra))]}


def claims(screen: Screen, extra: Extra) -> list[Part]:
    """“Large nets push p to .5” and “over-parameterised nets give better uncertainty”, with the measured numbers."""
    rates = extra["rates"].astype(float)
    best = rates[extra["nll"].argmin(-1)]
    at_best = {name: _at_best(extra, name) for name in ("nll", "auroc")}
    rate_panel = Panel(
        "Dropout rate",
        "p",
        (0.0, 0.95),
        [
            Series("concrete dropout", extra["concrete_rate"][..., 1]),
            Series("concrete dropout, pixels", extra["concrete_rate"][..., 0], "muted", "dot"),
            Series("best of the grid", best, "mean", "dash"),
        ],
    )
    top = float(np.ceil(10 * max(at_best["nll"].max(), extra["concrete_nll"].max())) / 10)
    panels = [
        rate_panel,
        Panel("Held-out NLL", "nats per image", (0.0, top), _both(extra, at_best, "nll")),
        Panel("Shuffled digits found", "AUROC", (0.5, 1.0), _both(extra, at_best, "auroc")),
    ]
    widths = extra["widths"].astype(float)
    fig = plots.against_setting(widths, panels, x_label="Hidden units", theme=screen.theme, stacked=screen.is_narrow)
    first, second = _first_claim(extra, best), _second_claim(extra, at_best)
    learned = extra["concrete_rate"][..., 1].mean(0)
    (first_rate, last_rate), (first_best, last_best) = (
        [number(rate, 2) for rate in (each[0], each[-1])] for each in (learned, best.mean(0))
    )
    says = Says(
        f"From {widths[0]:,.0f} to {widths[-1]:,.0f} hidden units the learned rate goes from {first_rate} to "
        f"{last_rate}, the best of the grid from {first_best} to {last_best}."
    )
    return [says, Figure("claims", fig, first.replace("**", "")), Words(f"{first}\n\n{second}", "markdown")]


def _both(extra: Extra, at_best: dict[str, Array], name: str) -> list[Series]:
    concrete = Series("concrete dropout", extra[f"concrete_{name}"])
    return [concrete, Series("best of the grid", at_best[name], "mean", "dash")]


def _at_best(extra: Extra, name: str) -> Array:
    """A score at each seed's and width's rate of lowest NLL, (R, W)."""
    return np.take_along_axis(extra[name], extra["nll"].argmin(-1)[..., None], -1)[..., 0]


def _first_claim(extra: Extra, best: Array) -> str:
    learned, widths = extra["concrete_rate"][..., 1], extra["widths"]
    return (
        f"**“Large networks push p to 0.5.”** Concrete dropout learned {mean_sd(learned[:, 0])} at {widths[0]} hidden "
        f"units and {mean_sd(learned[:, -1])} at {widths[-1]:,}; the rate of lowest held-out NLL is "
        f"{mean_sd(best[:, 0])} and {mean_sd(best[:, -1])}. {_changes('The learned rate', learned, widths)} This is "
        "not a recommendation: the bound has an entropy term for every unit, and the held-out NLL is lowest with "
        "little dropout at any width."
    )


def _second_claim(extra: Extra, at_best: dict[str, Array]) -> str:
    widths = extra["widths"]
    nll, auroc = extra["concrete_nll"], extra["concrete_auroc"]
    return (
        f"**“Over-parameterised networks give better uncertainty.”** From {widths[0]} to {widths[-1]:,} hidden units "
        f"the held-out NLL of concrete dropout goes from {mean_sd(nll[:, 0], 3)} to {mean_sd(nll[:, -1], 3)}, of the "
        f"best rate from {mean_sd(at_best['nll'][:, 0], 3)} to {mean_sd(at_best['nll'][:, -1], 3)}; the AUROC of "
        f"finding shuffled digits by entropy goes from {mean_sd(auroc[:, 0])} to {mean_sd(auroc[:, -1])}. "
        f"{_changes('The NLL of concrete dropout', nll, widths)} {_changes('The AUROC', auroc, widths)} This is for "
        "320 training digits, one hidden layer, and the same prior (ℓ = 1) at every width and rate."
    )


def _changes(name: str, values: Array, widths: Array) -> str:
    """One sentence: whether (R, W) values change from the narrowest network to the widest, by the interval."""
    _, low, high = (float(each) for each in mean_interval(values[:, -1].astype(float) - values[:, 0]))
    between = f"from {widths[0]} to {widths[-1]:,} units (95 %, {len(values)} seeds: {low:+.2f} to {high:+.2f})"
    between = between.replace("-", "−")
    if low <= 0 <= high:
        return f"{name} is not shown to change {between}."
    return f"{name} {'rises' if low > 0 else 'falls'} {between}."


def mean_sd(values: Array, digits: int = 2) -> str:
    """Mean and standard deviation over the seeds."""
    return f"{values.mean():.{digits}f} ± {values.std(ddof=1):.{digits}f}"
