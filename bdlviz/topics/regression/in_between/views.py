"""Two clusters of data and the gap between them: how certain every method is there, beside the exact answer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from operator import itemgetter

import numpy as np

from bdlviz import plots
from bdlviz.digits import number
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit
from bdlviz.methods.bayes_by_backprop import standard_deviations
from bdlviz.predictive import in_between
from bdlviz.topics.regression.in_between import figures
from bdlviz.topics.regression.in_between.controls import DATA_SEED, GAP, PER_CLUSTER, dataset_of
from bdlviz.topics.shared import compare_choice as choice
from bdlviz.topics.shared import compare_one
from bdlviz.topics.shared import seeds as further_seeds
from bdlviz.topics.shared.compare_choice import title
from bdlviz.topics.shared.compare_fits import Candidate, ComparedFits, compared_fits, needs_of, shipped_fits
from bdlviz.topics.shared.compare_reference import Reference, reference_of, remark_on
from bdlviz.topics.shared.curves import inputs
from bdlviz.types import Array, Dataset
from bdlviz.ui.model import Figure, Formula, Need, Numbers, Part, Result, Says, Screen, Setting, Words

SD_RANGE = (1e-3, 10.0)  # of the sd's axis; the same for every setting
HELD_DOWN = ("bayes_by_backprop", "mc_dropout")  # by theorems 1 and 2 of the caveat
FORMULAS = (
    Formula(
        in_between.mean_field_ceiling,
        "Theorem 1, for one hidden layer of ReLU and independent Gaussian weights: the origin lies between p and q, "
        "and r on the way from p to q is closer to it than both.",
        {
            "f": "the network's output, in the unit of y",
            "p, q": "inputs among the points, on either side of the gap, standardised",
            "r": "an input in the gap",
        },
        {"f": "epistemic"},
    ),
    Formula(
        in_between.dropout_ceiling,
        "Theorem 2, for one hidden layer of ReLU and MC dropout of hidden units: r lies between some of the points.",
        {"r": "an input in the gap", "S": "inputs of the points"},
    ),
    Formula(
        in_between.dropout_variance,
        "Why: with dropout the variance is convex in x, so between two points it is never above both.",
        {"p": "dropout rate", "w_h": "output weight of unit h", "a_h": "its input", r"\phi": "ReLU"},
    ),
)
Ceilings = Mapping[str, tuple[Array, plots.MethodCurve]]


@dataclass(frozen=True, eq=False)
class Gap:
    """The epistemic standard deviation of every method that is there, over ``x`` (N,), and the reference.

    ``seeds`` holds, for methods whose fits with R training seeds are shipped, the standard deviations (R, 2) at the
    points and in the middle of the gap.
    """

    compared: ComparedFits
    x: Array
    ends: tuple[float, float]
    reference: Reference | None
    spreads: Mapping[str, Array]
    seeds: Mapping[str, Array]

    @property
    def data(self) -> Dataset:
        """The points of the two clusters."""
        return self.compared.dataset

    @property
    def of_reference(self) -> float | None:
        """The standard deviation of the reference in the middle of the gap, where it is there."""
        if self.reference is None or self.reference.method not in self.spreads:
            return None
        return in_between.in_the_middle(self.x, self.spreads[self.reference.method], self.ends)

    def is_reference(self, method: str) -> bool:
        """Is that method the reference?"""
        return self.reference is not None and self.reference.method == method


def needed(setting: Setting) -> list[Need[Candidate | None]]:
    """The fit of every method that is chosen, and of the reference."""
    dataset = dataset_of(setting)
    return needs_of(choice.configurations(setting, dataset), dataset)


def needed_in_front(setting: Setting) -> list[Need[Candidate | None]]:
    """The fits of one method and of the reference."""
    dataset = dataset_of(setting)
    return needs_of(choice.configurations(setting, dataset, (setting[choice.FRONT],)), dataset)


def in_front(setting: Setting, screen: Screen, found: Sequence[Candidate | None]) -> Result:
    """One method over the reference, and by which factor it is too sure in the middle of the gap."""
    dataset, method = dataset_of(setting), setting[choice.FRONT]
    compared = compared_fits(choice.configurations(setting, dataset, (method,)), dataset, found)
    reference = reference_of(compared, setting[choice.REFERENCE], inputs(dataset))
    x = inputs(dataset)[:, 0]
    low, high = in_between.middle_half(in_between.widest_gap(dataset.x[:, 0]))
    middle = (low <= x) & (x <= high)
    others = shipped_fits(choice.configurations(setting, dataset, choice.GROUPS["usual"]), dataset)
    shown = compare_one.parts(method, screen, compared, reference, "in the gap", middle, others)
    told = remark_on(compared, reference, setting[choice.REFERENCE], "Nothing is compared")
    return Result(
        [*shown, *([Words(told)] if told else [])],
        formulas=FORMULAS,
        code=(in_between.in_the_middle, in_between.mean_field_ceiling, in_between.dropout_ceiling),
        call=_call(setting, dataset, (method,)),
    )


def in_the_gap(setting: Setting, screen: Screen, found: Sequence[Candidate | None]) -> Result:
    """The epistemic standard deviation of every method over x, and its ratios in the middle of the gap."""
    dataset, wanted = dataset_of(setting), setting[choice.REFERENCE]
    compared = compared_fits(choice.configurations(setting, dataset), dataset, found)
    gap, problems = _gap(compared, wanted)
    ratios = ratios_of(gap)
    shown = _figure(setting, screen, gap, ratios)
    told = [f"{title(method)}: {problem}" for method, problem in compared.problems.items()]
    remark = _remark(setting, gap, ratios)
    return Result(
        [
            Says(_sentence(gap, ratios)),
            *problems,
            shown,
            Numbers(_numbers(gap, ratios)),
            *(Words(each, "info") for each in told),
            *([Words(remark)] if remark else []),
        ],
        formulas=FORMULAS,
        code=(in_between.mean_field_variance, in_between.mean_field_ceiling, in_between.in_the_middle),
        call=_call(setting, dataset, choice.methods_of(setting)),
    )


def _gap(compared: ComparedFits, wanted: str) -> tuple[Gap, list[Part]]:
    """What there is of every method, and a sentence for each whose prediction fails."""
    x = inputs(compared.dataset)
    reference = reference_of(compared, wanted, x)
    spreads: dict[str, Array] = {}
    problems: list[Part] = []
    for method in compared.fits:
        try:
            is_reference = reference is not None and method == reference.method
            found = reference.predictive if reference and is_reference else compared.predictive(method, x)
        except InvalidInput as error:
            problems.append(Words(f"{title(method)}: {error}", "info"))
            continue
        spreads[method] = found.epistemic_std[:, 0].astype(float)
    of_seeds = {method: further_seeds.of_config(compared.fits[method].config) for method in spreads}
    seeds = {method: values for method, values in of_seeds.items() if values is not None and method != wanted}
    ends = in_between.widest_gap(compared.dataset.x[:, 0])
    return Gap(compared, x[:, 0], ends, reference, spreads, seeds), problems


# The picture ----------------------------------------------------------------------------------------------------------


def ratios_of(gap: Gap) -> list[figures.Ratio]:
    """The sd in the middle of the gap, relative to the reference's and to the method's own at the points.

    Of a method whose fits with several training seeds are shipped it is the median ratio, and the range.
    """
    is_converged = gap.reference is not None and gap.reference.is_converged
    exact = gap.of_reference if is_converged else None
    return [_ratio_of(gap, method, exact) for method in gap.spreads]


def _ratio_of(gap: Gap, method: str, exact: float | None) -> figures.Ratio:
    of_fit = in_between.at_the_points_and_in_the_middle(gap.x, gap.spreads[method], gap.data.x[:, 0])
    own, middle = gap.seeds.get(method, np.array([of_fit])).T
    to_own = np.divide(middle, own, out=np.zeros(len(own)), where=own > 0)
    to_exact = middle / exact if exact else None
    return figures.Ratio(
        title(method),
        choice.colour_index(method),
        None if to_exact is None else float(np.median(to_exact)),
        float(np.median(to_own)),
        gap.is_reference(method) and gap.reference is not None and gap.reference.is_exact,
        len(own),
        _range(to_exact) if to_exact is not None else None,
        _range(to_own),
    )


def _range(values: Array) -> tuple[float, float] | None:
    return (float(values.min()), float(values.max())) if len(values) > 1 else None


def _figure(setting: Setting, screen: Screen, gap: Gap, ratios: list[figures.Ratio]) -> Figure:
    curves = {method: _curve(gap, method, spread) for method, spread in gap.spreads.items() if spread.max() > 0}
    has_theorem = setting[choice.DEPTH] == "1" and setting[choice.ACTIVATION] == "relu"
    fig = figures.spreads_in_between(
        gap.x,
        list(curves.values()),
        ratios,
        gap.data,
        gap.ends,
        ceilings=_ceilings(gap, curves) if has_theorem else {},
        sd_range=SD_RANGE,
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    return Figure("in_between", fig, figures.describe_in_between(ratios))


def _curve(gap: Gap, method: str, spread: Array) -> plots.MethodCurve:
    """The sd over x: the median and the range of many training seeds where they are shipped, else that of the fit."""
    index, reference = choice.colour_index(method), gap.reference
    if reference and method == reference.method:
        return plots.MethodCurve(reference.name, spread, index, reference.is_exact)
    found = further_seeds.curve_of(gap.compared.fits[method].config)
    if found is None:
        return plots.MethodCurve(title(method), spread, index)
    low, median, high = found
    return plots.MethodCurve(title(method), median, index, low=low, high=high)


def _ceilings(gap: Gap, curves: Mapping[str, plots.MethodCurve]) -> Ceilings:
    """What the theorems leave two methods inside the gap."""
    inside = (gap.x >= gap.ends[0]) & (gap.x <= gap.ends[1])
    found = {}
    for method in HELD_DOWN:
        if method in curves:
            ceiling = ceiling_of(gap.compared.fits[method], gap.data.x, gap.x[:, None])
            found[f"{title(method)}: ceiling"] = (np.where(inside, ceiling, np.nan), curves[method])
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


# Numbers and words ----------------------------------------------------------------------------------------------------


def _numbers(gap: Gap, ratios: list[figures.Ratio]) -> list[tuple[str, str, str]]:
    rows, reference, middle = [], gap.reference, gap.of_reference
    if reference is not None and middle is not None:
        rows.append((f"Sd in the gap, {choice.brief(reference.method)}", f"{middle:.2g}", "Mean over its middle half."))
    others = [(each.to_exact, method, each) for method, each in zip(gap.spreads, ratios, strict=True) if each.to_exact]
    others = [each for each in others if not gap.is_reference(each[1])]
    if others:
        (_, lowest, least), (_, highest, most) = min(others, key=itemgetter(0)), max(others, key=itemgetter(0))
        rows.append((f"Smallest sd: {choice.brief(lowest)}", f"× {least.to_exact:.2g}", _explained(least)))
        if len(others) > 1:
            rows.append((f"Largest sd: {choice.brief(highest)}", f"× {most.to_exact:.2g}", _explained(most)))
    if reference is not None and reference.convergence is not None:
        worst = f"{reference.convergence.worst:.3f}"
        rows.append((f"Split R̂ of {choice.brief(reference.method)}", worst, "Largest over x."))
    return rows or [("Methods", str(len(gap.spreads)), "The ratios follow once the reference has ended.")]


def _sentence(gap: Gap, ratios: list[figures.Ratio]) -> str:
    """The standard deviations in the middle of the gap: which methods are below that of the reference, and how far."""
    others = [
        (each.to_exact, each.title)
        for method, each in zip(gap.spreads, ratios, strict=True)
        if each.to_exact is not None and not gap.is_reference(method)
    ]
    if gap.reference is None or not others:
        return compare_one.NOTHING
    spread = [each for each in others if each[0] > 0]
    below, (least, name) = sum(ratio < 1 for ratio, _ in others), min(spread or others)
    told = f"In the gap {below} of {len(others)} methods have a smaller standard deviation than"
    few = f"; {name} only {number(least, 2)} times as large" if 0 < least < 1 else ""
    return f"{told} {compare_one.name_of(gap.reference)}{few}."


def _explained(ratio: figures.Ratio) -> str:
    words = "Its sd in the gap, divided by the reference's."
    if ratio.exact_range is None:
        return words
    low, high = ratio.exact_range
    return f"{words} Median over {ratio.num_seeds} training seeds; they range from {low:.2g} to {high:.2g}."


def _remark(setting: Setting, gap: Gap, ratios: list[figures.Ratio]) -> str:
    """What has to be known of the reference, of the theorems and of the training seeds."""
    compared, wanted = gap.compared, setting[choice.REFERENCE]
    told = [remark_on(compared, gap.reference, wanted, "Ratios to it are left out")]
    if any(fit.spec.is_single_function for fit in compared.fits.values()):
        told.append("The plain network is one function: its sd is 0 everywhere, below this axis.")
    if setting[choice.DEPTH] == "2":
        told.append("The theorems hold for one hidden layer: with two there is no ceiling to draw.")
    if gap.seeds:
        told.append(
            "Sd in the gap, divided by the reference's, median and range over "
            f"{further_seeds.NUM_CURVE_SEEDS} training seeds: "
            f"{'; '.join(_with_range(ratio) for ratio in ratios if ratio.exact_range)}. "
            "Their curves are medians, and the bands are ranges; a ceiling is that of the fit with seed "
            f"{setting[choice.SEED]}. A Gaussian process has no training seed."
        )
    single = [
        title(method)
        for method, fit in compared.fits.items()
        if fit.spec.inference == "optimised" and not fit.spec.is_single_function and method not in (*gap.seeds, wanted)
    ]
    if single:
        told.append(f"Of one training seed, from which another may differ several times over: {', '.join(single)}.")
    return " ".join(filter(None, told))


def _with_range(ratio: figures.Ratio) -> str:
    low, high = ratio.exact_range or (np.nan, np.nan)
    return f"{ratio.title} {ratio.to_exact:.2g} ({low:.2g} – {high:.2g})"


def _call(setting: Setting, dataset: Dataset, methods: Sequence[str]) -> str:
    low, high = dataset.x_range
    reference = setting[choice.REFERENCE]
    names = [name for name in methods if name != reference]
    return "\n".join(
        [
            "import numpy as np",
            "from bdlviz import fits\nfrom bdlviz.topics.regression.compare import study",
            "from bdlviz.predictive import in_between",
            "",
            f"data = study.clusters({setting[GAP]}, {setting[PER_CLUSTER]}, seed={setting[DATA_SEED]})",
            f"settings = {choice.settings(setting)!r}",
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
