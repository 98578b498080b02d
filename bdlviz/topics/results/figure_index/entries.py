"""Every figure of four lectures and a notebook, with the state of a page that shows it with our results."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import urlencode

from bdlviz.ui.frame.prediction import GUESS, SKIP
from bdlviz.ui.frame.tabs import TAB
from bdlviz.ui.places.link import SCENE

LECTURES = {
    "lee": "Lee (KAIST): Bayesian deep learning",
    "mittov": "Mittov: variational dropout",
    "gavves": "Gavves (Amsterdam): deep learning",
    "tum": "TU Munich: generative models",
    "notebook": "Notebook: Bayes by Backprop",
}


@dataclass(frozen=True)
class Entry:
    """One figure of a lecture: ``page`` is a file's name under pages/, ``query`` the settings in the link to it.

    The ``note`` says where to look on the page, where that is not the main picture, or what differs.
    """

    lecture: str
    title: str
    page: str
    query: tuple[tuple[str, str], ...] = ()
    note: str = ""

    @property
    def address(self) -> str:
        """The link, from any page of the app; it shows the figure even where the scene would ask a question first."""
        query = (*self.query, (GUESS, SKIP)) if any(key == SCENE for key, _ in self.query) else self.query
        return self.page.split("/")[-1] + (f"?{urlencode(query)}" if query else "")


def _scene(name: str, tab: str = "") -> tuple[tuple[str, str], ...]:
    return ((SCENE, name), *_tab(tab)) if tab else ((SCENE, name),)


def _tab(title: str) -> tuple[tuple[str, str], ...]:
    return ((TAB, title),)


NETWORKS = (
    "As read in Louizos et al. 2017 and in the repositories of its authors and of Molchanov et al. 2017. VGG is not "
    "trained here. A slide with the table: unverified."
)
ENTRIES: tuple[Entry, ...] = (
    Entry("lee", "VAE: the bound and its two parts", "generative/vae", _scene("learned", "The bound (ELBO)")),
    Entry("lee", "VAE: training log, epochs 1 to 6", "generative/vae", _scene("lecture", "Printed training log")),
    Entry("lee", "t-SNE of q(z|x), training images", "generative/latent_space", _scene("train")),
    Entry("lee", "t-SNE of q(z|x), held-out images", "generative/latent_space", _scene("test")),
    Entry("lee", "Originals and reconstructions, training", "generative/vae", _scene("learned", "Training images")),
    Entry("lee", "Originals and reconstructions, held out", "generative/vae", _scene("learned")),
    Entry("lee", "Learned manifold, 20 × 20 over [−2, 2]²", "generative/manifold", _scene("lecture")),
    Entry("lee", "“But actually this is wrong …”: grey pixels", "generative/vae", _tab("What is wrong")),
    Entry("lee", "Graphical models: VAE beside a Bayesian network", "generative/vae", _tab("Two posteriors")),
    Entry("lee", "Role of weight decay: too small", "regression/effect_of_lambda", _scene("too-small-lambda")),
    Entry("lee", "Role of weight decay: good", "regression/effect_of_lambda", _scene("good")),
    Entry("lee", "Role of weight decay: too large", "regression/effect_of_lambda", _scene("too-large-lambda")),
    Entry("lee", "Dropout draws functions", "regression/function_draws", _scene("good")),
    Entry("lee", "Learned keep probabilities, N = 1,000", "digits/concrete_dropout", _scene("mnist")),
    Entry("lee", "Learned keep probabilities, N = 10,000", "digits/concrete_dropout", _scene("n10000")),
    Entry("lee", "MC dropout: training log, epochs 1 to 10", "digits/mc_dropout", _tab("Printed training log")),
    Entry("lee", "Test time: one pass or Monte Carlo", "digits/mc_dropout", _tab("Accuracy against S")),
    Entry("lee", "Softmax samples of real ambiguous digits", "digits/mc_dropout", _scene("ambiguous")),
    Entry("lee", "Softmax samples of synthetic digits: rotated", "digits/mc_dropout", _scene("rotate")),
    Entry("lee", "Softmax samples of synthetic digits: blended", "digits/mc_dropout", _scene("blend")),
    Entry("lee", "Concrete relaxation of a mask", "digits/concrete_dropout", _scene("relaxation")),
    Entry("lee", "Test accuracy: base, MC, concrete, variational dropout", "results/scoreboard", _scene("lecture")),
    Entry("mittov", "Maximum likelihood, MAP and the posterior", "foundations/bayes_rule", (("points_seen", "3"),)),
    Entry(
        "mittov",
        "Four networks and their posterior average",
        "foundations/bayes_rule",
        (("look", "four"), ("four_points", "0"), ("odds_2", "2"), ("odds_4", "2"), *_tab("Average of the networks")),
        "The masses are those of the slide, the functions are our own.",
    ),
    Entry("mittov", "Ridge regression as MAP", "foundations/bayes_rule", _scene("ridge")),
    Entry("mittov", "Binary and Gaussian dropout", "weights/variational_dropout", _scene("few")),
    Entry(
        "mittov",
        "KL of variational dropout and its approximations",
        "weights/variational_dropout",
        _scene("divergence"),
        "The approximations are those of Kingma et al. 2015 and Molchanov et al. 2017. A slide with them: unverified.",
    ),
    Entry("mittov", "Sparse variational dropout: weights vanish", "weights/sparsity", _scene("start")),
    Entry(
        "mittov",
        "LeNet-300-100: error, sparsity, compression (table)",
        "weights/sparsity",
        _tab("LeNet-300-100"),
        "Read in the repository of Molchanov et al. 2017. A slide with the table: unverified.",
    ),
    Entry("mittov", "Compression by ARD, 35 times", "weights/sparsity", _scene("ard", "LeNet-300-100")),
    Entry(
        "mittov",
        "Local reparameterisation: variance of the gradient",
        "weights/bayes_by_backprop",
        _scene("gradients"),
    ),
    Entry("gavves", "Demo: x sin x, twenty points", "regression/function_draws", _scene("good")),
    Entry("gavves", "Demo: click to add a point", "regression/function_draws", (("data", "own"),)),
    Entry("gavves", "CO₂ record, five layers of ReLU", "regression/function_draws", _scene("record-relu")),
    Entry(
        "gavves",
        "CO₂ record, five layers of tanh",
        "regression/function_draws",
        (("data", "mauna_loa_co2"), ("depth", "5"), ("activation", "tanh")),
    ),
    Entry(
        "gavves",
        "Bayes by Backprop in one dimension: too certain between clusters",
        "weights/bayes_by_backprop",
        _scene("gap"),
    ),
    Entry(
        "gavves",
        "MC dropout: rate 0.5 instead of a small one",
        "regression/function_draws",
        _scene("high-dropout"),
    ),
    Entry(
        "gavves",
        "Epistemic and aleatoric uncertainty, side by side",
        "foundations/noise_or_ignorance",
        _scene("both"),
    ),
    Entry(
        "gavves",
        "Segmentation with both uncertainties",
        "foundations/depth_and_edges",
        _scene("segmentation"),
    ),
    Entry(
        "gavves",
        "Depth: input, truth, prediction, aleatoric, epistemic",
        "foundations/depth_and_edges",
        _scene("depth"),
        "The true and the predicted depth are under “Other pictures”.",
    ),
    Entry(
        "gavves",
        "Learned noise: heteroscedastic and homoscedastic loss",
        "foundations/noise_or_ignorance",
        _scene("loss"),
        "Scene “One noise for all x” for one σ.",
    ),
    Entry("gavves", "Best dropout rate against width", "digits/concrete_dropout", _scene("width")),
    Entry(
        "gavves",
        "Bayes by Backprop: test error over training",
        "weights/signal_to_noise",
        _scene("course"),
        "Not reproduced: with full KL weight Bayes by Backprop ends above a plain network, in the paper below it.",
    ),
    Entry(
        "gavves",
        "Histograms of weights: SGD, dropout, Bayes by Backprop",
        "weights/signal_to_noise",
        _scene("histograms"),
    ),
    Entry(
        "gavves",
        "Bayes by Backprop: regression with interquartile band",
        "weights/bayes_by_backprop",
        _scene("paper"),
        "The band is one standard deviation here.",
    ),
    Entry(
        "gavves", "Priors that prune: spike and slab, Laplace, horseshoe", "weights/compression", _scene("horseshoe")
    ),
    Entry("gavves", "Compression rates of LeNet and VGG (table)", "weights/compression", _scene("table"), NETWORKS),
    Entry(
        "gavves",
        "Largest compression of a paper, 700 times, and speed, 50 times",
        "weights/compression",
        _scene("table"),
        "In our words, with our speed in the picture “Speed and file”.",
    ),
    Entry(
        "gavves",
        "What uncertainty is for: active learning",
        "regression/active_learning",
        _scene("digits"),
        "Also scenes “Least certain” and “Thompson sampling”.",
    ),
    Entry("tum", "VAE: sampling", "generative/decode", _scene("plane", "Samples")),
    Entry("tum", "VAE: change one coordinate (“degree of smile”)", "generative/decode", _scene("three")),
    Entry("tum", "VAE: two coordinates on a plane", "generative/manifold", _scene("paper")),
    Entry("tum", "log p(x) = ELBO + KL", "generative/vae", _scene("staircase")),
    Entry("tum", "Autoencoder, VAE and truth: reconstructions", "generative/autoencoder", _scene("own")),
    Entry("tum", "Autoencoder and VAE: holes in the latent space", "generative/autoencoder", _scene("mnist")),
    Entry("tum", "Taxonomy of generative models", "generative/autoencoder", _tab("Family tree")),
    Entry("tum", "Conditional VAE: choose the class", "generative/conditional", _scene("styles")),
    Entry("tum", "Point estimate and distribution", "foundations/bayes_rule", (("points_seen", "3"),)),
    Entry(
        "tum",
        "Markov chain and variational approximation",
        "foundations/variational_or_mcmc",
        _scene("good"),
        "The approximation: scene “A fit, step by step”.",
    ),
    Entry("tum", "MC dropout for classes, and a class never seen", "digits/mc_dropout", _scene("unseen")),
    Entry("notebook", "The most uncertain digit", "weights/signal_to_noise", _scene("uncertain")),
    Entry("notebook", "The digit with the lowest largest probability", "weights/signal_to_noise", _scene("lowest")),
    Entry("notebook", "Accuracy over training", "weights/signal_to_noise", _scene("notebook"), "As held-out error."),
    Entry("notebook", "Scale-mixture prior and its two parts", "weights/bayes_by_backprop", _scene("mixture")),
)
