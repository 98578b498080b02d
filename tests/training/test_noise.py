"""Minibatches and masks: seeded, shared by the cells, unbiased, and the same however they are prepared."""

import numpy as np
import pytest

from bdlviz.training import noise
from bdlviz.training.noise import MaskStream, MinibatchStream, first_params, generator

X = np.arange(10, dtype=np.float32)[:, None]
Y = 100 + X


def masks_of(num_steps, rates=(0.3,), seeds=(0,), shapes=((4, 5), (4, 3))):
    """The first masks of a stream, copied: it reuses its buffer."""
    stream = MaskStream(shapes, np.array(rates), seeds)
    return [[mask.copy() for mask in stream.next()] for _ in range(num_steps)]


def batches_of(num_steps, batch_size=3, seeds=(0,)):
    stream = MinibatchStream(X, Y, batch_size, seeds)
    return [tuple(piece.copy() for piece in stream.next()) for _ in range(num_steps)]


def assert_same(first, second):
    for step, other in zip(first, second, strict=True):
        for array, twin in zip(step, other, strict=True):
            np.testing.assert_array_equal(array, twin)


def test_seeds_cells_and_stacks():
    together = masks_of(80, seeds=(5, 0, 7))
    for position, seed in enumerate((5, 0, 7)):
        alone = masks_of(80, seeds=(seed,))
        assert_same([[m[position : position + 1] for m in step] for step in together], alone)
    together = batches_of(80, seeds=(5, 0, 7))
    for position, seed in enumerate((5, 0, 7)):
        assert_same([[p[position : position + 1] for p in step] for step in together], batches_of(80, seeds=(seed,)))
    for low, high in masks_of(30, (0.1, 0.5), shapes=((8, 16), (8, 16))):
        for mask in (low, high):
            assert (mask[:, 1][mask[:, 0] == 0] == 0).all()  # dropped at .1, so dropped at .5
            assert ((mask[:, 1] == 0) & (mask[:, 0] > 0)).any()
    grid, alone = masks_of(30, (0.0, 0.1, 0.5)), masks_of(30, (0.1,))
    assert_same([[mask[:, 1:2] for mask in step] for step in grid], alone)
    assert all((mask[:, 0] == 1).all() for step in grid for mask in step)
    assert masks_of(1, (0.2, 0.2, 0.2))[0][0].shape == (1, 1, 4, 5)
    assert masks_of(1, (0.2, 0.3))[0][0].shape == (1, 2, 4, 5)
    first = generator(3, "masks").random(8)
    np.testing.assert_array_equal(first, generator(3, "masks").random(8))
    for other in (generator(4, "masks"), generator(3, "minibatches"), generator(3, "mask")):
        assert not np.isin(first, other.random(8)).any()
    (first, _), (second, _) = masks_of(2, seeds=(0, 1))
    assert not np.array_equal(first[0], first[1])
    assert not np.array_equal(first, second)
    params = first_params(lambda rng: {"weight0": rng.random((2, 3))}, (4, 9))
    assert params["weight0"].shape == (2, 1, 2, 3)
    np.testing.assert_array_equal(params["weight0"][1, 0], generator(9, "init").random((2, 3)))


@pytest.mark.parametrize("chunk", [1, 100, 333])
def test_the_chunk_size_does_not_change_the_noise(chunk, monkeypatch):
    masks, batches = masks_of(150, seeds=(1, 2)), batches_of(150, seeds=(1, 2))
    monkeypatch.setattr(noise, "CHUNK_NUMBERS", chunk)
    assert_same(masks, masks_of(150, seeds=(1, 2)))
    assert_same(batches, batches_of(150, seeds=(1, 2)))


def test_masks_and_minibatches_are_unbiased():
    for rate in [0.02, 0.1, 0.5, 0.95]:
        masks = np.concatenate(
            [np.concatenate([m.ravel() for m in step]) for step in masks_of(200, (rate,), shapes=((20, 30),))]
        )
        kept = masks > 0
        assert abs(kept.mean() - (1 - rate)) < 4 * np.sqrt(rate * (1 - rate) / masks.size) + 2**-17
        assert abs(masks.mean() - 1) < 4 * np.sqrt(rate / (1 - rate) / masks.size)
        threshold = round(rate * 65536)
        np.testing.assert_array_equal(np.unique(masks[kept]), np.float32(65536 / (65536 - threshold)))
    rate, steps = 0.5, 400
    masks = masks_of(steps, (rate,), shapes=((2, 8), (2, 8)))
    first, second = (np.stack([step[layer][0, 0] for step in masks]) - 1 for layer in (0, 1))  # +-1, mean 0
    limit = 4 / np.sqrt(steps * 8)
    assert abs(np.mean(first[:, 0] * second[:, 0])) < limit  # two layers
    assert abs(np.mean(first[:, 0] * first[:, 1])) < limit  # two points of a batch
    assert abs(np.mean(first[:, 0, :4] * first[:, 0, 4:])) < limit * np.sqrt(2)  # two units
    assert abs(np.mean(first[1:] * first[:-1])) < limit  # two steps
    for batch_size in [1, 3, 4, 7, 9]:
        steps = len(X) * 3  # the batches of `batch_size` such steps are a whole number of permutations
        visited = np.concatenate([x[0, 0, :, 0] for x, _ in batches_of(steps, batch_size)])
        np.testing.assert_array_equal(np.bincount(visited.astype(int)), np.full(len(X), 3 * batch_size))
        for epoch in visited.reshape(-1, len(X)):
            np.testing.assert_array_equal(np.sort(epoch), X[:, 0])


def test_x_and_y_stay_together_and_orders_differ():
    batches = batches_of(40, seeds=(0, 1))
    assert batches[0][0].shape == (2, 1, 3, 1)
    for x, y in batches:
        np.testing.assert_array_equal(y, x + 100)
    first, second = (np.concatenate([x[seed].ravel() for x, _ in batches]) for seed in (0, 1))
    assert not np.array_equal(first, second)
    assert not np.array_equal(first[:10], first[10:20])
    stream = MinibatchStream(X, Y, 10, (0, 1))
    for _ in range(3):
        x, y = stream.next()
        np.testing.assert_array_equal(x, X[None, None])
        np.testing.assert_array_equal(y, Y[None, None])
