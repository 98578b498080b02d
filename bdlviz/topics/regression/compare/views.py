"""The comparison of methods: panels on shared axes, the distance to the reference over x, and the table of scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bdlviz import plots
from bdlviz.errors import InvalidInput
from bdlviz.predictive import comparison
from bdlviz.topics.regression.compare import study
from bdlviz.topics.regression.compare.controls import DATA, dataset_of, is_split_here, whole_dataset
from bdlviz.topics.regression.compare.scores import Scores, distances, scores_of
from bdlviz.topics.regression.compare.views_table import table
from bdlviz.topics.shared import compare_choice as choice
from bdlviz.topics.shared import reproduce
from bdlviz.topics.shared.compare_choice import title
from bdlviz.topics.shared.compare_fits import Candidate, ComparedFits, compared_fits, needs_of
from bdlviz.topics.shared.compare_reference import Reference, reference_of
from bdlviz.topics.shared.curves import inputs
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Need, Numbers, Part, Result, Screen, Setting, Words

Found = Sequence[Candidate | None]


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


def panels(setting: Setting, screen: Screen, found: Found) -> Result:
    """Mean and bands of every method, with the reference outlined over each."""
    compared = _compared(setting, found)
    reference, data = compared.reference, compared.by_method.dataset
    shown = [_panel(compared, name) for name in choice.methods_of(setting) or (compared.wanted,)]
    outlined = reference and plots.Reference(reference.predictive, reference.name, reference.is_exact)
    fig = plots.method_panels(shown, data, reference=outlined, theme=screen.theme, stacked=screen.is_narrow)
    return _result(setting, screen, compared, [Figure("panels", fig, plots.describe_method_panels(shown, data))])


def distance(setting: Setting, screen: Screen, found: Found) -> Result:
    """The distance of every method to the reference, at every x."""
    compared = _compared(setting, found)
    by_method, reference = compared.by_method, compared.reference
    if reference is None:
        told = f"The distance needs {title(compared.wanted)}, which is not there yet."
        return _result(setting, screen, compared, [Words(told, "info")])
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
    parts += [Figure("distances", fig, plots.describe_distances(curves)), Words(told)]
    return _result(setting, screen, compared, parts)


def _compared(setting: Setting, found: Found) -> Comparison:
    dataset, _ = dataset_of(setting)
    by_method = compared_fits(choice.configurations(setting, dataset), dataset, found)
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
        parts.append(f"90 % band holds {scores.covered[-1]:.0%}")
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


def _result(setting: Setting, screen: Screen, compared: Comparison, parts: list[Part]) -> Result:
    _, problem = dataset_of(setting)
    said: list[Part] = [Words(problem, "info")] if problem else []
    rows = table(compared.by_method, compared.scores, compared.reference, compared.wanted, screen.theme)
    return Result(
        [*said, *parts, Numbers(_numbers(compared)), *rows],
        formulas=(comparison.coverage, comparison.probability_below, comparison.wasserstein, comparison.places),
        code=(comparison.coverage, comparison.wasserstein, comparison.calibration_rank, study.config_of),
        call=_call(setting),
    )


def _numbers(compared: Comparison) -> list[tuple[str, str, str]]:
    of_y, reference = unit(compared.by_method.dataset), compared.reference
    rows = sorted((s for s in compared.scores.values() if np.isfinite(s.distance)), key=lambda s: s.distance)
    told = "Wasserstein-1 distance to the reference, mean over the x shown."
    found = [(f"Nearest: {choice.brief(rows[0].method)}{of_y}", f"{rows[0].distance:.3g}", told)] if rows else []
    if len(rows) > 1:
        found.append((f"Farthest: {choice.brief(rows[-1].method)}{of_y}", f"{rows[-1].distance:.3g}", told))
    covered = [s for s in compared.scores.values() if np.isfinite(s.coverage_error)]
    if covered:
        best = min(covered, key=lambda s: s.coverage_error)
        told = "Smallest error of coverage, mean over the 50 % and the 90 % band."
        found.append((f"Off by (%): {choice.brief(best.method)}", f"{100 * best.coverage_error:.1f}", told))
    if reference is not None and reference.convergence is not None:
        worst = f"{reference.convergence.worst:.3f}"
        told = "Largest over x; near 1 where chains agree."
        found.append((f"Split R̂ of {choice.brief(reference.method)}", worst, told))
    return found or [("Fits", str(len(compared.by_method.fits)), "Nothing to compare yet.")]


def _call(setting: Setting) -> str:
    dataset, problem = dataset_of(setting)
    low, high = dataset.x_range
    split = ["data = study.every_fifth_held_out(data)"] if is_split_here(setting) and not problem else []
    reference = setting[choice.REFERENCE]
    names = [name for name in choice.methods_of(setting) if name != reference]
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
