"""The small part of Markdown that pages are written in: bold, italics, code, links, formulas. All else is text."""

from __future__ import annotations

import re
from urllib.parse import urljoin

from markupsafe import Markup, escape

from bdlviz.export.latex import to_mathml

INLINE = re.compile(
    r"``(?P<double>[^\n]+?)``"
    r"|`(?P<code>[^`\n]+)`"
    r"|(?<![\\$\w])\$(?P<math>[^\s$](?:[^$\n]*[^\s$])?)\$(?![\w$])"
    r"|\[(?P<words>[^\[\]\n]+)\]\((?P<link>[^()\s]+)\)"
    r"|\*\*(?P<bold>[^\s*](?:[^\n]*?[^\s*])?)\*\*"
    r"|\*(?P<italics>[^\s*](?:[^*\n]*[^\s*])?)\*"
    r"|\\(?P<escaped>[\\`*_$\[\]<>|])"
)
SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*:")


def inline(text: str, base: str = "") -> Markup:
    """A sentence as HTML; all other Markdown is escaped and shown literally.

    ``base`` is the address from which relative links start; without one they stay relative.
    """
    pieces: list[str] = []
    end = 0
    for found in INLINE.finditer(text):
        pieces += [text[end : found.start()], _piece(found, base)]
        end = found.end()
    return Markup("").join([*pieces, text[end:]])


def paragraphs(text: str, base: str = "") -> Markup:
    """Paragraphs, with blank lines between them, as HTML."""
    parts = (part.strip() for part in re.split(r"\n\s*\n", text))
    return Markup("\n").join(Markup("<p>{}</p>").format(inline(part, base)) for part in parts if part)


def anchor(words: str, link: str, base: str = "") -> Markup:
    """A link as HTML; only its words if the link is not a web page. Words that are no `Markup` are escaped."""
    address = safe_link(link) and safe_link(urljoin(safe_link(base), safe_link(link)))
    return Markup('<a href="{}" rel="noreferrer">{}</a>').format(address, words) if address else escape(words)


def safe_link(link: str) -> str:
    """The link if it is a web page or relative, else ""."""
    address = "".join(letter for letter in link if letter.isprintable()).strip()
    scheme = SCHEME.match(address)
    if scheme is None:
        return "" if address.startswith(("//", "\\", "/\\")) else address
    return address if scheme.group().lower() in ("http:", "https:") else ""


def plain(text: str) -> str:
    """Text for a renderer of Markdown, without HTML and images."""
    return text.replace("<", "&lt;").replace("![", "!\\[")


def _piece(found: re.Match[str], base: str) -> Markup:
    """One piece of Markdown as HTML."""
    kind, text = found.lastgroup, found.group(found.lastgroup or 0)
    match kind:
        case "link":
            return anchor(inline(found["words"]), text, base)
        case "bold":
            return Markup("<strong>{}</strong>").format(inline(text, base))
        case "italics":
            return Markup("<em>{}</em>").format(inline(text, base))
        case "math":
            return to_mathml(text, display=False)
        case "escaped":
            return escape(text)
    return Markup("<code>{}</code>").format(text)
