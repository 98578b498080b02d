"""The controls of the register: which source and which verdict, and what a verdict means."""

from __future__ import annotations

from collections.abc import Sequence

from bdlviz import published
from bdlviz.published import Row
from bdlviz.published.register import Verdict
from bdlviz.ui.controls.control import Control
from bdlviz.ui.model import Note, Panel, Setting

SIGNS: dict[str, str] = {
    "reproduced": "✓ reproduced",
    "contradicted": "✗ contradicted",
    "inconclusive": "? inconclusive",
    "plain re-run": "○ plain re-run",
    "unverified": "– unverified",
}
COMPARED: tuple[Verdict, ...] = ("reproduced", "contradicted", "inconclusive")
ALL = "all"
SOURCES = {document.split()[0].strip(",").lower(): document for document in (c.document for c in published.CLAIMS)}
SOURCE = Control(
    "source",
    "Numbers of",
    (ALL, *SOURCES),
    ALL,
    "buttons",
    "First author of the lecture or paper that prints the numbers.",
    {ALL: "all sources", **{key: key.capitalize() for key in SOURCES}},
)
VERDICT = Control(
    "verdict",
    "Verdict",
    (ALL, *SIGNS),
    ALL,
    "menu",
    "Whether our runs reproduce the number, by the rule of its row.",
    {ALL: "All verdicts", **SIGNS},
)
COMMANDS = (
    "`python -m bdlviz measure NAME` repeats a measurement. `python -m bdlviz register` prints the table as Markdown, "
    "with `--json` as JSON."
)


def chosen(setting: Setting) -> list[Row]:
    """The rows of the chosen source with the chosen verdict."""
    source, verdict = setting[SOURCE], setting[VERDICT]
    return [row for row in published.rows() if source in (ALL, key_of(row)) and verdict in (ALL, row.verdict)]


def key_of(row: Row) -> str:
    """The option of `SOURCE` for the source of a row."""
    return next(key for key, document in SOURCES.items() if document == row.source)


def rules(rows: Sequence[Row]) -> str:
    """The rules of the verdicts, as Markdown."""
    told = "\n".join(f"- {rule}" for rule in dict.fromkeys(row.rule for row in rows) if rule)
    return f"A verdict follows from our runs and from the rule for that kind of source:\n\n{told}"


def headline(rows: Sequence[Row]) -> str:
    """How many of the numbers that are compared are reproduced, contradicted and inconclusive, as a sentence."""
    count = published.counts(rows)
    compared = sum(count[verdict] for verdict in COMPARED)
    found = {verdict: f"{count[verdict]} {verdict}" for verdict in COMPARED if count[verdict]}
    if not found:
        return "None of these numbers is compared with ours."
    if compared == 1:
        return f"The only number of this choice is {next(iter(found))}."
    if len(found) == 1:
        return f"All {compared} numbers of this choice are {next(iter(found))}."
    *first, last = found.values()
    authors = {key_of(row).capitalize() for row in rows}
    of = f" of {authors.pop()}" if len(authors) == 1 else ""
    return f"{compared} published numbers{of} in our runs: {', '.join(first)} and {last}."


def not_compared(rows: Sequence[Row]) -> str:
    """How many rows are not compared, and how many verdicts are wrong by chance."""
    count = published.counts(rows)
    logs = sum(row.rule == str(published.AmongOurRuns()) for row in rows)
    return (
        f"{count['plain re-run']} more rows are plain re-runs, which no source prints, and {count['unverified']} are "
        f"unverified: they are not compared. Of {logs} numbers from training logs, about {0.05 * logs:.0f} lie outside "
        "the central 95 % by chance."
    )


CONTROLS = (
    VERDICT,
    Panel(
        "How verdicts are made",
        (
            Note(lambda _: rules(published.rows())),
            Note(lambda _: not_compared(published.rows())),
            Note(lambda _: COMMANDS),
        ),
    ),
)
