"""Published numbers beside ours: the verdicts of the rows, and how far our numbers are from the printed ones."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from bdlviz import published
from bdlviz.digits import percent
from bdlviz.published import Row
from bdlviz.published.register import Verdict
from bdlviz.topics.results.register import figures
from bdlviz.topics.results.register.controls import (
    ALL,
    COMPARED,
    SIGNS,
    SOURCE,
    SOURCES,
    VERDICT,
    chosen,
    headline,
    key_of,
)
from bdlviz.topics.results.register.views_rows import rows as rows_of
from bdlviz.ui.model import Figure, Folded, Formula, Numbers, Part, Result, Says, Screen, Setting, Table, Words

CALL = """from bdlviz import published

for row in published.rows():
    print(row.source, row.quantity, row.published, row.ours, row.verdict, sep=" | ")
"""
DIFFERENCES = (
    "Dot: ours; a cross where it is contradicted, a ring where it is inconclusive. Grey: what the rule allows for "
    "ours. Bar: the 95 % interval of ours, if there are several runs. It decides: all of it lies in the grey where the "
    "number is reproduced, none where it is contradicted. Rows without grey: the bar must contain the printed number, "
    "at 0."
)
TRENDS = (
    " Rows with a diamond are trends: the diamond is the printed difference. A trend is reproduced where all of the "
    "bar is on the diamond's side of 0, and inconclusive where the bar contains 0 and the diamond."
)
RANGES = (
    "Vertical line: the published number. Dot: ours; diamond: contradicted; ring: inconclusive. Grey: what the rule "
    "allows for ours. Thin bar: the 95 % interval of ours, which decides. Every row has its own scale."
)
NOTHING = "No row of this source has this verdict."
RULES = (
    Formula(published.TwoPrintedSd, "A mean is printed with the sd of single runs.", {"m, s": "printed mean and sd"}),
    Formula(published.AmongOurRuns, "One run is printed.", {"p": "printed number", "y_r": "number of our run r"}),
    Formula(published.SameSign, "A trend is printed: the sign of a difference decides."),
)
HEADS = ("Quantity", "Place", "Published", "Ours ± sd", "Intervals", "Verdict", "Measurement")


def register(setting: Setting, screen: Screen, _: object) -> Result:
    """The rows as a table; below it how many have each verdict, or ours minus published of one source."""
    rows = chosen(setting)
    compared = [row for row in rows if row.low is not None]
    is_one = setting[SOURCE] != ALL and compared
    pictures = _differences(compared, screen) if is_one else _sources(rows, screen, setting[VERDICT])
    counts = _verdicts(rows)
    listed = [rows_of(rows), Words(RANGES)] if rows else [Words(NOTHING)]
    return Result([Says(headline(rows)), *pictures, counts, *listed], RULES, (published.rows, *published.RULES), CALL)


def _verdicts(rows: Sequence[Row]) -> Part:
    count = published.counts(rows)
    told = published.VERDICTS
    return Numbers([(verdict.capitalize(), f"{count[verdict]}", f"{told[verdict]}.") for verdict in COMPARED])


def _sources(rows: Sequence[Row], screen: Screen, verdict: str) -> list[Part]:
    """The numbers of each source with the chosen verdict, or by verdict and with the one that is farthest from ours."""
    by_source = {key: published.counts([row for row in rows if key_of(row) == key]) for key in SOURCES}
    is_all = verdict == ALL and any(row.verdict in COMPARED for row in rows)
    wanted: tuple[Verdict, ...] = (
        COMPARED if is_all else tuple(each for each in published.VERDICTS if verdict in (each, ALL))
    )
    totals = {key: sum(count[each] for each in wanted) for key, count in by_source.items()}
    keys = sorted([key for key in SOURCES if totals[key]] or SOURCES, key=lambda key: -totals[key])
    names = [f"{key.capitalize()}{' (lecture)' if 'slides' in SOURCES[key] else ' (paper)'}" for key in keys]
    told = [(name, [by_source[key][each] for each in wanted]) for name, key in zip(names, keys, strict=True)]
    worst = farthest(rows) if is_all and not (screen.is_narrow or screen.is_presenting) else None
    notes = [_farthest_off(worst) if worst is not None and key_of(worst) == key else "" for key in keys]
    fig = figures.verdict_counts(told, verdicts=wanted, notes=notes, theme=screen.theme, is_narrow=screen.is_narrow)
    words = "; ".join(f"{name}: {', '.join(map(str, each))}" for name, each in told)
    return [
        Figure("sources", fig, f"Numbers that are {', '.join(wanted)}, by source. {words}."),
        Words(
            "Inconclusive: our runs are too few or differ too much. Plain re-run: no source prints the number. "
            "Unverified: we lack the source or a measurement. Both are not compared, and only the menu *Verdict* shows "
            "them. Choose a source to see its numbers beside ours."
        ),
    ]


def farthest(rows: Sequence[Row]) -> Row | None:
    """The contradicted number that is farthest from ours, as a share of itself; trends are left out."""
    failed = [row for row in rows if row.verdict == "contradicted" and not is_trend(row)]
    return max(failed, key=_share_off, default=None)


def _share_off(row: Row) -> float:
    assert row.ours is not None and row.published is not None
    return abs(row.ours / row.published - 1)


def _farthest_off(row: Row) -> str:
    assert row.ours is not None and row.published is not None
    more = "above" if row.ours > row.published else "below"
    return (
        f"Contradicted most: {row.quantity}. Printed {row.told(row.published)}, ours {row.told(row.ours)}: "
        f"{percent(_share_off(row))} {more}."
    )


def _differences(compared: Sequence[Row], screen: Screen) -> list[Part]:
    kinds = dict.fromkeys((row.unit, is_trend(row)) for row in compared)
    parts: list[Part] = []
    for unit, are_trends in kinds:
        shown = [_compared(row) for row in compared if (row.unit, is_trend(row)) == (unit, are_trends)]
        fig = figures.differences(shown, unit=unit, theme=screen.theme, is_narrow=screen.is_narrow)
        parts.append(Figure(f"differences_{unit}_{are_trends}", fig, _describe(shown, unit)))
    has_trends = any(are_trends for _, are_trends in kinds)
    return [*parts, Words(DIFFERENCES + (TRENDS if has_trends else ""))]


def is_trend(row: Row) -> bool:
    """True if the rule of a row compares the sign of a difference."""
    return row.rule == str(published.SameSign())


def label_of(row: Row) -> str:
    """A row in a few words."""
    name = row.name.removeprefix(f"{key_of(row)}_").replace("_", " ")
    return name.replace("vae", "VAE").replace("mc dropout", "MC dropout").replace("sgd", "SGD")


def _compared(row: Row) -> figures.Compared:
    assert row.ours is not None and row.low is not None and row.high is not None and row.published is not None
    assert row.verdict in ("reproduced", "contradicted", "inconclusive")
    origin = 0.0 if is_trend(row) else row.published
    low, high = (row.ours if end is None else end for end in (row.our_low, row.our_high))
    below, above = (0.0, 0.0) if row.is_ours else (row.published - row.low, row.high - row.published)
    printed = row.published if is_trend(row) else None
    bar = (row.ours - origin, low - origin, high - origin)
    return figures.Compared(label_of(row), *bar, below, above, row.verdict, printed)


def _describe(rows: Sequence[figures.Compared], unit: str) -> str:
    if rows[0].printed is None:
        told = "; ".join(f"{row.label} {row.difference:+.2f}" for row in rows)
        return f"Ours minus published in {unit}: {told}."
    told = "; ".join(f"{row.label} {row.difference:+.2f}, printed {row.printed:+.2f}" for row in rows)
    return f"Differences in {unit}, ours and the printed ones: {told}."


# The table ------------------------------------------------------------------------------------------------------------


def details(setting: Setting) -> list[Part]:
    """The chosen rows with everything that is known of them, closed at first."""
    return [Folded("Place, rule, runs and measurement of every row", table(setting))] if chosen(setting) else []


def table(setting: Setting) -> list[Part]:
    """The chosen rows by source and rule, with place, runs, verdict and the measurement that they come from."""
    rows, parts = chosen(setting), list[Part]()
    for source in dict.fromkeys(row.source for row in rows):
        parts.append(Words(f"**{source}**", "markdown"))
        of_source = [row for row in rows if row.source == source]
        for rule in dict.fromkeys(row.rule for row in of_source):
            parts.append(Words(f"Rule: {rule}." if rule else "Not compared."))
            parts.append(Table(HEADS, [cells(row) for row in of_source if row.rule == rule]))
    return parts or [Words(NOTHING)]


def cells(row: Row) -> tuple[str, ...]:
    """The cells of a row, as HTML."""
    ours = "" if row.ours is None else row.told(row.ours)
    spread = "" if row.spread is None else f" ± {row.told(row.spread)}"
    seeds = f"{row.seeds} seed{'' if row.seeds == 1 else 's'}" if row.seeds else "not measured"
    allowed = "" if row.is_ours or not row.width else f"{row.width} (allowed)"
    of_ours = f"{row.our_interval} (ours)" if row.our_interval else ""
    return (
        _with_remark(row.quantity, row.settings),
        escape(row.place),
        escape(f"{row.printed or '–'} {row.unit}"),
        _with_remark(ours + spread, seeds),
        "<br>".join(escape(each) for each in (of_ours, allowed) if each),
        _with_remark(SIGNS[row.verdict], row.reason),
        f"<code>{escape(row.command.rpartition(' ')[2])}</code>" if row.command else "",
    )


def _with_remark(words: str, remark: str) -> str:
    return escape(words) + (f"<br><small>{escape(remark)}</small>" if remark else "")
