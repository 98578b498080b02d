"""All studies of the project, which `python -m bdlviz train --all` computes.

A study module is a module named ``study`` or ``study_*`` below one of `PACKAGES`. Its `STUDIES` and `ARRAYS` are found
by name, so a new topic needs no line here. Importing this module imports every study module, which is slow: import it
only in commands that compute studies.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType

from bdlviz.studies.study import ArrayStudy, Study

PACKAGES = ("bdlviz.topics", "bdlviz.errata")


def study_modules(packages: Iterable[str] = PACKAGES) -> Iterator[ModuleType]:
    """All study modules, package by package, in alphabetical order."""
    for name in packages:
        for folder in map(Path, import_module(name).__path__):
            for path in sorted(folder.rglob("study*.py")):
                if path.stem.split("_")[0] == "study":
                    yield import_module(".".join((name, *path.relative_to(folder).with_suffix("").parts)))


def collected(
    modules: Iterable[ModuleType],
) -> tuple[dict[str, Study], dict[str, ArrayStudy], dict[str, tuple[str, ...]]]:
    """The studies, the array studies and the groups of some modules, by name.

    Raises:
        ValueError: two modules declare the same name, or a group has the name of a study.
    """
    studies: dict[str, Study] = {}
    arrays: dict[str, ArrayStudy] = {}
    for module in modules:
        of_module: Mapping[str, Study] = getattr(module, "STUDIES", {})
        arrays_of_module: Mapping[str, ArrayStudy] = getattr(module, "ARRAYS", {})
        for name in (*of_module, *arrays_of_module):
            if name in studies or name in arrays or (name in of_module and name in arrays_of_module):
                raise ValueError(f"{module.__name__} declares the study {name}, which is declared twice.")
        studies |= of_module
        arrays |= arrays_of_module
    groups: dict[str, tuple[str, ...]] = {}
    for name, study in (*studies.items(), *arrays.items()):
        if study.group:
            groups[study.group] = (*groups.get(study.group, ()), name)
    if ambiguous := sorted(groups.keys() & {*studies, *arrays}):
        raise ValueError(f"A group has the name of a study: {', '.join(ambiguous)}.")
    return studies, arrays, dict(sorted(groups.items()))


STUDIES, ARRAYS, GROUPS = collected(study_modules())
