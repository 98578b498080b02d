"""Where the project quotes numbers: the texts of exercises and pages, the numbers in them, and which may be results."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

from bdlviz.lectures.exercise import Choice, Prediction
from tests.exercises.modules import exercise_modules

ROOT = Path(__file__).resolve().parents[2]
NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?(?:e-?\d+)?"
TOKEN = re.compile(rf"[-−+]?(?:{NUMBER})(?: ?%)?")
LIKE_A_RESULT = re.compile(r"[-−+]?[\d,]+(?:\.\d| ?%| (?:nats?|bits?)\b)")
IS_NUMBER = re.compile(r"\d+(?:\.\d*)?(?:e[-+]?\d+)?")
SENTENCE = re.compile(r"[A-Za-z’']+(?:[,:]? [A-Za-z’']+){3}")  # four words in a row
METHODS = (ROOT / "bdlviz" / "settings.py", *(ROOT / "bdlviz" / "methods").glob("*.py"))  # settings of every page
NO_SENTENCE = re.compile(r"<style|\bimport\b|function \(")
NOT_OF_PAGES = ("exercises", "derivation", "figures", "study", "papers")  # files of a topic, by how their names begin
# What is no result, whatever the place.
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


@cache
def quoted() -> Mapping[str, str]:
    """Every text that may quote a number, by its place."""
    return dict([*_of_exercises(), *_of_pages()])


def numbers(text: str) -> list[str]:
    """The numbers of a text, as they are written, without blanks and with a plain minus."""
    return [_plain(found.group()) for found in TOKEN.finditer(_without_names(text))]


def results_in(place: str, text: str) -> set[str]:
    """The numbers of a text that look like results: with a decimal point, %, nats or bits, and not in the code."""
    text = _without_names(text)
    found = {_plain(each.group()) for each in TOKEN.finditer(text) if LIKE_A_RESULT.match(text, each.start())}
    return {number for number in found if not _values_of(number) & _constants_of(place)}


def value_of(number: str) -> float:
    """The value of a number as it is written; of a share in %, the percentage."""
    return float(number.strip("+%").replace(",", ""))


def _plain(found: str) -> str:
    return found.replace("−", "-").replace(" ", "")


def _without_names(text: str) -> str:
    for pattern in NO_RESULT:
        text = re.sub(pattern, " ", text)
    return text


def _values_of(number: str) -> set[float]:
    """What a constant may be that a number names: its size, and of a percentage also the share."""
    size = abs(value_of(number))
    return {size, round(size / 100, 9)} if number.endswith("%") else {size}


def _constants_of(place: str) -> set[float]:
    """The constants in the code that a text is about: stops of controls, values of scenes, settings of studies."""
    if place.startswith("exercises/"):
        section = place.removeprefix("exercises/").partition(":")[0]
        code = [*(ROOT / "bdlviz" / "topics" / section).rglob("*.py"), *(ROOT / "pages" / section).glob("*.py")]
    else:
        top, *folders = Path(place).with_suffix("").parts
        topic = ROOT / "bdlviz" / "topics" / Path(*(folders if top == "pages" else folders[1:3]))
        code = [ROOT / place, *topic.rglob("*.py")]
        if folders[0] == "topics" and (page := ROOT / "pages" / folders[1] / f"{folders[2]}.py").is_file():
            code.append(page)
    return {*_constants(*METHODS), *_constants(*(path for path in code if not path.name.startswith("exercises")))}


@cache
def _constants(*paths: Path) -> set[float]:
    return set().union(*map(_constants_in, paths))


@cache
def _constants_in(path: Path) -> frozenset[float]:
    nodes = ast.walk(ast.parse(path.read_text(encoding="utf-8")))
    written = (str(node.value) for node in nodes if isinstance(node, ast.Constant))
    return frozenset(float(each) for each in written if IS_NUMBER.fullmatch(each))


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
    nodes = list(ast.walk(ast.parse(source)))
    docs = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    inside = {id(part) for node in nodes if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs | inside:
            text = node.value
        else:
            continue
        if SENTENCE.search(text) and not NO_SENTENCE.search(text):
            yield text
