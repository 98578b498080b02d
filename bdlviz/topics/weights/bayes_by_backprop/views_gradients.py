"""Three ways to draw the weights in training, compared by the variance of their gradients on the page's own network.

The measurement of the first network is shipped. Measuring takes a second or two, so it is a job that shows its
progress and can be stopped.
"""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np

from bdlviz.digits import factor, number, percent
from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.predictive import weight_gradients
from bdlviz.predictive.weight_gradients import VarianceCourse
from bdlviz.topics.weights.bayes_by_backprop import figures_gradients, kl_noise, network, study
from bdlviz.topics.weights.bayes_by_backprop.controls import BATCH, GROUP
from bdlviz.types import Dataset, Snapshot
from bdlviz.ui.jobs.obtain import known
from bdlviz.ui.jobs.queue import Job
from bdlviz.ui.model import Figure, Formula, Look, Need, Numbers, Obtained, Part, Result, Says, Screen, Setting, Words

NAMES = {"weights": "one draw of the weights", "flipout": "flipout", "sums": "local reparameterisation"}
SHORT = {"weights": "One draw", "flipout": "Flipout"}
Y_RANGES = {"mean": (-1.0, 4.0), "rho": (-4.5, 2.5)}  # exponents of ten

ONE_DRAW = Formula(
    weight_gradients.by_weights,
    "One draw of the weights: all points of a minibatch share its noise.",
    {"h": "inputs of the layer, one row for a point", r"\mu, \sigma": "means and standard deviations of the weights"},
)
LOCAL = Formula(
    weight_gradients.by_sums,
    "Local reparameterisation: a draw of the sums instead, new for every point.",
    {r"\epsilon": "standard Gaussian noise, one number for each point and unit"},
)
SPLIT = Formula(
    weight_gradients.split_variance,
    "The variance of a gradient: from the choice of points, plus from the noise.",
    {"g": "gradient of the loss by one parameter", r"\epsilon": "noise of the weights or sums"},
)


def gradients(setting: Setting, screen: Screen, fit: Fit) -> Result:
    """The variance of the three estimators against the batch size, split by the law of total variance."""
    network.weights_of(fit)  # raises InvalidInput where the fit diverged
    dataset = network.dataset_of(setting)
    shown: Part = Words("The gradients are measured at the end of the training.")
    if fit.is_done:
        shown = Obtained(measurement(fit, dataset), lambda course: parts_of(setting, screen, course, dataset))
    return Result(
        [Says(_sentence(setting, fit, dataset)), shown],
        (ONE_DRAW, LOCAL, SPLIT),
        (
            *(weight_gradients.gradient, weight_gradients.by_sums, weight_gradients.split_variance),
            *(kl_noise.with_score, kl_noise.without_score),
        ),
        _call(setting, fit),
        tabs={
            "Doubly stochastic gradient": lambda: path(setting, screen, fit, dataset),
            "KL from one draw": lambda: _kl_from_draws(setting, screen, fit),
        },
    )


def _sentence(setting: Setting, fit: Fit, dataset: Dataset) -> str:
    """How much more noise one draw of the weights gives than local reparameterisation, where it is measured."""
    course = known(measurement(fit, dataset)) if fit.is_done else None
    if course is None:
        return "The gradients of this network are measured when it is trained."
    chosen = _chosen(setting, course)
    one_draw, flipout, local = (course.noise[kind, setting[GROUP]][chosen, 0] for kind in NAMES)
    points = "With one point" if course.batch_sizes[chosen] == 1 else f"With {course.batch_sizes[chosen]} points"
    return (
        f"{points} in a minibatch, one draw of the weights has {factor(one_draw / local)} the gradient variance of "
        f"local reparameterisation, flipout {factor(flipout / local)}."
    )


def _chosen(setting: Setting, course: VarianceCourse) -> int:
    """The measured batch size that is nearest to the chosen one, as its position."""
    return int(np.abs(course.batch_sizes - int(setting[BATCH])).argmin())


