"""The sentence under the title: how much of the truth the band contains, and how far draws differ, place by place."""

from __future__ import annotations

from collections.abc import Mapping

from bdlviz.data.gaps import away, places
from bdlviz.digits import factor, number, percent
from bdlviz.plots import Reference
from bdlviz.topics.shared.coverage import covered_at
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.types import Dataset, Predictive

MOST = 0.5  # a 95 % band that holds less of the true curve than this is called too sure


def of_one(predictive: Predictive, dataset: Dataset, title: str) -> str:
    """What the 95 % band of a method contains or, where the truth is not known, how far its draws differ."""
    covered, spreads = covered_at(predictive, dataset), spreads_at(predictive, dataset)
    is_one = not any(spreads.values())
    if covered:
        return _on_coverage(covered, is_one, title)
    if is_one:
        return "One function, no epistemic band: only the noise band is left, as wide everywhere."
    told = ", ".join(f"{number(spread, 2)} {place}" for place, spread in spreads.items())
    return f"The draws of {title} have a standard deviation of {told}{unit(dataset)}."


def _on_coverage(covered: Mapping[str, float], is_one: bool, title: str) -> str:
    """How much of the true curve a band holds where methods differ most, and at the data."""
    place, near = away(covered), covered.get("at the data")
    who, band = ("one function", "noise band") if is_one else (title, f"{percent(0.95)} band")
    rest = "" if near is None or place == "at the data" else f", at the data {percent(near)}"
    held = f"holds {percent(covered[place])} of the truth"
    if covered[place] >= MOST:
        return f"The {band} of {who} {held} {place}{rest}."
    return f"{'One function' if is_one else who} is too sure {place}: its {band} {held}{rest}."


def of_two(predictive: Predictive, other: Predictive, dataset: Dataset) -> str:
    """How much two settings cover of the truth or, where it is not known, how far their draws differ."""
    both = [covered_at(each, dataset) for each in (predictive, other)]
    if all(both):
        place, here, there = _last(*both)
        return f"The band covers {percent(here)} of the truth {place}; with the other setting {percent(there)}."
    place, here, there = _last(*(spreads_at(each, dataset) for each in (predictive, other)))
    told = f"The standard deviation of the draws {place} is {number(here, 2)}{unit(dataset)}"
    return f"{told}; with the other setting {number(there, 2)}."


def beside(predictive: Predictive, reference: Reference, dataset: Dataset, title: str) -> str:
    """The standard deviation of a method beside that of the outlined answer, in the gap or else outside."""
    place, own, other = _last(*(spreads_at(each, dataset) for each in (predictive, reference.predictive)))
    ratio = f", {factor(other / own)}" if own > 0 else ""
    name = reference.name[0].lower() + reference.name[1:]
    return f"Standard deviation of the draws {place}: {title} {number(own, 2)}, {name} {number(other, 2)}{ratio}."


def spreads_at(predictive: Predictive, dataset: Dataset) -> dict[str, float]:
    """The mean epistemic standard deviation by `places`."""
    at = places(predictive.x[:, 0], dataset.x[:, 0])
    return {place: float(predictive.epistemic_std[where, 0].mean()) for place, where in at.items()}


def _last(first: Mapping[str, float], second: Mapping[str, float]) -> tuple[str, float, float]:
    """The place where methods differ most, with its two numbers."""
    place = away(first)
    return place, first[place], second[place]
