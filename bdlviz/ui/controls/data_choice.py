"""The choice of data: a built-in set, or the visitor's own points, typed, pasted or uploaded."""

from __future__ import annotations

import base64
import binascii
import zlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import streamlit as st

from bdlviz import checks, data
from bdlviz.data.built_in import part_of
from bdlviz.data.tables import MAX_MAGNITUDE, MAX_ROWS, STARTING_POINTS, starting_points
from bdlviz.digits import exact
from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Dataset
from bdlviz.ui.cache import RESULTS
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.controls.own_points import OwnPoints
from bdlviz.ui.model import Setting
from bdlviz.ui.places import link

OWN = "own"
OWN_POINTS = "own_points"  # session state: (N, 2) array with the visitor's points
EDITED_POINTS = "edited_points"  # the same with later changes in the table
ORIGIN = "origin"  # session state and link: the built-in set from which the visitor's points were made
HISTORY = "points_history"  # session state: the points before each edit in the picture
MAX_HISTORY = 100
MAX_POINTS_IN_LINK = 150
MAX_TEXT = 3300  # characters of points in a link; enough for 150 points
DECIMALS, DOUBLES = "t", "d"  # first letters of points in a link; zlib's text, as in older links, begins with e
LONGEST_NUMBER = 26  # characters of a number and its comma
SIZES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000)
NOISES = (0.1, 0.25, 0.5, 1, 2, 3, 4)
PANEL_DEFAULTS = {"num_data": "all", "noise": "1", "data_seed": "0"}

Panel = tuple[Control, Control, Control, Control]


def data_controls(default: str = "x_sin_x", noise: float = 1) -> Panel:
    """The controls of the data panel; ``default`` is the set, and ``noise`` the multiple of its noise at the start."""
    names = data.names("regression")
    titles = {name: data.DATASETS[name].title for name in names} | {OWN: "Your own points"}
    return (
        Control("data", "Data", (*names, OWN), default, "menu", "The source of the points.", titles),
        Control(
            "num_data",
            "Points N",
            ("all", *map(str, SIZES)),
            "all",
            "slider",
            "Training points; “all”: the size of the set.",
        ),
        number_control(
            "noise", "Noise, × the set's own", NOISES, noise, "Standard deviation of the noise in the data."
        ),
        number_control("data_seed", "Data seed", range(10), 0, "Another seed draws other points from the same curve."),
    )


def choose_data(controls: Panel) -> Dataset:
    """Draw the data panel and load the chosen data. Errors are shown in the panel, and no input is lost."""
    which, size, noise, seed = controls
    name = which.show()
    if name == OWN:
        _take_points_from_link()
        _show_own_points()
        return present(controls)
    spec = data.DATASETS[name]
    size.show()
    if spec.can_choose_noise:
        noise.show()
    if spec.can_choose_seed:
        seed.show()
    return present(controls, st.error)


def present(controls: Panel, say: Callable[[str], object] = lambda sentence: None) -> Dataset:
    """The data chosen in the panel, without drawing it; ``say`` gets messages about invalid data."""
    return _chosen(controls, {control.key: control.present() for control in controls}, present_own_points(), say)


def dataset_of(setting: Setting, controls: Panel) -> Dataset:
    """The data that a setting of a page chooses, without Streamlit."""
    values = {control.key: setting[control] for control in controls}
    return _chosen(controls, values, setting.own, lambda sentence: None)


def _chosen(controls: Panel, chosen: Mapping[str, str], own: OwnPoints | None, say: Callable[[str], object]) -> Dataset:
    which, size, noise, seed = controls
    name = chosen[which.key]
    if name == OWN:
        return _own_dataset(own or OwnPoints(STARTING_POINTS), chosen)
    spec = data.DATASETS[name]
    values = {
        size.key: chosen[size.key],
        noise.key: chosen[noise.key] if spec.can_choose_noise else noise.default,
        seed.key: chosen[seed.key] if spec.can_choose_seed else seed.default,
    }
    try:
        return load(name, values)
    except InvalidInput as error:
        say(f"{error} Showing x sin x instead.")
        return data.load("x_sin_x")


def load(name: str, values: Mapping[str, str]) -> Dataset:
    """The built-in set that the values of the panel describe; one object, shared by all visitors."""
    spec, values = data.DATASETS[name], PANEL_DEFAULTS | dict(values)
    num_data = None if values["num_data"] == "all" else int(values["num_data"])
    if num_data is not None:
        num_data = min(num_data, spec.max_num_data)
    noise_std = None
    if spec.noise_std is not None and values["noise"] != "1":
        noise_std = float(f"{spec.noise_std * float(values['noise']):.6g}")  # 0.9, not 0.8999...
    seed = int(values["data_seed"])
    key = ("data set", name, num_data, noise_std, seed)
    return RESULTS.obtain(key, lambda: data.load(name, num_data=num_data, noise_std=noise_std, seed=seed))


