"""How a page gets its fit: at once, as it trains, stopped, cancelled, or not at all and a sentence instead."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from streamlit.testing.v1 import AppTest

from bdlviz import fits
from bdlviz.errors import InvalidInput
from bdlviz.types import Dataset, FitConfig
from bdlviz.ui.jobs import queue as jobs
from tests.told import numbers_in
from tests.ui.conftest import OBTAIN
from tests.ui.harness import PAGES, SECONDS, assert_works, figures, rested
from tests.ui.waiting import wait_until

LINK = {"num_steps": "1000", "width": "16"}


@dataclass
class Training:
    """Fits that train a tenth of their steps, show that, and go on only when told to."""

    looked: threading.Event
    go_on: threading.Event
    cancels: list[threading.Event]

    def __call__(self, config: FitConfig, dataset: Dataset, on_snapshot: Any, cancel: threading.Event) -> fits.Fit:
        self.cancels.append(cancel)
        tenth = config.num_steps // 10
        fit = replace(fits.run(replace(config, num_steps=tenth), dataset), config=config)
        on_snapshot(fits.Snapshot(tenth, config.num_steps, 1.0, lambda: fit))
        self.looked.set()
        while not (self.go_on.wait(0.01) or cancel.is_set()):
            pass
        return fit if cancel.is_set() else replace(fit, num_steps_done=config.num_steps)

    def cancelled(self, count: int) -> list[bool]:
        """Which fits were cancelled, once that many have started: a page does not wait for the thread of its job."""
        wait_until(lambda: len(self.cancels) >= count, f"Fewer than {count} fits started.", SECONDS)
        return [cancel.is_set() for cancel in self.cancels]


@pytest.fixture
def training(monkeypatch: pytest.MonkeyPatch) -> Iterator[Training]:
    slow = Training(threading.Event(), threading.Event(), [])
    monkeypatch.setattr(OBTAIN, "run", slow)
    monkeypatch.setattr(OBTAIN, "WAIT_BEFORE_PROGRESS_S", 0.0)
    yield slow
    slow.go_on.set()


@pytest.fixture
def while_training(training: Training) -> AppTest:
    """The page after its fit has shown a tenth of its training."""
    app = page(**LINK)
    assert training.looked.wait(SECONDS)
    return app.run()


def page(**link: str) -> AppTest:
    app = AppTest.from_file(PAGES["function_draws"], default_timeout=SECONDS)
    app.query_params.update(link)
    return app.run()


def words(app: AppTest) -> str:
    return "\n".join(text.value for text in app.markdown)


def progress(app: AppTest) -> str:
    [bar] = app.get("progress")
    return bar.proto.text  # type: ignore[attr-defined]


def test_a_picture_of_the_training_so_far(while_training: AppTest, training: Training):
    assert_works(while_training)
    assert {100, 1000} <= set(numbers_in(progress(while_training)))
    training.go_on.set()
    app = rested(while_training)
    assert_works(app)
    assert "stop_fit" not in {button.key for button in app.button}


def test_stop_keeps_the_partial_fit(while_training: AppTest, training: Training):
    before = figures(while_training)[0]
    while_training.button(key="stop_fit").click()
    app = rested(while_training.run())
    assert_works(app)
    assert (100, 1000) in pairwise(numbers_in(words(app)))
    assert figures(app)[0]["data"] == before["data"]
    assert training.cancelled(1) == [True]
    app.button(key="train_again").click()
    app = app.run()
    assert training.cancelled(2) == [True, False]
    training.go_on.set()
    assert 1000 not in numbers_in(words(rested(app)))


def test_stop_before_there_is_anything_to_see(training: Training, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(jobs.Job, "look", lambda job, snapshot: True)
    app = page(**LINK)
    assert not app.get("plotly_chart") and app.get("progress")
    assert training.cancelled(1) == [False]
    app.button(key="stop_fit").click()
    app = app.run()
    assert not app.exception and not app.error
    assert (0, 1000) in pairwise(numbers_in(words(app)))
    assert training.cancelled(1) == [True]


def test_stop_leaves_the_fit_to_those_who_joined_it(while_training: AppTest, training: Training, queue: jobs.JobQueue):
    [job] = queue._jobs.values()
    job.waiting.add("another visitor")
    while_training.button(key="stop_fit").click()
    app = while_training.run()
    assert (100, 1000) in pairwise(numbers_in(words(app)))
    assert not job.cancel.is_set()


def test_moving_a_slider_cancels_the_fit_nobody_wants(while_training: AppTest, training: Training):
    while_training.select_slider(key="seed").set_value("3").run()
    assert training.cancelled(2) == [True, False]
    while_training.select_slider(key="draws").set_value("5").run()
    assert training.cancelled(2) == [True, False], "More draws need no other fit."


def test_a_stopped_fit_cancels_what_was_wanted_since(while_training: AppTest, training: Training):
    while_training.button(key="stop_fit").click()
    app = while_training.run()
    app.select_slider(key="seed").set_value("3").run()
    assert training.cancelled(2) == [True, False]
    app.select_slider(key="seed").set_value("0").run()
    assert (100, 1000) in pairwise(numbers_in(words(app)))
    assert training.cancelled(2) == [True, True]


def test_watching_trains_what_is_shipped(training: Training):
    app = page()
    assert_works(app)
    assert not training.cancels
    app.toggle(key="watch").set_value(True).run()
    assert training.looked.wait(SECONDS)
    assert {200, 2000} <= set(numbers_in(progress(app.run())))


def test_the_place_in_the_queue(training: Training, queue: jobs.JobQueue):
    def wait(look: Callable[..., bool], cancel: threading.Event) -> Any:
        training.go_on.wait(SECONDS)

    for visitor in range(jobs.MAX_RUNNING):
        queue.request(visitor, f"visitor {visitor}", wait)
    app = page(**LINK)
    assert 1 in numbers_in(progress(app))
    assert not app.exception


@pytest.mark.parametrize("error", [InvalidInput("The noise is odd."), ZeroDivisionError("secret at 0x7f00")])
def test_a_fit_that_fails_leaves_a_sentence_and_the_rest_of_the_page(monkeypatch: pytest.MonkeyPatch, error: Exception):
    def fail(*args: Any, **options: Any) -> Any:
        raise error

    monkeypatch.setattr(OBTAIN, "run", fail)
    app = page(**LINK)
    assert not app.exception
    [said] = [each.value for each in app.error]
    assert said == str(error) if isinstance(error, InvalidInput) else "secret" not in said
    assert app.tabs and app.select_slider(key="dropout_rate")


def test_a_diverged_fit_says_so(monkeypatch: pytest.MonkeyPatch):
    def diverge(config: FitConfig, dataset: Dataset, **options: Any) -> fits.Fit:
        fit = fits.run(replace(config, num_steps=1), dataset)
        params = {name: np.full_like(array, np.nan) for name, array in fit.params.items()}
        return replace(fit, config=config, params=params, num_steps_done=config.num_steps)

    monkeypatch.setattr(OBTAIN, "run", diverge)
    app = rested(page(**LINK))
    assert not app.exception
    assert ["diverged" in each.value for each in app.error] == [True]
