"""The speed limit of the processor: the large matrix products of a training step with the fastest library call."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from itertools import pairwise

import numpy as np
import torch
from threadpoolctl import threadpool_limits

from bdlviz.types import Array
from benchmarks.timing import seconds_per_call
from benchmarks.workload import Workload

BLOCKS = (8, 16, 32)  # networks in one call
SQUARE = 1024
SHORT = 0.005  # seconds of each of five averages, of which the best is used


def seconds_per_network_step(work: Workload, cores: int, blocks: Sequence[int] = BLOCKS) -> float:
    """Seconds of the three products of each layer between hidden layers, for one network and step, on all cores.

    The products are the forward pass (B, H)(H, H) and the gradients with respect to the input (B, H)(H, H) and the
    weights (H, B)(B, H). Each is computed with the faster of np.matmul and torch.bmm, in blocks of the best size, with
    contiguous operands, into a given array. With fewer than two hidden layers no product is large, and the result is 0.
    """
    batch = work.num_batch
    counted = Counter(
        shape
        for rows, columns in pairwise(work.hidden)
        for shape in ((batch, rows, columns), (batch, columns, rows), (rows, batch, columns))
    )
    seconds = sum(
        number * min(_seconds(shape, block, cores) / block for block in blocks) for shape, number in counted.items()
    )
    return seconds / cores


def _seconds(shape: tuple[int, int, int], count: int, cores: int) -> float:
    """Seconds of one batched product on every core at the same time, with the faster library."""
    alone = partial(torch.set_num_threads, 1)  # applies to the calling thread
    with threadpool_limits(1), ThreadPoolExecutor(cores, initializer=alone) as pool:
        jobs = [_products(shape, count) for _ in range(cores)]
        candidates = zip(*jobs, strict=True)
        return min(max(pool.map(lambda call: seconds_per_call(call, SHORT), each)) for each in candidates)


def _products(shape: tuple[int, int, int], count: int) -> Iterator[Callable[[], object]]:
    rows, inner, columns = shape
    rng = np.random.default_rng(0)
    a, b = (rng.standard_normal((count, *size), np.float32) for size in ((rows, inner), (inner, columns)))
    out = np.empty((count, rows, columns), np.float32)
    tensors = [torch.from_numpy(array) for array in (a, b, out)]
    yield lambda: np.matmul(a, b, out=out)
    yield lambda: torch.bmm(tensors[0], tensors[1], out=tensors[2])


def peak_flops(cores: int) -> float:
    """Multiplications and additions per second in one large product, with the faster of numpy and torch."""
    a = np.random.default_rng(0).standard_normal((SQUARE, SQUARE), np.float32)
    out: Array = np.empty_like(a)
    tensors = torch.from_numpy(a), torch.from_numpy(out)
    torch.set_num_threads(cores)
    with threadpool_limits(cores):
        seconds = min(
            seconds_per_call(lambda: np.matmul(a, a, out=out)),
            seconds_per_call(lambda: torch.mm(tensors[0], tensors[0], out=tensors[1])),
        )
    return 2 * SQUARE**3 / seconds
