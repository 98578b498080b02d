"""Sums of products of the browser's engine: compiled ones equal those in JavaScript and NumPy's, for every shape."""

import hashlib
import importlib.util
import re

import numpy as np
import pytest

from bdlviz.live import ENGINE
from scripts import build_products
from tests.live.in_node import ask

SHAPES = [(1, 1, 1), (3, 5, 2), (7, 20, 3), (4, 9, 5), (5, 16, 16), (6, 50, 19), (20, 33, 50), (2, 3, 100)]
PROGRAM = """
const [rows, depth, columns] = given.shape;
const answers = [true, false].map((wanted) => {
  if (live.useCompiled(wanted) !== wanted) throw new Error("Node has no WebAssembly.");
  const room = live.workspaceFor(100000, Math.max(rows, depth, columns));
  const put = (numbers) => { const array = room.array(numbers.length); array.set(numbers); return array; };
  const [a, b, start, factors, mask] = [given.a, given.b, given.start, given.factors, given.mask].map(put);
  const [plain, added, transposed] = [0, 1, 2].map(() => room.array(rows * columns));
  const byColumn = room.array(depth * columns);
  room.multiply(a, depth, 1, b, null, plain, rows, depth, columns);
  room.multiply(a, depth, 1, b, start, added, rows, depth, columns);
  room.multiply(a, 1, depth, factors, null, byColumn, depth, rows, columns);
  room.multiplyTransposed(a, put(given.turned), factors, transposed, rows, depth, columns);
  const relus = [0, columns].map((step) => {
    const [values, slopes] = [put(given.factors), room.array(rows * columns)];
    room.activate(live.ACTIVATIONS.relu, values, slopes, mask, step, rows, columns);
    return [values, slopes];
  });
  return { plain, added, byColumn, transposed, relus };
});
return answers;
"""


@pytest.mark.parametrize("shape", SHAPES)
def test_products_and_relu(shape: tuple[int, int, int]):
    """A third of the entries of A and of the factors are 0, which products skip."""
    rows, depth, columns = shape
    rng = np.random.default_rng(1)
    a = rng.standard_normal((rows, depth)) * (rng.uniform(size=(rows, depth)) > 0.3)
    b, start = rng.standard_normal((depth, columns)), rng.standard_normal(columns)
    factors = rng.standard_normal((rows, columns)) * (rng.uniform(size=(rows, columns)) > 0.3)
    mask = 1.25 * (rng.uniform(size=(rows, columns)) > 0.2)
    numbers = {name: array.astype(np.float32) for name, array in
               {"a": a, "b": b, "turned": b.T, "start": start, "factors": factors, "mask": mask}.items()}  # fmt: skip
    for answer in ask(PROGRAM, shape=list(shape), **numbers):
        expected = {"plain": a @ b, "added": start + a @ b, "byColumn": a.T @ factors, "transposed": factors * (a @ b)}
        for name, array in expected.items():
            np.testing.assert_allclose(answer[name], array.ravel(), rtol=1e-5, atol=1e-5, err_msg=name)
        for (values, slopes), kept in zip(answer["relus"], (mask[:1], mask), strict=True):
            np.testing.assert_allclose(values, (kept * np.maximum(factors, 0)).ravel(), rtol=1e-6)
            np.testing.assert_allclose(slopes, (kept * (factors > 0)).ravel(), rtol=1e-6)


def test_training_keeps_no_denormal_numbers():
    """Weight decay alone moves the weights of units that are never active, to numbers that slow all products down."""
    program = """
    return [true, false].map((wanted) => {
      live.useCompiled(wanted);
      const x = Float32Array.from({ length: 20 }, (_, i) => i / 5 - 2);
      const trainer = new live.Trainer({ method: "map", hidden: [20, 20], weight_decay: 0.01 }, x, x.map(Math.sin));
      for (let i = 0; i < 3000; i += 1) trainer.step();
      const { params, adam } = trainer.method;
      const smallest = (numbers) => Math.min(...Array.from(numbers, Math.abs).filter((number) => number > 0));
      const zeros = adam.mean.filter((average) => average === 0).length;
      return { smallest: [params, adam.mean, adam.square].map(smallest), zeros };
    });
    """
    for answer in ask(program):
        assert min(answer["smallest"]) > np.finfo(np.float32).tiny
        assert answer["zeros"] > 0, "No average came near 0: the test looks at nothing."


def test_a_workspace_that_finds_no_memory_computes_in_javascript():
    program = """
    live.useCompiled(true);
    const { Memory } = WebAssembly;
    WebAssembly.Memory = class { constructor() { throw new RangeError("no memory"); } };
    const first = live.workspaceFor(10, 4);
    WebAssembly.Memory = Memory;
    return { same: first instanceof live.PlainWorkspace && first.array(3).length === 3 && !("memory" in first) };
    """
    assert ask(program)["same"]


def test_the_module_is_made_from_the_source_beside_it():
    """A change of products.c that was not compiled, or a module that was changed by hand, is found."""
    text = build_products.MODULE.read_text(encoding="utf-8")
    source, module = re.findall(r"([0-9a-f]{64})", text.split("export")[0])
    assert source == hashlib.sha256((ENGINE / "products.c").read_bytes()).hexdigest()
    assert module == hashlib.sha256(build_products.decoded(text)).hexdigest()


@pytest.mark.rest
@pytest.mark.skipif(importlib.util.find_spec("ziglang") is None, reason="needs requirements/wasm.txt")
def test_compiling_again_gives_the_same_module():
    assert build_products.text_of(build_products.compiled()) == build_products.MODULE.read_text(encoding="utf-8")
