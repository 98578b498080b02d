"""Where the project quotes numbers: the texts of exercises and pages, and the numbers in them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bdlviz.lectures.exercise import Choice, Prediction
from tests.exercises.modules import exercise_modules

ROOT = Path(__file__).resolve().parents[2]
NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e-?\d+)?"
TOKEN = re.compile(rf"[-−+]?(?:{NUMBER})(?: ?%)?")
SENTENCE = re.compile(r"[A-Za-z’']+(?:[,:]? [A-Za-z’']+){3}")  # four words in a row
NO_SENTENCE = re.compile(r"<style|\bimport\b|function \(")
NOT_OF_PAGES = ("exercises", "derivation", "figures", "study", "papers")  # files of a topic, by how their names begin
# What is no result, whatever the place. Everything else has to be declared in `declared.py`.
NO_RESULT = [
    r"`[^`]*`",  # code
    r"\$[^$]*\$|\b(?:log|ln) \d+",  # formulas
    r"\]\([^)]*\)|https?://\S+",  # links
    r"\b(?:1[6-9]|20)\d\d\b",  # years
    rf"(?:{NUMBER})[×x](?:{NUMBER})",  # sizes of images
    r"\b(?:MNIST|LeNet|NeurIPS)(?:-\d+)+|\bFigs?\. \d+|R̂|\d-D\b|±",  # names
    rf"\b(?:N|S|K|B|M|R|Z|n|c|t|x|y|z|β|ε|step)[₀-₉]? (?:=|≤|≥|<|>|from|to) [-−]?(?:{NUMBER})",  # settings
    rf"N\([^)]*\)|\[[-−]?(?:{NUMBER}), (?:{NUMBER})\]²?",  # distributions and ranges
    r"(?<![\d.,e\-−])[-−]?\d(?![\d.,]*\d)(?! ?(?:%|nats|bits|points?\b|times|fewer|m\b))",  # counts and classes
]


def quoted() -> dict[str, str]:
    """Every text that may quote a number, by its place."""
    return dict([*_of_exercises(), *_of_pages()])


def numbers(text: str) -> list[str]:
    """The numbers of a text that may be results, as they are written, without blanks and with a plain minus."""
    for pattern in NO_RESULT:
        text = re.sub(pattern, " ", text)
    return [found.replace("−", "-").replace(" ", "") for found in TOKEN.findall(text)]


def _of_exercises() -> Iterator[tuple[str, str]]:
    for section, _, module in exercise_modules():
        for name, value in vars(module).items():
            if isinstance(value, Prediction):
                yield f"exercises/{section}: {name}", _words(value.choice)
            elif name.isupper() and isinstance(value, tuple):
                yield f"exercises/{section}: {name}", "\n".join(map(_words, value))


def _words(exercise: Any) -> str:
    options = exercise.options if isinstance(exercise, Choice) else ()
    return "\n".join([exercise.question, *options, exercise.because, exercise.hint])


def _of_pages() -> Iterator[tuple[str, str]]:
    for folder in ("pages", "bdlviz/ui", "bdlviz/errata", "bdlviz/topics"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            if folder == "bdlviz/topics" and path.name.startswith(NOT_OF_PAGES):
                continue
            yield str(path.relative_to(ROOT)), "\n".join(sentences(path.read_text(encoding="utf-8")))


def sentences(source: str) -> Iterator[str]:
    """The sentences that a module shows: its string literals of several words, without docstrings and code."""
    tree = ast.parse(source)
    docs = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    inside = {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs | inside:
            text = node.value
        else:
            continue
        if SENTENCE.search(text) and not NO_SENTENCE.search(text):
            yield text
