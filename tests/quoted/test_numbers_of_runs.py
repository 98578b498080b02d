"""A sentence that names how many trainings stand behind it has at least so many."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from bdlviz import recipes_dense, recipes_repeats
from bdlviz.predictive import race
from bdlviz.recipes_classifiers import IMAGES, name_of, on_board
from tests.quoted.sources import bundle, results
from tests.quoted.texts import quoted

WORDS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
REPEATED = re.compile(rf"\b(?:{'|'.join(WORDS[1:])}|\d+) (?:of its |other )?(?:trainings|seeds|runs)\b", re.IGNORECASE)


def repeats(name: str, study: str = recipes_repeats.WEIGHTS) -> Callable[[], int]:
    """The seeds behind an array of a study of repeats."""
    return lambda: len(bundle(study, recipes_repeats.BUNDLES)[name])


def scored() -> int:
    """The seeds behind every row of the scoreboard."""
    return min(len(results(name_of(method, images))["accuracy"]) for images in IMAGES for method in on_board(images))


BEHIND: dict[str, Callable[[], int]] = {  # place -> the number of runs behind its comparison
    "exercises/weights: BEFORE_SINGLE": repeats("sparse_variational_dropout_left"),
    "exercises/weights: SPARSITY": repeats("few_paid"),
    "exercises/weights: BEFORE_FEW": repeats("few_paid"),
    "exercises/weights: BEFORE_DROWNED": repeats("noise_nll"),
    "exercises/results: BEFORE_LECTURE": scored,
    "exercises/generative: BEFORE_DIGIT_CODES": repeats("codes_std_digits", recipes_repeats.GENERATIVE),
    "exercises/generative: BEFORE_GREYER_DIGITS": repeats("rmse_digits", recipes_repeats.GENERATIVE),
    "exercises/generative: BEFORE_PLANE": repeats("plane_elbo", recipes_repeats.GENERATIVE),
    "exercises/generative: CONDITIONAL": repeats("conditional_elbo", recipes_repeats.GENERATIVE),
    "pages/weights/sparsity.py": repeats("thousand_paid"),
    "pages/results/scoreboard.py": scored,
    "bdlviz/ui/digits/concrete_study.py": lambda: len(results("concrete_widths")["concrete_rate"]),
    "bdlviz/ui/foundations/dense_studies.py": lambda: len(bundle(recipes_dense.TASKS, recipes_dense.BUNDLES)["sigma"]),
    "bdlviz/ui/foundations/walk_race.py": lambda: race.NUM_SEEDS,
    "bdlviz/ui/home.py": scored,
}


def said(text: str) -> list[int]:
    """Numbers of trainings, seeds or runs that a text names."""
    firsts = (found.group().split()[0].lower() for found in REPEATED.finditer(text))
    return [int(first) if first.isdigit() else WORDS.index(first) + 1 for first in firsts]


@pytest.mark.parametrize(("place", "text"), [(place, text) for place, text in quoted().items() if said(text)])
def test_so_many_runs_are_shipped(place: str, text: str):
    assert max(said(text)) <= BEHIND[place]()
