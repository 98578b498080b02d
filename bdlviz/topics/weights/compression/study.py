"""The shipped networks that remove whole units. They are trained and recorded as those of the page on sparsity."""

from __future__ import annotations

from bdlviz.studies.study import Study
from bdlviz.topics.weights.sparsity import study as sparsity_study

METHODS = ("group_normal_jeffreys", "group_horseshoe")


def _studies() -> dict[str, Study]:
    found: dict[str, Study] = {}
    for method in METHODS:
        found |= sparsity_study.shipped(method, "digits") | sparsity_study.shipped(method, "mnist")
    return found


STUDIES = _studies()
