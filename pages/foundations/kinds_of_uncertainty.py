"""Kinds of uncertainty: which of them shrinks with more data, and which stays?"""

from bdlviz.topics import papers
from bdlviz.topics.foundations.kinds_of_uncertainty import exercises, views
from bdlviz.ui import Page, Scene, show

LOSS, AMOUNT, LABELS = {"look": "loss"}, {"look": "amount"}, {"look": "labels", "method": "bayes_by_backprop"}
DECISION, DEPTH = {"look": "decision"}, {"look": "depth"}

PAGE = Page(
    "foundations/kinds_of_uncertainty",
    "Which uncertainty shrinks with more data, and which stays?",
    views=(*views.CURVES, *views.DENSE),
    scenes=(
        Scene("both", "Both kinds", {}, "Orange: aleatoric, it stays. Blue: epistemic, it shrinks with more data."),
        Scene("amount", "More data", AMOUNT, "Aleatoric: converges to the true noise. Epistemic: should fall."),
        Scene(
            "dropout",
            "MC dropout",
            AMOUNT | {"of_method": "mc_dropout", "amount": "10000"},
            "With ten thousand points the draws of MC dropout differ as much as before: the rate sets this, not N.",
            exercises.BEFORE_DROPOUT,
        ),
        Scene("decision", "Treat or not", DECISION, "A decision rule that ignores the noise treats the wrong people."),
        Scene("depth", "Depth", DEPTH, "The noise of the sensor is large on glossy things, far walls and edges."),
        Scene(
            "constant",
            "One σ",
            {"head": "homoscedastic"},
            "One σ for all x: too large on the left, too small on the right.",
            exercises.BEFORE_CONSTANT,
        ),
        Scene(
            "loss",
            "The loss",
            LOSS,
            "The squared term falls with σ, log σ rises. Their sum is lowest where σ equals the residual.",
        ),
        Scene("no-residual", "No residual", LOSS | {"residual": "0"}, "With a residual of 0 the loss has no minimum."),
        Scene("one-point", "One point", {"num_data": "1"}, "With one point the five networks agree: there is no band."),
        Scene("claims", "Two claims", {"look": "claims"}, "A better input lowers the noise; more data do not."),
        Scene("labels", "Classes", LABELS, "Aleatoric entropy where the classes overlap, epistemic in the gap."),
        Scene(
            "cheap-miss",
            "Cheap to miss",
            DECISION | {"miss": "2"},
            "Missing somebody costs only twice a treatment: the costs of the rules differ less.",
        ),
        Scene(
            "strange",
            "Unseen shape",
            DEPTH | {"front": "tent"},
            "No training scene holds a tent. Is the epistemic sd larger there?",
        ),
        Scene(
            "green",
            "Unseen colour",
            DEPTH | {"front": "green"},
            "The depth is a metre and a half wrong, and the draws differ no more than before.",
            exercises.BEFORE_GREEN,
        ),
        Scene(
            "green-networks",
            "Three networks",
            DEPTH | {"front": "green", "draws_of": "networks"},
            "Three networks that were trained separately disagree more on the unseen colour.",
        ),
        Scene("more-scenes", "More scenes", {"look": "scenes"}, "The bands become calibrated; the epistemic sd grows."),
        Scene(
            "second-task",
            "A second task",
            {"look": "second_task"},
            "Four trainings show no change of the σ of depth.",
        ),
        Scene("segmentation", "Segmentation", {"look": "classes"}, "The two parts of the entropy of each pixel."),
    ),
    exercises=exercises.KINDS_OF_UNCERTAINTY,
    try_this=(
        "Go from *known σ* to *σ(x)*. Where was the known constant too large, and where too small?",
        "Choose *Bayes by Backprop* and lower N. Which band grows first?",
        "Open *the loss of a learned noise* and move the residual. How far does the minimum move?",
        "Open *more and more data* and raise N. Which epistemic sd falls, and what happens in the gap?",
        "Open *treat or not*, make missing expensive, and let people come from everywhere. Which rule is too certain?",
        "Choose *Your own points* and put two points at one x with different y. Which uncertainty is it?",
    ),
    caveat=(
        "The split depends on the model: what its functions cannot fit is counted as noise. A noise that is learned "
        "from few points is itself uncertain, which no band here shows. The epistemic uncertainty of MC dropout does "
        "not shrink with more data (*more and more data* has the number). From few points maximum likelihood learns "
        "too little noise, because the functions overfit; Bayes by Backprop on few points stays at its prior and "
        "counts the curve as noise. One learned constant is at its optimum in every step, estimated from a minibatch "
        "of 64 points. Data sets with known noise are synthetic; for real data there is no dashed line. An error in "
        "the lectures about this: [noise as a variance](errata?erratum=noise-variance)."
    ),
    papers=(papers.KENDALL_2017, papers.KENDALL_2018, papers.HOULSBY_2011, papers.LAKSHMINARAYANAN_2017),
)

show(PAGE)
