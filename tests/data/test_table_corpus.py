"""Tables as programs and people write them: each is read right, or refused in one sentence that names the row.

The right numbers of ordinary files come from pandas, which is told the marks and the separator.
"""

from __future__ import annotations

import io
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

from bdlviz.data import parse_table
from bdlviz.data.layout import ENGLISH, POINT, read_number
from bdlviz.errors import InvalidInput
from tests.patience import limit

FRAME = pd.DataFrame({"größe (m)": [0.5, 950.25, 1200.125, 1234567.5], "y": [1.5, -2.25, 1e-3, 4.0]})
DECIMALS = {".": "point", ",": "comma"}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "latin-1"])
@pytest.mark.parametrize("decimal", DECIMALS)
@pytest.mark.parametrize("separator", ["\t", ";", ","])
@pytest.mark.parametrize("has_names", [True, False])
@pytest.mark.parametrize("has_index", [True, False])
def test_what_pandas_writes(encoding: str, decimal: str, separator: str, has_names: bool, has_index: bool):
    if has_index and not has_names:
        return  # nothing tells the index from a column of data: see below
    quoting: Any = 1 if decimal == separator else 0
    text = FRAME.to_csv(sep=separator, decimal=decimal, header=has_names, index=has_index, quoting=quoting)
    if decimal == separator:  # pandas writes a decimal comma in quotes
        assert '"0,5"' in text
    content = text.encode(encoding)
    found = parse_table(content)
    options: Any = {"header": 0 if has_names else None, "index_col": 0 if has_index else None}
    right = pd.read_csv(io.BytesIO(content), sep=separator, decimal=decimal, encoding=encoding, **options)
    np.testing.assert_array_equal(np.column_stack([found.x, found.y]), right.to_numpy())
    assert (found.x_label, found.y_label) == (("größe (m)", "y") if has_names else ("x", "y"))
    words = found.layout.words
    assert f"{DECIMALS[decimal]} = decimal mark" in words and ("first row = names" in words) == has_names
    assert ("left out" in words) == has_index
    assert ("Latin-1" in words) == (encoding == "latin-1" and has_names)


@pytest.mark.parametrize(("decimal", "thousands"), [(".", ","), (",", "."), (".", "'"), (",", " "), (",", "\u202f")])
@pytest.mark.parametrize("separator", ["\t", ";"])
def test_thousands_marks(decimal: str, thousands: str, separator: str):
    written = FRAME.map(lambda value: f"{value:,.3f}".translate({ord(","): thousands, ord("."): decimal}))
    text = written.to_csv(sep=separator, index=False, quoting=3, escapechar="\\")
    found = parse_table(text)
    ascii_only = io.StringIO(text.replace("\u202f", " "))  # pandas takes no other mark
    right = pd.read_csv(ascii_only, sep=separator, decimal=decimal, thousands=thousands.replace("\u202f", " "))
    np.testing.assert_array_equal(np.column_stack([found.x, found.y]), right.to_numpy())
    np.testing.assert_allclose(found.x, FRAME.iloc[:, 0])
    assert not found.others


@pytest.mark.parametrize(
    ("text", "x", "y", "words"),
    [
        ("950\t0.51\n1,200\t0.52", [950, 1200], [0.51, 0.52], "comma = thousands mark"),
        ("1,200;0.5", [1200], [0.5], "point = decimal mark, comma = thousands mark"),
        ("1.200;0,5", [1200], [0.5], "comma = decimal mark, point = thousands mark"),
        ("1,234.50\t2,000.75\n3\t4", [1234.5, 3], [2000.75, 4], "first row = numbers"),
        ("1.234,5;2\n3;4", [1234.5, 3], [2, 4], "first row = numbers"),
        ('"1,200",0.5\n"950",0.6', [1200, 950], [0.5, 0.6], "commas between columns"),
        ("1,5 2,5\n3,5 4,5", [1.5, 3.5], [2.5, 4.5], "spaces between columns, comma = decimal mark"),
        ("1\N{NO-BREAK SPACE}234,5;2\n3;4", [1234.5, 3], [2, 4], "space = thousands mark"),
        ("1e3;.5\n-1E-3;+5.", [1000, -0.001], [0.5, 5], "point"),
    ],
)
def test_marks_are_those_of_the_whole_table(text: str, x: list[float], y: list[float], words: str):
    found = parse_table(text)
    np.testing.assert_array_equal(found.x, x)
    np.testing.assert_array_equal(found.y, y)
    assert words in found.layout.words


def test_an_unclear_comma_is_said_and_can_be_read_otherwise():
    text = "1,200;3\n1,300;4"
    found = parse_table(text)
    [other] = found.others
    np.testing.assert_array_equal(found.x, [1.2, 1.3])
    np.testing.assert_array_equal(parse_table(text, other).x, [1200, 1300])
    assert other.marks == ENGLISH and parse_table(text, other).others == (found.layout,)
    mixed = parse_table("1,200;3\n950;4")  # a table that separates thousands has no mark below 1000
    np.testing.assert_array_equal(mixed.x, [1200, 950])
    assert len(mixed.others) == 1
    point = parse_table("1.200;3\n1.300;4")
    assert point.layout.marks == POINT and len(point.others) == 1
    assert not parse_table("0,200;3\n1,300;4").others, "0,200 separates no thousands."


def test_numbers_as_names():
    plain = parse_table("2019;2020\n0,5;0,7")
    np.testing.assert_array_equal(plain.x, [2019, 0.5])
    [names] = plain.others
    again = parse_table("2019;2020\n0,5;0,7", names)
    assert (again.x_label, again.y_label, again.x.tolist()) == ("2019", "2020", [0.5])
    quoted = parse_table('"2019";"2020"\n0,5;0,7')
    assert (quoted.x_label, quoted.y_label, quoted.x.tolist()) == ("2019", "2020", [0.5])
    assert quoted.others == (replace(quoted.layout, has_names=False),)


