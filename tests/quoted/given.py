"""Numbers in texts that look like results, are none, and stand in no code: definitions, constants, wrong answers."""

from __future__ import annotations

GIVEN: dict[str, str] = {
    "exercises/foundations: BEFORE_AGREE": "1.01",
    "exercises/generative: MANIFOLD": "99%",
    "exercises/regression: COMPARE": "84% 1.96",
    "exercises/regression: EFFECT_OF_LAMBDA": "0.000178",
    "exercises/regression: IN_BETWEEN": "0.04",
    "exercises/results: BEFORE_RHO": "0.22",
    "exercises/results: SCOREBOARD": "0.99",
    "exercises/start: PLAYGROUND": "0.693",
    "exercises/weights: COMPRESSION": "5.5",
    "bdlviz/ui/controls/data_choice.py": "1.5",
}
