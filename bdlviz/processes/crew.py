"""The worker processes of this program, and the parts of fits they train.

Two threads that train small networks get in each other's way: their many short calls hand the interpreter's lock to
and fro. Two processes do not, and leave the lock to whoever draws pages.
"""

from __future__ import annotations

import atexit
import contextlib
import logging
import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO, NamedTuple

from bdlviz.errors import InvalidInput
from bdlviz.fitted import checkpoints
from bdlviz.processes.messages import Message, NotAMessage, receive, send
from bdlviz.threads import num_cores
from bdlviz.training.loop import BlockIndex, Losses, MapParts, Part, Pieces, one_by_one
from bdlviz.training.run import Task
from bdlviz.types import Array, MethodSpec

LEG = 0.2  # seconds of rounds that a share takes for one request: so often a fit is looked at
FEW_NUMBERS = 300_000  # parameters that come along with every answer; more of them only when they are asked for
LOOK = 0.02  # seconds between two looks at a cancel event
MAX_WORKERS = 4  # each takes about 250 MB once torch is loaded
WORTH_A_START = 5e8  # parameter updates from which on a grid is worth the seconds in which processes start
GRACE = 1.0  # seconds that a process has to end after its input was closed
LOOK_AT_PULSE = 1.0  # seconds between two looks at whether a process still works
START_LIMIT = 120.0  # seconds for loading everything from a slow disk, until the first sign of life
SILENCE_LIMIT = 30.0  # seconds in which a process takes no step and no processor works for it: it hangs
STEP_LIMIT = 900.0  # seconds for one step, however hard it works; the longest of any method takes some minutes
LEAST_WORK = 0.1  # processor seconds; the sign of life itself takes far less
PROGRAM = (sys.executable, "-m", "bdlviz.processes.child")
ROOT = Path(__file__).resolve().parents[2]
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")


log = logging.getLogger(__name__)


class WorkerLost(InvalidInput):
    """A worker process ended, or was ended because it hung, while it trained."""

    def __init__(self) -> None:
        super().__init__("The training process ended, perhaps for want of memory; try a smaller network or grid.")


class Pulse(NamedTuple):
    """A sign of life: steps of the open fits taken so far, and seconds that a processor worked for the process."""

    steps: int
    processor: float


@dataclass
class Patience:
    """How long a process has shown neither a step nor work, in seconds between looks.

    Looks are counted instead of a clock read: a computer that slept, or a program that was stopped and goes on, does
    not make a process late.
    """

    pulse: Pulse | None = None
    idle: float = 0.0
    same_step: float = 0.0

    def is_over(self, pulse: Pulse | None, waited: float) -> bool:
        """After ``waited`` more seconds, with the latest sign of life: does the process hang?"""
        if pulse is None:
            self.idle += waited
            return self.idle > START_LIMIT
        has_stepped = self.pulse is None or pulse.steps != self.pulse.steps
        works = has_stepped or (self.pulse is not None and pulse.processor - self.pulse.processor >= LEAST_WORK)
        self.idle = 0.0 if works else self.idle + waited
        self.same_step = 0.0 if has_stepped else self.same_step + waited
        if works:
            self.pulse = pulse
        return self.idle > SILENCE_LIMIT or self.same_step > STEP_LIMIT


