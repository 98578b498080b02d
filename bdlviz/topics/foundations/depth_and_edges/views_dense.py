"""Dense prediction: depth and classes of a synthetic scene, pixel by pixel, with both kinds of uncertainty."""

from __future__ import annotations

from collections.abc import Sequence
from math import log
from typing import Any

from bdlviz.digits import number, percent
from bdlviz.predictive import summaries
from bdlviz.topics.foundations.depth_and_edges import (
    convolutional,
    dense_scores,
    dense_source,
    figures_dense,
    study_dense,
)
from bdlviz.topics.foundations.depth_and_edges import scenes as synthetic
from bdlviz.topics.foundations.depth_and_edges.controls import (
    DRAWS,
    FRONT,
    NUM_SCENES,
    TASKS,
    draws_are_masks,
)
from bdlviz.topics.foundations.depth_and_edges.dense_scores import ClassPicture, DepthPicture
from bdlviz.topics.foundations.depth_and_edges.dense_source import (
    Arrays,
    label_entropy,
    networks_needed,
    scene_of,
)
from bdlviz.topics.foundations.depth_and_edges.figures_dense import Pixels
from bdlviz.topics.foundations.depth_and_edges.scenes import CLASSES, DEPTH_RANGE, UNSEEN_CLASS, Scenes
from bdlviz.types import Array
from bdlviz.ui.model import Figure, Formula, Need, Numbers, Part, Result, Says, Screen, Setting, Words

ALEATORIC_RANGE, EPISTEMIC_RANGE, LARGE_ERRORS = (0.0, 1.2), (0.0, 0.6), (0.0, 3.0)  # metres
ERROR: dict[str, Any] = {"limits": ALEATORIC_RANGE, "unit": "m"}
NOISE: dict[str, Any] = ERROR | {"meaning": "aleatoric"}
IGNORANCE: dict[str, Any] = {"limits": EPISTEMIC_RANGE, "meaning": "epistemic", "unit": "m"}
STRANGE = {"tent": "unseen shape", "floating": "thing in the air", "green": "unseen colour"}
NOTICED = 1.3  # times as large as elsewhere: less is hardly visible
LEAST_HELD = 0.85  # 95 % bands that hold less of the readings are called too narrow
ENTROPY_RANGE, INFORMATION_RANGE = (0.0, 1.0), (0.0, 0.2)  # nats
NATS = Words(
    "Entropy says how far the probabilities of the classes are spread: 0 nats if one class is certain, "
    f"{number(log(2), 2)} nats if two are equally likely."
)
NAMES = (*CLASSES, "never seen")
DEPTH = Formula(
    dense_scores.depth_picture,
    "Mean and both standard deviations of a pixel from S draws.",
    {r"\mu_s": "depth of draw s, in metres", r"\sigma_s": "its noise, in metres"},
)
SENSOR = Formula(synthetic.sensor_moments, "The readings as they are made: their mean and noise are known.")
COVERAGE = Formula(dense_scores.coverage, "The share of readings inside the band.")
ENTROPIES = Formula(
    summaries.summarise_classification,
    "The entropy of the mean is the mean entropy of the draws (noise) plus their mutual information (ignorance).",
)
LABELS = Formula(synthetic.label_probabilities, "The annotator sometimes takes the class of a neighbouring pixel.")
ENTROPY = Formula(summaries.entropy, "The entropy of class probabilities, in nats.")


def _picture(screen: Screen, panels: list[Pixels], key: str) -> Figure:
    fig = figures_dense.pixel_panels(panels, theme=screen.theme, stacked=screen.is_narrow)
    return Figure(f"dense_{key}", fig, figures_dense.describe_pixels(panels))


def _mean(values: Array, unit: str) -> str:
    return f"mean {number(float(values.mean()), 2)} {unit}"


# Depth ----------------------------------------------------------------------------------------------------------------


