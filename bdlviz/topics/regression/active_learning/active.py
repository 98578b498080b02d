"""Active learning: a model chooses which points of a pool get their label next, and is trained again with them.

Nothing here knows how a model is trained: ``look`` is told which points have labels, and says what the model then
predicts. ``P`` counts points of the pool, ``T`` rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from bdlviz.errors import InvalidInput
from bdlviz.topics.regression.active_learning.acquisition import Score, highest
from bdlviz.types import Array, Predictive

STARTS = ("each", "random", "one")  # of every class as many; by chance; all of one class


class Seen(NamedTuple):
    """A model that knows some labels: its prediction for the whole pool, and a number that says how good it is."""

    pool: Predictive
    quality: float  # held-out: an error, or an accuracy
    curve: Predictive | None = None  # anywhere else, for a figure


Look = Callable[[Array], Seen]  # positions in the pool that have labels (n,) -> what the model then is


@dataclass
class Course:
    """What happened, round by round.

    Attributes:
        start: positions in the pool that had labels before the first round, (n0,).
        picks: of each round, the positions (b,) that were asked for; one round fewer than ``seen``.
        scores: of each round, the score of every point of the pool (P,).
        seen: the model before the first round and after each.
    """

    start: Array
    picks: list[Array] = field(default_factory=list)
    scores: list[Array] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)

    @property
    def counts(self) -> Array:
        """Labels before the first round and after each, (T + 1,)."""
        return len(self.start) + np.cumsum([0, *map(len, self.picks)])

    @property
    def quality(self) -> Array:
        """Held-out quality at those counts, (T + 1,)."""
        return np.array([each.quality for each in self.seen])

    def labelled(self, num_rounds: int | None = None) -> Array:
        """The positions that have labels after so many rounds (all by default), in the order they were asked for."""
        return np.concatenate([self.start, *self.picks[:num_rounds]]).astype(int)


def learn(
    look: Look,
    size: int,
    start: Array,
    score: Score,
    *,
    num_rounds: int,
    rng: np.random.Generator,
    batch: int = 1,
    on_round: Callable[[Course], bool] = lambda course: True,
) -> Course:
    r"""Ask for labels round by round, each time for those of the highest score (Settles 2009, figure 1).

    Ends earlier where the pool is exhausted, or ``on_round`` returns False.

    Args:
        look: trains a model on some labels.
        size: of the pool, P.
        start: positions with labels from the beginning, (n0,), each once.
        score: what `bdlviz.topics.regression.active_learning.acquisition` offers.
        num_rounds: T.
        rng: of whatever the score leaves to chance.
        batch: labels per round; the best of one and the same score.
        on_round: told the course so far before the first round and after each.

    $$ x_{t+1} = \operatorname*{argmax}_{x \in \text{pool}} a(x \mid D_t), \qquad
       D_{t+1} = D_t \cup \{(x_{t+1}, y_{t+1})\} $$

    Raises:
        InvalidInput: no label to start from, a position that is not in the pool or there twice, an empty batch.
    """
    start = np.asarray(start, int)
    if not len(start) or len(set(start.tolist())) < len(start) or start.min() < 0 or start.max() >= size:
        raise InvalidInput("Active learning starts with at least one labelled point of the pool, each of them once.")
    if batch < 1 or num_rounds < 0:
        raise InvalidInput("A round asks for at least one label, and there cannot be fewer than 0 rounds.")
    course = Course(start, seen=[look(start)])
    while on_round(course) and len(course.picks) < num_rounds:
        labelled = course.labelled()
        if len(labelled) == size:
            break
        is_free = ~np.isin(np.arange(size), labelled)
        scores = score(course.seen[-1].pool, rng)
        course.scores.append(scores)
        course.picks.append(highest(scores, is_free, batch))
        course.seen.append(look(course.labelled()))
    return course


def starting_points(size: int, count: int, rng: np.random.Generator) -> Array:
    """So many different positions of a pool by chance, (count,).

    Raises:
        InvalidInput: more than there are, or none.
    """
    if not 1 <= count <= size:
        raise InvalidInput(f"The pool has {size} points: start with at least 1 and at most as many.")
    return rng.permutation(size)[:count]


def starting_labels(labels: Array, count: int, kind: str, rng: np.random.Generator) -> Array:
    """Positions (count,) of labelled images to start from: one of `STARTS`.

    ``"each"`` takes the same number of every class, ``"one"`` all of them of class 0.

    Raises:
        InvalidInput: a kind that is none of these, or not so many of a class.
    """
    order, classes = rng.permutation(len(labels)), np.unique(labels)
    if kind == "random":
        return starting_points(len(labels), count, rng)
    if kind not in STARTS:
        raise InvalidInput(f"Unknown start {kind!r}: choose one of {', '.join(STARTS)}.")
    wanted = classes if kind == "each" else classes[:1]
    per_class, rest = divmod(count, len(wanted))
    found = [order[labels[order] == label][:per_class] for label in wanted]
    if rest or per_class < 1 or any(len(each) < per_class for each in found):
        raise InvalidInput(f"{count} labels cannot be shared out evenly among {len(wanted)} classes of this pool.")
    return np.concatenate(found)


def labels_needed(counts: Array, quality: Array, level: float, *, higher_is_better: bool = True) -> float:
    r"""How many labels it takes to reach a level for the first time, between two rounds by a straight line.

    ``counts`` and ``quality`` are (T,). NaN where the level is never reached.

    $$ n(\ell) = \min\{n : q(n) \ge \ell\} $$
    """
    sign = 1.0 if higher_is_better else -1.0
    gap = sign * (np.asarray(quality, float) - level)
    reached = np.flatnonzero(gap >= 0)
    if not len(reached):
        return float("nan")
    at = int(reached[0])
    if at == 0:
        return float(counts[0])
    share = -gap[at - 1] / (gap[at] - gap[at - 1])
    return float(counts[at - 1] + share * (counts[at] - counts[at - 1]))
