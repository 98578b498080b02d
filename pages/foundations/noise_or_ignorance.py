"""Noise or ignorance: which of them shrinks with more data, and which stays?"""

from bdlviz.topics import papers
from bdlviz.topics.foundations.noise_or_ignorance import controls as c
from bdlviz.topics.foundations.noise_or_ignorance import run, views_amount, views_classes, views_heads, views_points
from bdlviz.topics.foundations.noise_or_ignorance.exercises import BEFORE_CONSTANT, BEFORE_DROPOUT, NOISE_OR_IGNORANCE
from bdlviz.topics.shared.noisy_curve import METHOD
from bdlviz.ui import Explanation, Page, Scene, View, show

HEADS, LOSS, AMOUNT = {"look": "heads"}, {"look": "loss"}, {"look": "amount"}
LABELS = {"look": "labels", "method": "bayes_by_backprop"}
CLAIMS = (views_amount.SEEDS_OF_CLAIMS,)

PAGE = Page(
    "foundations/noise_or_ignorance",
    "Which uncertainty shrinks with more data?",
    views=(
        View("points", "Few and many points", views_points.points, live=(c.POINTS,)),
        View("heads", "A learned noise", views_heads.heads, c.HEADS, (c.NUM_DATA,), needs=run.fit_needed),
        View("loss", "The loss of a learned noise", views_heads.loss, c.LOSS, (c.RESIDUAL,), needs=run.fit_needed),
        View(
            *("amount", "Four methods against N", views_amount.amount),
            *((c.OF,), (c.AMOUNT,)),
            needs=views_amount.amount_needed,
        ),
        View(
            *("claims", "A second feature, a second task", views_amount.claims, CLAIMS),
            needs=views_amount.claims_needed,
        ),
        View("labels", "Two classes", views_classes.labels, (METHOD,), (c.COUNT,), needs=views_classes.needed),
    ),
    scenes=(
        Scene("both", "Few points", {}),
        Scene("one-point", "Noise learned from one point", HEADS | {"num_data": "1"}),
        Scene("constant", "One noise for all x", HEADS | {"head": "homoscedastic"}, ask=BEFORE_CONSTANT),
        Scene("loss", "The loss", LOSS),
        Scene("dropout", "MC dropout", AMOUNT | {"of_method": "mc_dropout", "amount": "10000"}, ask=BEFORE_DROPOUT),
        Scene("labels", "Two classes", LABELS),
    ),
    former={"amount": AMOUNT, "claims": {"look": "claims"}, "no-residual": LOSS | {"residual": "0"}},
    claim="More data shrink the ignorance about the function; the noise of the observations stays.",
    explanation=Explanation(
        "The blue band is where the function may be; orange bars are how far a new point lies from it (one standard "
        "deviation). Right, the standard deviations of both over x.",
        "Each point says something about the function near it, so the blue band shrinks where data are and stays wide "
        "in the gap. The noise is the variation of y that x does not explain. Only another input could lower it.",
        "The split depends on the model: what its functions cannot fit counts as noise. A noise that is learned from "
        "few points is too small, because the functions pass through the points. And in MC dropout the ignorance "
        "does not shrink with more data, because the dropout rate sets it.",
    ),
    exercises=NOISE_OR_IGNORANCE,
    try_this=(
        "Move *Data points N* from 1 to 1,000. Where does the blue band shrink, and where does it stay?",
        "In *A learned noise*, choose *Bayes by Backprop* and lower N. Which band grows first?",
    ),
    caveat=(
        "In *Few and many points* the prior is a Gaussian process and the noise is known. In the other pictures it is "
        "learned, and no band shows that it is itself uncertain. Bayes by Backprop on few points stays at its prior "
        "and counts the curve as noise. One learned constant is at its optimum in every step, estimated from a "
        "minibatch of 64 points. For real data there is no dashed line. An error in the lectures about this: "
        "[noise as a variance](errata?erratum=noise-variance)."
    ),
    papers=(papers.KENDALL_2017, papers.HOULSBY_2011, papers.LAKSHMINARAYANAN_2017),
)

show(PAGE)
