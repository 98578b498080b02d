"""One method in front of a reference, with the factor by which it is too sure where both differ most."""

from __future__ import annotations

from bdlviz import plots
from bdlviz.digits import number
from bdlviz.errors import InvalidInput
from bdlviz.topics.shared.compare_choice import title
from bdlviz.topics.shared.compare_fits import ComparedFits
from bdlviz.topics.shared.compare_reference import NOT_THIS_NETWORK, Reference
from bdlviz.topics.shared.curves import inputs
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.types import Array, Predictive
from bdlviz.ui.model import Figure, Part, Says, Screen, Words

RIGHT = 1.25  # two standard deviations within this factor are called about as sure: both come from finitely many draws
FULL = "Exact for this network and prior (HMC)"  # the exact answer in the legend: it may miss the truth
NOTHING = "The reference is not there or has not converged, so nothing is compared."
NAMES = {"hmc": "the exact posterior", "gaussian_process": "the Gaussian process", "deep_ensemble": "the ensemble"}


def parts(
    method: str, screen: Screen, by_method: ComparedFits, reference: Reference | None, place: str, where: Array
) -> list[Part]:
    """The sentence and the picture, with the widths of both bands at a place, which has these x (N,)."""
    dataset = by_method.dataset
    problems = [Words(f"{title(name)}: {told}", "info") for name, told in by_method.problems.items()]
    predictive = None
    if method in by_method.fits:
        try:
            predictive = by_method.predictive(method, inputs(dataset))
        except InvalidInput as error:
            problems.append(Words(f"{title(method)}: {error}", "info"))
    outlined = None
    if reference is not None:
        name = FULL if _is_right(reference) else reference.name
        outlined = plots.Reference(reference.predictive, name, reference.is_exact)
    at = (place, where)
    fig = plots.over_reference(predictive, outlined, dataset, title=title(method), place=at, theme=screen.theme)
    for name in ("Data", "Truth") if screen.is_narrow else ():
        fig.update_traces(showlegend=False, selector={"name": name})
    told = sentence(method, predictive, reference, place, where, unit(dataset))
    return [*problems, Says(told), Figure("in_front", fig, f"{told} {dataset.num_data} points.")]


def sentence(
    method: str, predictive: Predictive | None, reference: Reference | None, place: str, where: Array, of_y: str
) -> str:
    """By which factor a method is too sure at a place: the half-widths of both bands there, 2 sd each."""
    if predictive is None:
        return f"{title(method)} is not there yet, so nothing is compared."
    if reference is None or not reference.is_converged:
        return NOTHING
    own, right = (2 * float(each.epistemic_std[where, 0].mean()) for each in (predictive, reference.predictive))
    narrow, wide, name = f"±{number(own, 2)}", f"±{number(right, 2)}{of_y}", name_of(reference)
    if method == reference.method:
        return f"{title(method)} is the reference: its band is {wide} {place}."
    if not own:
        return f"{title(method)} is one function and sure everywhere; {name} has {wide} {place}."
    ratio = right / own
    if 1 / RIGHT < ratio < RIGHT:
        return f"{title(method)} is about as sure as {name} {place}: {narrow} and {wide}."
    size, is_sure = f"{number(max(ratio, 1 / ratio), 2)} times", ratio > 1
    if _is_right(reference):
        return f"{title(method)} is {size} too {'sure' if is_sure else 'unsure'} {place}: {narrow} instead of {wide}."
    shape = "narrow" if is_sure else "wide"
    return f"The band of {title(method)} is {size} as {shape} {place}: {narrow}; {name} has {wide}."


def _is_right(reference: Reference) -> bool:
    """Is it the exact posterior of this network?"""
    return reference.is_exact and reference.method not in NOT_THIS_NETWORK


def name_of(reference: Reference) -> str:
    """The reference in a sentence."""
    return NAMES.get(reference.method, title(reference.method))
