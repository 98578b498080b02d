"""Treat or not: what each kind of uncertainty is worth when mistakes have costs."""

from __future__ import annotations

import numpy as np
import streamlit as st

from bdlviz.data.sampling import generator
from bdlviz.fits import Fit
from bdlviz.topics.foundations.kinds_of_uncertainty import decisions, figures_decisions, study
from bdlviz.topics.foundations.kinds_of_uncertainty import views_setting as setting
from bdlviz.topics.foundations.kinds_of_uncertainty.decisions import Costs
from bdlviz.topics.foundations.kinds_of_uncertainty.figures_decisions import Rule
from bdlviz.topics.foundations.kinds_of_uncertainty.views_setting import METHOD
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow

NUM_PEOPLE = 20_000
TREAT = number_control("treat", "Cost of treating", (0, 0.5, 1, 2, 5, 10), 1, "Paid for everybody who is treated.")
MISS = number_control("miss", "Cost of missing", (1, 2, 5, 10, 20, 50, 100), 10, "Paid for everybody ill left alone.")
LIMIT = number_control("limit", "Ill above y =", (-1, -0.5, 0, 0.5, 1, 1.5, 2, 2.5), 1, "Who has a y above it is ill.")
PEOPLE = Control(
    "people",
    "Who comes",
    ("alike", "everywhere"),
    "everywhere",
    "buttons",
    "People like those in the data, or from everywhere on the axis, also where nobody was seen before.",
    {"alike": "like the data", "everywhere": "from everywhere"},
)
CONTROLS = (TREAT, MISS, LIMIT, PEOPLE)
HEAD = "heteroscedastic"  # who decides under noise needs to know it at every x
RULES = (
    ("mean only", decisions.plug_in_probability),
    ("epistemic only", decisions.epistemic_probability),
    ("both kinds", decisions.full_probability),
)


def choose() -> None:
    """The controls of the decision."""
    TREAT.show()
    MISS.show()
    LIMIT.show()
    PEOPLE.show()
    METHOD.show()
    setting.choose_data()


def show() -> Shown | None:
    """Who is treated under each rule, and what it costs."""
    dataset = setting.present_dataset()
    with setting.said():
        costs = Costs(float(TREAT.present()), float(MISS.present()))
        config = study.head_config(dataset, METHOD.present(), HEAD)
        fit = setting.get(config, dataset, lambda fit: _draw(fit, dataset, costs))
        if fit is not None:
            return Shown(
                (Costs.threshold.fget, decisions.full_probability, decisions.simulated_cost),  # type: ignore[arg-type]
                (decisions.full_probability, decisions.epistemic_probability, decisions.simulated_cost, simulate),
                setting.snippet(
                    METHOD.present(),
                    HEAD,
                    dataset,
                    "from bdlviz.predictive import decisions",
                    f"costs = decisions.Costs({costs.treat:g}, {costs.miss:g})",
                    f"predictive = fit.predict(np.linspace(*data.x_range, 200), {setting.NUM_SAMPLES})",
                    f"probability = decisions.full_probability(predictive, {float(LIMIT.present()):g})",
                    "print(decisions.treats(probability, costs).mean())",
                ),
            )
    return None


def rules(predictive: Predictive, limit: float, costs: Costs) -> list[Rule]:
    """Every rule at the inputs of a predictive distribution."""
    believed = [(name, probability(predictive, limit)) for name, probability in RULES]
    return [Rule(name, probability, decisions.treats(probability, costs)) for name, probability in believed]


def best(dataset: Dataset, x: Array, limit: float, costs: Costs) -> Rule | None:
    """What somebody would do who knows the law of the data, at x (N, 1); None where nobody knows it."""
    noise = setting.true_noise(dataset, x)
    if dataset.truth is None or noise is None:
        return None
    probability = decisions.true_probability(dataset.truth(x)[:, 0], noise, limit)
    return Rule("truth known", probability, decisions.treats(probability, costs))


def people(dataset: Dataset, everywhere: bool) -> Array:
    """Inputs (N, 1) of people that nobody trained on."""
    rng = generator(0, "kinds/people")
    if everywhere:
        return rng.uniform(*dataset.x_range, (NUM_PEOPLE, 1))
    return rng.choice(dataset.x_test if len(dataset.x_test) else dataset.x, NUM_PEOPLE)


def simulate(is_treated: Array, probability: Array, costs: Costs) -> tuple[float, float]:
    """Mean cost per person and its standard error: the same people (N,) for every rule, ill with that probability."""
    is_ill = generator(0, "kinds/ill").random(len(probability)) < probability
    return decisions.simulated_cost(is_treated, is_ill, costs)


def _draw(fit: Fit, dataset: Dataset, costs: Costs) -> None:
    limit = float(LIMIT.present())
    predictive = setting.prediction(fit, dataset)
    known = best(dataset, predictive.x, limit, costs)
    if known is None:
        st.info("Costs need the truth, and nobody knows the law of these data: choose a built-in set with known noise.")
        return
    found = rules(predictive, limit, costs)
    fig = figures_decisions.decisions_over_x(
        predictive,
        dataset,
        found,
        known,
        limit=limit,
        threshold=min(costs.threshold, 1.0),
        theme=present_theme(),
        stacked=is_narrow(),
    )
    figure(fig, key="decision", alt=figures_decisions.describe_decisions(found, known))
    _costs(fit, dataset, limit, costs)
    if costs.threshold >= 1:
        st.caption("Treating costs at least as much as missing somebody: nobody is treated, whatever the probability.")
    if costs.treat == 0:
        st.caption("Treating is free: whoever has any probability of need is treated.")


def _costs(fit: Fit, dataset: Dataset, limit: float, costs: Costs) -> None:
    x = people(dataset, PEOPLE.present() == "everywhere")
    low, high = float(x.min()), float(x.max())
    grid = np.linspace(low, high, 400)[:, None]
    at_grid = setting.prediction(fit, dataset, grid)
    nearest = np.rint((x[:, 0] - low) / max(high - low, 1e-12) * (len(grid) - 1)).astype(int)
    known = best(dataset, x, limit, costs)
    assert known is not None
    treated = {rule.name: rule.is_treated[nearest] for rule in rules(at_grid, limit, costs)}
    treated[known.name] = known.is_treated
    paid = {name: simulate(mask, known.probability, costs) for name, mask in treated.items()}
    about = f"Mean ± standard error over {NUM_PEOPLE:,} simulated people, the same for all rules."
    told = {
        "mean only": "Takes the predictive mean for the truth.",
        "epistemic only": "Knows its ignorance and forgets the noise.",
        "both kinds": "The whole predictive distribution.",
        "truth known": "Nobody can do better on average.",
    }
    numbers(
        [
            (f"Cost, {name}", f"{mean:.3f} ± {error:.3f}", f"{told[name]} {about}")
            for name, (mean, error) in paid.items()
        ]
    )
    least = min((name for name in paid if name != known.name), key=lambda name: paid[name][0])
    st.caption(
        f"Treat where the probability of need is above {costs.threshold:.2g}, the cost of treating over that of "
        f"missing somebody. Cheapest of the three rules here: {least}."
    )
