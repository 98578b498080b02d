"""Worker processes: the same numbers as in this process, cancelled at once, and a sentence when one is lost."""

import os
import threading
import time
from typing import Any

import numpy as np
import pytest

import bdlviz
from bdlviz.processes import crew, share, worker
from bdlviz.training.loop import plan_blocks
from tests.patience import limit

X = np.linspace(-2, 2, 40)
Y = np.sin(3 * X)
GRID: dict[str, Any] = {
    "weight_decay": np.geomspace(1e-6, 1, 33).tolist(),
    "seed": [0, 1],
    "hidden": (16, 16),
    "num_steps": 40,
}
DEADLINE = limit(60.0)


@pytest.fixture(scope="module")
def shared_crew():
    """Processes take seconds to start."""
    made = crew.Crew()
    yield made
    made.stop()


@pytest.fixture
def own_crew(monkeypatch):
    """A crew without processes yet."""
    made = crew.Crew()
    monkeypatch.setattr(crew, "CREW", made)
    yield made
    made.stop()


@pytest.fixture
def workers(monkeypatch, shared_crew):
    """Two workers that train everything."""
    monkeypatch.setenv("BDLVIZ_WORKERS", "2")
    monkeypatch.setattr(crew, "CREW", shared_crew)
    shared_crew.trains_everything = True
    shared_crew.start()
    return shared_crew


def processes(workers):
    return [worker._process for worker in workers._workers]


@pytest.fixture
def sent(monkeypatch):
    """The verbs of all messages sent to workers."""
    verbs, send = [], worker.send

    def note(stream, header, arrays=None):
        verbs.append(header["do"])
        send(stream, header, arrays)

    monkeypatch.setattr(worker, "send", note)
    return verbs


def same(one, other):
    assert one.params.keys() == other.params.keys()
    for name in one.params:
        np.testing.assert_array_equal(one.params[name], other.params[name])
    for name in one.losses:
        np.testing.assert_array_equal(one.losses[name], other.losses[name])
    for name in one.snapshots:
        np.testing.assert_array_equal(one.snapshots[name], other.snapshots[name])


SHORT = {"num_steps": 30, "hidden": (8,), "num_snapshots": 3}


@pytest.mark.parametrize(
    ("method", "settings"),
    [
        *((method, SHORT) for method in ("map", "mc_dropout", "deep_ensemble", "concrete_dropout")),
        pytest.param("mc_dropout", SHORT | {"num_steps": 8000, "num_snapshots": 4}, id="several requests"),
    ],
)
def test_the_same_numbers_as_in_this_process(workers, method, settings):
    there = bdlviz.fit(method, (X, Y), **settings)
    workers.trains_everything = False
    same(there, bdlviz.fit(method, (X, Y), **settings))


@pytest.mark.parametrize("own", [{}, {"weight_decay": [1e-6, 1e-5, 1e-4, 1e-3, 1e-2, 0.1, 1.0, 10.0], "seed": 3}])
def test_a_grid_is_dealt_out_and_put_together(workers, monkeypatch, own):
    there = bdlviz.fit("mc_dropout", (X, Y), **GRID | own)
    assert len(processes(workers)) == 2
    monkeypatch.setenv("BDLVIZ_WORKERS", "0")
    same(there, bdlviz.fit("mc_dropout", (X, Y), **GRID | own))


def test_a_fit_sends_few_requests_to_its_worker(workers, sent):
    """For several rounds at once, with the parameters: one to learn how long they take, then for a leg."""
    fit = bdlviz.fit("mc_dropout", (X, Y), num_steps=800, on_snapshot=lambda snapshot: snapshot.take() is not None)
    assert len(fit.losses["step"]) == 40
    num_requests = sent.count("advance")
    assert num_requests <= 3 + 2 * fit.seconds / share.SECONDS_PER_REQUEST
    assert sent == ["advance"] * num_requests + ["close"]


def test_a_fit_is_seen_as_it_stands_after_a_leg(workers):
    """A look stops it there, with the losses of every round so far."""
    seen = []

    def look(snapshot):
        seen.append(snapshot.take())
        assert seen[-1].num_steps_done == snapshot.step == seen[-1].losses["step"][-1]
        return len(seen) < 2

    settings = {"num_steps": 40_000, "hidden": (8,)}
    there = bdlviz.fit("map", (X, Y), on_snapshot=look, **settings)
    assert len(seen) == 2 and there.num_steps_done < 40_000
    same(there, seen[-1])
    workers.trains_everything = False
    end = there.num_steps_done
    same(there, bdlviz.fit("map", (X, Y), on_snapshot=lambda snapshot: snapshot.step < end, **settings))


