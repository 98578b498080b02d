"""The results that exercises and pages quote, with where they come from, and numbers that only look like results.

A number is written as it stands in the text, without blanks and with a plain minus. What a lecture says is compared
with the pages of its steps, by tests/lectures/test_one_story.py.
"""

from __future__ import annotations

from tests.quoted.given import GIVEN
from tests.quoted.measured_from_results import FROM_RESULTS
from tests.quoted.measured_to_regression import TO_REGRESSION

MEASURED = TO_REGRESSION | FROM_RESULTS  # several sources: the number is quoted for each

__all__ = ["GIVEN", "MEASURED"]