def _kl_from_draws(setting: Setting, screen: Screen, fit: Fit) -> list[Part]:
    """The noise of the KL term's gradient at every weight, if the KL were estimated from one draw."""
    found = network.weights_of(fit)
    if not found.prior.is_gaussian:
        return [Says("Under a mixture of two Gaussians the KL has no closed form: a step draws every weight.")]
    mean, std = found.flat()
    prior_std, group = found.prior.wide_std, setting[GROUP]
    whole = kl_noise.with_score(mean, std, prior_std)[group]
    short = kl_noise.without_score(mean, std, prior_std)[group]
    kinds = {"log q − log p": whole, "without the score of q": short}
    says = (
        f"The KL's gradient has the variance {number(whole.sum(), 2)} from one draw, {number(short.sum(), 2)} without "
        f"the score term (less for {percent(float((short < whole).mean()))} of the weights), 0 in closed form."
    )
    fig = figures_gradients.kl_noise(std / prior_std, kinds, kl_noise.LIMIT, theme=screen.theme)
    words = Words(
        f"One dot for each of {found.num_weights:,} weights and each estimate; the sentence has the sums. Without the "
        "score the gradient by μ has no noise where q is as wide as the prior (Roeder et al. 2017). Left of the dotted "
        "line, where σ < σ₁ / √2, it has more noise than with the score. Training uses the closed form."
    )
    return [Says(says), Figure("kl_noise", fig, f"Two estimates of the KL, one dot for each weight. {says}"), words]


# The measurement ------------------------------------------------------------------------------------------------------


def measurement(fit: Fit, dataset: Dataset) -> Need[VarianceCourse]:
    """The measured variances of a finished fit: shipped, or measured here."""
    return Need(
        ("gradient noise", fit.config),
        shipped=lambda: _shipped(fit),
        work=lambda look, cancel: measured(fit, dataset, look, cancel),
        streams=False,
        name="gradients",
        kind="measurement",
        tell=_progress,
    )


def _shipped(fit: Fit) -> VarianceCourse | None:
    """The shipped measurement, of a fit that is shipped itself."""
    if shelf.find(fit.config) is None:
        return None
    extra = shelf.extra(replace(fit.config, num_snapshots=0))
    return study.from_arrays(extra) if extra else None


def measured(fit: Fit, dataset: Dataset, look: Look, cancel: threading.Event) -> VarianceCourse:
    """The measurement as a job; nothing of it can be drawn before its end."""
    start = time.monotonic()

    def report(share: float) -> bool:
        return look(Snapshot.at(share, time.monotonic() - start, lambda: None)) and not cancel.is_set()

    return study.gradient_noise(fit, dataset, report)


def _progress(job: Job[VarianceCourse]) -> tuple[float, str]:
    return job.progress[0].fraction if job.progress else 0.0, "Measuring gradients …"


# The picture ----------------------------------------------------------------------------------------------------------


