"""LaTeX as MathML: every formula of the project converts, and nothing but mathematics comes of any text."""

import importlib
import inspect
import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import bdlviz
from bdlviz.export.latex import ELEMENTS, to_mathml

SKIPPED = {"bdlviz.__main__", "bdlviz.ui.main", "bdlviz.processes.child"}  # importing it would run it


def documented() -> Iterator[Any]:
    """Every module, function, class and method of the project."""
    folder = Path(bdlviz.__path__[0])
    for path in sorted(folder.rglob("*.py")):
        name = ".".join(("bdlviz", *path.relative_to(folder).with_suffix("").parts)).removesuffix(".__init__")
        if name in SKIPPED:
            continue
        module = importlib.import_module(name)
        own = [each for each in vars(module).values() if getattr(each, "__module__", "") == module.__name__]
        yield from (module, *own)
        yield from (method for each in own if inspect.isclass(each) for method in vars(each).values())


def all_formulas() -> set[str]:
    """Every ``$$`` block of a docstring."""
    texts = (inspect.getdoc(each) or "" for each in documented())
    return {block.strip() for text in texts for block in re.findall(r"\$\$(.+?)\$\$", text, re.DOTALL)}


def shape(element: ET.Element) -> str:
    """An element and its parts, as short text."""
    parts = " ".join(map(shape, element))
    return f"{element.tag}({parts})" if len(element) else f"{element.tag}:{element.text or ''}"


def test_formulas_convert_or_stay_latex():
    formulas = all_formulas()
    assert len(formulas) > 300
    assert [latex for latex in formulas if not to_mathml(latex).startswith("<math")] == []
    wanted = "math(mrow(mi:a mo:= mfrac(mrow(mn:1) mrow(mi:S))))"
    assert shape(ET.fromstring(to_mathml(r"a = \frac{1}{S}"))) == wanted
    assert 'mathvariant="normal">Φ<' in to_mathml(r"\Phi")
    assert "mathvariant" not in to_mathml(r"\phi")
    assert "+" not in to_mathml(r"\xrightarrow{t \to 0}")
    assert to_mathml("p").startswith('<math display="block">')
    assert to_mathml("p", display=False).startswith('<math display="inline">')
    for latex in [
        r"\nonsense x",
        "x_",
        "",
        "{",
        r"\frac{1}",
        r"\left( a",
        r"\href{javascript:alert(1)}{x}",
        r"\style{position:fixed}{x}",
        r"\class{a}{x}",
        r"\text{<script>alert(1)</script>}",
        r"\text{a & b}",
    ]:
        found = to_mathml(latex)
        assert found.startswith("<code>")
        assert ET.fromstring(found).text == (latex or None)


@pytest.mark.parametrize(
    ("latex", "wanted"),
    [
        (r"x \sin y", "mi:x mspace: mi:sin mspace: mi:y"),
        (r"\sin(y)", "mi:sin mo:( mi:y mo:)"),
        (r"2 \log^2 p", "mn:2 mspace: msup(mi:log mn:2) mspace: mi:p"),
        (r"\operatorname{KL}[q]", "mi:KL mo:[ mi:q mo:]"),
        (r"\operatorname*{argmax}_a f", "msub(mi:argmax mi:a) mspace: mi:f"),
        (r"\arg\min_w f", "mi:arg mspace: msub(mi:min mi:w) mspace: mi:f"),
        (r"w \sim p", "mi:w mo:∼ mi:p"),
        (r"a \pm b", "mi:a mo:± mi:b"),
        (r"a \not\le b", "mi:a mo:≰ mi:b"),
        (r"\lceil x \rceil", "mo:⌈ mi:x mo:⌉"),
        (r"\mathrm{d}x", "mtext:d mi:x"),
    ],
)
def test_what_the_converter_gets_wrong_is_corrected(latex: str, wanted: str):
    assert shape(ET.fromstring(to_mathml(latex))) == f"math(mrow({wanted}))"


@given(st.text(st.sampled_from("\\{}_^&<>\"'abx12 $%()[]|") | st.characters(codec="utf-8", exclude_categories=("Cc",))))
def test_whatever_the_text_only_mathematics_comes_of_it(latex: str):
    found = ET.fromstring(to_mathml(latex))
    assert found.tag in ("math", "code")
    names = {element.tag for element in found.iter()} - {"code"}
    assert names <= ELEMENTS
    assert not [name for element in found.iter() for name in element.attrib if name.startswith(("on", "href", "style"))]
