"""Calls that the tests of executors send to other processes: these can only be told the names of a module."""

import os
import signal
import time
from pathlib import Path

from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit
from bdlviz.sweeps import fit_one
from bdlviz.types import Dataset, FitConfig


class CannotBeSent(Exception):
    """Breaks whoever unpickles it, as every exception does whose arguments are not its message."""

    def __init__(self) -> None:
        super().__init__("words that __init__ does not take")


def double(number: int) -> int:
    return 2 * number


def num_own_workers(number: int) -> str | None:
    return os.environ.get("BDLVIZ_WORKERS")


def refuse(number: int) -> int:
    raise InvalidInput(f"{number} is no good.")


def fail(number: int) -> int:
    raise CannotBeSent


def be_killed(number: int) -> int:
    os.kill(os.getpid(), signal.SIGKILL)
    return number


def be_killed_once(number: int, trace: Path) -> int:
    """Leaves a trace and is killed; finds it the next time."""
    if trace.exists():
        return 2 * number
    trace.touch()
    return be_killed(number)


def run_until_killed(number: int, trace: Path) -> int:
    """Says by which process it runs, and does not end by itself."""
    trace.write_text(str(os.getpid()))
    while True:
        time.sleep(0.01)


def fit_slowly_at_first(config: FitConfig, dataset: Dataset, trace: Path) -> Fit:
    """A fit; whoever makes it first says by which process, and then waits to be killed."""
    try:
        with trace.open("x") as file:
            file.write(str(os.getpid()))
    except FileExistsError:
        return fit_one(config, dataset)
    while True:
        fit_one(config, dataset)
