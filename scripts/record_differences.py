"""The differences between two recordings of the pages, and whether they are only in words."""

from __future__ import annotations

import ast
import difflib
import json
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, TypeGuard

Part = dict[str, Any]

MAPPINGS = {"controls", "figures", "plain figures", "views", "links", "tabs", "address"}
TOLERANCE, FLOOR = 1e-4, 1e-2  # relative difference of equal numbers; least size, of the array's largest, that counts
WORD_KEYS = {"label", "help", "alt", "text", "name", "title", "hovertemplate", "caption", "body", "options", "ticktext"}
WORD_KEYS |= {"legendgroup", "customdata", "note", "expanders", "unit"}
VALUE_KEYS = {"value", "cells", "delta"}  # their numbers count, the words around them do not
SOURCE_TABS = {"Code"}  # their code is the project's own source
NUMBER = re.compile(r"[-−]?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?")
IGNORED = {"seconds"}
MEASURED = {"compression": "speed"}  # page and scene that show times of this moment
STRUCTURE = ("missing", "new", "shape")  # how the differences begin that count there, too


OTHER, NUMBERS_IN_WORDS, WORDS = range(3)
LEVELS = ("OTHER", "words and their numbers", "words")


class Difference(NamedTuple):
    """One difference between two recordings, and whether it is only in words."""

    level: int
    place: str
    what: str

    @property
    def is_words(self) -> bool:
        """True if a new wording may be the only reason."""
        return self.level != OTHER


Place = tuple[str, ...]


def differences(old: Part, new: Part, place: Place = ()) -> Iterator[Difference]:
    """The differences between two recordings of a state, or of a tab of it."""
    for kind in sorted((old.keys() | new.keys()) - IGNORED):
        here, empty = (*place, kind), "" if kind == "note" else {} if kind in MAPPINGS else []
        was, now = old.get(kind, empty), new.get(kind, empty)
        if kind == "words":
            yield from _texts(was, now, here)
        elif kind == "tabs":
            yield from _keys(was, now, here)
            for title in sorted(was.keys() & now.keys()):
                yield from differences(was[title], now[title], (*here, title))
        elif kind in ("figures", "plain figures"):
            yield from _figures(was, now, here)
        else:
            yield from _values(was, now, here)


def _keys(old: Mapping[str, Any], new: Mapping[str, Any], place: Place) -> Iterator[Difference]:
    for key in sorted(old.keys() ^ new.keys()):
        yield _different(key in WORD_KEYS, (*place, key), "missing" if key in old else "new")


def _different(is_words: bool, place: Place, what: str) -> Difference:
    return Difference(WORDS if is_words else OTHER, " › ".join(place), what)


def _changed(is_words: bool, place: Place, old: Any, new: Any) -> Difference:
    are_numbers_kept = NUMBER.findall(str(old)) == NUMBER.findall(str(new))
    level = OTHER if not is_words else WORDS if are_numbers_kept else NUMBERS_IN_WORDS
    return Difference(level, " › ".join(place), _change(str(old), str(new)))


def _texts(old: list[list[str]], new: list[list[str]], place: Place) -> Iterator[Difference]:
    """Removed and new texts, in pairs of similar ones. The order of texts does not matter."""
    gone, added = (Counter((kind == "latex", kind == "code", text) for kind, text in each) for each in (old, new))
    gone, added = gone - added, added - gone
    for is_formula, is_code, text in gone.elements():
        alike = {each[2]: each for each in added if each[:2] == (is_formula, is_code)}
        near = difflib.get_close_matches(text[:1500], [each[:1500] for each in alike], 1, 0.3)
        other = next((each for each in alike if near and each[:1500] == near[0]), None)
        is_words = not is_formula and (not is_code or _is_same_code(text, other, place))
        if other is None:
            yield _different(is_words, place, f"missing: {_abridged(text)}")
            continue
        added -= Counter([alike[other]])
        yield _changed(is_words, place, text, other)
    for is_formula, is_code, text in added.elements():
        is_words = not is_formula and (not is_code or not SOURCE_TABS.isdisjoint(place))
        yield _different(is_words, place, f"new: {_abridged(text)}")


def _is_same_code(old: str, new: str | None, place: Place) -> bool:
    """True if two pieces of Python are equal apart from imports. Shown source of the project may differ."""
    if not SOURCE_TABS.isdisjoint(place):
        return True
    try:
        return new is not None and _without_imports(old) == _without_imports(new)
    except SyntaxError:
        return False


def _without_imports(code: str) -> list[str]:
    return [ast.dump(each) for each in ast.parse(code).body if not isinstance(each, ast.Import | ast.ImportFrom)]


def _figures(old: Part, new: Part, place: Place) -> Iterator[Difference]:
    """Figures by their keys; those whose keys have changed are compared in their order."""
    pairs = {key: key for key in old if key in new}
    rest, others = ([key for key in each if key not in pairs] for each in (old, new))
    for key, other in zip(rest, others, strict=False):
        pairs[key] = other
        yield _different(True, (*place, key), f"is called {other}")
    for key in (*rest[len(others) :], *others[len(rest) :]):
        yield _different(False, (*place, key), "missing" if key in old else "new")
    for key, other in pairs.items():
        yield from _values(old[key], new[other], (*place, key))


