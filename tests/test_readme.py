"""The README's promises: its links lead somewhere, its pictures exist, its Python runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = ("README.md", "CONTRIBUTING.md", *(f"docs/{name.name}" for name in sorted((ROOT / "docs").glob("*.md"))))


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_and_pictures_exist(document: str) -> None:
    path = ROOT / document
    links = re.findall(r"\]\(([^)#\s]+)[^)]*\)", path.read_text(encoding="utf-8"))
    missing = [link for link in links if not link.startswith("http") and not (path.parent / link).exists()]
    assert not missing


def test_python_runs() -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"```python\n(.+?)```", text, re.DOTALL)
    shorter = {
        "hidden=(100, 100), seed=0)": "hidden=(100, 100), seed=0, num_steps=20)",
        "seed=[0, 1, 2]\n": "seed=[0, 1, 2], num_steps=5\n",
        "num_epochs=50": "num_epochs=1",
        "num_samples=1000": "num_samples=10",
    }
    for long, short in shorter.items():
        assert block.count(long) == 1
        block = block.replace(long, short)
    names: dict[str, object] = {}
    exec(compile(block, "README.md", "exec"), names)
    assert names["images"].shape == (1, 64)  # pyright: ignore[reportAttributeAccessIssue]
