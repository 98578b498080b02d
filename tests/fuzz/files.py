"""Targets that take a file: tables, pictures of digits, IDX archives, lectures."""

from __future__ import annotations

import csv
import gzip
import io
import struct
import zlib
from typing import Any

import numpy as np
from hypothesis import strategies as st
from PIL import Image, ImageDraw

from bdlviz import data
from bdlviz.data import idx
from bdlviz.data.tables import MAX_LABEL, MAX_MAGNITUDE, MAX_ROWS
from bdlviz.lectures import read_lecture
from bdlviz.topics.shared import own_digit
from bdlviz.types import Array
from tests import idx_files
from tests.fuzz import hostile
from tests.fuzz.target import Target

# Tables ------------------------------------------------------------------------------------------------------------

cells = st.one_of(st.floats(-1e6, 1e6).map(repr), hostile.numbers, hostile.words, st.just(""))
separators = st.sampled_from((",", ";", "\t", " ", "|", ", ", ",,", '","'))
line_ends = st.sampled_from(("\n", "\r\n", "\r", "\n\n", "\x0b", "\u2028", "\0"))
encodings = st.sampled_from(("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-32", "latin-1", "cp037"))
tables = st.builds(
    lambda rows, separator, end, quoting: end.join(separator.join(_written(row, quoting)) for row in rows),
    st.lists(st.lists(cells, min_size=1, max_size=3), max_size=12),
    separators,
    line_ends,
    st.booleans(),
)
coordinates = st.floats(-1e12, 1e12, allow_nan=False) | st.sampled_from((0.0, -0.0, 5e-324, 1e12, -1e12, 1e-300))
columns = st.lists(st.tuples(coordinates, coordinates), min_size=1, max_size=12)
plain_tables = columns.map(lambda rows: "\n".join(f"{x!r},{y!r}" for x, y in rows))
oversized = st.builds(
    lambda piece, times: piece * times,
    st.sampled_from(("1,2\n", ",", "1,", '"', "1 2\n", "\n", "a,b\n", "9" * 100, "[", "\t;", '"\n')),
    st.integers(1, 300_000),
)


def _written(row: list[str], quoting: bool) -> list[str]:
    if not quoting:
        return row
    stream = io.StringIO()
    csv.writer(stream, escapechar="\\").writerow(row)
    return stream.getvalue().rstrip("\r\n").split(",")


table_sources = st.one_of(
    tables,
    st.builds(lambda text, name: text.encode(name, "replace"), tables, encodings),
    st.builds(lambda text, changes: hostile.damaged(text.encode("utf-8", "replace"), changes), tables, hostile.damages),
    st.builds(lambda text, changes: hostile.damaged(text.encode(), changes), plain_tables, hostile.damages),
    st.builds(
        lambda head, body: f"{head}\n{body}", st.tuples(hostile.words, hostile.words).map(",".join), plain_tables
    ),
    st.binary(max_size=100),
)


def read_table(source: str | bytes) -> None:
    """A table, and the data set of its points: finite numbers, labels that a figure can show."""
    found = data.parse_table(source)
    assert 1 <= len(found.x) == len(found.y) <= MAX_ROWS
    assert (np.abs([found.x, found.y]) <= MAX_MAGNITUDE).all()
    for label in (found.x_label, found.y_label):
        assert 0 < len(label) <= MAX_LABEL
        assert not set(label) & set("<>\0\n\r\x1b\u202e")
        label.encode()
    made = data.from_points(found.x, found.y, x_label=found.x_label, y_label=found.y_label)
    assert np.isfinite([*made.x_range, *made.y_range]).all() and made.fingerprint


column = st.lists(coordinates, min_size=2, max_size=2) | st.lists(hostile.json_values, max_size=4) | hostile.json_values
point_arrays = st.tuples(column, column)


def make_points(case: tuple[Any, Any]) -> None:
    """Columns of whatever a notebook passes."""
    made = data.from_points(*case)
    assert made.num_data >= 1 and (np.abs(made.x) <= MAX_MAGNITUDE).all()


