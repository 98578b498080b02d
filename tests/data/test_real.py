"""Real regression sets: fixed splits, and damaged files."""

import numpy as np
import pytest

from bdlviz.data import files, load
from bdlviz.errors import InvalidInput

CO2 = "mauna_loa_co2"


@pytest.fixture
def put_record(monkeypatch, tmp_path):
    """Writes another record in the place of that of the package."""
    monkeypatch.setattr(files, "INCLUDED", tmp_path)
    return (tmp_path / "mauna_loa_co2.csv").write_bytes


def record(first_year, num_months=48):
    """A CO2 record as a file holds it."""
    rows = [f"{first_year + month / 12:.4f},{315 + 0.1 * month:.2f}\n" for month in range(num_months)]
    return "".join(["year,co2_ppm\n", *rows])


def test_diabetes_and_co2_have_known_values_and_splits():
    data = load("diabetes_bmi")
    assert (len(data.x), len(data.x_test)) == (342, 100)
    bmi = np.concatenate([data.x, data.x_test])
    progression = np.concatenate([data.y, data.y_test])
    assert (bmi.min(), bmi.max()) == (18.0, 42.2)
    assert (progression.min(), progression.max()) == (25, 346)
    assert np.corrcoef(bmi.ravel(), progression.ravel())[0, 1] == pytest.approx(0.58645, abs=1e-5)
    data, again, other = load("diabetes_bmi"), load("diabetes_bmi", num_data=50), load("diabetes_bmi", seed=1)
    np.testing.assert_array_equal(data.x[:50], again.x)
    np.testing.assert_array_equal(data.x_test, again.x_test)
    assert not np.array_equal(data.x_test, other.x_test)
    # The first month is March 1958, 315.71 ppm in the published record.
    data = load(CO2)
    assert (len(data.x), len(data.x_test)) == (615, 205)
    assert data.x.max() < data.x_test.min()
    assert (data.x[0, 0], data.y[0, 0]) == (1958.2027, 315.71)
    assert data.y.min() > 310 and 420 < data.y_test.max() < 440
    thinned = load(CO2, num_data=3)
    np.testing.assert_array_equal(thinned.x, data.x[[0, 307, 614]])
    with pytest.raises(InvalidInput, match="between 1 and 615"):
        load(CO2, num_data=616)


def test_co2_rows_may_come_in_any_order(put_record):
    header, *rows = record(1990).splitlines()
    put_record(record(1990).encode())
    expected = load(CO2)
    assert (len(expected.x), len(expected.x_test)) == (36, 12)
    put_record("\n".join([header, *reversed(rows)]).encode())
    assert load(CO2).fingerprint == expected.fingerprint


@pytest.mark.parametrize(
    ("content", "reason"), [(b"", "empty"), (b"year,co2_ppm\n1990,315\n1991,abc\n", "Row 3"), (b"\x00" * 50, "NUL")]
)
def test_damaged_co2_names_the_file(put_record, content, reason):
    put_record(content)
    with pytest.raises(InvalidInput, match=rf"mauna_loa_co2\.csv is damaged: .*{reason}"):
        load(CO2)
