"""The comparison of methods: one over the reference, panels on shared axes, distances over x, the table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bdlviz import plots
from bdlviz.data.gaps import away, middle, places
from bdlviz.digits import number, percent
from bdlviz.errors import InvalidInput
from bdlviz.predictive import comparison
from bdlviz.topics.regression.compare import study
from bdlviz.topics.regression.compare.controls import DATA, FRONT, dataset_of, is_split_here, whole_dataset
from bdlviz.topics.regression.compare.scores import Scores, distances, scores_of
from bdlviz.topics.regression.compare.views_table import table
from bdlviz.topics.shared import compare_choice as choice
from bdlviz.topics.shared import compare_one, reproduce
from bdlviz.topics.shared.compare_choice import title
from bdlviz.topics.shared.compare_fits import Candidate, ComparedFits, compared_fits, needs_of, shipped_fits
from bdlviz.topics.shared.compare_reference import Reference, reference_of, remark_on
from bdlviz.topics.shared.curves import inputs
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Formula, Need, Numbers, Part, Result, Says, Screen, Setting, Words

Found = Sequence[Candidate | None]
COVERAGE = Formula(
    comparison.coverage,
    "Of held-out points, the share inside the central band; it should be the band's level.",
    {r"\alpha": "level of the band, such as 0.9", "u_i": "predictive distribution function at point i", "N": "points"},
)
DISTANCE = Formula(
    comparison.wasserstein,
    "How far probability has to be moved to turn one posterior of f(x) into the other, in the unit of y.",
    {"F": "distribution function of f(x) of the method", "G": "that of the reference"},
    {"F": "mean", "G": "exact"},
)


@dataclass(frozen=True, eq=False)
class Comparison:
    """The fits that are there, at the x of the picture, with their scores and the reference."""

    by_method: ComparedFits
    x: Array
    wanted: str  # the reference that is chosen
    reference: Reference | None
    scores: dict[str, Scores]


def needed(setting: Setting) -> list[Need[Candidate | None]]:
    """The fit of every method that is chosen, and of the reference."""
    dataset, _ = dataset_of(setting)
    return needs_of(choice.configurations(setting, dataset), dataset)


def needed_in_front(setting: Setting) -> list[Need[Candidate | None]]:
    """The fits of one method and of the reference."""
    dataset, _ = dataset_of(setting)
    return needs_of(choice.configurations(setting, dataset, (setting[FRONT],)), dataset)


def in_front(setting: Setting, screen: Screen, found: Found) -> Result:
    """One method in front of the reference, and how many times too sure it is: in the gap, or beside the data."""
    compared = _compared(setting, found, (setting[FRONT],))
    by_method, reference = compared.by_method, compared.reference
    at = places(compared.x[:, 0], by_method.dataset.x[:, 0])
    place = away(at)
    told = place if place == "in the gap" else f"at x = {number(float(compared.x[middle(at[place]), 0]), 2)}"
    others = shipped_fits(choice.configurations(setting, by_method.dataset, choice.GROUPS["usual"]), by_method.dataset)
    shown = compare_one.parts(setting[FRONT], screen, by_method, reference, told, at[place], others)
    numbers = _of_one(compared, setting[FRONT])
    told = remark_on(by_method, reference, compared.wanted, "Nothing is compared")
    parts = [*shown, *([Numbers(numbers)] if numbers else []), *([Words(told)] if told else [])]
    return _result(setting, screen, compared, parts, (setting[FRONT],))


def _of_one(compared: Comparison, method: str) -> list[tuple[str, str, str]]:
    """The distance and the coverage of one method, as far as they are there."""
    scores, of_y = compared.scores.get(method, Scores(method)), unit(compared.by_method.dataset)
    found = []
    if np.isfinite(scores.distance):
        told = "Wasserstein-1 distance to the reference, mean over the x shown."
        found.append((f"Distance{of_y}", number(scores.distance, 2), told))
    for level, covered in zip(comparison.LEVELS, scores.covered, strict=True):
        if np.isfinite(covered):
            told = f"Share of the held-out points in the central band that should hold {level:.0%}."
            found.append((f"In the {level:.0%} band", percent(covered), told))
    return [*found, *_split_r_hat(compared)]


def panels(setting: Setting, screen: Screen, found: Found) -> Result:
    """Mean and bands of every method, with the reference outlined over each."""
    compared = _compared(setting, found)
    reference, data = compared.reference, compared.by_method.dataset
    shown = [_panel(compared, name) for name in choice.methods_of(setting) or (compared.wanted,)]
    outlined = reference and plots.Reference(reference.predictive, reference.name, reference.is_exact)
    fig = plots.method_panels(shown, data, reference=outlined, theme=screen.theme, stacked=screen.is_narrow)
    parts = [Says(_nearest(compared)), Figure("panels", fig, plots.describe_method_panels(shown, data))]
    return _result(setting, screen, compared, parts, None)


def _nearest(compared: Comparison) -> str:
    """Which method is nearest to the reference, and which is farthest from it."""
    if compared.reference is None or not compared.reference.is_converged:
        return compare_one.NOTHING
    rows = [each for each in compared.scores.values() if np.isfinite(each.distance)]
    if len(rows) < 2:
        return f"{len(rows)} of the methods can be compared so far."
    near, far = min(rows, key=lambda each: each.distance), max(rows, key=lambda each: each.distance)
    of_y, name = unit(compared.by_method.dataset), compare_one.name_of(compared.reference)
    least, most = (number(each.distance, 2) for each in (near, far))
    told = f"Nearest to {name}: {title(near.method)}, {least}{of_y} away on average"
    return f"{told}; farthest: {title(far.method)}, {most}."


def distance(setting: Setting, screen: Screen, found: Found) -> Result:
    """The distance of every method to the reference, at every x."""
    compared = _compared(setting, found)
    by_method, reference = compared.by_method, compared.reference
    if reference is None:
        told = f"The distance needs {title(compared.wanted)}, which is not there yet."
        return _result(setting, screen, compared, [Says(compare_one.NOTHING), Words(told, "info")], None)
    curves, parts = _curves(compared, reference)
    fig = plots.distance_curves(
        compared.x[:, 0],
        curves,
        by_method.dataset,
        floor=reference.floor,
        is_grey=not reference.is_converged,
        theme=screen.theme,
    )
    told = (
        "Wasserstein-1 distance between the posteriors of f(x) of a method and of the reference. Below the dotted line "
        "it is no more than the distance between two halves of the reference's own draws."
    )
    parts = [
        Says(_where(compared, reference, curves)),
        *parts,
        Figure("distances", fig, plots.describe_distances(curves)),
        Words(told),
    ]
    return _result(setting, screen, compared, parts, None)


def _where(compared: Comparison, reference: Reference, curves: Sequence[plots.MethodCurve]) -> str:
    """The mean distance of all methods at the data, in gaps and outside."""
    if not reference.is_converged or not curves:
        return compare_one.NOTHING
    dataset, mean = compared.by_method.dataset, np.mean([curve.values for curve in curves], 0)
    at = places(compared.x[:, 0], dataset.x[:, 0])
    told = ", ".join(f"{number(float(mean[where].mean()), 2)} {place}" for place, where in at.items())
    return f"The mean distance of the methods to {compare_one.name_of(reference)} is {told}{unit(dataset)}."


def _compared(setting: Setting, found: Found, methods: Sequence[str] | None = None) -> Comparison:
    dataset, _ = dataset_of(setting)
    by_method = compared_fits(choice.configurations(setting, dataset, methods), dataset, found)
    x, wanted = inputs(dataset), setting[choice.REFERENCE]
    reference = reference_of(by_method, wanted, x)
    return Comparison(by_method, x, wanted, reference, scores_of(by_method, x, reference))


def _panel(compared: Comparison, method: str) -> plots.MethodPanel:
    by_method = compared.by_method
    if method in by_method.problems:
        return plots.MethodPanel(title(method), problem=by_method.problems[method])
    if method not in by_method.fits:
        return plots.MethodPanel(title(method), note="not trained yet")
    try:
        predictive = by_method.predictive(method, compared.x)
    except InvalidInput as error:
        return plots.MethodPanel(title(method), problem=str(error))
    return plots.MethodPanel(title(method), predictive, _note(compared.scores[method]))


def _note(scores: Scores) -> str:
    parts = []
    if np.isfinite(scores.distance):
        parts.append(f"distance {scores.distance:.2g}")
    if np.isfinite(scores.covered[-1]):
        parts.append(f"90 % band holds {percent(scores.covered[-1])}")
    return " · ".join(parts)


def _curves(compared: Comparison, reference: Reference) -> tuple[list[plots.MethodCurve], list[Part]]:
    """The distances of all methods but the reference, and a sentence for each that has none."""
    curves: list[plots.MethodCurve] = []
    problems: list[Part] = []
    for method in compared.by_method.fits:
        if method == reference.method:
            continue
        try:
            values = distances(compared.by_method, method, compared.x, reference)
        except InvalidInput as error:
            problems.append(Words(f"{title(method)}: {error}", "info"))
            continue
        curves.append(plots.MethodCurve(title(method), values, choice.colour_index(method)))
    return curves, problems


# Under the picture ----------------------------------------------------------------------------------------------------


def _result(
    setting: Setting, screen: Screen, compared: Comparison, parts: list[Part], methods: Sequence[str] | None
) -> Result:
    """The parts and, of all methods, the numbers and the table; ``methods`` are the ones in the snippet, else all."""
    _, problem = dataset_of(setting)
    said: list[Part] = [Words(problem, "info")] if problem else []
    if methods is None:
        rows = table(compared.by_method, compared.scores, compared.reference, compared.wanted, screen.theme)
        parts = [*parts, Numbers(_numbers(compared)), *rows]
    return Result(
        [*said, *parts],
        formulas=(COVERAGE, DISTANCE),
        code=(comparison.coverage, comparison.wasserstein, comparison.calibration_rank, study.config_of),
        call=_call(setting, choice.methods_of(setting) if methods is None else methods),
    )


def _numbers(compared: Comparison) -> list[tuple[str, str, str]]:
    of_y = unit(compared.by_method.dataset)
    rows = sorted((s for s in compared.scores.values() if np.isfinite(s.distance)), key=lambda s: s.distance)
    told = "Wasserstein-1 distance to the reference, mean over the x shown."
    found = [(f"Nearest: {choice.brief(rows[0].method)}{of_y}", f"{rows[0].distance:.3g}", told)] if rows else []
    if len(rows) > 1:
        found.append((f"Farthest: {choice.brief(rows[-1].method)}{of_y}", f"{rows[-1].distance:.3g}", told))
    covered = [s for s in compared.scores.values() if np.isfinite(s.coverage_error)]
    if covered:
        best = min(covered, key=lambda s: s.coverage_error)
        told = "Smallest difference of a band's coverage from its level, mean over the 50 % and the 90 % band."
        label = f"Best coverage: {choice.brief(best.method)} (points off)"
        found.append((label, f"{100 * best.coverage_error:.1f}", told))
    found += _split_r_hat(compared)
    return found or [("Fits", str(len(compared.by_method.fits)), "Nothing to compare yet.")]


def _split_r_hat(compared: Comparison) -> list[tuple[str, str, str]]:
    reference = compared.reference
    if reference is None or reference.convergence is None:
        return []
    told = "Largest over x; near 1 where chains agree."
    return [(f"Split R̂ of {choice.brief(reference.method)}", f"{reference.convergence.worst:.3f}", told)]


def _call(setting: Setting, methods: Sequence[str]) -> str:
    dataset, problem = dataset_of(setting)
    low, high = dataset.x_range
    split = ["data = study.every_fifth_held_out(data)"] if is_split_here(setting) and not problem else []
    reference = setting[choice.REFERENCE]
    names = [name for name in methods if name != reference]
    return "\n".join(
        [
            "import numpy as np",
            "import bdlviz",
            "from bdlviz import fits\nfrom bdlviz.topics.regression.compare import study",
            "from bdlviz.methods import METHODS",
            "from bdlviz.predictive import comparison",
            "",
            reproduce.data_call(whole_dataset(setting), setting, DATA),
            *split,
            f"settings = {choice.settings(setting)!r}",
            f"x = np.linspace({low!r}, {high!r}, 200)",
            "",
            "def predict(method, x, num_samples):",
            "    fit = fits.run(study.config_of(method, data, **settings), data)",
            "    return fit.predict(x, num_samples)",
            "",
            f'exact = predict("{reference}", x, 1000)',
            f"for method in {names!r}:",
            f'    is_gaussian = METHODS[method].is_gaussian and METHODS["{reference}"].is_gaussian',
            "    distance = comparison.distance(predict(method, x, 500), exact, is_gaussian=is_gaussian).mean()",
            '    print(f"{method}: distance {distance:.3g}")',
            "    if len(data.x_test):",
            "        held_out = predict(method, data.x_test, 500)",
            "        print([comparison.coverage(held_out, data.y_test, level) for level in (0.5, 0.9)])",
        ]
    )
