"""Treat or not: how decisions and their costs depend on the kinds of uncertainty that a rule uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np

from bdlviz.data.sampling import generator
from bdlviz.digits import percent
from bdlviz.fits import Fit
from bdlviz.predictive.intervals import mean_interval
from bdlviz.topics.foundations.deciding import decisions, figures_decisions
from bdlviz.topics.foundations.deciding.controls import LIMIT, MISS, PEOPLE, TREAT
from bdlviz.topics.foundations.deciding.decisions import Costs
from bdlviz.topics.foundations.deciding.figures_decisions import Rule
from bdlviz.topics.shared.noisy_curve import (
    NUM_SAMPLES,
    call_of,
    dataset_of,
    head_needed,
    prediction,
    true_noise,
)
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.model import Figure, Formula, Function, Need, Numbers, Part, Result, Says, Screen, Setting, Words

NUM_PEOPLE = 20_000
HEAD = "heteroscedastic"  # a decision under noise needs the noise at every x
RULES = (
    ("mean only", decisions.plug_in_probability),
    ("epistemic only", decisions.epistemic_probability),
    ("both kinds", decisions.full_probability),
)
ABOUT = {
    "mean only": "Uses the predictive mean as if it were the truth.",
    "epistemic only": "Uses the epistemic uncertainty and ignores the noise.",
    "both kinds": "Uses the whole predictive distribution.",
    "truth known": "No rule is better on average.",
}


THRESHOLD = Formula(
    cast(Function, Costs.threshold.fget),
    "Treating costs less than not treating above this probability of need.",
    {"c": "cost of treating one person, and of missing one who is ill"},
)
NEED = Formula(
    decisions.full_probability,
    "The probability that y is above the limit, from both uncertainties.",
    {r"\sigma": "noise of a draw, in the unit of y", "S": "number of draws"},
)
COST = Formula(decisions.expected_cost, "The expected cost of one person.", {"p": "probability of need"})


def needed(setting: Setting) -> Need[Fit]:
    """The chosen method with a noise at every x."""
    return head_needed(setting, HEAD)


def decision(setting: Setting, screen: Screen, fit: Fit) -> Result:
    """Who is treated under each rule, and what it costs."""
    costs, limit = Costs(setting.number(TREAT), setting.number(MISS)), setting.number(LIMIT)
    call = call_of(
        setting,
        HEAD,
        "from bdlviz.topics.foundations.deciding import decisions",
        f"costs = decisions.Costs({costs.treat:g}, {costs.miss:g})",
        f"predictive = fit.predict(np.linspace(*data.x_range, 200), {NUM_SAMPLES})",
        f"probability = decisions.full_probability(predictive, {limit:g})",
        "print(decisions.treats(probability, costs).mean())",
    )
    return Result(
        _parts(setting, screen, fit, costs, limit),
        (THRESHOLD, NEED, COST),
        (decisions.full_probability, decisions.epistemic_probability, decisions.expected_cost, which_costs_least),
        call,
    )


def _parts(setting: Setting, screen: Screen, fit: Fit, costs: Costs, limit: float) -> list[Part]:
    dataset = dataset_of(setting)
    predictive = prediction(fit, dataset)
    known = best(dataset, predictive.x, limit, costs)
    tried = rules(predictive, limit, costs)
    who = people(dataset, setting[PEOPLE] == "everywhere")
    shares = shares_treated(predictive.x, [*tried, *([known] if known else [])], who)
    fig = figures_decisions.decisions_over_x(
        predictive,
        dataset,
        tried,
        known,
        shares=shares,
        limit=limit,
        threshold=min(costs.threshold, 1.0),
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    parts: list[Part] = [
        Says(who_is_treated(tried, known, shares)),
        Figure("decision", fig, figures_decisions.describe_decisions(tried, known)),
    ]
    if known is None:
        message = (
            "Costs need the truth, and the true distribution of these data is not known. Choose a built-in data set "
            "with known noise."
        )
        return [*parts, Words(message, "info")]
    parts += _cost_parts(costs, cost_by_rule(fit, dataset, limit, costs, setting[PEOPLE] == "everywhere"))
    if costs.threshold >= 1:
        parts.append(Words("Treating costs at least as much as missing an ill person, so nobody is treated."))
    if costs.treat == 0:
        parts.append(Words("Treating is free, so everybody whose probability of need is above 0 is treated."))
    return parts


def shares_treated(x: Array, every: Sequence[Rule], who: Array) -> list[float]:
    """The share of people (N, 1) that each rule treats; the rules are known at the inputs x (M, 1)."""
    nearest = np.searchsorted((x[1:, 0] + x[:-1, 0]) / 2, who[:, 0])
    return [float(rule.is_treated[nearest].mean()) for rule in every]


def who_is_treated(tried: Sequence[Rule], known: Rule | None, shares: Sequence[float]) -> str:
    """The share of people that the mean alone, the whole distribution and the truth would treat."""
    alone, both = percent(shares[0]), percent(shares[len(tried) - 1])
    best_of = [percent(shares[-1])] if known else []
    told = f"The mean alone treats {alone} of the people; with both uncertainties {both} are treated"
    return f"{told}, and with the truth known {best_of[0]}." if best_of else f"{told}; the truth is not known."


def rules(predictive: Predictive, limit: float, costs: Costs) -> list[Rule]:
    """The rules of `RULES` at the inputs of a predictive distribution."""
    probabilities = [(name, probability(predictive, limit)) for name, probability in RULES]
    return [Rule(name, probability, decisions.treats(probability, costs)) for name, probability in probabilities]


def best(dataset: Dataset, x: Array, limit: float, costs: Costs) -> Rule | None:
    """The rule with the lowest expected cost at x (N, 1); None if the true distribution of the data is not known."""
    noise = true_noise(dataset, x)
    if dataset.truth is None or noise is None:
        return None
    probability = decisions.true_probability(dataset.truth(x)[:, 0], noise, limit)
    return Rule("truth known", probability, decisions.treats(probability, costs))


def people(dataset: Dataset, everywhere: bool) -> Array:
    """Inputs (N, 1) of people who are not in the training data."""
    rng = generator(0, "kinds/people")
    if everywhere:
        return rng.uniform(*dataset.x_range, (NUM_PEOPLE, 1))
    return rng.choice(dataset.x_test if len(dataset.x_test) else dataset.x, NUM_PEOPLE)


def simulate(is_treated: Array, probability: Array, costs: Costs) -> Array:
    """The cost of every person (N,). The people, ill with ``probability``, are the same for all rules."""
    is_ill = generator(0, "kinds/ill").random(len(probability)) < probability
    return decisions.expected_cost(is_treated, is_ill, costs)


def cost_by_rule(fit: Fit, dataset: Dataset, limit: float, costs: Costs, everywhere: bool) -> dict[str, Array]:
    """The cost of every person (N,) for every rule; the last rule knows the truth."""
    x = people(dataset, everywhere)
    low, high = float(x.min()), float(x.max())
    grid = np.linspace(low, high, 400)[:, None]
    nearest = np.rint((x[:, 0] - low) / max(high - low, 1e-12) * (len(grid) - 1)).astype(int)
    known = best(dataset, x, limit, costs)
    assert known is not None
    treated = {rule.name: rule.is_treated[nearest] for rule in rules(prediction(fit, dataset, grid), limit, costs)}
    treated[known.name] = known.is_treated
    return {name: simulate(mask, known.probability, costs) for name, mask in treated.items()}


def _cost_parts(costs: Costs, by_rule: dict[str, Array]) -> list[Part]:
    about = f"Mean ± half its 95 % interval over {NUM_PEOPLE:,} simulated people, the same for all rules."
    values = []
    for name, each in by_rule.items():
        mean, _, high = (float(end) for end in mean_interval(each))
        values.append((f"Cost, {name}", f"{mean:.3f} ± {high - mean:.3f}", f"{ABOUT[name]} {about}"))
    sentence = (
        f"Treating costs less if the probability of need is above {costs.threshold:.2g}, the cost of treating divided "
        f"by the cost of missing. {which_costs_least({name: by_rule[name] for name, _ in RULES})}"
    )
    return [Numbers(values), Words(sentence)]


def which_costs_least(by_rule: Mapping[str, Array]) -> str:
    """One sentence on the cheapest rule, from the costs (N,) of the same people under every rule.

    A rule counts as dearer only if the 95 % interval of its difference to the cheapest one, over people, is above 0.
    """
    cheapest = min(by_rule, key=lambda name: by_rule[name].mean())
    equal = [
        name for name, each in by_rule.items() if name != cheapest and mean_interval(each - by_rule[cheapest])[1] <= 0
    ]
    of = "Of the three rules that do not know the truth,"
    if not equal:
        return f"{of} *{cheapest}* costs least here."
    others, verb = " and ".join(f"*{name}*" for name in equal), "is" if len(equal) == 1 else "are"
    return f"{of} *{cheapest}* has the lowest mean; {others} {verb} not shown to cost more."
