"""The command line: measure, print a Markdown table, write it to benchmarks/results as JSON and as an HTML report.

`python -m benchmarks readme FILE.json` puts such a run's tables into README.md and docs/performance.md;
`python -m benchmarks screen` measures first screens and drags of all pages (benchmarks/screen.py).
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import time
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path

from bdlviz.errors import InvalidInput
from benchmarks import html_report, readme, screen
from benchmarks.child import GROUPS, measure, why_not
from benchmarks.record import Record, commit
from benchmarks.report import machine, table

RESULTS = Path(__file__).resolve().parent / "results"
ROUNDS, QUICK_ROUNDS = 5, 2
MINUTES = 30.0


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure the chosen groups one after another; 1 if a group failed (a missed target is no failure)."""
    words = sys.argv[1:] if arguments is None else list(arguments)
    if words[:1] == ["readme"]:
        return _readme(words[1:])
    if words[:1] == ["screen"]:
        return screen.main(words[1:])
    options = _options(words)
    record = Record(machine(), options.rounds, f"{datetime.now().astimezone():%Y-%m-%dT%H:%M:%S%z}", commit())
    path = RESULTS / f"{datetime.now():%Y-%m-%d-%H%M%S}.json"
    RESULTS.mkdir(exist_ok=True)
    for name, cores in _chosen(options.groups or GROUPS):
        _add(record, name, cores, options.minutes)
        record.write(path)  # keeps finished results if a later group fails
    page = path.with_suffix(".html")
    page.write_text(html_report.report(record), encoding="utf-8")
    print(f"{record.where}\n{record.software}")
    print("A ratio above 1 means that the second of the two is faster.\n")
    print(table(record.rows))
    print("\n" + "\n".join([*record.gaps, record.duration, f"Written to {path} and {page.name} beside it."]))
    return int(bool(record.failed))


def _options(words: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"some of: {', '.join(GROUPS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each contender (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK_ROUNDS} rounds, for a first estimate")
    parser.add_argument(
        "--minutes", type=float, default=MINUTES, help="minutes after which no group is started (default: %(default)g)"
    )
    options = parser.parse_args(words)
    if unknown := set(options.groups) - set(GROUPS):
        parser.error(f"unknown group {', '.join(sorted(unknown))}; choose some of {', '.join(GROUPS)}")
    options.rounds = QUICK_ROUNDS if options.quick else options.rounds
    if options.rounds < 2:
        parser.error("--rounds must be at least 2: a range needs two values")
    return options


def _chosen(names: Iterable[str]) -> list[tuple[str, int | None]]:
    """Pairs of a group and a number of cores."""
    return [(name, cores) for name in names for cores in GROUPS[name].cores]


def _add(record: Record, name: str, cores: int | None, minutes: float) -> None:
    """Measure a group and add its rows to the record, or the reason why it was not measured."""
    key = f"{name} on {cores} core{'s' * (cores > 1)}" if cores else name
    is_late = sum(record.seconds.values()) > 60 * minutes
    if reason := why_not(name, cores) or (f"the {minutes:g} minutes were over" if is_late else ""):
        record.left_out[key] = reason
        print(f"{key}: left out, {reason}.", file=sys.stderr)
        return
    print(f"{key} ...", file=sys.stderr, flush=True)
    begin = time.monotonic()
    try:
        rows = measure(name, cores, record.rounds)
        record.rows += rows
        print(table(rows, header=False), file=sys.stderr)
    except subprocess.CalledProcessError:
        record.failed.append(key)
    record.seconds[key] = round(time.monotonic() - begin, 1)
    print(f"{key}: {record.seconds[key]:.0f} s", file=sys.stderr, flush=True)


def _readme(words: Sequence[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks readme", description=readme.__doc__)
    parser.add_argument("file", type=Path, metavar="FILE.json", help="the file of a run in benchmarks/results")
    parser.add_argument("rest", type=Path, nargs="*", metavar="REST.json", help="runs of groups missing in FILE.json")
    options = parser.parse_args(words)
    path: Path = options.file
    try:
        record = Record.read(path)
        for path in options.rest:
            record = record.completed_by(Record.read(path))
        readme.write(record)
    except (InvalidInput, OSError, KeyError, TypeError, ValueError) as error:
        parser.error(f"{path}: {error}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
