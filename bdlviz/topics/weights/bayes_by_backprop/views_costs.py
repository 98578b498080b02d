"""The evidence lower bound as a description length: bits for errors and for weights, for every KL weight."""

from __future__ import annotations

import numpy as np

from bdlviz.digits import number
from bdlviz.fits import Fit
from bdlviz.methods import bayes_by_backprop
from bdlviz.methods.common import KL_WEIGHT
from bdlviz.topics.weights.bayes_by_backprop import description, figures_costs, network
from bdlviz.topics.weights.bayes_by_backprop.controls import KL, PER
from bdlviz.types import Array, Dataset, FitConfig
from bdlviz.ui.cache import remembered
from bdlviz.ui.jobs.obtain import FitNeed
from bdlviz.ui.model import Figure, Formula, Numbers, Part, Result, Says, Screen, Setting, Words

NUM_SAMPLES = 200  # of the weights, for the expected error cost
TOP = 15.0  # bits per point at which the axis ends; a network at its start costs more
SENTENCE = (
    "Suppose that the receiver knows the inputs and the shape of the network. The sender first sends noisy weights, "
    "and then the errors that these weights leave. The more noise a weight may have, the fewer bits it needs. The "
    "shortest message is the largest evidence lower bound (Hinton & van Camp 1993)."
)

ERRORS = Formula(
    description.error_cost,
    "Nats to send the errors, given noisy weights: the better the fit, the fewer.",
    {"N, K": "numbers of points and outputs", "s": "noise sd", "t": "accuracy to which targets are sent"},
)
WEIGHTS = Formula(
    description.kl_by_weight,
    "Nats to send one weight: the wider its q, the fewer.",
    {r"\sigma": "standard deviation of q", "p": "prior"},
    {"p": "prior"},
)
ALONE = Formula(
    description.cost_without_network,
    "Nats to send the targets with their mean and standard deviation alone.",
    {"s_y": "standard deviation of the targets"},
)


def needed(setting: Setting) -> FitNeed:
    """Networks with every KL weight, and moments of their training."""
    return network.need_of(setting, with_course=True, kl_weight=KL_WEIGHT.values)


def bits(setting: Setting, screen: Screen, fit: Fit) -> Result:
    """Bits for errors and for weights, over training and at the end for all KL weights."""
    dataset = network.dataset_of(setting)
    chosen = fit.cell(kl_weight=setting.number(KL))
    parts = _parts(setting, screen, fit, dataset) if len(fit.snapshot_steps) else [Says(network.FIRST_SNAPSHOT)]
    return Result(
        parts,
        (ERRORS, WEIGHTS, ALONE),
        (description.error_cost, description.kl_to_prior, bayes_by_backprop.standard_deviations),
        _call(setting, chosen.config),
    )


def costs(fit: Fit, dataset: Dataset) -> Array:
    """Error and complexity cost of one network in bits, (2,)."""
    return remembered(fit, "costs", lambda: _costs(fit, dataset))


def _costs(fit: Fit, dataset: Dataset) -> Array:
    found = network.weights_of(fit)
    targets = fit.scaling.standardise_y(dataset.y)
    outputs = fit.draw_outputs(dataset.x, NUM_SAMPLES)
    error = description.error_cost(outputs, targets, fit.precision**-0.5)
    complexity = description.kl_to_prior(found.mean, found.std, found.prior)
    return np.array([description.bits(error), description.bits(complexity)])


def _parts(setting: Setting, screen: Screen, fit: Fit, dataset: Dataset) -> list[Part]:
    cells = [fit.cell(kl_weight=value) for value in KL_WEIGHT.values]
    chosen, is_per_point = KL.options.index(setting[KL]), setting[PER] == "point"
    ends = np.array([costs(cell, dataset) for cell in cells])
    moments = (cells[chosen].at_snapshot(index) for index in range(len(fit.snapshot_steps)))
    course = np.array([costs(moment, dataset) for moment in moments])
    count, unit = (dataset.num_data, "bits per point") if is_per_point else (1, "bits")
    without = float(description.bits(description.cost_without_network(fit.scaling.standardise_y(dataset.y))))
    fig = figures_costs.description_bars(
        fit.snapshot_steps,
        course / count,
        KL.options,
        ends / count,
        without / count,
        chosen=chosen,
        y_label=unit,
        y_range=(0.0, TOP if is_per_point else TOP * dataset.num_data),
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    alt = figures_costs.describe_costs(fit.snapshot_steps, course / count, without / count, unit)
    num_weights = network.weights_of(cells[chosen]).num_weights
    values = _numbers(ends[chosen] / count, without / count, is_per_point, num_weights)
    says = Says(_sentence(setting[KL], ends[chosen] / count, without / count, unit))
    return [says, Figure("costs", fig, alt), values, Words(SENTENCE, "markdown")]


def _sentence(beta: str, end: Array, without: float, unit: str) -> str:
    """The length of the message, its two parts, and the length without a network."""
    error, weights = (number(each, 2) for each in end)
    told = f"β = {beta}: {number(end.sum(), 2)} {unit}, {error} for errors and {weights} for weights"
    saves = "the network saves bits" if end.sum() < without else "the network saves none"
    return f"{told}; without a network {number(without, 2)}, so {saves}."


def _numbers(end: Array, without: float, is_per_point: bool, num_weights: int) -> Numbers:
    error, complexity = end
    accuracy = f"Targets are told to within {description.ACCURACY:g} of their standard deviation."
    whole, form = ("point", ".2f") if is_per_point else ("data set", ",.0f")
    return Numbers(
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
                f"{without - end.sum():{form}}".replace("-", "−"),
                "Against telling every target by the data's mean and standard deviation. Negative: the network needs "
                "more bits than it saves.",
            ),
        ]
    )


def _call(setting: Setting, config: FitConfig) -> str:
    prior = network.prior_of(config)
    return network.call_of(
        setting,
        config,
        [
            "params = {name: array[0, 0].astype(float) for name, array in fit.params.items()}",
            "std = standard_deviations(params)",
            f"prior = description.Prior({prior.wide_std:.6g}, {prior.narrow_std:.6g}, {prior.share:g})",
            "complexity = description.kl_to_prior({name: params[name] for name in std}, std, prior)",
            f"outputs = fit.draw_outputs(data.x, {NUM_SAMPLES})",
            "error = description.error_cost(outputs, fit.scaling.standardise_y(data.y), fit.precision**-0.5)",
            "bits = description.bits(np.array([error, complexity])) / data.num_data  # per point",
        ],
        [
            "from bdlviz.methods.bayes_by_backprop import standard_deviations",
            "from bdlviz.topics.weights.bayes_by_backprop import description",
        ],
    )
