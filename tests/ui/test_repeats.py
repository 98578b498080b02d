"""Beside a single network a page says what further training seeds came to."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
import pytest

from bdlviz.fitted import bundles
from bdlviz.fitted.checkpoints import CheckpointError
from bdlviz.topics.shared import repeats, repeats_study
from bdlviz.topics.shared.repeats_study import GENERATIVE, WEIGHTS
from tests.ui.harness import open_page

SHOWN = [  # page, link, study, array, its columns, decimals
    ("compression", {"scene": "network"}, WEIGHTS, "group_normal_jeffreys_left", None, 0),
    ("compression", {"scene": "single"}, WEIGHTS, "sparse_variational_dropout_units", 0, 0),
    ("sparsity", {"scene": "few"}, WEIGHTS, "few_paid", 1, 2),
    ("sparsity", {"look": "size"}, WEIGHTS, "thousand_paid", 1, 2),
    ("variational_dropout", {"scene": "functions"}, WEIGHTS, "noise_nll", 0, 2),
    ("variational_dropout", {"scene": "drowned"}, WEIGHTS, "noise_nll", 1, 2),
    ("likelihood", {"images": "digits"}, GENERATIVE, "rmse_digits", 2, 1),
    ("autoencoder", {}, GENERATIVE, "codes_std_mnist", 0, 2),
]
OTHER = [  # where nothing is known of other seeds
    ("compression", {"look": "network", "prune_at": "2"}),
    ("sparsity", {"scene": "ard"}),
    ("autoencoder", {"images": "mnist60000"}),
]


def said(page: str, link: Mapping[str, str]) -> list[str]:
    return [each.value for each in open_page(page, link).caption if "training seeds, median and range" in each.value]


@pytest.mark.parametrize(("page", "link", "study", "name", "column", "digits"), SHOWN)
def test_median_and_range_stand_under_the_picture(
    page: str, link: dict[str, str], study: str, name: str, column: int | None, digits: int
):
    values = bundles.shipped(study, repeats_study.BUNDLES[study].settings)[name].astype(float)
    chosen = values if column is None else values[:, column]
    scale = 255 if name.startswith("rmse") else 1
    median, low, high = (f"{scale * float(of(chosen)):.{digits}f}" for of in (np.median, np.min, np.max))
    [caption] = said(page, link)
    assert caption.startswith(f"{len(values)} training seeds") and f"{median} ({low} – {high})" in caption


@pytest.mark.parametrize(("page", "link"), OTHER)
def test_nothing_is_said_of_another_setting(page: str, link: dict[str, str]):
    assert not said(page, link)


def test_a_missing_study_gets_a_sentence(monkeypatch: pytest.MonkeyPatch):
    def gone(*_: object) -> None:
        raise CheckpointError("No checkpoint called repeats_weights is shipped.")

    monkeypatch.setattr(repeats.bundles, "shipped", gone)
    app = open_page("compression", {"scene": "network"})
    assert not app.exception and any("train repeats_weights" in each.value for each in app.caption)
