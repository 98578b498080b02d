"""What the page of errata shows: both formulas, the effect, and the table of all."""

from __future__ import annotations

from functools import lru_cache
from html import escape
from urllib.parse import urlencode

import streamlit as st

from bdlviz.errata import ERRATA, Effect, Erratum
from bdlviz.errata import figures as errata_figures
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame.explain import formulas
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.window import is_narrow

ERRATUM = Control(
    "erratum",
    "Erratum",
    tuple(ERRATA),
    "mask-per-point",
    "menu",
    names={name: erratum.title for name, erratum in ERRATA.items()},
)
STYLE = """
<style>
/* Before a room, too, the right formula stands beside the wrong one. */
.st-key-equation { display: none; }
.st-key-formulas .katex { font-size: 1.28em; }
.st-key-formulas .katex-display { overflow-x: auto; overflow-y: hidden; padding: 0.2rem 0; margin: 0.2rem 0; }
.st-key-formulas .verdict { font-weight: 600; border-left: 4px solid; padding-left: 0.6rem; }
.errata { border-collapse: collapse; width: 100%; }
.errata caption { text-align: left; font-weight: 600; padding: 0.5rem 0; }
.errata th, .errata td { text-align: left; padding: 0.4rem 0.9rem 0.4rem 0; vertical-align: top;
  border-bottom: 1px solid rgba(128, 128, 128, 0.25); font-weight: 400; font-variant-numeric: tabular-nums; }
.errata thead th { font-weight: 600; }
.errata tr > :nth-child(1) { width: 24%; }
.errata tr > :nth-child(2) { width: 17%; }
.errata tr > :nth-child(4) { width: 21%; }
.errata a { color: LINK; }
.errata tr[aria-current] th { font-weight: 600; }
@media (max-width: 640px) {
  .st-key-formulas .katex { font-size: 1em; }
  .errata thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .errata tbody tr { display: block; padding: 0.6rem 0; border-bottom: 1px solid rgba(128, 128, 128, 0.25); }
  .errata tbody th, .errata tbody td { display: block; width: auto !important; border: 0; padding: 0.1rem 0; }
  .errata tbody th { font-weight: 600; }
  .errata tbody td:nth-child(2) { font-size: 0.875em; }
}
</style>
"""
HEADS = ("Erratum", "Where", "Measured effect", "Right one in use")


def choose() -> Erratum:
    """The menu, where the slip stands, why it is one, and where the right formula is used."""
    erratum = ERRATA[ERRATUM.show()]
    st.markdown(f"**Where.** {erratum.where}.")
    st.markdown(f"**Why.** {erratum.why}")
    st.html(f"{_style()}<span class='errata'>In use: {_link(erratum)}</span>")
    return erratum


def show(erratum: Erratum) -> None:
    """Both formulas beside each other, what they do to the live example, and its numbers."""
    effect, theme = _effect(erratum.name), present_theme()
    _show_formulas(erratum)
    fig = errata_figures.wrong_and_right(
        effect.picture, theme=theme, stacked=len(effect.picture.panels) > 1 and is_narrow()
    )
    figure(fig, key="effect", alt=effect.picture.says)
    if effect.remark:
        st.info(effect.remark)
    numbers([(number.label, number.text, number.help) for number in effect.numbers])


def show_table() -> None:
    """Every erratum with its effect: a table, on a phone a list."""
    present = ERRATUM.present()
    rows = "".join(_row(erratum, is_present=erratum.name == present) for erratum in ERRATA.values())
    heads = "".join(f"<th scope='col' role='columnheader'>{escape(head)}</th>" for head in HEADS)
    # The roles hold the table together for screen readers where the style makes blocks of its cells.
    st.html(
        f"{_style()}<table class='errata' role='table'><caption>All errata</caption>"
        f"<thead role='rowgroup'><tr role='row'>{heads}</tr></thead><tbody role='rowgroup'>{rows}</tbody></table>"
    )


def snippet(erratum: Erratum) -> str:
    """Code that measures the same numbers and draws the same picture."""
    return "\n".join(
        [
            "from bdlviz import plots",
            "from bdlviz.errata import ERRATA",
            "",
            f"effect = ERRATA[{erratum.name!r}].measure()",
            "for number in effect.numbers:",
            "    print(number.label, number.text)",
            "plots.wrong_and_right(effect.picture).show()",
        ]
    )


def _show_formulas(erratum: Erratum) -> None:
    theme = present_theme()
    sides = (("✗ As printed or read", erratum.wrong, theme.warning), ("✓ Right", erratum.right, theme.mean))
    with st.container(key="formulas"):
        for column, (verdict, function, color) in zip(st.columns(2, gap="medium"), sides, strict=True):
            look = f"color: {theme.text(color)}; border-color: {color}"
            with column:
                st.html(f"<div class='verdict' style='{look}'>{verdict}</div>")
                for latex in formulas(function):
                    st.latex(latex)


def _effect(name: str) -> Effect:
    """The measured effect; kept, unless a file was missing that may come back."""
    effect = _remembered(name)
    if effect.remark:
        _remembered.cache_clear()
    return effect


@lru_cache(maxsize=len(ERRATA))
def _remembered(name: str) -> Effect:
    return ERRATA[name].measure()


def _style() -> str:
    theme = present_theme()
    return STYLE.replace("LINK", theme.text(theme.mean))


def _row(erratum: Erratum, *, is_present: bool) -> str:
    own = urlencode({ERRATUM.key: erratum.name})
    title = f'<a href="errata?{escape(own)}">{escape(erratum.title)}</a>'
    cells = (escape(erratum.where), escape(_effect(erratum.name).says), _link(erratum))
    current = " aria-current='true'" if is_present else ""
    tail = "".join(f"<td role='cell'>{cell}</td>" for cell in cells)
    return f"<tr role='row'{current}><th scope='row' role='rowheader'>{title}</th>{tail}</tr>"


def _link(erratum: Erratum) -> str:
    address = erratum.page.split("/")[-1] + (f"?{urlencode(erratum.query)}" if erratum.query else "")
    return f'<a href="{escape(address)}">{escape(erratum.link)}</a>'
