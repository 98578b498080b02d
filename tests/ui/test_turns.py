"""The order of waiting jobs, without threads, and the processor time that visitors have used recently."""

from __future__ import annotations

from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from bdlviz.ui.jobs.turns import HALF_LIFE_S, Ledger, displaceable, session_of, turns


@dataclass(frozen=True)
class Asked:
    sessions: tuple[str, ...]
    asked: float = 0.0
    is_background: bool = False


def order(waiting: list[Asked], running: list[Asked], recent: dict[str, float] | None = None) -> list[Asked]:
    return [job for _, job in turns(waiting, running, lambda session, asked: asked + (recent or {}).get(session, 0.0))]


def test_all_names_of_a_tab_are_one_visitor():
    assert {session_of(name) for name in ("4f2a", "4f2a:second", "4f2a:grid")} == {"4f2a"}


def test_first_jobs_run_before_second_ones():
    first, second, other = Asked(("ada",), 0), Asked(("ada",), 1), Asked(("bob",), 2)
    assert order([first, second, other], []) == [first, other, second]
    assert order([first, second, other], [Asked(("ada",))]) == [other, first, second]


def test_a_shared_job_has_the_turn_of_its_least_loaded_visitor():
    shared, own = Asked(("ada", "bob"), 1), Asked(("ada",), 0)
    assert order([own, shared], [Asked(("ada",))]) == [shared, own]


def test_recent_work_delays_a_visitor_for_a_while():
    busy, rested, late = Asked(("ada",), 0), Asked(("bob",), 5), Asked(("cy",), 11)
    assert order([busy, rested, late], [], {"ada": 10.0}) == [rested, busy, late]


def test_background_work_comes_last_and_takes_no_turn_from_its_visitor():
    grid, fit = Asked(("ada",), 0, is_background=True), Asked(("ada",), 1)
    assert order([grid, fit], [Asked(("ada",), is_background=True)]) == [fit, grid]
    assert turns([fit], [Asked(("ada",), is_background=True)], lambda session, asked: asked)[0][0][1] == 0


def test_which_job_is_displaced():
    first, second, other = Asked(("ada",), 0), Asked(("ada",), 1), Asked(("bob",), 2)
    grid = Asked(("cy",), 3, is_background=True)
    assert displaceable([first, second, other, grid]) is grid
    assert displaceable([first, second, other]) is second
    assert displaceable([first, other]) is None
    assert displaceable([first, Asked(("ada", "bob"), 1)]) is first, "The other job is the only one of Bob."


def test_seconds_spent_decay():
    now = [0.0]
    ledger = Ledger(lambda: now[0])
    ledger.charge(("ada", "bob"), 8.0)
    assert ledger.recent("ada") == ledger.recent("bob") == 4.0 and ledger.recent("cy") == 0.0
    now[0] = HALF_LIFE_S
    assert ledger.recent("ada") == 2.0
    assert ledger.ready("ada", 10.0) == 12.0 and ledger.ready("cy", 10.0) == 10.0
    assert ledger.ready("ada", -5.0) == 2.0, "The time in which a job of the visitor ran is no waiting time."
    now[0] = 20 * HALF_LIFE_S
    ledger.charge(("cy",), 1.0)
    assert list(ledger._spent) == ["cy"], "A visitor is forgotten after some time."


jobs_of = st.builds(
    Asked,
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=3, unique=True).map(tuple),
    st.floats(0, 100),
    st.booleans(),
)


@given(st.lists(jobs_of, max_size=12), st.lists(jobs_of, max_size=4))
def test_every_job_gets_a_turn_and_the_least_loaded_visitor_is_first(waiting: list[Asked], running: list[Asked]):
    found = order(waiting, running)
    assert sorted(map(id, found)) == sorted(map(id, waiting))
    assert [job.is_background for job in found] == sorted(job.is_background for job in found)
    if found and not found[0].is_background:
        held = {name: sum(name in job.sessions for job in running if not job.is_background) for name in "abcd"}
        least = min(min(held[name] for name in job.sessions) for job in waiting if not job.is_background)
        assert min(held[name] for name in found[0].sessions) == least
