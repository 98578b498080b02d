"""Two classes that overlap in one region and have a gap without data: both parts of the predictive entropy."""

from __future__ import annotations

import numpy as np

from bdlviz.data import noisy_curves
from bdlviz.digits import number
from bdlviz.fits import Fit
from bdlviz.models.likelihoods import Categorical
from bdlviz.predictive import summaries
from bdlviz.topics.foundations.noise_or_ignorance import figures_classes, study
from bdlviz.topics.foundations.noise_or_ignorance.controls import COUNT
from bdlviz.topics.shared.noisy_curve import METHOD, NUM_SAMPLES, prediction
from bdlviz.types import Array, Dataset, Predictive
from bdlviz.ui.jobs.obtain import fit_need
from bdlviz.ui.model import Figure, Formula, Need, Numbers, Part, Result, Says, Screen, Setting, Words

OVERLAP = (-4.0, -2.0)  # inputs at which both classes occur
PARTS = Formula(
    summaries.summarise_classification,
    "The entropy of the mean is the mean entropy of the draws (noise) plus their mutual information (ignorance).",
)
ENTROPY = Formula(summaries.entropy, "The entropy of class probabilities, in nats.")
SOFTMAX = Formula(Categorical, "The probability of a class is the softmax of the outputs.")


def needed(setting: Setting) -> Need[Fit]:
    """The fit of the chosen method to the chosen number of points."""
    dataset = _dataset_of(setting)
    return fit_need(study.classes_config(dataset, setting[METHOD]), dataset)


def _dataset_of(setting: Setting) -> Dataset:
    return noisy_curves.two_classes(int(setting[COUNT]))


def labels(setting: Setting, screen: Screen, fit: Fit) -> Result:
    """The probability of class 1, and its entropy with an aleatoric and an epistemic part."""
    dataset = _dataset_of(setting)
    predictive = prediction(fit, dataset)
    assert dataset.truth is not None
    true = dataset.truth(predictive.x)[:, 0]
    entropy = summaries.entropy(np.stack([1 - true, true], 1))
    fig = figures_classes.entropies_over_x(
        predictive, dataset, true, entropy, theme=screen.theme, stacked=screen.is_narrow
    )
    alt = figures_classes.describe_entropies(predictive, places(predictive.x[:, 0]))
    explanation = (
        "Where the classes overlap, the entropy of the true probabilities (dashed) is above 0, and more data do not "
        "lower it. In the gap there are no data, so the probability is not known. Mutual information shows this only "
        "if the draws of the method disagree there."
    )
    parts: list[Part] = [
        Says(_by_place(predictive)),
        Figure("classes", fig, alt),
        Numbers(_numbers(predictive, entropy)),
        Words(explanation),
    ]
    if dataset.num_data <= 5:
        parts.append(Words(f"With {dataset.num_data} points the predictions depend almost only on the prior."))
    return Result(
        parts,
        (PARTS, ENTROPY, SOFTMAX),
        (summaries.summarise_classification, noisy_curves.two_classes, figures_classes.entropies_over_x),
        "import numpy as np\nimport bdlviz\nfrom bdlviz.topics.foundations.noise_or_ignorance import study\n"
        "from bdlviz.data.noisy_curves import two_classes\n\n"
        f"data = two_classes({dataset.num_data})\n"
        f"fit = study.run(study.classes_config(data, {setting[METHOD]!r}), data)\n"
        f"predictive = fit.predict(np.linspace(-7, 6, 200), {NUM_SAMPLES})\n"
        "print(predictive.expected_entropy.max(), predictive.mutual_information.max())",
    )


def _by_place(predictive: Predictive) -> str:
    """The noise where the classes overlap, and the ignorance in the gap."""
    noise, between = predictive.expected_entropy, predictive.mutual_information
    assert noise is not None and between is not None
    overlap, gap, _ = (where for _, where in places(predictive.x[:, 0]))
    return (
        f"Where the classes overlap the noise is {number(float(noise[overlap].mean()), 2)} nats and the ignorance "
        f"{number(float(between[overlap].mean()), 2)}; in the gap the ignorance is "
        f"{number(float(between[gap].mean()), 2)}."
    )


def places(x: Array) -> list[tuple[str, Array]]:
    """Masks (N,) of the inputs where the classes overlap, in the gap between the data, and beyond the data."""
    return [
        ("overlap", (x > OVERLAP[0]) & (x < OVERLAP[1])),
        ("gap", (x > noisy_curves.GAP[0]) & (x < noisy_curves.GAP[1])),
        ("beyond", x > 4),
    ]


def _numbers(predictive: Predictive, entropy: Array) -> list[tuple[str, str, str]]:
    aleatoric, epistemic = predictive.expected_entropy, predictive.mutual_information
    assert aleatoric is not None and epistemic is not None
    overlap, gap, beyond = (where for _, where in places(predictive.x[:, 0]))
    return [
        (
            "Expected entropy, overlap",
            f"{aleatoric[overlap].mean():.2f}",
            f"Nats. Truth: {entropy[overlap].mean():.2f}.",
        ),
        ("Mutual information, overlap", f"{epistemic[overlap].mean():.3f}", "Nats, at most log 2 = 0.69."),
        ("… in the gap", f"{epistemic[gap].mean():.3f}", "Nats. There are no data, so the draws should disagree."),
        ("… beyond the data", f"{epistemic[beyond].mean():.3f}", "Nats, right of x = 4."),
    ]
