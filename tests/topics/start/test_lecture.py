"""The timetable of the lecture, from its file."""

from __future__ import annotations

import re

import numpy as np
import yaml

from bdlviz.lectures.lecture import SHIPPED, lectures
from bdlviz.topics.start.lecture.views import begins, length, parts_of
from tests.told import numbers_in


def test_the_steps_begin_where_those_before_them_end():
    steps = yaml.safe_load((SHIPPED / "one_story.yaml").read_text(encoding="utf-8"))["steps"]
    ends = np.cumsum([60 * step["minutes"] for step in steps])
    story = lectures()["one_story"]
    times = begins(story)
    assert all(re.fullmatch(r"\d+:[0-5]\d", time) for time in times)
    assert [60 * int(time.split(":")[0]) + int(time.split(":")[1]) for time in times] == [0, *ends[:-1]]
    claims = [step["part"] for step in steps if "part" in step]
    assert numbers_in(length(story)) == [len(steps), ends[-1] / 60, len(claims)]
    parts = parts_of(story)
    assert [claim for claim, _ in parts] == claims
    assert [place for _, places in parts for place in places] == [*range(len(steps))]
    assert ["part" in steps[places[0]] for _, places in parts] == [True] * len(claims)