def _show_own_points() -> None:
    table, paste, upload = st.tabs(["Points", "Paste", "Upload"])
    with paste:
        text = st.text_area("Two columns, x and y", placeholder="x, y\n1.0, 2.5\n2.0, 3.1", height=140, key="pasted")
        st.button("Use this table", on_click=_read_table, args=(text,), disabled=not text, key="use_pasted")
    with upload:
        file = st.file_uploader("CSV with two numeric columns, at most 5,000 rows", type=None, key="uploaded")
        if file is not None and st.session_state.get("read_file") != file.file_id:
            st.session_state["read_file"] = file.file_id
            _read_table(file.getvalue())
    if problem := st.session_state.get("table_problem"):
        st.error(link.plain(problem))
    with table:
        points = _edit_points()
    _put_points_into_link(points)
    if (name := _origin()) is not None:
        link.add(ORIGIN, name)


def _own_dataset(own: OwnPoints, chosen: Mapping[str, str]) -> Dataset:
    if own.origin is not None:
        return data.with_points(load(own.origin, chosen), own.points[:, 0], own.points[:, 1])
    x_label, y_label = own.labels
    if checks.digest(own.points) == checks.digest(STARTING_POINTS):  # fits to them are shipped
        return part_of(starting_points(), x_label=x_label, y_label=y_label)
    return data.from_points(own.points[:, 0], own.points[:, 1], x_label=x_label, y_label=y_label)


def _origin() -> str | None:
    """The built-in set whose points were edited; None for a new table."""
    name = st.session_state.get(ORIGIN)
    return name if name in data.names("regression") else None


def table_is_open() -> bool:
    """True if the panel is to be open. It stays closed for points clicked into the picture, to save space."""
    return st.session_state.get("data") == OWN and _origin() is None


def own_points() -> Array:
    """The visitor's points, (N, 2)."""
    return st.session_state.get(EDITED_POINTS, st.session_state.get(OWN_POINTS, STARTING_POINTS))


def present_own_points() -> OwnPoints:
    """The visitor's points with their labels and their origin."""
    return OwnPoints(own_points(), st.session_state.get("own_labels", ("x", "y")), _origin())


def edit(event: Mapping[str, Any], dataset: Dataset) -> None:
    """Apply an edit in the picture: add, move or remove a point, or undo the last edit (for use in a callback).

    With the first edit, the points of a built-in set become the visitor's own.
    """
    history = st.session_state.setdefault(HISTORY, [])
    if event["edit"] == "undo":
        if history:
            _restore(*history.pop())
        return
    name, points = st.session_state.get("data", ""), own_points()
    before = (name, points, st.session_state.get(ORIGIN))
    if name != OWN:
        points = np.column_stack([dataset.x[:, 0], dataset.y[:, 0]])
    changed = _changed(points, event)
    if changed is None or not 1 <= len(changed) <= MAX_ROWS:
        return
    history.append(before)
    del history[:-MAX_HISTORY]
    origin = name if name != OWN else st.session_state.get(ORIGIN)
    st.session_state["data"] = OWN
    set_own_points(changed)
    st.session_state[ORIGIN] = origin


def can_undo() -> bool:
    """True if there is an edit to undo."""
    return bool(st.session_state.get(HISTORY))


def _restore(name: str, points: Array, origin: str | None) -> None:
    set_own_points(points)
    st.session_state["data"], st.session_state[ORIGIN] = name, origin


def _changed(points: Array, event: Mapping[str, Any]) -> Array | None:
    """The points (N, 2) after an edit; None if its coordinates are not finite numbers."""
    try:
        at = np.array(event.get("at") or (0, 0), float).reshape(2)
        source = np.array(event.get("from") or (0, 0), float).reshape(2)
    except (TypeError, ValueError, OverflowError):
        return None
    if not (np.abs([at, source]) <= MAX_MAGNITUDE).all():  # also if one is NaN
        return None
    if event["edit"] == "add":
        return np.vstack([points, at])
    spread = np.ptp(points, axis=0) + np.finfo(float).tiny
    nearest = int(np.square((points - source) / spread).sum(1).argmin())
    if event["edit"] == "remove":
        return np.delete(points, nearest, axis=0)
    moved = points.copy()
    moved[nearest] = at
    return moved if event["edit"] == "move" else None


def set_own_points(points: Array) -> None:
    """Replace the visitor's points by a new table."""
    st.session_state.pop(ORIGIN, None)
    st.session_state[OWN_POINTS] = points
    st.session_state.pop(EDITED_POINTS, None)
    st.session_state["table_problem"] = None
    st.session_state["points_version"] = st.session_state.get("points_version", 0) + 1


