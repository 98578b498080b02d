"""A digit that is turned or blended, and the predictions of the network with learned rates."""

from __future__ import annotations

import numpy as np

from bdlviz import data, plots
from bdlviz.data import shifts
from bdlviz.digits import number, percent, with_article
from bdlviz.fits import Fit
from bdlviz.methods import concrete_dropout
from bdlviz.predictive import summaries
from bdlviz.topics.digits.concrete_dropout.controls import CHANGE, DIGIT, IMAGES, OTHER, num_images
from bdlviz.topics.digits.concrete_dropout.run import file_of, shipped_with
from bdlviz.topics.digits.concrete_dropout.views_claims import tabs_of
from bdlviz.types import Array, Dataset
from bdlviz.ui.cache import remembered
from bdlviz.ui.jobs.shipped import SHAPES
from bdlviz.ui.model import Figure, Formula, Need, Numbers, Result, Says, Screen, Setting, Words

STOPS = {"rotate": np.arange(0, 181, 10), "blend": np.arange(0, 101, 5)}
AXES = {"rotate": "Turned by (degrees)", "blend": "Share of the other digit (%)"}
NUM_SAMPLES = 100
DATASETS = {"mnist": "mnist-1000", "digits": "digits"}
MC_DROPOUT = "[MC dropout on the same changes](mc_dropout): every change, every method, and your own digit."


PARTS_OF_ENTROPY = Formula(
    summaries.summarise_classification,
    "The entropy of the mean is the mean entropy of a draw (noise) plus the disagreement of the draws (ignorance).",
    {
        "p_s": "class probabilities in draw s",
        r"\mathbb{I}[y, w]": "mutual information, in nats",
        r"\mathbb{H}[p_s]": "entropy of one draw",
    },
    {r"\mathbb{I}[y, w]": "epistemic", r"\mathbb{H}[p_s]": "aleatoric"},
)


def needed(setting: Setting) -> Need[Fit]:
    """The fit whose predictions are shown."""
    return shipped_with(file_of(setting[IMAGES], num_images(setting)), "run_num_data", lambda fit, _: fit)


def changed(setting: Setting, screen: Screen, fit: Fit) -> Result:
    """Softmax draws and entropies of a digit at every step of the change."""
    change = setting[CHANGE]
    pictures = _pictures(setting)
    what = ("course", change, setting[DIGIT], setting[OTHER])
    draws = remembered(fit, what, lambda: _predict(fit, pictures))
    total, expected = summaries.entropy(draws.mean(1)), summaries.entropy(draws).mean(1)
    mutual = np.maximum(total - expected, 0)
    stops, peak = STOPS[change].astype(float), int(total.argmax())
    fig = plots.shift_course(
        stops, draws, expected, mutual, pictures, label=AXES[change], chosen=peak, theme=screen.theme, height=600
    )
    unit, label = "°" if change == "rotate" else " %", int(setting[DIGIT])
    numbers = Numbers(
        [
            (f"Entropy at {stops[0]:g}{unit} (nats)", f"{total[0]:.2f}", f"Digit {label} as it is; the most is 2.30."),
            (f"Entropy at {stops[peak]:g}{unit} (nats)", f"{total[peak]:.2f}", "The largest of all steps (line)."),
            ("Of it, disagreement (nats)", f"{mutual[peak]:.2f}", "Mutual information: what more data could remove."),
            ("Training images", f"{fit.num_data:,}", "Weights are shipped for some N only."),
        ]
    )
    what = "turned from 0° to 180°" if change == "rotate" else f"blended with {with_article(int(setting[OTHER]))}"
    says = Says(
        f"{with_article(label).capitalize()} {what}: the entropy is largest at {number(stops[peak])}{unit}, "
        f"{number(total[peak])} nats; {percent(mutual[peak] / total[peak])} of it is disagreement between draws."
    )
    return Result(
        [
            says,
            Figure("changed_digit", fig, plots.describe_shift_course(stops, expected, mutual)),
            numbers,
            Words(MC_DROPOUT),
        ],
        (PARTS_OF_ENTROPY,),
        (concrete_dropout.sample, summaries.summarise_classification, plots.shift_course),
        _call(setting, fit),
        tabs=tabs_of(screen),
    )


def _pictures(setting: Setting) -> Array:
    """The changed pictures (T, height, width)."""
    images, change = setting[IMAGES], setting[CHANGE]
    dataset, shape = data.load(DATASETS[images]), SHAPES[images]
    first = _first_of(dataset, int(setting[DIGIT]), shape)
    if change == "rotate":
        return np.concatenate([shifts.rotate(first, float(angle)) for angle in STOPS[change]])
    second = _first_of(dataset, int(setting[OTHER]), shape)
    return np.concatenate([shifts.blend(first, second, share / 100) for share in STOPS[change]])


def _first_of(dataset: Dataset, label: int, shape: tuple[int, int]) -> Array:
    row = int(np.flatnonzero(dataset.y_test == label)[0])
    return dataset.x_test[row].reshape(1, *shape)


def _predict(fit: Fit, pictures: Array) -> Array:
    """Class probabilities of every draw, (T, S, K)."""
    return fit.predict(pictures.reshape(len(pictures), -1), NUM_SAMPLES).draws.swapaxes(0, 1)


def _call(setting: Setting, fit: Fit) -> str:
    images, change = setting[IMAGES], setting[CHANGE]
    name, label = DATASETS[images], setting[DIGIT]
    height, width = SHAPES[images]
    code = "shifts.rotate(image, stop)" if change == "rotate" else "shifts.blend(image, other, stop / 100)"
    file = file_of(images, fit.num_data)
    picture = "data.x_test[data.y_test == {}][:1].reshape(1, {}, {})"
    return "\n".join(
        [
            "import numpy as np",
            "import bdlviz",
            "from bdlviz.fitted import shelf",
            "from bdlviz.data import shifts",
            "",
            f"data = bdlviz.dataset({name!r})",
            f"fit, _ = shelf.shipped({file!r})",
            f"image = {picture.format(label, height, width)}",
            *([f"other = {picture.format(setting[OTHER], height, width)}"] if change == "blend" else []),
            f"pictures = np.concatenate([{code} for stop in {STOPS[change].tolist()}])",
            f"predictive = fit.predict(pictures.reshape(len(pictures), -1), num_samples={NUM_SAMPLES})",
            "print(predictive.predictive_entropy, predictive.mutual_information)",
        ]
    )