def test_a_fit_that_is_spread_stays_in_step(workers, sent, monkeypatch):
    """All workers take the same rounds, and the parameters come along; a look is taken where they are kept."""
    steps = []
    there = bdlviz.fit("map", (X, Y), num_snapshots=3, on_snapshot=lambda seen: steps.append(seen.step), **GRID)
    assert steps == sorted(set(steps)) and {*there.snapshot_steps} <= {*steps}
    num_requests = sent.count("advance")
    assert num_requests == 2 * len(steps) and sorted(sent)[num_requests:] == ["close"] * 2
    monkeypatch.setenv("BDLVIZ_WORKERS", "0")
    same(there, bdlviz.fit("map", (X, Y), num_snapshots=3, **GRID))


@pytest.mark.parametrize("seeds", [(0,), (0, 1, 2, 3)])
def test_divergence_ends_a_fit_after_the_same_round(workers, monkeypatch, seeds):
    """One that takes several rounds at a time, and one that is spread."""
    settings = {"hidden": (128,) * 10, "learning_rate": 10.0, "num_steps": 60, "seed": seeds}
    there = bdlviz.fit("map", (X, Y), **settings)
    monkeypatch.setenv("BDLVIZ_WORKERS", "0")
    here = bdlviz.fit("map", (X, Y), **settings)
    assert there.num_steps_done == here.num_steps_done < 60
    same(there, here)


def test_a_spread_fit_that_loses_a_worker_gives_the_same_numbers(workers, monkeypatch):
    lost = []

    def kill(snapshot):
        if not lost:
            lost.append(processes(workers)[0])
            lost[0].kill()
            lost[0].wait()

    there = bdlviz.fit("mc_dropout", (X, Y), on_snapshot=kill, **GRID)
    assert lost and lost[0] not in processes(workers)
    monkeypatch.setenv("BDLVIZ_WORKERS", "0")
    same(there, bdlviz.fit("mc_dropout", (X, Y), **GRID))


def test_images_and_classes_travel(workers):
    fit = bdlviz.fit("vae", "digits", num_steps=2, hidden=(8,), batch_size=50, latent_dim=2)
    assert fit.num_steps_done == 2


def test_a_fit_stops_between_steps(workers):
    bdlviz.fit("map", (X, Y), num_steps=1)  # the processes are up
    cancel, steps = threading.Event(), []

    def on_snapshot(snapshot):
        steps.append(snapshot.step)
        cancel.set()

    fit = bdlviz.fit("map", (X, Y), num_steps=400_000, on_snapshot=on_snapshot, cancel=cancel)
    assert len(steps) == 1 and fit.num_steps_done == steps[0]
    assert np.isfinite(fit.params["weight0"]).all()


def test_cancel_ends_a_round_that_is_under_way(workers):
    bdlviz.fit("map", (X, Y), num_steps=1)
    cancel = threading.Event()
    timer = threading.Timer(0.5, cancel.set)
    timer.start()
    fit = bdlviz.fit("map", (X, Y), num_steps=1_000_000, hidden=(256, 256), cancel=cancel)
    timer.join()
    assert 0 < fit.num_steps_done < 1_000_000


def test_cancel_during_a_request_sends_no_more_requests(workers, sent):
    """The step at which it stopped comes at once, with the parameters there and the losses of all rounds before."""
    bdlviz.fit("map", (X, Y), num_steps=1)
    cancel, sent[:] = threading.Event(), []

    def look(snapshot):
        threading.Timer(0.05, cancel.set).start()

    there = bdlviz.fit("mc_dropout", (X, Y), num_steps=80_000, hidden=(8,), on_snapshot=look, cancel=cancel)
    end = there.num_steps_done
    assert 0 < end < 80_000 and end % 2000 and len(there.losses["step"]) == end // 2000
    assert [verb for verb in sent if verb not in ("advance", "cancel")] == ["close"]
    workers.trains_everything = False
    here = bdlviz.fit("mc_dropout", (X, Y), num_steps=end, hidden=(8,))  # steps do not depend on how many there are
    for name in there.params:
        np.testing.assert_array_equal(there.params[name], here.params[name])


