"""The description of the authors' study for screen readers."""

from __future__ import annotations

from bdlviz.fitted import shelf
from bdlviz.topics.digits.concrete_dropout.views_study import AUTHORS_FILES
from tests.topics.shared.page_results import result_of


def test_the_alt_text_of_the_authors_study_has_the_rates_of_the_numbers():
    extra = shelf.shipped(AUTHORS_FILES["published"])[1]
    rates = extra["wide_rates"].astype(float)[..., 1:].mean((0, 2))
    result = result_of("concrete_dropout", {"look": "authors"})
    [alt] = [figure.alt for figure in result.figures]
    narrow = extra["narrow_rates"].astype(float)[..., 1:].mean((0, 2))
    assert f"{rates[-1]:.2f}" != f"{narrow[-1]:.2f}"
    assert f"{rates[0]:.2f} " in alt and f"{rates[-1]:.2f} " in alt
