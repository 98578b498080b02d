"""The pages of results: published numbers beside ours, and the index of the lectures' figures."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import streamlit as st

from bdlviz import published
from bdlviz.published import Row
from bdlviz.topics.results.figure_index import views as figure_index_views
from bdlviz.topics.results.register import figures
from bdlviz.ui.controls.control import Control
from bdlviz.ui.frame import mode
from bdlviz.ui.frame.look import figure, numbers, present_theme

SIGNS: dict[str, str] = {
    "reproduced": "✓ reproduced",
    "contradicted": "✗ contradicted",
    "plain re-run": "○ plain re-run",
    "unverified": "– unverified",
}
ALL = "all"
SOURCES = {document.split()[0].strip(",").lower(): document for document in (c.document for c in published.CLAIMS)}
SOURCE = Control(
    "source",
    "Source",
    (ALL, *SOURCES),
    ALL,
    "menu",
    "The document that prints the number.",
    {ALL: "All sources", **SOURCES},
)
VERDICT = Control(
    "verdict",
    "Verdict",
    (ALL, *SIGNS),
    ALL,
    "menu",
    "What the rule of a row says.",
    {ALL: "All verdicts", **SIGNS},
)
REGISTER_SNIPPET = """from bdlviz import published

for row in published.rows():
    print(row.source, row.quantity, row.published, row.ours, row.verdict, sep=" | ")
"""
TABLE_STYLE = """
<style>
.published { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; }
.published th, .published td { text-align: left; padding: 0.35rem 0.7rem 0.35rem 0; vertical-align: top;
  border-bottom: 1px solid rgba(128, 128, 128, 0.25); }
