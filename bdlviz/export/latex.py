"""LaTeX as MathML, which browsers draw without a script or a font."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator

from latex2mathml.converter import convert
from markupsafe import Markup

# Replacements of commands that the converter does not know or misreads.
SPELLINGS = {
    r"\operatorname*{": r"\operatorname{",
    r"\arg": r"\operatorname{arg}",
    r"\mathrm{": r"\text{",
    r"\not\le": r"\nleq",
}
NAMESPACE = "{http://www.w3.org/1998/Math/MathML}"
ELEMENTS = frozenset(
    {"math", "mrow", "mi", "mn", "mo", "mtext", "mspace", "msub", "msup", "msubsup", "munder", "mover", "munderover"}
    | {"mfrac", "msqrt", "mroot", "mtable", "mtr", "mtd", "mstyle", "mpadded", "mphantom", "menclose"}
)
MAY_BE_EMPTY = frozenset({"mrow", "mspace", "mtd", "mtr", "mi", "mphantom", "mpadded"})
ARGUMENTS = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "munder": 2, "mover": 2, "msubsup": 3, "munderover": 3}
FORBIDDEN = re.compile(r"on.*|href|src|style|class|id|.*[^a-z].*")  # attributes with links, actions or styles
ROWS = frozenset({"math", "mrow", "mtd", "mstyle", "msqrt", "mpadded"})  # their parts stand side by side
THIN = "0.167em"  # between the name of a function and its neighbours, as TeX sets it


def to_mathml(latex: str, *, display: bool = True) -> Markup:
    """A formula as a ``<math>`` element; as ``<code>`` with the LaTeX itself where it cannot be converted.

    ``display`` gives it a line of its own. What comes back is well-formed and holds elements of mathematics only,
    whatever the LaTeX.
    """
    try:
        formula = ET.fromstring(convert(_respelt(latex), display="block" if display else "inline"))
    except Exception:  # the converter may raise any exception
        return Markup("<code>{}</code>").format(latex)
    for element in formula.iter():
        element.tag = element.tag.removeprefix(NAMESPACE)
    if not _is_sound(formula):
        return Markup("<code>{}</code>").format(latex)
    for element in list(formula.iter()):
        _correct(element)
    for element in list(formula.iter()):
        if element.tag in ROWS:
            element[:] = list(_spaced(element))
    return Markup(ET.tostring(formula, encoding="unicode", short_empty_elements=False))


def _respelt(latex: str) -> str:
    """LaTeX with only commands that the converter knows."""
    for old, new in SPELLINGS.items():
        ending = r"(?![A-Za-z])" if old[-1].isalpha() else ""
        latex = re.sub(re.escape(old) + ending, new.replace("\\", r"\\"), latex)
    return latex


def _is_sound(element: ET.Element) -> bool:
    """True if this is mathematics without unknown commands, which the converter leaves as their names."""
    parts = list(element)
    return (
        element.tag in ELEMENTS
        and not any(map(FORBIDDEN.fullmatch, element.attrib))
        and "\\" not in (element.text or "")
        and (bool(parts) or bool(element.text) or element.tag in MAY_BE_EMPTY)
        and len(parts) == ARGUMENTS.get(element.tag, len(parts))
        and all(map(_is_sound, parts))
    )


def _correct(element: ET.Element) -> None:
    """Correct the kind of an element: the converter reads some relations as letters, and some names as operators."""
    sign = element.text or ""
    if element.tag == "mo" and _is_name(sign):
        element.tag = "mi"
        element.attrib.clear()
    elif element.tag == "mi" and "Α" <= sign <= "Ω":
        element.set("mathvariant", "normal")  # upright, as in TeX
    elif element.tag == "mi" and len(sign) == 1 and sign in "~±:⟺⌈⌉⌊⌋":
        element.tag, element.text = "mo", sign.replace("~", "∼")
    elif element.tag == "mpadded" and element.get("width", "").startswith("+"):
        element.attrib.clear()  # browsers do not support relative widths
    elif element.tag == "mo" and sign in ("|", "‖") and "form" not in element.attrib:
        element.attrib |= {"lspace": "0", "rspace": "0"}  # as bars around a value, not as a relation


def _spaced(row: ET.Element) -> Iterator[ET.Element]:
    """The parts of a row, with thin spaces around names of functions: a sin x, but sin(x)."""
    last = None
    for part in row:
        if last is not None and _needs_space(last, part):
            yield ET.Element("mspace", width=THIN)
        yield part
        last = part


def _needs_space(left: ET.Element, right: ET.Element) -> bool:
    """True if there is a thin space between two neighbours."""
    before, after = _leaf(left, -1), _leaf(right, 0)
    if _is_function(left):
        return after.tag not in ("mo", "mspace", "mtext")
    return _is_function(right) and (before.tag in ("mi", "mn", "mfrac", "msqrt") or before.text in (")", "]", "}"))


def _leaf(element: ET.Element, end: int) -> ET.Element:
    """The first (0) or last (-1) element of a row, without its index or power."""
    while len(element) and element.tag in ROWS | {"msub", "msup", "msubsup", "munder", "munderover"}:
        element = element[end if element.tag in ROWS else 0]
    return element


def _is_function(element: ET.Element) -> bool:
    """True for the name of a function, with or without index and power."""
    return element.tag not in ROWS and _leaf(element, 0).tag == "mi" and _is_name(_leaf(element, 0).text or "")


def _is_name(text: str) -> bool:
    """True for a word of several letters."""
    return len(text) > 1 and text.replace("\N{NO-BREAK SPACE}", "").isalpha()
