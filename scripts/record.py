"""Record the content of all pages, so that a restructured app can be compared with the previous one.

``python -m scripts.record take FOLDER`` opens every page and every scene without a browser and writes one JSON file per
page. ``python -m scripts.record compare OLD NEW`` prints what differs between two such folders; its exit status is 1 if
anything other than words differs. Pages come from the files under pages/, scenes and controls from what the app shows.
"""

from __future__ import annotations

import argparse
import json
import logging
import multiprocessing
import os
import re
import socket
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
from streamlit.runtime.memory_media_file_storage import MemoryMediaFileStorage
from streamlit.runtime.state.common import user_key_from_element_id
from streamlit.testing.v1 import AppTest
from streamlit.util import calc_hash

from scripts.record_differences import Part, compare
from scripts.record_values import condensed, fingerprint, pixels, short

ROOT = Path(__file__).resolve().parents[1]
# --- What this file knows about the project: everything that a new layout of the modules may have to change. ---------

QUIET = "start/lecture"  # a page that computes nothing
RUN_S, WAIT_S = 300, 90  # seconds: limit of one run of a page, and of a computation in it
SCENE_BUTTON, SCENE, OPEN_QUESTION = "scene_", "scene", "commit_guess"  # widget key, link, widget key of a question
FURTHER = "detail"  # key of the menu of further pictures; its first option is the main picture
ANSWERED = {"guess": "no"}  # the link that shows a scene without its question
PLAIN = ("picture", "scrub", "figure")  # the control that replaces a view in the browser by a plain figure
SILENT = ("window", "access", "remote", "save_as", "drag")  # invisible components


def opened(page: str, query: Mapping[str, str]) -> AppTest:
    """The page with this link, run through the navigation of the whole app."""
    main = next(path for path in sorted(ROOT.glob("bdlviz/**/main.py")) if "set_page_config" in path.read_text("utf-8"))
    app = AppTest.from_file(main, default_timeout=RUN_S)
    app.query_params.update(query)
    go_to(app, page)
    if app._finished_page_script_hash != calc_hash(Path(page).name):
        raise LookupError(f"The app has no page {page}.")
    return app


def go_to(app: AppTest, page: str) -> None:
    """Show a page, by the name of its file. Streamlit takes the hash of this name for the hash of the page."""
    app._page_hash = calc_hash(Path(page).name)
    run(app)


def block_of(block: bytes) -> tuple[str, Part]:
    """The name of a block of numbers that a component gets, and what is in it."""
    end = 4 + int.from_bytes(block[:4], "little")
    header = json.loads(block[4:end])
    found = {}
    for name, place in header.pop("arrays").items():
        kind, count = np.dtype(place["type"]).newbyteorder("<"), int(np.prod(place["shape"]))
        found[name] = fingerprint(np.frombuffer(block, kind, count, end + place["start"]).reshape(place["shape"]))
    return header.pop("id"), {"header": header, "arrays": found}


def prepare() -> None:
    """Make this process quiet and ready to run pages, without a network."""
    logging.disable(logging.WARNING)
    connect = socket.socket.connect

    def connect_locally(self: socket.socket, address: Any) -> None:
        if self.family in (socket.AF_INET, socket.AF_INET6) and address[0] not in ("127.0.0.1", "::1", "localhost"):
            raise OSError(f"A page tried to connect to {address[0]}.")
        connect(self, address)

    socket.socket.connect = connect_locally  # type: ignore[method-assign]
    note_files()


FILES: dict[str, tuple[str, bytes]] = {}  # identifier -> name and content of files that a page offers


def note_files() -> None:
    """Keep the pictures and exports of pages, which AppTest discards after the run."""
    keep = MemoryMediaFileStorage.load_and_get_id

    def noted(self: Any, data: Any, mimetype: str, kind: Any, filename: str | None = None) -> str:
        name = keep(self, data, mimetype, kind, filename)
        FILES[name] = (filename or "", data if isinstance(data, bytes) else b"")
        return name

    MemoryMediaFileStorage.load_and_get_id = noted  # type: ignore[method-assign]


