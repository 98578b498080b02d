"""Every number that exercises and pages quote is declared, and those that are results agree with them."""

from __future__ import annotations

import pytest

from tests.quoted.declared import GIVEN, MEASURED
from tests.quoted.sources import Source
from tests.quoted.texts import numbers, quoted
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
def test_every_number_is_declared(place: str):
    declared = {*GIVEN.get(place, "").split(), *MEASURED.get(place, {})}
    undeclared = set(numbers(TEXTS[place])) - declared
    assert not undeclared, f"A result, or a setting? Declare it in tests/quoted: {undeclared}"


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
    assert source() == pytest.approx(float(digits), abs=0.5001 * last_place)
