"""Uploads and addresses are bounded before they are parsed: what is too large never reaches a parser."""

from __future__ import annotations

import gzip
import io
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
import yaml
from PIL import Image

from bdlviz import data
from bdlviz.data import idx
from bdlviz.data.tables import MAX_BYTES
from bdlviz.errors import InvalidInput
from bdlviz.lectures import read_lecture
from bdlviz.lectures.lecture import MAX_BYTES as MAX_LECTURE
from bdlviz.topics.shared import own_digit
from bdlviz.ui.controls import data_choice, picked
from bdlviz.ui.controls.point_texts import MAX_TEXT
from bdlviz.ui.places import link
from tests.fuzz import files, guard, links

TEN_MEGABYTES = 10_000_000


def must_not_run(*arguments: Any, **options: Any) -> Any:
    raise AssertionError("A parser was given what is too large.")


@pytest.fixture
def no_parsers(monkeypatch: pytest.MonkeyPatch) -> None:
    """No parser may be called at all."""
    monkeypatch.setattr(Image, "open", must_not_run)
    monkeypatch.setattr(yaml, "load", must_not_run)
    monkeypatch.setattr(zlib, "decompressobj", must_not_run)
    monkeypatch.setattr("bdlviz.data.tables.csv.reader", must_not_run)
    monkeypatch.setattr("bdlviz.data.tables._decode_bytes", must_not_run)


@pytest.mark.usefixtures("no_parsers")
@pytest.mark.parametrize(
    ("read", "content"),
    [
        (data.parse_table, b"1" * (MAX_BYTES + 1)),
        (data.parse_table, "1,2\n" * TEN_MEGABYTES),
        (own_digit.read_image, b"\x89PNG\r\n\x1a\n" + bytes(own_digit.MAX_BYTES)),
        (data_choice.decode_points, "A" * (MAX_TEXT + 1)),
        (data_choice.decode_points, "A" * TEN_MEGABYTES),
        (lambda text: read_lecture(text, "mine"), "#" * (MAX_LECTURE + 1)),
    ],
    ids=["bytes", "text", "picture", "points", "many points", "lecture"],
)
def test_what_is_too_large_reaches_no_parser(read: Callable[[Any], Any], content: Any):
    with bounded_memory(TEN_MEGABYTES), pytest.raises(InvalidInput):
        read(content)


@contextmanager
def bounded_memory(limit: int) -> Iterator[None]:
    """Fail if more bytes than this are allocated at the same time."""
    tracemalloc.start()
    try:
        yield
        assert tracemalloc.get_traced_memory()[1] < limit
    finally:
        tracemalloc.stop()


def test_a_lecture_of_too_many_values_is_given_up_before_all_are_read():
    with pytest.raises(InvalidInput, match="more than 10,000 keys and values"):
        read_lecture("title: T\nsteps: [" + "{a: b}," * 14_000 + "]", "mine")


