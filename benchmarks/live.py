"""Networks that train in the browser: steps, sets of samples and frames a second in Chromium.

They are measured on a small page of the benchmark, which draws each set of samples with the canvas code of the app. The
watching script reads ``data-step`` and ``data-draws`` of the first element that has them, so it can watch a page of the
app as well. Beside it: a network with one object per unit in the page, and a server-side page that trains per event.
"""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import psutil
from playwright.sync_api import Browser, Page

from bdlviz.live import engine
from bdlviz.plots.theme import LIGHT
from bdlviz.ui.scrub import base
from benchmarks.browser import Scene, along
from benchmarks.report import Row
from benchmarks.server import browser, server, window
from benchmarks.timing import Spread
from benchmarks.workload import PAGE

CLIENT = Path(__file__).resolve().parent / "client"
ADDRESS = "http://live.test/"  # a worker from a blob needs an origin
WARM_UP_MS, SECONDS = 800, 3.0
TRAINED_MS = 2000  # before a point is moved
NAIVE_MOVES = 2  # of the server-side page in a round
SMOOTH_MS, TARGET_SMOOTH = 20.0, 95  # a frame of a page at 60 frames a second, and the share of such frames in %
SLOWER = 4  # how many times slower the processor is made
PERIOD_S = 0.008  # of the stops of a slowed process

ALONE = """async ([program, engine, hidden, milliseconds]) => {
  const load = (text) => import(URL.createObjectURL(new Blob([text], { type: "text/javascript" })));
  const [{ Neurons }, live] = [await load(program), await load(engine)];
  const x = Array.from({ length: 20 }, (_, i) => i / 5 - 2);
  const y = x.map(Math.sin);
  const rate = (step) => {
    for (let i = 0; i < 20; i += 1) step();
    const begin = performance.now();
    let steps = 0;
    for (; performance.now() - begin < milliseconds; steps += 1) step();
    return (1000 * steps) / (performance.now() - begin);
  };
  const neurons = new Neurons([1, ...hidden, 1]);
  const trainer = new live.Trainer({ hidden }, Float32Array.from(x), Float32Array.from(y));
  return { neurons: rate(() => neurons.step(x, y, 0.03)), engine: rate(() => trainer.step()) };
}"""
Measured = dict[str, float]


def training(rounds: int, cores: int) -> list[Row]:
    """Rows for curves, the plane, a slowed processor, and the usual loops."""
    with ExitStack() as stack:
        running = stack.enter_context(browser())
        naive = Scene(window(running, stack.enter_context(server("benchmarks/naive_page.py"))[0]), "seed", along())
        measured: dict[str, list[Measured]] = {}
        for _ in range(rounds):
            for name, measure in _contenders(running).items():
                measured.setdefault(name, []).append(measure())
        naive.move()
        events = [1000 / naive.move().milliseconds for _ in range(rounds * NAIVE_MOVES)]
    return [
        *_of_curve("1-50-50-1", measured["50"], 6000, 40),
        *_of_curve("1-100-100-1", measured["100"], 1100, 18),
        Row(
            "2-32-32-2, 40 x 40 map from 20 samples beside training", _spread(measured["plane"], "sets"), ">= 12", "/s"
        ),
        Row("2-32-32-2: training steps beside the map", _spread(measured["plane"], "steps"), unit="/s"),
        *_of_point(measured["point"]),
        *_of_slow(
            "page 4 times slower", measured["slow page"], "by Emulation.setCPUThrottlingRate, without the worker"
        ),
        *_of_slow("page and worker 4 times slower", measured["slow"], "their process stands still 6 of every 8 ms"),
        *(row for width in ("50", "100") for row in _of_alone(width, measured[f"alone {width}"])),
        *_of_events(events, measured["50"]),
    ]


def _contenders(running: Browser) -> dict[str, Callable[[], Measured]]:
    return {
        "50": lambda: watch(running, "curve", [50, 50]),
        "100": lambda: watch(running, "curve", [100, 100]),
        "plane": lambda: watch(running, "plane", [32, 32]),
        "point": lambda: move_point(running),
        "slow page": lambda: watch(running, "curve", [50, 50], slow_page=True),
        "slow": lambda: watch(running, "curve", [50, 50], slow_process=True),
        "alone 50": lambda: alone(running, [50, 50]),
        "alone 100": lambda: alone(running, [100, 100]),
    }


# Measurements ---------------------------------------------------------------------------------------------------------


def watch(
    running: Browser, kind: str, hidden: list[int], *, slow_page: bool = False, slow_process: bool = False
) -> Measured:
    """Steps and sets a second, frames a second, and the share of smooth frames in %, of one network in a new page."""
    known = {each.pid for each in _renderers()}
    with open_page(running) as page:
        if slow_page:
            page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": SLOWER})
        _start(page, kind, hidden)
        page.wait_for_timeout(WARM_UP_MS)
        slowed = [each for each in _renderers() if each.pid not in known] if slow_process else []
        with slower(slowed):
            seen: dict[str, Any] = page.evaluate(_script("live_watch"), SECONDS)
    return summary(seen)


def _start(page: Page, kind: str, hidden: list[int]) -> None:
    """Start the training of a network on the page, and wait until its first set of samples is drawn."""
    given = {"engine": engine(), "kind": kind, "hidden": hidden, "theme": dict(base.tokens(LIGHT))}
    page.evaluate(
        "async ([text, given]) => {"
        "  const url = URL.createObjectURL(new Blob([text], { type: 'text/javascript' }));"
        "  await (await import(url)).start(given);"
        "}",
        [harness(), given],
    )
    page.wait_for_function("() => Number(document.querySelector('[data-draws]')?.dataset.draws) > 0")


