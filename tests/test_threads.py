"""Threads: one each while anybody computes, what was before afterwards, and the same numbers whatever the pools do."""

import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import torch
from threadpoolctl import threadpool_info, threadpool_limits

import bdlviz
from bdlviz import threads

X = np.linspace(-2, 2, 24)
Y = np.sin(3 * X)


def blas_threads():
    """Of numpy's BLAS; scipy brings another one, in which bdlviz computes nothing."""
    return [pool["num_threads"] for pool in threadpool_info() if "numpy" in pool["filepath"]]


def state():
    return torch.get_num_threads(), blas_threads()


@pytest.fixture
def two_torch_threads():
    """A number of threads to come back to, whatever this computer has."""
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture
def pools_of(monkeypatch):
    """Fresh pools of a number of workers."""
    made = []

    def make(count):
        monkeypatch.setattr(threads, "num_cores", lambda: count)
        for name in ("_drawing_pool", "_training_pool"):
            getattr(threads, name).cache_clear()
            made.append(getattr(threads, name)())

    yield make
    for pool in made:
        pool.shutdown()
    threads._drawing_pool.cache_clear()
    threads._training_pool.cache_clear()


def test_results_keep_their_order():
    assert threads.map_drawing(lambda i: i * i, range(50)) == [i * i for i in range(50)]
    assert threads.map_training(lambda i: i * i, range(50)) == [i * i for i in range(50)]
    assert threads.map_training(lambda i: i, []) == []
    assert threads.num_cores() >= 1


def test_one_thread_inside_and_what_was_before_afterwards(two_torch_threads):
    before = state()
    inside = threads.map_training(lambda _: state(), range(8))
    assert all(number == 1 and set(blas) == {1} for number, blas in inside)
    assert state() == before and before[0] == 2 and len(before[1]) == 1
    assert all(set(blas) == {1} for _, blas in threads.map_drawing(lambda _: state(), range(8)))
    assert state() == before
    with threadpool_limits(2, user_api="blas"):
        with threads.one_blas_thread():
            threads.map_drawing(lambda i: i, range(4))  # ends within, and must not give back what was before
            assert blas_threads() == [1]
        assert blas_threads() == [2]


@pytest.mark.parametrize("pool", ["map_drawing", "map_training"])
def test_the_limit_holds_for_callers_in_any_thread(pool, two_torch_threads):
    """Visitors come in threads of their own; threadpoolctl by itself obeys only the first thread that set a limit."""
    before = state()
    threads.map_drawing(lambda i: i, range(2))
    with ThreadPoolExecutor(3) as visitors:
        inside = [*visitors.map(lambda _: getattr(threads, pool)(lambda _: blas_threads(), range(3)), range(6))]
    assert inside == [[[1]] * 3] * 6
    assert state() == before


def test_other_users_of_the_limit_have_no_influence(two_torch_threads):
    """A thread that has once set a limit through threadpoolctl keeps control of OpenBLAS while it lives."""
    before, taken, done = state(), threading.Event(), threading.Event()

    def own_limit():
        with threadpool_limits(2, user_api="blas"):
            taken.set()
            done.wait(10)

    other = threading.Thread(target=own_limit)
    other.start()
    assert taken.wait(10)
    assert threads.map_drawing(lambda _: blas_threads(), range(2)) == [[1], [1]]
    done.set()
    other.join()
    assert state() == before
    with threadpool_limits(1, user_api="blas"):  # and here, in this thread, it still works
        assert blas_threads() == [1]
    assert state() == before


def test_the_last_one_out_restores_what_the_first_one_found(two_torch_threads):
    before, entered, leave = state(), threading.Event(), threading.Event()

    def first():
        with threads._limited("blas"):
            entered.set()
            leave.wait(10)

    visitor = threading.Thread(target=first)
    visitor.start()
    assert entered.wait(10)
    with threads._limited("blas"):
        leave.set()
        visitor.join()
        assert blas_threads() == [1]
    assert state() == before


def test_idle_training_threads_keep_to_one_thread(pools_of, two_torch_threads):
    """Torch sets a thread's number at the first operation in it, to what any thread asked for last."""
    pools_of(2)
    both_there = threading.Barrier(2)
    threads.map_training(lambda _: both_there.wait(10), range(2))  # both threads start, and do nothing in torch
    torch.set_num_threads(2)
    both_there.reset()
    found = threads.map_training(lambda _: (both_there.wait(10), torch.get_num_threads())[1], range(2))
    assert found == [1, 1]


@pytest.mark.parametrize("pool", ["map_drawing", "map_training"])
def test_errors_come_out_and_limits_are_restored(pool, two_torch_threads):
    before = state()

    def fail(item):
        raise ValueError(f"number {item}")

    with pytest.raises(ValueError, match="number 0"):
        getattr(threads, pool)(fail, range(5))
    assert state() == before
    assert getattr(threads, pool)(lambda i: i, range(3)) == [0, 1, 2]


@pytest.mark.parametrize("outer", ["map_drawing", "map_training"])
@pytest.mark.parametrize("inner", ["map_drawing", "map_training"])
def test_nested_use_neither_waits_for_itself_nor_loses_the_limit(outer, inner, two_torch_threads):
    before = state()

    def nested(i):
        found = getattr(threads, inner)(lambda j: 10 * i + j, range(4))
        return found, blas_threads()

    done = []
    worker = threading.Thread(target=lambda: done.append(getattr(threads, outer)(nested, range(6))), daemon=True)
    worker.start()
    worker.join(30)
    assert done, "it waits for itself"
    assert [found for found, _ in done[0]] == [[10 * i + j for j in range(4)] for i in range(6)]
    assert all(set(blas) == {1} for _, blas in done[0])
    assert state() == before


def test_many_fits_at_once_are_the_fits_alone(two_torch_threads):
    """Fits and predictions from four threads, as of four visitors."""
    before = state()

    def fit(seed):
        settings = {"hidden": (8, 8), "num_steps": 40, "batch_size": 16, "dropout_rate": (0.1, 0.5), "seed": seed}
        return bdlviz.fit("mc_dropout", (X, Y), **settings).cell(dropout_rate=0.5).predict(X, 20).draws

    alone = [fit(seed) for seed in range(4)]
    with ThreadPoolExecutor(4) as visitors:
        together = list(visitors.map(fit, [*range(4)] * 2))
    for one, other in zip(alone * 2, together, strict=True):
        np.testing.assert_array_equal(one, other)
    assert state() == before


def test_training_threads_flush_denormals_and_others_do_not(pools_of):
    def is_flushed(_):
        return (torch.full((16,), 1e-39) * 0.5).sum().item() == 0 and np.float32(1e-39) * np.float32(0.5) == 0

    pools_of(2)
    assert all(threads.map_training(is_flushed, range(8)))
    assert not any(threads.map_drawing(is_flushed, range(8)))
    assert not is_flushed(0)


def test_the_number_of_workers_does_not_change_the_result(pools_of):
    """Twelve blocks of networks and many chunks of draws on one worker and on two: the same bits."""
    found = []
    for count in (1, 2):
        pools_of(count)
        fit = bdlviz.fit("mc_dropout", (X, Y), hidden=(128, 128), num_steps=12, batch_size=16, seed=tuple(range(12)))
        found.append((fit.params, fit.cell(seed=7).predict(np.linspace(-3, 3, 200), 100).draws))
    for name, array in found[0][0].items():
        np.testing.assert_array_equal(array, found[1][0][name])
    np.testing.assert_array_equal(found[0][1], found[1][1])
