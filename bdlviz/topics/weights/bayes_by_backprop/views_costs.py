"""The evidence lower bound as a description length: what errors and weights cost over training, for every KL weight."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz.fits import Fit
from bdlviz.methods import bayes_by_backprop
from bdlviz.methods.common import KL_WEIGHT
from bdlviz.topics.weights.bayes_by_backprop import description, figures_costs
from bdlviz.topics.weights.bayes_by_backprop import views_setting as setting
from bdlviz.topics.weights.bayes_by_backprop.views_setting import KL
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.cache import remembered
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame.legacy import Shown
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import is_narrow

NUM_SAMPLES = 200  # of the weights, for the expected error cost
TOP = 15.0  # bits per point at which the axis ends; a network at its start costs more
PER = Control(
    "bits",
    "Bits",
    ("point", "all"),
    "point",
    "buttons",
    "Of each training point, or of all together.",
    {"point": "per point", "all": "in total"},
)
CONTROLS = (PER,)
SENTENCE = (
    "Send the data to somebody who knows the inputs and the network's shape: first noisy weights, then the errors "
    "that are left. Noise makes weights cheap, for only a Gaussian wide enough need be told. The shortest message is "
    "the largest evidence lower bound (Hinton & van Camp 1993)."
)


def choose() -> None:
    """Draw the controls of this view."""
    PER.show()
    setting.choose()


def show() -> Shown | None:
    """Bits for errors and for weights, over training and at the end for all KL weights."""
    dataset = setting.present_dataset()
    with setting.said():
        config = setting.configuration(dataset, with_course=True, kl_weight=KL_WEIGHT.values)
        fit = setting.get(config, dataset, lambda fit: _draw(fit, dataset))
        if fit is not None and len(fit.snapshot_steps):
            return Shown(
                (description.error_cost, description.kl_by_weight, description.cost_without_network),
                (description.error_cost, description.kl_to_prior, bayes_by_backprop.standard_deviations),
                _snippet(fit.cell(kl_weight=float(KL.present())).config, dataset),
            )
    return None


def costs(fit: Fit, dataset: Dataset) -> Array:
    """Error and complexity cost of one network in bits, (2,)."""
    return remembered(fit, "costs", lambda: _costs(fit, dataset))


def _costs(fit: Fit, dataset: Dataset) -> Array:
    found = setting.weights_of(fit)
    targets = fit.scaling.standardise_y(dataset.y)
    outputs = fit.draw_outputs(dataset.x, NUM_SAMPLES)
    error = description.error_cost(outputs, targets, fit.precision**-0.5)
    complexity = description.kl_to_prior(found.mean, found.std, found.prior)
    return np.array([description.bits(error), description.bits(complexity)])


def _draw(fit: Fit, dataset: Dataset) -> None:
    if not len(fit.snapshot_steps):
        st.caption("The first snapshot is on its way.")
        return
    cells = [fit.cell(kl_weight=value) for value in KL_WEIGHT.values]
    chosen = KL.options.index(KL.present())
    ends = np.array([costs(cell, dataset) for cell in cells])
    course = _course(cells[chosen], dataset)
    count = dataset.num_data if PER.present() == "point" else 1
    unit = "bits per point" if PER.present() == "point" else "bits"
    without = float(description.bits(description.cost_without_network(fit.scaling.standardise_y(dataset.y))))
    top = TOP if PER.present() == "point" else TOP * dataset.num_data
    fig = figures_costs.description_bars(
        fit.snapshot_steps,
        course / count,
        KL.options,
        ends / count,
        without / count,
        chosen=chosen,
        y_label=unit,
        y_range=(0.0, top),
        theme=present_theme(),
        stacked=is_narrow(),
    )
    alt = figures_costs.describe_costs(fit.snapshot_steps, course / count, without / count, unit)
    figure(fig, key="costs", alt=alt)
    _numbers(ends[chosen] / count, without / count, unit, setting.weights_of(cells[chosen]).num_weights)


def _course(fit: Fit, dataset: Dataset) -> Array:
    return np.array([costs(fit.at_snapshot(index), dataset) for index in range(len(fit.snapshot_steps))])


def _numbers(end: Array, without: float, unit: str, num_weights: int) -> None:
    error, complexity = end
    saved = without - end.sum()
    accuracy = f"Targets are told to within {description.ACCURACY:g} of their standard deviation."
    whole = "point" if unit == "bits per point" else "data set"
    form = ",.0f" if unit == "bits" else ".2f"
    numbers(
        [
            ("Error cost (bits)", f"{error:{form}}", f"Per {whole}. Expected over {NUM_SAMPLES} draws. {accuracy}"),
            (
                "Complexity cost (bits)",
                f"{complexity:{form}}",
                f"Per {whole}. KL to the prior, of {num_weights:,} weights.",
            ),
            ("Together (bits)", f"{end.sum():{form}}", f"Per {whole}. Minus the ELBO, in bits."),
            (
                "Saved (bits)",
                f"{saved:{form}}".replace("-", "−"),
                "Against telling every target by the data's mean and standard deviation. Negative: not worth its bits.",
            ),
        ]
    )
    st.markdown(SENTENCE)


def _snippet(config: FitConfig, dataset: Dataset) -> str:
    prior = setting.prior_of(config)
    return setting.snippet(
        config,
        dataset,
        "params = fit.single(float)",
        "std = standard_deviations(params)",
        f"prior = description.Prior({prior.wide_std:.6g}, {prior.narrow_std:.6g}, {prior.share:g})",
        "complexity = description.kl_to_prior({name: params[name] for name in std}, std, prior)",
        f"outputs = fit.draw_outputs(data.x, {NUM_SAMPLES})",
        "error = description.error_cost(outputs, fit.scaling.standardise_y(data.y), fit.precision**-0.5)",
        "bits = description.bits(np.array([error, complexity])) / data.num_data  # per point",
        imports=(
            "from bdlviz.methods.bayes_by_backprop import standard_deviations",
            "from bdlviz.predictive import description",
        ),
    )
