"""Which uncertainty shrinks with more data: both against N, and two claims about the noise that is learned."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz.data import load, noisy_curves
from bdlviz.methods import METHODS
from bdlviz.models.likelihoods import HomoscedasticGaussian
from bdlviz.predictive import kinds
from bdlviz.topics.foundations.kinds_of_uncertainty import figures, study
from bdlviz.topics.foundations.kinds_of_uncertainty import views_setting as setting
from bdlviz.topics.foundations.kinds_of_uncertainty.figures import Against
from bdlviz.types import Array, Predictive
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow

AMOUNT = number_control("amount", "Data points N", study.AMOUNTS, 100, "All shipped: nothing has to train.")
OF = Control(
    "of_method",
    "Stands out",
    study.AGAINST_NUMBER,
    "deep_ensemble",
    "menu",
    "The method whose functions are drawn.",
    {name: METHODS[name].title for name in study.AGAINST_NUMBER},
)
DASHES = dict(zip(study.METHODS, ("dot", "solid", "dash", "dashdot"), strict=True))
FROM = 100  # data points from which on a power of N is fitted
MOST_POINTS = 300  # that are drawn: more would hide the bands
CHECKED = 2000  # data points at which the learned noise is compared with the true one
CONTROLS = (AMOUNT, OF)


def choose() -> None:
    """The controls of the picture against N."""
    AMOUNT.show()
    OF.show()


def choose_claims() -> None:
    """The claims have no setting: they stand as they were measured."""
    st.caption(
        f"{len(study.SEEDS)} seeds for features, {len(study.TASK_SEEDS)} for tasks; each has its own "
        "data, starts and minibatches."
    )


# Against N ------------------------------------------------------------------------------------------------------------


def show() -> Shown | None:
    """The functions at one N, and both standard deviations against N for every method."""
    found = setting.study("kinds_amount")
    if found is None:
        return None
    num_data, method = found["num_data"].astype(int), OF.present()
    chosen = min(num_data.tolist().index(int(AMOUNT.present())), last_column(found, method))
    dataset = load(study.DATASET, num_data=min(int(num_data[chosen]), MOST_POINTS))
    predictive = _stored(found, method, chosen)
    truth = float(found["true_noise"][0])
    fig = figures.against_number(
        num_data,
        _lines(found, "aleatoric"),
        _lines(found, "epistemic"),
        truth=truth,
        chosen=chosen,
        predictive=predictive,
        data=dataset,
        theme=present_theme(),
        stacked=is_narrow(),
    )
    group = {METHODS[name].title: found[f"{name}_epistemic"] for name in _present(found)}
    amounts = [f"N = {number:,}" for number in num_data]
    figure(fig, key="against_number", alt=figures.describe_against(group, amounts, "Epistemic sd"))
    numbers(_amount_numbers(found, method, truth, chosen))
    if num_data[chosen] < int(AMOUNT.present()):
        st.caption(f"{METHODS[method].title} was run up to N = {num_data[chosen]:,}, which is shown.")
    if num_data[chosen] > MOST_POINTS:
        st.caption(f"The first {MOST_POINTS} of the {num_data[chosen]:,} points are drawn.")
    st.markdown(_amount_words(found))
    return Shown(
        (kinds.power_of_number, noisy_curves.noise_and_gap),
        (study.amount, kinds.power_of_number, figures.against_number),
        "from bdlviz.topics.foundations.kinds_of_uncertainty import study\nfrom bdlviz.predictive.kinds import power_of_number\n\n"
        "fit, found = study.amount()  # some minutes\n"
        f"rows = found['num_data'] >= {FROM}\n"
        f"print(power_of_number(found['num_data'][rows], found['{method}_epistemic'].mean(0)[rows]))",
    )


def _present(found: dict[str, Array]) -> list[str]:
    return [name for name in study.METHODS if f"{name}_epistemic" in found]


def _lines(found: dict[str, Array], kind: str) -> list[Against]:
    names = sorted(_present(found), key=lambda name: name == OF.present())  # the chosen one on top
    return [
        Against(METHODS[name].title, _shown(found[f"{name}_{kind}"]), DASHES[name], name == OF.present())
        for name in names
    ]


def _shown(values: Array) -> Array:
    return np.maximum(values.astype(float), 1e-6)


def _stored(found: dict[str, Array], method: str, chosen: int) -> Predictive:
    mean, epistemic, aleatoric = found[f"{method}_curves"][:, chosen, :, None].astype(float)
    draws = mean[None]
    return Predictive(found["x"][:, None].astype(float), draws, mean, epistemic, aleatoric, study.NUM_SAMPLES)


def power(found: dict[str, Array], method: str, kind: str = "epistemic") -> tuple[float, float]:
    """The power of N with which an uncertainty goes from `FROM` points on: mean and sd over seeds."""
    rows = (found["num_data"] >= FROM) & (np.arange(len(found["num_data"])) <= last_column(found, method))
    each = [kinds.power_of_number(found["num_data"][rows], one[rows]) for one in found[f"{method}_{kind}"]]
    return float(np.mean(each)), float(np.std(each, ddof=1))


def last_column(found: dict[str, Array], method: str) -> int:
    """Where the largest N stands at which the method was run."""
    return int(np.flatnonzero(np.isfinite(found[f"{method}_epistemic"]).all(0))[-1])


def checked_at(found: dict[str, Array], method: str) -> int:
    """The N at which the learned noise is compared with the true one, or the largest there is."""
    return int(min(CHECKED, found["num_data"][last_column(found, method)]))


def noise_ratio(found: dict[str, Array], method: str, num_data: int) -> tuple[float, float]:
    """The learned noise over the true one at so many points: mean and sd over seeds."""
    column = found["num_data"].tolist().index(num_data)
    ratios = found[f"{method}_aleatoric"][:, column] / found["true_noise"][0]
    return float(ratios.mean()), float(ratios.std(ddof=1))


def _amount_numbers(found: dict[str, Array], method: str, truth: float, column: int) -> list[tuple[str, str, str]]:
    aleatoric, epistemic, gap = (found[f"{method}_{kind}"][:, column] for kind in ("aleatoric", "epistemic", "gap"))
    seeds = f"Mean ± sd over {len(aleatoric)} seeds"
    return [
        ("Aleatoric sd", _spread(aleatoric), f"{seeds}, over inputs with data. True noise: {truth:.3f}."),
        ("Epistemic sd", _spread(epistemic), f"{seeds}, over inputs with data."),
        ("… in the gap", _spread(gap), f"{seeds}. No number of points elsewhere says what happens there."),
        (
            "Power of N",
            "{:.2f} ± {:.2f}".format(*power(found, method)).replace("-", "−"),
            f"Of the epistemic sd from N = {FROM} on, over inputs with data. −½: four times the points halve it. 0: "
            "data do not lower it.",
        ),
    ]


def _amount_words(found: dict[str, Array]) -> str:
    told = []
    for name in _present(found):
        number = checked_at(found, name)
        ratio, spread = noise_ratio(found, name, number)
        among, gap = (_with_sd(*power(found, name, kind)) for kind in ("epistemic", "gap"))
        within = "within" if abs(ratio - 1) <= 0.1 else "not within"
        told.append(
            f"- **{METHODS[name].title}**: at N = {number:,} the learned noise is {ratio:.2f} ± {spread:.2f} times "
            f"the true one ({within} 10 %). From N = {FROM} on its epistemic sd goes like N to the power "
            f"{among} among the data, and {gap} in the gap (mean ± sd over {len(found[f'{name}_gap'])} seeds)."
        )
        if f"{name}_r_hat" in found:
            told[-1] += f" Split R̂ is at most {np.nanmax(found[f'{name}_r_hat']):.2f} over all inputs, N and seeds."
    return "\n".join(told)


def _with_sd(mean: float, std: float) -> str:
    return f"{mean:.2f} ± {std:.2f}".replace("-", "−")


def _spread(values: Array) -> str:
    mean, spread = values.mean(), values.std(ddof=1)
    return f"{mean:.2g}" if mean > 100 else f"{mean:.3f} ± {spread:.3f}"


# Two claims -----------------------------------------------------------------------------------------------------------


def show_claims() -> Shown | None:
    """What a second feature and a second task do to the learned noise."""
    found = setting.study("kinds_claims")
    if found is None:
        return None
    names = ["missing" if np.isnan(error) else f"{error:g}" for error in found["errors"].astype(float)]
    features = [
        Against(METHODS[name].title, found[f"{name}_feature"].astype(float), DASHES[name])
        for name in study.FEATURE_METHODS
    ]
    alone, beside = found["task_learned"][..., 0].astype(float), found["task_learned"][..., 1].astype(float)
    tasks = [Against("first task alone", alone, "solid"), Against("with the second task", beside, "dash")]
    truth = noisy_curves.TASK_NOISE[0]
    fig = figures.learned_noise(
        (names, features, found["feature_truth"].astype(float)),
        (found["num_data"].astype(int), tasks, truth),
        y_ranges=((0.0, 0.7), (0.0, 0.5)),
        theme=present_theme(),
        stacked=is_narrow(),
    )
    group = {each.name: each.values for each in features}
    alt = figures.describe_against(group, [f"feature {names[0]}", f"error {names[-1]}"], "Learned noise")
    figure(fig, key="claims", alt=alt)
    _claim_numbers(found)
    st.markdown(f"{_feature_claim(found)}\n\n{_task_claim(found)}")
    return Shown(
        (noisy_curves.unseen_noise_std, HomoscedasticGaussian, noisy_curves.two_tasks),
        (study.claims, study.task_config, kinds.noise_left),
        "from bdlviz.topics.foundations.kinds_of_uncertainty import study\n\nfit, found = study.claims()  # some minutes\n"
        "print(found['deep_ensemble_feature'].mean(0), found['feature_truth'])\n"
        "print(found['task_learned'].mean(0))",
    )


def difference(found: dict[str, Array], key: str) -> tuple[Array, Array]:
    """What the second task changes, at every N: mean and standard error over seeds, (V,) each."""
    change = (found[key][..., 1] - found[key][..., 0]).astype(float)
    return change.mean(0), change.std(0, ddof=1) / np.sqrt(len(change))


def _claim_numbers(found: dict[str, Array]) -> None:
    feature = found["deep_ensemble_feature"].astype(float)
    (change, error), count = difference(found, "task_learned"), found["num_data"].astype(int)
    numbers(
        [
            ("Noise, feature missing", _spread(feature[:, 0]), f"Ensemble; true: {found['feature_truth'][0]:.3f}."),
            ("Noise, feature exact", _spread(feature[:, -1]), f"Ensemble; true: {found['feature_truth'][-1]:.3f}."),
            *(
                (
                    f"Second task, N = {count[at]:,}",
                    f"{change[at]:+.3f} ± {error[at]:.3f}".replace("-", "−"),
                    "Change of the first task's learned noise, mean ± standard error over seeds.",
                )
                for at in (0, -1)
            ),
        ]
    )


def _feature_claim(found: dict[str, Array]) -> str:
    truth = found["feature_truth"].astype(float)
    told = []
    for name in study.FEATURE_METHODS:
        learned = found[f"{name}_feature"].mean(0)
        told.append(f"{METHODS[name].title} from {learned[0]:.3f} to {learned[-1]:.3f}")
    return (
        "**“A better input lowers aleatoric uncertainty; more data do not.”** True here, as it has to be: what no "
        f"input tells is noise. As the second feature goes from missing to exact, the true noise falls from "
        f"{truth[0]:.3f} to {truth[-1]:.3f}, the learned one with {', with '.join(told)}. Neither is right at the end: "
        f"with {study.NUM_FEATURE_DATA} points in two dimensions networks bend towards them (too little), "
        "and functions with dropped units cannot follow the curve (too much)."
    )


def _task_claim(found: dict[str, Array]) -> str:
    (change, error), (gain, gain_error) = difference(found, "task_learned"), difference(found, "task_error")
    counts = [f"{count:,}" for count in found["num_data"].astype(int)]
    noise = ", ".join(f"{_signed(change[at])} ± {error[at]:.3f} (N = {count})" for at, count in enumerate(counts))
    mean = ", ".join(f"{_signed(gain[at])} ± {gain_error[at]:.3f}" for at in range(len(counts)))
    clear = [count for at, count in enumerate(counts) if abs(change[at]) > 2 * error[at]]
    verdict = f"more than two standard errors at N = {', '.join(clear)}" if clear else "never two standard errors"
    return (
        "**“A second task changes what the first one learns.”** The second output learns where the curve is steep. The "
        f"first task's noise changes by {noise}: {verdict}. Its mean's distance from the true curve changes by {mean}. "
        f"The true noise is {noisy_curves.TASK_NOISE[0]:g} either way: less is overfitting. So the changes are small, "
        "and a help to the curve only where they lower that distance."
    )


def _signed(value: float) -> str:
    return f"{value:+.3f}".replace("-", "−")
