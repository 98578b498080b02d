"""The register: it shows every claim with its verdict, and our difference beside a printed one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bdlviz import published
from bdlviz.published import register
from bdlviz.topics.results.register import controls, views
from bdlviz.ui.model import Result, Setting, Table
from tests.told import numbers_in
from tests.topics.shared.page_results import named, result_of


def drawn(**values: str) -> Result:
    return result_of("register", values)


def shown(**values: str) -> list[tuple[str, ...]]:
    """The rows of the tables under the picture."""
    tables = [part for part in views.table(Setting(values)) if isinstance(part, Table)]
    return [tuple(row) for table in tables for row in table.rows]


def test_every_claim_is_listed():
    rows = published.rows()
    assert sorted(shown()) == sorted(map(views.cells, rows))
    assert all(f"{row.seeds} seed" in views.cells(row)[3] or not row.seeds for row in rows)


def test_the_numbers_of_the_sentence_are_those_at_the_colours():
    fig: Any = drawn().figures[0].figure
    compared = [row for row in published.rows() if row.rule]
    names = [bar.name.split()[0] for bar in fig.data]
    assert names == list(controls.COMPARED)
    legend = [numbers_in(bar.name)[0] for bar in fig.data]
    assert legend == numbers_in(drawn().says)[1:] == [float(sum(bar.x)) for bar in fig.data]
    assert sum(legend) == numbers_in(drawn().says)[0] == len(compared)
    above = [int(note.text) for note in fig.layout.annotations if note.text.isdigit()]
    counted = Counter((row.source, row.verdict) for row in compared)
    assert sorted(above) == sorted(counted.values())


def test_the_worst_contradiction_has_its_numbers_at_the_bar_of_its_source():
    fig: Any = drawn().figures[0].figure
    [note] = [note for note in fig.layout.annotations if "Printed" in note.text]
    failed = [row for row in published.rows() if row.verdict == "contradicted" and "trend" not in row.rule]
    off = {row.name: np.mean(row.values) / (row.published or np.nan) - 1 for row in failed}
    worst = max(failed, key=lambda row: abs(off[row.name]))
    printed, ours, share = numbers_in(note.text)[-3:]
    assert printed == worst.published and ours == pytest.approx(np.mean(worst.values), abs=6e-4)
    assert share == pytest.approx(100 * abs(off[worst.name]), abs=0.6)
    assert controls.SOURCES["gal"] == worst.source and fig.layout.yaxis.ticktext[note.y].startswith("Gal")


def test_of_one_lecture_most_numbers_come_out_again_and_of_the_others_less_than_half():
    judged = [row for row in published.rows() if row.rule]
    of_lee = [row.verdict == "reproduced" for row in judged if row.source == controls.SOURCES["lee"]]
    of_others = [row.verdict == "reproduced" for row in judged if row.source != controls.SOURCES["lee"]]
    assert np.mean(of_lee) > 0.8 and np.mean(of_others) < 0.4


@pytest.mark.parametrize("source", controls.SOURCES)
def test_a_source_is_chosen(source: str):
    of_source = [row for row in published.rows() if row.source == controls.SOURCES[source]]
    assert sorted(shown(source=source)) == sorted(map(views.cells, of_source))
    kinds = {(row.unit, views.is_trend(row)) for row in of_source if row.low is not None}
    assert len(drawn(source=source).figures) == max(1, len(kinds))


def test_a_trend_shows_our_difference_beside_the_printed_one():
    every: list[Any] = [each.figure for each in drawn(source="blundell").figures]
    [fig] = [each for each in every if named(each, "printed")]
    found = [row for row in published.rows() if row.name.startswith("blundell_") and "_over_" in row.name]
    [printed] = named(fig, "printed")
    assert list(printed.x) == pytest.approx([row.published for row in found], rel=1e-5)
    ours = [float(trace.x[0]) for trace in fig.data if trace.name != "printed"]
    assert ours == pytest.approx([row.ours for row in found], rel=1e-5) and len(found) == 3


def test_a_verdict_is_chosen():
    rows = published.rows()
    for verdict in controls.SIGNS:
        of_verdict = [row for row in rows if row.verdict == verdict]
        assert sorted(shown(verdict=verdict)) == sorted(map(views.cells, of_verdict))


def test_the_sources_of_the_menu_are_those_of_the_claims():
    assert set(controls.SOURCES.values()) == {claim.document for claim in published.CLAIMS}


def test_a_choice_without_rows_gets_a_sentence():
    empty = [(s, v) for s in controls.SOURCES for v in controls.SIGNS if not shown(source=s, verdict=v)]
    source, verdict = empty[0]
    result = Result(views.table(Setting({"source": source, "verdict": verdict})))
    assert result.words
    assert len(drawn(source=source, verdict=verdict).figures) == 1


def test_the_page_says_how_many_come_out_again():
    rows, told = published.rows(), drawn().says
    count = published.counts(rows)
    compared = sum(row.rule != "" for row in rows)
    assert numbers_in(told) == [compared, count["reproduced"], count["contradicted"], count["inconclusive"]]
    assert 2 * count["reproduced"] > compared, "The claim of the page: most of them."
    of_one = [numbers_in(drawn(verdict=verdict).says) for verdict in controls.COMPARED]
    assert of_one == [[count[verdict]] for verdict in controls.COMPARED]


def test_the_bar_of_a_row_is_its_interval():
    by_name = {row.name: row for row in published.rows()}
    row = by_name["blundell_sgd"]
    mean, sd, printed = 1.44, np.std(row.values, ddof=1), 1.83
    half = stats.t.ppf(0.975, 2) * sd / np.sqrt(3)
    compared = views._compared(row)
    assert (compared.low, compared.high) == pytest.approx((mean - half - printed, mean + half - printed), abs=1e-3)
    single = views._compared(by_name["lenet_ard_compression"])
    assert single.low == single.high == single.difference and single.verdict == "inconclusive"


def test_an_empty_register_is_a_result_too(monkeypatch: pytest.MonkeyPatch):
    nothing = [register._row(claim, {}) for claim in published.CLAIMS]
    monkeypatch.setattr(published, "rows", lambda: nothing)
    assert drawn().figures and not any(numbers_in(row[3]) for row in shown())
