"""One worker process, seen from the program that started it: its requests, its answers, and a watch for hanging."""

from __future__ import annotations

import contextlib
import logging
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any, BinaryIO, NamedTuple

from bdlviz.errors import InvalidInput
from bdlviz.processes.messages import Message, NotAMessage, receive, send
from bdlviz.types import Array

CANCEL_CHECK_INTERVAL_S = 0.02
EXIT_TIMEOUT_S = 1.0  # from the end of its input to the end of a process; then it is killed
WATCH_INTERVAL_S = 1.0  # between two checks whether a process hangs
START_TIMEOUT_S = 120.0  # until the first heartbeat; covers loading all libraries from a slow disk
IDLE_TIMEOUT_S = 30.0  # without a step and without processor time
STEP_TIMEOUT_S = 900.0  # without a step, with or without processor time; the slowest step of a method takes minutes
MIN_PROCESSOR_S = 0.1  # processor time that counts as work; sending a heartbeat takes far less
# The package is loaded from its own place, and -P leaves the current folder out of the search for modules: a file of
# the user called random.py, there or beside the package, must not be executed in place of a library's module.
START = """
import sys
from importlib.util import module_from_spec, spec_from_file_location

spec = spec_from_file_location("bdlviz", sys.argv[1])
sys.modules["bdlviz"] = package = module_from_spec(spec)
spec.loader.exec_module(package)

from bdlviz.processes.child import main

main()
"""
PROGRAM = (sys.executable, "-P", "-c", START, str(Path(__file__).resolve().parents[1] / "__init__.py"))
ONE_THREAD = dict.fromkeys(("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"), "1")

log = logging.getLogger(__name__)


class WorkerLost(InvalidInput):
    """A worker process ended during training, or was killed because it hung."""

    def __init__(self) -> None:
        super().__init__("The training process ended, perhaps because memory ran out; try a smaller network or grid.")


class Heartbeat(NamedTuple):
    """Steps that a worker took in all open fits, and seconds of processor time that it used."""

    steps: int
    processor: float


@dataclass
class WorkerTimeout:
    """Decides from the heartbeats of a worker whether it hangs.

    Time is counted in intervals between checks, not read from a clock. So a suspended computer or a paused program does
    not make a worker late.
    """

    heartbeat: Heartbeat | None = None
    idle: float = 0.0
    same_step: float = 0.0

    def is_over(self, heartbeat: Heartbeat | None, waited: float) -> bool:
        """True if the worker hangs, given its latest heartbeat and the seconds since the last check."""
        if heartbeat is None:
            self.idle += waited
            return self.idle > START_TIMEOUT_S
        last = self.heartbeat
        has_stepped = last is None or heartbeat.steps != last.steps
        works = has_stepped or (last is not None and heartbeat.processor - last.processor >= MIN_PROCESSOR_S)
        self.idle = 0.0 if works else self.idle + waited
        self.same_step = 0.0 if has_stepped else self.same_step + waited
        if works:
            self.heartbeat = heartbeat
        return self.idle > IDLE_TIMEOUT_S or self.same_step > STEP_TIMEOUT_S


class Worker:
    """One worker process. Requests of several fits are sent one after another.

    A process that hangs during a request is killed, so that no caller waits for ever.
    """

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            PROGRAM,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=os.environ | ONE_THREAD,
        )
        self._requesting, self._writing = threading.Lock(), threading.Lock()
        self._answers: SimpleQueue[Message | None] = SimpleQueue()
        self._number = 0  # of the current request
        self._heartbeat: Heartbeat | None = None
        self._is_asked, self._is_over = threading.Event(), threading.Event()
        self.num_fits = 0
        threading.Thread(target=self._read, daemon=True, name="bdlviz-worker-answers").start()
        threading.Thread(target=self._watch, daemon=True, name="bdlviz-worker-watch").start()

    @property
    def is_alive(self) -> bool:
        """True while the process runs and its pipe is open. A process that ends closes its pipe shortly before."""
        return not self._is_over.is_set() and self._process.poll() is None

    def request(
        self,
        header: Mapping[str, Any],
        arrays: Mapping[str, Array] | None = None,
        cancel: threading.Event | None = None,
    ) -> Message | None:
        """Send a request and return its answer; None if ``cancel`` was set before the request was sent.

        If ``cancel`` is set later, the process is told so, and answers soon.

        Raises:
            WorkerLost: the process ended.
            InvalidInput: the worker refused the request.
        """
        while cancel is None or not cancel.is_set():
            if self._requesting.acquire(timeout=CANCEL_CHECK_INTERVAL_S):
                break
        else:
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
            self._requesting.release()
        if "error" in answer.header:
            raise (InvalidInput if answer.header["is_invalid"] else RuntimeError)(answer.header["error"])
        return answer

    def tell(self, header: Mapping[str, Any]) -> None:
        """Send a message that has no answer; does nothing if the process has ended."""
        with contextlib.suppress(WorkerLost):
            self._send(header)

    def close(self) -> None:
        """End the process."""
        with contextlib.suppress(OSError):
            self._pipe(self._process.stdin).close()
        try:
            self._process.wait(EXIT_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def _wait(self, fit: str, cancel: threading.Event | None) -> Message:
        told = False
        while True:
            with contextlib.suppress(Empty):
                answer = self._answers.get(timeout=None if cancel is None or told else CANCEL_CHECK_INTERVAL_S)
                if answer is None:
                    self._answers.put(None)  # for the caller that sends the next request
                    raise WorkerLost
                if answer.header["number"] == self._number:
                    return answer
                continue  # the answer to a request whose caller was interrupted
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
                    self._heartbeat = Heartbeat(message.header["steps"], message.header["processor"])
                elif "number" in message.header:
                    self._answers.put(message)
                else:
                    raise NotAMessage("neither an answer nor a heartbeat")
        except (NotAMessage, LookupError):
            log.warning("A worker process sent something that is no message; another one replaces it.")
            self._process.kill()
        self._is_over.set()
        self._is_asked.set()  # stays set, so that the watching thread ends
        self._answers.put(None)
        answers.close()

    def _watch(self) -> None:
        """Kill the process when it hangs. Callers that send to it or wait for an answer then get `WorkerLost`."""
        number, timeout = 0, WorkerTimeout()
        while self._is_asked.wait() and not self._is_over.is_set():
            if number != self._number:
                number, timeout = self._number, WorkerTimeout()
            if timeout.is_over(self._heartbeat, WATCH_INTERVAL_S):
                log.warning("A worker process hung; another one replaces it.")
                self._process.kill()
                return
            time.sleep(WATCH_INTERVAL_S)

    @staticmethod
    def _pipe(pipe: Any) -> BinaryIO:
        return pipe
