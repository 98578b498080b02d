"""A small trained VAE with a plane of codes, for everything that looks at one."""

import pytest

import bdlviz
from bdlviz.data import load
from bdlviz.fits import GenerativeFit
from bdlviz.types import Array, Dataset


@pytest.fixture(scope="session")
def digits() -> Dataset:
    return load("digits", num_data=300)


@pytest.fixture(scope="session")
def vae(digits: Dataset) -> GenerativeFit:
    settings = {"hidden": (48, 32), "batch_size": 50, "num_epochs": 120, "learning_rate": 3e-3}
    return bdlviz.fit("vae", digits, **settings)


@pytest.fixture(scope="session")
def params(vae: GenerativeFit) -> dict[str, Array]:
    """The parameters of its only network."""
    return vae.single()
