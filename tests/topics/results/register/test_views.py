"""The register: it shows every claim with its verdict, and our difference beside a printed one."""

from __future__ import annotations

import re
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
from tests.topics.shared.page_results import result_of


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


def test_a_bar_is_the_number_of_a_sources_numbers_with_a_verdict():
    fig: Any = drawn().figures[0].figure
    compared = [row for row in published.rows() if row.rule]
    for bar in fig.data:
        of_source = Counter(row.source for row in compared if row.verdict == bar.name)
        found = dict(zip(fig.layout.yaxis.ticktext[1:], bar.x[1:], strict=True))
        assert {
            controls.SOURCES[re.split("[ ,<]", name)[0].lower()]: count for name, count in found.items() if count
        } == of_source
        assert bar.x[0] == sum(found.values()) == numbers_in(bar.text[0])[0]
    assert [len(compared), *(bar.x[0] for bar in fig.data)] == numbers_in(drawn().says)


@pytest.mark.parametrize("verdict", controls.COMPARED)
def test_where_a_line_lies_is_the_verdict(verdict: str):
    """In the grey, outside or across its edge; a dot is found by its words."""
    fig: Any = drawn(verdict=verdict).figures[0].figure
    rows = {(row.quantity, row.printed): row for row in published.rows() if row.verdict == verdict}
    aside, trends, [trace] = fig.layout.xaxis.tickvals[-1], 0, fig.data
    ends = (trace.x - trace.error_x.arrayminus, trace.x + trace.error_x.array)
    for x, words, low, high in zip(trace.x, trace.text, *ends, strict=True):
        quantity, numbers, told = words.split("<br>")
        row = rows.pop((quantity, numbers.split(",")[0].removeprefix("printed ")))
        assert told == verdict and verdict in trace.name
        if "sign" in row.rule:
            trends += 1
            assert x == pytest.approx(aside)
        elif row.seeds == 1:
            assert low == high and verdict == "inconclusive"
        else:
            is_in, is_out = max(abs(low), abs(high)) <= 1, low > 1 or high < -1
            assert verdict == ("reproduced" if is_in else "contradicted" if is_out else "inconclusive")
            assert row.ours is not None and row.published is not None
            assert np.sign(x) == pytest.approx(np.sign(row.ours - row.published))
    assert not rows and trends in numbers_in(" ".join(drawn(verdict=verdict).words))


def test_of_one_lecture_most_numbers_come_out_again_and_of_the_others_less_than_half():
    judged = [row for row in published.rows() if row.rule]
    of_lee = [row.verdict == "reproduced" for row in judged if row.source == controls.SOURCES["lee"]]
    of_others = [row.verdict == "reproduced" for row in judged if row.source != controls.SOURCES["lee"]]
    assert np.mean(of_lee) > 0.8 and np.mean(of_others) < 0.4


@pytest.mark.parametrize("source", controls.SOURCES)
def test_a_source_is_chosen(source: str):
    of_source = [row for row in published.rows() if row.source == controls.SOURCES[source]]
    assert sorted(shown(source=source)) == sorted(map(views.cells, of_source))
    fig: Any = drawn(source=source).figures[0].figure
    compared = [row for row in of_source if row.rule]
    assert sum(len(trace.x) for trace in fig.data) == len(compared or of_source)
    if len(compared) <= views.NAMED:
        assert len(fig.layout.yaxis.tickvals) == len(compared or of_source), "Each number has a line and its name."


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


def test_a_line_is_the_interval_of_our_mean_in_units_of_what_is_allowed():
    by_name = {row.name: row for row in published.rows()}
    row = by_name["blundell_sgd"]
    mean, sd, printed = 1.44, np.std(row.values, ddof=1), 1.83
    half = stats.t.ppf(0.975, 2) * sd / np.sqrt(3)
    ends = [(end - printed) / (0.1 * printed) for end in (mean, mean - half, mean + half)]
    assert views.place(row) == pytest.approx(ends, abs=1e-3)
    value, low, high = views.place(by_name["lenet_ard_compression"])
    assert low == high == value


def test_an_empty_register_is_a_result_too(monkeypatch: pytest.MonkeyPatch):
    nothing = [register._row(claim, {}) for claim in published.CLAIMS]
    monkeypatch.setattr(published, "rows", lambda: nothing)
    assert drawn().figures and not any(numbers_in(row[3]) for row in shown())
