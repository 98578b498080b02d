"""Data sets: synthetic curves, real records, digit images and the visitor's own table.

``load(name)`` returns a `bdlviz.types.Dataset`; ``DATASETS`` lists the names. This package imports neither torch nor
streamlit nor pandas, starts no download unasked, and uses no global random state.
"""

from bdlviz.data.given import Data, as_dataset
from bdlviz.data.noise import estimate_noise_std
from bdlviz.data.registry import DATASETS, DatasetSpec, available, download, load, names
from bdlviz.data.tables import Points, from_points, parse_table, with_points

__all__ = [
    "DATASETS",
    "Data",
    "DatasetSpec",
    "Points",
    "as_dataset",
    "available",
    "download",
    "estimate_noise_std",
    "from_points",
    "load",
    "names",
    "parse_table",
    "with_points",
]
