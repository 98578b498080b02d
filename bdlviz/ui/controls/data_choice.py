"""The choice of data: a built-in set, or the visitor's own points, typed, pasted or uploaded."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import streamlit as st

from bdlviz import checks, data
from bdlviz.data.built_in import part_of
from bdlviz.data.layout import Layout
from bdlviz.data.tables import MAX_MAGNITUDE, MAX_ROWS, STARTING_POINTS, axis_label, read_point, starting_points
from bdlviz.digits import exact
from bdlviz.errors import InvalidInput
from bdlviz.types import Array, Dataset
from bdlviz.ui.cache import RESULTS, Cache
from bdlviz.ui.controls.control import Control, number_control
from bdlviz.ui.controls.own_points import OwnPoints
from bdlviz.ui.controls.point_texts import MAX_POINTS_IN_LINK, decode_points, encode_points
from bdlviz.ui.model import Setting
from bdlviz.ui.places import link

OWN = "own"
OWN_POINTS = "own_points"  # session state: (N, 2) array with the visitor's points
EDITED_POINTS = "edited_points"  # the same with later changes in the table
ORIGIN = "origin"  # session state and link: the built-in set from which the visitor's points were made
HISTORY = "points_history"  # session state: the points before each edit in the picture
LABELS = "own_labels"  # session state: the names of both axes
READ = "read_table"  # session state: the content of the table that the points come from, and what was read
INDEXED = "indexed_table"  # session state: content that could be read without its first column
KEPT = "kept"  # link: the name under which the server keeps points that do not fit into it
KEPT_POINTS = Cache(20_000_000, 1000)
MAX_HISTORY = 100
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
        link.warn("points", _take_points_from_link())
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
        try:
            return _own_dataset(own or OwnPoints(STARTING_POINTS), chosen)
        except InvalidInput as error:
            say(f"{error} Showing other points instead.")
            return starting_points()
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
    noise_std = chosen_noise_std(name, values["noise"])
    seed = int(values["data_seed"])
    key = ("data set", name, num_data, noise_std, seed)
    return RESULTS.obtain(key, lambda: data.load(name, num_data=num_data, noise_std=noise_std, seed=seed))


def chosen_noise_std(name: str, times: str) -> float | None:
    """The noise of a built-in set that is so many times its own; None for its own, or if it cannot be chosen."""
    own = data.DATASETS[name].noise_std
    return None if own is None or times == "1" else float(f"{own * float(times):.6g}")  # 0.9, not 0.8999...


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
    _show_reading()
    with table:
        points = _edit_points()
    _put_points_into_link(points)


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
    return OwnPoints(own_points(), _labels(), _origin())


def _labels() -> tuple[str, str]:
    return st.session_state.get(LABELS, ("x", "y"))


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
    for key in (ORIGIN, EDITED_POINTS, READ, INDEXED):
        st.session_state.pop(key, None)
    st.session_state[OWN_POINTS] = points
    st.session_state["table_problem"] = None
    st.session_state["points_version"] = st.session_state.get("points_version", 0) + 1


def _edit_points() -> Array:
    version = st.session_state.get("points_version", 0)
    rows = [{"x": exact(x), "y": exact(y)} for x, y in st.session_state.get(OWN_POINTS, STARTING_POINTS)]
    # As text: a column of numbers would read 1,5 as 15, and 1e-3 as -13.
    as_text = dict.fromkeys("xy", st.column_config.TextColumn(help="A number such as 1.5, 1,5 or 1e-3."))
    look: dict[str, Any] = {"num_rows": "dynamic", "height": 220, "hide_index": True, "column_config": as_text}
    points, problem = _typed_points(st.data_editor(rows, key=f"points_table_{version}", **look))
    if problem:
        st.caption(link.plain(f"{problem} The row is left out."))
    if not points:
        st.caption("The table needs at least one complete row; showing the last points.")
        return own_points()
    if len(points) > MAX_ROWS:
        st.caption(f"The table has {len(points):,} rows; showing the first {MAX_ROWS:,}.")
    edited = st.session_state[EDITED_POINTS] = np.array(points[:MAX_ROWS], dtype=float)
    return edited


def _typed_points(rows: Sequence[Mapping[str, Any]]) -> tuple[list[list[float]], str]:
    """The points in the rows of the table, and a sentence on the first row that is not one."""
    points, problem = [], ""
    for number, row in enumerate(rows, 1):
        cells = ["" if row.get(axis) is None else str(row[axis]).strip() for axis in "xy"]
        try:
            if any(cells):
                points.append(read_point(number, cells))
        except InvalidInput as error:
            problem = problem or str(error)
    return points, problem


def _read_table(content: str | bytes, wanted: Layout | None = None, has_index: bool = False) -> None:
    """Make a table the visitor's points, or say what is wrong with it (callback)."""
    state = st.session_state
    state.pop(INDEXED, None)
    try:
        table = data.parse_table(content, wanted, has_index=has_index)
    except InvalidInput as error:
        state["table_problem"] = f"{error} Your points so far are unchanged."
        if _is_read_without_first_column(content):
            state[INDEXED] = content
        return
    set_own_points(np.column_stack([table.x, table.y]))
    state[LABELS], state[READ] = (table.x_label, table.y_label), (content, table)


