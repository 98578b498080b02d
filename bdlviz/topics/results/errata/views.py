"""One erratum: both formulas, what they do in a live example, and its numbers."""

from __future__ import annotations

from bdlviz.errata import ERRATA, Effect, Erratum
from bdlviz.errata.figures import wrong_and_right
from bdlviz.topics.results.errata.controls import ERRATUM, chosen
from bdlviz.topics.results.errata.views_html import Row, formulas, table
from bdlviz.ui.cache import RESULTS
from bdlviz.ui.model import Figure, Formula, Numbers, Part, Result, Says, Screen, Setting, Words


def erratum(setting: Setting, screen: Screen, _: object) -> Result:
    """The wrong formula beside the right one, the picture of the live example, and its numbers."""
    shown = chosen(setting)
    effect = effect_of(shown)
    stacked = len(effect.picture.panels) > 1 and screen.is_narrow
    fig = wrong_and_right(effect.picture, theme=screen.theme, stacked=stacked)
    pair = formulas(shown, screen.theme)
    parts: list[Part] = [Says(effect.says), pair, Figure("effect", fig, effect.picture.says)]
    if effect.remark:
        parts.append(Words(effect.remark, "info"))
    told = [(number.label, number.text, number.help) for number in effect.numbers]
    parts += [Numbers(told[:2]), Words(" · ".join(f"{label}: {value}" for label, value, _ in told[2:]))]
    related = [Formula(each, "It uses:") for each in shown.related[:2]]
    right = Formula(shown.right, "The right formula:")
    return Result(parts, (right, *related), (shown.wrong, shown.right, shown.measure), call_of(shown))


def effect_of(shown: Erratum) -> Effect:
    """The measured effect; it is kept, unless a file was missing that may come back."""
    key = ("erratum", shown.name)
    effect: Effect | None = RESULTS.find(key)
    if effect is None:
        effect = shown.measure()
        if not effect.remark:
            RESULTS.keep(key, effect)
    return effect


def every_erratum(setting: Setting) -> list[Part]:
    """The table of all errata with their effects."""
    return [table([Row(each, effect_of(each).says, each.name == setting[ERRATUM]) for each in ERRATA.values()])]


def call_of(shown: Erratum) -> str:
    """Python that measures the same numbers and draws the same picture."""
    return "\n".join(
        [
            "from bdlviz.errata import ERRATA",
            "from bdlviz.errata.figures import wrong_and_right",
            "",
            f"effect = ERRATA[{shown.name!r}].measure()",
            "for number in effect.numbers:",
            "    print(number.label, number.text)",
            "wrong_and_right(effect.picture).show()",
        ]
    )
