"""The registry finds the studies of every topic by name, and refuses a name that is used twice."""

from __future__ import annotations

from types import ModuleType

import pytest

from bdlviz.fitted import shelf
from bdlviz.studies import registry
from bdlviz.studies.study import ArrayStudy, Study


def refuse() -> None:
    raise AssertionError("Nothing is trained in this test.")


def module(name: str, **declared: object) -> ModuleType:
    made = ModuleType(name)
    vars(made).update(declared)
    return made


ONE = Study("One", refuse, group="pair")  # type: ignore[arg-type]
TWO = ArrayStudy("Two", refuse, {}, group="pair")  # type: ignore[arg-type]


def test_every_shipped_checkpoint_has_a_study():
    assert shelf.manifest().keys() == {*registry.STUDIES, *registry.ARRAYS}


def test_study_modules_are_found_by_name():
    names = [each.__name__ for each in registry.study_modules()]
    assert len(set(names)) == len(names) and "bdlviz.errata.study" in names
    topics = [name for name in names if name.startswith("bdlviz.topics.")]
    assert topics == sorted(topics) and "bdlviz.topics.shared.study_seeds" in topics
    assert not any("views" in name or "exercises" in name for name in names)


def test_studies_and_groups_of_modules():
    studies, arrays, groups = registry.collected([module("a", STUDIES={"one": ONE}), module("b", ARRAYS={"two": TWO})])
    assert (studies, arrays, groups) == ({"one": ONE}, {"two": TWO}, {"pair": ("one", "two")})


@pytest.mark.parametrize("second", [module("b", STUDIES={"one": ONE}), module("b", ARRAYS={"one": TWO})])
def test_a_name_used_twice_is_refused(second: ModuleType):
    with pytest.raises(ValueError, match="b declares the study one"):
        registry.collected([module("a", STUDIES={"one": ONE}), second])


def test_a_group_with_the_name_of_a_study_is_refused():
    with pytest.raises(ValueError, match="A group has the name of a study: pair"):
        registry.collected([module("a", STUDIES={"pair": ONE})])