@pytest.mark.parametrize("rows", [5_002, 400_000])
def test_rows_are_counted_before_a_number_is_read(rows: int, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("bdlviz.data.tables.csv.reader", must_not_run)
    with pytest.raises(InvalidInput, match="keep at most"):
        data.parse_table("1\n" * rows)


def _animation(width: int, height: int) -> bytes:
    """A WebP animation whose header promises a canvas of that size."""
    stream = io.BytesIO()
    frames = [Image.new("RGB", (9, 9), shade) for shade in ("white", "black")]
    frames[0].save(stream, "WEBP", save_all=True, append_images=frames[1:])
    content = bytearray(stream.getvalue())
    content[24:30] = (width - 1).to_bytes(3, "little") + (height - 1).to_bytes(3, "little")
    return bytes(content)


def _gif(width: int, height: int) -> bytes:
    content = bytearray(files._picture((9, 9), "P", "GIF"))
    content[6:10] = width.to_bytes(2, "little") + height.to_bytes(2, "little")
    return bytes(content)


@pytest.mark.parametrize(
    "content",
    [
        files._png_of_size(60_000, 60_000, bytes(1000)),
        files._png_of_size(20_000, 20_000, bytes(20_000_000)),
        files._png_of_size(2**31 - 1, 1, bytes(1000)),
        _gif(65_535, 65_535),
        _animation(16_383, 16_383),
        _animation(2**24, 2**24),
    ],
    ids=["png", "png with pixels", "wide png", "gif", "webp", "huge webp"],
)
def test_a_picture_that_unpacks_to_gigabytes_is_refused(content: bytes):
    assert len(content) < own_digit.MAX_BYTES
    assert not guard.survives(own_digit.read_image, content)


def test_no_program_is_started_for_a_picture(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("subprocess.Popen", must_not_run)
    stream = io.BytesIO()
    Image.new("L", (9, 9)).save(stream, "EPS")
    with pytest.raises(InvalidInput):
        own_digit.read_image(stream.getvalue())


def test_an_archive_that_unpacks_to_gigabytes_is_refused():
    bomb = gzip.compress(bytes(idx.MAX_BYTES + 20_000_000), 1)
    assert not guard.survives(lambda archive: idx.unpack(archive, "digits"), bomb)


def test_points_unpack_no_further_than_a_link_can_hold():
    with bounded_memory(2_500_000), pytest.raises(InvalidInput):  # the bomb itself takes a million bytes
        bomb = links._as_text(zlib.compress(bytes(1_000_000), 9))
        assert len(bomb) < MAX_TEXT
        data_choice.decode_points(bomb)


def test_no_more_is_read_of_an_address_than_any_of_ours_has():
    page = links.EXAMPLE_PAGE
    query = {f"k{number}": "x" for number in range(1000)} | {"x" * 1000: "y"} | {"tab": "z" * TEN_MEGABYTES}
    with links.visit(dict(reversed(query.items()))) as (state, _):
        given = link.arrive(page.title, page.controls)
        assert given is not None and len(given) <= link.MAX_KEYS
        assert all(len(key) <= link.MAX_KEY and len(value) <= link.MAX_VALUE for key, value in given.items())
        assert given["tab"].startswith("z")
        link.write(page.title, page.controls)
        assert sum(map(len, state["links"][page.title].values())) < 1000


def test_no_more_points_are_taken_from_a_click_than_figures_have():
    with links.visit() as (state, _):
        state["figure"] = {"selection": {"points": [{"customdata": 1}] * 100_000}}
        assert len(picked.rows("figure")) == picked.MAX_POINTS


# What is shown of a visitor's words


@pytest.mark.parametrize("words", ["![x](http://a.b/c)", "`x` <b>", "a\nb\u2028c\x1b", ":red[x] $y$", "\ud800", ""])
def test_words_of_a_link_are_shown_as_code(words: str):
    shown = link.quoted(words)
    shown.encode()
    assert shown.isprintable() and (shown == "“”" or (shown.startswith("`") and shown.endswith("`")))
    assert "`" not in shown[1:-1]


def test_a_long_word_is_cut():
    assert len(link.quoted("x" * 1000)) == 42


@pytest.mark.parametrize("mark", list("\\`*_~$:<>|#![](){}"))
def test_markup_in_a_sentence_is_shown_as_it_is(mark: str):
    assert link.plain(f"Row 1 has '{mark}x' here.") == f"Row 1 has '\\{mark}x' here."


@pytest.mark.parametrize(
    ("said", "meant"),
    [("7", 7), ("0", 0), (9, 9), ("10", None), (10, None), (-1, None), ("-1", None), (True, None), (1.0, None)]
    + [(said, None) for said in ("²", "٣", " 1", "1_0", "+1", "", "9" * 5000, None, [1], 10**400)],
)
def test_whole_numbers(said: Any, meant: int | None):
    assert link.whole_number(said, 9) == meant
