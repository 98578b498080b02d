"""Real one-dimensional regression sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from bdlviz.data import files, openml
from bdlviz.data.sampling import check_num_data, generator, thin
from bdlviz.data.tables import Points, parse_table
from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Dataset

NUM_PATIENTS = 342  # for training; the other 100 of the 442 are held out
CO2_FILE = "mauna_loa_co2.csv"
CO2_TRAINING_SHARE = 0.75


def diabetes_bmi(num_data: int | None = None, seed: int = 0) -> Dataset:
    """Body mass index (kg/m²) and the progression of diabetes one year later, for 442 patients.

    ``seed`` deals the patients into 342 for training, of which the first ``num_data`` are used, and 100 held out.
    Progression is a quantitative measure without a unit, from 25 to 346. Source: Efron, Hastie, Johnstone &
    Tibshirani (2004), Least angle regression; bundled with scikit-learn.
    """
    from sklearn.datasets import load_diabetes

    bunch: Any = load_diabetes(scaled=False)
    x, y = bunch.data[:, 2:3], bunch.target.reshape(-1, 1)  # column 2 is the body mass index
    patients = generator(seed, "diabetes_bmi/split").permutation(len(x))
    train, test = patients[: check_num_data(num_data, NUM_PATIENTS)], patients[NUM_PATIENTS:]
    return Dataset(
        name="diabetes_bmi",
        title="Diabetes: body mass index and progression",
        x=x[train],
        y=y[train],
        x_test=x[test],
        y_test=y[test],
        x_label="body mass index (kg/m²)",
        y_label="disease progression after one year",
        x_range=(10.0, 50.0),
        y_range=(-50.0, 450.0),
        source="Efron et al. (2004), Least angle regression; bundled with scikit-learn.",
    )


def mauna_loa_co2(num_data: int | None = None, *, download: bool = False) -> Dataset:
    """Monthly mean CO2 (parts per million) on Mauna Loa; the last quarter of the record is held out.

    Held out is extrapolation: the model sees the earlier months only, thinned evenly to ``num_data``. Reads
    mauna_loa_co2.csv (columns year, co2_ppm) from BDLVIZ_DATA or the cache folder; where it is in neither,
    ``download=True`` fetches a shorter record (1958-2001) from openml.org. `InvalidInput` where there is no file.
    Source: NOAA Global Monitoring Laboratory and Scripps Institution of Oceanography.
    """
    if download and not files.is_available(CO2_FILE):
        _download_co2()
    points = _read_co2()
    order = np.argsort(points.x, kind="stable")
    x, y = points.x[order].reshape(-1, 1), points.y[order].reshape(-1, 1)
    num_train = max(1, int(CO2_TRAINING_SHARE * len(x)))
    rows = thin(num_train, num_data)
    return Dataset(
        name="mauna_loa_co2",
        title="CO₂ at Mauna Loa",
        x=x[rows],
        y=y[rows],
        x_test=x[num_train:],
        y_test=y[num_train:],
        x_label="year",
        y_label="CO₂ (ppm)",
        x_range=(1940.0, 2045.0),
        y_range=(280.0, 480.0),
        source="NOAA Global Monitoring Laboratory and Scripps Institution of Oceanography, Mauna Loa CO₂ record.",
    )


def _read_co2() -> Points:
    """The record as the file holds it; `InvalidInput`, naming the file, where it is damaged."""
    path = files.locate(CO2_FILE)
    try:
        return parse_table(files.read(path))
    except InvalidInput as error:
        raise InvalidInput(f"The file {path.name} is damaged: {error}") from None


def _download_co2() -> None:
    """Write the monthly means of the weekly record on openml.org to the cache folder."""
    features, co2 = openml.fetch(41187, "The CO₂ record")
    times, means = _monthly_means(features[:, 0], features[:, 1], co2)  # its first columns are year and month
    lines = [f"{time:.4f},{mean:.2f}\n" for time, mean in zip(times, means, strict=True)]
    files.save(CO2_FILE, "".join(["year,co2_ppm\n", *lines]).encode())


def _monthly_means(year: Array, month: Array, value: Array) -> tuple[Array, Array]:
    """Decimal years of mid-month and the mean of ``value`` in that month, for the months that occur."""
    months, group, count = np.unique(12 * year + month - 1, return_inverse=True, return_counts=True)
    return (months + 0.5) / 12, np.bincount(group, value) / count