def depth_needed(setting: Setting) -> list[Need[Arrays]]:
    """The networks, as a list: without them `depth` gets [None] and still shows the scene."""
    return [networks_needed(setting)]


def depth(setting: Setting, screen: Screen, found: Sequence[Arrays | None]) -> Result:
    """The scene, its guessed depth and both uncertainties of that, in metres."""
    [arrays] = found
    return (
        Result([Says("The noise of the sensor is known at every pixel."), _known(setting, screen)])
        if arrays is None
        else _depth(setting, screen, arrays)
    )


def _known(setting: Setting, screen: Screen) -> Figure:
    """The figure without networks: image, true depth, readings and the known noise."""
    scene = scene_of(setting)
    panels = [
        Pixels("Scene", scene.images[0]),
        Pixels("True depth", scene.depth[0], DEPTH_RANGE, unit="m"),
        Pixels("Readings", scene.readings[0], DEPTH_RANGE, unit="m"),
        Pixels("Known noise", scene.noise_std[0], ALEATORIC_RANGE, "aleatoric", "m"),
    ]
    return _picture(screen, panels, "known")


def _depth(setting: Setting, screen: Screen, arrays: Arrays) -> Result:
    scene, predicted = scene_of(setting), dense_source.depth(setting, arrays)
    says, panels = _told(setting, predicted, scene)
    has_masks = draws_are_masks(setting)
    parts: list[Part] = [
        Says(says),
        _picture(screen, panels, "depth"),
        Numbers(_depth_numbers(predicted, scene)),
        Words(_passes(dense_source.noise_by_passes(setting, arrays), predicted)),
    ]
    return Result(
        parts,
        (DEPTH, SENSOR, COVERAGE),
        (
            study_dense.outputs_of if has_masks else study_dense.network_depths,
            dense_scores.draw_outputs,
            dense_scores.depth_picture,
            convolutional.draw_masks,
        ),
        _depth_call(setting, has_masks),
        tabs={"True and predicted depth": lambda: _true_and_predicted(screen, predicted, scene)},
    )


def _told(setting: Setting, predicted: DepthPicture, scene: Scenes) -> tuple[str, list[Pixels]]:
    """The sentence and the panels: the ignorance on a thing never seen, or on average beside the noise at outlines."""
    edges, noise, ignorance = scene.edges[0], predicted.aleatoric_std, predicted.epistemic_std
    drawn = "dropout draws of 1 network" if draws_are_masks(setting) else "3 networks"
    guess: dict[str, Any] = {"values": predicted.mean, "limits": DEPTH_RANGE, "unit": "m"}
    if setting[FRONT] != "none" and scene.front[0].any() and ignorance.any():
        front = scene.front[0]
        error = abs(predicted.mean - scene.depth[0])
        wrong = number(float(error[front].mean()), 2)
        inside, outside = (number(float(ignorance[where].mean()), 2) for where in (front, ~front))
        below = f"{inside} m in the frame, {outside} m elsewhere"
        times = float(ignorance[front].mean() / ignorance[~front].mean())
        verdict = "" if times >= NOTICED else ": hardly more" if times > 1 else ": not more"
        says = (
            f"At the {STRANGE[setting[FRONT]]} {drawn} are {wrong} m wrong and differ by {inside} m, elsewhere by "
            f"{outside} m{verdict}."
        )
        return says, [
            Pixels("Scene", scene.images[0], framed=front),
            Pixels("Guessed distance", framed=front, **guess),
            Pixels("Error of the guess", error, LARGE_ERRORS, unit="m", below=f"{wrong} m in the frame", framed=front),
            Pixels("Ignorance", ignorance, note="guesses differ", below=below, framed=front, **IGNORANCE),
        ]
    inside = dense_scores.coverage(scene.readings[0], predicted.mean, predicted.total_std)
    times = number(float(noise[edges].mean() / noise[~edges].mean()), 2)
    mean, held = f"{number(float(ignorance.mean()), 2)} m", percent(inside)
    drawn = f"{drawn[0].upper()}{drawn[1:]} trained on {setting[NUM_SCENES]} scenes"
    says = f"{drawn} differ by {mean} on average; their noise is {times} times as large at outlines."
    if inside < LEAST_HELD:
        says = f"{drawn} are too certain: their {percent(0.95)} bands hold {held} of the readings."
    return says, [
        Pixels("Scene", scene.images[0]),
        Pixels("Guessed distance", below=f"{percent(0.95)} bands hold {held}", **guess),
        Pixels(
            "Noise", noise, note="of the sensor", below=f"at outlines {times} times the rest", framed=edges, **NOISE
        ),
        Pixels("Ignorance", ignorance, note="guesses differ", below=f"mean {mean}", **IGNORANCE),
    ]


