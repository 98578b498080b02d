"""Blocks of function draws: what is unpacked is what was packed, within a pixel and within the bytes allowed."""

import json

import numpy as np
import pytest

from bdlviz import data
from bdlviz.errors import InvalidInput
from bdlviz.fitted import shelf
from bdlviz.predictive.surface import MAX_ERROR, Curves, compress, name_of, pack, pack_surface, pixel, unpack
from bdlviz.studies import grids
from bdlviz.types import Array

MAX_BYTES = 2_000_000  # what the first view may weigh


def bends(count: int, points: int = 60, seed: int = 0) -> Array:
    """Broken lines, as ReLU networks draw them."""
    rng = np.random.default_rng(seed)
    x, knots = np.linspace(-1, 1, points), rng.uniform(-1, 1, (count, 4, 1))
    return (rng.normal(size=(count, 4, 1)) * np.maximum(0, x - knots)).sum(1)


def test_curves_come_back_in_few_bytes():
    for tolerance in [0.1, 0.01, 1e-3]:
        curves = bends(300)
        packed = compress(curves, tolerance)
        assert np.abs(packed.decode() - curves).max() <= tolerance
        assert packed.fine.dtype == np.int16 and packed.coarse.dtype == np.int8
    sizes = [sum(a.nbytes for a in compress(bends(300), tolerance).arrays().values()) for tolerance in (1e-3, 0.05)]
    assert sizes[1] < 0.6 * sizes[0]
    curves = np.tile(np.linspace(-2, 3, 50), (7, 1))
    np.testing.assert_allclose(compress(curves, 1e-4).decode(), curves, atol=1e-4)
    dataset = data.load("x_sin_x")
    fit, _ = shelf.shipped("function_draws_map")
    header, arrays = unpack(grids.function_surface(fit, dataset))
    assert header["draws"] == 1 and "nll" not in arrays
    curves = bends(40) * np.geomspace(1e-3, 1e9, 40)[:, None]
    with pytest.raises(InvalidInput, match="differ"):
        compress(curves, 1e-6)
    with pytest.raises(InvalidInput, match="fill"):
        pack_surface([("rate", (0.0, 0.1)), ("decay", (1.0, 2.0, 3.0))], np.zeros((5, 2, 10)), (0.0, 1.0))
    for curves in [np.array([[np.nan, 0.0]]), np.array([[np.inf, 0.0]])]:
        with pytest.raises(InvalidInput, match="finite"):
            compress(curves, 0.1)


def test_a_block_keeps_header_types_and_values():
    arrays = {
        "small": np.arange(3, dtype=np.int8),
        "wide": np.linspace(0, 1, 7, dtype=np.float32).reshape(7, 1),
        "none": np.empty((0, 4), np.int16),
    }
    header, found = unpack(pack({"draws": 3}, arrays))
    assert header["draws"] == 3
    for name, array in arrays.items():
        assert found[name].dtype == array.dtype
        np.testing.assert_array_equal(found[name], array)
    block = pack({"draws": 1}, {"odd": np.zeros(5, np.int8), "next": np.ones(2, np.float32)})
    end = 4 + int.from_bytes(block[:4], "little")
    starts = [place["start"] for place in json.loads(block[4:end])["arrays"].values()]
    assert end % 8 == 0 and all(start % 8 == 0 for start in starts)
    one, same, other = (pack({"x": 1}, {"a": np.full(3, value, np.float32)}) for value in (1, 1, 2))
    assert name_of(one) == name_of(same) != name_of(other)
    assert name_of(one) != name_of(pack({"x": 2}, {"a": np.full(3, 1, np.float32)}))


@pytest.mark.parametrize("name", ["function_draws_mc_dropout", "effect_of_lambda"])
def test_the_shipped_surface_is_the_shipped_grid(name: str):
    fit, extra = shelf.shipped(name)
    block = extra["surface"].tobytes()
    assert len(block) <= 0.7 * MAX_BYTES
    header, arrays = unpack(block)
    assert [axis["stops"] for axis in header["axes"]] == [list(stops) for _, stops in fit.config.axes]
    limits = data.load("x_sin_x").y_range
    curves = Curves(*(arrays[part] for part in ("centre", "basis", "scale", "fine", "coarse"))).decode()
    draws = curves.reshape(*fit.config.grid_shape, header["draws"], header["x"])
    x = np.linspace(*data.load("x_sin_x").x_range, header["x"])
    for index in ((0, 0), (3, 5), (-1, 2)):
        values = {axis: stops[at] for (axis, stops), at in zip(fit.config.axes, index, strict=True)}
        exact = fit.cell(seed=fit.config.seeds[0], **values).predict(x, header["draws"]).draws[:, :, 0]
        assert np.abs(draws[index] - exact).max() <= 1.01 * MAX_ERROR * pixel(limits) < pixel(limits)
    np.testing.assert_allclose(arrays["nll"].reshape(fit.config.grid_shape), extra["nll"].mean(0), rtol=2e-2, atol=0.02)
