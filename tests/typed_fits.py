"""What a type checker must know of fits; pyright checks this file, and nobody runs it."""

from typing import assert_type

import bdlviz
from bdlviz.types import Snapshot


def check_fits(data: bdlviz.Dataset, name: str) -> None:
    """Fits of generative methods encode and decode; those of every other method, or of any name, are `Fit`."""
    assert_type(bdlviz.fit("vae", data), bdlviz.GenerativeFit)
    assert_type(bdlviz.fit("conditional_vae", data, seed=1), bdlviz.GenerativeFit)
    assert_type(bdlviz.fit("autoencoder", data), bdlviz.GenerativeFit)
    assert_type(bdlviz.fit("mc_dropout", data), bdlviz.Fit)
    assert_type(bdlviz.fit(name, data), bdlviz.Fit)


def check_parts_of_a_fit(fit: bdlviz.GenerativeFit) -> None:
    """A cell, a snapshot and a fit that was told the class are of the same type as the whole."""
    assert_type(fit.cell(seed=1), bdlviz.GenerativeFit)
    assert_type(fit.at_snapshot(0), bdlviz.GenerativeFit)
    assert_type(fit.given(3), bdlviz.GenerativeFit)


def check_snapshots(data: bdlviz.Dataset) -> None:
    """What ``on_snapshot`` receives gives a fit of the same type."""

    def look(snapshot: Snapshot[bdlviz.GenerativeFit]) -> bool:
        return snapshot.take().encode(data.x)[0].shape[1] > 0

    def watch(snapshot: Snapshot[bdlviz.Fit]) -> None:
        assert_type(snapshot.take(), bdlviz.Fit)

    bdlviz.fit("vae", data, on_snapshot=look)
    bdlviz.fit("map", data, on_snapshot=watch)