class Worker:
    """One process. Requests of several fits take turns.

    A process that hangs in the middle of a request is ended, so that nobody waits for it for ever.
    """

    def __init__(self) -> None:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            PROGRAM,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD | {"PYTHONPATH": path},
        )
        self._turn, self._writing = threading.Lock(), threading.Lock()
        self._answers: SimpleQueue[Message | None] = SimpleQueue()
        self._number = 0  # of the request under way
        self._pulse: Pulse | None = None
        self._is_asked, self._is_over = threading.Event(), threading.Event()
        self.num_fits = 0
        threading.Thread(target=self._read, daemon=True, name="bdlviz-worker-answers").start()
        threading.Thread(target=self._watch, daemon=True, name="bdlviz-worker-watch").start()

    @property
    def is_alive(self) -> bool:
        """Does the process run, and talk? One that is ending closes its pipe a moment before it is gone."""
        return not self._is_over.is_set() and self._process.poll() is None

    def request(
        self,
        header: Mapping[str, Any],
        arrays: Mapping[str, Array] | None = None,
        cancel: threading.Event | None = None,
    ) -> Message | None:
        """Ask, and wait for the answer; None when ``cancel`` was set before the turn came.

        When it is set later, the process is told, and answers soon.

        Raises:
            WorkerLost: the process ended.
            InvalidInput: what it was asked for cannot be done.
        """
        while (cancelled := cancel is not None and cancel.is_set()) or not self._turn.acquire(timeout=LOOK):
            if cancelled:
                return None
        try:
            self._number += 1
            self._is_asked.set()
            self._send({**header, "number": self._number}, arrays)
            answer = self._wait(header["fit"], cancel)
        finally:
            self._is_asked.clear()
            if self._is_over.is_set():
                self._is_asked.set()
            self._turn.release()
        if "error" in answer.header:
            raise (InvalidInput if answer.header["is_invalid"] else RuntimeError)(answer.header["error"])
        return answer

    def tell(self, header: Mapping[str, Any]) -> None:
        """Say what has no answer; a process that ended need not hear it."""
        with contextlib.suppress(WorkerLost):
            self._send(header)

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(OSError):
            self._pipe(self._process.stdin).close()
        try:
            self._process.wait(GRACE)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _wait(self, fit: str, cancel: threading.Event | None) -> Message:
        told = False
        while True:
            with contextlib.suppress(Empty):
                answer = self._answers.get(timeout=None if cancel is None or told else LOOK)
                if answer is None:
                    self._answers.put(None)  # for whoever waits for the next turn
                    raise WorkerLost
                if answer.header["number"] == self._number:
                    return answer
                continue  # to a request whose asker was interrupted
            if cancel is not None and cancel.is_set():
                self._send({"do": "cancel", "fit": fit})
                told = True

    def _send(self, header: Mapping[str, Any], arrays: Mapping[str, Array] | None = None) -> None:
        try:
            with self._writing:
                send(self._pipe(self._process.stdin), header, arrays)
        except (OSError, ValueError):  # a closed pipe
            raise WorkerLost from None

    def _read(self) -> None:
        answers = self._pipe(self._process.stdout)
        try:
            while (message := receive(answers)) is not None:
                if "steps" in message.header:
                    self._pulse = Pulse(message.header["steps"], message.header["processor"])
                elif "number" in message.header:
                    self._answers.put(message)
                else:
                    raise NotAMessage("neither an answer nor a sign of life")
        except (NotAMessage, LookupError):
            log.warning("A worker process sent something that is no message; another one takes its place.")
            self._process.kill()
        self._is_over.set()
        self._is_asked.set()  # for good: lets the watch end
        self._answers.put(None)
        answers.close()

    def _watch(self) -> None:
        """End the process when it hangs; whoever sends to it or waits for an answer then learns that it is lost."""
        number, patience = 0, Patience()
        while self._is_asked.wait() and not self._is_over.is_set():
            if number != self._number:
                number, patience = self._number, Patience()
            if patience.is_over(self._pulse, LOOK_AT_PULSE):
                log.warning("A worker process hung; another one takes its place.")
                self._process.kill()
                return
            time.sleep(LOOK_AT_PULSE)

    @staticmethod
    def _pipe(pipe: Any) -> BinaryIO:
        return pipe


class RemoteShare:
    """All blocks of a fit that one worker trains: a `bdlviz.training.loop.Part`.

    When its worker is lost, it begins again in another one, once: training is deterministic, so that nobody can tell
    from the result. What ends a second process would end a third.
    """

    def __init__(
        self,
        worker: Worker,
        task: Task,
        blocks: Sequence[BlockIndex],
        replacement: Callable[[], Worker],
    ) -> None:
        self._worker, self._blocks, self._fit = worker, blocks, uuid.uuid4().hex
        self._replacement, self._may_move = replacement, True
        networks = sum(_length(block.seeds) * _length(block.cells) for block in blocks)
        self._has_few_numbers = networks * task.numbers_per_network <= FEW_NUMBERS
        self._is_open = False  # in the worker
        self._done: list[int] = []  # steps of each round so far
        self._known: tuple[int, Pieces] = -1, []  # the parameters that came last, and their step
        self.step = 0
        self._opening = {
            "config": checkpoints.config_to_json(task.config),
            **checkpoints.model_to_json(task.model),
            "precision": task.precision,
            "blocks": [[_ends(block.seeds), _ends(block.cells)] for block in blocks],
        }
        self._data = {"x": task.x, "y": task.y}
        worker.num_fits += 1

    def take_rounds(self, lengths: Sequence[int], cancel: threading.Event) -> list[Losses]:
        asked = {"do": "advance", "lengths": list(lengths), "wants_params": self._has_few_numbers}
        answer = self._request(asked, cancel)
        if answer is None:
            return []
        rounds: list[Losses] = [[] for _ in range(answer.header["num_rounds"])]
        for kind, block, name, array in _named(answer):
            if kind == "loss":
                rounds[int(name)].append((self._blocks[block], array))
        self._done += lengths[: len(rounds)]
        self.step = answer.header["step"]
        return rounds

    def params(self) -> Pieces:
        """As they stand; after the share was closed, as they then stood."""
        if self._known[0] != self.step:
            self._request({"do": "params"})
        return self._known[1]

    def close(self) -> None:
        """Free the memory that the fit holds in the worker."""
        self._may_move = False
        self._worker.num_fits -= 1
        try:
            if self._is_open:
                with contextlib.suppress(InvalidInput, RuntimeError):
                    self.params()
        finally:
            self._worker.tell({"do": "close", "fit": self._fit})

    def _request(self, header: Mapping[str, Any], cancel: threading.Event | None = None) -> Message | None:
        """Ask the worker, or another one that takes its place."""
        try:
            return self._ask(header, cancel)
        except WorkerLost:
            if not self._may_move:
                raise
        self._move()
        return self._ask(header, cancel)

    def _move(self) -> None:
        """Let another worker take the lost one's place; it begins with the rounds of which answers came."""
        self._may_move = self._is_open = False
        replacement = self._replacement()
        self._worker.num_fits -= 1
        self._worker = replacement
        self._worker.num_fits += 1

    def _ask(self, header: Mapping[str, Any], cancel: threading.Event | None) -> Message | None:
        """The first request to a worker brings what it needs to begin."""
        header, data = {**header, "fit": self._fit}, None
        if not self._is_open:
            header, data = header | {"opening": self._opening | {"done": self._done}}, self._data
        answer = self._worker.request(header, data, cancel)
        if answer is not None:
            self._is_open = True
            self._learn(answer)
        return answer

    def _learn(self, answer: Message) -> None:
        """Remember the parameters, if the answer brings them."""
        if answer.header["has_params"]:
            pieces: Pieces = [(block, {}) for block in self._blocks]
            for kind, block, name, array in _named(answer):
                if kind == "params":
                    pieces[block][1][name] = array
            self._known = answer.header["step"], pieces


