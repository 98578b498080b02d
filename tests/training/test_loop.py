"""Rounds of several parts: together whatever one of them does, and ended where no loss is finite any more."""

import threading
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest

from bdlviz.training.loop import BlockIndex, Losses, Pieces, have_diverged, one_by_one, run_rounds

ROUNDS = tuple(range(1, 41))
NEVER = 1000
LONG = 1e6  # seconds: all rounds fit into one pause


@dataclass
class Scripted:
    """A part whose loss is not finite from one step on, or between two."""

    bad_from: int
    bad_until: int = NEVER
    step: int = 0
    asked: list[int] = field(default_factory=list)

    def take_rounds(self, lengths: Sequence[int], cancel: threading.Event) -> list[Losses]:
        self.asked.append(len(lengths))
        taken: list[Losses] = []
        for length in lengths:
            self.step += length
            loss = np.nan if self.bad_from <= self.step < self.bad_until else self.step
            taken.append([(BlockIndex(slice(0, 1), slice(0, 1)), np.full((1, 1), loss))])
            if have_diverged(taken[-1]):
                break
        return taken

    def params(self) -> Pieces:
        return []


def run(parts: Sequence[Scripted], pause_seconds: float, pauses: Sequence[int] = ()) -> tuple[list[int], list[int]]:
    """The steps that were recorded and those at which the fit paused; all parts must stand at the latter."""
    recorded: list[Losses] = []
    paused: list[int] = []

    def on_pause(step: int) -> bool:
        assert {part.step for part in parts} == {step}
        paused.append(step)
        return not have_diverged(recorded[-1])

    def record(step: int, losses: Losses) -> None:
        assert step == len(recorded) + 1 and len(losses) == len(parts)
        recorded.append(losses)

    run_rounds(parts, ROUNDS, pauses, record, on_pause, threading.Event(), one_by_one, pause_seconds)
    return list(range(1, len(recorded) + 1)), paused


@pytest.mark.parametrize("pause_seconds", [0.0, LONG])
@pytest.mark.parametrize(
    ("parts", "end"),
    [
        ([Scripted(5)], 5),
        ([Scripted(5), Scripted(8)], 8),
        ([Scripted(8), Scripted(5), Scripted(6)], 8),
        ([Scripted(5), Scripted(NEVER)], 40),
        ([Scripted(5, 7), Scripted(7, 9)], 40),
        ([Scripted(5, 9), Scripted(8, 9)], 8),
        ([Scripted(1), Scripted(1)], 1),
    ],
)
def test_a_fit_ends_in_the_first_round_in_which_all_of_its_parts_diverged(
    parts: list[Scripted], end: int, pause_seconds: float
):
    fresh = [Scripted(part.bad_from, part.bad_until) for part in parts]
    recorded, paused = run(fresh, pause_seconds)
    assert recorded[-1] == paused[-1] == end


def test_pauses():
    part = Scripted(NEVER)
    assert run([part], LONG)[1] == [1, 40] and part.asked == [1, 39]
    part = Scripted(NEVER)
    assert run([part], 0.0)[1] == list(ROUNDS) and set(part.asked) == {1}
    assert run([Scripted(NEVER), Scripted(NEVER)], LONG, (7, 20))[1] == [1, 7, 20, 40]
