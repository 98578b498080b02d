"""Opens pages as visitors do, and tells of every attempt to write to the disk. Run by `test_read_only.py`.

The arguments are the names of pages; printed is one line ``EVENT PATH`` for each attempt, then ``drawn PAGE`` for each
page. Code that was compiled to be faster next time is left out: where it cannot be written, it is not.
"""

from __future__ import annotations

import os
import sys
from typing import Any

WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = ("os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.link", "os.symlink", "os.truncate", "os.chmod")


def listen(event: str, arguments: tuple[Any, ...]) -> None:
    """An audit hook: it hears what every line of Python in this process asks the system for."""
    if event == "open":
        path, _, flags = arguments
        # A file descriptor is one of a pipe; a socket or a device is no disk.
        changes = isinstance(path, (str, bytes, os.PathLike)) and bool(flags & WRITING)
        where = os.fsdecode(path) if changes else ""
        if changes and "__pycache__" not in where and not where.startswith(("/dev/", "/proc/")):
            print("open", where)
    elif event in CHANGES and "__pycache__" not in str(arguments[0]):
        print(event, arguments[0])


def main(names: list[str]) -> None:
    from tests.ui.harness import open_page

    sys.addaudithook(listen)
    for name in names:
        page = open_page(name)
        assert not page.exception, page.exception
        print("drawn", name)


if __name__ == "__main__":
    main(sys.argv[1:])
    sys.stdout.flush()
    os._exit(0)  # the tool that opened the pages removes its own temporary files now, which no server has
