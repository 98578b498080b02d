"""The imports of the project's source files, read with ``ast``, wherever in a file they are."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[1]


class Import(NamedTuple):
    """One imported name: ``path:line`` is where, ``module`` the dotted name."""

    path: Path
    line: int
    module: str

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line} imports {self.module}"

    @property
    def library(self) -> str:
        """The first part of the module's name."""
        return self.module.partition(".")[0]

    @property
    def importer(self) -> str:
        """The module or package directly below bdlviz/ that holds this import."""
        return layer_of(self.path)

    @property
    def imported(self) -> str:
        """The module or package directly below bdlviz/ that is imported; ``__init__`` for bdlviz itself."""
        name = self.module.split(".")[1] if "." in self.module else "__init__"
        below = ROOT / "bdlviz" / name
        return name if below.is_dir() or below.with_suffix(".py").exists() else "__init__"


def layer_of(path: Path) -> str:
    """The module or package directly below bdlviz/ to which a source file belongs."""
    return path.relative_to(ROOT / "bdlviz").parts[0].removesuffix(".py")


def imports_of(path: Path) -> Iterator[Import]:
    """Every import of one source file."""
    package = path.relative_to(ROOT).with_suffix("").parts[:-1]
    for node in ast.walk(tree_of(path)):
        for module in imported_modules(node, package):
            yield Import(path, getattr(node, "lineno", 0), module)


def tree_of(path: Path) -> ast.Module:
    """The syntax tree of a file."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


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


@cache
def imports_in(folder: str) -> list[Import]:
    """Every import in a folder of the project."""
    return [found for path in sources(folder) for found in imports_of(path)]


def names_used(node: ast.AST) -> list[str]:
    """The names one node of a syntax tree mentions."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return [name]
        case ast.ImportFrom(names=names):
            return [name.name for name in names]
    return []