@pytest.mark.parametrize(
    "text",
    [
        '"","x","y"\n"1",1.5,2\n"2",2.5,3\n',  # R: write.csv
        '"x" "y"\n"1" 1.5 2\n"2" 2.5 3\n',  # R: write.table
        '"";"x";"y"\n"1";1,5;2\n"2";2,5;3\n',  # R: write.csv2
        '"","x","y"\n"Mazda RX4",1.5,2\n"Fiat 128",2.5,3\n',  # R, with names of rows
        ",x,y\n0,1.5,2\n1,2.5,3\n",  # pandas: to_csv
        "Unnamed: 0,x,y\n0,1.5,2\n1,2.5,3\n",  # pandas, written twice
        "     x  y\n0  1.5  2\n1  2.5  3\n",  # pandas: print
    ],
)
def test_an_index_is_left_out_and_that_is_said(text: str):
    found = parse_table(text)
    assert (found.x.tolist(), found.y.tolist()) == ([1.5, 2.5], [2, 3])
    assert (found.x_label, found.y_label) == ("x", "y") and "first column = row names, left out" in found.layout.words


def test_an_index_without_a_name_is_left_out_on_request_only():
    text = "1,1.5,2\n2,2.5,3"
    with pytest.raises(InvalidInput, match="Row 1 has 3 columns"):
        parse_table(text)
    assert parse_table(text, has_index=True).x.tolist() == [1.5, 2.5]
    with pytest.raises(InvalidInput, match="Row 1 has one column"):
        parse_table("1,2\n3,4", has_index=True)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        *(
            (f"{cell};{cell}\n1;2", f"Row 1 has '{cell}' where x")
            for cell in ("?", "NA", "100%", "$1200", "-", "12 kg")
        ),
        *((f"1;2\n{cell};2", f"Row 2 has '{cell}' where x") for cell in ("?", "NA", "100%", "$1200", "-", "12 kg")),
        ("t;y\n31.1.2024;4", "Row 2 has '31.1.2024' where x should be a number; write dates as days or seconds"),
        ("01.02.2024;02.03.2024\n1;2", "Row 1 has '01.02.2024' where x should be a number; write dates as days"),
        ("0.5;1\n0,5;2\n1.5;3", "Row 2 has '0,5' where x should be a number; the decimal mark of this table is"),
        ("1,5;1\n2.5;2\n3,5;3", "Row 2 has '2.5' where x should be a number; the decimal mark of this table is"),
        ("1,23,456;1\n2;2", "Row 1 has '1,23,456'"),
        ("x;y\n1;2\n;3", "Row 3 has no value of x"),
        ("x;y\n" + "1;2\n" * 100_000, "There are 100,001 rows; keep at most 5,000"),
        ("1;2\n" * 100_000, "There are 100,000 rows; keep at most 5,000"),
        (",x,y\n0,1,2\n1,2", "Row 1 has 3 columns"),
        ("sep=;", "The table is empty"),
        ("sep=;1\n2;3\n4,5", "Row 3 has one column"),  # no line for Excel
        ("sep=;\n1,5;2\n1.5;2\n2,5;3", "Row 3 has '1.5' where x"),
    ],
)
def test_refused_in_one_sentence(text: str, says: str):
    with pytest.raises(InvalidInput) as caught:
        parse_table(text)
    message = str(caught.value)
    assert says in message and message.endswith(".") and "\n" not in message and len(message) < 200


@pytest.mark.parametrize("first", ["sep={}", "SEP={}", '"sep={}"', "\ufeffsep={}"])
@pytest.mark.parametrize("separator", ["\t", ";", ","])
def test_a_first_line_may_name_the_separator(first: str, separator: str):
    table = "\n".join([first.format(separator), f"time{separator}volume, litres", f"1{separator}2", f"3{separator}4"])
    points = parse_table(table.replace(", litres", "") if separator == "," else table)
    assert (points.x.tolist(), points.y.tolist(), points.x_label) == ([1, 3], [2, 4], "time")
    again = parse_table(table.replace(", litres", ""), points.layout)
    assert (again.x.tolist(), again.layout) == ([1, 3], points.layout)


@pytest.mark.parametrize("names", ["x;y", "1/T (1/K);ln k", "x²;σ", "T in °C;U in V", "2nd derivative;f"])
def test_names(names: str):
    found = parse_table(f"{names}\n1;2")
    assert [found.x_label, found.y_label] == names.split(";") and found.x.tolist() == [1]


def test_large_tables_are_read_soon():
    text = "\n".join(f"{x:,.2f};{x / 7:.3f}" for x in range(5000))
    started = time.process_time()
    found = parse_table(text)
    assert time.process_time() - started < limit(3)  # a tenth of it; time that grows with the square would be minutes
    np.testing.assert_allclose(found.x, np.arange(5000))


@pytest.mark.parametrize(
    ("typed", "number"),
    [("1,5", 1.5), ("1.5", 1.5), (".5", 0.5), ("1e-3", 1e-3), (" -2 ", -2), ("1.234,5", 1234.5), ("1.200", 1.2)],
)
def test_a_number_that_is_typed_alone(typed: str, number: float):
    assert read_number(typed) == number


@pytest.mark.parametrize(
    ("typed", "says"), [("1,200", "'1,200' is 1.2 or 1200"), ("", "not a number"), ("1_0", "not a")]
)
def test_a_number_that_cannot_be_typed_alone(typed: str, says: str):
    with pytest.raises(InvalidInput, match=says):
        read_number(typed)
