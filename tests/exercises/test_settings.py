"""Exercises that ask for a setting: the goal is met by their solution and by some settings, and by others not."""

from __future__ import annotations

import pytest

from tests.exercises.answers import is_met, setting_of
from tests.ui.harness import definition

# Page: settings that meet the goal besides the solution, and settings that do not. What is not named has its default.
GOALS: dict[str, tuple[tuple[str, ...], tuple[str, ...]]] = {
    "bayes_rule": (  # the ridge weight is a ratio of variances
        ("assumed_std=2", "assumed_std=1 prior_std=0.5"),
        ("assumed_std=1 prior_std=2", "prior_std=inf", "assumed_std=2 look=four", "assumed_std=2 family=network"),
    ),
    "deciding": (  # a quarter is a ratio of costs
        ("treat=5 miss=20", "treat=0.5 miss=2"),
        ("treat=2 miss=10", "treat=5 miss=10"),
    ),
    "variational_or_mcmc": (  # the true widths take the other direction of the divergence
        ("direction=forward", "direction=forward start_at=right"),
        (
            *("family=full", "direction=forward family=full", "direction=forward posterior=banana"),
            "direction=forward look=walk",
        ),
    ),
    "effect_of_lambda": (  # a unit prior; the first layer's input is not dropped
        ("weight_decay=0.00316", "weight_decay=0.00316 metric=rmse", "weight_decay=0.00316 dropout_rate=0.05"),
        (
            *("weight_decay=0.00562 dropout_rate=0.2", "weight_decay=0.00562", "weight_decay=0.00178"),
            *("weight_decay=0.00316 noise=1", "weight_decay=0.00316 data_seed=1"),
        ),
    ),
    "function_draws": (  # the noise band
        tuple(f"follows=noise weight_decay=0.03 length_scale=2 dropout_rate={rate}" for rate in ("0.2", "0.1")),
        (
            "follows=noise weight_decay=0.03 length_scale=2 dropout_rate=0.3",
            "follows=noise weight_decay=0.03 length_scale=1 dropout_rate=0.2",
            "follows=noise weight_decay=0 length_scale=2",
            "follows=noise weight_decay=0.03 length_scale=2 dropout_rate=0.2 num_data=50",
            "follows=length_scale weight_decay=0.03 length_scale=2 dropout_rate=0.2",
            "follows=noise weight_decay=0.03 length_scale=2 dropout_rate=0.2 method=map",
        ),
    ),
    "compare": (  # where distances lie
        ("look=distance data=two_clusters",),
        ("look=distance", "data=two_clusters", "look=distance data=two_clusters reference=deep_ensemble"),
    ),
    "in_between": (("depth=2", "activation=tanh"), ("gap=2", "dropout_rate=0.5")),  # another network than the theorems'
    "active_learning": (  # a belief without width makes Thompson sampling greedy
        ("active_look=bandit widened=0",),
        (
            *("active_look=bandit widened=0.1", "active_look=bandit widened=0 policy=greedy", "widened=0"),
            "active_look=bandit widened=0 belief=mc_dropout",
        ),
    ),
    "mc_dropout": (  # one function cannot contradict itself
        ("num_samples=1", "method=map", "num_samples=1 method=concrete_dropout"),
        ("num_samples=2", "num_samples=1 method=deep_ensemble"),
    ),
    "concrete_dropout": ((), ("relaxed_rate=0.5 temperature=0.03", "look=relaxation temperature=0.03")),
    "bayes_by_backprop": ((), ("prior_std=0.0498", "kl_weight=0.01")),
    "compression": ((), ("prior_scale=0.3", "shrinking_prior=laplace prior_scale=10")),
    "signal_to_noise": ((), ("removed=80", "preset=small_sigma removed=90")),
    "sparsity": ((), ("look=one strength=1", "strength=1.05")),
    "variational_dropout": ((), ("noise_look=noise noise_inputs=20",)),
    "autoencoder": ((), ("images=mnist60000",)),
    "conditional": ((), ("moved=1", "moved=1 other=-2", "other=2")),
    "decode": ((), ("codes=20d", "start=origin")),
    "latent_space": ((), ("codes=2d", "marks=ellipses")),
    "likelihood": ((), ("kl_weight=2", "kl_weight=10")),
    "manifold": ((), ("reach=2.5", "reach=4")),
    "vae": ((), ("likelihood=binarised_bernoulli", "images=digits")),
    "scoreboard": ((), ("view=refusing", "view=refusing refused=50")),
    "register": ((), ("source=blundell", "verdict=reproduced")),
    "errata": ((), ("erratum=plug-in", "erratum=noise-variance")),
}


@pytest.mark.parametrize("page", GOALS)
def test_a_goal_is_met_where_it_should(page: str):
    defined = definition(page)
    assert defined is not None
    setting = setting_of(defined.exercises)
    met, missed = ([dict(pair.split("=") for pair in each.split()) for each in part] for part in GOALS[page])
    assert [is_met(page, setting, **changes) for changes in (setting.solution_options, *met)] == [True] * (1 + len(met))
    assert [is_met(page, setting, **changes) for changes in ({}, *missed)] == [False] * (1 + len(missed))
