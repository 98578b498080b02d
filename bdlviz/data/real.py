"""Real one-dimensional regression sets."""

from __future__ import annotations

from typing import Any

import numpy as np

from bdlviz.data import files
from bdlviz.data.sampling import check_num_data, generator, thin
from bdlviz.data.tables import Points, parse_table
from bdlviz.errors import InvalidInput
from bdlviz.types import Dataset

NUM_PATIENTS = 342  # for training; the other 100 of the 442 are held out
CO2_FILE = "mauna_loa_co2.csv"
CO2_TRAINING_SHARE = 0.75
NUM_CO2 = 615  # months for training; the other 205 of the 820 are held out


def diabetes_bmi(num_data: int | None = None, seed: int = 0) -> Dataset:
    """Body mass index (kg/m²) and the progression of diabetes one year later, for 442 patients.

    ``seed`` splits the patients into 342 for training, of which the first ``num_data`` are used, and 100 held out.
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


def mauna_loa_co2(num_data: int | None = None) -> Dataset:
    """Monthly mean CO2 (parts per million) on Mauna Loa, 1958 to 2026; the last quarter of the record is held out.

    The held-out part tests extrapolation: training uses only earlier months, thinned evenly to ``num_data``. The record
    comes with the package. Source: NOAA Global Monitoring Laboratory and Scripps Institution of Oceanography.
    """
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
    """The record in the file; `InvalidInput` with the name of the file if it is damaged."""
    try:
        return parse_table(files.included(CO2_FILE))
    except InvalidInput as error:
        raise InvalidInput(f"The file {CO2_FILE} is damaged: {error}") from None
