"""The benchmarks' command: what it measures, writes and leaves out; nothing is timed here."""

from __future__ import annotations

import ast
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from bdlviz.errors import InvalidInput
from benchmarks import __main__ as command
from benchmarks import install, readme
from benchmarks.child import GROUPS
from benchmarks.html_report import panels, report
from benchmarks.record import ROOT, Record
from benchmarks.report import PEERS, WORKLOADS, Row, by_workload, table
from benchmarks.timing import Spread
from tests.html_reader import ADDRESSES, Reader

MACHINE = {
    "processor": "A <fast> one",
    "cores": 2,
    "load": 0.5,
    "system": "Linux x86_64",
    "python": "3.11.7",
    "packages": {"numpy": "2.4.6", "jax": "0.10.2"},
}
ROWS = [
    Row("one fit: eager / bdlviz", Spread(8.92, 6.58, 9.8), ">= 8", note="1 / 0.1 s", group="fit", workload=1),
    Row("one fit: JAX / bdlviz", Spread(0.91, 0.9, 1.0), ">= 1", group="jax", workload=1, versions={"jax": "0.10.2"}),
    Row("share of the products' speed", Spread(0.2, 0.2, 0.3), ">= 0.6", group="grid", workload=1),
    Row("largest memory", Spread(508.4, 500, 510), "<= 1000", "MB", group="digits", workload=2),
    Row("visitors", Spread(-0.01, -0.1, 0.2), "<= 1.1", "exponent", group="scaling", workload=8),
    Row("a <row> of no workload", Spread(3, 2, 4), unit="ms"),
]


def record() -> Record:
    """A run with a little of everything."""
    return Record(
        MACHINE, 5, "2026-11-22T18:00:00+0000", "abc", ROWS, {"fit": 90.0}, {"vae": "there was no time"}, ["chains"]
    )


def test_table() -> None:
    lines = table(ROWS).splitlines()
    assert lines[2] == "| one fit: eager / bdlviz | 8.92 (6.58 – 9.8) | >= 8 | yes | 1 / 0.1 s |"
    assert lines[3] == "| one fit: JAX / bdlviz | 0.91 (0.9 – 1) | >= 1 | **no** |  |"
    assert lines[5] == "| largest memory | 508 MB (500 – 510) | <= 1000 MB | yes |  |"
    assert lines[7] == "| a <row> of no workload | 3 ms (2 – 4) |  |  |  |"
    assert table(ROWS, header=False).splitlines() == lines[2:]


def test_margins() -> None:
    assert [round(row.margin, 2) for row in ROWS[:4]] == [1.11, 0.91, 0.33, 1.97]
    assert ROWS[4].is_met and ROWS[4].margin > 1
    assert readme.extremes(ROWS[:2]) == (ROWS[0], ROWS[1])
    assert readme.extremes(ROWS[3:4]) == (ROWS[3], ROWS[3])


def test_workloads_hold_every_row() -> None:
    found = by_workload(ROWS)
    assert [len(rows) for rows in found.values()] == [3, 1, 1, 1]
    assert next(iter(found)) == f"1. {WORKLOADS[1]}" and list(found)[-1] == "Others"