def test_a_cancelled_spread_fit_sends_no_more_requests(workers, sent):
    bdlviz.fit("map", (X, Y), num_steps=1)
    cancel, sent[:] = threading.Event(), []

    def wait_and_cancel():
        while sent.count("advance") < 2:
            time.sleep(0.01)
        cancel.set()

    threading.Thread(target=wait_and_cancel, daemon=True).start()
    settings: dict[str, Any] = GRID | {"num_steps": 40_000}
    there = bdlviz.fit("map", (X, Y), cancel=cancel, **settings)
    assert there.num_steps_done < 1000 and there.losses["loss"].shape == (0, 2, 33)
    assert "params" not in sent


def test_cancel_before_the_first_step_needs_one_request(workers, sent):
    cancel = threading.Event()
    cancel.set()
    there = bdlviz.fit("map", (X, Y), cancel=cancel)
    assert there.num_steps_done == 0 and sent == ["params", "close"]
    workers.trains_everything = False
    same(there, bdlviz.fit("map", (X, Y), cancel=cancel))


def test_two_fits_share_a_worker(own_crew, monkeypatch):
    monkeypatch.setenv("BDLVIZ_WORKERS", "1")
    own_crew.trains_everything = True
    fits = {}
    threads = [
        threading.Thread(
            target=lambda seed=seed: fits.update({seed: bdlviz.fit("map", (X, Y), seed=seed, num_steps=200)})
        )
        for seed in (0, 1)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(DEADLINE)
    assert len(processes(own_crew)) == 1
    own_crew.trains_everything = False
    for seed in (0, 1):
        same(fits[seed], bdlviz.fit("map", (X, Y), seed=seed, num_steps=200))


def test_an_interrupted_request_leaves_no_answer_behind(workers):
    class Interrupted(BaseException):
        pass

    def interrupt(*arguments):
        raise Interrupted

    bdlviz.fit("map", (X, Y), num_steps=1)
    worker = workers._workers[0]
    wait, worker._wait = worker._wait, interrupt
    with pytest.raises(Interrupted):
        bdlviz.fit("map", (X, Y), num_steps=1)
    worker._wait = wait
    assert bdlviz.fit("map", (X, Y), num_steps=7).num_steps_done == 7


def own_network():
    import torch

    return torch.nn.Sequential(torch.nn.Linear(1, 4), torch.nn.ReLU(), torch.nn.Linear(4, 1))


@pytest.mark.parametrize("why", ["no workers", "no program", "own code", "a small fit"])
def test_a_fit_trains_here(own_crew, monkeypatch, why):
    own_crew.trains_everything = why != "a small fit"
    if why == "no workers":
        monkeypatch.setenv("BDLVIZ_WORKERS", "0")
    if why == "no program":
        monkeypatch.setattr(worker, "PROGRAM", [os.path.join(os.sep, "no", "such", "python")])
    settings: dict[str, Any] = {"network": own_network()} if why == "own code" else {}
    assert bdlviz.fit("map", (X, Y), num_steps=2, **settings).num_steps_done == 2
    assert not processes(own_crew)


@pytest.mark.parametrize(("seeds", "cells", "numbers"), [(1, 33, 10_000), (3, 198, 4_000), (5, 1, 500_000), (7, 3, 50)])
@pytest.mark.parametrize("side_by_side", [1, 2, 4])
def test_blocks_cover_a_grid_once(seeds, cells, numbers, side_by_side):
    covered = np.zeros((seeds, cells), int)
    blocks = plan_blocks(seeds, cells, numbers, side_by_side)
    for block in blocks:
        covered[block.seeds, block.cells] += 1
    assert (covered == 1).all()
    sizes = [covered[block.seeds, block.cells].size for block in blocks]
    assert max(sizes) - min(sizes) <= max(1, cells if cells < 8 else 1)


@pytest.mark.parametrize("cells", [8, 11, 16, 32, 33, 128])
@pytest.mark.parametrize("side_by_side", [2, 4])
def test_a_grid_keeps_every_worker_busy(cells, side_by_side):
    blocks = plan_blocks(1, cells, 10_000, side_by_side)
    assert len(blocks) % side_by_side == 0 or cells < 4 * side_by_side


def test_the_wait_for_a_turn_ends_with_the_fit(workers):
    """A fit that is cancelled while another fit's round keeps the worker does not wait for that round."""
    bdlviz.fit("map", (X, Y), num_steps=1)
    worker = workers._workers[0]
    cancel = threading.Event()
    with worker._requesting:
        threading.Timer(0.1, cancel.set).start()
        start = time.monotonic()
        assert worker.request({"do": "advance", "fit": "x"}, cancel=cancel) is None
        assert time.monotonic() - start < DEADLINE
