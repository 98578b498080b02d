"""A simulated browser tab: a WebSocket, the elements of the page, and the events of its controls."""

from __future__ import annotations

import asyncio
import json
import random
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.proto.WidgetStates_pb2 import WidgetState
from websockets.asyncio.client import ClientConnection, connect
from websockets.typing import Origin, Subprotocol

STREAM = "_stcore/stream"
TRIGGERS = "$$STREAMLIT_INTERNAL_KEY_{}__events"  # Streamlit's key for the events of a component
PICTURES = {"plotly_chart"}  # elements that are a picture
WHOLE = (ForwardMsg.FINISHED_SUCCESSFULLY, ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY)
PAUSE = 0.1  # seconds
BUSY = {"progress", "skeleton"}  # shown while something is computed


def _slider(state: WidgetState, content: Any) -> None:
    if content.options:
        chosen = list(content.raw_value) if content.set_value else [content.options[int(i)] for i in content.default]
        state.string_array_value.data.extend(chosen)
    else:
        state.double_array_value.data.extend(content.value if content.set_value else content.default)


def _selectbox(state: WidgetState, content: Any) -> None:
    state.string_value = content.raw_value if content.set_value else content.options[content.default]


def _checkbox(state: WidgetState, content: Any) -> None:
    state.bool_value = content.value if content.set_value else content.default


def _is_picture(kind: str, content: Any) -> bool:
    return kind in PICTURES or (kind == "bidi_component" and '"sliders"' in content.json)


# How controls of each kind send their value to the server.
VALUES: dict[str, Callable[[WidgetState, Any], None]] = {
    "slider": _slider,
    "selectbox": _selectbox,
    "checkbox": _checkbox,
}


@dataclass
class Element:
    """An element of a page: its kind, its fragment and its run."""

    kind: str
    fragment: str
    content: Any


class TabError(Exception):
    """The server answered with an error; the message says which."""


@dataclass
class Page:
    """The elements of a page by position, as in a browser."""

    elements: dict[tuple[int, ...], Element] = field(default_factory=dict)
    cache: dict[str, ForwardMsg] = field(default_factory=dict)
    stale: set[tuple[int, ...]] = field(default_factory=set)

    def start_run(self, fragments: list[str]) -> None:
        """Mark elements as stale that the new run will send again; they stay visible until it ends."""
        self.stale |= {
            place for place, element in self.elements.items() if not fragments or element.fragment in fragments
        }

    def take(self, place: tuple[int, ...], element: Element) -> None:
        """Add or replace an element."""
        self.elements[place] = element
        self.stale.discard(place)

    def end_run(self) -> None:
        """Remove elements that were not sent again."""
        for place in self.stale:
            del self.elements[place]
        self.stale.clear()

    def sliders(self) -> dict[str, Element]:
        """The sliders of the page by their keys."""
        sliders = {}
        for element in self.elements.values():
            if element.kind == "slider":
                sliders[element.content.id.rpartition("-")[2]] = element
        return sliders

    def views(self) -> list[tuple[Element, dict[str, Any]]]:
        """The views in the browser with their data."""
        views = []
        for element in self.elements.values():
            if element.kind == "bidi_component" and element.content.json:
                data = json.loads(element.content.json)
                if isinstance(data, dict) and "sliders" in data:
                    views.append((element, data))
        return views

    def is_busy(self, *, with_stale: bool = False) -> bool:
        """True if the page shows a computation; ``stale`` elements of the current run count only if requested."""
        return any(
            element.kind in BUSY for place, element in self.elements.items() if with_stale or place not in self.stale
        )

    def sentences(self) -> list[str]:
        """The texts of errors, warnings and notes."""
        return [element.content.body for element in self.elements.values() if element.kind == "alert"]

    def has_picture(self) -> bool:
        """True if the page shows a picture."""
        return bool(self.views()) or any(element.kind in PICTURES for element in self.elements.values())


