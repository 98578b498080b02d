"""The modules with the exercises of the topics."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parents[2]


def exercise_modules() -> Iterator[tuple[str, str, ModuleType]]:
    """Section, topic and module of the exercises of every topic."""
    for path in sorted((ROOT / "bdlviz" / "topics").glob("*/*/exercises.py")):
        *_, section, topic, _ = path.parts
        yield section, topic, import_module(f"bdlviz.topics.{section}.{topic}.exercises")