def image_of(url: str) -> Part:
    """The pixels of an image by its address."""
    _, content = FILES.get(Path(url).stem, ("", b""))
    if not content:
        return {"address": url}
    return pixels(content)


# --- One state of a page ----------------------------------------------------------------------------------------------

WORDS = {
    "caption",
    "markdown",
    "latex",
    "title",
    "header",
    "subheader",
    "text",
    "divider",
    "code",
    "toast",
    "help_info",
}
MESSAGES = {"warning", "error", "info", "success", "exception"}
NOTHING = {"progress", "empty", "spinner", "space", "skeleton", "balloons", "snow"}
PRESSED = {"button", "download_button"}
KINDS = ("words", "messages", "metrics", "images", "tables", "other", "exports", "expanders")
MAPS = ("controls", "figures", "views", "links", "tabs")


def shown(node: Any) -> Part:
    """All elements below a node of the element tree, by kind; the content of a tab is under the title of the tab."""
    found: Part = {kind: [] for kind in KINDS} | {kind: {} for kind in MAPS}
    _gather(node, found)
    blocks = dict(view.pop("block") for view in found["views"].values() if "block" in view)
    for view in found["views"].values():  # names of blocks change with every last digit
        text = json.dumps(view, ensure_ascii=False)
        for place, name in enumerate(sorted(blocks, key=lambda name: text.find(name))):
            text = text.replace(name, f"block {place}")
        view |= json.loads(text)
    return {kind: each for kind, each in found.items() if each}


def _gather(node: Any, found: Part) -> None:
    for _, child in sorted(getattr(node, "children", {}).items()):
        if child.type == "tab":
            found["tabs"][child.label] = shown(child)
        elif hasattr(child, "children"):
            if child.type == "expander":
                found["expanders"].append(child.proto.label)
            _gather(child, found)
        else:
            _add(child, found)


def _add(element: Any, found: Part) -> None:
    kind, proto = element.type, element.proto
    key = user_key_from_element_id(getattr(proto, "id", "") or "") or getattr(element, "key", None)
    if kind in NOTHING:
        return
    if kind in WORDS:
        tip = f" (help: {proto.help})" if getattr(proto, "help", "") else ""
        found["words"].append([kind, ("" if kind == "divider" else element.value) + tip])
    elif kind in MESSAGES:
        found["messages"].append({"kind": kind, "body": proto.message if kind == "exception" else proto.body})
    elif kind == "html":
        _add_html(proto.body, found)
    elif kind == "metric":
        found["metrics"].append({"label": proto.label, "value": proto.body, "delta": proto.delta, "help": proto.help})
    elif kind == "plotly_chart":
        figure = json.loads(proto.spec)
        figure.get("layout", {}).pop("template", None)
        found["figures"][key or f"figure {len(found['figures'])}"] = {"alt": proto.alt, **condensed(figure)}
    elif kind == "image":
        found["images"] += [image_of(each.url) | {"alt": each.alt, "caption": each.caption} for each in proto.imgs]
    elif kind in ("table", "dataframe"):
        frame = element.value.reset_index()
        rows = [[_cell(each) for each in row] for row in frame.itertuples(index=False)]
        found["tables"].append({"title": [str(name) for name in frame.columns], "cells": rows, "alt": proto.alt})
    elif kind == "page_link":
        target = proto.page + (f"?{proto.query_string}" if proto.query_string else "")
        found["links"].setdefault(target, {"label": []})["label"].append(proto.label)
    elif kind == "bidi_component":
        _add_view(proto, key, found)
    elif kind == "download_button":
        name, _ = FILES.get(Path(proto.url).stem, ("", b""))
        found["exports"].append({"title": proto.label, "file": name})
    elif key is not None:
        found["controls"][key] = _control(element)
    else:
        found["other"].append({"kind": kind, "text": re.sub(r'\bid: "[^"]*"', "", str(proto))[:2000]})


def _cell(value: Any) -> Any:
    return short(float(value)) if isinstance(value, float | np.floating) else str(value)


