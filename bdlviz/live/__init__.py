"""Networks that train in the visitor's browser: the ES modules of the engine, joined to one text for a page.

docs/live.md describes how a page loads the engine and talks to it.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

ENGINE = Path(__file__).resolve().parent / "engine"
IMPORTED = re.compile(r'^import \{[^}]*\} from "\./(\w+)\.js";\n', re.MULTILINE)


@cache
def engine() -> str:
    """All modules of the engine as one ES module, each after those that it imports.

    Every module becomes part of one scope, so that names at the top of modules must differ.
    """
    modules: dict[str, str] = {}

    def add(name: str) -> None:
        if name in modules:
            return
        text = (ENGINE / f"{name}.js").read_text(encoding="utf-8")
        for imported in IMPORTED.findall(text):
            add(imported)
        modules[name] = IMPORTED.sub("", text)

    for path in sorted(ENGINE.glob("*.js")):
        add(path.stem)
    return "\n".join(modules.values())
