"""A sentence that names how many trainings stand behind it has at least so many."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from bdlviz import published
from bdlviz.topics.foundations.depth_and_edges import study_dense as study_dense
from bdlviz.topics.foundations.variational_or_mcmc import race
from bdlviz.topics.regression.active_learning.study_bandit import BANDIT_RUNS
from bdlviz.topics.results.scoreboard.study import IMAGES, name_of, on_board
from bdlviz.topics.shared import study_seeds
from tests.quoted.sources import bundle, results
from tests.quoted.texts import quoted

WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
REPEATED = re.compile(rf"\b(?:{'|'.join(WORDS[1:])}|\d+) (?:trainings|training seeds|seeds|runs)\b", re.IGNORECASE)


def repeats(name: str, study: str = study_seeds.WEIGHTS) -> Callable[[], int]:
    """The seeds behind an array of a study of further seeds."""
    return lambda: len(bundle(study, study_seeds.ARRAYS)[name])


def curve_runs(method: str) -> Callable[[], int]:
    """The runs behind a study of active learning on curves."""
    return lambda: len(results(f"active_curves_{method}")["two_clusters_random_rmse"])


def scored() -> int:
    """The seeds behind every row of the scoreboard."""
    return min(len(results(name_of(method, images))["accuracy"]) for images in IMAGES for method in on_board(images))


def of_curves() -> int:
    """The training seeds behind every standard deviation of a curve that is told with a range."""
    found = bundle(study_seeds.CURVES, study_seeds.ARRAYS)
    return min(len(found[name]) for name in study_seeds.cases())


def of_accuracies() -> int:
    """The seeds behind every row of the lecture's table of accuracies."""
    return min(row.seeds for row in published.rows() if row.name.startswith("accuracy_"))


BEHIND: dict[str, Callable[[], int]] = {  # place -> the number of runs behind its comparison
    "exercises/weights: BEFORE_SINGLE": repeats("sparse_variational_dropout_left"),
    "exercises/weights: SPARSITY": repeats("few_paid"),
    "exercises/weights: BEFORE_FEW": repeats("few_paid"),
    "exercises/weights: BEFORE_DROWNED": repeats("noise_nll"),
    "exercises/regression: FUNCTION_DRAWS": of_curves,
    "exercises/regression: BEFORE_TWO_LAYERS": of_curves,
    "exercises/weights: BAYES_BY_BACKPROP": of_curves,
    "exercises/weights: BEFORE_WIDE": of_curves,
    "exercises/weights: BEFORE_GAP": of_curves,
    "pages/regression/in_between.py": of_curves,
    "exercises/regression: BEFORE_DROPOUT": lambda: len(results("effect_of_lambda")["nll"]),
    "exercises/regression: BEFORE_NOISE": curve_runs("deep_ensemble"),
    "exercises/regression: BEFORE_DROPOUT_ASKS": curve_runs("mc_dropout"),
    "exercises/regression: BEFORE_GREEDY": lambda: BANDIT_RUNS,
    "exercises/results: BEFORE_LECTURE": scored,
    "exercises/results: REGISTER": of_accuracies,
    "exercises/generative: BEFORE_DIGIT_CODES": repeats("codes_std_digits", study_seeds.GENERATIVE),
    "exercises/generative: BEFORE_GREYER_DIGITS": repeats("rmse_digits", study_seeds.GENERATIVE),
    "exercises/generative: BEFORE_PLANE": repeats("plane_elbo", study_seeds.GENERATIVE),
    "exercises/generative: CONDITIONAL": repeats("conditional_elbo", study_seeds.GENERATIVE),
    "pages/foundations/depth_and_edges.py": lambda: len(bundle(study_dense.TASKS, study_dense.ARRAYS)["sigma"]),
    "pages/weights/sparsity.py": repeats("thousand_paid"),
    "pages/results/scoreboard.py": scored,
    "bdlviz/topics/digits/concrete_dropout/views_study.py": lambda: len(results("concrete_widths")["concrete_rate"]),
    "bdlviz/topics/foundations/depth_and_edges/views_dense_studies.py": lambda: len(
        bundle(study_dense.TASKS, study_dense.ARRAYS)["sigma"]
    ),
    "bdlviz/topics/foundations/variational_or_mcmc/views_race.py": lambda: race.NUM_SEEDS,
    "bdlviz/topics/start/home/views.py": scored,
}


def said(text: str) -> list[int]:
    """Numbers of trainings, seeds or runs that a text names."""
    firsts = (found.group().split()[0].lower() for found in REPEATED.finditer(text))
    return [int(first) if first.isdigit() else WORDS.index(first) + 1 for first in firsts]


@pytest.mark.parametrize(("place", "text"), [(place, text) for place, text in quoted().items() if said(text)])
def test_so_many_runs_are_shipped(place: str, text: str):
    assert max(said(text)) <= BEHIND[place]()
