"""The command line: ``python -m bdlviz train --all``, ``train NAME ...``, ``check``, ``register``, ``measure NAME``."""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from bdlviz import published
from bdlviz.errors import InvalidInput
from bdlviz.fitted import shelf
from bdlviz.processes import executors
from bdlviz.studies import builds

DESCRIPTION = "Train and check the shipped checkpoints; measure and print the register of published numbers."
STOPPED = 130  # the exit status of a program that Ctrl-C ended


def main(arguments: list[str] | None = None) -> int:
    """Run a command; returns the exit status."""
    options = _parser().parse_args(arguments)
    try:
        if options.command == "check":
            return _check(options.folder)
        if options.command == "register":
            return _register(options.json)
        if options.command == "measure":
            return _measure(options.name)
        return _train(options)
    except InvalidInput as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        kept = (
            "; finished checkpoints are kept (--missing makes only missing ones)" if options.command == "train" else ""
        )
        print(f"Stopped{kept}.", file=sys.stderr)
        return STOPPED


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m bdlviz", description=DESCRIPTION)
    commands = parser.add_subparsers(dest="command", required=True)
    train = commands.add_parser("train", help="train shipped checkpoints again")
    names = ", ".join([*builds.GROUPS, *builds.STUDIES, *builds.ARRAYS])
    train.add_argument("names", nargs="*", metavar="NAME", help=names)
    train.add_argument("--all", action="store_true", help="all of them")
    train.add_argument(
        "--missing",
        action="store_true",
        help="only checkpoints that are missing, damaged or made with other versions",
    )
    where = train.add_mutually_exclusive_group()
    where.add_argument("--jobs", type=_count, metavar="N", help="in parallel, in N processes of this machine")
    where.add_argument("--dask", metavar="ADDRESS", help="on a Dask cluster, its scheduler's address: tcp://host:8786")
    check = commands.add_parser("check", help="compare the shipped checkpoints with their manifest and read each")
    for command in (train, check):
        command.add_argument("--folder", type=Path, default=shelf.folder(), help="folder of the checkpoints")
    numbers = commands.add_parser("register", help="print the register of published numbers")
    numbers.add_argument("--json", action="store_true", help="as a list of rows")
    measure = commands.add_parser("measure", help="measure the value of a row of the register")
    measure.add_argument("name", choices=tuple(published.MEASUREMENTS))
    return parser


def _count(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"a whole number from 1 on, not {text}")
    return int(text)


def _train(options: argparse.Namespace) -> int:
    is_everything = options.all or (options.missing and not options.names)
    names = builds.chosen(options.names, is_everything)
    if options.missing:
        names = _needed(names, options.folder)
    place = _place(options)
    seconds = builds.expected_seconds(names)
    if place.width != 1:  # the longest first, so that no processor waits at the end for a long one
        names.sort(key=lambda name: -seconds[name])
    jobs = [executors.Job(name, builds.build, (name,), seconds[name]) for name in names]
    return _put_all(jobs, place, options.folder)


def _place(options: argparse.Namespace) -> executors.Place:
    if options.dask:
        return executors.Dask(options.dask)
    return executors.Processes(options.jobs) if options.jobs else executors.ThisProcess()


def _needed(names: Sequence[str], folder: Path) -> list[str]:
    """The checkpoints that must be made; prints the reasons."""
    reasons = {name: reason for name in names if (reason := builds.why_to_build(name, folder))}
    for name, reason in reasons.items():
        print(f"{name}: to be trained, since {reason.rstrip('.')}.")
    print(f"{len(reasons)} of {len(names)} have to be trained.")
    return list(reasons)


def _put_all(jobs: Sequence[executors.Job[builds.Built | None]], place: executors.Place, folder: Path) -> int:
    """Write each checkpoint as soon as it is made; print failures and continue with the others."""
    num_failed = 0
    with closing(executors.run(jobs, place)) as outcomes:
        for outcome in outcomes:
            name, built, done = outcome.job.name, outcome.value, f"({outcome.progress})"
            if outcome.failure is not None:
                num_failed += 1
                print(f"{name}: {outcome.failure.sentence} {done}\n{outcome.failure.trace}".strip(), file=sys.stderr)
            elif built is None:
                needs = builds.STUDIES[name].needs
                print(f"{name}: not changed, since {needs} is missing (set BDLVIZ_DATA to its folder). {done}")
            else:
                shelf.put(name, built.content, built.entry, folder)
                print(f"{name}: {len(built.content) / 1e6:.2f} MB in {built.seconds:.1f} s {done}", flush=True)
    return 1 if num_failed else 0


def _check(folder: Path) -> int:
    problems = 0
    for name in sorted({*builds.STUDIES, *builds.ARRAYS, *shelf.manifest(folder)}):
        try:
            builds.check(name, folder)
            print(f"{name}: fine")
        except InvalidInput as error:
            problems += 1
            print(f"{name}: {error}", file=sys.stderr)
    return 1 if problems else 0


def _register(as_json: bool) -> int:
    rows = published.rows()
    print(json.dumps(published.as_json(rows), indent=1, ensure_ascii=False) if as_json else published.table(rows))
    return 0


def _measure(name: str) -> int:
    start = time.perf_counter()
    published.measure(name)
    rows = [row for row in published.rows() if row.command.endswith(f" {name}")]
    print(f"{published.table(rows)}\n\nmeasured in {time.perf_counter() - start:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