def _true_and_predicted(screen: Screen, predicted: DepthPicture, scene: Scenes) -> list[Part]:
    """The depth of every pixel as it is and as it is predicted."""
    error = abs(predicted.mean - scene.depth[0])
    mean = f"{number(float(error.mean()), 2)} m"
    panels = [
        Pixels("True depth", scene.depth[0], DEPTH_RANGE, unit="m"),
        Pixels("Predicted depth", predicted.mean, DEPTH_RANGE, unit="m"),
        Pixels("Error", error, below=f"mean {mean}", **ERROR),
    ]
    says = Says(f"The predicted depth is {mean} off the true one, on average over the pixels.")
    return [says, _picture(screen, panels, "true_and_predicted")]


def _passes(noise: Array, predicted: DepthPicture) -> str:
    """How many passes through a network each of the uncertainties needs; ``noise`` (S, H, W) is of single passes."""
    if len(noise) == 1:
        return (
            "One pass through the network gives the noise of every pixel. The ignorance of one draw is 0 by "
            "definition. It does not measure the uncertainty."
        )
    gap = float(abs(noise - predicted.aleatoric_std).mean())
    return (
        f"One pass through the network gives the noise: on average it is {number(gap, 2)} m off the noise of all "
        f"{len(noise)} passes. The ignorance needs all {len(noise)}. So the noise can be told in real time "
        "(Kendall & Gal 2017, in their conclusions)."
    )


def _depth_numbers(predicted: DepthPicture, scene: Scenes) -> list[tuple[str, str, str]]:
    known, readings = scene.noise_std[0], scene.readings[0]
    inside = dense_scores.coverage(readings, predicted.mean, predicted.total_std)
    inside_aleatoric = dense_scores.coverage(readings, predicted.mean, predicted.aleatoric_std)
    agreement = dense_scores.correlation(predicted.aleatoric_std, known)
    return [
        (
            "Noise sd, mean",
            f"{predicted.aleatoric_std.mean():.2f} m",
            f"Over the pixels of this scene. Known noise of the sensor: {known.mean():.2f} m.",
        ),
        ("Ignorance sd, mean", f"{predicted.epistemic_std.mean():.2f} m", "Over the pixels of this scene."),
        (
            "Readings in 95 % band",
            f"{100 * inside:.1f} %",
            f"Of both uncertainties together; in the band of the noise alone {100 * inside_aleatoric:.1f} %.",
        ),
        ("Noise and known sd", f"r = {agreement:.2f}", "Correlation over the pixels of this scene."),
    ]


def _depth_call(setting: Setting, has_masks: bool) -> str:
    printed = "print(depth.aleatoric_std.mean(), depth.epistemic_std.mean(), scene.noise_std.mean())"
    if has_masks:
        line = f"depth = study_dense.depth_of(settings, params, scene.images[0], {setting[DRAWS]})"
        return dense_source.call_of(setting, setting[TASKS], line, printed)
    return dense_source.call_of(
        setting,
        setting[TASKS],
        f"outputs = study_dense.network_depths(arrays, {setting[NUM_SCENES]}, scene.images[0])",
        "depth = depth_picture(outputs[..., 0], outputs[..., 1], offset=DEPTH_MEAN, scale=DEPTH_SCALE)",
        printed,
        imports=(
            "from bdlviz.topics.foundations.depth_and_edges.dense_network import DEPTH_MEAN, DEPTH_SCALE",
            "from bdlviz.topics.foundations.depth_and_edges.dense_scores import depth_picture",
        ),
    )


