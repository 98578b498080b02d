"""What the shipped studies say: several runs of each way to choose, with intervals and comparisons in pairs."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.predictive.intervals import mean_interval
from bdlviz.topics.regression.active_learning.active import labels_needed
from bdlviz.types import Array


def study(name: str) -> tuple[Mapping[str, Array], str]:
    """The arrays of a shipped study; none, and a sentence, where it is missing or damaged."""
    try:
        return shelf.shipped(name)[1], ""
    except CheckpointError as error:
        return {}, f"{error} `python -m bdlviz train {name}` makes it in some minutes."


def intervals(runs: Mapping[str, Array]) -> dict[str, tuple[Array, Array, Array]]:
    """Mean and ends of the 95 % interval of every set of runs (R, T)."""
    return {name: mean_interval(values) for name, values in runs.items()}


def plus_minus(values: Array, digits: int = 2) -> str:
    """Mean over runs (R,) and half its interval, as 0.52 ± 0.08."""
    mean, _, high = mean_interval(values)
    return f"{mean:.{digits}f}" + (f" ± {high - mean:.{digits}f}" if np.isfinite(high) else "")


UNCLEAR = "too few runs to tell"


def difference(values: Array, others: Array, less: str, more: str) -> str:
    """Whether paired runs (R,) and (R,) differ beyond their 95 % interval, in words."""
    _, low, high = mean_interval(values - others)
    return f"clearly {more}" if low > 0 else f"clearly {less}" if high < 0 else UNCLEAR


def needed(counts: Array, runs: Array, level: float, *, higher_is_better: bool) -> Array:
    """Labels that each run (R, T) takes to reach a level, (R,); NaN where it does not."""
    return np.array([labels_needed(counts, run, level, higher_is_better=higher_is_better) for run in runs])


def needed_text(counts: Array, found: Array) -> str:
    """How many labels it takes, over runs; where some do not get there, how many those are."""
    reached = int(np.isfinite(found).sum())
    if reached == len(found):
        return plus_minus(found, 0)
    return f"> {int(counts[-1])} ({len(found) - reached} of {len(found)})"


def verdict(name: str, target: str, counts: Array, found: Array, at_random: Array) -> str:
    """One sentence: does this score need fewer labels than random choice, and how sure is that?

    Runs are compared in pairs. Where random choice never gets there, it is taken to need the last count, so that what
    is saved is at least what is said.
    """
    if not np.isfinite(found).all():
        mine, theirs = (int(np.isfinite(each).sum()) for each in (found, at_random))
        return (
            f"Within {counts[-1]:.0f} labels, {target} is reached by {name} in {mine} of {len(found)} runs, and at "
            f"random in {theirs}: no difference can be taken."
        )
    missing = int(np.isnan(at_random).sum())
    mean, low, high = (
        float(each) for each in mean_interval(np.where(np.isnan(at_random), counts[-1], at_random) - found)
    )
    between = f"{len(found)} runs, 95 %: {low:.0f} to {high:.0f}".replace("-", "−")
    least = "at least " if missing else ""
    also = f" Random choice never gets there in {missing} of {len(found)} runs; {counts[-1]:.0f} labels are counted."
    if low > 0:
        told = f"To {target}, {name} needs {least}{mean:.0f} fewer labels than random choice ({between})."
    elif high < 0:
        told = f"To {target}, {name} needs {-mean:.0f} more labels than random choice (fewer, {between})."
    else:
        told = f"To {target}, {name} is not shown to need fewer labels than random choice ({least}fewer, {between})."
    return told + (also if missing else "")
