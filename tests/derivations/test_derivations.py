"""The derivations: every step holds in numbers, is written in LaTeX that parses, and speaks of what its page shows."""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from latex2mathml.converter import convert
from scipy import stats

from bdlviz.lectures import small_cases
from bdlviz.lectures.derivation import Derivation, Sides, Step
from bdlviz.models import divergences
from bdlviz.topics.digits.concrete_dropout import derivation as concrete_dropout_derivation
from bdlviz.topics.foundations.variational_or_mcmc import derivation as variational_or_mcmc_derivation
from bdlviz.topics.generative.vae import derivation as vae_derivation
from bdlviz.topics.shared import mc_dropout_derivation
from bdlviz.topics.weights.bayes_by_backprop import derivation as bayes_by_backprop_derivation
from bdlviz.topics.weights.compression import derivation as compression_derivation
from bdlviz.topics.weights.sparsity import derivation as sparsity_derivation
from bdlviz.topics.weights.variational_dropout import derivation as variational_dropout_derivation
from tests.ui import harness

ROOT = Path(__file__).resolve().parents[2]
multivariate: Any = stats.multivariate_normal  # the stubs of scipy are vague about frozen distributions
gaussian: Any = stats.norm
PAGES = {
    "evidence": (variational_or_mcmc_derivation.EVIDENCE, "variational_or_mcmc"),
    "vae": (vae_derivation.VAE, "vae"),
    "mc_dropout": (mc_dropout_derivation.MC_DROPOUT, "function_draws"),
    "mc_dropout_of_digits": (mc_dropout_derivation.MC_DROPOUT_OF_DIGITS, "mc_dropout"),
    "concrete_dropout": (concrete_dropout_derivation.CONCRETE_DROPOUT, "concrete_dropout"),
    "variational_dropout": (variational_dropout_derivation.VARIATIONAL_DROPOUT, "variational_dropout"),
    "bayes_by_backprop": (bayes_by_backprop_derivation.BAYES_BY_BACKPROP, "bayes_by_backprop"),
    "sparse": (sparsity_derivation.SPARSE, "sparsity"),
    "compression": (compression_derivation.COMPRESSION, "compression"),
}
EACH = pytest.mark.parametrize(("derivation", "page"), PAGES.values(), ids=PAGES)
STEPS = [
    pytest.param(step, id=f"{name}-{place}")
    for name, (derivation, _) in PAGES.items()
    for place, step in enumerate(derivation.steps, 1)
]
CHECKED = [param for param in STEPS if isinstance(param.values[0], Step) and param.values[0].sides]
EXACT, STANDARD_ERRORS = 1e-6, 4
COARSEST = 0.05  # a standard error above this share of the value would let a wrong factor pass


def holds(step: Step) -> bool:
    """Do the two sides of a step relate as it says?"""
    assert step.sides is not None
    left, right, error = step.sides()
    match step.relation:
        case "=":
            return error == 0 and bool(np.isclose(left, right, rtol=EXACT, atol=0))
        case "<=":
            return error == 0 and left <= right
        case "≈":
            return 0 < error < COARSEST * abs(left) and abs(left - right) <= STANDARD_ERRORS * error


# In numbers -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("step", CHECKED)
def test_the_sides_relate_as_the_step_says_and_another_number_would_be_noticed(step: Step):
    assert step.sides is not None
    first, again = step.sides(), step.sides()
    assert np.isfinite(first).all() and first == again, "The numbers are the same whenever somebody looks."
    assert holds(step), first
    # A tenth more or less on the wrong side, and the check fails.
    assert step.sides is not None
    left, right, error = step.sides()
    gap = abs(right - left) if step.relation == "<=" else max(0.1 * abs(left), 2 * STANDARD_ERRORS * error)
    wrong = replace(step, sides=lambda: Sides(left, right - 1.01 * gap - 1e-3 * abs(left), error))
    assert not holds(wrong)


@EACH
def test_every_derivation_has_few_complete_steps(derivation: Derivation, page: str):
    assert 4 <= len(derivation.steps) <= 7
    assert sum(step.sides is not None for step in derivation.steps) >= 3
    titles = [step.title for step in derivation.steps]
    assert len(set(titles)) == len(titles)
    assert derivation.title and derivation.source
    assert derivation.claim.endswith(".") and all(convert(latex) for latex in inline(derivation.claim))
    for step in derivation.steps:
        assert not step.title.endswith(".") and step.because.rstrip(")").endswith((".", ".)"))
        assert not step.where or step.where.rstrip(")").endswith(".")


# The small cases against other references -----------------------------------------------------------------------------


