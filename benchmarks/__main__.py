"""The command line: measure, print a Markdown table, write it to benchmarks/results as JSON."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from datetime import datetime
from pathlib import Path

from benchmarks.child import GROUPS, measure, why_not
from benchmarks.report import Row, machine, table

RESULTS = Path(__file__).resolve().parent / "results"
ROUNDS, QUICK_ROUNDS = 5, 2


def main() -> int:
    """Measure the chosen groups one after the other; 1 if a group failed (a missed target is no failure)."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("groups", nargs="*", metavar="GROUP", help=f"some of: {', '.join(GROUPS)} (default: all)")
    parser.add_argument("--rounds", type=int, default=ROUNDS, help="runs of each contender (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help=f"{QUICK_ROUNDS} rounds: a first impression")
    arguments = parser.parse_args()
    if unknown := set(arguments.groups) - set(GROUPS):
        parser.error(f"unknown group {', '.join(sorted(unknown))}; choose some of {', '.join(GROUPS)}")
    rounds = QUICK_ROUNDS if arguments.quick else arguments.rounds
    if rounds < 2:
        parser.error("--rounds must be at least 2: a spread needs two values")
    where = machine()
    rows: list[Row] = []
    failed = []
    for name in arguments.groups or GROUPS:
        for cores in GROUPS[name].cores:
            if reason := why_not(name, cores):
                print(f"{name}: left out, {reason}.", file=sys.stderr)
                continue
            print(f"{name} ...", file=sys.stderr, flush=True)
            try:
                measured = measure(name, cores, rounds)
                print(table(measured, header=False), file=sys.stderr, flush=True)
                rows += measured
            except subprocess.CalledProcessError:
                failed.append(name)
    print(
        f"{where['processor']}, {where['cores']} cores, load {where['load']} before; Python {where['python']}, ", end=""
    )
    print(", ".join(f"{package} {number}" for package, number in where["packages"].items()))
    print(f"{rounds} rounds; a ratio above 1 says that the second of the two is faster.\n")
    print(table(rows))
    RESULTS.mkdir(exist_ok=True)
    path = RESULTS / f"{datetime.now():%Y-%m-%d-%H%M%S}.json"
    path.write_text(
        json.dumps({"machine": where, "rounds": rounds, "rows": [row.as_json() for row in rows]}, indent=1) + "\n"
    )
    if failed:
        print(f"\nFailed, see above: {', '.join(failed)}", file=sys.stderr)
    return int(bool(failed))


if __name__ == "__main__":
    sys.exit(main())
