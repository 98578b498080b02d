"""Lectures and the reading of their files. Reading is strict, because a file may come from anybody.

This module is independent of the app: the app checks whether a page, a scene or a setting exists.
"""

from __future__ import annotations

import math
import os
import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml

from bdlviz.errors import InvalidInput

FOLDER = "BDLVIZ_LECTURES"  # the environment variable with the folder of the user's own lectures
SHIPPED = Path(__file__).parent

MAX_BYTES = 100_000
MAX_STEPS = 200
MAX_MINUTES = 600.0  # of one step
MAX_FILES = 100
MAX_NODES = 10_000  # keys, values and lists: the longest lecture has half as many, and more would take seconds
MAX_DEPTH = 6  # lecture, steps, step, settings, value, and one more
NAME = re.compile(r"[a-z0-9_-]{1,40}")
PAGE = re.compile(r"[a-z0-9_]{1,40}/[a-z0-9_]{1,40}")
KEY = re.compile(r"[a-z0-9_]{1,40}")
COMMENT = re.compile(r"(\s*)#")


@dataclass(frozen=True)
class Step:
    """One state of one page, with the presenter's notes.

    Args:
        page: its file under pages/, such as ``regression/effect_of_lambda``.
        title: a few words, on one line.
        minutes: the planned duration.
        say: the presenter's notes, Markdown.
        scene: name of a scene of that page; "" for none.
        settings: further control values in addition to the scene, by key, as in the URL.
        tab: title of the tab under the picture to open; "" for the first.
        part: the claim of the part of the lecture that begins here; "" if the part goes on.
    """

    page: str
    title: str
    minutes: float
    say: str
    scene: str = ""
    settings: Mapping[str, str] = field(default_factory=dict)
    tab: str = ""
    part: str = ""


@dataclass(frozen=True)
class Lecture:
    """Steps in order; ``name`` is the name in links, ``about`` describes the lecture in Markdown."""

    name: str
    title: str
    about: str
    steps: tuple[Step, ...]

    @property
    def minutes(self) -> float:
        """The planned duration of all steps in minutes."""
        return sum(step.minutes for step in self.steps)


def lectures() -> dict[str, Lecture]:
    """Every lecture that can be read, by name: the shipped ones, then those of the folder in BDLVIZ_LECTURES."""
    found: dict[str, Lecture] = {}
    for each in _all():
        if isinstance(each, Lecture):
            found.setdefault(each.name, each)
    return found


def problems() -> list[str]:
    """One sentence for each lecture that `lectures` leaves out because of an error."""
    said: list[str] = []
    names: set[str] = set()
    for each in _all():
        if isinstance(each, str):
            said.append(each)
        elif each.name in names:
            said.append(f"There is already a lecture {each.name}: give the file of that name in {FOLDER} another name.")
        else:
            names.add(each.name)
    return said


