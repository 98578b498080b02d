"""The comparison of methods: panels on shared axes, the distance to the reference over x, and the table of scores."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.errors import InvalidInput
from bdlviz.predictive import comparison
from bdlviz.topics.regression.compare import study
from bdlviz.topics.shared import compare_choice as choice
from bdlviz.topics.shared import compare_table as table
from bdlviz.topics.shared import reproduce
from bdlviz.topics.shared.compare_choice import title
from bdlviz.topics.shared.compare_fits import Several, collect
from bdlviz.topics.shared.compare_table import Reference, Scores
from bdlviz.topics.shared.curves import inputs
from bdlviz.topics.shared.draw_inspector import unit
from bdlviz.types import Array, Dataset
from bdlviz.ui.controls import data_choice
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow

BESIDE, ABOVE = 0.25, 0.25  # of the points' own range, shown on either side of them
LOOK = Control(
    "look",
    "Look at",
    ("panels", "distance"),
    "panels",
    "menu",
    "",
    {"panels": "each method's bands", "distance": "distance to the reference over x"},
)
DATA = data_choice.data_controls("x_sin_x")
HOLD_OUT = Control(
    "hold_out",
    "Hold out",
    ("none", "fifth"),
    "none",
    "buttons",
    "Data without held-out points: keep every fifth for scoring, and train on the others.",
    {"none": "nothing", "fifth": "every fifth point"},
)
CONTROLS = (
    LOOK,
    choice.GROUP,
    choice.REFERENCE,
    choice.LENGTH_SCALE,
    choice.RATE,
    *DATA,
    HOLD_OUT,
    choice.WIDTH,
    choice.DEPTH,
    choice.ACTIVATION,
    choice.SEED,
)


def choose() -> None:
    """Draw the controls."""
    LOOK.show()
    choice.choose_methods()
    choice.REFERENCE.show()
    choice.LENGTH_SCALE.show()
    choice.RATE.show()
    with st.expander("Data", expanded=data_choice.table_is_open()):
        dataset = data_choice.choose_data(DATA)
        if len(dataset.x_test) == 0:
            HOLD_OUT.show()
    with st.expander("Network"):
        for control in (choice.WIDTH, choice.DEPTH, choice.ACTIVATION, choice.SEED):
            control.show()
    choice.write_link()


def present_dataset() -> Dataset:
    """The data that are chosen, seen from close by, split where that is asked for."""
    dataset = _from_close_by(data_choice.present(DATA))
    if len(dataset.x_test) or HOLD_OUT.present() == HOLD_OUT.default:
        return dataset
    try:
        return study.every_fifth_held_out(dataset)
    except InvalidInput as error:
        st.info(str(error))
        return dataset


def _from_close_by(dataset: Dataset) -> Dataset:
    """The same data; pictures show the points and what lies beside them: far outside, bands hide each other."""
    x, y = dataset.x[:, 0], dataset.y[:, 0]
    ranges = {
        "x_range": _around(x, BESIDE, dataset.x_range),
        "y_range": _around(y, ABOVE, dataset.y_range),
    }
    return replace(dataset, **ranges)


def _around(values: Array, share: float, limits: tuple[float, float]) -> tuple[float, float]:
    """From the lowest to the highest value and a share of that on either side, within limits."""
    low, high = float(values.min()), float(values.max())
    margin = share * (high - low)
    return (max(limits[0], low - margin), min(limits[1], high + margin)) if margin else limits


def show() -> Shown:
    """The picture, the numbers and the table, as far as fits are there."""
    dataset = present_dataset()
    x = inputs(dataset)
    wanted = choice.REFERENCE.present()
    several = collect(choice.configurations(choice.present_methods(), dataset), dataset, st.container())
    reference = table.reference_of(several, wanted, x)
    scores = table.scores_of(several, x, reference)
    if LOOK.present() == "panels":
        _show_panels(several, scores, reference, x)
    else:
        _show_distances(several, reference, x)
    numbers(_numbers(several, scores, reference))
    table.show_table(several, scores, reference, wanted)
    return Shown(
        (comparison.coverage, comparison.probability_below, comparison.wasserstein, comparison.places),
        (comparison.coverage, comparison.wasserstein, comparison.honesty, study.config_of),
        _snippet(dataset),
    )


def _show_panels(several: Several, scores: dict[str, Scores], reference: Reference | None, x: Array) -> None:
    panels = [_panel(several, name, scores, x) for name in _shown_methods(several, reference)]
    outlined = reference and plots.Reference(reference.predictive, reference.name, reference.is_exact)
    fig = plots.method_panels(panels, several.dataset, reference=outlined, theme=present_theme(), stacked=is_narrow())
    figure(fig, key="panels", alt=plots.describe_method_panels(panels, several.dataset))


def _shown_methods(several: Several, reference: Reference | None) -> list[str]:
    """Every method that was chosen; the reference has no panel of its own beside others, whom it outlines."""
    chosen = list(choice.present_methods())
    there = [name for name in (*several.fits, *several.problems, *several.waiting) if name in chosen]
    ordered = [name for name in chosen if name in there]
    return ordered or [choice.REFERENCE.present()]


def _panel(several: Several, method: str, scores: dict[str, Scores], x: Array) -> plots.MethodPanel:
    if method in several.problems:
        return plots.MethodPanel(title(method), problem=several.problems[method])
    if method not in several.fits:
        return plots.MethodPanel(title(method), note="not trained yet")
    try:
        predictive = several.predictive(method, x)
    except InvalidInput as error:
        return plots.MethodPanel(title(method), problem=str(error))
    return plots.MethodPanel(title(method), predictive, _note(scores[method]))


def _note(scores: Scores) -> str:
    parts = []
    if np.isfinite(scores.distance):
        parts.append(f"distance {scores.distance:.2g}")
    if np.isfinite(scores.covered[-1]):
        parts.append(f"90 % band holds {scores.covered[-1]:.0%}")
    return " · ".join(parts)


def _show_distances(several: Several, reference: Reference | None, x: Array) -> None:
    if reference is None:
        st.info(f"The distance needs {title(choice.REFERENCE.present())}, which is not there yet.")
        return
    curves = []
    for method in several.fits:
        if method == reference.method:
            continue
        try:
            values = table.distances(several, method, x, reference)
        except InvalidInput as error:
            st.info(f"{title(method)}: {error}")
            continue
        curves.append(plots.MethodCurve(title(method), values, choice.colour_index(method)))
    fig = plots.distance_curves(
        x[:, 0],
        curves,
        several.dataset,
        floor=reference.floor,
        is_grey=not reference.is_converged,
        theme=present_theme(),
    )
    figure(fig, key="distances", alt=plots.describe_distances(curves))
    st.caption(
        "Wasserstein-1 distance between what a method and the reference believe of f(x). Below the dotted line it is "
        "no more than the reference's own draws differ among themselves."
    )


def _numbers(several: Several, scores: dict[str, Scores], reference: Reference | None) -> list[tuple[str, str, str]]:
    of_y = unit(several.dataset)
    rows = sorted((s for s in scores.values() if np.isfinite(s.distance)), key=lambda s: s.distance)
    told = "Wasserstein-1 distance to the reference, mean over the x shown."
    found = [(f"Nearest: {choice.brief(rows[0].method)}{of_y}", f"{rows[0].distance:.3g}", told)] if rows else []
    if len(rows) > 1:
        found.append((f"Farthest: {choice.brief(rows[-1].method)}{of_y}", f"{rows[-1].distance:.3g}", told))
    covered = [s for s in scores.values() if np.isfinite(s.coverage_error)]
    if covered:
        best = min(covered, key=lambda s: s.coverage_error)
        label = f"Off by (%): {choice.brief(best.method)}"
        found.append(
            (
                label,
                f"{100 * best.coverage_error:.1f}",
                "Smallest error of coverage, mean over the 50 % and the 90 % band.",
            )
        )
    if reference is not None and reference.convergence is not None:
        found.append(
            (
                f"Split R̂ of {choice.brief(reference.method)}",
                f"{reference.convergence.worst:.3f}",
                "Largest over x; near 1 where chains agree.",
            )
        )
    return found or [("Fits", str(len(several.fits)), "Nothing to compare yet.")]


def _snippet(dataset: Dataset) -> str:
    low, high = dataset.x_range
    split = ["data = study.every_fifth_held_out(data)"] if HOLD_OUT.present() != HOLD_OUT.default else []
    if len(data_choice.present(DATA).x_test):
        split = []
    settings = choice.settings()
    names = [name for name in choice.present_methods() if name != choice.REFERENCE.present()]
    return "\n".join(
        [
            "import numpy as np",
            "import bdlviz",
            "from bdlviz import fits\nfrom bdlviz.topics.regression.compare import study",
            "from bdlviz.predictive import comparison",
            "",
            reproduce.data_snippet(data_choice.present(DATA)),
            *split,
            f"settings = {settings!r}",
            f"x = np.linspace({low!r}, {high!r}, 200)",
            "",
            "def predict(method, x, num_samples):",
            "    fit = fits.run(study.config_of(method, data, **settings), data)",
            "    return fit.predict(x, num_samples)",
            "",
            f'exact = predict("{choice.REFERENCE.present()}", x, 1000)',
            f"for method in {names!r}:",
            "    distance = comparison.distance(predict(method, x, 500), exact).mean()",
            '    print(f"{method}: distance {distance:.3g}")',
            "    if len(data.x_test):",
            "        held_out = predict(method, data.x_test, 500)",
            "        print([comparison.coverage(held_out, data.y_test, level) for level in (0.5, 0.9)])",
        ]
    )
