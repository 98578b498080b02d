"""Compiles products.c, the matrix products of networks in the browser, to WebAssembly and writes products_wasm.js.

`pip install -r requirements/wasm.txt`, then `python -m scripts.build_products`. Only a change of products.c needs it.
"""

from __future__ import annotations

import base64
import hashlib
import subprocess
import sys
import tempfile
from pathlib import Path

from bdlviz.live import ENGINE

SOURCE, MODULE = ENGINE / "products.c", ENGINE / "products_wasm.js"
FLAGS = [
    "-target", "wasm32-freestanding", "-msimd128", "-O3", "-nostdlib", "-Wl,--no-entry", "-Wl,--import-memory",
    "-Wl,--strip-all", "-Wl,-z,stack-size=4096",
]  # fmt: skip
TEXT = """\
// products.c as WebAssembly, written by `python -m scripts.build_products`.
// SHA-256 of products.c: {source}
// SHA-256 of the decoded module: {module}

export const PRODUCTS = "{text}";
"""


def compiled() -> bytes:
    """The WebAssembly module of products.c."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / "products.wasm"
        subprocess.run([sys.executable, "-m", "ziglang", "cc", *FLAGS, "-o", str(place), str(SOURCE)], check=True)
        return place.read_bytes()


def text_of(module: bytes) -> str:
    """The ES module that holds a WebAssembly module as base64, with the hashes of its source and of itself."""
    source = hashlib.sha256(SOURCE.read_bytes()).hexdigest()
    text = base64.b64encode(module).decode()
    return TEXT.format(source=source, module=hashlib.sha256(module).hexdigest(), text=text)


def decoded(text: str) -> bytes:
    """The WebAssembly module within the text of the ES module."""
    return base64.b64decode(text.split('"')[1])


if __name__ == "__main__":
    MODULE.write_text(text_of(compiled()), encoding="utf-8")
    print(f"Written: {MODULE.name}, {MODULE.stat().st_size} bytes.")
