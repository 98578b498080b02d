"""Every parser of what a visitor or a file says survives whatever it is given, within the limits of the guard."""

from __future__ import annotations

from collections.abc import Callable

import hypothesis
import pytest
from hypothesis import HealthCheck, Phase

from bdlviz.errors import InvalidInput
from tests.fuzz import checkpoint_files, files, guard, links
from tests.fuzz.target import MANY, Target

TARGETS = {target.name: target for target in (*links.TARGETS, *files.TARGETS, *checkpoint_files.TARGETS)}
CASES = 120_000  # of `make fuzz`

pytestmark = pytest.mark.filterwarnings("ignore:Generating overly large repr")  # of a failing case


def run(target: Target, num_cases: int, record: pytest.FixtureRequest) -> None:
    """Run that many cases, and note for the summary how many there were and how many of them were accepted."""
    if target.valid is not None:
        target.call(target.valid)
    tally = [0, 0]
    for case in target.known:
        guard.survives(target.call, case)

    @hypothesis.settings(
        max_examples=num_cases,
        deadline=None,
        derandomize=True,
        database=None,
        suppress_health_check=(HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example),
        phases=(Phase.generate, Phase.shrink),
    )
    @hypothesis.given(case=target.cases)
    def survive(case: object) -> None:
        tally[guard.survives(target.call, case)] += 1

    with guard.watched():
        survive()
    assert sum(tally) >= num_cases, "Hypothesis ran out of different cases: the strategy is too narrow."
    record.node.user_properties.append(("cases", (target.name, sum(tally), tally[True])))


@pytest.mark.parametrize("name", TARGETS)
def test_hostile_cases(name: str, request: pytest.FixtureRequest):
    run(TARGETS[name], TARGETS[name].many if MANY else TARGETS[name].quick, request)


def test_make_fuzz_runs_enough_cases():
    assert sum(target.many for target in TARGETS.values()) >= CASES


# The guard itself must be able to fail ------------------------------------------------------------------------------


def _hang(case: object) -> None:
    while True:
        pass


def _hoard(case: object) -> None:
    bytearray((guard.MEGABYTES + 100) * 2**20)


def _hiding(call: Callable[[object], None]) -> Callable[[object], None]:
    """The same call, which reports every exception as a refusal."""

    def hide(case: object) -> None:
        try:
            call(case)
        except Exception:
            raise InvalidInput("This must not count as a refusal.") from None

    return hide


def _refusing(sentence: str) -> Callable[[object], None]:
    def refuse(case: object) -> None:
        raise InvalidInput(sentence)

    return refuse


LONG = f"This sentence is too long: {'x' * 1000}."


@pytest.mark.parametrize("call", [_hang, _hiding(_hang)])
def test_the_guard_ends_what_hangs(call: object, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(guard, "SECONDS", 0.1)
    with pytest.raises(guard.TooSlow):
        guard.survives(call, None)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("call", "exception"),
    [
        *((_hoard, MemoryError), (_hiding(_hoard), AssertionError)),
        *((_refusing(LONG), AssertionError), (_refusing("No page can show \ud800."), UnicodeEncodeError)),
    ],
)
def test_the_guard_notices_what_is_no_proper_refusal(call: object, exception: type[BaseException]):
    with pytest.raises(exception):
        guard.survives(call, None)  # type: ignore[arg-type]
