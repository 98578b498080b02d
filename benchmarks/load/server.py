"""The server under load in a separate process, and its resources: memory, processor time, counters."""

from __future__ import annotations

import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

import psutil

from bdlviz.processes.crew import num_workers
from benchmarks.process import serving

METRIC = re.compile(r"^(\w+)(\{[^}]*\})? (\S+)$", re.MULTILINE)


@dataclass(frozen=True)
class Server:
    """A running server."""

    address: str  # host:port
    process: psutil.Process
    log: Path

    def memory(self) -> float:
        """Resident memory of the server and its workers, GB; pages that they share count once each."""
        return sum(each.memory_info().rss for each in self._family()) / 1e9

    def processor_seconds(self) -> float:
        """Processor time that the server and its workers have used."""
        return sum(sum(each.cpu_times()[:2]) for each in self._family())

    def num_threads(self) -> int:
        """Threads of the server's own process."""
        return self.process.num_threads()

    def metrics(self) -> dict[str, float]:
        """The server's counters, name with labels -> value."""
        try:
            with urlopen(f"http://{self.address}/metrics", timeout=10) as answer:
                text = answer.read().decode()
        except (URLError, OSError):
            return {}
        return {name + labels: float(value) for name, labels, value in METRIC.findall(text)}

    def _family(self) -> list[psutil.Process]:
        return [self.process, *self.process.children(recursive=True)]

    def complaints(self) -> list[str]:
        """The lines of the log with errors."""
        lines = self.log.read_text(errors="replace").splitlines()
        return [line for line in lines if '"level": "error"' in line or "Traceback" in line]


@dataclass(frozen=True)
class Replicas:
    """Several servers on this machine; a visitor stays with one, as with the balancer's cookie (deploy/nginx.conf)."""

    servers: Sequence[Server]

    def address(self, visitor: int) -> str:
        """The server of a visitor."""
        return self.servers[visitor % len(self.servers)].address

    def memory(self) -> float:
        """Resident memory of all servers in GB."""
        return sum(server.memory() for server in self.servers)

    def processor_seconds(self) -> float:
        """Processor time that all servers have used."""
        return sum(server.processor_seconds() for server in self.servers)

    def num_threads(self) -> int:
        """Number of threads of the processes of all servers."""
        return sum(server.num_threads() for server in self.servers)

    def metrics(self) -> dict[str, float]:
        """The sums of the counters of all servers."""
        return dict(sum((Counter(server.metrics()) for server in self.servers), Counter()))

    def complaints(self) -> list[str]:
        """The lines of all logs with errors."""
        return [line for server in self.servers for line in server.complaints()]


@contextmanager
def start(port: int = 0, **environment: str) -> Iterator[Server]:
    """Start the app on a free port of this machine, and end it afterwards."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "server.log"
        with log.open("wb") as output, serving("app.py", port, output, BDLVIZ_LOG="json", **environment) as process:
            yield Server(process.address, psutil.Process(process.number), log)


@contextmanager
def start_replicas(count: int, port: int = 0) -> Iterator[Replicas]:
    """Start ``count`` servers, the first on this port, which share the workers of one server; end them afterwards."""
    workers = {"BDLVIZ_WORKERS": str(max(1, num_workers() // count))} if count > 1 else {}
    with ExitStack() as stack:
        ports = [port, *(0 for _ in range(count - 1))]
        yield Replicas([stack.enter_context(start(each, **workers)) for each in ports])