def test_the_evidence_of_the_line_is_that_of_a_gaussian():
    line = variational_or_mcmc_derivation.LINE
    design = np.stack([np.ones_like(line.x), line.x], axis=1)
    covariance = line.prior_std**2 * design @ design.T + line.noise_std**2 * np.eye(len(line.x))
    known = multivariate(np.zeros(len(line.x)), covariance).logpdf(line.y)
    for step in variational_or_mcmc_derivation.EVIDENCE.steps[:3]:
        assert step.sides is not None
        assert step.sides().left == pytest.approx(float(known), rel=1e-8)


@pytest.mark.parametrize(("mean", "std"), [(0.5, 0.05), (2.0, 0.1)])
def test_a_mask_that_always_keeps_is_one_gaussian(mean: float, std: float):
    rare = 1e-9
    kl = small_cases.masked_weight_kl(rare, mean, std, 0.7)
    assert kl == pytest.approx(float(divergences.gaussian(mean, std, 0.7)), abs=1e-6)


def test_overlapping_spikes_have_no_entropy_of_the_mask():
    """Both at 0 the two are one Gaussian: the entropy of the coin is not gained."""
    near, far = (small_cases.masked_weight_kl(0.5, mean, 0.05, 1.0) - 0.25 * mean**2 for mean in (0.0, 1.0))
    assert near == pytest.approx(float(divergences.gaussian(0.0, 0.05, 1.0)), rel=1e-9)
    assert near - far == pytest.approx(np.log(2), rel=1e-9)
    nodes, share = small_cases.normal_nodes()
    assert [float(share @ nodes**power) for power in (0, 2, 4, 6)] == pytest.approx([1, 1, 3, 15])
    rng = np.random.default_rng(0)
    mean, error = small_cases.mean_and_error(rng.normal(3, 2, 10_000))
    assert abs(mean - 3) < STANDARD_ERRORS * error and error == pytest.approx(0.02, rel=0.05)
    assert small_cases.integral(lambda w: np.exp(gaussian(1, 0.1).logpdf(w)), -9, 9, [1.0]) == pytest.approx(1)


# In words and LaTeX ---------------------------------------------------------------------------------------------------


def inline(text: str) -> list[str]:
    """The pieces of LaTeX of a text."""
    assert text.count("$") % 2 == 0, text
    return text.split("$")[1::2]


@pytest.mark.parametrize("step", STEPS)
def test_every_formula_parses(step: Step):
    for latex in (step.latex, *inline(step.because), *inline(step.where)):
        assert latex == latex.strip() and latex.count("{") == latex.count("}")
        assert latex.count(r"\left") - latex.count(r"\leftarrow") == latex.count(r"\right") - latex.count(
            r"\rightarrow"
        )
        found = convert(latex)
        assert found.startswith("<math") and "merror" not in found
        unknown = re.findall(r"<mi>(\\\w+)</mi>", found)
        assert not unknown, f"{latex}: {unknown}"


# On the page ----------------------------------------------------------------------------------------------------------


@cache
def shown(page: str, state: tuple[tuple[str, str], ...]) -> tuple[frozenset[str], frozenset[str]]:
    """Names of all traces of a page in that state, and its tabs."""
    app = harness.open_page(page, dict(state) | {"picture": "figure"})
    harness.assert_works(app)
    names = (trace.get("name") for figure in harness.figures(app) for trace in figure["data"])
    return frozenset(filter(None, names)), frozenset(tab.label for tab in app.tabs)


@EACH
def test_traces_and_tabs_of_a_derivation_are_on_its_page(derivation: Derivation, page: str):
    controls = harness.controls(page)
    for key, option in derivation.state.items():
        assert option in controls[key].options
    names, _ = shown(page, tuple(derivation.state.items()))
    said = {name for step in derivation.steps for name in step.traces}
    assert said and said <= names, f"{sorted(said - names)} are not among {sorted(names)}."
    assert all(step.where for step in derivation.steps if step.traces)
    _, tabs = shown(page, tuple(derivation.state.items()))
    titles = set().union(*(control.names.values() for control in harness.controls(page).values()))
    for step in derivation.steps:
        for name in views_named(step.where):
            assert any(title.startswith(name) for title in titles), name
        for name in re.findall(r"\b[Tt]ab \*(.+?)\*", step.where):
            assert name in tabs, name


def views_named(where: str) -> Iterator[str]:
    """Titles of views, or how they begin, in a phrase such as "View *kept pixels*" or "Switch to *ARD*"."""
    return iter(re.findall(r"(?:Views?|Switch to) \*(.+?)\*", where))
