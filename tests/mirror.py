"""A mirror on this computer: it sends the files of a small data set in the way that a test says."""

import hashlib
import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from bdlviz.data.remote import Remote, RemoteFile

DELAYS = {"trickles": 0.05, "endless": 0.0}  # seconds between two pieces that are sent after half of a file


class Mirror(ThreadingHTTPServer):
    """Sends ``files`` in the way that ``way`` says."""

    daemon_threads = True

    def __init__(self, files: Mapping[str, bytes]) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.files = {f"/{name.rpartition('/')[2]}": content for name, content in files.items()}
        self.way, self.asked = "well", list[str]()
        self.is_asked, self.over = threading.Event(), threading.Event()

    @property
    def url(self) -> str:
        """The address of the folder with the files."""
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        """Send a file."""
        mirror = self.server
        assert isinstance(mirror, Mirror)
        way, content = mirror.way, mirror.files[self.path]
        mirror.asked.append(self.path)
        if way == "busy":
            self.send_error(503)
            return
        sent = {"well": content, "too long": content, "altered": content[:-1] + bytes([content[-1] ^ 1])}
        lengths = {"well": len(content), "cut off": len(content), "too long": 20, "altered": len(content)}
        self._send(sent.get(way, content[: len(content) // 2]), lengths.get(way))
        mirror.is_asked.set()
        if way == "stalls":
            mirror.over.wait()
        while way in DELAYS and not mirror.over.wait(DELAYS[way]):
            try:
                self.wfile.write(b"%" * (1 if way == "trickles" else 100_000))
            except OSError:
                return

    def _send(self, content: bytes, announced: int | None) -> None:
        self.send_response(200)
        if announced is not None:
            self.send_header("Content-Length", str(announced))
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def log_message(self, format: str, *args: Any) -> None:
        """Print nothing."""


def published(title: str, mirrors: tuple[str, ...], files: Mapping[str, bytes]) -> Remote:
    """A data set whose files have these contents, on these mirrors."""
    entries = (RemoteFile(name, len(each), hashlib.sha256(each).hexdigest()) for name, each in files.items())
    return Remote(title, mirrors, tuple(entries))
