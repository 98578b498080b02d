"""All studies of the project. `python -m bdlviz train --all` makes them.

A study module is a module named ``study`` or ``study_*`` below one of `PACKAGES`. Its `STUDIES` and `ARRAYS` are found
by name, so a new topic needs no line here. Importing this module imports every study module: import it only where
something must be made.
"""

from __future__ import annotations

import pkgutil
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from types import ModuleType

from bdlviz.studies.study import ArrayStudy, Study

PACKAGES = ("bdlviz.topics", "bdlviz.errata")


def study_modules(packages: Iterable[str] = PACKAGES) -> Iterator[ModuleType]:
    """Every study module, package by package, in alphabetical order."""
    for name in packages:
        package = import_module(name)
        for found in pkgutil.walk_packages(package.__path__, f"{name}."):
            if not found.ispkg and found.name.rpartition(".")[2].split("_")[0] == "study":
                yield import_module(found.name)


def collected(
    modules: Iterable[ModuleType],
) -> tuple[dict[str, Study], dict[str, ArrayStudy], dict[str, tuple[str, ...]]]:
    """The studies, the arrays and the groups that some modules declare, by name.

    Raises:
        ValueError: two modules declare the same name, or a group has the name of a study.
    """
    studies: dict[str, Study] = {}
    arrays: dict[str, ArrayStudy] = {}
    for module in modules:
        own: Mapping[str, Study] = getattr(module, "STUDIES", {})
        own_arrays: Mapping[str, ArrayStudy] = getattr(module, "ARRAYS", {})
        for name in (*own, *own_arrays):
            if name in studies or name in arrays or (name in own and name in own_arrays):
                raise ValueError(f"{module.__name__} declares the study {name}, which another one declares, too.")
        studies |= own
        arrays |= own_arrays
    groups: dict[str, tuple[str, ...]] = {}
    for name, study in (*studies.items(), *arrays.items()):
        if study.group:
            groups[study.group] = (*groups.get(study.group, ()), name)
    if taken := sorted(groups.keys() & {*studies, *arrays}):
        raise ValueError(f"A group has the name of a study: {', '.join(taken)}.")
    return studies, arrays, dict(sorted(groups.items()))


STUDIES, ARRAYS, GROUPS = collected(study_modules())
