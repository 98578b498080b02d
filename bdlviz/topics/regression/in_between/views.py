"""Two clusters of data and the gap between them: how certain every method is there, beside the exact answer."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from operator import itemgetter

import numpy as np
import streamlit as st

from bdlviz import plots
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit
from bdlviz.methods.bayes_by_backprop import standard_deviations
from bdlviz.predictive import in_between
from bdlviz.topics.regression.compare import study as compare_study
from bdlviz.topics.regression.in_between import figures
from bdlviz.topics.shared import compare_choice as choice
from bdlviz.topics.shared import compare_table as table
from bdlviz.topics.shared import over_seeds
from bdlviz.topics.shared.compare_choice import title
from bdlviz.topics.shared.compare_fits import Several, collect
from bdlviz.topics.shared.compare_table import Reference
from bdlviz.topics.shared.curves import inputs
from bdlviz.types import Array, Dataset
from bdlviz.ui.controls.control import number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow

GAP = number_control(
    "gap",
    "Width of the gap (x)",
    (0.3, 0.6, 0.9, compare_study.CLUSTER_GAP, 1.6, 2.0),
    compare_study.CLUSTER_GAP,
    "Without points between the clusters; the axis stays, so that they move apart.",
)
PER_CLUSTER = number_control("per_cluster", "Points per cluster", (1, 2, 5, 10, 20, 50, 100), 50)
DATA_SEED = number_control("data_seed", "Data seed", range(5), 0, "Other points of the same two clusters.")
CONTROLS = (
    choice.DEPTH,
    GAP,
    PER_CLUSTER,
    choice.GROUP,
    choice.REFERENCE,
    choice.LENGTH_SCALE,
    choice.RATE,
    DATA_SEED,
    choice.WIDTH,
    choice.ACTIVATION,
    choice.SEED,
)
SD_RANGE = (1e-3, 10.0)  # of the sd's axis; the same for every setting
HELD_DOWN = ("bayes_by_backprop", "mc_dropout")  # by theorems 1 and 2 of the caveat
Ceilings = Mapping[str, tuple[Array, plots.MethodCurve]]


def choose() -> None:
    """Draw the controls."""
    choice.DEPTH.show()
    GAP.show()
    PER_CLUSTER.show()
    choice.choose_methods()
    choice.REFERENCE.show()
    choice.LENGTH_SCALE.show()
    choice.RATE.show()
    with st.expander("Data and network"):
        for control in (DATA_SEED, choice.WIDTH, choice.ACTIVATION, choice.SEED):
            control.show()
    choice.write_link()


def show() -> Shown:
    """The picture and its numbers, as far as fits are there."""
    dataset = compare_study.clusters(float(GAP.present()), int(PER_CLUSTER.present()), int(DATA_SEED.present()))
    wanted, x = choice.REFERENCE.present(), inputs(dataset)
    several = collect(choice.configurations(choice.present_methods(), dataset), dataset, st.container())
    reference = table.reference_of(several, wanted, x)
    gap = in_between.widest_gap(dataset.x[:, 0])
    spreads = _spreads(several, reference, x)
    found = {method: over_seeds.of_config(several.fits[method].config) for method in spreads}
    seeds = {method: values for method, values in found.items() if values is not None and method != wanted}
    ratios = ratios_of(spreads, seeds, reference, x[:, 0], dataset, gap)
    _show_picture(several, reference, spreads, ratios, dataset, gap)
    numbers(_numbers(ratios, reference, spreads, x[:, 0], gap))
    _say(several, reference, wanted, seeds, ratios)
    return Shown(
        (
            in_between.mean_field_ceiling,
            in_between.mean_field_variance,
            in_between.dropout_ceiling,
            in_between.dropout_variance,
        ),
        (in_between.mean_field_variance, in_between.mean_field_ceiling, in_between.in_the_middle),
        _snippet(dataset),
    )


def _spreads(several: Several, reference: Reference | None, x: Array) -> dict[str, Array]:
    """The epistemic sd of every method that is there, (N,)."""
    spreads = {}
    for method in several.fits:
        try:
            is_reference = reference is not None and method == reference.method
            found = reference.predictive if reference and is_reference else several.predictive(method, x)
        except InvalidInput as error:
            st.info(f"{title(method)}: {error}")
            continue
        spreads[method] = found.epistemic_std[:, 0].astype(float)
    return spreads


def ratios_of(
    spreads: Mapping[str, Array],
    seeds: Mapping[str, Array],
    reference: Reference | None,
    x: Array,
    dataset: Dataset,
    gap: tuple[float, float],
) -> list[figures.Ratio]:
    """The sd in the middle of the gap, relative to the reference's and to the method's own at the points.

    Of a method in ``seeds``, the sds (R, 2) at the points and in the gap of fits with R training seeds, it is the
    median ratio, and the range.
    """
    found = []
    exact = None
    if reference is not None and reference.is_converged and reference.method in spreads:
        exact = in_between.in_the_middle(x, spreads[reference.method], gap)
    for method, spread in spreads.items():
        of_fit = in_between.at_the_points_and_in_the_middle(x, spread, dataset.x[:, 0])
        own, middle = seeds.get(method, np.array([of_fit])).T
        to_own = np.divide(middle, own, out=np.zeros(len(own)), where=own > 0)
        to_exact = middle / exact if exact else None
        is_reference = reference is not None and method == reference.method
        found.append(
            figures.Ratio(
                title(method),
                choice.colour_index(method),
                None if to_exact is None else float(np.median(to_exact)),
                float(np.median(to_own)),
                is_reference and reference is not None and reference.is_exact,
                len(own),
                _range(to_exact) if to_exact is not None else None,
                _range(to_own),
            )
        )
    return found


def _range(values: Array) -> tuple[float, float] | None:
    return (float(values.min()), float(values.max())) if len(values) > 1 else None


def _show_picture(
    several: Several,
    reference: Reference | None,
    spreads: Mapping[str, Array],
    ratios: list[figures.Ratio],
    dataset: Dataset,
    gap: tuple[float, float],
) -> None:
    x = inputs(dataset)[:, 0]
    curves = {
        method: _curve(method, spread, several.fits[method], reference)
        for method, spread in spreads.items()
        if spread.max() > 0
    }
    ceilings = _ceilings(several, curves, dataset, gap, x)
    fig = figures.spreads_in_between(
        x,
        list(curves.values()),
        ratios,
        dataset,
        gap,
        ceilings=ceilings,
        sd_range=SD_RANGE,
        theme=present_theme(),
        stacked=is_narrow(),
    )
    figure(fig, key="in_between", alt=figures.describe_in_between(ratios))


def _curve(method: str, spread: Array, fit: Fit, reference: Reference | None) -> plots.MethodCurve:
    """The sd over x: the median and the range of many training seeds where they are shipped, else that of the fit."""
    index = choice.colour_index(method)
    if reference and method == reference.method:
        return plots.MethodCurve(reference.name, spread, index, reference.is_exact)
    found = over_seeds.curve_of(fit.config)
    if found is None:
        return plots.MethodCurve(title(method), spread, index)
    low, median, high = found
    return plots.MethodCurve(title(method), median, index, low=low, high=high)


def _ceilings(
    several: Several, curves: Mapping[str, plots.MethodCurve], dataset: Dataset, gap: tuple[float, float], x: Array
) -> Ceilings:
    """What the theorems leave two methods inside the gap, where the network is one they speak of."""
    if choice.DEPTH.present() != "1" or choice.ACTIVATION.present() != "relu":
        return {}
    inside = (x >= gap[0]) & (x <= gap[1])
    found = {}
    for method in HELD_DOWN:
        if method in curves:
            ceiling = np.where(inside, ceiling_of(several.fits[method], dataset.x, x[:, None]), np.nan)
            found[f"{title(method)}: ceiling"] = (ceiling, curves[method])
    return found


def ceiling_of(fit: Fit, points: Array, x: Array) -> Array:
    """The sd (N,) at x (N, 1) that a theorem allows a fit of one hidden layer, from its variances at some points."""
    params = {name: array[0, 0].astype(float) for name, array in fit.params.items()}
    at, where = fit.scaling.standardise_x(points), fit.scaling.standardise_x(x)[:, 0].astype(float)
    if fit.config.method == "mc_dropout":
        variance = in_between.dropout_variance(params, fit.config.hyperparameter("dropout_rate"), at)
        ceiling = in_between.dropout_ceiling(at[:, 0], variance[:, 0], where)
    else:
        variance = in_between.mean_field_variance(params, standard_deviations(params), at)
        ceiling = in_between.mean_field_ceiling(at[:, 0], variance[:, 0], where)
    return np.sqrt(ceiling) * float(fit.scaling.y_scale.ravel()[0])


def _numbers(
    ratios: list[figures.Ratio],
    reference: Reference | None,
    spreads: Mapping[str, Array],
    x: Array,
    gap: tuple[float, float],
) -> list[tuple[str, str, str]]:
    rows = []
    if reference is not None and reference.method in spreads:
        middle = in_between.in_the_middle(x, spreads[reference.method], gap)
        rows.append((f"Sd in the gap, {choice.brief(reference.method)}", f"{middle:.2g}", "Mean over its middle half."))
    others = [(each.to_exact, method, each) for method, each in zip(spreads, ratios, strict=True) if each.to_exact]
    others = [each for each in others if reference is None or each[1] != reference.method]
    if others:
        (_, lowest, least), (_, highest, most) = min(others, key=itemgetter(0)), max(others, key=itemgetter(0))
        rows.append((f"Smallest sd: {choice.brief(lowest)}", f"× {least.to_exact:.2g}", _explained(least)))
        if len(others) > 1:
            rows.append((f"Largest sd: {choice.brief(highest)}", f"× {most.to_exact:.2g}", _explained(most)))
    if reference is not None and reference.convergence is not None:
        rows.append(
            (f"Split R̂ of {choice.brief(reference.method)}", f"{reference.convergence.worst:.3f}", "Largest over x.")
        )
    return rows or [("Methods", str(len(spreads)), "The ratios follow once the reference has ended.")]


def _explained(ratio: figures.Ratio) -> str:
    words = "Its sd in the gap, divided by the reference's."
    if ratio.exact_range is None:
        return words
    low, high = ratio.exact_range
    return f"{words} Median over {ratio.num_seeds} training seeds; they range from {low:.2g} to {high:.2g}."


def _say(
    several: Several,
    reference: Reference | None,
    wanted: str,
    seeds: Mapping[str, Array],
    ratios: Iterable[figures.Ratio],
) -> None:
    for method, problem in several.problems.items():
        st.info(f"{title(method)}: {problem}")
    remark = table.of_reference(several, reference, wanted, "Ratios to it are left out")
    flat = [title(m) for m in several.fits if several.fits[m].config.method == "map"]
    if flat:
        remark += " The plain network is one function: its sd is 0 everywhere, below this axis."
    if choice.DEPTH.present() == "2":
        remark += " The theorems speak of one hidden layer: with two there is no ceiling to draw."
    single = [
        title(method)
        for method, fit in several.fits.items()
        if fit.spec.inference == "optimised" and method not in (*seeds, "map", wanted)
    ]
    if seeds:
        remark += (
            f" Sd in the gap, divided by the reference's, median and range over {over_seeds.NUM_SEEDS} training seeds: "
            f"{'; '.join(_with_range(ratio) for ratio in ratios if ratio.exact_range)}. "
            "Their curves are medians, and the bands are ranges; a ceiling is that of the fit with seed "
            f"{choice.SEED.present()}. A Gaussian process has no training seed."
        )
    if single:
        remark += f" Of one training seed, from which another may differ several times over: {', '.join(single)}."
    if remark.strip():
        st.caption(remark.strip())


def _with_range(ratio: figures.Ratio) -> str:
    low, high = ratio.exact_range or (np.nan, np.nan)
    return f"{ratio.title} {ratio.to_exact:.2g} ({low:.2g} – {high:.2g})"


def _snippet(dataset: Dataset) -> str:
    gap, count, seed = GAP.present(), PER_CLUSTER.present(), DATA_SEED.present()
    low, high = dataset.x_range
    reference = choice.REFERENCE.present()
    names = [name for name in choice.present_methods() if name != reference]
    return "\n".join(
        [
            "import numpy as np",
            "from bdlviz import fits\nfrom bdlviz.topics.regression.compare import study",
            "from bdlviz.predictive import in_between",
            "",
            f"data = study.clusters({gap}, {count}, seed={seed})",
            f"settings = {choice.settings()!r}",
            f"x = np.linspace({low!r}, {high!r}, 200)",
            "gap = in_between.widest_gap(data.x[:, 0])",
            "",
            "def sd_in_the_gap(method, num_samples):",
            "    fit = fits.run(study.config_of(method, data, **settings), data)",
            "    return in_between.in_the_middle(x, fit.predict(x, num_samples).epistemic_std[:, 0], gap)",
            "",
            f'exact = sd_in_the_gap("{reference}", 1000)',
            f"for method in {names!r}:",
            '    print(f"{method}: {sd_in_the_gap(method, 500) / exact:.2g} times the exact sd")',
        ]
    )
