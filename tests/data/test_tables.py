"""The visitor's table: what is understood, and one sentence with the row for whatever is not."""

import numpy as np
import pytest

from bdlviz.data import from_points, parse_table
from bdlviz.errors import InvalidInput


@pytest.mark.parametrize(
    "table",
    [
        "1.5,2\n-3,4e2\n",
        "1.5, 2\r\n-3, 4e2",
        "1.5\t2\n-3\t4e2",
        "1,5\t2\n-3\t4e2",
        "1.5;2\n-3;4e2",
        "1,5;2,0\n-3;4e2",
        "1.5 2\n  -3    4e2  ",
        '"1.5","2"\n"-3", "4e2"',
        '"1,5","2"\n-3,4e2',
        "\n1.5,2\n\n   \n-3,4e2\n\n",
        "1.5,2\r\N{MINUS SIGN}3,400",
        "\ufeff1.5,2\n-3,4e2",
    ],
)
def test_understood_tables(table):
    for source in (table, table.encode()):
        points = parse_table(source)
        np.testing.assert_array_equal(points.x, [1.5, -3])
        np.testing.assert_array_equal(points.y, [2, 400])
        assert (points.x_label, points.y_label) == ("x", "y")


def test_headers_and_legal_tables():
    for encoding in ["utf-8", "utf-8-sig", "utf-16"]:
        for separator in [",", ";", "\t", " "]:
            points = parse_table(f"größe{separator}CO₂\n1{separator}2\n".encode(encoding))
            assert (points.x_label, points.y_label) == ("größe", "CO₂")
            np.testing.assert_array_equal(points.x, [1])
    points = parse_table('"height, m","' + 100 * "a" + '"\n1,2')
    assert (points.x_label, points.y_label) == ("height, m", 60 * "a")
    points = parse_table("x,y\n" + "1,2\n" * 5000)
    assert len(points.x) == 5000
    for table in ["1,2", "1,2\n1,2\n1,3", "1,5\n2,5\n3,5", "0,0\n0,0"]:
        points = parse_table(table)
        assert len(points.x) == len(points.y) == table.count("\n") + 1
        from_points(points.x, points.y)


