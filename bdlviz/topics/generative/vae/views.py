"""A VAE as it learns: images and their reconstructions, the bound and its parts over the epochs."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from bdlviz import data, published
from bdlviz.digits import nats, number, percent
from bdlviz.methods import vae
from bdlviz.plots.codes import describe_latent_scatter
from bdlviz.plots.images import scale_of
from bdlviz.predictive import bounds, latent
from bdlviz.predictive.latent import COLLAPSED
from bdlviz.published import VAE_LOG
from bdlviz.topics.generative.vae import figures, figures_learning, figures_structure, views_bounds
from bdlviz.topics.generative.vae.controls import EPOCH, NUM_DATA
from bdlviz.topics.generative.vae.figures import History
from bdlviz.topics.generative.vae.figures_learning import TERMS, Average
from bdlviz.topics.generative.vae.run import Run, num_data_of
from bdlviz.topics.shared import autoencoders
from bdlviz.topics.shared.autoencoders import DATASETS, IMAGES
from bdlviz.types import Array
from bdlviz.ui.cache import remembered
from bdlviz.ui.model import Figure, Formula, Numbers, Part, Result, Says, Screen, Setting, Sheet, Stops, Table, Words

NUM_SHOWN, NUM_DRAWN, NUM_LARGE = 25, 10, 4  # images whose reconstructions are shipped; of these, those drawn
LATE = 0.1  # of the training
NOTHING = "No epoch is done yet: nothing to draw."
BOUND = Formula(
    bounds.bound,
    "What training raises: a lower bound on log p(x), an average over codes z drawn from the encoder's q(z|x).",
    {
        r"\log p(x \mid z_s)": "how well the decoder describes the image from its code, in nats",
        r"\operatorname{KL}": "what the code costs: how far q(z|x) is from the prior, in nats",
        r"\mu, \sigma": "output of the encoder for the image x, Z numbers each",
    },
    {r"\log p(x \mid z_s)": "ink", r"\operatorname{KL}": "prior"},
)
KL = Formula(
    latent.kl_to_prior,
    "The KL term in closed form, because both are Gaussian: a sum over dimensions.",
    {r"\mu_j, \sigma_j": "mean and standard deviation of coordinate j of the code, no unit"},
)
LOSS = Formula(
    vae.negative_elbo,
    "The loss of a minibatch: the negative bound, with a weight β on the KL term.",
    {r"B": "images in the minibatch", r"\beta": "weight; 1 gives the bound", r"\epsilon_i": "draw from N(0, I)"},
)


def training(setting: Setting, screen: Screen, run: Run) -> Result:
    """Images with their reconstructions and the terms of the bound at the chosen epoch, then numbers."""
    is_plane = run.fit.model.network.latent_dim == 2
    return Result(
        [*_picture(setting, screen, run), *_remarks(setting)],
        formulas=(BOUND, KL, LOSS),
        code=(vae.negative_elbo, bounds.bound, bounds.plug_in, figures_learning.learning),
        call=autoencoders.snippet(run.fit, "print(fit.history['elbo'])", "print(fit.elbo(data.x_test, 10).mean())"),
        tabs={
            "The bound (ELBO)": lambda: bound_over_training(setting, screen, run),
            "Structure": lambda: structure(screen, run),
            "KL of each dimension": lambda: dimensions(screen, run),
            "Training images": lambda: training_images(setting, run),
            **({"Plane of codes": lambda: plane_of_codes(setting, screen, run)} if is_plane else {}),
            "Printed training log": lambda: printed_log(screen, run),
            **views_bounds.tabs(setting, screen, run),
        },
    )


def _remarks(setting: Setting) -> list[Part]:
    """A sentence where fewer images are there than asked for."""
    if setting[NUM_DATA] == "all" or int(setting[NUM_DATA]) <= num_data_of(setting):
        return []
    spec = data.DATASETS[DATASETS[setting[IMAGES]]]
    return [Words(f"{spec.title} has {spec.max_num_data:,} training images: using all of them.")]


def _picture(setting: Setting, screen: Screen, run: Run) -> list[Part]:
    train = run.train_history()
    if train is None:
        return [Words(NOTHING)]
    stops, test = stops_of(run), run.test_history()
    epoch = stops and stops.chosen(setting)
    shown = float(train.epoch[-1]) if epoch is None else float(epoch)
    average = remembered(run.fit, "average image", run.average)
    return [
        Says(of_bound(test or train, average, shown)),
        _learning(screen, run, test or train, average, epoch, shown),
        *([stops] if stops else []),
        _numbers(train, test, shown),
    ]


def stops_of(run: Run) -> Stops | None:
    """The slider over epochs whose results were kept; None until the training is done.

    Those soon after the first are left out: the decoder gives up the codes there, and its images become greyer.
    """
    has_slider = len(run.epochs) > 1 and run.is_done
    late = [epoch for epoch in run.epochs[1:] if epoch >= LATE * run.num_epochs]
    return Stops(EPOCH.key, EPOCH.label, [*run.epochs[:1], *late], int(EPOCH.default)) if has_slider else None


def of_bound(history: History, average: Average | None, shown: float) -> str:
    """The bound at an epoch, how far it is from that of the average image, and what the codes cost."""
    if average is None:
        return so_far(history, shown)
    elbo, over, kl = figures_learning.account(history, average, shown)
    above = figures_learning.from_average(over)
    bound = f"the bound on log p(x) is {nats(elbo)} nats, {above} that of the average image"
    return f"Epoch {shown:.3g}: {bound}; the codes cost {nats(kl)}."


def so_far(train: History, shown: float) -> str:
    """The bound and its two parts in an epoch, and the bound in the first one."""
    at, first = ({term: float(train.values[term][row]) for term in TERMS} for row in (train.at(shown), 0))
    parts = f"reconstruction {nats(at['reconstruction'])} minus KL {nats(at['kl'])}"
    before = "" if train.at(shown) == 0 else f" ({nats(first['elbo'])} in epoch {train.epoch[0]:.3g})"
    return f"In epoch {shown:.3g} the bound (ELBO) is {nats(at['elbo'])} nats per image{before}: {parts}."


def _learning(
    screen: Screen, run: Run, history: History, average: Average | None, epoch: int | None, shown: float
) -> Figure:
    """The main picture after an epoch; None means what has been learned so far."""
    fig = figures_learning.learning(
        history,
        average,
        _rows(run, average, epoch, shown),
        num_epochs=run.num_epochs,
        epoch=shown,
        theme=screen.theme,
        stacked=screen.is_narrow,
        height=screen.by_width(560, 640),
    )
    last = {part: nats(history.values[part][-1]) for part in TERMS}
    alt = (
        f"Held-out images, and the same rebuilt after epoch {shown:g}. The bound over {run.num_epochs} epochs: "
        f"reconstruction {last['reconstruction']} and KL {last['kl']} nats per image at the end."
    )
    return Figure("elbo_curves", fig, alt)


def _rows(run: Run, average: Average | None, epoch: int | None, shown: float) -> dict[str, Array]:
    """Images; below each the average image, and its reconstruction after the drawn epoch; their errors."""
    originals = run.originals("test", NUM_SHOWN)
    if originals is None:
        return {}
    found = {} if average is None else {"average": np.broadcast_to(average.image.ravel(), originals.shape)}
    found[f"epoch {shown:.3g}"] = run.restored("test", originals, epoch)
    images = originals[:NUM_LARGE]
    found = {f"{name}<br>off by {percent(_error(each[:NUM_LARGE], images))}": each for name, each in found.items()}
    rows = {"image": originals} | found
    return {name: each[:NUM_LARGE].reshape(-1, *run.shape) for name, each in rows.items()}


def _error(restored: Array, images: Array) -> float:
    """The root mean square error of pixels; from 0, paper, to 1, ink."""
    return float(np.sqrt(np.square(restored - images).mean()))


def _numbers(train: History, test: History | None, shown: float) -> Numbers:
    """The bounds and the KL term at the epoch that is drawn."""
    now = train.at(shown)
    per_dimension = train.values["kl_per_dimension"][now]
    told = "At the drawn epoch: mean over its minibatches, while the weights still changed."
    found = [("Training ELBO (nats)", nats(train.values["elbo"][now]), told)]
    if test is not None:
        told = "After the drawn epoch, a Monte Carlo mean over codes: a true bound, unlike the value at the mean code."
        found.append(("Held-out ELBO (nats)", nats(test.values["elbo"][test.at(shown)]), told))
    found.append(("Training KL (nats)", nats(train.values["kl"][now]), "KL[q(z|x) ‖ p(z)], training images."))
    used = int((per_dimension > COLLAPSED).sum())
    found.append(("Dimensions in use", f"{used} of {len(per_dimension)}", "KL above 0.05 nats; the others collapsed."))
    return Numbers(found)


# Further pictures -----------------------------------------------------------------------------------------------------


def bound_over_training(setting: Setting, screen: Screen, run: Run) -> list[Part]:
    """The bound and both of its parts over the epochs."""
    train, stops = run.train_history(), stops_of(run)
    if train is None:
        return [Says(NOTHING)]
    shown = int(train.epoch[-1]) if stops is None else stops.chosen(setting)
    fig = figures.elbo_curves(
        train,
        run.test_history(),
        num_epochs=run.num_epochs,
        chosen=shown,
        theme=screen.theme,
        stacked=screen.is_narrow,
    )
    return [Says(so_far(train, shown)), Figure("bound_over_training", fig, "ELBO, reconstruction and KL over epochs.")]


def training_images(setting: Setting, run: Run) -> list[Part]:
    """Training images above their reconstructions."""
    originals, stops = run.originals("train", NUM_SHOWN), stops_of(run)
    if originals is None:
        return [Says("There are no training images.")]
    epoch = stops and stops.chosen(setting)
    images, restored = originals[:NUM_DRAWN], run.restored("train", originals, epoch)[:NUM_DRAWN]
    both = np.concatenate([images, restored]).reshape(-1, *run.shape)
    error = number(255 * _error(restored, images))
    says = f"In the reconstructions of these {len(images)} training images a pixel is off by {error} of 255."
    return [Says(says), Sheet(both, NUM_DRAWN, "Training images above their reconstructions.", scale_of(run.shape))]


def plane_of_codes(setting: Setting, screen: Screen, run: Run) -> list[Part]:
    """The codes of training images in their plane at the chosen epoch."""
    stops = stops_of(run)
    positions, labels = run.codes(stops and stops.chosen(setting))
    reach = figures_learning.PRIOR_RADII[-1]
    inside = float((np.square(positions).sum(1) <= reach**2).mean())
    says = f"{percent(inside)} of these codes lie within {reach} sd of the prior's mean."
    alt = describe_latent_scatter(positions, labels)
    return [Says(says), Figure("plane_of_codes", figures_learning.plane(positions, labels, theme=screen.theme), alt)]


def structure(screen: Screen, run: Run) -> list[Part]:
    """The layers of the network with their units, and the terms of the bound where they are computed."""
    network, train = run.fit.model.network, run.train_history()
    terms = {} if train is None else {term: float(train.values[term][-1]) for term in TERMS}
    fig = figures_structure.structure(network, terms, theme=screen.theme, stacked=screen.is_narrow)
    size, units = network.latent_dim, " and ".join(f"{each:,}" for each in network.hidden)
    says = (
        f"The encoder turns {network.num_inputs:,} pixels into {size:,} means and {size:,} standard deviations; with "
        f"the decoder the network has {network.num_numbers:,} weights and biases."
    )
    alt = (
        f"Diagram: an image, hidden layers of {units} units, {size:,} means and standard deviations, the code "
        "z = μ + σ ε, the decoder, the means of the pixels. The KL term is beside the code, the reconstruction term "
        "beside the output."
    )
    epoch = "" if train is None else f" Nats per training image, mean over epoch {train.epoch[-1]:.3g}."
    told = (
        "ε is drawn from N(0, I), new for every image and step. The KL term compares μ and σ with the prior; the "
        f"reconstruction term is log p(x|z), from the output and the image.{epoch} A box grows with the logarithm of "
        "its units."
    )
    return [Says(says), Figure("structure", fig, alt), Words(told)]


def dimensions(screen: Screen, run: Run) -> list[Part]:
    """The KL term of every code dimension over the epochs."""
    train = run.train_history()
    if train is None:
        return [Words("This checkpoint holds no record of its training.")]
    kl = train.values["kl_per_dimension"]
    fig = figures.kl_by_dimension(train.epoch, kl, num_epochs=run.num_epochs, theme=screen.theme)
    used = int((kl[-1] > COLLAPSED).sum())
    alt = f"KL of {kl.shape[1]} code dimensions over the epochs; {used} are in use."
    says = Says(
        f"{used} of {kl.shape[1]} code dimensions are in use at the end; the others cost less than {COLLAPSED:g} nats "
        "and say nothing of the image."
    )
    told = (
        "A dimension whose posterior is the prior has no KL term: it has collapsed. With a larger β more dimensions "
        "collapse."
    )
    return [says, Figure("kl_by_dimension", fig, alt), Words(told)]


def printed_log(screen: Screen, run: Run) -> list[Part]:
    """The first epochs beside a log that was printed elsewhere, as curves and as a table."""
    train = run.train_history()
    if not run.is_lectures or train is None:
        told = "The printed log is of Z = 20 on MNIST-1000, all settings at their defaults."
        return [Says(told)]
    early = train.epoch <= len(VAE_LOG)
    cut = History(train.epoch[early], {part: train.values[part][early] for part in TERMS})
    fig = figures.elbo_curves(
        cut, published=VAE_LOG, num_epochs=len(VAE_LOG), theme=screen.theme, stacked=screen.is_narrow
    )
    printed, here = VAE_LOG[len(cut.epoch) - 1], float(cut.values["elbo"][-1])
    says = Says(
        f"At epoch {len(cut.epoch)} the printed bound is {nats(printed)} nats and ours {nats(here)}: one run each, "
        "with other random numbers."
    )
    heads = ("epoch", "printed (nats)", "here (nats)", "difference")
    told = "Rings: the log in Lee's slides, Bayesian deep learning. Means over the minibatches of an epoch, one seed."
    return [
        says,
        Figure("printed_log", fig, "ELBO, reconstruction and KL over the first epochs; rings are the printed ELBO."),
        Table(heads, log_rows(train.values["elbo"])),
        Words(f"{told} The page *Register* has more seeds. {after_the_log()}"),
    ]


def log_rows(ours: Array) -> Sequence[Sequence[str]]:
    """The rows of the printed log, as far as this training has come: the epoch, both values, their difference."""
    pairs = zip(VAE_LOG, ours, strict=False)
    return [
        (str(epoch), _hundredths(printed), _hundredths(here), _hundredths(here - printed))
        for epoch, (printed, here) in enumerate(pairs, 1)
    ]


def _hundredths(value: float) -> str:
    return f"{value:.2f}".replace("-", "−")


def after_the_log() -> str:
    """The results of our own runs after the last epoch of the printed log."""
    found = {row.name: row for row in published.rows()}
    train, test = found["vae_train_100"], found["vae_test_100"]
    if train.ours is None or test.ours is None:
        return ""
    return (
        f"The printed log ends at epoch {len(VAE_LOG)}. Plain re-runs, which no source prints, reach "
        f"{nats(train.ours)} in training after 100 epochs, and {nats(test.ours)} held out by Monte Carlo over codes "
        f"(means over {train.seeds} seeds)."
    )