def _add_html(body: str, found: Part) -> None:
    body = re.sub(r"<(style|script)\b.*?</\1>", "", body, flags=re.S)
    for target in re.findall(r'href="([^"]*)"', body.replace("'", '"')):
        found["links"].setdefault(unescape(target), {"label": []})
    text = " ".join(unescape(re.sub(r"<[^>]+>", " ", body)).split())
    if text:
        found["words"].append(["html", text])


def _add_view(proto: Any, key: str | None, found: Part) -> None:
    name = proto.component_name.removeprefix("bdlviz_")
    if name in SILENT:
        return
    view: Part = {"component": name}
    if proto.bytes:
        identity, content = block_of(proto.bytes)
        view |= {"block": (identity, content), **content}
    if proto.json:
        view["data"] = condensed(json.loads(proto.json))
    found["views"][key or f"view {len(found['views'])}"] = view


def _control(element: Any) -> Part:
    proto = element.proto
    found: Part = {"type": element.type, "label": getattr(proto, "label", ""), "help": getattr(proto, "help", "")}
    options = getattr(proto, "options", ())
    found["options"] = [each if isinstance(each, str) else each.content for each in options]
    if element.type not in PRESSED:
        found["value"] = str(getattr(element, "value", ""))
    for name in ("min", "max", "step"):
        if not found["options"] and isinstance(getattr(proto, name, None), int | float):
            found[name] = getattr(proto, name)
    return found | ({"disabled": True} if getattr(proto, "disabled", False) else {})


# --- All states of a page ---------------------------------------------------------------------------------------------


def run(app: AppTest) -> bool:
    """Run the page until nothing computes; False if something still computes at the limit."""
    main, deadline = sys.modules["__main__"], time.monotonic() + WAIT_S
    try:
        app.run()
        while app.get("progress") and time.monotonic() < deadline:
            time.sleep(0.1)
            app.run()
    finally:
        sys.modules["__main__"] = main  # Streamlit puts the page in its place
    return not app.get("progress")


def state(page: str, query: Mapping[str, str]) -> Part:
    """The content of a page with this link, by tab; each further picture counts as a tab."""
    begun = time.monotonic()
    app = opened(page, query)
    found = shown(app._tree) | {"address": dict(sorted(app.query_params.items()))}
    unfinished = ["first picture"] if app.get("progress") else []
    question = OPEN_QUESTION in found.get("controls", {})
    for key, title in [] if question else list(_closed(app)):
        app.session_state[key] = title or True
        rests = run(app)
        now = shown(app._tree)
        if title:
            found["tabs"][title] = now.get("tabs", {}).get(title, {})
        else:
            found.setdefault("tabs", {})[f"expander {key}"] = now
        unfinished += [] if rests else [title or key]
    main, *titles = found.get("controls", {}).get(FURTHER, {}).get("options", [""])
    for title in titles:
        app.session_state[FURTHER] = title
        rests = run(app)
        found.setdefault("tabs", {})[title] = _without_tabs(shown(app._tree))
        unfinished += [] if rests else [title]
    if titles:
        app.session_state[FURTHER] = main
    if found.get("controls", {}).get(PLAIN[0], {}).get("value") == PLAIN[1]:
        app.session_state[PLAIN[0]] = PLAIN[2]
        unfinished += [] if run(app) else ["plain figure"]
        found["plain figures"] = shown(app._tree).get("figures", {})
    if unfinished:
        found["note"] = f"Still computing after {WAIT_S} s: {', '.join(unfinished)}."
        _leave(app)
    found["seconds"] = round(time.monotonic() - begun, 1)
    return found


def _without_tabs(found: Part) -> Part:
    return {kind: each for kind, each in found.items() if kind != "tabs"}


def _leave(app: AppTest) -> None:
    """Go to another page, so that running computations stop."""
    app.query_params.clear()
    go_to(app, QUIET)


