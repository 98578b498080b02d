"""The worker processes of this program, and the parts of fits they train.

Two threads that train small networks get in each other's way: their many short calls hand the interpreter's lock to
and fro. Two processes do not, and leave the lock to whoever draws pages.
"""

from __future__ import annotations

import atexit
import contextlib
import os
import subprocess
import sys
import threading
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO

from bdlviz import checkpoints
from bdlviz.errors import InvalidInput
from bdlviz.threads import num_cores
from bdlviz.training.loop import BlockIndex, Part
from bdlviz.training.run import Task
from bdlviz.types import Array, MethodSpec
from bdlviz.workers.messages import Message, receive, send

LOOK = 0.02  # seconds between two looks at a cancel event
MAX_WORKERS = 4  # each takes about 250 MB once torch is loaded
WORTH_A_START = 5e8  # parameter updates from which on a grid is worth the seconds in which processes start
GRACE = 1.0  # seconds that a process has to end after its input was closed
ROOT = Path(__file__).resolve().parents[2]
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")


class WorkerLost(InvalidInput):
    """A worker process ended while it trained."""

    def __init__(self) -> None:
        super().__init__("The training process ended, perhaps for want of memory; try a smaller network or grid.")


class Worker:
    """One process. Requests of several fits take turns."""

    def __init__(self) -> None:
        path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
        self._process = subprocess.Popen(
            [sys.executable, "-m", "bdlviz.workers.child"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD | {"PYTHONPATH": path},
        )
        self._turn, self._writing = threading.Lock(), threading.Lock()
        self._answers: SimpleQueue[Message | None] = SimpleQueue()
        self._number = 0  # of the request under way
        self.num_fits = 0
        threading.Thread(target=self._read, daemon=True, name="bdlviz-worker-answers").start()

    @property
    def is_alive(self) -> bool:
        """Does the process run?"""
        return self._process.poll() is None

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
            self._send({**header, "number": self._number}, arrays)
            answer = self._wait(header["fit"], cancel)
        finally:
            self._turn.release()
        if "error" in answer.header:
            raise (InvalidInput if answer.header["is_invalid"] else RuntimeError)(answer.header["error"])
        return answer

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
        while (answer := receive(answers)) is not None:
            self._answers.put(answer)
        self._answers.put(None)
        answers.close()

    @staticmethod
    def _pipe(pipe: Any) -> BinaryIO:
        return pipe


class RemoteShare:
    """All blocks of a fit that one worker trains: a `bdlviz.training.loop.Part`."""

    def __init__(self, worker: Worker, task: Task, blocks: Sequence[BlockIndex]) -> None:
        self._worker, self._blocks, self._fit = worker, blocks, uuid.uuid4().hex
        self._losses: list[tuple[BlockIndex, Array]] = []
        self._last: list[tuple[BlockIndex, dict[str, Array]]] | None = None
        self.step = 0
        header = {
            "config": checkpoints.config_to_json(task.config),
            **checkpoints.model_to_json(task.model),
            "precision": task.precision,
            "blocks": [[_ends(block.seeds), _ends(block.cells)] for block in blocks],
        }
        worker.num_fits += 1
        try:
            self._request("open", header, {"x": task.x, "y": task.y})
        except BaseException:
            worker.num_fits -= 1
            raise

    def advance(self, num_steps: int, cancel: threading.Event) -> None:
        answer = self._request("advance", {"num_steps": num_steps}, cancel=cancel)
        if answer is not None:
            self.step = answer.header["step"]
            self._losses = [(self._blocks[int(number)], loss) for number, loss in answer.arrays.items()]

    def take_losses(self) -> list[tuple[BlockIndex, Array]]:
        losses, self._losses = self._losses, []
        return losses

    def params(self) -> list[tuple[BlockIndex, dict[str, Array]]]:
        """As they stand; after the share was closed, as they then stood."""
        if self._last is not None:
            return self._last
        answer = self._request("params")
        pieces: list[tuple[BlockIndex, dict[str, Array]]] = [(block, {}) for block in self._blocks]
        for name, array in answer.arrays.items() if answer else ():
            number, _, name = name.partition(".")
            pieces[int(number)][1][name] = array
        return pieces

    def close(self) -> None:
        """Free the memory that the fit holds in the worker."""
        self._worker.num_fits -= 1
        with contextlib.suppress(WorkerLost):
            self._last = self.params()
            self._request("close")

    def _request(
        self,
        verb: str,
        header: Mapping[str, Any] | None = None,
        arrays: Mapping[str, Array] | None = None,
        cancel: threading.Event | None = None,
    ) -> Message | None:
        return self._worker.request({"do": verb, "fit": self._fit, **(header or {})}, arrays, cancel)


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
        self.trains_everything = False

    def start(self) -> None:
        """Start the processes, which takes seconds, without waiting for them."""
        with self._lock:
            self._ready()

    def stop(self) -> None:
        """End the processes; the next fit that wants them starts others."""
        with self._lock:
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
            workers = sorted(self._ready(), key=lambda worker: worker.num_fits)[: len(blocks)]
        with contextlib.ExitStack() as stack:
            shares = []
            for number, worker in enumerate(workers):
                share = RemoteShare(worker, task, blocks[number :: len(workers)])
                stack.callback(share.close)
                shares.append(share)
            yield shares

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
        self._workers += [Worker() for _ in range(num_workers() - len(self._workers))]
        return self._workers


CREW = Crew()
atexit.register(CREW.stop)


@contextlib.contextmanager
def mapping(parts: Sequence[Part]) -> Iterator[Callable[..., object]]:
    """A ``map`` that applies a function to all parts at once; its threads only wait for other processes."""
    with ThreadPoolExecutor(len(parts), thread_name_prefix="bdlviz-share") as pool:
        yield lambda function, items: list(pool.map(function, items))


def _ends(piece: slice) -> list[int]:
    return [piece.start, piece.stop]