def move_point(running: Browser) -> Measured:
    """Milliseconds after the last point has moved by 1: ``half`` and ``settled``, see live_harness.js."""
    with open_page(running) as page:
        _start(page, "curve", [50, 50])
        page.wait_for_timeout(TRAINED_MS)
        return page.evaluate("() => document.querySelector('[data-draws]').drag(19, -1)")


def summary(seen: dict[str, Any]) -> Measured:
    """``steps``, ``sets`` and ``frames`` a second, and ``smooth``, the share of frames under 20 ms in %."""
    frames: list[float] = seen["frames"]
    smooth = 100 * sum(each < SMOOTH_MS for each in frames) / len(frames)
    return {"steps": seen["steps"], "sets": seen["sets"], "frames": 1000 * len(frames) / sum(frames), "smooth": smooth}


def alone(running: Browser, hidden: list[int]) -> Measured:
    """Steps a second of both networks one after the other in an otherwise idle page."""
    with open_page(running) as page:
        return page.evaluate(ALONE, [_script("neurons"), engine(), hidden, 1000 * SECONDS / 3])


@contextmanager
def open_page(running: Browser) -> Iterator[Page]:
    """An empty page with an origin, in a process of its own."""
    context = running.new_context(viewport={"width": 1280, "height": 720})
    page = context.new_page()
    page.route(ADDRESS, lambda route: route.fulfill(body="<title>live</title>", content_type="text/html"))
    page.goto(ADDRESS)
    yield page
    context.close()


def harness() -> str:
    """The script of the benchmark's page, with the canvas code of the app before it."""
    scripts = [base.CLIENT / "base" / "elements.js", base.CLIENT / "base" / "canvas.js"]
    scripts += [base.CLIENT / "picture" / "layers.js", CLIENT / "live_harness.js"]
    return "\n".join(script.read_text(encoding="utf-8") for script in scripts)


def _script(name: str) -> str:
    return (CLIENT / f"{name}.js").read_text(encoding="utf-8")


def _renderers() -> list[psutil.Process]:
    """The processes of this benchmark's browser that run pages and their workers."""
    found = []
    for each in psutil.Process().children(recursive=True):
        try:
            if "--type=renderer" in each.cmdline():
                found.append(each)
        except psutil.Error:
            continue
    return found


@contextmanager
def slower(processes: list[psutil.Process]) -> Iterator[None]:
    """Let processes run for one of every `SLOWER` parts of a period; nothing happens without processes."""
    ended = threading.Event()

    def stop_and_go() -> None:
        while not ended.is_set():
            for command, share in ((signal.SIGSTOP, SLOWER - 1), (signal.SIGCONT, 1)):
                for each in processes:
                    each.send_signal(command)
                time.sleep(PERIOD_S * share / SLOWER)

    thread = threading.Thread(target=stop_and_go)
    if processes:
        thread.start()
    try:
        yield
    finally:
        ended.set()
        if processes:
            thread.join()


# Rows -----------------------------------------------------------------------------------------------------------------


def _spread(measured: list[Measured], name: str) -> Spread:
    return Spread.of([each[name] for each in measured])


def _of_curve(what: str, measured: list[Measured], steps: int, sets: int) -> list[Row]:
    return [
        Row(f"{what}: training steps a second, samples drawn", _spread(measured, "steps"), f">= {steps}", "/s"),
        Row(f"{what}: sets of 30 samples x 120 inputs drawn", _spread(measured, "sets"), f">= {sets}", "/s"),
        Row(f"{what}: frames under 20 ms", _spread(measured, "smooth"), f">= {TARGET_SMOOTH}", "%"),
    ]


def _of_point(measured: list[Measured]) -> list[Row]:
    what, note = "1-50-50-1, a moved point: ms until the mean", "the outermost of 20 points, moved by 1; warm start"
    return [
        Row(f"{what} is halfway", _spread(measured, "half"), "<= 100", note=note),
        Row(f"{what} stays within a fifth of its end", _spread(measured, "settled"), "<= 1000"),
    ]


def _of_slow(what: str, measured: list[Measured], note: str) -> list[Row]:
    return [
        Row(f"1-50-50-1, {what}: frames", _spread(measured, "frames"), ">= 30", "/s", note),
        Row(f"1-50-50-1, {what}: sets of samples drawn", _spread(measured, "sets"), ">= 8", "/s"),
        Row(f"1-50-50-1, {what}: training steps", _spread(measured, "steps"), unit="/s"),
    ]


def _of_alone(width: str, measured: list[Measured]) -> list[Row]:
    what = f"1-{width}-{width}-1, in an idle page"
    ratio = Spread.of([each["engine"] / each["neurons"] for each in measured])
    note = "MC dropout and Adam / plain gradient steps without dropout"
    return [
        Row(f"{what}: training steps, bdlviz", _spread(measured, "engine"), unit="/s"),
        Row(f"{what}: training steps, an object per unit", _spread(measured, "neurons"), unit="/s"),
        Row(f"{what}: steps of bdlviz / of an object per unit", ratio, note=note),
    ]


def _of_events(events: list[float], measured: list[Measured]) -> list[Row]:
    sets = _spread(measured, "sets").median
    note = f"{PAGE.num_steps:,} steps of 1-64-64-1 on 100 points for every event"
    return [
        Row("pictures a second of a server-side page that trains per event", Spread.of(events), unit="/s", note=note),
        Row("new pictures: bdlviz, 1-50-50-1 / server-side page", Spread.of([sets / each for each in events])),
    ]
