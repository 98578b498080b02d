"""Real regression sets: fixed splits, the order in which files are read, and damaged files."""

import types

import numpy as np
import pytest

from bdlviz.data import available, load
from bdlviz.errors import InvalidInput

CO2 = "mauna_loa_co2"


@pytest.fixture
def folders(monkeypatch, tmp_path):
    """Empty folders in the place of BDLVIZ_DATA and of the cache."""
    data, cache = tmp_path / "data", tmp_path / "cache"
    data.mkdir()
    monkeypatch.setenv("BDLVIZ_DATA", str(data))
    monkeypatch.setenv("BDLVIZ_CACHE", str(cache))
    return data, cache


def record(first_year, num_months=48):
    """A CO2 record as a file holds it."""
    rows = [f"{first_year + month / 12:.4f},{315 + 0.1 * month:.2f}\n" for month in range(num_months)]
    return "".join(["year,co2_ppm\n", *rows])


def test_diabetes_has_known_values():
    data = load("diabetes_bmi")
    assert (len(data.x), len(data.x_test)) == (342, 100)
    bmi = np.concatenate([data.x, data.x_test])
    progression = np.concatenate([data.y, data.y_test])
    assert (bmi.min(), bmi.max()) == (18.0, 42.2)
    assert (progression.min(), progression.max()) == (25, 346)
    assert np.corrcoef(bmi.ravel(), progression.ravel())[0, 1] == pytest.approx(0.58645, abs=1e-5)


def test_diabetes_split_depends_on_the_seed_alone():
    data, again, other = load("diabetes_bmi"), load("diabetes_bmi", num_data=50), load("diabetes_bmi", seed=1)
    np.testing.assert_array_equal(data.x[:50], again.x)
    np.testing.assert_array_equal(data.x_test, again.x_test)
    assert not np.array_equal(data.x_test, other.x_test)


def test_co2_holds_out_the_last_quarter(folders):
    (folders[0] / "mauna_loa_co2.csv").write_text(record(1990))
    assert available(CO2)
    data = load(CO2)
    assert (len(data.x), len(data.x_test)) == (36, 12)
    assert data.x.max() < data.x_test.min()
    np.testing.assert_allclose(data.y[:2], [[315.0], [315.1]])
    thinned = load(CO2, num_data=5)
    np.testing.assert_array_equal(thinned.x, data.x[[0, 9, 18, 26, 35]])
    with pytest.raises(InvalidInput, match="between 1 and 36"):
        load(CO2, num_data=37)


def test_co2_rows_may_come_in_any_order(folders):
    header, *rows = record(1990).splitlines()
    (folders[0] / "mauna_loa_co2.csv").write_text(record(1990))
    expected = load(CO2)
    (folders[0] / "mauna_loa_co2.csv").write_text("\n".join([header, *reversed(rows)]))
    assert load(CO2).fingerprint == expected.fingerprint


def test_the_data_folder_comes_before_the_cache(folders):
    data, cache = folders
    cache.mkdir()
    (cache / "mauna_loa_co2.csv").write_text(record(1970))
    assert load(CO2).x[0, 0] == 1970
    (data / "mauna_loa_co2.csv").write_text(record(1990))
    assert load(CO2).x[0, 0] == 1990


def test_missing_co2_is_a_sentence_and_no_download(folders, monkeypatch):
    monkeypatch.setattr("bdlviz.data.openml.fetch", lambda *_: pytest.fail("a download was started"))
    assert not available(CO2)
    with pytest.raises(InvalidInput, match=r"mauna_loa_co2\.csv was not found.*BDLVIZ_DATA.*download=True"):
        load(CO2)


@pytest.mark.parametrize(
    ("content", "reason"),
    [(b"", "empty"), (b"year,co2_ppm\n1990,315\n1991,abc\n", "Row 3"), (b"\x00" * 50, "NUL")],
)
def test_damaged_co2_names_the_file(folders, content, reason):
    (folders[0] / "mauna_loa_co2.csv").write_bytes(content)
    with pytest.raises(InvalidInput, match=rf"mauna_loa_co2\.csv is damaged: .*{reason}"):
        load(CO2)


def test_download_writes_monthly_means_to_the_cache(folders, monkeypatch):
    features = np.array([[1958, 3, 29], [1958, 4, 5], [1958, 4, 12], [1959, 1, 3]])
    calls = []

    def fetch_openml(**settings):
        calls.append(settings)
        return types.SimpleNamespace(data=features, target=np.array([316.0, 317.0, 318.0, 315.0]))

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    data = load(CO2, download=True)
    np.testing.assert_allclose(data.x.ravel(), [1958 + 2.5 / 12, 1958 + 3.5 / 12], atol=1e-4)
    np.testing.assert_allclose(data.x_test.ravel(), [1959 + 0.5 / 12], atol=1e-4)
    np.testing.assert_allclose(data.y.ravel(), [316.0, 317.5])
    assert load(CO2, download=True).fingerprint == load(CO2).fingerprint == data.fingerprint
    assert len(calls) == 1
    assert [path.name for path in folders[1].iterdir()] == ["mauna_loa_co2.csv"]


@pytest.mark.parametrize("error", [OSError("no network"), ValueError("no such set"), KeyError("no such column")])
def test_failed_download_is_a_sentence(folders, monkeypatch, error):
    def fetch_openml(**settings):
        raise error

    monkeypatch.setattr("sklearn.datasets.fetch_openml", fetch_openml)
    with pytest.raises(InvalidInput, match="could not be downloaded"):
        load(CO2, download=True)


def test_unwritable_cache_is_a_sentence(folders, monkeypatch):
    folders[1].write_text("a file where the folder should be")
    bunch = types.SimpleNamespace(data=np.array([[1958.0, 3.0]]), target=np.array([316.0]))
    monkeypatch.setattr("sklearn.datasets.fetch_openml", lambda **_: bunch)
    with pytest.raises(InvalidInput, match="The cache folder cannot take the file"):
        load(CO2, download=True)
