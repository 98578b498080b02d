"""Which weights matter: Bayes by Backprop on digits, and what remains when uncertain weights are removed."""

from bdlviz import ui
from bdlviz.topics.weights.signal_to_noise import exercises, views, views_digits, views_runs

VIEWS = ui.Views(
    {
        "removal": ("weights removed", views.choose_removal, views.show_removal),
        "ratios": ("signal-to-noise ratios", views_runs.choose, views.show_ratios),
        "histograms": ("histograms of weights", views_runs.choose, views.show_histograms),
        "course": ("error over training", views_runs.choose, views.show_course),
        "uncertain": ("uncertain digits", views_digits.choose_digit, views_digits.show_digit),
        "notebook": ("the notebook's network", views_runs.IMAGES.show, views_digits.show_notebook),
    },
    "removal",
)
PAGE = ui.Page(
    title="Weights · Which weights matter?",
    question="How many weights can go before the digits notice?",
    controls=(VIEWS.control, *views_runs.CONTROLS, *views_digits.CONTROLS),
    scenes=(
        ui.Scene("removal", "75 % removed", {}, "Three quarters of the weights are noise: the digits do not notice."),
        ui.Scene(
            "most", "98 % removed", {"removed": "98"}, "Two weights in a hundred are left: which pixels keep theirs?"
        ),
        ui.Scene(
            "all",
            "All removed",
            {"removed": "100"},
            "Only biases are left: one answer for every digit.",
            ask=exercises.BEFORE_ALL_REMOVED,
        ),
        ui.Scene(
            "tiny",
            "Tiny σ",
            {"preset": "small_sigma", "removed": "90"},
            "With σ never learned the ranking is by size alone, and the same cut hurts.",
            ask=exercises.BEFORE_TINY,
        ),
        ui.Scene(
            "ratios", "Signal to noise", {"look": "ratios"}, "The paper's picture: how many weights are below 0 dB?"
        ),
        ui.Scene(
            "histograms",
            "Histograms",
            {"look": "histograms"},
            "One draw of Bayes by Backprop is much wider than a plain network's weights; its means are not.",
            ask=exercises.BEFORE_HISTOGRAMS,
        ),
        ui.Scene(
            "course",
            "Over training",
            {"look": "course"},
            "As the paper's Fig. 2, with another order: here Bayes by Backprop has the largest error.",
        ),
        ui.Scene(
            "uncertain",
            "Most uncertain digit",
            {"look": "uncertain", "whose": "notebook"},
            "The draws of the notebook's network differ most on this digit.",
        ),
        ui.Scene(
            "lowest",
            "Lowest probability",
            {"look": "uncertain", "whose": "notebook", "unsure": "largest"},
            "Of all held-out digits its likeliest class is the least likely. Is it the same digit?",
        ),
        ui.Scene("notebook", "Notebook", {"look": "notebook"}, "A plain network beside the Bayesian one."),
    ),
    exercises=exercises.SIGNAL_TO_NOISE,
    try_this=(
        "Move *weights removed* to the right until the error leaves the line. Do the same with tiny σ.",
        "Watch the pixels at 95 %: the border goes first. Nobody told the network that it is empty.",
        "Switch *predicts* between draws and means: what does the noise of useless weights cost?",
        "Open *histograms of weights*: in the paper the weights of dropout have two humps. Have they here?",
        "Open *uncertain digits* and compare the two orders. How many of the first 24 are wrong?",
        "Open the tab *Data term and KL*: which of the two does the training trade for the other?",
    ),
    caveat=(
        "Weights are ranked one at a time and over all layers together, and nothing is trained again after a cut. "
        "|μ|/σ and |μ| rank nearly alike wherever σ is the same for most weights, as the curves say. On 8×8 digits "
        "there are 1,437 images for 25,856 weights, so the KL term outweighs the data and the network underfits a "
        "little; 360 held-out digits make a step of 0.28 points. Each preset is one training of one seed. The paper "
        "trains with plain stochastic gradients and one draw of weights for a minibatch; here it is Adam with local "
        "reparameterisation, which has the same expectation."
    ),
    papers=(
        ui.Paper("Blundell et al. 2015, Weight uncertainty in neural networks", "https://arxiv.org/abs/1505.05424"),
        ui.Paper("Graves 2011, Practical variational inference for neural networks"),
        ui.Paper("Kingma, Salimans & Welling 2015, Variational dropout", "https://arxiv.org/abs/1506.02557"),
    ),
)

with PAGE.frame() as view:
    view.show(VIEWS, more={"Data term and KL": views_runs.show_parts})