def parts_of(setting: Setting, screen: Screen, course: VarianceCourse, dataset: Dataset) -> list[Part]:
    """The picture of a measurement, and its numbers at the chosen batch size."""
    group, wanted = setting[GROUP], int(setting[BATCH])
    chosen = _chosen(setting, course)
    size = int(course.batch_sizes[chosen])
    parts: list[Part] = []
    if wanted > dataset.num_data:
        told = f"There are {dataset.num_data} points, so a minibatch of {wanted} holds all {size}, each once."
        parts.append(Words(told))
    noise = {NAMES[kind]: course.noise[kind, group] for kind in weight_gradients.ESTIMATORS}
    fig = figures_gradients.gradient_noise(
        course.batch_sizes,
        course.minibatch[group],
        noise,
        chosen=chosen,
        y_range=_range(course, group),
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    alt = figures_gradients.describe_gradient_noise(course.batch_sizes, noise, chosen)
    return [*parts, Figure("gradient_noise", fig, alt), Numbers(_numbers(course, group, chosen, size))]


def _range(course: VarianceCourse, group: str) -> tuple[float, float]:
    """The usual decades, or more where a network needs them."""
    shown = np.concatenate([course.minibatch[group][:, 0], *(course.noise[k, group][:, 0] for k in NAMES)])
    decades = np.log10(shown[shown > 0])
    low, high = Y_RANGES[group]
    return min(low, float(np.floor(decades.min()))), max(high, float(np.ceil(decades.max())))


def _numbers(course: VarianceCourse, group: str, chosen: int, size: int) -> list[tuple[str, str, str]]:
    best = course.noise["sums", group][chosen, 0]
    rows: list[tuple[str, str, str]] = []
    for kind in ("weights", "flipout"):
        middle, low, high = course.noise[kind, group][chosen] / best
        help_text = f"Its noise over that of local reparameterisation, B = {size}; 95 %: {low:.3g} to {high:.3g}."
        rows.append((f"{SHORT[kind]}, × local", f"{middle:.3g}", help_text))
    shared = course.minibatch[group][chosen, 0] / (course.minibatch[group][chosen, 0] + best)
    rows.append(("Minibatch's share", f"{100 * shared:.0f} %", "Of the whole variance, with local reparameterisation."))
    fall = course.noise["weights", group][0, 0] / course.noise["weights", group][chosen, 0]
    help_text = f"How much less noise than at B = 1, of one draw of the weights. Local: about {size} times less."
    return [*rows, (f"One draw, by B = {size}", f"{fall:.2g} × less", help_text)]


def path(setting: Setting, screen: Screen, fit: Fit, dataset: Dataset) -> list[Part]:
    """The path from the parameters of q to the data term, with both sources of noise and their measured shares."""
    course = known(measurement(fit, dataset)) if fit.is_done else None
    if course is None:
        return [Says("The gradients of this network are measured when it is trained.")]
    chosen, group = _chosen(setting, course), setting[GROUP]
    size = int(course.batch_sizes[chosen])
    share = course.minibatch[group][chosen, 0] / course.total("weights", group)[chosen, 0]
    from_points, from_noise = percent(share), percent(1 - share)
    points, choice = f"{size} of {dataset.num_data} points", "one point" if size == 1 else f"{size} points"
    fig = figures_gradients.path_of_gradient(
        points, f"{from_points} of variance", f"{from_noise} of variance", theme=screen.theme, stacked=screen.is_narrow
    )
    says = (
        f"Of the variance of the gradient by {GROUP.name(group)}, {from_points} comes from the choice of {choice}, "
        f"{from_noise} from the draw of weights."
    )
    alt = (
        "Graph: the parameters of q and the noise give the drawn weights; these and a minibatch give the data term; "
        f"{from_noise} of the gradient's variance comes from the noise, {from_points} from the minibatch."
    )
    told = (
        "Doubly stochastic: each step draws a minibatch (B of N points) and the noise ε. Blue arrows: the gradient "
        "passes back through the draw, because ∂w/∂μ = 1 and ∂w/∂σ = ε, with σ = log(1 + exp ρ). With a Gaussian "
        "prior the KL term has a closed form and adds no noise. Training itself draws sums in place of weights, with "
        "less noise."
    )
    return [Says(says), Figure("path_of_gradient", fig, alt), Words(told)]


def _call(setting: Setting, fit: Fit) -> str:
    return network.call_of(
        setting,
        fit.config,
        [
            "params = {name: array[0, 0] for name, array in fit.params.items()}",
            "layers = gradients.layers_of(fit.model.network, params, standard_deviations(params))",
            "x, y = fit.scaling.standardise_x(data.x), fit.scaling.standardise_y(data.y)",
            f"rng = np.random.Generator(np.random.SFC64({study.GRADIENT_SEED}))",
            "course = gradients.variance_course(fit.model.network, layers, x, y, fit.precision, rng)",
            "shared, local = (course.noise[kind, 'mean'][:, 0] for kind in ('weights', 'sums'))",
        ],
        [
            "from bdlviz.methods.bayes_by_backprop import standard_deviations",
            "from bdlviz.predictive import weight_gradients as gradients",
        ],
    )
