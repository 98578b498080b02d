"""Sweeps: the fits of `bdlviz.fit`, bit for bit, wherever they train."""

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from bdlviz import data
from bdlviz.errors import InvalidInput
from bdlviz.fits import configure, fit
from bdlviz.sweeps import Swept, fit_one, sweep
from bdlviz.types import Dataset, FitConfig
from tests.sweeps.same import bits

RATES, DECAYS = [0.05, 0.1, 0.5], np.geomspace(1e-6, 1, 12).tolist()
FEW_STEPS: dict[str, Any] = {"num_steps": 40, "hidden": (16,)}
# A single cell, one whose noise is learned after training, a grid of several blocks with snapshots, one solved at once.
SETTINGS: list[tuple[str, dict[str, Any]]] = [
    ("mc_dropout", {"dropout_rate": 0.1, **FEW_STEPS}),
    ("deep_ensemble", {"likelihood": "homoscedastic", **FEW_STEPS}),
    ("mc_dropout", {"dropout_rate": RATES, "weight_decay": DECAYS, "seed": [0, 1], "num_snapshots": 2, **FEW_STEPS}),
    ("gaussian_process", {}),
]


@pytest.fixture(scope="module")
def points() -> Dataset:
    return data.load("x_sin_x", num_data=30)


@pytest.fixture(scope="module")
def configs(points: Dataset) -> list[FitConfig]:
    return [configure(method, points, **settings) for method, settings in SETTINGS]


def test_the_same_bits_here_and_in_processes(points: Dataset, configs: list[FitConfig]):
    one_by_one = [bits(fit(method, points, **settings)) for method, settings in SETTINGS]
    heard: list[Swept] = []
    there = sweep(configs, points, num_processes=1, on_fit=heard.append)
    assert [bits(each) for each in sweep(configs, points)] == one_by_one
    assert [bits(each) for each in there] == one_by_one
    assert there[0].seconds > 0 and bits(there[0].cell()) == one_by_one[0]
    assert sorted(each.index for each in heard) == [0, 1, 2, 3]
    assert [each.progress.num_done for each in heard] == [1, 2, 3, 4]
    assert all(each.fit is there[each.index] for each in heard)


def test_failures_name_their_configuration(points: Dataset, configs: list[FitConfig]):
    unknown = FitConfig("no_such_method", points.name, points.fingerprint, axes=(("dropout_rate", (0.1, 0.5)),))
    words = r"^Configuration 2 of 3 \(no_such_method on x_sin_x, dropout_rate 0.1/0.5, seed 0\): .*no_such_method"
    fitted: list[int] = []
    with pytest.raises(InvalidInput, match=words):
        sweep([configs[0], unknown, configs[0]], points, on_fit=lambda each: fitted.append(each.index))
    assert fitted == [0], "what is left is given up"
    with ThreadPoolExecutor(2) as executor:
        threads = sweep(configs, points, executor)
        assert executor.submit(int).result() == 0, "it is left open"
    assert [bits(each) for each in threads] == [bits(each) for each in sweep(configs, points)]
    with ThreadPoolExecutor(1) as executor, pytest.raises(InvalidInput, match="not both"):
        sweep(configs, points, executor, num_processes=2)
    with pytest.raises(InvalidInput, match="at least 1, not 0"):
        sweep(configs, points, num_processes=0)
    assert sweep([], points) == []
    other = data.load("x_sin_x", num_data=31)
    with pytest.raises(InvalidInput, match=r"Configuration 2 of 2 \(mc_dropout .*\): the configuration belongs to"):
        sweep([configure("map", other), configs[0]], other)


def test_an_unexpected_failure_keeps_its_traceback(
    points: Dataset, configs: list[FitConfig], monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("bdlviz.sweeps.run", lambda config, dataset: 1 / 0)
    with pytest.raises(InvalidInput, match=r"Configuration 1 of 1 .*: ZeroDivisionError: division by zero") as caught:
        sweep(configs[:1], points)
    assert any("1 / 0" in note for note in caught.value.__notes__)


def test_workers_load_a_named_set_themselves(monkeypatch: pytest.MonkeyPatch):
    sent: list[object] = []
    config = configure("gaussian_process", data.load("x_sin_x"))
    monkeypatch.setattr("bdlviz.sweeps.fit_one", lambda config, data: sent.append(data) or fit_one(config, data))
    named, given = sweep([config], "x_sin_x"), sweep([config], data.load("x_sin_x"))
    assert bits(named[0]) == bits(given[0])
    assert sent[0] == "x_sin_x" and isinstance(sent[1], Dataset) and sent[1].truth is None and not len(sent[1].x_test)
    with pytest.raises(InvalidInput, match="two_clusters is a different data set"):
        fit_one(config, "two_clusters")