# Pictures of digits ------------------------------------------------------------------------------------------------


def _picture(size: tuple[int, int], mode: str, form: str) -> bytes:
    """A picture with a stroke on it, as a file."""
    image = Image.new("L", size, 255)
    ImageDraw.Draw(image).line((0, 0, size[0], size[1]), fill=0, width=max(1, min(size) // 8))
    stream = io.BytesIO()
    image.convert(mode).save(stream, form)
    return stream.getvalue()


MODES = {
    "PNG": ("L", "1", "P", "RGB", "RGBA", "LA", "I;16"),
    **{"JPEG": ("L", "RGB", "CMYK"), "GIF": ("P", "RGB"), "WEBP": ("RGB", "RGBA")},
    **{"BMP": ("RGB",), "TIFF": ("RGB",), "PPM": ("L",)},
}
PICTURES = tuple(
    _picture(size, mode, form)
    for size in ((28, 28), (1, 1), (1, 300), (90, 60))
    for form, modes in MODES.items()
    for mode in modes
)
EPS = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n%%EndComments\n(x) (w) file\n%%EOF\n"
sizes = st.sampled_from((0, 1, 28, 5000, 16383, 65535, 2**31 - 1, 2**32 - 1))


def _png_of_size(width: int, height: int, content: bytes) -> bytes:
    """A PNG whose header promises any size, with a correct check sum, and pixels that may not be there."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(content)) + chunk(b"IEND", b"")


pictures = st.one_of(
    st.builds(hostile.damaged, st.sampled_from(PICTURES), hostile.damages),
    st.builds(_png_of_size, sizes, sizes, st.integers(0, 50_000).map(bytes)),
    st.binary(max_size=100),
    st.builds(hostile.damaged, st.just(EPS), hostile.damages),
)


def read_picture(content: bytes) -> None:
    """An uploaded picture, in the form of both kinds of data."""
    ink = own_digit.read_image(content)
    assert max(ink.shape) <= own_digit.WORKING_SIDE and np.isfinite(ink).all() and ink.min() >= 0 and ink.max() == 1
    for shape in ((28, 28), (8, 8)):
        digit = own_digit.to_digit(ink, shape)
        assert digit.shape == shape and np.isfinite(digit).all()


inks = st.builds(
    lambda side, spots, value: _spotted(side, spots, value),
    st.sampled_from((8, 56, 400)),
    st.lists(st.tuples(st.floats(0, 0.999), st.floats(0, 0.999)), max_size=6),
    st.sampled_from((0.0, 0.14, 0.16, 1.0, 5e-324)),
)


def _spotted(side: int, spots: list[tuple[float, float]], value: float) -> Array:
    ink = np.zeros((side, side))
    for row, column in spots:
        ink[int(row * side), int(column * side)] = value
    return ink


def shape_ink(ink: Array) -> None:
    """Ink of a few spots, which may lie in any corner."""
    for shape in ((28, 28), (8, 8)):
        digit = own_digit.to_digit(ink, shape)
        assert digit.shape == shape and np.isfinite(digit).all() and 0 <= digit.min() <= digit.max() <= 1


# IDX archives ------------------------------------------------------------------------------------------------------

ARRAY = np.arange(60, dtype=np.uint8).reshape(3, 4, 5)
idx_contents = st.one_of(
    st.builds(hostile.damaged, st.just(idx_files.encode(ARRAY)), hostile.damages),
    st.builds(
        lambda lengths, body: bytes([0, 0, 8, len(lengths)]) + b"".join(n.to_bytes(4, "big") for n in lengths) + body,
        st.lists(st.sampled_from((0, 1, 2, 255, 2**31, 2**32 - 1)), max_size=255),
        st.binary(max_size=20),
    ),
)
idx_archives = st.one_of(
    idx_contents.map(lambda content: gzip.compress(content, 1)),
    st.builds(
        lambda content, changes: hostile.damaged(gzip.compress(content, 1), changes), idx_contents, hostile.damages
    ),
    st.binary(max_size=60),
)


def read_idx(archive: bytes) -> None:
    """An archive of images or labels."""
    array = idx.decode(idx.unpack(archive, "digits.gz"), "digits.gz")
    assert array.dtype == np.uint8 and array.nbytes <= idx.MAX_BYTES


# Lectures ----------------------------------------------------------------------------------------------------------

LECTURE = """title: Two pictures
about: |
  Why *both*.
steps:
  - page: regression/compare
    scene: gap
    settings: {hold_out: off, length_scale: 0.10}
    tab: Caveat and paper
    title: "First: look"
    minutes: 2.5
    say: |
      Point at *the gap*.
  - {page: start/home, title: Home, minutes: 1, say: Bye.}
"""
YAML_TRICKS = (
    *("&a [*a, *a]", "*title", "!!python/object/apply:os.system [id]", "!!python/name:os.system", "!!binary aGk="),
    *("!!set {a, b}", "<<: {a: b}", "? [a, b]\n: c", "{a: b, a: c}", "- " * 50, "[" * 50, "{a: " * 50),
    *('"\\ud800"', '"\\x00"', "%YAML 9.9\n---\n", "---\n---\n", "!<tag:yaml.org,2002:python/object:os.system> x"),
    "{page: ../../etc/passwd, title: t, minutes: 1e400, say: x}",
    "a: &b " + "x" * 200 + "\nc: [" + "*b, " * 50 + "]",
)
lecture_texts = st.one_of(
    st.builds(
        lambda changes: hostile.damaged(LECTURE.encode(), changes).decode("utf-8", "surrogateescape"), hostile.damages
    ),
    st.builds(
        lambda at, piece: LECTURE[: int(at * len(LECTURE))] + piece + LECTURE[int(at * len(LECTURE)) :],
        st.floats(0, 1),
        st.sampled_from(YAML_TRICKS) | hostile.words,
    ),
    st.builds(
        lambda key, value: LECTURE + f"  - {{page: a/b, title: t, minutes: 1, say: x, {key}: {value}}}\n",
        st.sampled_from(("tab", "scene", "settings", "minutes", "page")) | hostile.words,
        hostile.words | st.sampled_from(YAML_TRICKS),
    ),
    st.builds(
        lambda piece, times: (LECTURE + piece * times)[:120_000],
        st.sampled_from(("- a\n", "a: b\n", "#\n", "  \n", "? ", "!a b,", "{a: b},", "'", "- [", "|\n", "\t")),
        st.sampled_from((1, 10, 100, 2000)),
    ),
)


def read_scenes(text: str) -> None:
    """A lecture's file."""
    found = read_lecture(text, "mine")
    assert found.steps and 0 < found.minutes < 1e6


lecture_names = hostile.words


def name_lecture(name: str) -> None:
    """A lecture's file under any name."""
    read_lecture(LECTURE, name)


DOTS = b"1,2\n3,4\n"
TARGETS = (
    Target(
        *("tables", table_sources, read_table, DOTS, 300, 18_000),
        known=tuple(
            f"{label},y\n1,2\n" for label in (*hostile.MARKUP, *hostile.ODD_TEXT) if not set(label) & set(',\n\r"')
        ),
    ),
    Target("oversized tables", oversized, read_table, DOTS, 20, 500),
    Target("points of a notebook", point_arrays, make_points, ([1.0, 2.0], [3, 4]), 200, 4_000),
    Target("pictures", pictures, read_picture, PICTURES[0], 300, 10_000),
    Target("ink", inks, shape_ink, _spotted(56, [(0.2, 0.3)], 1.0), 100, 2_000),
    Target("IDX archives", idx_archives, read_idx, gzip.compress(idx_files.encode(ARRAY)), 300, 8_000),
    Target("lectures", lecture_texts, read_scenes, LECTURE, 300, 10_000),
    Target("names of lectures", lecture_names, name_lecture, "mine", 50, 1_000),
)
