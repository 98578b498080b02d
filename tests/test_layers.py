"""Imports only point down: the layers of the project, read from its source.

The tables below are the architecture; a new module in bdlviz/ needs a line in `MAY_IMPORT`. Imports are read with
``ast`` and told apart by when they happen: when the module is imported, when one of its functions runs ("lazily"), or
only for the type checker.
"""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator, Sequence
from graphlib import TopologicalSorter
from pathlib import Path
from typing import Literal, NamedTuple

import pytest

ROOT = Path(__file__).resolve().parents[1]

# What each module or package of bdlviz may import from bdlviz, the lowest layer first.
EVERYTHING = frozenset({"everything but __main__"})
MAY_IMPORT: dict[str, frozenset[str]] = {
    "errors": frozenset(),
    "threads": frozenset(),
    "counters": frozenset(),
    "writing": frozenset({"errors"}),
    "checks": frozenset({"errors"}),
    "observed": frozenset({"errors", "checks"}),
    "types": frozenset({"errors", "checks", "observed"}),
    "data": frozenset({"types", "errors", "writing"}),
    "models": frozenset({"types", "errors", "observed"}),
    "plots": frozenset({"types", "errors"}),
    "predictive": frozenset({"types", "errors", "observed", "threads", "models"}),
    "training": frozenset({"types", "errors", "threads", "models", "data"}),
    "methods": frozenset({"types", "errors", "threads", "models", "training", "predictive"}),
    "checkpoints": frozenset({"types", "errors", "models", "writing"}),
    "fitted": frozenset({"checks", "types", "errors", "models", "predictive", "methods", "checkpoints"}),
    "settings": frozenset({"checks", "types", "errors", "data", "models", "predictive", "methods"}),
    "workers": frozenset({"types", "errors", "threads", "training", "methods", "checkpoints"}),
    "fits": frozenset({"types", "errors", "models", "training", "methods", "fitted", "settings", "workers"}),
    "executors": frozenset({"errors", "threads"}),
    "sweeps": frozenset({"types", "errors", "fits", "settings", "executors"}),
    "__init__": frozenset({"types", "errors", "data", "models", "plots", "methods", "checkpoints", "fits", "sweeps"}),
    "shelf": frozenset({"types", "errors", "checkpoints", "fits", "writing"}),
    "bundles": frozenset({"types", "errors", "checkpoints", "shelf"}),
    "errata": frozenset(
        {"types", "errors", "data", "models", "plots", "predictive", "checkpoints", "shelf", "bundles"}
    ),
    "published": frozenset(
        {"types", "errors", "data", "models", "predictive", "checkpoints", "fits", "shelf", "writing"} | {"study"}
    ),
    "study": frozenset({"types", "data", "models", "methods", "fits"}),
    "study": frozenset({"types", "data", "predictive", "methods", "fits"}),
    "study": frozenset({"types", "data", "models", "predictive", "training", "methods", "fits"}),
    "study": frozenset({"types", "data", "predictive", "methods", "fits"}),
    "study": frozenset({"types", "data", "models", "predictive", "methods", "fits"}),
    "study": frozenset({"types", "data", "models", "predictive", "methods", "fits", "study"}),
    "study": frozenset({"types", "data", "models", "predictive", "methods", "fits", "study"}),
    "study": frozenset({"types", "data", "methods", "fits"}),
    "study": frozenset({"types", "data", "predictive", "fits", "bundles", "study", "study"}),
    "study_dense": frozenset({"types", "data", "models", "predictive", "training", "bundles"}),
    "study": frozenset({"types", "data", "models", "predictive", "training", "methods", "errata", "bundles"}),
    "study": frozenset({"types", "data", "predictive", "fits"}),
    "study": frozenset({"types", "errors", "data", "methods", "fits"}),
    "study": frozenset({"types", "errors", "data", "predictive", "methods", "fits"}),
    "study_bandit": frozenset({"types", "predictive", "fits"}),
    "study": frozenset({"types", "data", "fits", "study"}),
    "scenes": frozenset(
        {"types", "data", "models", "predictive", "methods", "fits", "bundles"}
        | {"study", "study", "study", "study", "study"}
        | {"study"}
    ),
    "repeats_study": frozenset(
        {"types", "data", "models", "predictive", "methods", "fits", "bundles"}
        | {"study", "study", "study", "study", "study"}
    ),
    "recipes": frozenset(
        {"types", "errors", "threads", "data", "models", "predictive", "methods", "fits", "shelf"}
        | {"study", "study", "study", "study_bandit"}
        | {"study", "study", "study", "study", "study"}
        | {
            "study",
            "study",
            "study",
            "study",
            "study",
            "study_dense",
            "study",
            "scenes",
            "repeats_study",
            "bundles",
        }
    ),
    "builds": frozenset({"types", "errors", "data", "checkpoints", "shelf", "bundles", "recipes", "__init__"}),
    "export": frozenset({"types", "errors", "plots"}),
    "lectures": frozenset({"errors"}),
    "exercises": frozenset({"types", "errors", "data", "models", "predictive", "methods"}),
    "derivations": frozenset({"types", "errors", "data", "models", "predictive", "training", "methods"}),
    "server": frozenset({"errors", "checkpoints", "shelf", "counters", "__init__"}),
    "ui": EVERYTHING,
    "__main__": EVERYTHING,
}

