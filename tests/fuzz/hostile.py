"""Strategies that every target shares: hostile text, numbers, JSON and bytes."""

from __future__ import annotations

import json
import math
import struct
from typing import Any

from hypothesis import strategies as st

TRAVERSAL = (
    *("../../etc/passwd", "....//....//etc/passwd", "/etc/passwd", "file:///etc/passwd", "~/.ssh/id_rsa"),
    *("..\\..\\windows\\win.ini", "C:\\Windows\\win.ini", "\\\\server\\share", "CON", "nul.txt", "COM1", "x\0.csv"),
    *("%2e%2e%2fetc%2fpasswd", "/dev/zero", "/proc/self/environ"),
)
MARKUP = (
    "<img src=x onerror=alert(1)>",
    '"><script>alert(1)</script>',
    "[x](javascript:alert(1))",
    "![x](http://example.com/x.png)",
    "`code` **bold** _it_ ~~gone~~ $\\href{javascript:alert(1)}{x}$",
    ":red[x] :material/home: :smile:",
    "{{7*7}} ${7*7} %s %n {0}",
    "=cmd|' /C calc'!A0",
    "'; DROP TABLE fits; --",
)
ODD_NUMBERS = (
    *("nan", "NaN", "inf", "-Infinity", "1e308", "-1e308", "1e309", "-0", "-0.0", "5e-324", "2.2e-308", "1e-400"),
    *("1e12", "1.0000001e12", "9007199254740993", "9" * 400, "9" * 5000, "0x10", "1_000", "1e", "+-1", "--1", "1.2.3"),
    *("²", "①", "٣", "１２", "½", "−3", "1,5", "1 000", "0" * 5000, "True", "None", "1j"),
)
ODD_TEXT = (
    *(
        "",
        " ",
        "\0",
        "\n\r\t",
        "\ufeff",
        "\u202e",
        "\u200d",
        "\u2028",
        "\x85",
        "\x1b[2J",
        "مرحبا",
        "👩‍👩‍👧‍👦",
        "e\u0301" * 50,
    ),
    *("\ud800", "\udfff\ud800", "\uffff", "\U0010ffff", "a" * 5000, "[" * 5000, "{" * 5000, "(" * 3000, "%" * 100),
)

numbers = st.one_of(
    st.sampled_from(ODD_NUMBERS),
    st.floats().map(repr),
    st.integers().map(str),
    st.floats(allow_nan=False, allow_infinity=False).map(lambda value: f"{value:.3g}".replace(".", ",")),
)
words = st.one_of(
    st.sampled_from(TRAVERSAL + MARKUP + ODD_TEXT), st.text(max_size=30), numbers, st.binary(max_size=40).map(str)
)
sendable = words.map(lambda text: text.encode("utf-8", "replace").decode())  # what a URL can hold: no lone surrogates


def nested(depth: int) -> Any:
    """A list in a list in a list."""
    value: Any = 0
    for _ in range(depth):
        value = [value]
    return value


json_numbers = st.one_of(
    st.integers(),
    st.floats(),
    st.sampled_from(
        (math.nan, math.inf, -math.inf, 1e308, -0.0, 5e-324, 2**31, 2**63, -(2**63), 10**400, 10**9, -1, 0, 1)
    ),
)
json_leaves = st.one_of(st.none(), st.booleans(), json_numbers, words)
json_values = st.one_of(
    json_leaves,
    st.recursive(
        json_leaves,
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
        max_leaves=8,
    ),
    st.sampled_from((5, 50, 200)).map(nested),
)

# Damage to bytes ---------------------------------------------------------------------------------------------------

EXTREMES = tuple(
    struct.pack(form, value)
    for form, values in (
        ("<B", (0, 1, 127, 128, 255)),
        (">H", (0, 1, 0x7FFF, 0xFFFF)),
        (">I", (0, 1, 0x7FFFFFFF, 0xFFFFFFFF)),
        ("<I", (1, 0x7FFFFFFF, 0xFFFFFFFF)),
        ("<Q", (0, 1, 2**31, 2**63, 2**64 - 1)),
        (">Q", (1, 2**63)),
    )
    for value in values
)
_places = st.floats(0, 1, exclude_max=True)
_lengths = st.integers(1, 40)
_pieces = st.one_of(st.binary(min_size=1, max_size=12), st.sampled_from(EXTREMES))
_changes = st.one_of(
    st.tuples(st.just("overwrite"), _places, _pieces),
    st.tuples(st.just("insert"), _places, _pieces),
    st.tuples(st.just("delete"), _places, _lengths),
    st.tuples(st.just("repeat"), _places, _lengths),
    st.tuples(st.just("cut"), _places, st.just(0)),
)
damages = st.lists(_changes, max_size=4)


def damaged(content: bytes, changes: list[tuple[str, float, Any]]) -> bytes:
    """Bytes after some changes, each at a place given as a share of the length."""
    for kind, share, what in changes:
        at = int(share * (len(content) + 1))
        if kind == "overwrite":
            content = content[:at] + what + content[at + len(what) :]
        elif kind == "insert":
            content = content[:at] + what + content[at:]
        elif kind == "delete":
            content = content[:at] + content[at + what :]
        elif kind == "repeat":
            content = content[: at + what] * 2 + content[at + what :]
        else:
            content = content[:at]
    return content


def replaced(value: Any, choices: list[int], new: Any) -> Any:
    """A JSON value in which one part, found by walking down with the choices, is another."""
    if not choices or not isinstance(value, dict | list) or not value:
        return new
    first, *rest = choices
    if isinstance(value, dict):
        key = sorted(value)[first % len(value)]
        return value | {key: replaced(value[key], rest, new)}
    at = first % len(value)
    return [*value[:at], replaced(value[at], rest, new), *value[at + 1 :]]


def dumps(value: Any) -> str:
    """JSON as Python writes it, with NaN and infinities; half surrogates as escapes."""
    return json.dumps(value)
