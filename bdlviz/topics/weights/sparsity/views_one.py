"""One weight between data and prior: when is it worth keeping?"""

from __future__ import annotations

import math

import numpy as np

from bdlviz.digits import number, percent
from bdlviz.models import divergences
from bdlviz.topics.weights.sparsity import figures_one, one_weight
from bdlviz.topics.weights.sparsity.controls import METHOD, STRENGTH
from bdlviz.topics.weights.sparsity.run import PENALTIES
from bdlviz.topics.weights.sparsity.study import DIVERGENCES
from bdlviz.ui.model import Figure, Formula, Numbers, Result, Says, Screen, Setting

LOG_ALPHA = np.linspace(-9, 9, 361)
OTHERS = (0.5, 2.0, 4.0, 7.0)  # thin curves
SUM = Formula(
    one_weight.objective,
    "What one weight contributes to the objective: what its noise costs the data, and the KL term.",
    {"F": "nats", "c": "how much the data care for this weight", r"\alpha": "variance of its noise over squared mean"},
    {"F": "mean"},
)
CARE = Formula(
    one_weight.strength_at,
    "How much the data must care for this noise to be the best: where the slope of the sum is 0.",
    {"c": "curvature of the loss times the squared best value, no unit"},
)


def one(setting: Setting, screen: Screen, _: object) -> Result:
    """The objective of one weight against its noise, and where it is smallest."""
    method, strength = setting[METHOD], setting.number(STRENGTH)
    divergence = DIVERGENCES[method]
    best = one_weight.best_log_alpha(strength, divergence)
    kl = divergence(LOG_ALPHA)
    others = np.stack([one_weight.objective(LOG_ALPHA, each, divergence) - each / 2 for each in OTHERS])
    fig = figures_one.trade_off(
        LOG_ALPHA,
        one_weight.misfit(LOG_ALPHA, strength),
        kl,
        best=best,
        others=others,
        course=(LOG_ALPHA, one_weight.strength_at(LOG_ALPHA, divergence)),
        strength=strength,
        pruned=divergences.PRUNED,
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    is_kept = math.isfinite(best)
    gain = strength / 2 - float(one_weight.objective(best, strength, divergence)) if is_kept else 0.0
    edge = float(one_weight.strength_at(divergences.PRUNED, divergence))
    told = _at_strength(strength, best)
    share = 1 - one_weight.share_lost(best) if is_kept else 0.0
    values = Numbers(
        [
            ("Best log α", _signed(best) if is_kept else "∞", "Where the objective is smallest."),
            ("Mean, of its best value", f"{100 * share:.0f} %", "θ / w*."),
            ("Gain over removing (nats)", f"{gain:.2f}", "What the objective loses if the weight is removed."),
            ("Removed below c =", f"{edge:.2f}", "There the best log α is 3. With no threshold at all it would be 1."),
        ]
    )
    return Result(
        [Says(told), Figure("trade_off", fig, told), values],
        (SUM, PENALTIES[method], CARE),
        (one_weight.objective, one_weight.strength_at, one_weight.best_log_alpha),
        _snippet(method, strength),
    )


def _at_strength(strength: float, best: float) -> str:
    """Where the objective of this weight is smallest."""
    if not math.isfinite(best):
        return f"With c = {strength:g} the sum falls with every increase of the noise: this weight is removed."
    kept = percent(1 - float(one_weight.share_lost(best)))
    end = "beyond 3, so it is removed" if best > divergences.PRUNED else f"and the weight keeps {kept} of its value"
    return f"With c = {strength:g} the sum is smallest at log α = {number(best)}, {end}."


def _signed(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def _snippet(method: str, strength: float) -> str:
    return "\n".join(
        [
            "import numpy as np",
            "from bdlviz.models import divergences",
            "from bdlviz.topics.weights.sparsity import one_weight",
            "",
            f"c, kl = {strength!r}, divergences.{DIVERGENCES[method].__name__}",
            f"log_alpha = np.linspace({LOG_ALPHA[0]:g}, {LOG_ALPHA[-1]:g}, {len(LOG_ALPHA)})",
            "objective = one_weight.objective(log_alpha, c, kl)",
            "best = one_weight.best_log_alpha(c, kl)",
        ]
    )
