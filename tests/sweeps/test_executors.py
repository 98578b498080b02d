"""Jobs on executors: every outcome once, errors as words, lost workers replaced, nothing left behind."""

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from bdlviz.errors import InvalidInput
from bdlviz.processes import executors
from bdlviz.processes.executors import Dask, GivenExecutor, Job, Outcome, Processes, Progress, ThisProcess, run
from tests.patience import limit
from tests.sweeps import calls

PATIENCE = limit(60.0)  # seconds, for what takes one; a test that needs them has failed


def job(call: Callable[..., Any], number: int, *more: Any) -> Job[Any]:
    return Job(str(number), call, (number, *more))


def by_name(outcomes: list[Outcome[Any]]) -> dict[str, Any]:
    assert len({outcome.job.name for outcome in outcomes}) == len(outcomes)
    return {outcome.job.name: outcome.value for outcome in outcomes}


def wait_until(condition: Callable[[], Any]) -> None:
    end = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.02)


def is_running(process: int) -> bool:
    """Whether there is such a process that is more than a zombie."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def written_number(path: Path) -> int:
    return int(path.read_text()) if path.exists() and path.read_text() else 0


def test_errors_and_the_time_left_come_as_words(monkeypatch: pytest.MonkeyPatch):
    outcomes = list(run([job(calls.double, number) for number in range(3)], ThisProcess()))
    assert [outcome.value for outcome in outcomes] == [0, 2, 4]
    assert [str(outcome.progress)[:6] for outcome in outcomes] == ["1 of 3", "2 of 3", "3 of 3"]
    assert [outcome.progress.fraction for outcome in outcomes] == pytest.approx([1 / 3, 2 / 3, 1])
    refused, failed = run([job(calls.refuse, 7), job(calls.fail, 8)], ThisProcess())
    assert refused.failure == executors.Failure("7 is no good.")
    assert failed.failure is not None
    assert failed.failure.sentence == "CannotBeSent: words that __init__ does not take"
    assert "raise CannotBeSent" in failed.failure.trace
    monkeypatch.setenv("BDLVIZ_WORKERS", "3")
    assert by_name(list(run([job(calls.num_own_workers, 0)], ThisProcess()))) == {"0": "3"}
    for seconds, words in [(0.1, "1 s"), (20, "60 s"), (40, "2 min"), (240, "12 min"), (1800, "1.5 h")]:
        assert str(Progress(3, 97, 0.25, seconds)) == f"3 of 97, about {words} left"
        assert str(Progress(97, 97, 1.0, seconds)) == "97 of 97"
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(InvalidInput, match=r"pip install -r requirements/dask\.txt"):
        list(run([job(calls.double, 0)], Dask("tcp://127.0.0.1:8786")))


def test_an_error_that_cannot_be_sent_breaks_no_pool(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BDLVIZ_WORKERS", "3")
    jobs = [job(calls.fail, 0), job(calls.double, 1), job(calls.num_own_workers, 2)]
    outcomes = list(run(jobs, Processes(1)))
    assert by_name(outcomes) == {"0": None, "1": 2, "2": "0"}, "who shares out the cores starts no processes itself"
    [failure] = [outcome.failure for outcome in outcomes if outcome.failure]
    assert failure.sentence.startswith("CannotBeSent")
    assert os.environ["BDLVIZ_WORKERS"] == "3"


def test_processes_that_break(tmp_path: Path):
    jobs = [job(calls.be_killed_once, 0, tmp_path / "trace"), *(job(calls.double, number) for number in range(1, 6))]
    outcomes = list(run(jobs, Processes(2)))
    assert by_name(outcomes) == {str(number): 2 * number for number in range(6)}
    assert (tmp_path / "trace").exists()
    assert [outcome.progress.num_done for outcome in outcomes] == [1, 2, 3, 4, 5, 6]
    jobs = [job(calls.double, 0), job(calls.be_killed, 1), *(job(calls.double, number) for number in range(2, 5))]
    outcomes = list(run(jobs, Processes(2)))
    assert by_name(outcomes) == {"0": 0, "1": None, "2": 4, "3": 6, "4": 8}
    [failure] = [outcome.failure for outcome in outcomes if outcome.failure]
    assert failure.sentence == "The process that ran it ended 3 times, perhaps because memory ran out."
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        outcomes = list(run([job(calls.be_killed, 0), job(calls.double, 1)], GivenExecutor(pool)))
    assert len(outcomes) == 2
    for outcome in outcomes:
        assert outcome.failure is not None and "ended, perhaps because memory ran out" in outcome.failure.sentence
    jobs = [job(calls.double, 0), job(calls.run_until_killed, 1, tmp_path / "pid")]
    with closing(run(jobs, Processes(2))) as outcomes:
        assert next(outcomes).value == 0
        wait_until(lambda: written_number(tmp_path / "pid"))
    assert not is_running(written_number(tmp_path / "pid"))


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGKILL])
def test_workers_end_with_the_program(root: Path, tmp_path: Path, how: signal.Signals):
    code = f"""
import signal
from pathlib import Path
from bdlviz.processes.executors import Job, Processes, run
from tests.sweeps import calls
if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell has those in its background ignore it
    jobs = [Job(str(n), calls.run_until_killed, (n, Path({str(tmp_path)!r}) / str(n))) for n in range(2)]
    list(run(jobs, Processes(2)))
"""
    script = tmp_path / "script.py"
    script.write_text(code)
    program = subprocess.Popen(
        [sys.executable, script],
        env=os.environ | {"PYTHONPATH": str(root)},
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    with program:
        try:
            wait_until(lambda: all(written_number(tmp_path / name) for name in "01"))
            workers = [written_number(tmp_path / name) for name in "01"]
            # As a terminal does it, SIGINT goes to the workers as well; they leave it to the program.
            os.killpg(program.pid, how) if how == signal.SIGINT else program.kill()
            _, words = program.communicate(timeout=PATIENCE)
        finally:
            program.kill()
    wait_until(lambda: not any(map(is_running, workers)))
    assert how == signal.SIGKILL or words.count(b"Traceback") == words.count(b"KeyboardInterrupt") == 1


@pytest.mark.parametrize("place", [ThisProcess(), Processes(1)])
def test_a_worker_of_another_version_is_refused(monkeypatch: pytest.MonkeyPatch, place: executors.Place):
    theirs = executors.versions()
    ours = theirs | {"torch": "1.0"}
    if isinstance(place, ThisProcess):
        monkeypatch.setattr(executors, "_work", lambda home, job: executors._Answer(1, None, theirs))
    monkeypatch.setattr(executors, "versions", lambda: ours)
    with pytest.raises(InvalidInput, match=rf"bits may differ: torch {theirs['torch'][:4]}.* there, 1.0 here"):
        list(run([job(calls.double, 0)], place))


def test_the_fingerprint_of_the_source(tmp_path: Path):
    for name in ("fits.py", "training/loop.py", "ui/page.py"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(b"first = 1\n")
    first = executors.source_fingerprint(tmp_path)
    (tmp_path / "ui/page.py").write_bytes(b"second = 2\n")
    (tmp_path / "fits.py").write_bytes(b"first = 1\r\n")
    assert executors.source_fingerprint(tmp_path) == first, "words and ends of lines decide no number"
    (tmp_path / "training/loop.py").write_bytes(b"second = 2\n")
    assert executors.source_fingerprint(tmp_path) != first
