"""A page as one HTML file that needs nothing else: figures that can be pointed at, formulas, numbers, words.

The file asks nobody for anything, now or later: its policy forbids it, and it runs no script but the two that are
written into it, whose hashes the policy names. So even a text that became
markup could neither act nor call home.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Iterator
from html import escape

import plotly.graph_objects as go
from PIL import Image
from plotly.offline import get_plotlyjs

from bdlviz.export.content import Content, Picture
from bdlviz.export.latex import to_mathml
from bdlviz.export.markdown import anchor, inline, paragraphs, safe_link
from bdlviz.export.style import style
from bdlviz.plots.theme import MODEBAR

PRINTED = 640  # px: a figure's width on paper, which a browser tells nobody in time

# Draws every figure. Its description goes from its place to the drawing, since what is described as one image may hold
# no button, and the place then holds one. On paper figures are as wide as a page, whatever the window.
DRAW = """
const plots = [...document.querySelectorAll('.plot')];
const config = JSON.parse(document.getElementById('config').textContent);
for (const plot of plots) {
  const { data, layout } = JSON.parse(document.getElementById(plot.id + '-data').textContent);
  Plotly.newPlot(plot, data, { ...layout, autosize: true, width: undefined }, config).then(() => {
    const [drawing, ...layers] = plot.querySelectorAll('.main-svg');
    for (const name of ['role', 'aria-label']) {
      drawing.setAttribute(name, plot.getAttribute(name));
      plot.removeAttribute(name);
    }
    layers.forEach((layer) => layer.setAttribute('aria-hidden', 'true'));
  });
}
addEventListener('beforeprint', () => plots.forEach((plot) => Plotly.relayout(plot, { width: PRINTED })));
addEventListener('afterprint', () => plots.forEach((plot) => Plotly.relayout(plot, { width: null, autosize: true })));
""".replace("PRINTED", str(PRINTED))


def page_html(content: Content) -> str:
    """The page as one HTML file."""
    parts = [
        _heading(content),
        *_figures(content),
        *_images(content),
        _numbers(content),
        _equations(content),
        _section(
            "Reproduce", f'<pre tabindex="0"><code>{escape(content.snippet)}</code></pre>' if content.snippet else ""
        ),
        _section("Try this", _items([inline(line, content.address) for line in content.try_this])),
        _section("Caveat", paragraphs(content.caveat, content.address)),
        _section(
            "Papers", _items([anchor(escape(citation), link, content.address) for citation, link in content.papers])
        ),
        _footer(content),
    ]
    scripts = [get_plotlyjs(), DRAW] if content.figures else []
    return "\n".join(
        [
            "<!DOCTYPE html>",
            '<html lang="en">',
            _head(content, scripts),
            "<body>",
            "<main>",
            *filter(None, parts),
            "</main>",
            *(f"<script>{script}</script>" for script in scripts),
            "</body>",
            "</html>",
            "",
        ]
    )


def _head(content: Content, scripts: list[str]) -> str:
    """Title, policy and style."""
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{name}'" for name in hashes)
    policy = "; ".join(
        [
            "default-src 'none'",
            # Fast points on the graphics processor are drawn by functions that plotly writes as it runs.
            f"script-src {allowed} 'unsafe-eval'" if scripts else "script-src 'none'",
            "style-src 'unsafe-inline'",
            "img-src data: blob:",  # blob: a figure being saved as a picture
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    return "\n".join(
        [
            "<head>",
            '<meta charset="utf-8">',
            f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
            '<meta name="viewport" content="width=device-width, initial-scale=1">',
            f'<meta name="color-scheme" content="{content.theme}">',
            f"<title>{escape(content.question)}</title>",
            f"<style>{style(content.theme)}</style>",
            "</head>",
        ]
    )


def _heading(content: Content) -> str:
    """What the page is, its question, and what to see."""
    link = anchor("This state of the page", content.address) if safe_link(content.address) else ""
    lines = [
        f'<p class="muted">{escape(content.title)}</p>',
        f"<h1>{inline(content.question)}</h1>",
        f"<p>{inline(content.says, content.address)}</p>" if content.says else "",
        f'<p class="muted">{link}</p>' if link else "",
    ]
    return "\n".join(["<header>", *filter(None, lines), "</header>"])


def _figures(content: Content) -> Iterator[str]:
    """Every figure: its place, its name, its data for `DRAW`."""
    for number, (name, (fig, alt)) in enumerate(content.figures.items(), start=1):
        key = f"figure-{number}"
        height = fig.to_dict()["layout"].get("height", 450)
        place = (
            f'<div class="plot" id="{key}" role="img" aria-label="{escape(alt)}" style="min-height:{height}px"></div>'
        )
        yield _figure(place, name)
        yield _data(f"{key}-data", _drawn(fig))
    if content.figures:
        yield _data("config", json.dumps(MODEBAR))


def _drawn(fig: go.Figure) -> str:
    """A figure as JSON, without what only plotly's editors use."""
    return json.dumps(
        {key: part for key, part in json.loads(fig.to_json() or "{}").items() if key in ("data", "layout")}
    )


def _images(content: Content) -> Iterator[str]:
    """Every picture of pixels."""
    for name, (picture, alt) in content.images.items():
        source = base64.b64encode(png(picture)).decode()
        yield _figure(f'<img src="data:image/png;base64,{source}" alt="{escape(alt)}">', name)


def png(picture: Picture) -> bytes:
    """A picture as a PNG: uint8 (h, w) is grey, (h, w, 3) red-green-blue, (h, w, 4) has opacity too."""
    if isinstance(picture, bytes):
        return picture
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, format="PNG")
    return buffer.getvalue()


def _figure(content: str, name: str) -> str:
    caption = f"<figcaption>{escape(name)}</figcaption>" if name else ""
    return f"<figure>{content}{caption}</figure>"


def _data(key: str, told: str) -> str:
    """JSON that a script reads; no text in it can end its element."""
    for sign in "<>&\u2028\u2029":
        told = told.replace(sign, f"\\u{ord(sign):04x}")
    return f'<script type="application/json" id="{key}">{told}</script>'


def _numbers(content: Content) -> str:
    """The key numbers as a table."""
    rows = [
        f'<tr><th scope="row">{inline(label)}</th><td>{escape(value)}</td><td class="muted">{inline(told)}</td></tr>'
        for label, value, told in content.numbers
    ]
    head = '<thead><tr><th scope="col">Number</th><th scope="col">Value</th><th scope="col">Meaning</th></tr></thead>'
    table = f'<div class="wide" tabindex="0"><table>{head}<tbody>{"".join(rows)}</tbody></table></div>'
    return _section("Numbers", table if rows else "")


def _equations(content: Content) -> str:
    """Captions and formulas."""
    shown = [
        f'<p class="muted">{inline(caption)}</p><div class="wide" tabindex="0">{to_mathml(latex)}</div>'
        for caption, latex in content.formulas
    ]
    return _section("Equations", "\n".join(shown))


def _items(lines: list[str]) -> str:
    return "<ul>" + "".join(f"<li>{line}</li>" for line in lines) + "</ul>" if lines else ""


def _section(title: str, content: str) -> str:
    """A part with its heading; nothing at all where there is no content."""
    return f"<section><h2>{title}</h2>\n{content}\n</section>" if content else ""


def _footer(content: Content) -> str:
    """With what and when it was made, and the whole link, which paper needs."""
    address = safe_link(content.address)
    lines = [escape(content.made_with), f'<span class="address">{escape(address)}</span>' if address else ""]
    told = "<br>".join(filter(None, lines))
    return f'<footer class="muted">{told}</footer>' if told else ""
