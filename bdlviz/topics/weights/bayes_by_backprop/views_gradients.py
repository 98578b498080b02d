"""Three ways to draw the weights while training, compared by the noise of their gradients on the page's own network.

What the page shows first is shipped. Measuring takes a second or two, so it is a job of the queue: it shows how far it
is, and can be stopped.
"""

from __future__ import annotations

import time
from collections.abc import Hashable
from dataclasses import replace
from typing import Any

import numpy as np
import streamlit as st

from bdlviz.fits import Fit
from bdlviz.fitted import shelf
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.predictive import weight_gradients
from bdlviz.predictive.weight_gradients import VarianceCourse
from bdlviz.topics.weights.bayes_by_backprop import figures_gradients, study
from bdlviz.topics.weights.bayes_by_backprop import views_setting as setting
from bdlviz.topics.weights.bayes_by_backprop.study import GRADIENT_SEED as SEED
from bdlviz.topics.weights.bayes_by_backprop.study import gradient_noise as measure
from bdlviz.types import Dataset, Snapshot
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.legacy import Shown
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import is_narrow
from bdlviz.ui.jobs.queue import QUEUE, Job, Look
from bdlviz.ui.jobs.watch import Watched, asks, empty_place, say, say_stopped, visitor, wait, watch

STOPPED = "stopped_measurement"  # key in the session state
NAMES = {"weights": "one draw of the weights", "flipout": "flipout", "sums": "local reparameterisation"}
SHORT = {"weights": "One draw", "flipout": "Flipout"}
Y_RANGES = {"mean": (-1.0, 4.0), "rho": (-4.5, 2.5)}  # exponents of ten
GROUP = Control(
    "gradient_by",
    "Gradient by",
    weight_gradients.GROUPS,
    "mean",
    "buttons",
    "Of the means, or of what makes the standard deviations, σ = log(1 + exp ρ).",
    {"mean": "μ", "rho": "ρ"},
)
BATCH = number_control("minibatch", "Points in a minibatch B", weight_gradients.BATCH_SIZES, 32)
CONTROLS = (GROUP, BATCH)


def choose() -> None:
    """Draw the controls of this view."""
    GROUP.show()
    BATCH.show()
    setting.choose()


def show() -> Shown | None:
    """The variance of the three estimators against the batch size, split by the law of total variance."""
    dataset = setting.present_dataset()
    with setting.said():
        config = setting.configuration(dataset)
        fit = setting.known(config, dataset) or setting.get(config, dataset, _wait_for_fit)
        if fit is None:
            return None
        setting.weights_of(fit)  # says so where it diverged
        course = _obtain(fit, dataset)
        if course is not None:
            _draw(course, dataset)
        return Shown(
            (
                weight_gradients.by_weights,
                weight_gradients.by_flipout,
                weight_gradients.by_sums,
                weight_gradients.split_variance,
            ),
            (weight_gradients.gradient, weight_gradients.by_sums, weight_gradients.split_variance),
            _snippet(fit, dataset),
        )
    return None


def _wait_for_fit(fit: Fit) -> None:
    if not fit.is_done:
        st.caption("The gradients are measured at the end of the training.")


# The job --------------------------------------------------------------------------------------------------------------


def _obtain(fit: Fit, dataset: Dataset) -> VarianceCourse | None:
    """The measurement: remembered, soon there, or under way; None where it is stopped or not there yet."""
    key: Hashable = ("gradient noise", fit.config, fit.num_steps_done)
    known: VarianceCourse | None = QUEUE.finished(key)
    if known is not None:
        return known
    if (course := _shipped(fit)) is not None:
        return course
    if st.session_state.get(STOPPED) == key:
        say_stopped("Stopped before the gradients were measured.", "Measure again", "measure_again", STOPPED)
        return None
    QUEUE.leave(visitor(), keep=key)
    asks(visitor())
    job = QUEUE.request(key, visitor(), lambda look, cancel: _measured(fit, dataset, look), "measurement")
    if wait(job) and not job.cancel.is_set():
        return job.result(0)
    watch(QUEUE, job, visitor(), _watched(key))
    return None


def _shipped(fit: Fit) -> VarianceCourse | None:
    """The shipped measurement, of a fit that is shipped itself."""
    try:
        extra = shelf.extra(replace(fit.config, num_snapshots=0)) if shelf.find(fit.config) is not None else None
    except CheckpointError as error:
        st.info(f"{error} Measuring instead.")
        return None
    return study.from_arrays(extra) if extra else None


def _measured(fit: Fit, dataset: Dataset, look: Look[Any]) -> VarianceCourse:
    """The measurement as a job of the queue; there is nothing to see of it before its end."""
    start = time.monotonic()

    def report(share: float) -> bool:
        return look(Snapshot.at(share, time.monotonic() - start, lambda: None))

    return measure(fit, dataset, report)


def _watched(key: Hashable) -> Watched[VarianceCourse]:
    def stop(course: VarianceCourse | None) -> None:
        st.session_state[STOPPED] = key

    return Watched(_how_far, stop, empty_place, say, box="measuring", stop_key="stop_measuring")


def _how_far(job: Job[VarianceCourse]) -> tuple[float, str]:
    return job.progress[0].fraction if job.progress else 0.0, "Measuring gradients …"


# The picture ----------------------------------------------------------------------------------------------------------


def _draw(course: VarianceCourse, dataset: Dataset) -> None:
    group, wanted = GROUP.present(), int(BATCH.present())
    chosen = int(np.abs(course.batch_sizes - wanted).argmin())
    size = int(course.batch_sizes[chosen])
    if wanted > dataset.num_data:
        st.caption(f"There are {dataset.num_data} points, so a minibatch of {wanted} holds all {size}, each once.")
    noise = {NAMES[kind]: course.noise[kind, group] for kind in weight_gradients.ESTIMATORS}
    fig = figures_gradients.gradient_noise(
        course.batch_sizes,
        course.minibatch[group],
        noise,
        chosen=chosen,
        y_range=_range(course, group),
        theme=present_theme(),
        stacked=is_narrow(),
    )
    alt = figures_gradients.describe_gradient_noise(course.batch_sizes, noise, chosen)
    figure(fig, key="gradient_noise", alt=alt)
    numbers(_numbers(course, group, chosen, size))


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
    rows.append(("Minibatch's share", f"{shared:.0%}", "Of the whole variance, with local reparameterisation."))
    fall = course.noise["weights", group][0, 0] / course.noise["weights", group][chosen, 0]
    help_text = f"How much less noise than at B = 1, of one draw of the weights. Local: about {size} times less."
    return [*rows, (f"One draw, by B = {size}", f"{fall:.2g} × less", help_text)]


def _snippet(fit: Fit, dataset: Dataset) -> str:
    return setting.snippet(
        fit.config,
        dataset,
        "params = fit.single()",
        "layers = gradients.layers_of(fit.model.network, params, standard_deviations(params))",
        "x, y = fit.scaling.standardise_x(data.x), fit.scaling.standardise_y(data.y)",
        f"rng = np.random.Generator(np.random.SFC64({SEED}))",
        "course = gradients.variance_course(fit.model.network, layers, x, y, fit.precision, rng)",
        "shared, local = (course.noise[kind, 'mean'][:, 0] for kind in ('weights', 'sums'))",
        imports=(
            "from bdlviz.methods.bayes_by_backprop import standard_deviations",
            "from bdlviz.predictive import weight_gradients as gradients",
        ),
    )
