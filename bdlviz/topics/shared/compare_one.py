"""One method in front of a reference, with the factor by which it is too sure at one marked place."""

from __future__ import annotations

from contextlib import suppress

import numpy as np

from bdlviz import plots
from bdlviz.data.gaps import middle
from bdlviz.digits import number
from bdlviz.errors import InvalidInput
from bdlviz.plots.theme import Theme
from bdlviz.topics.shared.compare_choice import GROUPS, title
from bdlviz.topics.shared.compare_fits import ComparedFits
from bdlviz.topics.shared.compare_reference import NOT_THIS_NETWORK, Reference
from bdlviz.topics.shared.curves import inputs
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.model import Figure, Part, Says, Screen, Words

OPEN, STRAIGHT = 3, 1e-3  # times the median width; a median bend that is less than this part of a kink is none
RIGHT = 1.25  # two standard deviations within this factor are called about as sure: both come from finitely many draws
NOTHING = "The reference is not there or has not converged, so nothing is compared."
NAMES = {"hmc": "the exact posterior", "gaussian_process": "the Gaussian process", "deep_ensemble": "the ensemble"}


def parts(
    method: str,
    screen: Screen,
    by_method: ComparedFits,
    reference: Reference | None,
    place: str,
    where: Array,
    others: ComparedFits,
) -> list[Part]:
    """The sentence and the picture, with the widths of both bands in the middle of a place, which has these x (N,).

    Beside it are the widths of all ``others``; on a phone there is no room for them.
    """
    dataset = by_method.dataset
    problems = [Words(f"{title(name)}: {told}", "info") for name, told in by_method.problems.items()]
    predictive = None
    if method in by_method.fits:
        try:
            predictive = by_method.predictive(method, inputs(dataset))
        except InvalidInput as error:
            problems.append(Words(f"{title(method)}: {error}", "info"))
    outlined = reference and plots.Reference(reference.predictive, reference.name, reference.is_exact)
    fig = plots.over_reference(predictive, outlined, dataset, title=title(method), place=where, theme=screen.theme)
    spike = kink(predictive, dataset) if method == "laplace" and predictive is not None else None
    if predictive is not None and spike is not None:
        top = float(predictive.mean[spike, 0] + 2 * predictive.epistemic_std[spike, 0])
        words = {"text": "wider where its mean has a kink", "font": screen.theme.font(small=True), "showarrow": False}
        fig.add_annotation(x=float(predictive.x[spike, 0]), y=top, yanchor="bottom", yshift=2, **words)
    if screen.is_narrow:
        fig.update_traces(showlegend=False, selector={"name": "Data"})
    else:
        widths = _widths(method, predictive, reference, others, middle(where), screen.theme)
        plots.add_widths(fig, f"Bands {place}, 2 sd{unit(dataset)}", widths, screen.theme)
    told = sentence(method, predictive, reference, place, middle(where), unit(dataset))
    return [*problems, Says(told), Figure("in_front", fig, f"{told} {dataset.num_data} points.")]


def _widths(
    method: str, predictive: Predictive | None, reference: Reference | None, others: ComparedFits, at: int, theme: Theme
) -> list[tuple[str, float, str]]:
    """Name, half-width of the band (2 sd) at one index of x and colour: the reference, then all methods that are there.

    The method in front is blue.
    """
    found = {method: predictive}
    for name in others.fits:
        with suppress(InvalidInput):
            found.setdefault(name, others.predictive(name, inputs(others.dataset)))
    rows = [(title(name), found.get(name), theme.mean if name == method else theme.muted) for name in GROUPS["usual"]]
    if reference is not None:
        rows.insert(0, (name_of(reference), reference.predictive, theme.exact if reference.is_exact else theme.ink))
    return [(name, 2 * float(each.epistemic_std[at, 0]), color) for name, each, color in rows if each is not None]


def kink(predictive: Predictive, data: Dataset) -> int | None:
    """The index of x where a band among the data is much wider than elsewhere and its mean has a kink, or None.

    Laplace's band follows the gradient of the network, which jumps where a ReLU switches on.
    """
    x, mean, sd = (each[:, 0] for each in (predictive.x, predictive.mean, predictive.epistemic_std))
    among = (data.x.min() <= x) & (x <= data.x.max())
    widest, bends = int(np.argmax(np.where(among, sd, 0))), np.abs(np.diff(mean, 2))
    is_kinked = np.median(bends) < STRAIGHT * bends[max(widest - 2, 0) : widest + 1].max(initial=0)
    return widest if is_kinked and sd[widest] > OPEN * np.median(sd[among]) else None


def sentence(
    method: str, predictive: Predictive | None, reference: Reference | None, place: str, at: int, of_y: str
) -> str:
    """By which factor the band of a method is too narrow at one index of x: the half-widths of both, 2 sd each."""
    if predictive is None:
        return f"{title(method)} is not there yet, so nothing is compared."
    if reference is None or not reference.is_converged:
        return NOTHING
    own, right = (2 * float(each.epistemic_std[at, 0]) for each in (predictive, reference.predictive))
    told = f"{place[0].upper()}{place[1:]} {title(method)} has the band ±{number(own, 2)}"
    if method == reference.method:
        return f"{told}{of_y}: it is the reference itself."
    ratio = float(f"{right:.2g}") / float(f"{own:.2g}") if own else np.inf  # of the numbers that are shown
    is_right = reference.is_exact and reference.method not in NOT_THIS_NETWORK  # the exact posterior of this network
    shape = f"{'too' if is_right else 'as'} {'narrow' if ratio > 1 else 'wide'}"
    verdict = f"{number(max(ratio, 1 / ratio), 2)} times {shape}" if own else "one function has no band"
    verdict = "about as wide" if 1 / RIGHT < ratio < RIGHT else verdict
    return f"{told}, {name_of(reference)} ±{number(right, 2)}{of_y}: {verdict}."


def name_of(reference: Reference) -> str:
    """The reference in a sentence."""
    return NAMES.get(reference.method, title(reference.method))