def _closed(app: AppTest) -> Iterator[tuple[str, str]]:
    """Widget keys and titles of tabs that are not open yet, and widget keys of closed expanders."""
    for node in _blocks(app._tree):
        key = user_key_from_element_id(getattr(node, "_block_id", "") or "")
        if node.type == "tab_container" and key:
            yield from ((key, tab.label) for tab in node.children.values() if not tab.children)
        elif node.type == "expander" and node.proto.id and not node.children and key:
            yield key, ""


def _blocks(node: Any) -> Iterator[Any]:
    for child in getattr(node, "children", {}).values():
        yield child
        yield from _blocks(child)


def record(page: str, options: Sequence[str] = ()) -> Part:
    """Every state of a page: as it opens, every scene, the question before a scene, and all ``options`` of controls."""
    prepare()
    states = {"": state(page, {})}
    buttons = states[""].get("controls", {})
    for name in [key.removeprefix(SCENE_BUTTON) for key in buttons if key.startswith(SCENE_BUTTON)]:
        states[name] = state(page, {SCENE: name})
        if OPEN_QUESTION in states[name].get("controls", {}):
            states[f"{name} (question)"] = states[name]
            states[name] = state(page, {SCENE: name} | ANSWERED)
    for key in options:
        drawn = [each for each in states.values() if key in each.get("controls", {})][:1]
        for first in drawn:
            for label in first["controls"][key]["options"]:
                states[f"{key} = {label}"] = state(page, first["address"] | {key: label})
    return states


def take(folder: Path, pages: Sequence[str], jobs: int, options: Sequence[str]) -> bool:
    """Record pages into a folder, each in a separate process; False if one of them cannot be recorded."""
    os.environ |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1", "BDLVIZ_CACHE": str(folder / "cache")}
    os.environ.pop("BDLVIZ_DATA", None)
    begun, failed = time.monotonic(), 0
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
        waiting = {pool.submit(record, page, options): page for page in pages}
        for done in as_completed(waiting):
            page, error = waiting[done], done.exception()
            if error is not None:
                failed += 1
                print(f"{page}: not recorded: {error!r}", flush=True)
                continue
            file = folder / f"{page}.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            states = done.result()
            file.write_text(json.dumps(states, indent=1, sort_keys=True, ensure_ascii=False), encoding="utf-8")
            seconds = sum(each["seconds"] for each in states.values())
            print(f"{page}: {len(states)} states, {seconds:.0f} s", flush=True)
            for name, each in states.items():
                if "note" in each:
                    print(f"  {name or 'as it opens'}: {each['note']}", flush=True)
    print(f"{len(pages) - failed} of {len(pages)} pages in {time.monotonic() - begun:.0f} s")
    return not failed


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the subcommand."""
    parser = argparse.ArgumentParser(prog="python -m scripts.record", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    taking = commands.add_parser("take", help="record the pages of this tree")
    taking.add_argument("folder", type=Path)
    taking.add_argument("--pages", nargs="+", help="such as regression/compare; all without it")
    taking.add_argument("--jobs", type=int, default=2)
    taking.add_argument(
        "--options", nargs="+", default=[], metavar="KEY", help="controls of which to open every option"
    )
    comparing = commands.add_parser("compare", help="print what differs between two recordings")
    comparing.add_argument("old", type=Path)
    comparing.add_argument("new", type=Path)
    comparing.add_argument("--ignore-text", action="store_true", help="leave out what differs in words only")
    comparing.add_argument("--renamed", nargs="+", default=[], metavar="OLD=NEW", help="pages with another name")
    comparing.add_argument("--most", type=int, default=80, help="lines for each page")
    given = parser.parse_args(arguments)
    if given.command == "take":
        found = [f"{path.parent.name}/{path.stem}" for path in sorted((ROOT / "pages").glob("*/*.py"))]
        return 0 if take(given.folder.resolve(), given.pages or found, given.jobs, given.options) else 1
    renamed = dict(each.split("=", 1) for each in given.renamed)
    return 0 if compare(given.old, given.new, given.ignore_text, renamed, given.most) else 1


if __name__ == "__main__":
    sys.exit(main())