def _values(old: Any, new: Any, place: Place) -> Iterator[Difference]:
    """The differences between two JSON values."""
    if old == new:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        if "array" in old and "hash" in old and "hash" in new:  # a fingerprint
            yield from _arrays(old, new, place)
            return
        yield from _keys(old, new, place)
        if old.get("texts", 0) == new.get("texts", 0):
            for key in sorted((old.keys() & new.keys()) - IGNORED):
                yield from _values(old[key], new[key], (*place, key))
        else:
            yield _different(False, place, f"{old['texts']} → {new['texts']} texts")
    elif isinstance(old, list) and isinstance(new, list):
        if len(old) != len(new):
            yield _different(place[-1] == "label", place, f"{_names(old)} → {_names(new)}")
            return
        for index, (was, now) in enumerate(zip(old, new, strict=True)):
            yield from _values(was, now, (*place, str(index)))
    elif not (_is_number(old) and _is_number(new) and _is_close(old, new)):
        yield _changed(_is_matter_of_words(old, new, place), place, old, new)


def _arrays(old: Part, new: Part, place: Place) -> Iterator[Difference]:
    if old["array"] != new["array"]:
        yield _different(False, place, f"shape {old['array']} → {new['array']}")
        return
    if old["hash"] == new["hash"]:
        return
    pairs = [
        pair
        for kind in ("values", "samples", "means", "extremes")
        for pair in zip(old.get(kind, []), new.get(kind, []), strict=True)
    ]
    numbers = [(a, b) for a, b in pairs if _is_number(a) and _is_number(b)]
    scale = max((abs(each) for pair in numbers for each in pair), default=0.0) or 1.0
    worst = max((abs(a - b) / max(abs(a), abs(b), FLOOR * scale) for a, b in numbers), default=0.0)
    is_finite_alike = all(a == b for a, b in pairs if (a, b) not in numbers) and old.get("not_finite") == new.get(
        "not_finite"
    )
    if worst > TOLERANCE or not is_finite_alike:
        yield _different(False, place, f"numbers of an array {old['array']} differ by up to {worst:.2g} of their size")


def _is_number(value: Any) -> TypeGuard[float]:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_close(old: float, new: float) -> bool:
    return abs(old - new) <= max(TOLERANCE * max(abs(old), abs(new)), 1e-12)


def _is_matter_of_words(old: Any, new: Any, place: Place) -> bool:
    if not (isinstance(old, str) and isinstance(new, str)):
        return False
    names = [each for each in place if not each.isdigit()]
    was, now = (NUMBER.findall(each.replace("−", "-")) for each in (old, new))
    are_same = len(was) == len(now) and all(map(_is_close, map(float, was), map(float, now)))
    if NUMBER.fullmatch(old) or names[-1] in VALUE_KEYS:
        return are_same and names[0] not in ("controls", "views")
    return bool(WORD_KEYS & {names[-1], names[-2] if names[-1] == "hash" else ""})


def _names(values: list[Any]) -> str:
    shown = [
        each.get("name") or each.get("label") or each.get("type") or "?" for each in values if isinstance(each, dict)
    ]
    return f"{len(values)} ({_abridged(', '.join(map(str, shown or values)), 200)})"


def _abridged(text: str, most: int = 160) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _shared(old: str, new: str) -> int:
    """The length of the common beginning of two texts."""
    return next((i for i, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))


def _change(old: str, new: str, around: int = 24) -> str:
    """Two texts without their common beginning and end."""
    start = _shared(old, new)
    end = _shared(old[start:][::-1], new[start:][::-1])
    first = max(start - around, 0)
    shown = [each[first : len(each) - end + around if end > around else len(each)] for each in (old, new)]
    return " → ".join(f"“{'…' * (first > 0)}{_abridged(each)}{'…' * (end > around)}”" for each in shown)


def compare(old: Path, new: Path, ignore_text: bool, renamed: Mapping[str, str], most: int = 80) -> bool:
    """Print the differences between two folders; True if they are only in words."""
    pages = {str(file.relative_to(old).with_suffix("")): file for file in sorted(old.glob("*/*.json"))}
    found = {str(file.relative_to(new).with_suffix("")): file for file in sorted(new.glob("*/*.json"))}
    totals = Counter[bool]()
    for page in sorted(pages.keys() | (found.keys() - set(renamed.values()))):
        other = renamed.get(page, page)
        if page not in pages or other not in found:
            print(f"{page}: {'missing' if page in pages else 'new'}")
            totals[False] += 1
            continue
        was, now = (json.loads(file.read_text(encoding="utf-8")) for file in (pages[page], found[other]))
        told = _of_page(was, now, MEASURED.get(page.split("/")[-1]))
        totals.update(each.is_words for each in told)
        lines = [each for each in sorted(told) if not (ignore_text and each.level == WORDS)]
        if lines:
            print(f"{page}: {len(told)} differences")
        for each in lines[:most]:
            print(f"  {LEVELS[each.level]} [{told[each]}] {each.place}: {each.what}")
        if len(lines) > most:
            print(f"  and {len(lines) - most} more")
    print(f"{totals[False]} differences, and {totals[True]} of words, on {len(pages)} pages.")
    return not totals[False]


def _of_page(old: Part, new: Part, measured: str | None) -> dict[Difference, str]:
    """The differences of a page, each with the states that show it; numbers of the state ``measured`` do not count."""
    found: dict[Difference, list[str]] = defaultdict(list)
    for name in sorted(old.keys() | new.keys()):
        if name not in old or name not in new:
            found[Difference(OTHER, "scene", "missing" if name in old else "new")].append(name)
            continue
        for each in dict.fromkeys(differences(old[name], new[name])):
            if name != measured or each.level == WORDS or each.what.startswith(STRUCTURE):
                found[each].append(name or "as it opens")
    return {
        each: f"all {len(names)}"
        if len(names) == len(old) > 3
        else ", ".join(names[:4]) + f" +{len(names) - 4}" * (len(names) > 4)
        for each, names in found.items()
    }
