"""Both uncertainties against the number of data N, and two claims about learned noise."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from bdlviz.data import load, noisy_curves
from bdlviz.digits import number
from bdlviz.methods import METHODS
from bdlviz.models.likelihoods import HomoscedasticGaussian
from bdlviz.predictive import kinds
from bdlviz.predictive.intervals import mean_interval
from bdlviz.topics.foundations.noise_or_ignorance import figures, study
from bdlviz.topics.foundations.noise_or_ignorance.controls import AMOUNT, OF
from bdlviz.topics.foundations.noise_or_ignorance.figures import Against
from bdlviz.topics.foundations.noise_or_ignorance.run import study_needed
from bdlviz.types import Array, Predictive
from bdlviz.ui.model import Figure, Formula, Need, Note, Numbers, Part, Result, Says, Screen, Setting, Words

Arrays = Mapping[str, Array]
DASHES = dict(zip(study.METHODS, ("dot", "solid", "dash", "dashdot"), strict=True))
FROM = 100  # data points from which on a power of N is fitted
MOST_POINTS = 300  # the most data points that are drawn; more would hide the bands
CHECKED = 2000  # the number of data points at which the learned noise is compared with the true one
POWER = Formula(
    kinds.power_of_number,
    "The slope of log sd against log N: −½ if four times as many points halve the sd.",
    {"N": "number of points"},
)
CURVE = Formula(noisy_curves.noise_and_gap, "The curve, with little noise on the left and a gap in the middle.")
UNSEEN = Formula(noisy_curves.unseen_noise_std, "What the second feature does not explain is noise.")
ONE_NOISE = Formula(HomoscedasticGaussian, "One noise for all x is learned.")
TWO_TASKS = Formula(noisy_curves.two_tasks, "The two tasks: a curve, and its slope without the sign.")
SEEDS_OF_CLAIMS = Note(
    lambda _: (
        f"{len(study.SEEDS)} seeds for features, {len(study.TASK_SEEDS)} for tasks. Each seed has its own data, "
        "initial weights and minibatches."
    )
)


# Against N ------------------------------------------------------------------------------------------------------------


def amount_needed(_: Setting) -> Need[Arrays]:
    """The arrays of the study of the number of data."""
    return study_needed("kinds_amount")


def amount(setting: Setting, screen: Screen, found: Arrays) -> Result:
    """The functions at one N, and both standard deviations against N for every method."""
    num_data, method, wanted = found["num_data"].astype(int), setting[OF], int(setting[AMOUNT])
    chosen = min(num_data.tolist().index(wanted), last_column(found, method))
    fig = figures.against_number(
        num_data,
        _lines(found, "aleatoric", method),
        _lines(found, "epistemic", method),
        truth=float(found["true_noise"][0]),
        chosen=chosen,
        predictive=_stored(found, method, chosen),
        data=load(study.DATASET, num_data=min(int(num_data[chosen]), MOST_POINTS)),
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    group = {METHODS[name].title: found[f"{name}_epistemic"] for name in _present(found)}
    alt = figures.describe_against(group, [f"N = {number:,}" for number in num_data], "Epistemic sd")
    parts: list[Part] = [
        Says(_at_number(found, method, chosen)),
        Figure("against_number", fig, alt),
        Numbers(_amount_numbers(found, method, chosen)),
    ]
    if num_data[chosen] < wanted:
        parts.append(Words(f"{METHODS[method].title} was run up to N = {num_data[chosen]:,}, which is shown."))
    if num_data[chosen] > MOST_POINTS:
        parts.append(Words(f"The first {MOST_POINTS} of the {num_data[chosen]:,} points are drawn."))
    return Result(
        [*parts, Words(_amount_words(found), "markdown")],
        (POWER, CURVE),
        (study.amount, kinds.power_of_number, figures.against_number),
        "from bdlviz.predictive.kinds import power_of_number\n"
        "from bdlviz.topics.foundations.noise_or_ignorance import study\n\n"
        "fit, found = study.amount()  # some minutes\n"
        f"rows = found['num_data'] >= {FROM}\n"
        f"print(power_of_number(found['num_data'][rows], found['{method}_epistemic'].mean(0)[rows]))",
    )


def _at_number(found: Arrays, method: str, column: int) -> str:
    """Both standard deviations at one N, and how the epistemic one changes with N."""
    noise, between = (float(found[f"{method}_{kind}"][:, column].mean()) for kind in ("aleatoric", "epistemic"))
    count, true = int(found["num_data"][column]), float(found["true_noise"][0])
    return (
        f"{METHODS[method].title}, N = {count:,}: noise {number(noise, 2)} (true {number(true, 2)}), ignorance "
        f"{number(between, 2)}; from N = {FROM} on its power of N is {number(round(power(found, method)[0], 2), 2)}."
    )


def _present(found: Arrays) -> list[str]:
    return [name for name in study.METHODS if f"{name}_epistemic" in found]


def _lines(found: Arrays, kind: str, chosen: str) -> list[Against]:
    names = sorted(_present(found), key=lambda name: name == chosen)  # the chosen method is drawn last, on top
    values = {name: np.maximum(found[f"{name}_{kind}"].astype(float), 1e-6) for name in names}  # for the log axis
    return [Against(METHODS[name].title, values[name], DASHES[name], name == chosen) for name in names]


def _stored(found: Arrays, method: str, chosen: int) -> Predictive:
    mean, epistemic, aleatoric = found[f"{method}_curves"][:, chosen, :, None].astype(float)
    draws = mean[None]
    return Predictive(found["x"][:, None].astype(float), draws, mean, epistemic, aleatoric, study.NUM_SAMPLES)


def power(found: Arrays, method: str, kind: str = "epistemic") -> tuple[float, float]:
    """The exponent of N in a power law fitted to an uncertainty from `FROM` points on: mean and sd over seeds."""
    rows = (found["num_data"] >= FROM) & (np.arange(len(found["num_data"])) <= last_column(found, method))
    each = [kinds.power_of_number(found["num_data"][rows], one[rows]) for one in found[f"{method}_{kind}"]]
    return float(np.mean(each)), float(np.std(each, ddof=1))


def last_column(found: Arrays, method: str) -> int:
    """The column of the largest N at which the method was run."""
    return int(np.flatnonzero(np.isfinite(found[f"{method}_epistemic"]).all(0))[-1])


def checked_at(found: Arrays, method: str) -> int:
    """`CHECKED`, or the largest N at which the method was run if that is smaller."""
    return int(min(CHECKED, found["num_data"][last_column(found, method)]))


def noise_ratio(found: Arrays, method: str, num_data: int) -> tuple[float, float]:
    """The ratio of the learned noise to the true one at ``num_data`` points: mean and sd over seeds."""
    column = found["num_data"].tolist().index(num_data)
    ratios = found[f"{method}_aleatoric"][:, column] / found["true_noise"][0]
    return float(ratios.mean()), float(ratios.std(ddof=1))


def _amount_numbers(found: Arrays, method: str, column: int) -> list[tuple[str, str, str]]:
    aleatoric, epistemic, gap = (found[f"{method}_{kind}"][:, column] for kind in ("aleatoric", "epistemic", "gap"))
    seeds, truth = f"Mean ± sd over {len(aleatoric)} seeds", float(found["true_noise"][0])
    return [
        ("Aleatoric sd", _mean_and_sd(aleatoric), f"{seeds}, over inputs with data. True noise: {truth:.3f}."),
        ("Epistemic sd", _mean_and_sd(epistemic), f"{seeds}, over inputs with data."),
        ("… in the gap", _mean_and_sd(gap), f"{seeds}. The data give little information about the function there."),
        (
            "Power of N",
            "{:.2f} ± {:.2f}".format(*power(found, method)).replace("-", "−"),
            f"Exponent of N for the epistemic sd from N = {FROM} on, over inputs with data. −½: four times as many "
            "points halve the sd. 0: more data do not lower it.",
        ),
    ]


def _amount_words(found: Arrays) -> str:
    items = []
    for name in _present(found):
        number = checked_at(found, name)
        ratio, sd = noise_ratio(found, name, number)
        among, gap = (_with_sd(*power(found, name, kind)) for kind in ("epistemic", "gap"))
        within = "within" if abs(ratio - 1) <= 0.1 else "not within"
        items.append(
            f"- **{METHODS[name].title}**: at N = {number:,} the learned noise is {ratio:.2f} ± {sd:.2f} times "
            f"the true one ({within} 10 %). From N = {FROM} on its epistemic sd is proportional to N to the power "
            f"{among} among the data, and {gap} in the gap (mean ± sd over {len(found[f'{name}_gap'])} seeds)."
        )
        if f"{name}_r_hat" in found:
            items[-1] += f" Split R̂ is at most {np.nanmax(found[f'{name}_r_hat']):.2f} over all inputs, N and seeds."
    return "\n".join(items)


def _with_sd(mean: float, std: float) -> str:
    return f"{mean:.2f} ± {std:.2f}".replace("-", "−")


def _mean_and_sd(values: Array) -> str:
    mean, sd = values.mean(), values.std(ddof=1)
    return f"{mean:.2g}" if mean > 100 else f"{mean:.3f} ± {sd:.3f}"


# Two claims -----------------------------------------------------------------------------------------------------------


def claims_needed(_: Setting) -> Need[Arrays]:
    """The arrays of the study of a second feature and a second task."""
    return study_needed("kinds_claims")


def claims(setting: Setting, screen: Screen, found: Arrays) -> Result:
    """How a second feature and a second task change the learned noise."""
    names = ["missing" if np.isnan(error) else f"{error:g}" for error in found["errors"].astype(float)]
    features = [
        Against(METHODS[name].title, found[f"{name}_feature"].astype(float), DASHES[name])
        for name in study.FEATURE_METHODS
    ]
    alone, both = (found["task_learned"][..., index].astype(float) for index in range(2))
    tasks = [Against("first task alone", alone, "solid"), Against("with the second task", both, "dash")]
    fig = figures.learned_noise(
        (names, features, found["feature_truth"].astype(float)),
        (found["num_data"].astype(int), tasks, noisy_curves.TASK_NOISE[0]),
        y_ranges=((0.0, 0.7), (0.0, 0.5)),
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    group = {each.name: each.values for each in features}
    alt = figures.describe_against(group, [f"feature {names[0]}", f"error {names[-1]}"], "Learned noise")

    return Result(
        [
            Says(_with_the_feature(found)),
            Figure("claims", fig, alt),
            Numbers(_claim_numbers(found)),
            Words(f"{_feature_claim(found)}\n\n{_task_claim(found)}", "markdown"),
        ],
        (UNSEEN, ONE_NOISE, TWO_TASKS),
        (study.claims, study.task_config, kinds.noise_left),
        "from bdlviz.topics.foundations.noise_or_ignorance import study\n\n"
        "fit, found = study.claims()  # some minutes\n"
        "print(found['deep_ensemble_feature'].mean(0), found['feature_truth'])\n"
        "print(found['task_learned'].mean(0))",
    )


def _with_the_feature(found: Arrays) -> str:
    """The true and the learned noise without and with the second feature."""
    true, learned = found["feature_truth"].astype(float), found["deep_ensemble_feature"].astype(float).mean(0)
    return (
        f"An exact second feature lowers the true noise from {number(true[0], 2)} to {number(true[-1], 2)}, and what "
        f"the ensemble learns from {number(learned[0], 2)} to {number(learned[-1], 2)}."
    )


def difference(found: Arrays, key: str) -> tuple[Array, Array]:
    """The change of ``key`` by the second task at every N: mean and half its 95 % interval over seeds, (V,) each."""
    mean, _, high = mean_interval((found[key][..., 1] - found[key][..., 0]).astype(float))
    return mean, high - mean


def _claim_numbers(found: Arrays) -> list[tuple[str, str, str]]:
    feature, truth = found["deep_ensemble_feature"].astype(float), found["feature_truth"]
    (change, error), count = difference(found, "task_learned"), found["num_data"].astype(int)
    return [
        ("Noise, feature missing", _mean_and_sd(feature[:, 0]), f"Ensemble; true: {truth[0]:.3f}."),
        ("Noise, feature exact", _mean_and_sd(feature[:, -1]), f"Ensemble; true: {truth[-1]:.3f}."),
        *(
            (
                f"Second task, N = {count[at]:,}",
                f"{change[at]:+.3f} ± {error[at]:.3f}".replace("-", "−"),
                "Change of the first task's learned noise, mean ± half its 95 % interval over seeds.",
            )
            for at in (0, -1)
        ),
    ]


def _feature_claim(found: Arrays) -> str:
    truth = found["feature_truth"].astype(float)
    changes = []
    for name in study.FEATURE_METHODS:
        learned = found[f"{name}_feature"].mean(0)
        changes.append(f"with {METHODS[name].title} from {learned[0]:.3f} to {learned[-1]:.3f}")
    return (
        "**“A better input lowers aleatoric uncertainty; more data do not.”** This is true by definition: noise is "
        "the variation of y that the inputs do not explain. When the second feature changes from missing to exact, "
        f"the true noise falls from {truth[0]:.3f} to {truth[-1]:.3f}. The learned noise falls {', '.join(changes)}. "
        f"With the exact feature both are wrong. With {study.NUM_FEATURE_DATA} points in two dimensions the ensemble "
        "overfits and learns too little noise; functions with dropped units cannot fit the curve, and MC dropout "
        "learns too much noise."
    )


def _task_claim(found: Arrays) -> str:
    (change, error), (gain, gain_error) = difference(found, "task_learned"), difference(found, "task_error")
    counts = [f"{count:,}" for count in found["num_data"].astype(int)]
    noise = ", ".join(f"{_signed(change[at])} ± {error[at]:.3f} (N = {count})" for at, count in enumerate(counts))
    mean = ", ".join(f"{_signed(gain[at])} ± {gain_error[at]:.3f}" for at in range(len(counts)))
    clear = [count for at, count in enumerate(counts) if abs(change[at]) > error[at]]
    verdict = f"the 95 % interval excludes 0 at N = {', '.join(clear)}" if clear else "all intervals contain 0"
    return (
        "**“A second task changes what the first one learns.”** The target of the second task is the absolute slope of "
        f"the curve. The learned noise of the first task changes by {noise}: {verdict}. The distance of its mean from "
        f"the true curve changes by {mean}. The true noise is {noisy_curves.TASK_NOISE[0]:g} in both cases, and a "
        "smaller learned noise is a sign of overfitting. The changes are small, and the second task improves the "
        "curve only where the distance falls by more than its interval."
    )


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")
