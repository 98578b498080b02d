"""The small part of Markdown that pages are written in: bold, italics, code, links, formulas. All else is text."""

from __future__ import annotations

import re
from html import escape
from urllib.parse import urljoin

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


def inline(text: str, base: str = "") -> str:
    """A sentence as HTML; whatever is not Markdown of this kind is escaped and stays as it is.

    ``base`` is the address from which relative links start; without one they stay relative.
    """
    pieces, end = [], 0
    for found in INLINE.finditer(text):
        pieces += [escape(text[end : found.start()]), _piece(found, base)]
        end = found.end()
    return "".join([*pieces, escape(text[end:])])


def paragraphs(text: str, base: str = "") -> str:
    """Paragraphs, with blank lines between them, as HTML."""
    parts = (part.strip() for part in re.split(r"\n\s*\n", text))
    return "\n".join(f"<p>{inline(part, base)}</p>" for part in parts if part)


def anchor(words: str, link: str, base: str = "") -> str:
    """A link as HTML; its words alone, which are HTML already, where the link leads to no web page."""
    address = safe_link(link) and safe_link(urljoin(safe_link(base), safe_link(link)))
    return f'<a href="{escape(address)}" rel="noreferrer">{words}</a>' if address else words


def safe_link(link: str) -> str:
    """The link if it leads to a page of the web or is relative, else ""."""
    address = "".join(letter for letter in link if letter.isprintable()).strip()
    scheme = SCHEME.match(address)
    if scheme is None:
        return "" if address.startswith(("//", "\\", "/\\")) else address
    return address if scheme.group().lower() in ("http:", "https:") else ""


def plain(text: str) -> str:
    """Text for a place that renders Markdown, such that no HTML and no image can come of it."""
    return text.replace("<", "&lt;").replace("![", "!\\[")


def _piece(found: re.Match[str], base: str) -> str:
    """One piece of Markdown as HTML."""
    kind, text = found.lastgroup, found.group(found.lastgroup or 0)
    match kind:
        case "link":
            return anchor(inline(found["words"]), text, base)
        case "bold":
            return f"<strong>{inline(text, base)}</strong>"
        case "italics":
            return f"<em>{inline(text, base)}</em>"
        case "math":
            return to_mathml(text, display=False)
        case "escaped":
            return escape(text)
    return f"<code>{escape(text)}</code>"
