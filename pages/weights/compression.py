"""Bayesian compression: how small can a network become?"""

from bdlviz import ui
from bdlviz.topics.weights.compression import derivation, exercises, views, views_priors, views_results, views_runs

VIEWS = ui.Views(
    {
        "priors": ("priors that shrink", views_priors.choose, views_priors.show),
        "network": ("before and after", views_runs.choose, views.show_network),
        "bits": ("bits of the weights", views_runs.choose, views.show_bits),
        "speed": (
            "speed and file",
            lambda: (views_runs.choose(), views_results.BATCH.show()),
            views_results.show_speed,
        ),
        "table": ("beside the literature", views_runs.IMAGES.show, views_results.show_table),
    },
    "priors",
)
PAGE = ui.Page(
    title="Weights · Compression",
    question="How small can a network become?",
    controls=(VIEWS.control, *views_priors.CONTROLS, *views_runs.CONTROLS, views_results.BATCH),
    scenes=(
        ui.Scene("horseshoe", "Horseshoe", {}, "Small observations go to 0, large ones stay: this prior prunes."),
        ui.Scene(
            "gaussian", "Gaussian", {"shrinking_prior": "gaussian"}, "Signals shrink as much as noise: nothing leaves."
        ),
        ui.Scene(
            "kappa",
            "Two ends",
            {"aspect": "kappa"},
            "The horseshoe's κ stands on 0 and on 1: a weight is believed, or it is taken for noise.",
            ask=exercises.BEFORE_KAPPA,
        ),
        ui.Scene(
            "tails", "Tails", {"aspect": "tails"}, "Straight lines have heavy tails: large weights are no surprise."
        ),
        ui.Scene(
            "network", "Before and after", {"look": "network"}, "Whole units leave, and with them the pixels they read."
        ),
        ui.Scene(
            "all",
            "Prune all",
            {"look": "network", "prune_at": "all"},
            "Only biases are left: every image gets one and the same answer.",
            ask=exercises.BEFORE_ALL_PRUNED,
        ),
        ui.Scene(
            "single",
            "Single weights",
            {"look": "network", "compressed_by": "sparse_variational_dropout"},
            "Many more weights are 0, but they lie scattered: units leave only where none is left.",
            ask=exercises.BEFORE_SINGLE,
        ),
        ui.Scene(
            "bits", "Bits", {"look": "bits"}, "A weight that is uncertain needs few digits: its noise hides the rest."
        ),
        ui.Scene("speed", "Speed", {"look": "speed"}, "Smaller matrices are faster at once. Are scattered zeros, too?"),
        ui.Scene(
            "table",
            "Published",
            {"look": "table", "compressed_images": "mnist"},
            "Our networks beside the numbers that papers report.",
        ),
    ),
    derivation=derivation.COMPRESSION,
    exercises=exercises.COMPRESSION,
    try_this=(
        "In the gallery, make the scale small: which prior still believes an observation of 6?",
        "Which prior leaves a gap between small and large observations? Compare the Laplace prior with the horseshoe.",
        "In *before and after*, move the threshold from end to end. Where does the accuracy break?",
        "Which pixels does nobody read? Compare with *Learned keep probabilities*.",
        "In *bits*, how few places can all layers have before the accuracy falls? Is the variance's choice careful?",
        "In *speed*, compare group normal-Jeffreys with sparse variational dropout, at 1 and at 1,000 images.",
    ),
    caveat=(
        "The log-uniform prior is no distribution; strictly, its posterior is none either, and pruning with it is "
        "better read as penalised training with noise. The threshold is chosen by us, not by Bayes' rule: look at the "
        "whole slider. Biases are certain and never pruned, and compression counts neither them nor indices. Bits "
        "follow a rule of thumb about the variance; the accuracy after rounding is measured. The horseshoe's units are "
        "cut by the noise of their best weight here, where the paper cuts by the mode of the scale, with "
        "a threshold for every layer."
    ),
    papers=(
        ui.Paper(
            "Louizos, Ullrich & Welling 2017, Bayesian compression for deep learning",
            "https://arxiv.org/abs/1705.08665",
        ),
        ui.Paper(
            "Molchanov, Ashukha & Vetrov 2017, Variational dropout sparsifies deep neural networks",
            "https://arxiv.org/abs/1701.05369",
        ),
        ui.Paper("Carvalho, Polson & Scott 2010, The horseshoe estimator for sparse signals"),
    ),
)

with PAGE.frame() as view:
    view.show(VIEWS)
