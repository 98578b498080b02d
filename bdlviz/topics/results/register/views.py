"""Published numbers beside ours: the verdicts of the rows, and how far our numbers are from the printed ones."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence
from html import escape

from bdlviz import published
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
RANGES = (
    "Vertical line: the published number. Dot: ours; diamond: contradicted; ring: inconclusive. Grey: what the rule "
    "allows for ours. Thin bar: the 95 % interval of ours, which decides. Every row has its own scale."
)
PLACES = (
    "Each dot is one number; point at it to read it. Grey: what its rule allows, 10 % of the printed number or two "
    "printed standard deviations. A line is the 95 % interval of our mean: it lies in the grey where the number is "
    "reproduced, outside where it is contradicted, across the edge where it is inconclusive. Dots without a line are "
    "single printed runs or standard deviations, for which 95 % of our runs are the grey; rings without a line are one "
    "run of ours. Of {} trends only the sign is compared."
)
NOTHING = "No row of this source has this verdict."
RULES = (
    Formula(published.TwoPrintedSd, "A mean is printed with the sd of single runs.", {"m, s": "printed mean and sd"}),
    Formula(published.AmongOurRuns, "One run is printed.", {"p": "printed number", "y_r": "number of our run r"}),
    Formula(published.SameSign, "A trend is printed: the sign of a difference decides."),
)
NAMED = 21  # so many numbers have their names in the picture
HEADS = ("Quantity", "Place", "Published", "Ours ± sd", "Intervals", "Verdict", "Measurement")


def register(setting: Setting, screen: Screen, _: object) -> Result:
    """Ours minus the printed numbers in units of what is allowed, and the rows as a table."""
    rows = chosen(setting)
    listed = [rows_of(rows), Words(RANGES)] if rows else [Words(NOTHING)]
    says, pictures = Says(headline(rows)), _picture(rows, screen, setting)
    return Result([says, *pictures, *listed], RULES, (published.rows, *published.RULES), CALL)


def _picture(rows: Sequence[Row], screen: Screen, setting: Setting) -> list[Part]:
    """How many numbers of each source have which verdict; of a chosen source or verdict, each number at its place."""
    is_all = setting[VERDICT] == ALL and any(row.verdict in COMPARED for row in rows)
    kept = [row for row in rows if not is_all or row.verdict in COMPARED]
    look = {"theme": screen.theme, "is_narrow": screen.is_narrow}
    if is_all and setting[SOURCE] == ALL:
        counts = {f"All {len(kept)}": published.counts(kept)}
        for source, _ in Counter(source_of(row, screen) for row in kept).most_common():
            counts[source] = published.counts([row for row in kept if source_of(row, screen) == source])
        others = Counter(key_of(row).capitalize() for row in rows if row.verdict not in COMPARED)
        more = ", ".join(f"{source} {count}" for source, count in others.items())
        told = "; ".join(f"{source}: {count['reproduced']} reproduced" for source, count in counts.items())
        return [Figure("sources", figures.counted(counts, more, **look), f"{headline(kept)} By source: {told}.")]
    order = {verdict: index for index, verdict in enumerate(published.VERDICTS)}
    kept.sort(key=lambda row: (order[row.verdict], math.isnan(place(row)[0]), place(row)[0]))
    are_named, is_one = len(kept) <= NAMED, setting[SOURCE] != ALL
    groups = [
        _named(row, screen) if are_named else row.quantity.split(",")[0] if is_one else source_of(row, screen)
        for row in kept
    ]
    count = Counter(groups)
    dots = [
        figures.Dot(group, *place(row), row.verdict, _hover(row))
        for group, row in sorted(zip(groups, kept, strict=True), key=lambda each: -count[each[0]])
    ]
    ends = [abs(end) for row in published.rows() for end in place(row) if not math.isnan(end)]
    aside = "only its<br>sign" if any(map(is_trend, kept)) else "not<br>compared"
    fig = figures.placed(dots, reach=1.05 * max(ends, default=2.0), aside=aside, **look)
    told = "; ".join(groups) if are_named else ""
    return [
        Figure("sources", fig, f"Our value minus the printed one, for {len(dots)} numbers: {told}."),
        Words(PLACES.format(sum(map(is_trend, kept)))),
    ]


def place(row: Row) -> tuple[float, float, float]:
    """Ours minus the printed number, and the ends of its interval, in units of what the rule allows; else NaN.

    Where the rule is about the spread of our runs, this spread is the unit, and there is no interval.
    """
    if row.ours is None or row.low is None or row.high is None or row.published is None or is_trend(row):
        return math.nan, math.nan, math.nan
    off = row.ours - row.published
    if row.is_ours:
        off /= row.ours - row.low if off > 0 else row.high - row.ours
        return off, off, off
    bar = (row.ours if end is None else end for end in (row.our_low, row.our_high))
    low, high = ((end - row.published) / (row.high - row.published) for end in bar)
    return off / (row.high - row.published), low, high


def source_of(row: Row, screen: Screen) -> str:
    """The first author of a source, and except on a phone its kind."""
    year = re.search(r"\d{4}", row.source)
    kind = f" {year[0]}, paper" if year else ", lecture"
    return key_of(row).capitalize() + ("<br>" if screen.is_narrow else kind)


def _hover(row: Row) -> str:
    ours = "not measured" if row.ours is None else row.told(row.ours)
    return f"{row.quantity}<br>printed {row.printed or 'nowhere'}, ours {ours} {row.unit}<br>{row.verdict}"


def is_trend(row: Row) -> bool:
    """True if the rule of a row compares the sign of a difference."""
    return row.rule == str(published.SameSign())


def _named(row: Row, screen: Screen) -> str:
    """A row in a few words, except on a phone with both numbers."""
    name = row.name.removeprefix(f"{key_of(row)}_").replace("_", " ")
    name = (
        name.replace("vae", "VAE")
        .replace("mc dropout", "MC dropout")
        .replace("sgd", "SGD")
        .replace("gaussian", "Gaussian")
    )
    numbers = "" if row.ours is None else f": {row.told(row.ours)}, printed {row.printed}".replace("-", "−")
    return name if screen.is_narrow else name + numbers


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
