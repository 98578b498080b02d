"""docs/notation.md and the code say the same: every function named there exists and holds its formula."""

import importlib
import inspect
import re
from pathlib import Path
from typing import Any

import pytest

TEXT = (Path(__file__).resolve().parents[1] / "docs" / "notation.md").read_text(encoding="utf-8")
NAMES = sorted(set(re.findall(r"`(bdlviz\.[\w.]+)`", TEXT)))


def find(dotted: str) -> Any:
    """The object of a dotted name: the longest importable module, then attributes."""
    parts = dotted.split(".")
    for cut in range(len(parts) - 1, 0, -1):
        try:
            found: Any = importlib.import_module(".".join(parts[:cut]))
        except ModuleNotFoundError:
            continue
        for name in parts[cut:]:
            found = getattr(found, name)
        return found
    raise ModuleNotFoundError(dotted)


def test_there_are_formulas() -> None:
    assert len(NAMES) > 15


@pytest.mark.parametrize("name", NAMES)
def test_holds_its_formula(name: str) -> None:
    assert "$$" in (inspect.getdoc(find(name)) or ""), f"{name} has no $$ block"
