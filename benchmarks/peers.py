"""Peers (other libraries): import of those that are installed, and rows that compare them with bdlviz."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.report import Row
from benchmarks.timing import Runs
from benchmarks.without_cuda import declare_operators


@cache
def imported(module: str) -> Any:
    """The module of a peer, or None with a printed reason.

    Peers are installed without their dependencies, so only an import shows whether a peer works.
    """
    try:
        declare_operators()
        return import_module(module)
    except Exception as error:  # a broken library may raise any exception
        reason = str(error).partition("\n")[0]
        print(f"{module.partition('.')[0]}: left out, {type(error).__name__}: {reason}.", file=sys.stderr)
        return None


def check_alike(what: str, mine: Runs, peers: Mapping[str, Runs], tolerance: float) -> None:
    """Fail unless the mean loss of every peer differs from that of bdlviz by at most the share ``tolerance``."""
    ours = float(np.mean(mine.reached))
    for name, runs in peers.items():
        theirs = float(np.mean(runs.reached))
        if not abs(theirs - ours) <= tolerance * abs(ours):
            raise AssertionError(f"{what}: {name} reached {theirs:.4g} and bdlviz {ours:.4g}.")


def compared(what: str, mine: Runs, peers: Mapping[str, Runs], target: str, per: float, unit: str) -> list[Row]:
    """Rows of ratios of peers to bdlviz. The first, the fastest, has the target; ``per`` converts to ``unit``."""
    ordered = sorted(peers, key=lambda name: float(np.median(peers[name].seconds)))
    rows = []
    for name in ordered:
        amounts = f"{per * np.median(peers[name].seconds):.3g} / {per * np.median(mine.seconds):.3g} {unit}"
        ratio = peers[name].over(mine)
        if name == ordered[0]:
            rows.append(Row(f"{what}: fastest peer / bdlviz", ratio, target, note=f"{name}; {amounts}"))
        else:
            rows.append(Row(f"{what}: {name} / bdlviz", ratio, note=amounts))
    return rows