# Classes --------------------------------------------------------------------------------------------------------------


def classes(setting: Setting, screen: Screen, arrays: Arrays) -> Result:
    """Scene, true and predicted classes, and below them the wrong pixels and the two parts of the entropy."""
    scene, predicted = scene_of(setting), dense_source.classes(setting, arrays)
    wrong = predicted.classes != scene.classes[0]
    noise, ignorance = predicted.expected_entropy, predicted.mutual_information
    panels = [
        Pixels("Scene", scene.images[0]),
        Pixels("True classes", scene.classes[0], names=NAMES),
        Pixels("Predicted classes", predicted.classes, names=NAMES),
        Pixels("Wrong pixels", wrong, note=percent(float(wrong.mean()))),
        Pixels("Noise", noise, ENTROPY_RANGE, "aleatoric", "nats", _mean(noise, "nats")),
        Pixels("Ignorance", ignorance, INFORMATION_RANGE, "epistemic", "nats", _mean(ignorance, "nats")),
    ]
    return Result(
        [
            Says(_class_by_place(predicted, scene)),
            _picture(screen, panels, "classes"),
            Numbers(_class_numbers(predicted, scene)),
            NATS,
        ],
        (ENTROPIES, LABELS, ENTROPY),
        (dense_scores.class_picture, summaries.summarise_classification, study_dense.outputs_of),
        dense_source.call_of(
            setting,
            "classes",
            f"outputs = study_dense.outputs_of(settings, params, scene.images[0], {setting[DRAWS]})",
            'picture = class_picture(heads(outputs, settings.tasks)["classes"])',
            "print(picture.expected_entropy.mean(), picture.mutual_information.mean())",
            imports=(
                "from bdlviz.topics.foundations.depth_and_edges.dense_network import heads",
                "from bdlviz.topics.foundations.depth_and_edges.dense_scores import class_picture",
            ),
        ),
    )


def _class_by_place(predicted: ClassPicture, scene: Scenes) -> str:
    """The two parts of the entropy at outlines and elsewhere."""
    edges = scene.edges[0]
    noise = [number(float(predicted.expected_entropy[where].mean()), 2) for where in (edges, ~edges)]
    between = [number(float(predicted.mutual_information[where].mean()), 2) for where in (edges, ~edges)]
    return (
        f"At outlines the noise is {noise[0]} nats, elsewhere {noise[1]}; the ignorance is {between[0]} nats at "
        f"outlines and {between[1]} elsewhere."
    )


def _class_numbers(predicted: ClassPicture, scene: Scenes) -> list[tuple[str, str, str]]:
    truth, known = scene.classes[0], label_entropy(scene)
    is_trained_on = truth != UNSEEN_CLASS
    accuracy = float((predicted.classes == truth)[is_trained_on].mean())
    return [
        (
            "Pixels right",
            f"{100 * accuracy:.1f} %",
            "Share of right pixels; pixels of a class never seen are left out.",
        ),
        (
            "Expected entropy, mean",
            f"{predicted.expected_entropy.mean():.3f} nats",
            f"Over the pixels. Known entropy of the labels: {known.mean():.3f} nats.",
        ),
        ("Mutual information", f"{predicted.mutual_information.mean():.3f} nats", "Mean over the pixels."),
        (
            "Noise and known",
            f"r = {dense_scores.correlation(predicted.expected_entropy, known):.2f}",
            "Correlation of expected entropy with the entropy of the labels, over pixels.",
        ),
    ]
