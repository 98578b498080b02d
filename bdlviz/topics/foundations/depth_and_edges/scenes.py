"""Synthetic scenes of a room: an image, its depth, its classes, and sensor readings with known noise at every pixel.

A camera looks along a floor to a wall. Balls and boxes stand on the floor; some are glossy. A depth sensor measures the
room and an annotator labels it. Their errors are known. The noise of the sensor grows with distance and is larger on
glossy things. Both sometimes read a neighbouring pixel instead of the right one: this matters at outlines and far away.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Literal

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.types import Array

SIZE = 32  # pixels along both sides of an image
CLASSES = ("wall", "floor", "ball", "box")
UNSEEN_CLASS = len(CLASSES)  # the class of a shape that no training scene contains
DEPTH_RANGE = (0.0, 9.0)  # metres, the axis of depth in figures
Change = Literal["none", "tent", "floating", "green"]
CHANGES: tuple[Change, ...] = ("none", "tent", "floating", "green")
MAX_SCENES = 100_000

HORIZON = 8.0  # the row at which the floor would end if there were no wall
FLOOR = 35.0  # metres times rows: the distance of the floor is FLOOR / (row - HORIZON)
FOCAL = 30.0  # the width in pixels of one metre at a distance of one metre
WALL = (5.0, 8.0)  # the range of the distance of the wall in metres
RIGHT_PIXEL = 0.6  # probability that a reading is of the right pixel; otherwise it is of one of its four neighbours
SHIFTS = ((0, 0), (-1, 0), (1, 0), (0, -1), (0, 1))
QUADRATIC_NOISE = 0.008  # metres per square metre
GLOSSY_NOISE = 0.35  # metres
GLOSSY_SHARE = 0.4
IMAGE_NOISE = 0.02
EDGE_STEP = 0.06  # difference of inverse depth, in 1/m, between neighbours; on the floor it is 1/FLOOR = 0.029
LIFT = 0.6  # height of floating things above the floor in metres
GREEN = 0.35  # the hue that no training scene contains


@dataclass(frozen=True, eq=False)
class Scenes:
    """N scenes; every array is (N, SIZE, SIZE), except the images, which have three colours.

    ``depth`` is the true depth in metres. ``readings`` of the sensor have the known mean ``mean`` and the known
    standard deviation ``noise_std``. ``classes`` are indices of `CLASSES`, or `UNSEEN_CLASS`; ``labels`` are the
    annotator's. ``edges`` marks jumps of depth, ``glossy`` the glossy things, and ``front`` the thing in front.
    """

    images: Array  # (N, SIZE, SIZE, 3), 0 to 1
    depth: Array
    mean: Array
    noise_std: Array
    readings: Array
    classes: Array
    labels: Array
    edges: Array
    glossy: Array
    front: Array

    def __len__(self) -> int:
        return len(self.images)

    def __getitem__(self, index: slice | Array) -> Scenes:
        """Some of the scenes."""
        return Scenes(**{field.name: getattr(self, field.name)[index] for field in fields(self)})


@dataclass(frozen=True)
class _Thing:
    """A ball, box or tent; ``distance``, ``width``, ``height``, ``lift`` in m, ``column`` in pixels, hue 0 to 1."""

    shape: str
    distance: float
    width: float
    height: float
    column: float
    hue: float
    is_glossy: bool
    lift: float = 0.0  # height above the floor


def make_scenes(count: int, seed: int = 0, change: Change = "none") -> Scenes:
    """Scenes number 0 to ``count`` - 1 of a seed; scene i does not depend on ``count``.

    ``change`` alters the thing in front of every scene and nothing else. Scenes with the change ``none`` never contain
    the shape ``tent``, the colour ``green`` or the place ``floating``.

    Raises:
        InvalidInput: the count, seed or change is not allowed.
    """
    if not 1 <= count <= MAX_SCENES or seed < 0:
        raise InvalidInput(f"Ask for 1 to {MAX_SCENES} scenes and a seed from 0 on, not {count} and {seed}.")
    if change not in CHANGES:
        raise InvalidInput(f"There is no change called {change}; choose one of {', '.join(CHANGES)}.")
    made = [_scene(np.random.Generator(np.random.SFC64([seed, index])), change) for index in range(count)]
    return Scenes(**{field.name: np.stack([scene[field.name] for scene in made]) for field in fields(Scenes)})


def sensor_moments(depth: Array, glossy: Array) -> tuple[Array, Array]:
    r"""Mean and standard deviation in metres of the sensor's reading at every pixel; all arrays are (H, W).

    With probability 0.6 the sensor measures the pixel itself, and with probability 0.1 each of its four neighbours. The
    reading is Gaussian about the depth of the measured pixel:

    $$ \mathbb{E}[y] = \sum_j w_j z_j, \qquad
       \operatorname{Var}[y] = \sum_j w_j \left(z_j^2 + \sigma_j^2\right) - \mathbb{E}[y]^2, \qquad
       \sigma_j^2 = \left(0.008\, z_j^2\right)^2 + 0.35^2 \left[\text{glossy}_j\right] $$
    """
    variance = np.square(QUADRATIC_NOISE * depth**2) + np.square(GLOSSY_NOISE) * glossy
    near, weights = _neighbours(depth), _weights()
    mean = np.tensordot(weights, near, 1)
    reading_variance = np.tensordot(weights, np.square(near - mean) + _neighbours(variance), 1)
    return mean, np.sqrt(reading_variance)


def label_probabilities(classes: Array) -> Array:
    r"""The probability of each label of the annotator, (H, W, K), given the true ``classes`` (H, W).

    $$ p(y = k) = \sum_j w_j \left[c_j = k\right] $$

    The weights w are those of `sensor_moments`: annotator and sensor confuse neighbouring pixels equally often.
    """
    kinds = np.arange(max(len(CLASSES), int(classes.max()) + 1))
    is_class = (_neighbours(classes)[..., None] == kinds).astype(float)
    return np.tensordot(_weights(), is_class, 1)


def edges_of(depth: Array) -> Array:
    """Mask (H, W) of the pixels whose inverse depth differs from that of a neighbour by more than 0.06 per metre."""
    near = _neighbours(1 / depth)
    return np.abs(near[1:] - near[:1]).max(0) > EDGE_STEP


def _weights() -> Array:
    return np.array([RIGHT_PIXEL, *[(1 - RIGHT_PIXEL) / 4] * 4])


def _neighbours(values: Array) -> Array:
    """A picture (H, W) moved by every shift of `SHIFTS`, (5, H, W); the pixels at its border are repeated beyond it."""
    padded = np.pad(values, 1, mode="edge")
    height, width = values.shape
    return np.stack([padded[1 + down : 1 + down + height, 1 + right : 1 + right + width] for down, right in SHIFTS])


# One scene ------------------------------------------------------------------------------------------------------------


def _scene(rng: np.random.Generator, change: Change) -> dict[str, Array]:
    room = _Room(rng)
    things = sorted((_thing(rng, room.wall) for _ in range(rng.integers(2, 5))), key=lambda thing: -thing.distance)
    things[-1] = _changed(things[-1], change)
    for thing in things:
        room.put(thing)
    mean, noise_std = sensor_moments(room.depth, room.glossy)
    shift = rng.choice(len(SHIFTS), (SIZE, SIZE), p=_weights())[None]
    depth, glossy, labels = (
        np.take_along_axis(_neighbours(values), shift, 0)[0] for values in (room.depth, room.glossy, room.classes)
    )
    measured_std = np.sqrt(np.square(QUADRATIC_NOISE * depth**2) + np.square(GLOSSY_NOISE) * glossy)
    image = room.image + IMAGE_NOISE * rng.standard_normal(room.image.shape)
    return {
        "images": np.clip(image, 0, 1).astype(np.float32),
        "depth": room.depth.astype(np.float32),
        "mean": mean.astype(np.float32),
        "noise_std": noise_std.astype(np.float32),
        "readings": (depth + measured_std * rng.standard_normal(depth.shape)).astype(np.float32),
        "classes": room.classes.astype(np.int8),
        "labels": labels.astype(np.int8),
        "edges": edges_of(room.depth),
        "glossy": room.glossy,
        "front": room.front,
    }


def _thing(rng: np.random.Generator, wall: float) -> _Thing:
    shape = CLASSES[2 + rng.integers(2)]
    width = rng.uniform(0.6, 1.4)
    height = width if shape == "ball" else width * rng.uniform(0.7, 1.5)
    hue = (GREEN + rng.uniform(0.15, 0.85)) % 1  # anything but green
    column, is_glossy = rng.uniform(3, SIZE - 3), bool(rng.random() < GLOSSY_SHARE)
    return _Thing(shape, rng.uniform(2.0, wall - 1.0), width, height, column, hue, is_glossy)


def _changed(thing: _Thing, change: Change) -> _Thing:
    if change == "tent":
        return replace(thing, shape="tent")
    if change == "green":
        return replace(thing, hue=GREEN)
    return replace(thing, lift=LIFT) if change == "floating" else thing


class _Room:
    """A room that is painted from the back to the front; rows and columns are those of the centres of pixels."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.wall = float(rng.uniform(*WALL))
        self.rows, self.columns = np.mgrid[:SIZE, :SIZE] + 0.5
        floor = FLOOR / np.maximum(self.rows - HORIZON, 1e-3)
        is_floor = floor < self.wall
        self.depth = np.where(is_floor, floor, self.wall)
        self.classes = np.where(is_floor, 1, 0)
        self.glossy = np.zeros((SIZE, SIZE), bool)
        self.front = np.zeros((SIZE, SIZE), bool)
        wall_colour = np.array([0.74, 0.78, 0.84]) + rng.uniform(-0.08, 0.08)
        floor_colour = np.array([0.55, 0.45, 0.36]) + rng.uniform(-0.08, 0.08)
        # The floor has boards, half a metre wide, parallel to the viewing direction.
        board = np.floor((self.columns - SIZE / 2) * self.depth / FOCAL / 0.5) % 2
        floor_image = floor_colour * (0.9 + 0.2 * board[..., None])
        self.image = np.where(is_floor[..., None], floor_image, wall_colour) * self._haze(self.depth)

    def _haze(self, depth: Array) -> Array:
        """Brightness (..., 1) by depth: far pixels are darker, because the lamp is at the camera."""
        return (0.55 + 0.6 * np.exp(-depth / 4))[..., None]

    def put(self, thing: _Thing) -> None:
        """Paint a thing over the pixels it covers."""
        # Metres to the right of the thing's middle, and above its lowest point.
        across = (self.columns - thing.column) * thing.distance / FOCAL
        above = (HORIZON + FLOOR / thing.distance - self.rows) * thing.distance / FOCAL - thing.lift
        u, v = across / (thing.width / 2), above / thing.height  # -1 to 1 and 0 to 1 inside its bounding box
        radius = np.hypot(u, 2 * v - 1)
        inside = {
            "ball": radius <= 1,
            "box": (np.abs(u) <= 1) & (v >= 0) & (v <= 1),
            "tent": (np.abs(u) <= 1 - v) & (v >= 0),
        }[thing.shape]
        bulge = np.sqrt(np.clip(1 - radius**2, 0, 1)) if thing.shape == "ball" else np.zeros_like(u)
        depth = thing.distance - bulge * thing.width / 2
        light = 0.65 + 0.35 * bulge if thing.shape == "ball" else 0.8 + 0.2 * np.clip(v, 0, 1)
        colour = _colour(thing.hue) * (light[..., None] * self._haze(depth))
        if thing.is_glossy:
            stripes = (np.floor((across + above) / 0.16) % 2 == 0)[..., None]
            colour = np.where(stripes, 0.35 * colour + 0.65, colour)
        self.image[inside] = colour[inside]
        self.depth[inside] = depth[inside]
        self.classes[inside] = CLASSES.index(thing.shape) if thing.shape in CLASSES else UNSEEN_CLASS
        self.glossy[inside] = thing.is_glossy
        self.front = inside


def _colour(hue: float) -> Array:
    """Red, green and blue of a saturated hue from 0 to 1."""
    return 0.25 + 0.6 * np.clip(np.abs((hue + np.array([0, 2 / 3, 1 / 3])) % 1 * 6 - 3) - 1, 0, 1)