# The only packages of bdlviz in which these libraries may be imported.
ONLY_IN = {
    "streamlit": {"ui", "server"},
    "plotly": {"plots", "export", "ui"},
}

# The packages in which these libraries are never imported, not even inside a function: their work is numpy.
NEVER_IN = {
    "torch": {"errors", "types", "data", "predictive", "plots", "export"},
}

# Importing these modules must leave the libraries unloaded: the way to the first picture is short.
STAYS_LIGHT = {
    "bdlviz": ("torch", "sklearn", "streamlit"),
    "bdlviz.types": ("torch", "sklearn", "streamlit"),
    "bdlviz.data": ("torch", "sklearn", "streamlit"),
    "bdlviz.plots": ("torch", "sklearn", "streamlit"),
    "bdlviz.predictive": ("torch", "sklearn", "streamlit"),
    "bdlviz.export": ("torch", "sklearn", "streamlit"),
    "bdlviz.derivations": ("torch", "sklearn", "streamlit"),
    "bdlviz.exercises": ("torch", "sklearn", "streamlit"),
    "bdlviz.lectures": ("torch", "sklearn", "streamlit"),
    "bdlviz.ui": ("torch", "sklearn"),
}

# A page tells a story: everything else reaches it through bdlviz.
PAGES_MAY_IMPORT = {"streamlit", "bdlviz"} | set(sys.stdlib_module_names)
CACHING = {"cache", "lru_cache", "cached_property", "cache_data", "cache_resource"}

When = Literal["at import", "lazily", "for type checking"]


class Import(NamedTuple):
    """One imported module: ``path:line`` is where, ``module`` the dotted name it asks for."""

    path: Path
    line: int
    module: str
    when: When

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line} imports {self.module} ({self.when})"

    @property
    def library(self) -> str:
        """The first part of the module's name."""
        return self.module.partition(".")[0]

    @property
    def importer(self) -> str:
        """The module or package directly below bdlviz/ that holds this import."""
        return unit(self.path)

    @property
    def imported(self) -> str:
        """The module or package directly below bdlviz/ that is imported; ``__init__`` for bdlviz itself."""
        name = self.module.split(".")[1] if "." in self.module else "__init__"
        below = ROOT / "bdlviz" / name
        return name if below.is_dir() or below.with_suffix(".py").exists() else "__init__"


def unit(path: Path) -> str:
    """The module or package directly below bdlviz/ to which a source file belongs."""
    return path.relative_to(ROOT / "bdlviz").parts[0].removesuffix(".py")


def is_type_checking(node: ast.stmt) -> bool:
    """Is this the ``if TYPE_CHECKING:`` of a module?"""
    return isinstance(node, ast.If) and ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING")


