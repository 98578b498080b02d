"""One method in front of a reference, with the factor by which it is too certain, place by place."""

from __future__ import annotations

from collections.abc import Mapping

from bdlviz import plots
from bdlviz.digits import factor, number
from bdlviz.errors import InvalidInput
from bdlviz.topics.shared.compare_choice import title
from bdlviz.topics.shared.compare_fits import ComparedFits
from bdlviz.topics.shared.compare_reference import NOT_THIS_NETWORK, Reference
from bdlviz.topics.shared.curves import inputs
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.types import Array, Predictive
from bdlviz.ui.model import Figure, Part, Says, Screen, Words

RIGHT = 1.1  # two standard deviations within this factor are called about equal: both come from finitely many draws
NOTHING = "The reference is not there or has not converged, so nothing is compared."
NAMES = {"hmc": "the exact posterior", "gaussian_process": "the Gaussian process", "deep_ensemble": "the ensemble"}


def parts(
    method: str, screen: Screen, by_method: ComparedFits, reference: Reference | None, at: Mapping[str, Array]
) -> list[Part]:
    """The sentence and the picture; ``at`` are places, name -> which x (N,)."""
    dataset = by_method.dataset
    problems = [Words(f"{title(name)}: {told}", "info") for name, told in by_method.problems.items()]
    predictive = None
    if method in by_method.fits:
        try:
            predictive = by_method.predictive(method, inputs(dataset))
        except InvalidInput as error:
            problems.append(Words(f"{title(method)}: {error}", "info"))
    outlined = reference and plots.Reference(reference.predictive, reference.name, reference.is_exact)
    fig = plots.over_reference(predictive, outlined, dataset, at, title=title(method), theme=screen.theme)
    for name in ("Data", "Truth") if screen.is_narrow else ():
        fig.update_traces(showlegend=False, selector={"name": name})
    told = sentence(method, predictive, reference, at, unit(dataset))
    return [*problems, Says(told), Figure("in_front", fig, f"{told} {dataset.num_data} points.")]


def sentence(
    method: str, predictive: Predictive | None, reference: Reference | None, at: Mapping[str, Array], of_y: str
) -> str:
    """By which factor the standard deviation of a method is smaller or larger than that of the reference."""
    if predictive is None:
        return f"{title(method)} is not there yet, so nothing is compared."
    if reference is None or not reference.is_converged:
        return NOTHING
    own, right = (
        {place: float(each.epistemic_std[where, 0].mean()) for place, where in at.items()}
        for each in (predictive, reference.predictive)
    )
    if method == reference.method or not any(own.values()):
        is_one = "is one function" if method != reference.method else "is the reference"
        stds = ", ".join(f"{number(std, 2)} {place}" for place, std in right.items())
        whose = "the" if method == reference.method else "the exact" if reference.is_exact else "the reference's"
        return f"{title(method)} {is_one}; {whose} standard deviation is {stds}{of_y}."
    is_right = reference.is_exact and reference.method not in NOT_THIS_NETWORK
    more, less, same = ("too certain", "too uncertain", "right") if is_right else ("narrower", "wider", "as wide")
    told, last = [], ""
    for place in at:
        ratio = right[place] / max(own[place], 1e-12)
        is_equal = 1 / RIGHT < ratio < RIGHT
        word = same if is_equal else more if ratio > 1 else less
        size = "" if is_equal else f"{factor(max(ratio, 1 / ratio))} "
        told.append(f"{size}{place}" if word == last else f"{size}{word} {place}")
        last = word
    return f"{title(method)}, against {name_of(reference)}: {', '.join(told)}."


def name_of(reference: Reference) -> str:
    """The reference in a sentence."""
    return NAMES.get(reference.method, title(reference.method))