class Tab:
    """A tab on one page; a link opens another tab."""

    def __init__(self, address: str, chance: random.Random) -> None:
        self._address, self._chance = address, chance
        self._widgets: dict[str, WidgetState] = {}
        self._timers: dict[str, asyncio.Task[None]] = {}
        self._changed = asyncio.Event()
        self._problem: str | None = None
        self._running = False
        self._answered = False  # True if a run has ended since the last event; a busy server starts it late
        self._asked = 0.0
        self._page_hash = ""
        self.page = Page()
        self.num_bytes = self.num_messages = 0
        self.picture_at = self.rested_at = 0.0  # times of the last picture and of the last end of all runs
        self.was_busy = False  # since the last event

    async def open(self, path: str, query: str) -> None:
        """Connect and ask for a page; returns at once."""
        self._socket: ClientConnection = await connect(
            f"ws://{self._address}/{STREAM}",
            subprotocols=[Subprotocol("streamlit")],
            origin=Origin(f"http://{self._address}"),
            max_size=None,
        )
        self._path, self.query = path, query
        self._reader = asyncio.create_task(self._read())
        await self._ask()

    async def close(self) -> None:
        """Close the tab."""
        for timer in self._timers.values():
            timer.cancel()
        await self._socket.close()
        await asyncio.gather(self._reader, *self._timers.values(), return_exceptions=True)

    async def move(self, key: str, choose: Callable[[list[str]], str]) -> None:
        """Move a slider of the page, or of a view in the browser, to one of its stops."""
        for element, data in self.page.views():
            for slider in data["sliders"]:
                if slider["key"] == key and "stops" in slider:  # frames of a dragged slider name it, too
                    event = {"values": {key: choose(slider["stops"])}, "name": f"{self._chance.random()}"}
                    return await self._trigger(element, event)
        slider = self.page.sliders()[key]
        state = WidgetState(id=slider.content.id)
        state.string_array_value.data.append(choose(list(slider.content.options)))
        self._widgets[state.id] = state
        return await self._ask(slider.fragment)

    def value(self, key: str) -> str:
        """The value of a slider outside of views in the browser."""
        return self._widgets[self.page.sliders()[key].content.id].string_array_value.data[0]

    async def rested(self, seconds: float, *, has_picture: bool = True) -> None:
        """Wait until the page shows a picture, unless the browser makes it, nothing runs and nothing is being computed.

        Raises:
            TabError: the server reported an error, closed the connection or needed longer.
        """
        end = time.monotonic() + seconds
        while self._problem is None and not (self._is_at_rest() and await self._stays_so()):
            await self._change(end - time.monotonic())
            if time.monotonic() > end and not self._is_at_rest():
                self._problem = f"{self._path}?{self.query}: no answer within {seconds:.0f} s"
        if self._problem is None and has_picture and not self.page.has_picture():
            self._problem = f"{self._path}?{self.query}: no picture, but: {self.page.sentences()}"
        if self._problem is not None:
            raise TabError(self._problem)

    def _is_at_rest(self) -> bool:
        # A progress bar whose part asked for a run of the whole page stays, stale, until that run ends.
        is_whole = not self._running and not self.page.is_busy(with_stale=True)
        return self._answered and is_whole and self.rested_at >= self._asked

    async def _stays_so(self) -> bool:
        """A fragment that was redrawn first requests a run of the whole page; between the two nothing runs."""
        await asyncio.sleep(PAUSE)
        return self._is_at_rest()

    async def _change(self, seconds: float) -> None:
        self._changed.clear()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._changed.wait(), max(0.0, seconds))

    async def _trigger(self, view: Element, event: dict[str, Any]) -> None:
        state = WidgetState(id=TRIGGERS.format(view.content.id))
        state.json_trigger_value = json.dumps([{"event": "commit", "value": event}])
        await self._ask(view.fragment, state)

    async def _ask(self, fragment: str = "", *triggers: WidgetState, is_timer: bool = False) -> None:
        message = BackMsg()
        run = message.rerun_script
        run.query_string, run.fragment_id, run.is_auto_rerun = self.query, fragment, is_timer
        if self._page_hash:
            run.page_script_hash = self._page_hash
        else:
            run.page_name = self._path
        run.cached_message_hashes.extend(self.page.cache)
        run.widget_states.widgets.extend([*self._widgets.values(), *triggers])
        if not is_timer:
            self._asked, self._running, self.was_busy, self.picture_at = time.monotonic(), True, False, 0.0
            self._answered = False
        await self._socket.send(message.SerializeToString())

    async def _read(self) -> None:
        try:
            async for raw in self._socket:
                message = ForwardMsg()
                message.ParseFromString(raw if isinstance(raw, bytes) else raw.encode())
                self.num_bytes += len(raw)
                self.num_messages += 1
                self._take(message)
                self._changed.set()
        except Exception as error:  # any error leaves a dead page
            self._problem = f"the connection ended: {type(error).__name__} {error}"
        self._problem = self._problem or "the server closed the connection"
        self._changed.set()

    def _take(self, message: ForwardMsg) -> None:
        kind = message.WhichOneof("type")
        if kind == "ref_hash":
            known = self.page.cache.get(message.ref_hash)
            if known is None:
                self._problem = "the server sent the name of a message that this tab never had"
                return
            known.metadata.CopyFrom(message.metadata)
            message, kind = known, known.WhichOneof("type")
        if message.metadata.cacheable:
            self.page.cache[message.hash] = message
        if kind == "new_session":
            self._start_run(message)
        elif kind == "delta":
            self._take_delta(message)
        elif kind == "script_finished" and message.script_finished in WHOLE:
            self.page.end_run()
            self._answered = True
        elif kind == "session_status_changed":
            self._running = message.session_status_changed.script_is_running
            if not self._running:
                self.rested_at = time.monotonic()
        elif kind == "navigation":
            self._page_hash = message.navigation.page_script_hash
        elif kind == "page_info_changed":
            self.query = message.page_info_changed.query_string
        elif kind == "page_not_found":
            self._problem = f"no page {self._path}"
        elif kind == "auto_rerun":
            self._set_timer(message.auto_rerun.fragment_id, message.auto_rerun.interval)
        elif kind == "stop_auto_rerun":
            for fragment in message.stop_auto_rerun.fragment_ids:
                self._stop_timer(fragment)

    def _start_run(self, message: ForwardMsg) -> None:
        fragments = list(message.metadata.run.fragment_ids)
        self._running = True
        self.page.start_run(fragments)
        if not fragments:
            for fragment in list(self._timers):
                self._stop_timer(fragment)

    def _take_delta(self, message: ForwardMsg) -> None:
        delta, place = message.delta, tuple(message.metadata.delta_path)
        if delta.WhichOneof("type") != "new_element":
            return
        kind = delta.new_element.WhichOneof("type") or ""
        content = getattr(delta.new_element, kind, None)
        self.page.take(place, Element(kind, delta.fragment_id, content))
        self._note_state(kind, content)
        if kind == "exception":
            self._problem = f"an exception on the page: {delta.new_element.exception.message[:200]}"
        elif kind in BUSY:
            self.was_busy = True
        elif not self.picture_at and not self.page.is_busy() and _is_picture(kind, content):
            self.picture_at = time.monotonic()

    def _note_state(self, kind: str, content: Any) -> None:
        """Store the value of a control, as a browser does when it shows the control."""
        if kind not in VALUES or (content.id in self._widgets and not content.set_value):
            return
        state = WidgetState(id=content.id)
        VALUES[kind](state, content)
        self._widgets[content.id] = state

    def _set_timer(self, fragment: str, interval: float) -> None:
        self._stop_timer(fragment)
        self._timers[fragment] = asyncio.create_task(self._tick(fragment, interval))

    def _stop_timer(self, fragment: str) -> None:
        if timer := self._timers.pop(fragment, None):
            timer.cancel()

    async def _tick(self, fragment: str, interval: float) -> None:
        while True:
            await asyncio.sleep(interval)
            await self._ask(fragment, is_timer=True)

    @property
    def seconds(self) -> tuple[float, float]:
        """Seconds from the last event until the picture arrived, and until the page was idle."""
        picture = self.picture_at or self.rested_at
        return picture - self._asked, self.rested_at - self._asked