def test_json_keeps_everything(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    record().write(path)
    assert Record.read(path) == record()


def test_older_rows_can_be_read() -> None:
    old = {"what": "a", "value": {"median": 1, "low": 1, "high": 1}, "target": "", "unit": "x", "note": "", "is_met": 1}
    assert Row.from_json(old) == Row("a", Spread(1, 1, 1))


def test_report_shows_every_row_and_has_no_external_address() -> None:
    page = Reader(report(record()))
    told, attributes = page.text, [pair for _, attrs in page.elements for pair in attrs.items()]
    for row in ROWS:
        assert row.what in told and row.value_text in told
    assert "A <fast> one" in told and "there was no time" in told and "chains failed" in told
    assert not [value for name, value in attributes if name in ADDRESSES]
    assert any("default-src 'none'" in (value or "") for name, value in attributes if name == "content")


def test_panels_draw_every_row_and_target() -> None:
    drawn = panels(ROWS)
    figures = [fig.to_dict() for fig, _ in drawn.values()]
    assert list(drawn)[1] == f"2. {WORKLOADS[2]}: megabytes"
    bars, targets = zip(*(fig["data"] for fig in figures), strict=True)
    assert [base + x for bar in bars for x, base in zip(bar["x"], [bar["base"]] * len(bar["x"]), strict=True)] == [
        pytest.approx(row.value.median) for row in ROWS
    ]
    assert [x for trace in targets for x in trace["x"]] == [row.goal for row in ROWS if row.target]
    _, description = next(iter(drawn.values()))
    assert all(row.what in description for row in ROWS[:3])


def test_tables_go_between_their_markers_and_nowhere_else(tmp_path: Path) -> None:
    (tmp_path / "docs").mkdir()
    files = [tmp_path / "README.md", tmp_path / "docs" / "performance.md"]
    for path in files:
        path.write_text(f"before\n{readme.BEGIN}\nold\n{readme.END}\nafter\n", encoding="utf-8")
    readme.write(record(), tmp_path)
    written = [path.read_text(encoding="utf-8") for path in files]
    readme.write(record(), tmp_path)
    assert [path.read_text(encoding="utf-8") for path in files] == written
    for text in written:
        assert text.startswith(f"before\n{readme.BEGIN}\n") and text.endswith(f"\n{readme.END}\nafter\n")
        assert "old" not in text and "2026-11-22, A <fast> one, 2 cores" in text and "vae was left out" in text
    best, weakest = "one fit: eager / bdlviz: **8.92 (6.58 – 9.8)**", "one fit: JAX / bdlviz: **0.91 (0.9 – 1)**"
    command = "`python -m benchmarks fit jax`"
    assert f"- **Training MC dropout, one fit and grids**: {best}; at the least {weakest} ({command})" in written[0]
    assert all(row.what in written[1] for row in ROWS)


def test_a_run_is_completed_by_another() -> None:
    vae = Row("an epoch", Spread(1, 1, 1), group="vae", workload=4)
    chains = Row("chains", Spread(2, 2, 2), group="chains", workload=5)
    fit = Row("another fit", Spread(3, 3, 3), group="fit", workload=1)
    seconds = {"vae": 10.0, "chains": 20.0, "fit": 30.0}
    other = Record(MACHINE, 5, "2026-11-23T18:00:00+0000", "def", [vae, chains, fit], seconds, failed=["chains"])
    whole = record().completed_by(other)
    assert whole.rows == [*ROWS, vae] and whole.seconds == {"fit": 90.0, "vae": 10.0}
    assert not whole.left_out and whole.failed == ["chains"]
    assert "2026-11-23" in whole.gaps[-2] and whole.gaps[-2].endswith(": vae.")
    assert whole.completed_by(whole) == whole


@pytest.mark.parametrize("text", ["", readme.BEGIN, f"{readme.END}{readme.BEGIN}", 2 * (readme.BEGIN + readme.END)])
def test_documents_without_markers_stay_as_they_are(text: str) -> None:
    with pytest.raises(InvalidInput, match="put them around the table"):
        readme.between(text, "new", "README.md")


@pytest.mark.parametrize("name", ["README.md", "docs/performance.md"])
def test_documents_have_their_markers(name: str) -> None:
    assert "new" in readme.between((ROOT / name).read_text(encoding="utf-8"), "new", name)


def test_unknown_words_are_refused(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    for words, told in ((["no_such"], "unknown group no_such"), (["--rounds", "1"], "a range needs two values")):
        with pytest.raises(SystemExit):
            command.main(words)
        assert told in capsys.readouterr().err
    with pytest.raises(SystemExit):
        command.main(["readme", str(tmp_path / "missing.json")])
    assert "missing.json" in capsys.readouterr().err


@pytest.mark.parametrize("name", GROUPS)
def test_groups_exist(name: str) -> None:
    group = GROUPS[name]
    tree = ast.parse((ROOT / "benchmarks" / f"{group.module}.py").read_text(encoding="utf-8"))
    assert group.function in [part.name for part in tree.body if isinstance(part, ast.FunctionDef)]
    assert group.workload in {0, *WORKLOADS}


def test_a_run_keeps_finished_groups(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def measure(name: str, cores: int | None, rounds: int) -> list[Row]:
        if name == "vae":
            raise subprocess.CalledProcessError(1, name)
        return [replace(ROWS[0], group=name)] * rounds

    reasons = {"laplace on 1 core": "laplace is not installed"}
    monkeypatch.setattr(command, "RESULTS", tmp_path)
    monkeypatch.setattr(command, "measure", measure)
    monkeypatch.setattr(command, "why_not", lambda name, cores: "laplace is not installed" if name == "laplace" else "")
    assert command.main(["fit", "vae", "laplace", "--quick"]) == 1
    (path,) = tmp_path.glob("*.json")
    kept = Record.read(path)
    assert [row.group for row in kept.rows] == ["fit", "fit"] and kept.rounds == 2
    assert kept.failed == ["vae"] and kept.left_out == reasons and set(kept.seconds) == {"fit", "vae"}
    told = capsys.readouterr()
    assert "vae failed" in told.out and "laplace on 1 core was left out: laplace is not installed." in told.out
    assert path.with_suffix(".html").read_text(encoding="utf-8").startswith("<!DOCTYPE html>")


def test_no_group_begins_when_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    late = replace(record(), seconds={"fit": 61.0}, left_out={})
    monkeypatch.setattr(command, "why_not", lambda name, cores: "")
    monkeypatch.setattr(command, "measure", lambda name, cores, rounds: pytest.fail("it began"))
    command._add(late, "grid", 2, minutes=1)
    assert late.left_out == {"grid on 2 cores": "the 1 minutes were over"}


def test_every_peer_is_pinned() -> None:
    pins = install.LIST.read_text(encoding="utf-8").splitlines()
    pinned = {install.name_of(line.partition("==")[0]) for line in pins if "==" in line}
    assert {install.name_of(package) for package in PEERS.values()} <= pinned


def test_peers_that_do_not_import_are_noticed() -> None:
    assert "No module named 'no_such_peer'" in install.why_not_imported("no_such_peer")
    assert install.why_not_imported("json") == ""
