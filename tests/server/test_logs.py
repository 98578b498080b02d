"""The log: one event a line, and nothing of what a visitor typed, whoever logs it and however."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable

import pytest

from bdlviz.errors import InvalidInput
from bdlviz.ops.logs import MAX_CHARACTERS, Style, one_line

Run = Callable[..., "subprocess.CompletedProcess[str]"]
SECRET = "s3cret"

# Every way in which a visitor's words have come into logs: arguments, messages of exceptions and of those they came
# from, warnings, threads, loggers made before and after, line breaks that would forge an event.
NOISE = f"""
import asyncio, logging, threading, warnings
from streamlit.logger import get_logger
early = get_logger("streamlit.early")
from bdlviz.ops import logs
logs.install()
late = get_logger("streamlit.late")
ours = logging.getLogger("bdlviz.ui.test")
early.warning("Rejected origin=%s after %d tries", "{SECRET}", 3)
late.error("Value %(it)s", {{"it": "{SECRET}"}})
late.warning("%.2f and %r", 3.25, "{SECRET}")
late.info("{SECRET} is no warning")
logging.getLogger("asyncio").error("Task exception was never retrieved\\nfuture: {SECRET}")
try:
    try:
        int("{SECRET}")
    except ValueError as error:
        raise KeyError("{SECRET}") from error
except KeyError as error:
    late.error("Uncaught app execution", exc_info=error)
    ours.exception("A page failed.")
warnings.warn("{SECRET}")
thread = threading.Thread(target=lambda: int("{SECRET}"))
thread.start()
thread.join()
ours.info("A fit ended.", extra={{"fields": {{"seconds": 1.5, "kind": "fit\\n{{}}", "whole": True}}}})
raise RuntimeError("{SECRET}")
"""


def test_json_holds_an_event_a_line(run_python: Run):
    done = run_python(NOISE, BDLVIZ_LOG="json")
    assert SECRET not in done.stderr, done.stderr
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert [(event["level"], event["logger"].split(".")[0], event["event"]) for event in events] == [
        ("warning", "streamlit", "Rejected origin=… after 3 tries"),
        ("error", "streamlit", "Value …"),
        ("warning", "streamlit", "%.2f and %r"),
        ("error", "asyncio", "Task exception was never retrieved"),
        ("error", "streamlit", "Uncaught app execution"),
        ("error", "bdlviz", "A page failed."),
        ("warning", "bdlviz", "Python warns."),
        ("error", "bdlviz", "A thread failed."),
        ("info", "bdlviz", "A fit ended."),
        ("critical", "bdlviz", "The server failed."),
    ]
    assert [link["type"] for link in events[5]["exception"]] == ["KeyError", "ValueError"]
    assert [frame.rpartition(" ")[2] for frame in events[5]["exception"][0]["frames"]] == ["<module>"]
    assert events[8]["fields"] == {"seconds": 1.5, "kind": "fit {}", "whole": True}
    assert events[6]["fields"]["category"] == "UserWarning"


def test_text_holds_no_words_of_visitors(run_python: Run):
    done = run_python(NOISE, BDLVIZ_LOG="text")
    assert SECRET not in done.stderr, done.stderr
    assert "info    A fit ended. seconds=1.5 kind=fit {} whole=True" in done.stderr
    assert "  KeyError\n" in done.stderr


def test_debug_shows_everything(run_python: Run):
    assert f"KeyError: '{SECRET}'" in run_python(NOISE, BDLVIZ_LOG="debug").stderr


PAGE = f"""
from bdlviz.ops import logs
logs.install()
from unittest import mock
from bdlviz.ui.frame.apology import apologise
from tests.ui.harness import open_page
app = open_page("function_draws", {{"data": "own", "noise": "{SECRET}"}})
app.text_area(key="pasted").set_value("{SECRET},y\\n12.345678,{SECRET}").run()
app.button(key="use_pasted").click().run()
assert app.error, "The table should have been refused."
with mock.patch("bdlviz.data.parse_table", side_effect=RuntimeError("{SECRET} 12.345678")):
    app.text_area(key="pasted").set_value("{SECRET},y\\n1,{SECRET}").run()
    app.button(key="use_pasted").click().run()
try:
    raise RuntimeError("{SECRET} 12.345678")
except RuntimeError as error:
    apologise(error)
"""


def test_a_failing_page_leaves_no_table_in_the_log(run_python: Run):
    done = run_python(PAGE, BDLVIZ_LOG="json")
    assert done.returncode == 0, done.stderr
    assert SECRET not in done.stderr and "12.345678" not in done.stderr, done.stderr
    events = [json.loads(line) for line in done.stderr.splitlines()]
    assert "A page failed." in [event["event"] for event in events]


def test_an_unknown_style_is_named(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("BDLVIZ_LOG", "loud")
    with pytest.raises(InvalidInput, match="json, text, debug"):
        Style.present()


def test_a_line_stays_a_line():
    assert one_line("a\r\nb\x1b[31mc\u2028d") == "a b [31mc d"
    assert len(one_line("x" * 10_000)) == MAX_CHARACTERS
