"""The style of an exported page: the colours of the theme, one narrow column, and a sheet of paper."""

from __future__ import annotations

from string import Template

from bdlviz.plots.theme import Theme, ThemeName, mix, theme

COLOURS = "--paper:$paper;--ink:$ink;--muted:$muted;--line:$line;--link:$link;--wash:$wash;color-scheme:$name"
# Fonts with mathematical symbols, of which most computers have one; none is downloaded.
MATH = '"STIX Two Math","Cambria Math","Latin Modern Math","Libertinus Math","STIX Math","DejaVu Math TeX Gyre",math'
SHEET = Template("""
:root{$colours}
*{box-sizing:border-box}
body{margin:0;background:var(--paper);color:var(--ink);font:16px/1.55 $family;font-variant-numeric:tabular-nums}
main{max-width:60rem;margin:0 auto;padding:1.5rem 1rem 3rem}
h1{font-size:1.6rem;line-height:1.25;margin:.2rem 0 .6rem}
h2{font-size:1.15rem;margin:2rem 0 .5rem}
p{margin:.4rem 0}
a{color:var(--link)}
.muted,figcaption{color:var(--muted);font-size:.9rem}
.address{overflow-wrap:anywhere}
h1,p,li,figcaption,th,td{overflow-wrap:break-word}
figure{margin:1.2rem 0}
img{max-width:100%;height:auto;image-rendering:pixelated;display:block}
.wide{overflow-x:auto}
math{font-family:$math}
math[display=block]{margin:.5rem 0 1.1rem;width:max-content;min-width:100%}
pre{overflow-x:auto;background:var(--wash);padding:.8rem 1rem;border-radius:.4rem;font-size:.85rem}
code{font-family:ui-monospace,SFMono-Regular,Menlo,Consolas,monospace}
p code,li code,figcaption code{background:var(--wash);padding:.05em .3em;border-radius:.25em;font-size:.88em}
table{border-collapse:collapse}
th,td{text-align:left;padding:.35rem 1.2rem .35rem 0;border-bottom:1px solid var(--line);vertical-align:top}
thead th{color:var(--muted);font-size:.9rem;font-weight:400}
tbody th{font-weight:400}
td:nth-child(2){font-weight:600;white-space:nowrap}
footer{margin-top:2.5rem;border-top:1px solid var(--line);padding-top:.8rem}
@media print{
:root{$on_paper}
main{max-width:none;padding:0}
figure,table,pre,section>p,.wide{break-inside:avoid}
h2{break-after:avoid}
.plot,img{print-color-adjust:exact;-webkit-print-color-adjust:exact}
pre{white-space:pre-wrap}
.wide{overflow:visible}
math[display=block]{width:auto;font-size:.85em}
.modebar-container{display:none}
}
""")


def style(name: ThemeName) -> str:
    """The style sheet of a page in that theme; on paper, text is dark on white in both."""
    look = theme(name)
    on_paper = _colours(theme("light"))
    return SHEET.substitute(colours=_colours(look), on_paper=on_paper, family=look.font_family, math=MATH).strip()


def _colours(look: Theme) -> str:
    shades = {"line": mix(look.paper, look.ink, 0.15), "wash": mix(look.paper, look.ink, 0.05)}
    link = look.text(look.mean)
    return Template(COLOURS).substitute(
        paper=look.paper, ink=look.ink, muted=look.muted, link=link, name=look.name, **shades
    )