def _edit_points() -> Array:
    version = st.session_state.get("points_version", 0)
    rows = [{"x": float(x), "y": float(y)} for x, y in st.session_state.get(OWN_POINTS, STARTING_POINTS)]
    written_out = dict.fromkeys("xy", st.column_config.NumberColumn(format="plain"))  # all digits, not four decimals
    look: dict[str, Any] = {"num_rows": "dynamic", "height": 220, "hide_index": True, "column_config": written_out}
    edited = st.data_editor(rows, key=f"points_table_{version}", **look)
    complete = [(row["x"], row["y"]) for row in edited if _is_number(row.get("x")) and _is_number(row.get("y"))]
    if not complete:
        st.caption("The table needs at least one complete row; showing the last points.")
        return own_points()
    if len(complete) > MAX_ROWS:
        st.caption(f"The table has {len(complete):,} rows; showing the first {MAX_ROWS:,}.")
    points = st.session_state[EDITED_POINTS] = np.array(complete[:MAX_ROWS], dtype=float)
    return points


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and abs(value) <= MAX_MAGNITUDE  # also False for NaN


def _read_table(content: str | bytes) -> None:
    try:
        table = data.parse_table(content)
    except InvalidInput as error:
        st.session_state["table_problem"] = f"{error} Your points so far are unchanged."
        return
    st.session_state["own_labels"] = (table.x_label, table.y_label)
    set_own_points(np.column_stack([table.x, table.y]))


def add_or_remove(at: Sequence[float], tolerance: tuple[float, float]) -> None:
    """Remove the visitor's point nearest to ``at`` if it lies within the tolerance, else add one there."""
    points = own_points()
    gaps = np.abs(points - np.asarray(at)) / tolerance
    near = np.flatnonzero((gaps < 1).all(1))
    if len(near) == 0 and len(points) < MAX_ROWS:
        set_own_points(np.vstack([points, at]))
    elif len(near) == 0:
        st.session_state["table_problem"] = f"There are already {MAX_ROWS:,} points; remove one first."
    elif len(points) > 1:
        set_own_points(np.delete(points, near[gaps[near].sum(1).argmin()], axis=0))


# Small tables are part of the link, so that others see the same points, and a reload keeps them.


def encode_points(points: Array) -> str:
    """Points (N, 2) as URL text that gives them back exactly: as decimals or as float64, whichever is shorter."""
    decimals = ",".join(map(exact, points.ravel())).encode()
    # The first bytes of all numbers come first: they are most alike.
    doubles = np.ascontiguousarray(points, "<f8").view(np.uint8).reshape(-1, 8).T.tobytes()
    return min((kind + _packed(raw) for kind, raw in ((DECIMALS, decimals), (DOUBLES, doubles))), key=len)


def _packed(raw: bytes) -> str:
    return base64.urlsafe_b64encode(zlib.compress(raw, 9)).decode().rstrip("=")


def decode_points(text: str) -> Array:
    """The points that `encode_points` wrote, exactly. Older links have single precision and no first letter.

    Raises:
        InvalidInput: the text is not the result of `encode_points`.
    """
    kind = text[:1] if text[:1] in (DECIMALS, DOUBLES) else ""
    packed = text.removeprefix(kind)
    try:
        if len(text) > MAX_TEXT:
            raise ValueError
        content = base64.urlsafe_b64decode(packed + "=" * (-len(packed) % 4))
        raw = zlib.decompressobj().decompress(content, MAX_POINTS_IN_LINK * 2 * LONGEST_NUMBER)
        points = _numbers(kind, raw).reshape(-1, 2)
    except (binascii.Error, zlib.error, ValueError):
        raise InvalidInput("The points in this link are damaged; showing other points.") from None
    if not 1 <= len(points) <= MAX_POINTS_IN_LINK or not (np.abs(points) <= MAX_MAGNITUDE).all():
        raise InvalidInput("The points in this link are damaged; showing other points.")
    return points


def _numbers(kind: str, raw: bytes) -> Array:
    if kind == DECIMALS:
        return np.array([float(number) for number in raw.split(b",")])
    if kind == DOUBLES:
        return np.frombuffer(raw, np.uint8).reshape(8, -1).T.copy().view("<f8").astype(float)
    return np.frombuffer(raw, "<f4").astype("U").astype(float)  # 0.1, not 0.10000000149


def _put_points_into_link(points: Array) -> None:
    if len(points) <= MAX_POINTS_IN_LINK:
        link.add("points", encode_points(points))
    else:
        st.caption(f"More than {MAX_POINTS_IN_LINK} points do not fit into the link; they stay in this tab.")


def _take_points_from_link() -> None:
    text = link.arrived_with("points")
    if text is not None:
        st.session_state[ORIGIN] = link.arrived_with(ORIGIN)
    if text is None or text == encode_points(own_points()):
        return
    try:
        origin = st.session_state[ORIGIN]
        set_own_points(decode_points(text))
        st.session_state[ORIGIN] = origin
    except InvalidInput as error:
        st.warning(str(error))