def _is_read_without_first_column(content: str | bytes) -> bool:
    with suppress(InvalidInput):
        return len(data.parse_table(content, has_index=True).x) > 0
    return False


def _show_reading() -> None:
    """Say what is wrong with a table, or how it was read, and offer what could be done otherwise."""
    state = st.session_state
    if problem := state.get("table_problem"):
        st.error(link.plain(problem))
    if (content := state.get(INDEXED)) is not None:
        leave_out = {"has_index": True}
        st.button("Leave out the first column", on_click=_read_table, args=(content,), kwargs=leave_out, key="no_index")
    if READ not in state or problem:
        return
    content, table = state[READ]
    if not table.others:
        st.caption(f"Read with {table.layout.words}.")
        return
    key = f"layout_{state.get('points_version', 0)}"
    layouts = (table.layout, *table.others)
    st.radio(
        "How the table is read",
        layouts,
        format_func=lambda each: each.words[0].upper() + each.words[1:],
        key=key,
        on_change=lambda: _read_table(content, state[key]),
    )


def add_or_remove(at: Sequence[float], tolerance: tuple[float, float], shown: Array | None = None) -> None:
    """Remove the visitor's point nearest to ``at`` if it lies within the tolerance, else add one there.

    ``shown`` (N, 2) are other points that become the visitor's own first.
    """
    if shown is not None:
        st.session_state["data"] = OWN
        set_own_points(shown)
    points = own_points()
    gaps = np.abs(points - np.asarray(at)) / tolerance
    near = np.flatnonzero((gaps < 1).all(1))
    if len(near) == 0 and len(points) < MAX_ROWS:
        set_own_points(np.vstack([points, at]))
    elif len(near) == 0:
        st.session_state["table_problem"] = f"There are already {MAX_ROWS:,} points; remove one first."
    elif len(points) > 1:
        set_own_points(np.delete(points, near[gaps[near].sum(1).argmin()], axis=0))


# The points are part of the link, so that others see the same points, and a reload keeps them. The server keeps those
# that are too many for a link.


def _put_points_into_link(points: Array) -> None:
    if len(points) <= MAX_POINTS_IN_LINK:
        link.add("points", encode_points(points))
    else:
        token = hashlib.sha256(points.tobytes()).hexdigest()[:32]
        KEPT_POINTS.keep(token, points)
        link.add(KEPT, token)
        st.caption(
            f"More than {MAX_POINTS_IN_LINK} points do not fit into the link: the server keeps them for this link, but "
            "not after a restart."
        )
    if (name := _origin()) is not None:
        link.add(ORIGIN, name)
        return
    for axis, label in zip("xy", _labels(), strict=True):
        if label != axis:
            link.add(f"{axis}_label", label)


def _take_points_from_link() -> list[str]:
    """Take the points of the link, if it has some; returns a sentence if they cannot be taken."""
    text, token = link.arrived_with("points"), link.arrived_with(KEPT)
    if text is None and token is None:
        return []
    try:
        points = decode_points(text) if text is not None else _kept(token)
    except InvalidInput as error:
        return [str(error)]
    if not np.array_equal(points, own_points()):
        set_own_points(points)
    st.session_state[ORIGIN] = link.arrived_with(ORIGIN)
    st.session_state[LABELS] = tuple(axis_label(link.arrived_with(f"{axis}_label") or "", axis) for axis in "xy")
    return []


def _kept(token: str | None) -> Array:
    points = KEPT_POINTS.find(token)
    if points is None:
        raise InvalidInput("The server does not have the points of this link any more; showing other points.")
    return points
