"""Worker processes that end, hang or send nonsense: the fit is trained again once, in another worker; then it fails."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

import bdlviz
from bdlviz.errors import InvalidInput
from bdlviz.fits import Fit, Snapshot
from bdlviz.processes import crew, worker
from bdlviz.processes.worker import Heartbeat, WorkerTimeout
from tests.patience import limit
from tests.ui.waiting import wait_until

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = worker.PROGRAM
X = np.linspace(-2, 2, 40)
Y = np.sin(3 * X)
SETTINGS = {"hidden": (8,), "num_steps": 200, "num_snapshots": 3, "batch_size": 16}
DEADLINE = limit(120.0)
# Shorter than the real one; a process that hangs stays idle however long the test waits. On a machine with much other
# work a process may get no processor time for some seconds.
IDLE_TIMEOUT_S = limit(12.0)

Sabotage = Callable[[str], Path]

pytestmark = pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="sabotages in the way of POSIX")


@pytest.fixture
def workers(monkeypatch: pytest.MonkeyPatch) -> Iterator[crew.Crew]:
    """A crew of one that trains everything, and no process yet."""
    made = crew.Crew()
    made.trains_everything = True
    monkeypatch.setattr(crew, "CREW", made)
    monkeypatch.setenv("BDLVIZ_WORKERS", "1")
    monkeypatch.setattr(worker, "IDLE_TIMEOUT_S", IDLE_TIMEOUT_S)
    monkeypatch.setattr(worker, "WATCH_INTERVAL_S", 0.1)
    yield made
    made.stop()


@pytest.fixture
def sabotage(workers: crew.Crew, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "PROGRAM", [sys.executable, str(Path(__file__).with_name("sabotaged_worker.py"))])
    monkeypatch.setenv("PYTHONPATH", str(ROOT))
    monkeypatch.setenv("ONCE", "")


@pytest.fixture
def once(sabotage: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sabotage:
    """Let the first worker alone go wrong in this way; returns the file that exists once it has."""

    def arrange(fault: str) -> Path:
        monkeypatch.setenv("FAULT", fault)
        monkeypatch.setenv("ONCE", str(tmp_path / "once"))
        return tmp_path / "once"

    return arrange


def train(method: str = "mc_dropout") -> Fit:
    return bdlviz.fit(method, (X, Y), **SETTINGS)


def assert_as_here(found: Fit, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bit for bit what this process trains by itself: parameters, losses of every round, snapshots."""
    monkeypatch.setenv("BDLVIZ_WORKERS", "0")
    expected = train()
    assert found.num_steps_done == expected.num_steps_done == SETTINGS["num_steps"]
    for group in ("params", "losses", "snapshots"):
        assert getattr(found, group).keys() == getattr(expected, group).keys()
        for name, array in getattr(expected, group).items():
            np.testing.assert_array_equal(getattr(found, group)[name], array)


@pytest.mark.parametrize("fault", ["kill", "hang", "leave", "stop", "spin", "send_garbage", "send_half"])
def test_a_fit_whose_worker_goes_wrong_is_trained_again(
    workers: crew.Crew, once: Sabotage, monkeypatch: pytest.MonkeyPatch, fault: str
):
    if fault == "spin":
        monkeypatch.setattr(worker, "STEP_TIMEOUT_S", 20.0)
    marker = once(fault)
    found = train()
    assert marker.exists() and workers.num_lost == 1
    assert_as_here(found, monkeypatch)


@pytest.mark.usefixtures("sabotage")
@pytest.mark.parametrize("fault", ["kill", "hang", "send_garbage"])
def test_a_fit_that_ends_two_workers_is_one_sentence(workers: crew.Crew, monkeypatch: pytest.MonkeyPatch, fault: str):
    monkeypatch.setenv("FAULT", fault)
    sentence = r"^The training process ended, perhaps because memory ran out; try a smaller"
    with pytest.raises(InvalidInput, match=sentence):
        train()
    monkeypatch.setattr(worker, "PROGRAM", PROGRAM)
    assert_as_here(train(), monkeypatch)
    assert workers.num_lost == 2


def test_an_exception_in_a_worker_ends_the_fit_alone(
    workers: crew.Crew, once: Sabotage, monkeypatch: pytest.MonkeyPatch
):
    once("fail")
    with pytest.raises(RuntimeError, match=r"^RuntimeError: out of order$"):
        train()
    (worker,) = workers._workers
    assert_as_here(train(), monkeypatch)
    assert workers._workers == [worker] and worker.num_fits == 0


