"""Several results for one picture: one after another, failures, Stop, and what is drawn meanwhile."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from bdlviz.errors import InvalidInput
from bdlviz.types import Snapshot
from bdlviz.ui.model import Look, Need
from tests.told import numbers_in
from tests.ui.conftest import OBTAIN
from tests.ui.harness import SECONDS, press, rested
from tests.ui.waiting import wait_until


@dataclass
class Slow:
    """Work that has done 2 of 4 steps and goes on only when told to; it counts how often it started."""

    go_on: threading.Event = field(default_factory=threading.Event)
    starts: int = 0

    def __call__(self, look: Look, cancel: threading.Event) -> str:
        self.starts += 1
        look(Snapshot(2, 4, 1.0, lambda: "half"))
        while not (self.go_on.wait(0.01) or cancel.is_set()):
            pass
        return "half" if cancel.is_set() else "whole"


def quick(look: Look, cancel: threading.Event) -> str:
    return "quick"


def fail(look: Look, cancel: threading.Event) -> str:
    raise InvalidInput("It refuses.")


def need_of(key: str, work: Any = None, **options: Any) -> Need[str]:
    return Need(key, work=work, title=key.capitalize(), **options)


SHIPPED: Need[str] = Need("shipped", shipped=lambda: "shipped")


def page(needs: list[Need[str]], drawn: list[list[Any]]) -> AppTest:
    def script(needs: list, drawn: list) -> None:
        from bdlviz.ui.jobs.obtain import obtain_all

        obtain_all(needs, drawn.append)

    return AppTest.from_function(script, default_timeout=SECONDS, args=(needs, drawn)).run()


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(OBTAIN, "WAIT_BEFORE_PROGRESS_S", 0.1)
    work = Slow()
    yield work
    work.go_on.set()


def test_nothing_and_what_is_at_hand_are_drawn_at_once():
    drawn: list[list[Any]] = []
    page([], drawn)
    page([SHIPPED, need_of("quick", quick)], drawn)
    assert drawn == [[], ["shipped", "quick"]]


def test_one_that_fails_becomes_its_problem_or_a_sentence_and_the_others_go_on():
    drawn: list[list[Any]] = []
    failing = need_of("failing", fail)
    app = page([replace(failing, problem=str.upper), need_of("quick", quick)], drawn)
    assert drawn[-1] == ["IT REFUSES.", "quick"] and not app.error
    app = page([failing, need_of("quick", quick)], drawn)
    assert drawn[-1] == [None, "quick"] and [each.value for each in app.error] == ["It refuses."]


def test_a_slow_failure_is_not_tried_again(slow: Slow):
    def fail_late(look: Look, cancel: threading.Event) -> str:
        slow(look, cancel)
        raise InvalidInput("It refuses.")

    drawn: list[list[Any]] = []
    app = page([need_of("failing", fail_late, problem=str.upper), need_of("quick", quick)], drawn)
    assert app.get("progress")
    slow.go_on.set()
    rested(app)
    starts = slow.starts
    app.run()
    assert drawn[-1] == ["IT REFUSES.", "quick"] and slow.starts == starts


def test_the_others_are_drawn_while_one_is_computed_that_does_not_stream(slow: Slow):
    drawn: list[list[Any]] = []
    app = page([need_of("slow", slow, streams=False), SHIPPED, need_of("quick", quick)], drawn)
    assert drawn[-1] == [None, "shipped", None]
    app.run()
    [bar] = app.get("progress")
    told = bar.proto.text  # type: ignore[attr-defined]
    assert told.startswith("Slow") and {2, 4} <= set(numbers_in(told)) and "Quick" in told
    slow.go_on.set()
    rested(app)
    assert drawn[-1] == ["whole", "shipped", "quick"] and slow.starts == 1, "A run of the page must not cancel the job."


def test_an_unfinished_result_is_drawn_where_it_streams(slow: Slow):
    drawn: list[list[Any]] = []
    app = page([SHIPPED, need_of("slow", slow)], drawn)
    wait_until(lambda: app.run() and ["shipped", "half"] in drawn, "The unfinished result is never drawn.")


def test_stop_ends_everything_and_keeps_what_there_is(slow: Slow):
    drawn: list[list[Any]] = []
    app = page([SHIPPED, need_of("slow", slow), need_of("quick", quick)], drawn)
    app.button(key="stop_fit").click()
    app.run()
    assert not app.get("progress") and drawn[-1] == ["shipped", "half", None]
    assert any("Slow, Quick" in each.value for each in app.markdown)
    slow.go_on.set()
    press(app, "train_again")
    assert drawn[-1] == ["shipped", "whole", "quick"]
