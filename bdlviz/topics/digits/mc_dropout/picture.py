"""What the page shows of one digit: the draws for it, and its course under a change."""

from __future__ import annotations

from dataclasses import dataclass

from bdlviz.topics.digits.mc_dropout import changes, choice
from bdlviz.topics.digits.mc_dropout.changes import Change
from bdlviz.topics.digits.mc_dropout.choice import Chosen
from bdlviz.topics.digits.mc_dropout.controls import DIGIT, FIRST, NUM_SAMPLES
from bdlviz.topics.digits.mc_dropout.source import Prediction, Source
from bdlviz.types import Array
from bdlviz.ui.model import Setting


@dataclass(frozen=True, eq=False)
class Picture:
    """The chosen digit as it is changed, with the predictions of the network."""

    source: Source
    chosen: Chosen
    picture: Array  # (height, width), after the change
    prediction: Prediction  # of that one picture
    change: Change | None = None
    course: tuple[Array, Prediction] | None = None  # pictures (T, height, width) at every value of the slider

    @property
    def draws(self) -> Array:
        """Class probabilities, (S, 10)."""
        return self.prediction.draws[:, 0]

    @property
    def mean(self) -> Array:
        """The mean of the draws, (10,)."""
        return self.draws.mean(0)

    @property
    def expected(self) -> float:
        """Mean entropy of a draw, in nats."""
        return float(self.prediction.expected_entropy[0])

    @property
    def mutual(self) -> float:
        """Mutual information, in nats."""
        return float(self.prediction.mutual_information[0])


def picture_of(setting: Setting, source: Source) -> Picture:
    """The chosen digit, changed as the controls say, with the draws for it."""
    rows = choice.rows_of(setting, source)
    chosen = choice.choose(setting, source, rows)
    count, change = int(setting[NUM_SAMPLES]), changes.chosen_change(setting)
    if change is None and setting[DIGIT] == FIRST and len(rows):  # all stops of the slider cost about as much as one
        every = source.predict(source.pictures[choice.at_places(setting, rows)], count)
        return Picture(source, chosen, chosen.picture, _one_of(every, choice.place(setting)))
    if change is None:
        return Picture(source, chosen, chosen.picture, source.predict(chosen.picture[None], count))
    pictures, at = changes.course(setting, source, chosen, change), changes.position(setting, change)
    course = source.predict(pictures, count)
    return Picture(source, chosen, pictures[at], _one_of(course, at), change, (pictures, course))


def _one_of(course: Prediction, at: int) -> Prediction:
    piece = slice(at, at + 1)
    return Prediction(course.draws[:, piece], course.expected_entropy[piece], course.mutual_information[piece])