def num_workers() -> int:
    """One a core, at most `MAX_WORKERS`; or what the environment's BDLVIZ_WORKERS says, 0 for training right here."""
    wish = os.environ.get("BDLVIZ_WORKERS", "")
    return int(wish) if wish.isdecimal() else min(num_cores(), MAX_WORKERS)


class Crew:
    """All workers of this program, started when they are first needed.

    ``trains_everything`` sends them single fits as well: for programs whose own threads have better things to do.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._workers: list[Worker] = []
        self._num_stops = 0
        self.num_lost = 0  # processes that ended, or hung, unasked
        self.trains_everything = False

    def start(self) -> None:
        """Start the processes, which takes seconds, without waiting for them."""
        with self._lock:
            self._ready()

    def stop(self) -> None:
        """End the processes; the next fit that wants them starts others."""
        with self._lock:
            self._num_stops += 1
            while self._workers:
                self._workers.pop().close()

    def wants(self, task: Task, spec: MethodSpec) -> bool:
        """Should this fit train in worker processes? Code of the user's own stays here."""
        if not (checkpoints.is_built_in(task.model) and spec.build.__module__.startswith("bdlviz.methods.")):
            return False
        if not num_workers():
            return False
        can_share = len(task.blocks(num_workers())) > 1 and num_workers() > 1
        is_worth_it = bool(self._workers) or task.num_updates > WORTH_A_START
        return (self.trains_everything or (can_share and is_worth_it)) and self._can_start()

    @contextlib.contextmanager
    def parts(self, task: Task) -> Iterator[Sequence[Part]]:
        """The fit's blocks, dealt out to the workers."""
        blocks = task.blocks(num_workers())
        with self._lock:
            workers = sorted(self._ready(), key=_num_fits)[: len(blocks)]
            num_stops = self._num_stops
        with contextlib.ExitStack() as stack:
            shares = []
            for number, worker in enumerate(workers):
                own = blocks[number :: len(workers)]
                share = RemoteShare(worker, task, own, lambda: self._replacement(num_stops))
                stack.callback(share.close)
                shares.append(share)
            yield shares

    def _replacement(self, num_stops: int) -> Worker:
        """A worker that runs, for a fit that began after so many stops: `stop` ends it for good."""
        with self._lock:
            if self._num_stops != num_stops:
                raise WorkerLost
            try:
                return min(self._ready(), key=_num_fits)
            except OSError:
                raise WorkerLost from None

    def _can_start(self) -> bool:
        try:
            self.start()
        except OSError:  # a place where programs may not start others
            return False
        return True

    def _ready(self) -> list[Worker]:
        for worker in [worker for worker in self._workers if not worker.is_alive]:
            worker.close()
            self._workers.remove(worker)
            self.num_lost += 1
        self._workers += [Worker() for _ in range(num_workers() - len(self._workers))]
        return self._workers


CREW = Crew()
atexit.register(CREW.stop)


@contextlib.contextmanager
def mapping(parts: Sequence[Part]) -> Iterator[MapParts]:
    """A ``map`` that applies a function to all parts at once; its threads only wait for other processes."""
    if len(parts) == 1:
        yield one_by_one
        return
    with ThreadPoolExecutor(len(parts), thread_name_prefix="bdlviz-share") as pool:
        yield lambda function, items: list(pool.map(function, items))


def _num_fits(worker: Worker) -> int:
    return worker.num_fits


def _ends(piece: slice) -> list[int]:
    return [piece.start, piece.stop]


def _length(piece: slice) -> int:
    return piece.stop - piece.start


def _named(answer: Message) -> Iterator[tuple[str, int, str, Array]]:
    """Arrays of an answer: their kind, the number of their block, and of which round or parameter they are."""
    for whole, array in answer.arrays.items():
        kind, block, name = whole.split(".", 2)
        yield kind, int(block), name, array