@pytest.mark.parametrize(
    ("source", "sentence"),
    [
        ("", r"The table is empty"),
        (b"", r"The table is empty"),
        ("\n  \n\t\n", r"The table is empty"),
        (b"\xef\xbb\xbf", r"The table is empty"),
        ("x,y\n", r"There are no rows of numbers"),
        ("1,2\n\x00,3", r"NUL bytes"),
        (b"1,2\n3,4\x00\x00", r"NUL bytes"),
        ("1,2\n".encode("utf-16-le"), r"NUL bytes"),
        (b"\x89PNG\r\n\x1a\n\x00\x00", r"The file is an image"),
        (b"\xff\xd8\xff\xe0\x00\x10JFIF", r"The file is an image"),
        (b"GIF89a\x01\x00", r"The file is an image"),
        (b"PK\x03\x04\x14\x00", r"The file is a ZIP archive or an Excel workbook"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1", r"The file is an Excel workbook"),
        (b"\x1f\x8b\x08\x00", r"The file is a gzip archive"),
        (b"%PDF-1.7\n", r"The file is a PDF document"),
        (b"1,2\n3,4\n\xe4,6", r"Row 3 has 'ä' where x should be a number"),
        (b"1,2\n3,4\n\x81,6", r"Row 3 is not UTF-8 text"),
        (b"\xff\xfe1\x00,\x002\x00\n\x003", r"Row 2 is not UTF-16 text"),
        ("1,2\n3,four", r"Row 2 has 'four' where y should be a number"),
        ("t,y\n2024-01-31 12:00,4", r"Row 2 has '2024-01-31 12:00' where x .*; write dates as days or seconds since"),
        ("31.1.2024;4", r"Row 1 has '31.1.2024' where x .*; write dates as days"),
        ("1,2\n\n\nthree,4", r"Row 4 has 'three' where x should be a number"),
        ("x,y\n1,2\nx,y\n3,4", r"Row 3 has 'x' where x should be a number"),
        ("1,y\n2,3", r"Row 1 has 'y' where y should be a number"),
        ("1,2\n1_000,3", r"Row 2 has '1_000' where x"),
        ("1,2\n1.2.3,3", r"Row 2 has '1.2.3' where x"),
        ("1;2\n1,23,567;3", r"Row 2 has '1,23,567' where x"),
        ("0.5;2\n1,5;3\n2.5;4", r"Row 2 has '1,5' where x .*; the decimal mark of this table is the point"),
        ("1,2\n" + "z" * 200 + ",3", r"Row 2 has 'z{20}…' where x"),
        ("1\n2\n3", r"Row 1 has one column, '1'"),
        ("1|2\n3|4", r"Row 1 has one column, '1\|2'; separate x and y by a comma"),
        ("1,2\n3;4\n5,6", r"Row 2 has one column, '3;4'"),
        ("x\n1", r"Row 1 has one column"),
        ("1,2,3\n4,5,6", r"Row 1 has 3 columns; keep two"),
        ("1 2 3", r"Row 1 has 3 columns; keep two, x and y\."),
        ("1,5,2,5\n2,5,3,5", r"Row 1 has 4 columns.*semicolons"),
        ("x,y\n1,2\n3,4,5", r"Row 3 has 3 columns"),
        ("x,y\n1,2\n3", r"Row 3 has one column"),
        ("1,2\n3,\n4,5", r"Row 2 has no value of y"),
        ("1,2\n,3", r"Row 2 has no value of x"),
        ("1,2\n3,nan", r"Row 2 has 'nan' where y should be a number"),
        ("1,2\nNaN,3", r"Row 2 has 'NaN' where x"),
        ("nan,nan\n1,2", r"Row 1 has 'nan' where x"),
        ("1,2\n-inf,3", r"Row 2 has '-inf' for x, but values must lie between -1e12 and 1e12"),
        ("1,2\n3,1e300", r"Row 2 has '1e300' for y, but values must lie"),
        ("1,2\n3,1e999", r"Row 2 has '1e999' for y, but values must lie"),
        ("1,2\n" * 5001, r"There are 5,001 rows of numbers; keep at most 5,000"),
        ("x,y\n" + "1,2\n" * 5001, r"There are 5,002 rows; keep at most 5,000 rows of numbers"),
        ("text\n" * 9000, r"There are 9,000 rows"),
        ("1," + "2" * 200_000, r"Row 1 is far too long"),
        ("1,2\n" * 260_000, r"larger than 1 MB"),
        (b"PK\x03\x04" * 260_000, r"larger than 1 MB"),
    ],
)
def test_bad_tables_get_one_sentence(source, sentence):
    with pytest.raises(InvalidInput, match=sentence) as caught:
        parse_table(source)
    message = str(caught.value)
    assert type(caught.value) is InvalidInput
    assert message.endswith(".") and "\n" not in message and len(message) < 200


def test_points_become_a_data_set():
    x = np.linspace(-2, 2, 30)
    data = from_points(x, x**2, name="mine", title="Mine", x_label="time (s)", y_label="height (m)")
    assert (data.name, data.title, data.x_label, data.y_label) == ("mine", "Mine", "time (s)", "height (m)")
    assert data.x_range == (-3, 3)
    assert (data.x.shape, data.y.shape, data.x_test.shape) == ((24, 1), (24, 1), (6, 1))
    np.testing.assert_array_equal(data.x_test.ravel(), x[4::5])
    assert data.noise_std is None and data.truth is None
    before, after = from_points(np.arange(24), np.arange(24)), from_points(np.arange(25), np.arange(25))
    np.testing.assert_array_equal(before.x, after.x)
    np.testing.assert_array_equal(after.x_test.ravel(), [4, 9, 14, 19, 24])
    assert from_points(range(19), range(19)).num_data == 19
    assert from_points(range(20), range(20)).num_data == 16
    assert from_points(range(20), range(20), held_out=False).num_data == 20
    data = from_points([0, 4], [10, 20])
    assert (data.x_range, data.y_range) == ((-1, 5), (5, 25))
    assert from_points([0], [0]).x_range == (-1, 1)
    assert from_points([100, 100], [1, 1]).x_range == (75, 125)
    low, high = from_points([1e12], [-1e12]).y_range
    assert low < -1e12 < high
    assert from_points(np.ones((3, 1)), np.ones((3, 1))).x.shape == (3, 1)
    x = np.zeros(3)
    data = from_points(x, x)
    x[:] = 1
    assert data.x.max() == 0
    for x, y, sentence in [
        ([], [], "There are no rows of numbers"),
        ([1, 2], [1], "There are 2 values of x and 1 of y"),
        ([1, float("nan")], [1, 2], "Point 2 has 'nan' where x should be a number"),
        ([1, 2], [float("inf"), 2], "Point 1 has 'inf' for y"),
        ([1, 2], [1, 1e300], r"Point 2 has '1e\+300' for y"),
        ([1, 10**400], [1, 2], "x must be numbers"),
        (["a"], [1], "x must be numbers"),
        ([1], None, "y must be an array of numbers"),
        (np.ones((2, 2)), [1, 2], "x must be one column"),
        (3.0, 4.0, "x must be one column"),
        (np.zeros(5001), np.zeros(5001), "There are 5,001 rows"),
    ]:
        with pytest.raises(InvalidInput, match=sentence):
            from_points(x, y)
