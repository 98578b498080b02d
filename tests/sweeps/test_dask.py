"""A real Dask cluster of processes over TCP: the same bits, with a worker killed midway, too."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from bdlviz import data
from bdlviz.__main__ import main
from bdlviz.errors import InvalidInput
from bdlviz.fits import configure, fit
from bdlviz.fitted import shelf
from bdlviz.processes import executors
from bdlviz.processes.executors import Dask, Job, run
from bdlviz.sweeps import sweep
from bdlviz.types import Dataset
from tests.patience import limit
from tests.sweeps import calls
from tests.sweeps.same import bits, content

distributed = pytest.importorskip("distributed")
pytestmark = [pytest.mark.rest, pytest.mark.filterwarnings("default")]  # distributed leaves sockets to the collector

PATIENCE = limit(120.0)
QUICK = ("scene_compare_own_gaussian_process", "scene_compare_own_map", "compare_x_sin_x_laplace", "scene_draws_tanh")
RATES = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
FEW_STEPS = {"num_steps": 200, "hidden": (16,)}


@contextmanager
def program_of(num_workers: int, root: Path, path: Path | None = None) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """A program that holds a scheduler with that many workers, in processes of their own, and its address."""
    program = subprocess.Popen(
        [sys.executable, root / "tests/sweeps/cluster.py", str(num_workers)],
        env=os.environ | {"PYTHONPATH": str(path or root)},
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert program.stdin and program.stdout
    with program:
        try:
            yield program, program.stdout.readline().strip()
            program.stdin.close()
            program.wait(PATIENCE)
        finally:
            program.kill()


@contextmanager
def cluster_of(num_workers: int, root: Path, path: Path | None = None) -> Iterator[str]:
    """The address of a scheduler with that many workers."""
    with program_of(num_workers, root, path) as (_, address):
        yield address


@pytest.fixture(scope="module")
def address(root: Path) -> Iterator[str]:
    with cluster_of(2, root) as found:
        yield found


@pytest.fixture(scope="module")
def points() -> Dataset:
    return data.load("x_sin_x", num_data=30)


def kill_when_it_says_so(trace: Path, killed: list[int], instead: int | None = None) -> None:
    """Kill -9 the process that wrote its number there, or another one instead of it."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end and not killed:
        if trace.exists() and (text := trace.read_text()):
            time.sleep(0.5)  # so that it computes
            process = instead or int(text)
            os.kill(process, signal.SIGKILL)
            killed.append(process)
        time.sleep(0.02)


def test_a_worker_is_killed_while_it_computes(address: str, points: Dataset, tmp_path: Path):
    configs = [configure("mc_dropout", points, dropout_rate=rate, **FEW_STEPS) for rate in RATES]
    jobs = [Job(str(n), calls.fit_slowly_at_first, (each, points, tmp_path / "pid")) for n, each in enumerate(configs)]
    killed: list[int] = []
    killer = threading.Thread(target=kill_when_it_says_so, args=(tmp_path / "pid", killed))
    killer.start()
    outcomes = {int(outcome.job.name): outcome for outcome in run(jobs, Dask(address))}
    killer.join()
    assert killed and len(outcomes) == len(configs)
    for number, rate in enumerate(RATES):
        there = outcomes[number].value
        assert there is not None, outcomes[number].failure
        assert bits(there) == bits(fit("mc_dropout", points, dropout_rate=rate, **FEW_STEPS))


def test_a_sweep_on_the_cluster(address: str, points: Dataset):
    configs = [configure("deep_ensemble", points, weight_decay=decay, **FEW_STEPS) for decay in (1e-5, 1e-3, 1e-1)]
    with distributed.Client(address, set_as_default=False) as client:
        there = sweep(configs, points, client.get_executor())
    assert [bits(each) for each in there] == [bits(each) for each in sweep(configs, points)]


def test_train_on_the_cluster(address: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]):
    here, there = tmp_path / "here", tmp_path / "there"
    assert main(["train", *QUICK, "--folder", str(here)]) == 0
    assert main(["train", *QUICK[:2], "--dask", address, "--folder", str(there)]) == 0
    assert main(["train", *QUICK, "--missing", "--dask", address, "--folder", str(there)]) == 0
    assert "2 of 4 have to be trained" in capsys.readouterr().out
    assert sorted(shelf.manifest(there)) == sorted(QUICK)
    for name in QUICK:
        shelf.check(name, there)
        one, other = ((folder / f"{name}.safetensors").read_bytes() for folder in (here, there))
        assert content(one) == content(other)


def test_what_kills_every_worker_fails_alone(root: Path):
    with cluster_of(2, root) as address:
        jobs = [Job("0", calls.be_killed, (0,)), Job("1", calls.double, (1,))]
        outcomes = {outcome.job.name: outcome for outcome in run(jobs, Dask(address))}
    assert outcomes["1"].value == 2
    failure = outcomes["0"].failure
    assert failure is not None and failure.sentence.startswith("KilledWorker")


def test_the_scheduler_is_lost(root: Path, tmp_path: Path):
    with program_of(1, root) as (program, address):
        killed: list[int] = []
        killer = threading.Thread(target=kill_when_it_says_so, args=(tmp_path / "pid", killed, program.pid))
        killer.start()
        with pytest.raises(InvalidInput, match="was lost"):
            list(run([Job("0", calls.run_until_killed, (0, tmp_path / "pid"))], Dask(address)))
        killer.join()
    assert killed


def test_workers_of_another_version(address: str, monkeypatch: pytest.MonkeyPatch):
    version = executors.metadata.version
    monkeypatch.setattr(executors.metadata, "version", lambda name: "1.0" if name == "numpy" else version(name))
    executors.versions.cache_clear()
    try:
        with pytest.raises(InvalidInput, match=r"its bits may differ: numpy .* there, 1\.0 here"), Dask(address).open():
            pass
    finally:
        executors.versions.cache_clear()


def test_workers_without_bdlviz(root: Path, tmp_path: Path):
    with (
        cluster_of(1, root, path=tmp_path) as address,
        pytest.raises(InvalidInput, match=r"The Dask worker tcp://.* cannot run bdlviz: .*No module named 'bdlviz'"),
    ):
        list(run([Job("0", calls.double, (1,))], Dask(address)))


def test_a_scheduler_without_workers(root: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(executors, "CONNECT_SECONDS", 2.0)
    with cluster_of(0, root) as address, pytest.raises(InvalidInput, match="has no workers"):
        list(run([Job("0", calls.double, (1,))], Dask(address)))
