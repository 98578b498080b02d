"""The Markdown of pages: what is read, and that everything else is escaped."""

from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bdlviz.export.markdown import anchor, inline, paragraphs, safe_link


@pytest.mark.parametrize(
    ("text", "html"),
    [
        ("a **bold** word", "a <strong>bold</strong> word"),
        ("an *italic* word", "an <em>italic</em> word"),
        ("**all *of* it**", "<strong>all <em>of</em> it</strong>"),
        ("2 * 3 * 4", "2 * 3 * 4"),
        ("`a < b` and ``fit``", "<code>a &lt; b</code> and <code>fit</code>"),
        ("`**not bold**`", "<code>**not bold**</code>"),
        ("a_b and c_d", "a_b and c_d"),
        (r"\*no\* \[link\](x)", "*no* [link](x)"),
        ("from $3 to $4", "from $3 to $4"),
        ("<b>no</b> & so on", "&lt;b&gt;no&lt;/b&gt; &amp; so on"),
        (
            "[words](https://example.org/a?b=1&c=2)",
            '<a href="https://example.org/a?b=1&amp;c=2" rel="noreferrer">words</a>',
        ),
        ("[**b**](page?x=1)", '<a href="page?x=1" rel="noreferrer"><strong>b</strong></a>'),
        ("[x](javascript:alert)", "x"),
    ],
)
def test_markdown_that_is_supported(text: str, html: str):
    assert inline(text) == html


def test_links():
    for link in ["https://example.org", "HTTP://example.org", "page?a=b:c", "../a", "#top", "/a", ""]:
        assert safe_link(link) == link
    for link in [
        *("javascript:alert(1)", " javascript:x", "java\tscript:x", "JAVASCRIPT:x", "data:text/html,x", "vbscript:x"),
        *("file:///a", "//example.org", "\\\\example.org", "/\\example.org", "ftp://x"),
    ]:
        assert safe_link(link) == ""
        assert anchor("words", link) == anchor("words", link, "https://example.com/") == "words"
    assert inline("the rate $p$.") == 'the rate <math display="inline"><mrow><mi>p</mi></mrow></math>.'
    base = "https://example.com/regression/draws?scene=good"
    assert 'href="https://example.com/regression/errata?erratum=a"' in inline("[e](errata?erratum=a)", base)
    assert 'href="https://example.org/"' in inline("[e](https://example.org/)", base)
    assert paragraphs("a\nb\n\n\nc\n") == "<p>a\nb</p>\n<p>c</p>"
    assert paragraphs(" \n") == ""


@given(st.text(st.sampled_from("*`[]()<>&\"'ab: /") | st.characters(codec="utf-8")))
def test_no_text_becomes_other_markup(text: str):
    html = inline(text)
    for tag in ("strong", "em", "code"):
        html = html.replace(f"<{tag}>", "").replace(f"</{tag}>", "")
    pieces = html.replace("</a>", "").split('<a href="')
    rest = pieces[0] + "".join(piece.split('" rel="noreferrer">', 1)[1] for piece in pieces[1:])
    if "<math" not in rest:
        assert not set(rest) & set("<>\"'")


@given(st.text(st.characters(codec="utf-8", exclude_characters="*`[$\\")))
def test_text_without_marks_stays_text(text: str):
    html = inline(text)
    assert unescape(html) == text and not set(html) & set("<>")
