"""A page as a Jupyter notebook and as a script, with the code that computes its numbers."""

from __future__ import annotations

import ast
import hashlib
import json
from typing import Any

from bdlviz.export.content import Content
from bdlviz.export.markdown import plain, safe_link

NBFORMAT = (4, 5)
METADATA: dict[str, Any] = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python", "file_extension": ".py", "mimetype": "text/x-python"},
}
INSTALL = (
    "## To run this\n\n"
    "In a copy of the project, once:\n\n"
    "    pip install -r requirements.txt\n    pip install .\n\n"
    "Data sets that are not part of the project are downloaded when they are first used."
)


def notebook(content: Content) -> str:
    """The page as a notebook (nbformat 4.5, without outputs), as JSON.

    Its cells, and their ids too, depend on the content alone. The code is that of ``content.snippet``, cut at blank
    lines between statements.
    """
    told = [_heading(content), _equations(content), INSTALL, _numbers(content)]
    heading, equations, install, numbers = ([("markdown", text)] if text else [] for text in told)
    cells = [*heading, *equations, *install, *(("code", part) for part in code_parts(content.snippet)), *numbers]
    major, minor = NBFORMAT
    written = {
        "nbformat": major,
        "nbformat_minor": minor,
        "metadata": METADATA | {"title": content.question},
        "cells": [_cell(kind, source, place) for place, (kind, source) in enumerate(cells)],
    }
    return json.dumps(written, indent=1, ensure_ascii=False) + "\n"


def script(content: Content) -> str:
    """The snippet as a Python file, with comments on its origin."""
    told = [content.title, content.question, content.says, content.address, content.made_with]
    lines = [line for part in told for line in part.splitlines()]
    head = "\n".join(f"# {''.join(sign for sign in line if sign.isprintable())}".rstrip() for line in lines)
    return f"{head}\n\n{content.snippet.rstrip()}\n"


def code_parts(snippet: str) -> list[str]:
    """Code split at blank lines between statements; one part if it is not Python."""
    lines = snippet.split("\n")
    try:
        statements = ast.parse(snippet).body
    except (SyntaxError, ValueError):
        return [snippet.strip("\n")] if snippet.strip() else []
    inside = {line for statement in statements for line in range(_first_line(statement), statement.end_lineno or 0)}
    parts: list[list[str]] = [[]]
    for number, line in enumerate(lines, start=1):
        if line.strip() or number in inside:
            parts[-1].append(line)
        else:
            parts.append([])
    return ["\n".join(part) for part in parts if part]


def _first_line(statement: ast.stmt) -> int:
    """The first line of a statement, including its decorators."""
    return min([statement.lineno, *(each.lineno for each in getattr(statement, "decorator_list", []))])


def _cell(kind: str, source: str, place: int) -> dict[str, Any]:
    """One cell, with an id that follows from its place and its content."""
    name = hashlib.sha256(f"{place} {kind} {source}".encode(errors="replace")).hexdigest()[:12]
    cell = {"cell_type": kind, "id": name, "metadata": {}, "source": source.splitlines(keepends=True)}
    return cell | ({"execution_count": None, "outputs": []} if kind == "code" else {})


def _heading(content: Content) -> str:
    """Question, observation and source."""
    address = safe_link(content.address).replace("<", "%3C").replace(">", "%3E")
    parts = [
        f"# {_line(content.question)}",
        plain(content.says),
        " · ".join(filter(None, [_line(content.title), f"[this state of the page](<{address}>)" if address else ""])),
        _line(content.made_with),
    ]
    return "\n\n".join(part for part in parts if part)


def _equations(content: Content) -> str:
    """Captions and formulas."""
    shown = [f"{plain(caption)}\n\n$$\n{latex.strip()}\n$$" for caption, latex in content.formulas]
    return "\n\n".join(["## Equations", *shown]) if shown else ""


def _numbers(content: Content) -> str:
    """The page's key numbers, to compare with."""
    if not content.numbers:
        return ""
    rows = ["| " + " | ".join(map(_table_text, row)) + " |" for row in content.numbers]
    return "\n".join(["## What the page showed", "", "| | value | |", "|---|---:|---|", *rows])


def _table_text(text: str) -> str:
    return _line(text).replace("|", "\\|")


def _line(text: str) -> str:
    """Text on one line."""
    return plain(" ".join(text.split()))
