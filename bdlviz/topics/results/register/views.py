"""Published numbers beside ours: the verdicts of the rows, and how far our numbers are from the printed ones."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from html import escape

from bdlviz import published
from bdlviz.digits import percent
from bdlviz.published import Row
from bdlviz.topics.results.register import figures
from bdlviz.topics.results.register.controls import (
    ALL,
    COMPARED,
    SIGNS,
    SOURCE,
    VERDICT,
    chosen,
    headline,
    key_of,
)
from bdlviz.topics.results.register.views_rows import rows as rows_of
from bdlviz.ui.model import Figure, Folded, Formula, Part, Result, Says, Screen, Setting, Table, Words

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
    listed = [rows_of(rows), Words(RANGES)] if rows else [Words(NOTHING)]
    return Result([Says(headline(rows)), *pictures, *listed], RULES, (published.rows, *published.RULES), CALL)


def _sources(rows: Sequence[Row], screen: Screen, verdict: str) -> list[Part]:
    """Ours divided by the printed numbers: those that are compared, or those with the chosen verdict."""
    is_all = verdict == ALL and any(row.verdict in COMPARED for row in rows)
    kept = [row for row in rows if not is_all or row.verdict in COMPARED]
    count = Counter(row.source for row in kept)
    kept.sort(key=lambda row: (-count[row.source], row.source, [*published.VERDICTS].index(row.verdict)))
    worst = [] if screen.is_narrow else farthest(kept)
    dots = [
        figures.Dot(source_of(row), ratio(row), row.verdict, _hover(row), _how_far_off(row) if row in worst else "")
        for row in kept
    ]
    reach = 1.1 * max((max(each, 1 / each) for each in map(ratio, published.rows()) if each > 0), default=2.0)
    fig = figures.ratios(dots, reach=reach, theme=screen.theme, is_narrow=screen.is_narrow)
    told = "; ".join(dot.words.replace("<br>", ", ") for dot in dots if dot.name)
    without = sum(math.isnan(dot.ratio) for dot in dots)
    return [
        Figure("sources", fig, f"Ours divided by printed, {len(dots)} numbers by source. Farthest from 1: {told}."),
        Words(
            "Each dot is one number; point at it to read it. The spread of runs decides, not the ratio: a dot far from "
            f"1 can be reproduced, and one near 1 contradicted. {without} have no ratio: of a trend only the sign is "
            "compared, and without a printed number or a measurement there is none. Inconclusive: our runs are too few "
            "or differ too much. The menu *Verdict* also shows what is not compared; the menu *Source* shows the "
            "numbers of one source with their intervals."
        ),
    ]


def source_of(row: Row) -> str:
    """The first author of a source and its kind."""
    return f"{key_of(row).capitalize()} ({'lecture' if 'slides' in row.source else 'paper'})"


def ratio(row: Row) -> float:
    """Ours divided by the printed number; NaN for a trend, for other signs, and where one of them is missing."""
    if row.ours is None or not row.published or is_trend(row) or row.ours / row.published <= 0:
        return math.nan
    return row.ours / row.published


def farthest(rows: Sequence[Row]) -> list[Row]:
    """The contradicted numbers with the smallest and with the largest ratio."""
    failed = [row for row in rows if row.verdict == "contradicted" and ratio(row) > 0]
    return [choose(failed, key=ratio) for choose in (min, max)] if failed else []


def _how_far_off(row: Row) -> str:
    off = ratio(row) - 1
    told = row.quantity.replace(" = ", "\N{NO-BREAK SPACE}=\N{NO-BREAK SPACE}")
    return f"{told}: {percent(abs(off))} {'above' if off > 0 else 'below'}"


def _hover(row: Row) -> str:
    ours = "not measured" if row.ours is None else row.told(row.ours)
    return f"{row.quantity}<br>printed {row.printed or 'nowhere'}, ours {ours} {row.unit}<br>{row.verdict}"


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
