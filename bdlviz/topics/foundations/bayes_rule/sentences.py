"""What the maps of two parameters show, in one sentence, and remarks on what is special about them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bdlviz.digits import number as rounded
from bdlviz.digits import percent
from bdlviz.topics.foundations.bayes_rule.figures import Map, share_left
from bdlviz.topics.foundations.bayes_rule.inference import USUAL_REACH, WORTH_SAYING, Inference
from bdlviz.topics.foundations.bayes_rule.points import NOISE_STD, number

TOO_SMALL = 0.5 * NOISE_STD  # an assumed noise up to this gives a posterior that is clearly too narrow


def sentence(found: Inference, shown: Sequence[Map], by_last: bool) -> str:
    """What the points leave of the area that the prior allowed; for two peaks, what their mean weights cost."""
    count, has_test = len(found.points.x), len(found.points.x_test) > 0
    if by_last:
        before = "the prior" if count == 1 else f"what {_points(count - 1)} left"
        return (
            f"Point {count} leaves {share_left(shown)} of the area of {before}; "
            "one by one or all at once gives the same posterior."
        )
    if found.family.has_twin and found.map is not None and np.abs(found.map).min() > WORTH_SAYING:
        first, second = map(number, found.posterior.mean)
        if not has_test:
            return f"Two peaks give the same curves; their mean weights ({first}, {second}) predict 0 everywhere."
        mean, average = rounded(_loss(found, "mean")), rounded(found.loss_of_average())
        told = f"their mean weights ({first}, {second}) by {mean} nats on average, the average of curves by {average}"
        return f"Two peaks give the same curves; new points surprise {told}."
    flat = "flat " if found.is_flat else ""
    what = "curves" if found.family.has_twin else "lines"
    left = f"After {_points(count)}, the {what} that are left fill {share_left(shown)} of the {flat}prior's area"
    if has_test and found.noise_std <= TOO_SMALL:
        return f"{left}, too little: assumed noise {rounded(found.noise_std)} is below the true {rounded(NOISE_STD)}."
    return f"{left}; points at one x alone allow a whole strip." if count > 1 and found.determined < 2 else f"{left}."


def _points(count: int) -> str:
    return "1 point" if count == 1 else f"{count} points"


def _loss(found: Inference, which: str) -> float:
    loss = found.loss(which)
    return np.nan if loss is None else loss


def remarks(found: Inference, by: str, reach: float) -> list[str]:
    """What a reader has to know about the estimates and the maps at this setting."""
    posterior = found.posterior
    said = [found.points.note] if found.points.note else []
    if by in ("mle", "map") and found.parameters(by) is None:
        said.append(f"There is no {by.upper()} estimate yet, so the posterior average is shown.")
    if len(found.points.x):
        said.append(_about_estimates(found))
    if reach > USUAL_REACH:
        share = posterior.outside(USUAL_REACH)
        said.append(f"{percent(share)} of the posterior lies beyond ±{USUAL_REACH:g}, so the maps reach ±{reach:g}.")
    if posterior.lost > WORTH_SAYING:
        said.append(f"{percent(posterior.lost)} of the evidence lies outside the grid: the numbers are too small.")
    if posterior.unresolved > 0.5:
        said.append(
            "This posterior is narrower than a cell of the grid, so the evidence is uncertain. Assume more noise, or "
            "move the points apart."
        )
    return said


def _about_estimates(found: Inference) -> str:
    """One sentence on maximum likelihood and MAP."""
    if found.is_flat and found.map is None:
        return "The most likely parameters lie beyond ±10, where the flat prior ends: choose another prior."
    if found.determined < 2:
        return "All parameters along the ridge have the same likelihood. " + (
            "The flat prior does not prefer any of them." if found.is_flat else "The prior decides among them."
        )
    if found.is_flat:
        return "Flat prior: the posterior has the shape of the likelihood, and MAP = MLE."
    weight = f"noise variance / prior variance = {found.ridge_weight:.3g}"
    if found.family.has_twin:
        return (
            f"MAP minimises the squared errors plus the squared weights times {weight}. Their sum of squares is never "
            "larger than that of the MLE; a single weight can be."
        )
    return f"MAP is ridge regression with the weight {weight}. For a line, MAP and average are the same curve."
