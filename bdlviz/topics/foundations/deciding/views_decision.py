"""Treat or not: how decisions and their costs depend on the kinds of uncertainty that a rule uses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import cast

import numpy as np
from scipy.special import ndtri

from bdlviz.data.sampling import generator
from bdlviz.digits import number, percent
from bdlviz.fits import Fit
from bdlviz.predictive.intervals import mean_interval
from bdlviz.topics.foundations.deciding import decisions, figures_decisions
from bdlviz.topics.foundations.deciding.controls import LIMIT, MISS, PEOPLE, TREAT
from bdlviz.topics.foundations.deciding.decisions import Costs, Outcome
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
    ("ignorance only", decisions.epistemic_probability),
    ("both uncertainties", decisions.full_probability),
)
DRAWN = ("mean only", "both uncertainties")  # the rules with a panel
ABOUT = {
    "mean only": "Uses the predictive mean as if it were the truth.",
    "ignorance only": "Uses the epistemic uncertainty and leaves the noise out.",
    "both uncertainties": "Uses the whole predictive distribution.",
    "truth known": "No rule is better on average.",
}


THRESHOLD = Formula(
    cast(Function, Costs.threshold.fget),
    "Treating costs less than not treating above this probability of being ill.",
    {"c": "cost of treating one person, and of missing one who is ill"},
)
NEED = Formula(
    decisions.full_probability,
    "The probability that y is above the limit, from both uncertainties.",
    {r"\sigma": "noise of a draw, in the unit of y", "S": "number of draws"},
)
COST = Formula(decisions.expected_cost, "The expected cost of one person.", {"p": "probability of being ill"})


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
    who = people(dataset, setting[PEOPLE] == "everywhere")
    treated = treated_people(fit, dataset, limit, costs, who)
    shown = hundred(dataset, who)
    is_known = shown is not None
    x, y = shown = (dataset.x[:, 0], dataset.y[:, 0]) if shown is None else shown
    compared = [rule for rule in rules(predictive, limit, costs) if rule.name in DRAWN]
    outcomes = [Outcome(y > limit, rule.treats_at(predictive.x[:, 0], x)) for rule in compared]
    is_ill = ill_people(dataset, limit, costs, who) if is_known else None
    by_rule = {} if is_ill is None else {name: cost(each, is_ill, costs) for name, each in treated.items()}
    fig = figures_decisions.people_and_rules(
        predictive,
        dataset,
        compared,
        shown,
        outcomes,
        limit=limit,
        costs=costs,
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    says = what_ignoring_costs(outcomes, costs, by_rule)
    parts: list[Part] = [
        Says(says),
        Figure("decision", fig, f"{len(x):,} people at x and y, and who is treated. {says}"),
    ]
    if not is_known:
        message = (
            "The true distribution of these data is not known, so the dots are the training data. Choose a built-in "
            "data set with known noise for new people and their mean costs."
        )
        return [*parts, Words(message, "info")]
    parts += _cost_parts(costs, by_rule)
    if costs.threshold >= 1:
        parts.append(Words("Treating costs at least as much as missing an ill person, so nobody is treated."))
    if costs.treat == 0:
        parts.append(Words("Treating is free, so everybody whose probability of being ill is above 0 is treated."))
    return parts


def what_ignoring_costs(outcomes: Sequence[Outcome], costs: Costs, by_rule: Mapping[str, Array]) -> str:
    """What treating by the risk and by the mean costs, how many ill people each misses, and if they clearly differ."""
    alone, both = outcomes
    by_risk, by_mean = (f"{number(each.cost(costs))} ({each.missed.sum():,} missed)" for each in outcomes[::-1])
    told = f"If a miss costs {number(costs.miss)}, treating above a risk of {percent(costs.threshold)} costs "
    told += f"{by_risk}, by the mean alone {by_mean}"
    if not by_rule:
        return f"{told}, for training data."
    _, low, high = mean_interval(by_rule["mean only"] - by_rule["both uncertainties"])
    saved = alone.cost(costs) - both.cost(costs)
    return f"{told}{'' if saved * low > 0 and saved * high > 0 else ': no clear difference'}."


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


def hundred(dataset: Dataset, x: Array) -> tuple[Array, Array] | None:
    """X and y (100,) each of people who stand for those at x (N, 1); None if the true distribution is not known.

    Their x are quantiles. Their y are quantiles of the noise at x, in the order of van der Corput, so that people who
    are neighbours differ: the counts are within a few people of the expected ones.
    """
    chosen = np.quantile(x[:, 0], (np.arange(100) + 0.5) / 100)
    noise = true_noise(dataset, chosen[:, None])
    if dataset.truth is None or noise is None:
        return None
    level = np.array([int(f"{person:07b}"[::-1], 2) + 0.5 for person in range(100)]) / 2**7
    return chosen, dataset.truth(chosen[:, None])[:, 0] + noise * ndtri(level)


def ill_people(dataset: Dataset, limit: float, costs: Costs, x: Array) -> Array:
    """Mask (N,) of the people at x (N, 1) who are ill; the same for all rules."""
    known = best(dataset, x, limit, costs)
    assert known is not None
    return generator(0, "kinds/ill").random(len(x)) < known.probability


def cost(is_treated: Array, is_ill: Array, costs: Costs) -> Array:
    """The cost of every person (N,)."""
    return decisions.expected_cost(is_treated, is_ill.astype(float), costs)


def treated_people(fit: Fit, dataset: Dataset, limit: float, costs: Costs, x: Array) -> dict[str, Array]:
    """Mask (N,) of the people at x (N, 1) whom each rule treats; the last rule knows the truth, if it is known."""
    low, high = float(x.min()), float(x.max())
    grid = np.linspace(low, high, 400)[:, None]
    nearest = np.rint((x[:, 0] - low) / max(high - low, 1e-12) * (len(grid) - 1)).astype(int)
    found = {rule.name: rule.is_treated[nearest] for rule in rules(prediction(fit, dataset, grid), limit, costs)}
    known = best(dataset, x, limit, costs)
    return found if known is None else found | {known.name: known.is_treated}


def _cost_parts(costs: Costs, by_rule: dict[str, Array]) -> list[Part]:
    about = (
        f"Per 100 people: mean ± half its 95 % interval over {NUM_PEOPLE:,} simulated people, the same for all rules."
    )
    values = []
    for name, each in by_rule.items():
        mean, _, high = (100 * float(end) for end in mean_interval(each))
        values.append((f"Cost, {name}", f"{mean:.1f} ± {high - mean:.1f}", f"{ABOUT[name]} {about}"))
    sentence = (
        f"Treating costs less if the probability of being ill is above {costs.threshold:.2g}, the cost of treating "
        f"divided by the cost of missing. {which_costs_least({name: by_rule[name] for name, _ in RULES})}"
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