def read_lecture(text: str, name: str) -> Lecture:
    """The lecture that a YAML text describes; ``name`` is its name in links.

    Every value is read as text, so that ``0.10``, ``1e-4`` and ``off`` have the same meaning as in a URL.

    Raises:
        InvalidInput: the message names the error, its step, and a remedy.
    """
    if not NAME.fullmatch(name):
        raise InvalidInput(
            f"“{_short(name)}” cannot name a lecture: use 1 to 40 small letters, digits, hyphens and underscores."
        )
    where = f"Lecture {name}"
    if len(text.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        raise InvalidInput(f"{where} is larger than {MAX_BYTES // 1000} kB: shorten it, or make two lectures of it.")
    _check_characters(text, where, "\n\r\t")
    content = _mapping(_parse(text, where), where, {"title", "steps"}, {"about"})
    steps = content["steps"]
    if not isinstance(steps, list) or not steps:
        raise InvalidInput(f"{where} has no list of steps: write “steps:”, and below it “- page: …” for each.")
    if len(steps) > MAX_STEPS:
        raise InvalidInput(f"{where} has {len(steps)} steps, more than {MAX_STEPS}: make two lectures of it.")
    read = tuple(_step(step, f"{where}, step {index}") for index, step in enumerate(steps, 1))
    return Lecture(name, _line(content, "title", where), _text(content, "about", where), read)


class _Loader(yaml.BaseLoader):
    """The content of YAML with texts, lists and mappings only, without tags and aliases."""

    depth = nodes = 0

    def compose_node(self, parent: Any, index: Any) -> Any:
        event = self.peek_event()
        mark = event.start_mark
        if self.check_event(yaml.AliasEvent):
            raise yaml.MarkedYAMLError(problem="an alias (*name) is not allowed", problem_mark=mark)
        for sign, lost in (("&", event.anchor), ("!", event.tag)):
            if isinstance(event, yaml.ScalarEvent) and lost is not None:
                raise yaml.MarkedYAMLError(problem=f"a value that begins with {sign} needs quotes", problem_mark=mark)
        self.depth += 1
        self.nodes += 1
        if self.depth > MAX_DEPTH:
            raise yaml.MarkedYAMLError(problem="lists or mappings are nested too deeply", problem_mark=mark)
        if self.nodes > MAX_NODES:
            raise yaml.MarkedYAMLError(problem=f"there are more than {MAX_NODES:,} keys and values", problem_mark=mark)
        node = super().compose_node(parent, index)
        self.depth -= 1
        if isinstance(node, yaml.ScalarNode) and node.style not in ("|", ">"):
            self._check_no_comment(node, index.start_mark.column if isinstance(index, yaml.Node) else 0)
        return node

    def _check_no_comment(self, node: yaml.ScalarNode, column: int) -> None:
        """Raise if a comment ends a value: on its line, or below it, farther right than the ``column`` of its key."""
        found = COMMENT.match(self.buffer, node.end_mark.index)
        if found is None or ("\n" in found[1] and len(found[1].rpartition("\n")[2]) <= column):
            return
        raise yaml.MarkedYAMLError(
            problem="without quotes around the value, the words from # on are lost",
            problem_mark=node.end_mark,
        )

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen = set[str]()
        for key in (key for key, _ in node.value if isinstance(key, yaml.ScalarNode)):
            if key.value in seen:
                raise yaml.MarkedYAMLError(problem="a key occurs twice", problem_mark=key.start_mark)
            seen.add(key.value)
        return super().construct_mapping(node, deep)


def _parse(text: str, where: str) -> Any:
    try:
        return yaml.load(text, _Loader)
    except yaml.MarkedYAMLError as error:
        at = f" in line {error.problem_mark.line + 1}" if error.problem_mark else ""
        raise InvalidInput(f"{where} is no YAML{at}, {_short(error.problem or '?', 80)}: correct that.") from error
    except (yaml.YAMLError, ValueError, OverflowError) as error:  # such as a wrong escape, or an impossible version
        raise InvalidInput(f"{where} is no YAML: compare it with the example in docs/lectures.md.") from error


def _step(content: Any, where: str) -> Step:
    given = _mapping(content, where, {"page", "title", "minutes", "say"}, {"scene", "settings", "tab", "part"})
    page = _line(given, "page", where)
    if not PAGE.fullmatch(page):
        raise InvalidInput(f"{where} has the page “{_short(page)}”: write section/page, as in regression/compare.")
    return Step(
        page=page,
        title=_line(given, "title", where),
        minutes=_minutes(given, where),
        say=_text(given, "say", where),
        scene=_line(given, "scene", where) if "scene" in given else "",
        settings=_settings(given.get("settings", {}), where),
        tab=_line(given, "tab", where) if "tab" in given else "",
        part=_line(given, "part", where) if "part" in given else "",
    )


def _mapping(content: Any, where: str, needed: set[str], more: set[str]) -> dict[str, Any]:
    """A mapping with all needed keys, and no keys other than these and ``more``."""
    known = ", ".join(sorted(needed | more))
    if not isinstance(content, dict):
        raise InvalidInput(f"{where} is no list of keys and values: write {known}, each with a colon behind it.")
    unknown = sorted(content.keys() - needed - more)
    if unknown:
        raise InvalidInput(f"{where} has a key “{_short(unknown[0])}” that does not exist: the keys are {known}.")
    missing = sorted(needed - content.keys())
    if missing:
        raise InvalidInput(f"{where} has no {missing[0]}: add a line “{missing[0]}: …”.")
    return content


def _text(given: Mapping[str, Any], key: str, where: str) -> str:
    """Markdown, of one line or several."""
    value = given.get(key, "")
    if not isinstance(value, str):
        raise InvalidInput(f"{where} has a {key} that is no text: put the words behind “{key}:”, in quotes if need be.")
    _check_characters(value, where, "\n\t")
    if key in given and not value.strip():
        raise InvalidInput(f"{where} has an empty {key}: write something behind “{key}:”, or leave the line out.")
    return value.strip()


def _line(given: Mapping[str, Any], key: str, where: str) -> str:
    """Words on one line, at most 100 characters."""
    value = _text(given, key, where)
    if len(value) > 100 or "\n" in value:
        raise InvalidInput(f"{where} has a {key} that is too long: use one line of at most 100 characters.")
    return value


def _minutes(given: Mapping[str, Any], where: str) -> float:
    text = _line(given, "minutes", where)
    try:
        minutes = float(text)
    except ValueError:
        minutes = math.nan
    if not 0 < minutes <= MAX_MINUTES:
        raise InvalidInput(f"{where} takes “{_short(text)}” minutes: write a number above 0, up to {MAX_MINUTES:g}.")
    return minutes


def _settings(content: Any, where: str) -> dict[str, str]:
    if not isinstance(content, dict):
        raise InvalidInput(f"{where} has settings that are no keys and values: write them as {{width: 50, noise: 1}}.")
    for key in content:
        if not KEY.fullmatch(key):
            raise InvalidInput(f"{where} sets “{_short(key)}”, which names no control: take it from a page's URL.")
    return {key: _line(content, key, where) for key in content}


def _check_characters(text: str, where: str, allowed: str) -> None:
    for character in text:
        if unicodedata.category(character) in ("Cc", "Cs") and character not in allowed:
            raise InvalidInput(f"{where} holds the control character U+{ord(character):04X}: delete it.")


def _short(text: str, length: int = 40) -> str:
    """The beginning of a text of the file, for use in a message."""
    return " ".join("".join(c if c.isprintable() else " " for c in text[:length]).split())


def _all() -> Iterator[Lecture | str]:
    """The lecture of every file, or a sentence on its error."""
    own = os.environ.get(FOLDER, "").strip()
    for folder in (SHIPPED, *([Path(own)] if own else [])):
        try:
            paths = sorted(path for path in folder.iterdir() if path.suffix in (".yaml", ".yml") and path.is_file())
        except OSError:
            yield f"The folder that {FOLDER} names cannot be read: give it the path of a folder."
            continue
        if len(paths) > MAX_FILES:
            yield f"The folder that {FOLDER} names holds more than {MAX_FILES} lectures: the others are left out."
        yield from (_read_file(path) for path in paths[:MAX_FILES])


def _read_file(path: Path) -> Lecture | str:
    try:
        stat = path.stat()
        return _read_once(path, stat.st_mtime_ns, stat.st_size)
    except OSError:
        return f"The lecture {_short(path.name)} cannot be read: give it the rights of an ordinary file."


@lru_cache(maxsize=2 * MAX_FILES)
def _read_once(path: Path, changed: int, size: int) -> Lecture | str:
    """The lecture of a file, cached until the file changes, because every run of a page reads the lectures."""
    with path.open("rb") as file:
        content = file.read(MAX_BYTES + 1)
    try:
        return read_lecture(content.decode("utf-8"), path.stem)
    except UnicodeDecodeError:
        return f"The lecture {_short(path.name)} is no UTF-8 text of at most {MAX_BYTES // 1000} kB: save it as such."
    except InvalidInput as error:
        return str(error)
