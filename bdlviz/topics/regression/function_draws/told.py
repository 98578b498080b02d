"""The sentence under the title: how much of the truth the band contains, and how far draws differ, place by place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bdlviz.data.gaps import away, places
from bdlviz.digits import factor, number
from bdlviz.plots import Reference
from bdlviz.topics.shared.coverage import covered_at, whole, with_value
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.types import Dataset, Predictive
from bdlviz.ui.controls.control import Control
from bdlviz.ui.model import Setting

NOTHING = Setting()


def of_one(
    predictive: Predictive, dataset: Dataset, title: str, setting: Setting = NOTHING, sliders: Sequence[Control] = ()
) -> str:
    """What the 95 % band of a method contains at the data, and where methods differ most.

    Where the truth is not known, how far draws differ. The picture in the browser says the same during a drag
    (client/picture/told.js).
    """
    covered, spreads = covered_at(predictive, dataset), spreads_at(predictive, dataset)
    is_one = not any(spreads.values())
    if covered:
        place, band = away(covered), "noise" if is_one else whole(0.95)
        first, *rest = [each for each in covered if each in ("at the data", place)]
        told = "".join(f" and {whole(covered[each])} {each}" for each in rest)
        told = f"the {band} band holds {whole(covered[first])} of the truth {first}{told}."
        return with_value(setting, sliders, told)
    if is_one:
        return "One function, no epistemic band: only the noise band is left, as wide everywhere."
    told = ", ".join(f"{number(spread, 2)} {place}" for place, spread in spreads.items())
    return f"The draws of {title} have a standard deviation of {told}{unit(dataset)}."


def on_map(here: float, lowest: float) -> str:
    """The surprise at new points of the network of the setting, beside the lowest one of all networks on the map."""
    told, best = number(here), number(lowest)
    if told == best:
        return f"Of all networks on the map this one is surprised least at new points: {best}."
    return f"New points surprise this network by {told} on average, the best one on the map by {best}."


def of_two(predictive: Predictive, other: Predictive, dataset: Dataset) -> str:
    """How much two settings cover of the truth or, where it is not known, how far their draws differ."""
    both = [covered_at(each, dataset) for each in (predictive, other)]
    if all(both):
        place, here, there = _last(*both)
        return f"The band covers {whole(here)} of the truth {place}; with the other setting {whole(there)}."
    place, here, there = _last(*(spreads_at(each, dataset) for each in (predictive, other)))
    told = f"The standard deviation of the draws {place} is {number(here, 2)}{unit(dataset)}"
    return f"{told}; with the other setting {number(there, 2)}."


def beside(predictive: Predictive, reference: Reference, dataset: Dataset, title: str) -> str:
    """The standard deviation of a method beside that of the outlined answer, in the gap or else on a side."""
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
