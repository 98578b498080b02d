"""A simulated visitor: it follows a link, moves sliders with pauses, and follows the next link."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from benchmarks.load.tab import Tab, TabError

PAGE_TIMEOUT_S = 60.0  # a page without a picture after this time is an error
MEAN_MOVES = 8  # mean number of moves on one page


@dataclass(frozen=True)
class Link:
    """A page, settings in its URL, and its sliders: those that stay on shipped grids, and those that train."""

    path: str
    query: str = ""
    shipped: tuple[str, ...] = ()
    fresh: tuple[str, ...] = ()


FUNCTIONS = ("dropout_rate", "weight_decay")
TRAINING = ("noise", "data_seed", "num_data", "seed", "learning_rate", "num_steps", "batch_size")
LINKS = (
    Link("function_draws", "", FUNCTIONS, TRAINING),
    Link("function_draws", "scene=too-large-lambda&guess=no", FUNCTIONS, TRAINING),
    Link("function_draws", "dropout_rate=0.2&weight_decay=1e-5", FUNCTIONS, TRAINING),
    Link("function_draws", "depth=1", FUNCTIONS, TRAINING),
    Link("effect_of_lambda", "", ("dropout_rate",)),
    Link("bayes_rule", "", ("assumed_std", "points_seen", "prior_std")),
)


@dataclass
class Events:
    """Results of all visitors: for each kind of event the seconds to the picture and until idle, and errors."""

    seconds: dict[str, list[tuple[float, float]]] = field(default_factory=dict)
    errors: list[str] = field(default_factory=list)
    num_bytes: int = 0
    num_queued: int = 0  # fits that showed progress or a place in the queue

    def note(self, kind: str, tab: Tab) -> None:
        """Record the seconds of the last event of a tab."""
        self.seconds.setdefault(kind, []).append(tab.seconds)
        self.num_queued += kind == "fresh fit" and tab.was_busy


class Visitor:
    """One visitor until a time of the monotonic clock; ``off_grid`` is the fraction of moves off the shipped grids."""

    def __init__(self, address: str, events: Events, seed: int, pause: float, off_grid: float) -> None:
        self._address, self._events = address, events
        self._chance, self._pause = random.Random(seed), pause
        share = sum(bool(link.fresh) for link in LINKS) / len(LINKS)
        self._off_grid = min(1.0, off_grid / share)  # on the pages that can train

    async def visit(self, start: float, end: float) -> None:
        """Arrive after some seconds, and stay until the end."""
        await asyncio.sleep(start)
        while time.monotonic() < end:
            link = self._chance.choice(LINKS)
            tab = Tab(self._address, self._chance)
            try:
                await tab.open(link.path, link.query)
                await tab.rested(PAGE_TIMEOUT_S)
                self._events.note("open a page", tab)
                await self._stay(tab, link, end)
            except (TabError, KeyError, OSError) as error:
                self._events.errors.append(f"{link.path}?{link.query}: {error}")
            finally:
                await tab.close()
                self._events.num_bytes += tab.num_bytes

    async def _stay(self, tab: Tab, link: Link, end: float) -> None:
        """Move sliders; a slider that was moved off the grid is moved back before the next moves on the grid."""
        home: dict[str, str] = {}  # the slider that is off the grid, and its value on the grid
        while self._chance.random() > 1 / MEAN_MOVES:
            await asyncio.sleep(self._chance.expovariate(1 / self._pause))
            if time.monotonic() > end:
                return
            trains = bool(link.fresh) and self._chance.random() < self._off_grid
            if trains:
                key = next(iter(home), "") or self._chance.choice(link.fresh)
                home.setdefault(key, tab.value(key))
                await tab.move(key, self._other_than(home[key], tab.value(key)))
            elif home:
                key, stop = home.popitem()
                await tab.move(key, lambda stops, stop=stop: stop)
            else:
                await tab.move(self._chance.choice(link.shipped), self._chance.choice)
            await tab.rested(PAGE_TIMEOUT_S)
            self._events.note("fresh fit" if trains else "shipped grid", tab)

    def _other_than(self, *stops: str) -> Callable[[list[str]], str]:
        return lambda offered: self._chance.choice([stop for stop in offered if stop not in stops])
