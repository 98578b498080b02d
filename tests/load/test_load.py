"""The load generator: what a tab keeps of a page, and a few visitors on a real server."""

from __future__ import annotations

import asyncio
import random
import time

import pytest
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.load import __main__ as command
from benchmarks.load.server import Server, start
from benchmarks.load.tab import Tab, TabError
from benchmarks.load.visitor import Events, Visitor
from tests.asynchronous import finish


@pytest.fixture(scope="module")
def server():
    with start() as running:
        yield running


def element(place: list[int], kind: str, fragment: str = "") -> ForwardMsg:
    message = ForwardMsg()
    message.metadata.delta_path.extend(place)
    message.delta.fragment_id = fragment
    getattr(message.delta.new_element, kind).SetInParent()
    return message


def run(*fragments: str) -> ForwardMsg:
    message = ForwardMsg()
    message.new_session.SetInParent()
    message.metadata.run.fragment_ids.extend(fragments)
    return message


def end(status: ForwardMsg.ScriptFinishedStatus.ValueType) -> ForwardMsg:
    return ForwardMsg(script_finished=status)


def test_a_run_of_a_fragment_replaces_its_elements_alone():
    tab = Tab("nowhere", random.Random(0))
    for message in (run(), element([0, 0], "plotly_chart"), element([0, 1], "progress", "part"), run("part")):
        tab._take(message)
    assert tab.page.has_picture()
    assert not tab.page.is_busy()
    tab._take(end(ForwardMsg.FINISHED_FRAGMENT_RUN_SUCCESSFULLY))
    assert len(tab.page.elements) == 1
    tab._take(run())
    assert tab.page.has_picture(), "a visitor sees the old page until the run ends"
    tab._take(end(ForwardMsg.FINISHED_EARLY_FOR_RERUN))
    assert tab.page.has_picture()
    tab._take(end(ForwardMsg.FINISHED_SUCCESSFULLY))
    assert not tab.page.has_picture()


def test_an_exception_on_the_page_is_an_error():
    tab = Tab("nowhere", random.Random(0))
    tab._take(run())
    tab._take(element([0, 0], "exception"))
    with pytest.raises(TabError, match="exception"):
        finish(tab.rested(1))


def test_a_reference_to_an_unknown_message_is_an_error():
    tab = Tab("nowhere", random.Random(0))
    message = ForwardMsg(ref_hash="never sent")
    tab._take(message)
    with pytest.raises(TabError, match="never had"):
        finish(tab.rested(1))


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (["--visitors", "501"], "1 to 500 visitors"),
        (["--visitors", "0"], "1 to 500 visitors"),
        (["--minutes", "61"], "up to 60 minutes"),
        (["--pause", "0"], "a pause above 0"),
        (["--replicas", "9"], "1 to 4 replicas"),
    ],
)
def test_the_load_is_bounded(
    wrong: list[str], says: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    monkeypatch.setattr("sys.argv", ["load", *wrong])
    with pytest.raises(SystemExit):
        command.main()
    assert says in capsys.readouterr().err.splitlines()[-1]


def test_a_few_visitors_meet_no_error(server: Server):
    events, end = Events(), time.monotonic() + 12

    async def all_of_them() -> None:
        await asyncio.gather(*(Visitor(server.address, events, number, 0.3, 0.2).visit(0, end) for number in range(4)))

    finish(all_of_them())
    assert events.errors == []
    assert server.complaints() == []
    assert {"open a page", "shipped grid"} <= events.seconds.keys()
    assert all(0 < picture <= rest for seconds in events.seconds.values() for picture, rest in seconds)


def test_a_move_changes_the_link_and_the_picture(server: Server):
    async def moved() -> tuple[str, str]:
        tab = Tab(server.address, random.Random(0))
        await tab.open("function_draws", "")
        await tab.rested(60)
        before = str([told["sides"] for _, told in tab.page.views()])
        await tab.move("dropout_rate", lambda stops: stops[-2])
        await tab.rested(60)
        after = str([told["sides"] for _, told in tab.page.views()])
        query = tab.query
        await tab.close()
        assert before != after
        return query, after

    query, after = finish(moved())
    assert "dropout_rate=" in query
    assert query.partition("dropout_rate=")[2].partition("&")[0] in after
