"""Every result that exercises and pages quote is declared, and equals what is shipped."""

from __future__ import annotations

import pytest

from tests.quoted.declared import GIVEN, MEASURED
from tests.quoted.sources import Source
from tests.quoted.texts import numbers, quoted, results_in, value_of
from tests.ui import conftest as of_pages

no_installed_components, plain_figures, queue = (
    of_pages.no_installed_components,
    of_pages.plain_figures,
    of_pages.queue,
)
TEXTS = {place: text for place, text in quoted().items() if numbers(text)}
RESULTS = [
    pytest.param(number, source, id=f"{place}-{number}")
    for place, found in MEASURED.items()
    for number, sources in found.items()
    for source in (sources if isinstance(sources, tuple) else (sources,))
]


@pytest.mark.parametrize("place", TEXTS)
def test_every_result_is_declared(place: str):
    undeclared = results_in(place, TEXTS[place]) - {*GIVEN.get(place, "").split(), *MEASURED.get(place, {})}
    assert not undeclared, f"Declare these results in tests/quoted: {undeclared}"


@pytest.mark.parametrize("place", ["exercises/weights: SPARSITY", "pages/weights/sparsity.py"])
def test_what_looks_like_a_result(place: str):
    text = "With p = 0.5 and 20 seeds, 3.217 nats, 81.23 %, −12.07 points and 417 nats; 437 images of 1999 and 95 %."
    assert results_in(place, text) == {"3.217", "81.23%", "-12.07", "417"}


def test_every_declared_number_is_quoted():
    gone = {
        place: unused
        for place in {*GIVEN, *MEASURED}
        if (unused := {*GIVEN.get(place, "").split(), *MEASURED.get(place, {})} - set(numbers(TEXTS.get(place, ""))))
    }
    assert not gone


@pytest.mark.parametrize(("number", "source"), RESULTS)
def test_every_quoted_result_is_the_shipped_one(number: str, source: Source):
    digits = number.strip("+%").replace(",", "")
    last_place = 10.0 ** -len(digits.partition(".")[2])
    assert source() == pytest.approx(value_of(number), abs=0.5001 * last_place)
