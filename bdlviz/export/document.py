"""A page as one self-contained HTML file: interactive figures, formulas, numbers, words.

The file makes no requests: its security policy forbids them, and allows only the two scripts in the file, by their
hashes. So even a text that became markup could not run a script or send data. The template ``page.html`` escapes every
text.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template
from PIL import Image
from plotly.offline import get_plotlyjs

from bdlviz.export.content import Content, Picture
from bdlviz.export.latex import to_mathml
from bdlviz.export.markdown import anchor, inline, paragraphs, safe_link
from bdlviz.export.style import style
from bdlviz.plots.theme import MODEBAR

PRINTED = 640  # px, width of a figure on paper; a browser does not report it in time

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
    scripts = [get_plotlyjs(), DRAW] if content.figures else []
    return _template().render(
        page=content,
        address=safe_link(content.address),
        policy=_policy(scripts),
        style=style(content.theme),
        figures=list(_figures(content)),
        images=list(_images(content)),
        config=MODEBAR,
        scripts=scripts,
    )


@cache
def _template() -> Template:
    """The template of the page, compiled once."""
    environment = Environment(
        loader=FileSystemLoader(Path(__file__).parent),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=StrictUndefined,
    )
    environment.filters |= {"inline": inline, "paragraphs": paragraphs, "anchor": anchor, "mathml": to_mathml}
    environment.policies["json.dumps_kwargs"] = {}  # keys keep their order
    return environment.get_template("page.html")


def _policy(scripts: list[str]) -> str:
    """The content security policy: these scripts may run, and nothing is loaded."""
    hashes = (base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts)
    allowed = " ".join(f"'sha256-{name}'" for name in hashes)
    return "; ".join(
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


def _figures(content: Content) -> Iterator[dict[str, Any]]:
    """What the template shows of every figure; ``drawn`` leaves out what only plotly's editors use."""
    for number, (name, (fig, alt)) in enumerate(content.figures.items(), start=1):
        drawn = json.loads(fig.to_json() or "{}")
        yield {
            "key": f"figure-{number}",
            "name": name,
            "alt": alt,
            "height": drawn.get("layout", {}).get("height", 450),
            "drawn": {key: part for key, part in drawn.items() if key in ("data", "layout")},
        }


def _images(content: Content) -> Iterator[dict[str, str]]:
    """What the template shows of every picture of pixels."""
    for name, (picture, alt) in content.images.items():
        yield {"name": name, "alt": alt, "source": base64.b64encode(png(picture)).decode()}


def png(picture: Picture) -> bytes:
    """A picture as a PNG: uint8 (h, w) is grey, (h, w, 3) red-green-blue, (h, w, 4) has opacity too."""
    if isinstance(picture, bytes):
        return picture
    buffer = io.BytesIO()
    Image.fromarray(picture).save(buffer, format="PNG")
    return buffer.getvalue()
