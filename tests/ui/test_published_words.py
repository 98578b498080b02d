"""Sentences of pages that quote published numbers, against the register and the shipped results."""

from __future__ import annotations

import pytest

from bdlviz import published
from bdlviz.fitted import shelf
from bdlviz.topics.generative.vae import views as vae_views
from bdlviz.topics.results.scoreboard import study as scoreboard_study
from tests.told import numbers_in

DROPOUT = ("mc_dropout", "concrete_dropout", "variational_dropout")


def test_results_beyond_the_printed_log_are_called_a_re_run():
    told = vae_views.after_the_log()
    found = {row.name: row for row in published.rows()}
    for name in ("vae_train_100", "vae_test_100"):
        ours = found[name].ours
        assert ours is not None and round(ours, 1) in numbers_in(told) and found[name].verdict == "plain re-run"
    assert len(published.VAE_LOG) in numbers_in(told)


def test_without_a_measurement_there_is_no_sentence(monkeypatch: pytest.MonkeyPatch, tmp_path):
    missing = published.rows(tmp_path / "register.json")
    monkeypatch.setattr(published, "rows", lambda: missing)
    assert vae_views.after_the_log() == ""


def test_averaging_raises_one_accuracy_in_the_lecture_and_none_here():
    found = {method: row for row in published.rows() for method in DROPOUT if row.name == f"averaging_{method}"}
    printed = {method: row.published or 0.0 for method, row in found.items()}
    sd = {method: max(filter(None, published.ACCURACY_SD[method])) for method in DROPOUT}
    assert [method for method in DROPOUT if printed[method] > sd[method]] == ["variational_dropout"]
    assert all((row.low or 0.0) < 0 < (row.high or 0.0) for row in found.values())
    contradicted = [method for method, row in found.items() if row.verdict == "contradicted"]
    assert contradicted == ["variational_dropout"]
    for method in DROPOUT:
        _, extra = shelf.shipped(scoreboard_study.name_of(method, "mnist"))
        assert extra["ece"].mean() < extra["ece_one_pass"].mean()