def imports_of(path: Path) -> Iterator[Import]:
    """Every import of one source file."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]

    def visit(nodes: Sequence[ast.AST], when: When) -> Iterator[Import]:
        for node in nodes:
            for module in imported_modules(node, package):
                yield Import(path, getattr(node, "lineno", 0), module, when)
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda):
                yield from visit(list(ast.iter_child_nodes(node)), "lazily")
            elif isinstance(node, ast.If) and is_type_checking(node):
                yield from visit(node.body, "for type checking")
                yield from visit(node.orelse, when)
            else:
                yield from visit(list(ast.iter_child_nodes(node)), when)

    yield from visit(ast.parse(path.read_text(encoding="utf-8"), str(path)).body, "at import")


def imported_modules(node: ast.AST, package: tuple[str, ...]) -> list[str]:
    """The dotted names a statement imports; ``from a import b`` counts as ``a.b``, since b may be a module."""
    match node:
        case ast.Import(names=names):
            return [name.name for name in names]
        case ast.ImportFrom(module=module, names=names, level=level):
            base = ".".join([*(package[: len(package) - level + 1] if level else ()), *([module] if module else [])])
            return [f"{base}.{name.name}" for name in names]
        case ast.Call(func=function, args=[ast.Constant(value=str(module)), *_]) if ast.unparse(function) in (
            "importlib.import_module",
            "import_module",
            "__import__",
        ):
            return [module]
    return []


def sources(*folders: str) -> list[Path]:
    """The Python files of some folders of the project."""
    return sorted(path for folder in folders for path in (ROOT / folder).rglob("*.py"))


def page_sources() -> list[Path]:
    """The pages, and the router above them."""
    return [*filter(Path.exists, [ROOT / "app.py"]), *sources("pages")]


def imports_within_bdlviz() -> list[Import]:
    """Every import of one part of bdlviz by another."""
    every = (found for path in sources("bdlviz") for found in imports_of(path))
    return [found for found in every if found.library == "bdlviz" and found.imported != found.importer]


def is_allowed(found: Import) -> bool:
    """Does this import point down?"""
    allowed = MAY_IMPORT[found.importer]
    return found.imported != "__main__" if allowed is EVERYTHING else found.imported in allowed


def report(title: str, faults: Sequence[object]) -> str:
    """The faults as lines under a title."""
    return "\n  ".join([title, *map(str, faults)])


def test_every_part_of_bdlviz_has_its_layer():
    unknown = {unit(path) for path in sources("bdlviz")} - MAY_IMPORT.keys()
    assert not unknown, f"Give {sorted(unknown)} a line in MAY_IMPORT."


@pytest.mark.parametrize("when", ["at import", "lazily", "for type checking"])
def test_imports_point_down(when: When):
    faults = [found for found in imports_within_bdlviz() if found.when == when and not is_allowed(found)]
    assert not faults, report("These imports point up or sideways:", faults)


def test_the_table_and_the_imports_have_no_cycle():
    table = {name: allowed for name, allowed in MAY_IMPORT.items() if allowed is not EVERYTHING}
    TopologicalSorter(table).prepare()  # raises CycleError with the cycle
    graph: dict[str, set[str]] = {}
    for found in imports_within_bdlviz():
        graph.setdefault(found.importer, set()).add(found.imported)
    TopologicalSorter(graph).prepare()


@pytest.mark.parametrize("library", ONLY_IN)
def test_library_stays_in_its_package(library: str):
    every = [found for path in sources("bdlviz") for found in imports_of(path)]
    faults = [found for found in every if found.library == library and found.importer not in ONLY_IN[library]]
    assert not faults, report(f"{library} belongs in {sorted(ONLY_IN[library])}:", faults)


@pytest.mark.parametrize("library", NEVER_IN)
def test_library_is_kept_out(library: str):
    every = [found for path in sources("bdlviz") for found in imports_of(path)]
    faults = [found for found in every if found.library == library and found.importer in NEVER_IN[library]]
    assert not faults, report(f"{library} must not be imported here, not even lazily:", faults)


@pytest.mark.parametrize("module", STAYS_LIGHT)
def test_import_is_light(module: str):
    look = f"import sys, {module}; print(*(name for name in {STAYS_LIGHT[module]!r} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", look], cwd=ROOT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert not done.stdout.split(), f"import {module} loads {done.stdout.split()}"


def test_pages_import_only_streamlit_and_bdlviz():
    faults = [found for path in page_sources() for found in imports_of(path) if found.library not in PAGES_MAY_IMPORT]
    assert not faults, report("A page reaches everything through bdlviz:", faults)


def test_pages_do_not_cache():
    faults = [
        f"{path.relative_to(ROOT)}:{getattr(node, 'lineno', 0)} uses {name}"
        for path in page_sources()
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        for name in names_used(node)
        if name in CACHING
    ]
    assert not faults, report("Caching belongs in bdlviz/ui:", faults)


def names_used(node: ast.AST) -> list[str]:
    """The names one node of a syntax tree mentions."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return [name]
        case ast.ImportFrom(names=names):
            return [name.name for name in names]
    return []


@pytest.fixture
def written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A source file bdlviz/plots/example.py in a project of its own."""
    monkeypatch.setattr(sys.modules[__name__], "ROOT", tmp_path)
    path = tmp_path / "bdlviz" / "plots" / "example.py"
    path.parent.mkdir(parents=True)
    (tmp_path / "bdlviz" / "types.py").touch()
    (tmp_path / "bdlviz" / "fits.py").touch()
    return path


@pytest.mark.parametrize(
    ("source", "imported", "when", "allowed"),
    [
        ("from bdlviz.types import Array", "types", "at import", True),
        ("from bdlviz import types", "types", "at import", True),
        ("from .. import types", "types", "at import", True),
        ("from .traces import line", "plots", "at import", False),
        ("from bdlviz import fit", "__init__", "at import", False),
        ("import bdlviz.fits as f", "fits", "at import", False),
        ("def plot():\n    from bdlviz import fits", "fits", "lazily", False),
        ("class A:\n    def plot(self):\n        import bdlviz.fits", "fits", "lazily", False),
        ("plot = lambda: __import__('bdlviz.fits')", "fits", "lazily", False),
        ("try:\n    from bdlviz.fits import fit\nexcept ImportError:\n    pass", "fits", "at import", False),
        ("if TYPE_CHECKING:\n    from ..fits import Fit", "fits", "for type checking", False),
    ],
)
def test_the_reading_of_imports(written: Path, source: str, imported: str, when: When, allowed: bool):
    written.write_text(source)
    [found] = imports_of(written)
    assert (found.importer, found.imported, found.when) == ("plots", imported, when)
    assert is_allowed(found) == allowed
