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


@pytest.mark.parametrize("name", OFFLINE)
def test_loading_leaves_the_global_random_state_alone(name):
    before = np.random.get_state(legacy=False)["state"]
    load(name, num_data=2)
    after = np.random.get_state(legacy=False)["state"]
    np.testing.assert_array_equal(before["key"], after["key"])
    assert before["pos"] == after["pos"]


def test_names_by_task():
    assert set(names("regression")) | set(names("classification")) == set(names()) == set(DATASETS)
    assert names("classification") == ("digits", "mnist-1000", "mnist", "fashion-mnist")


def test_sets_without_files_are_available(monkeypatch, tmp_path):
    monkeypatch.delenv("BDLVIZ_DATA", raising=False)
    monkeypatch.setenv("BDLVIZ_CACHE", str(tmp_path))
    assert [name for name in names() if available(name)] == OFFLINE


@pytest.mark.parametrize("call", [load, available])
def test_unknown_names_list_the_known_ones(call):
    with pytest.raises(InvalidInput, match=r"no data set called 'boston'; choose one of x_sin_x, .*mnist"):
        call("boston")


@pytest.mark.parametrize("name", ["heteroscedastic", "diabetes_bmi", "mauna_loa_co2", "digits", "mnist"])
def test_noise_of_some_sets_cannot_be_chosen(name):
    assert DATASETS[name].noise_std is None
    with pytest.raises(InvalidInput, match="part of the data"):
        load(name, noise_std=0.1)


@pytest.mark.parametrize("name", [name for name in OFFLINE if DATASETS[name].max_num_data != 10_000])
def test_no_more_points_than_there_are(name):
    maximum = DATASETS[name].max_num_data
    assert maximum is not None
    assert load(name, num_data=maximum).num_data == maximum
    with pytest.raises(InvalidInput, match=f"between 1 and {maximum:,}"):
        load(name, num_data=maximum + 1)


def test_importing_stays_light():
    heavy = {"torch", "streamlit", "pandas", "sklearn", "pooch"}
    code = f"import sys, bdlviz.data; sys.exit(bool({heavy} & set(sys.modules)))"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
