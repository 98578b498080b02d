"""Kinds of uncertainty: which of them shrinks with more data, and which stays?"""

from bdlviz import ui
from bdlviz.topics.foundations.kinds_of_uncertainty import (
    exercises,
    views_amount,
    views_classes,
    views_decision,
    views_dense,
    views_heads,
)

VIEWS = ui.Views(
    {
        "heads": ("a curve and its noise", views_heads.choose, views_heads.show),
        "loss": ("what the loss pays for noise", views_heads.choose_loss, views_heads.show_loss),
        "amount": ("more and more data", views_amount.choose, views_amount.show),
        "claims": ("a second feature, a second task", views_amount.choose_claims, views_amount.show_claims),
        "labels": ("two classes", views_classes.choose, views_classes.show),
        "decision": ("treat or not", views_decision.choose, views_decision.show),
        **views_dense.VIEWS,
    },
    "heads",
)
PAGE = ui.Page(
    title="Foundations · Kinds of uncertainty",
    question="Which uncertainty shrinks with more data, and which stays?",
    controls=(
        VIEWS.control,
        *views_heads.CONTROLS,
        *views_amount.CONTROLS,
        *views_classes.CONTROLS,
        *views_decision.CONTROLS,
        *views_dense.CONTROLS,
    ),
    scenes=(
        ui.Scene(
            "both",
            "Both, side by side",
            {},
            "Orange is noise, wide at the right, and stays. Blue is what the networks do not know.",
        ),
        ui.Scene(
            "constant",
            "One learned constant",
            {"head": "homoscedastic"},
            "One σ for all x: too much noise for the left, too little for the right.",
            ask=exercises.BEFORE_CONSTANT,
        ),
        ui.Scene(
            "loss",
            "The loss",
            {"look": "loss"},
            "The misfit wants much noise, log σ wants little: they agree where σ is as large as the residual.",
        ),
        ui.Scene(
            "no-residual",
            "No residual",
            {"look": "loss", "residual": "0"},
            "Nothing left to explain: σ falls on.",
        ),
        ui.Scene("amount", "Against N", {"look": "amount"}, "Orange settles at the true noise. Blue should fall."),
        ui.Scene(
            "dropout",
            "Where it does not fall",
            {"look": "amount", "of_method": "mc_dropout", "amount": "10000"},
            "Ten thousand points, and the draws of MC dropout part as far as before: the rate sets them, not N.",
            ask=exercises.BEFORE_DROPOUT,
        ),
        ui.Scene(
            "one-point",
            "One point",
            {"num_data": "1"},
            "One point, five networks, one answer: no band at all.",
        ),
        ui.Scene("claims", "Two claims", {"look": "claims"}, "A better input lowers the noise; more data do not."),
        ui.Scene(
            "labels",
            "Classes",
            {"look": "labels", "method": "bayes_by_backprop"},
            "Where classes overlap the entropy is noise; in the gap it should be ignorance.",
        ),
        ui.Scene("decision", "Treat or not", {"look": "decision"}, "Who forgets the noise treats the wrong people."),
        ui.Scene(
            "cheap-miss",
            "Harmless to miss",
            {"look": "decision", "miss": "2"},
            "Missing somebody costs only twice a treatment: the rules come closer.",
        ),
        ui.Scene("depth", "Depth", {"look": "depth"}, "Shiny things, far walls and edges are noise to the sensor."),
        ui.Scene(
            "strange",
            "A shape never seen",
            {"look": "depth", "front": "tent"},
            "No training scene holds a tent. Does the blue panel notice?",
        ),
        ui.Scene(
            "green",
            "A colour never seen",
            {"look": "depth", "front": "green"},
            "A metre and a half wrong, and the masks part no farther.",
            ask=exercises.BEFORE_GREEN,
        ),
        ui.Scene(
            "green-networks",
            "The same, three networks",
            {"look": "depth", "front": "green", "draws_of": "networks"},
            "Networks that were trained apart disagree about it.",
        ),
        ui.Scene(
            "more-scenes", "More scenes", {"look": "scenes"}, "Bands become honest; the masks part as far as before."
        ),
        ui.Scene(
            "second-task", "A second task", {"look": "second_task"}, "Edges or classes beside depth: its σ rises here."
        ),
        ui.Scene("segmentation", "Segmentation", {"look": "classes"}, "Each pixel's entropy, in its two parts."),
    ),
    exercises=exercises.KINDS_OF_UNCERTAINTY,
    try_this=(
        "Go from *known σ* to *σ(x)*. Where was the known constant too large, and where too small?",
        "Choose *Bayes by Backprop* and lower N in the data panel: which band grows first?",
        "Open *what the loss pays for noise* and move the residual. How far does the lowest point move?",
        "Open *more and more data* and walk N to the right. Whose blue line falls, and what happens in the gap?",
        "Open *treat or not*, make missing expensive, and let people come from everywhere. Which rule pays for its "
        "certainty?",
        "Choose *Your own points* and put two points at one x, y apart. Which uncertainty is it?",
    ),
    caveat=(
        "The split is the model's own: what its functions cannot follow it calls noise, and a noise that few points "
        "have taught is itself uncertain, which no band here shows. MC dropout does not concentrate as data grow "
        "(*more and more data* has the number). From few points maximum likelihood learns too little noise, for "
        "functions bend towards them; Bayes by Backprop on few points stays at its prior and calls the curve noise. "
        "One learned constant stands at its optimum in every step, estimated from a minibatch of 64 points. Sets with "
        "known noise are made; on real data nobody can draw the dashed line. A slip of the lectures on this: "
        "[noise as a variance](errata?erratum=noise-variance)."
    ),
    papers=(
        ui.Paper(
            "Kendall & Gal 2017, What uncertainties do we need in Bayesian deep learning for computer vision?",
            "https://arxiv.org/abs/1703.04977",
        ),
        ui.Paper(
            "Kendall, Gal & Cipolla 2018, Multi-task learning using uncertainty to weigh losses",
            "https://arxiv.org/abs/1705.07115",
        ),
        ui.Paper("Houlsby et al. 2011, Bayesian active learning", "https://arxiv.org/abs/1112.5745"),
        ui.Paper("Lakshminarayanan et al. 2017, Deep ensembles", "https://arxiv.org/abs/1612.01474"),
    ),
)

with PAGE.frame() as view:
    view.show(VIEWS)
