"""Downloads from openml.org through scikit-learn, only ever on explicit demand."""

from __future__ import annotations

from http.client import HTTPException
from typing import Any

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array


def fetch(data_id: int, title: str) -> tuple[Array, Array]:
    """Features (N, D) and target (N,) of a data set on openml.org; `InvalidInput` where that fails."""
    from sklearn.datasets import fetch_openml

    try:
        # The parser that needs no pandas.
        bunch: Any = fetch_openml(data_id=data_id, as_frame=False, parser="liac-arff", cache=False)
    except (OSError, HTTPException, ValueError, LookupError) as error:
        raise InvalidInput(
            f"{title} could not be downloaded ({type(error).__name__}): check the connection, "
            "or put the files into the folder named by BDLVIZ_DATA."
        ) from error
    return np.asarray(bunch.data), np.asarray(bunch.target)
