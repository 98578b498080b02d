"""One of several programs that write to a shelf at once: puts checkpoints FIRST .. LAST, or one again and again."""

from __future__ import annotations

import sys
from pathlib import Path

from bdlviz.fitted import checkpoints, shelf


def put(name: str, number: int, folder: Path) -> None:
    """A small bundle that says its number."""
    content = checkpoints.bundle_to_bytes({}, {"number": number})
    shelf.put(name, content, {"settings": {"number": number}}, folder)


def main(folder: str, way: str, first: str, last: str) -> None:
    Path(folder, f"ready-{first}").touch()
    while not Path(folder, "go").exists():
        pass
    for number in range(int(first), int(last)):
        put(f"bundle_{number}" if way == "many" else "again", number, Path(folder, "shelf"))


if __name__ == "__main__":
    main(*sys.argv[1:])
