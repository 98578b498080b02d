"""What `make docs` shows: every public name of the core has a docstring, and the pages can be built."""

from __future__ import annotations

import importlib
import importlib.util
import inspect
import pkgutil
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from types import ModuleType

import pytest

import bdlviz
from scripts import docs

CORE = ("bdlviz", "bdlviz.fits", "bdlviz.settings", "bdlviz.types", "bdlviz.fitted", "bdlviz.methods", "bdlviz.sweeps")


def modules(name: str) -> Iterator[ModuleType]:
    """A module and, of a package below bdlviz, those in it."""
    module = importlib.import_module(name)
    yield module
    if name != "bdlviz":
        for found in pkgutil.iter_modules(getattr(module, "__path__", [])):
            yield importlib.import_module(f"{name}.{found.name}")


def undocumented(module: ModuleType) -> Iterator[str]:
    """Public functions and classes of a module, and public members of these classes, that have no docstring."""
    for name, value in vars(module).items():
        if name.startswith("_") or getattr(value, "__module__", "") != module.__name__:
            continue
        if (inspect.isfunction(value) or inspect.isclass(value)) and not inspect.getdoc(value):
            yield f"{module.__name__}.{name}"
        for member, own in vars(value).items() if inspect.isclass(value) else ():
            is_documented = bool(inspect.getdoc(own) or inspect.getdoc(getattr(value, member)))
            is_code = inspect.isfunction(own) or isinstance(own, property | cached_property | classmethod)
            if is_code and not member.startswith("_") and not is_documented:
                yield f"{module.__name__}.{name}.{member}"


@pytest.mark.parametrize("name", CORE)
def test_public_names_have_docstrings(name: str):
    assert not [fault for module in modules(name) for fault in undocumented(module)]


def test_every_public_name_of_the_library_has_a_docstring():
    assert not [name for name in bdlviz.__all__ if not inspect.getdoc(getattr(bdlviz, name))]


@pytest.mark.parametrize("name", docs.MODULES)
def test_the_modules_of_the_pages_exist(name: str):
    assert importlib.util.find_spec(name) is not None


def test_the_tool_is_pinned(root: Path):
    assert "\npdoc==" in (root / "requirements" / "tools.txt").read_text(encoding="utf-8")
    assert "scripts/docs.py" in (root / "Makefile").read_text(encoding="utf-8")