def test_fits_that_share_a_lost_worker_all_go_on(workers: crew.Crew, once: Sabotage, monkeypatch: pytest.MonkeyPatch):
    once("kill")
    fits: list[Fit] = []
    threads = [threading.Thread(target=lambda: fits.append(train())) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    assert len(fits) == 3 and workers.num_lost == 1
    for fit in fits:
        np.testing.assert_array_equal(fit.params["weight0"], fits[0].params["weight0"])
    assert_as_here(fits[0], monkeypatch)


def test_a_stopped_crew_starts_no_other_process_for_an_old_fit(workers: crew.Crew):
    """Else a program that ends would leave one behind."""

    def stop(snapshot: Snapshot[Fit]) -> None:
        workers.stop()

    with pytest.raises(InvalidInput, match="training process ended"):
        bdlviz.fit("map", (X, Y), num_steps=400_000, on_snapshot=stop)
    assert not workers._workers


def test_threads_of_a_lost_worker_end(workers: crew.Crew):
    others = worker_threads()  # of crews that earlier tests of this process started
    workers.start()
    worker = workers._workers[0]
    watches = worker_threads() - others
    assert len(watches) == 2
    worker._process.kill()
    for thread in watches:
        thread.join(DEADLINE)
        assert not thread.is_alive()
    worker.close()


def worker_threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if thread.name.startswith("bdlviz-worker-")}


# What counts as hanging ---------------------------------------------------------------------------------------------


def checks_until_timeout(heartbeats: Sequence[Heartbeat | None], waited: float = 1.0) -> int | None:
    """The number of the check at which the timeout is over, given these heartbeats; None if it never is."""
    timeout = WorkerTimeout()
    return next((number for number, beat in enumerate(heartbeats, 1) if timeout.is_over(beat, waited)), None)


IDLE = [Heartbeat(7, 1.0)] * 500
REPORTING = [Heartbeat(7, 1.0 + 0.0002 * beat) for beat in range(400)]  # an answer itself takes some processor time
SLOW = [Heartbeat(0, 0.01 * beat) for beat in range(int(worker.STEP_TIMEOUT_S))]  # a hundredth of a processor


@pytest.mark.parametrize(
    ("heartbeats", "expected"),
    [
        ([None] * int(worker.START_TIMEOUT_S), None),
        ([None] * 500, worker.START_TIMEOUT_S + 1),
        (IDLE, worker.IDLE_TIMEOUT_S + 2),
        (REPORTING, worker.IDLE_TIMEOUT_S + 2),
        ([Heartbeat(step, 0.0) for step in range(5000)], None),
        (SLOW, None),
        ([Heartbeat(0, float(beat)) for beat in range(5000)], worker.STEP_TIMEOUT_S + 2),
    ],
    ids=["starts", "never starts", "idle", "idle but reporting", "works", "works slowly", "never ends a step"],
)
def test_when_a_worker_counts_as_hanging(heartbeats: Sequence[Heartbeat | None], expected: float | None):
    assert checks_until_timeout(heartbeats) == expected


# The end of the program that started them -----------------------------------------------------------------------------

TRAINS = """
import numpy as np, bdlviz
from bdlviz.processes.crew import CREW
def tell(snapshot):
    print(*(worker._process.pid for worker in CREW._workers), flush=True)
CREW.trains_everything = True
x = np.linspace(-1, 1, 40)
bdlviz.fit("map", (x, x), hidden=(64, 64), num_steps=10**6, on_snapshot=tell)
"""


def is_running(pid: int) -> bool:
    """Not so once it is only remembered until somebody asks how it ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks at processes in the way of Linux")
def test_no_process_outlives_a_program_that_is_killed_while_it_trains():
    environment = os.environ | {"BDLVIZ_WORKERS": "2", "PYTHONPATH": str(ROOT)}
    program = subprocess.Popen([sys.executable, "-c", TRAINS], env=environment, stdout=subprocess.PIPE, text=True)
    try:
        assert program.stdout is not None
        pids = [int(word) for word in program.stdout.readline().split()]
        assert len(pids) == 2 and all(map(is_running, pids))
    finally:
        program.kill()
        program.communicate()
    wait_until(lambda: not any(map(is_running, pids)), "A worker process outlived its program.", DEADLINE)
