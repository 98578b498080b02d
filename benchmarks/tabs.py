"""What open tabs of the Playground cost the server: connections that have opened the page, without browsers."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Sequence

from bdlviz.ui.places.navigation import path_of
from benchmarks.load.server import Server, start
from benchmarks.load.tab import Tab
from benchmarks.report import Row
from benchmarks.timing import Spread

TABS = 500
AT_ONCE = 8  # tabs that open their page at the same time
OPENING_S, QUIET_S, WATCHED_S = 120.0, 20.0, 20.0
LARGEST_SHARE = 0.05


def idle(rounds: int, cores: int) -> list[Row]:
    """Rows for the processor time and the bytes of a server with open tabs, over `rounds` stretches of time."""
    with start() as server:
        shares, sent = asyncio.run(_watch(server, rounds))
    note = f"{TABS} connections that have opened the page; {rounds} stretches of {WATCHED_S:g} s"
    return [
        Row(f"{TABS} open tabs: server / one core", Spread.of(shares), f"<= {LARGEST_SHARE}", note=note),
        Row(f"{TABS} open tabs: bytes a second from the server to a tab", Spread.of(sent), unit="B/s"),
    ]


async def _watch(server: Server, rounds: int) -> tuple[list[float], list[float]]:
    tabs = [Tab(server.address, random.Random(number)) for number in range(TABS)]
    gate = asyncio.Semaphore(AT_ONCE)
    try:
        await asyncio.gather(*(_open(tab, gate) for tab in tabs))
        await asyncio.sleep(QUIET_S)
        costs = [await _stretch(server, tabs) for _ in range(rounds)]
    finally:
        await asyncio.gather(*(tab.close() for tab in tabs), return_exceptions=True)
    return [share for share, _ in costs], [sent for _, sent in costs]


async def _open(tab: Tab, gate: asyncio.Semaphore) -> None:
    async with gate:
        await tab.open(path_of("start/playground"), "")
        await tab.rested(OPENING_S, has_picture=False)


async def _stretch(server: Server, tabs: Sequence[Tab]) -> tuple[float, float]:
    """The share of one core and the bytes a second for each tab, over one stretch of time."""
    begin, used, received = time.monotonic(), server.processor_seconds(), sum(tab.num_bytes for tab in tabs)
    await asyncio.sleep(WATCHED_S)
    seconds = time.monotonic() - begin
    sent = sum(tab.num_bytes for tab in tabs) - received
    return (server.processor_seconds() - used) / seconds, sent / seconds / len(tabs)