.published th { font-weight: 600; }
.published th:first-child { width: 36%; }
.published td { min-width: 7rem; }
.published td:first-child { min-width: 12rem; }
.published code { white-space: nowrap; font-size: 0.875em; }
.published a { color: LINK; }
.wide-table { overflow-x: auto; }
</style>
"""


def show_rules() -> None:
    """What the register holds, in numbers, and the rules that its verdicts follow."""
    rows = published.rows()
    count = published.counts(rows)
    st.markdown(
        f"{headline(rows)} A verdict follows from our runs and from the rule for that kind of source:\n\n"
        + "\n".join(f"- {rule}" for rule in dict.fromkeys(row.rule for row in rows) if rule)
    )
    logs = sum(row.rule == str(published.AmongOurRuns()) for row in rows)
    st.caption(
        f"{count['plain re-run']} more rows are plain re-runs, which no source prints, and {count['unverified']} are "
        f"unverified: they are not compared. Of {logs} numbers that stand in logs, about {0.05 * logs:.0f} lie outside "
        "the central 95 % by chance alone."
    )


def headline(rows: Sequence[Row]) -> str:
    """How many of the numbers that have a verdict come out again, as a sentence."""
    count = published.counts(rows)
    judged = count["reproduced"] + count["contradicted"]
    return f"**{count['reproduced']} of {judged}** published numbers come out again."


def show_register() -> None:
    """How many rows have each verdict: of every source, or of one with ours minus published, a figure for each unit."""
    chosen = _chosen()
    if mode.is_presenting():  # a room sees the picture first
        _show_pictures(chosen)
        _show_verdicts(chosen)
    else:
        _show_verdicts(chosen)
        _show_pictures(chosen)


def _show_pictures(chosen: Sequence[Row]) -> None:
    compared = [row for row in chosen if row.low is not None]
    if SOURCE.present() == ALL or not compared:
        _show_sources(chosen)
        return
    kinds = dict.fromkeys((row.unit, _is_trend(row)) for row in compared)
    for unit, are_trends in kinds:
        shown = [_compared(row) for row in compared if (row.unit, _is_trend(row)) == (unit, are_trends)]
        fig = figures.differences(shown, unit=unit, theme=present_theme())
        figure(fig, key=f"differences_{unit}_{are_trends}", alt=_describe(shown, unit))
    said = (
        "Dot: ours; a cross where it is contradicted. Grey: what the rule allows for ours; its bar is ± 2 sd of single "
        "runs, where there are several. Without grey the rule is about the bar: the interval of our runs must hold the "
        "printed number, at 0."
    )
    if any(are_trends for _, are_trends in kinds):
        said += (
            " Rows with a diamond are trends: the diamond is the printed difference, and the bar is ours ± 2 standard "
            "errors. A trend is reproduced where the whole bar is on the diamond's side of 0."
        )
    st.caption(said)


def _is_trend(row: Row) -> bool:
    return row.rule == str(published.SameSign())


def _show_sources(rows: Sequence[Row]) -> None:
    by_source = {key: published.counts([row for row in rows if _key(row) == key]) for key in SOURCES}
    told = [(key.capitalize(), tuple(count.values())) for key, count in by_source.items()]
    fig = figures.verdict_counts(told, verdicts=tuple(published.VERDICTS), theme=present_theme())
    words = "; ".join(f"{name}: {', '.join(map(str, each))}" for name, each in told)
    figure(fig, key="sources", alt=f"Numbers that are {', '.join(published.VERDICTS)}, by source. {words}.")
    st.caption("Choose a source to see how far each of its numbers is from ours.")


def _chosen() -> list[Row]:
    source, verdict = SOURCE.present(), VERDICT.present()
    return [row for row in published.rows() if source in (ALL, _key(row)) and verdict in (ALL, row.verdict)]


def _key(row: Row) -> str:
    return next(key for key, document in SOURCES.items() if document == row.source)


def _compared(row: Row) -> figures.Compared:
    assert row.ours is not None and row.low is not None and row.high is not None and row.published is not None
    label = row.name.replace("_", " ").replace("vae", "VAE").replace("mc dropout", "MC dropout")
    difference, is_accepted = row.ours - row.published, row.verdict == "reproduced"
    if _is_trend(row):
        return figures.Compared(label, row.ours, row.low, row.high, 0.0, 0.0, is_accepted, row.published)
    if row.is_ours:
        low, high = row.low - row.published, row.high - row.published
        return figures.Compared(label, difference, low, high, 0.0, 0.0, is_accepted)
    reach = 2 * (row.spread or 0.0)
    below, above = row.published - row.low, row.high - row.published
    return figures.Compared(label, difference, difference - reach, difference + reach, below, above, is_accepted)


def _describe(rows: Sequence[figures.Compared], unit: str) -> str:
    if rows[0].printed is None:
        told = "; ".join(f"{row.label} {row.difference:+.2f}" for row in rows)
        return f"Ours minus published in {unit}: {told}."
    told = "; ".join(f"{row.label} {row.difference:+.2f}, printed {row.printed:+.2f}" for row in rows)
    return f"Differences in {unit}, ours and the printed ones: {told}."


def _show_verdicts(rows: Sequence[Row]) -> None:
    count = published.counts(rows)
    numbers([(verdict.capitalize(), f"{count[verdict]}", f"{means}.") for verdict, means in published.VERDICTS.items()])


def show_register_table() -> None:
    """The chosen rows by source and rule, with place, runs, verdict and the measurement that they come from."""
    heads = ("Quantity", "Place", "Published", "Ours ± sd", "Width", "Verdict", "Measurement")
    chosen = _chosen()
    if not chosen:
        st.caption("No row of this source has this verdict.")
    for source in dict.fromkeys(row.source for row in chosen):
        st.markdown(f"**{source}**")
        of_source = [row for row in chosen if row.source == source]
        for rule in dict.fromkeys(row.rule for row in of_source):
            st.caption(f"Rule: {rule}." if rule else "Not compared.")
            html_table(heads, [_cells(row) for row in of_source if row.rule == rule])


def _cells(row: Row) -> tuple[str, ...]:
    ours = "" if row.ours is None else row.told(row.ours)
    spread = "" if row.spread is None else f" ± {row.told(row.spread)}"
    seeds = f"{row.seeds} seed{'' if row.seeds == 1 else 's'}" if row.seeds else "not measured"
    width = f"{row.width} ({'ours' if row.is_ours else 'allowed'})" if row.width else ""
    return (
        _with_remark(row.quantity, row.settings),
        escape(row.place),
        escape(f"{row.printed or '–'} {row.unit}"),
        _with_remark(ours + spread, seeds),
        escape(width),
        _with_remark(SIGNS[row.verdict], row.reason),
        f"<code>{escape(row.command.rpartition(' ')[2])}</code>" if row.command else "",
    )


def _with_remark(words: str, remark: str) -> str:
    """Cells are HTML already."""
    return escape(words) + (f"<br><small>{escape(remark)}</small>" if remark else "")


def show_counts() -> None:
    """How many figures of each lecture there are."""
    counts = figure_index_views.counts()
    told = "; ".join(f"{name}: {count}" for name, count in counts)
    short = [(name.partition(":")[0], count) for name, count in counts]
    figure(figures.figure_counts(short, theme=present_theme()), key="coverage", alt=f"Figures of each lecture. {told}.")


def show_index() -> None:
    """All figures by lecture, each a link to the state of a page that shows it."""
    for key, name in figure_index_views.LECTURES.items():
        st.markdown(f"**{name}**")
        entries = [entry for entry in figure_index_views.ENTRIES if entry.lecture == key]
        html_table(("Figure", "Where on the page"), [(_link(entry), escape(entry.note)) for entry in entries])


def _link(entry: figure_index_views.Entry) -> str:
    return f'<a href="{escape(entry.address)}">{escape(entry.title)}</a>'


def html_table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table of cells that are HTML already; on a phone it scrolls sideways."""
    head = "".join(f"<th scope='col'>{escape(name)}</th>" for name in heads)
    lines = ("".join(f"<td>{cell}</td>" for cell in row) for row in rows)
    body = "".join(f"<tr>{line}</tr>" for line in lines)
    table = f"<table class='published'><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"
    theme = present_theme()
    style = TABLE_STYLE.replace("LINK", theme.text(theme.mean))
    st.html(f"{style}<div class='wide-table'>{table}</div>")
