"""The registry: every set says before loading what it is after."""

import subprocess
import sys

import numpy as np
import pytest

from bdlviz.data import DATASETS, available, load, names
from bdlviz.errors import InvalidInput

OFFLINE = [name for name, spec in DATASETS.items() if not spec.files]


@pytest.mark.parametrize("name", OFFLINE)
def test_spec_agrees_with_the_set(name):
    spec, data = DATASETS[name], load(name)
    assert (data.name, data.title, data.task) == (spec.name, spec.title, spec.task)
    assert data.num_data == spec.num_data
    assert len(data.x) == len(data.y) and len(data.x_test) == len(data.y_test) > 0
    assert data.x.ndim == 2 and data.x.shape[1] == data.x_test.shape[1]
    assert data.source and data.x_label and data.y_label and spec.note
    before = np.random.get_state(legacy=False)["state"]
    load(name, num_data=2)
    after = np.random.get_state(legacy=False)["state"]
    np.testing.assert_array_equal(before["key"], after["key"])
    assert before["pos"] == after["pos"]


def test_names_by_task_and_what_is_available(monkeypatch, tmp_path):
    assert set(names("regression")) | set(names("classification")) == set(names()) == set(DATASETS)
    assert names("classification") == ("digits", "mnist-1000", "mnist", "fashion-mnist")
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))
    assert [name for name in names() if available(name)] == OFFLINE
    heavy = {"torch", "streamlit", "pandas", "sklearn", "pooch"}
    code = f"import sys, bdlviz.data; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_unknown_names_and_sizes_are_refused():
    for call in [load, available]:
        with pytest.raises(InvalidInput, match=r"no data set called 'boston'; choose one of x_sin_x, .*mnist"):
            call("boston")
    for name in ["heteroscedastic", "diabetes_bmi", "mauna_loa_co2", "digits", "mnist"]:
        assert DATASETS[name].noise_std is None
        with pytest.raises(InvalidInput, match="part of the data"):
            load(name, noise_std=0.1)
    for name in [name for name in OFFLINE if DATASETS[name].max_num_data != 10_000]:
        maximum = DATASETS[name].max_num_data
        assert maximum is not None
        assert load(name, num_data=maximum).num_data == maximum
        with pytest.raises(InvalidInput, match=f"between 1 and {maximum:,}"):
            load(name, num_data=maximum + 1)
