"""Dense prediction: depth and classes of a made scene, pixel by pixel, with both kinds of uncertainty."""

from __future__ import annotations

from collections.abc import Sequence

from bdlviz.predictive import summaries
from bdlviz.topics.foundations.kinds_of_uncertainty import (
    convolutional,
    dense_scores,
    dense_source,
    figures_dense,
    study_dense,
)
from bdlviz.topics.foundations.kinds_of_uncertainty import scenes as made
from bdlviz.topics.foundations.kinds_of_uncertainty.controls import (
    DRAWS,
    FRONT,
    NUM_SCENES,
    ROW,
    TASKS,
    draws_are_masks,
)
from bdlviz.topics.foundations.kinds_of_uncertainty.dense_scores import ClassPicture, DepthPicture
from bdlviz.topics.foundations.kinds_of_uncertainty.dense_source import (
    Arrays,
    label_entropy,
    mean_in_front,
    networks_needed,
    scene_of,
)
from bdlviz.topics.foundations.kinds_of_uncertainty.figures_dense import Pixels
from bdlviz.topics.foundations.kinds_of_uncertainty.scenes import CLASSES, DEPTH_RANGE, UNSEEN_CLASS, Scenes
from bdlviz.ui.model import Figure, Need, Numbers, Part, Result, Screen, Setting, Words

ALEATORIC_RANGE, EPISTEMIC_RANGE = (0.0, 1.2), (0.0, 0.6)  # metres
ENTROPY_RANGE, INFORMATION_RANGE = (0.0, 1.0), (0.0, 0.2)  # nats
FINER = Words("The colour bars differ: epistemic uncertainty has a finer scale.")
NAMES = (*CLASSES, "never seen")


def _picture(setting: Setting, screen: Screen, panels: list[Pixels], key: str) -> Figure:
    fig = figures_dense.pixel_panels(panels, row=int(setting[ROW]), theme=screen.theme, stacked=screen.is_narrow)
    return Figure(f"dense_{key}", fig, figures_dense.describe_pixels(panels))


# Depth ----------------------------------------------------------------------------------------------------------------


def depth_needed(setting: Setting) -> list[Need[Arrays]]:
    """The networks, or None in their place: the scene is shown without them, too."""
    return [networks_needed(setting)]


def depth(setting: Setting, screen: Screen, found: Sequence[Arrays | None]) -> Result:
    """Image, true depth, predicted depth and both uncertainties in metres, and one row of them as curves."""
    [arrays] = found
    return Result([_known(setting, screen)]) if arrays is None else _depth(setting, screen, arrays)


def _known(setting: Setting, screen: Screen) -> Figure:
    """What is known without any network: the scene and its sensor."""
    scene = scene_of(setting)
    panels = [
        Pixels("Image", scene.images[0]),
        Pixels("True depth", scene.depth[0], DEPTH_RANGE, unit="m", bar="metres"),
        Pixels("Readings", scene.readings[0], DEPTH_RANGE, unit="m", bar="metres"),
        Pixels("Known noise", scene.noise_std[0], ALEATORIC_RANGE, "aleatoric", "m", "sd (metres)"),
    ]
    return _picture(setting, screen, panels, "known")


def _depth(setting: Setting, screen: Screen, arrays: Arrays) -> Result:
    scene, shown = scene_of(setting), dense_source.depth(setting, arrays)
    panels = [
        Pixels("Image", scene.images[0]),
        Pixels("True depth", scene.depth[0], DEPTH_RANGE, unit="m", bar="metres"),
        Pixels("Prediction", shown.mean, DEPTH_RANGE, unit="m", bar="metres"),
        Pixels("Aleatoric", shown.aleatoric_std, ALEATORIC_RANGE, "aleatoric", "m", "sd (metres)"),
        Pixels("Epistemic", shown.epistemic_std, EPISTEMIC_RANGE, "epistemic", "m", "sd (metres)"),
    ]
    has_masks = draws_are_masks(setting)
    parts: list[Part] = [
        _picture(setting, screen, panels, "depth"),
        _depth_cut(setting, screen, scene, shown),
        Numbers(_depth_numbers(shown, scene)),
        FINER,
        *_of_front_depth(setting, arrays, shown, scene),
    ]
    if setting[DRAWS] == "1" and has_masks:
        parts.append(Words("The epistemic sd of one draw is 0 by definition, whatever the network does not know."))
    return Result(
        parts,
        (dense_scores.depth_picture, made.sensor_moments, dense_scores.coverage),
        (
            study_dense.outputs_of if has_masks else study_dense.network_depths,
            dense_scores.draw_outputs,
            dense_scores.depth_picture,
            convolutional.draw_masks,
        ),
        _depth_call(setting, has_masks),
    )


def _depth_cut(setting: Setting, screen: Screen, scene: Scenes, shown: DepthPicture) -> Figure:
    row = int(setting[ROW])
    cut = figures_dense.depth_cut(
        scene.depth[0, row],
        scene.readings[0, row],
        shown.mean[row],
        shown.aleatoric_std[row],
        shown.epistemic_std[row],
        y_range=DEPTH_RANGE,
        theme=screen.theme,
    )
    return Figure("depth_cut", cut, f"Depth along row {row}: truth, readings, mean and both bands.")


def _depth_numbers(shown: DepthPicture, scene: Scenes) -> list[tuple[str, str, str]]:
    known, readings = scene.noise_std[0], scene.readings[0]
    inside = dense_scores.coverage(readings, shown.mean, shown.total_std)
    inside_aleatoric = dense_scores.coverage(readings, shown.mean, shown.aleatoric_std)
    agreement = dense_scores.correlation(shown.aleatoric_std, known)
    return [
        (
            "Aleatoric sd, mean",
            f"{shown.aleatoric_std.mean():.2f} m",
            f"Over the pixels of this scene. The sensor's own, which is known here: {known.mean():.2f} m.",
        ),
        ("Epistemic sd, mean", f"{shown.epistemic_std.mean():.2f} m", "Over the pixels of this scene."),
        (
            "Readings in the 95 % band",
            f"{inside:.1%}",
            f"Of both uncertainties together; in the aleatoric band alone {inside_aleatoric:.1%}.",
        ),
        ("Aleatoric and known sd", f"r = {agreement:.2f}", "Correlation over the pixels of this scene."),
    ]


def _of_front_depth(setting: Setting, arrays: Arrays, shown: DepthPicture, scene: Scenes) -> list[Part]:
    """The changed thing in front compared with the same thing as in training."""
    if setting[FRONT] == "none":
        return []
    usual, before = scene_of(setting, "none"), dense_source.depth(setting, arrays, "none")
    error, error_before = abs(shown.mean - scene.depth[0]), abs(before.mean - usual.depth[0])
    told = (
        f"Pixels of the thing in front, as in training and changed: epistemic sd "
        f"{mean_in_front(before.epistemic_std, usual):.2f} m and {mean_in_front(shown.epistemic_std, scene):.2f} m; "
        f"mean error {mean_in_front(error_before, usual):.2f} m and {mean_in_front(error, scene):.2f} m."
    )
    return [Words(told)]


def _depth_call(setting: Setting, has_masks: bool) -> str:
    printed = "print(found.aleatoric_std.mean(), found.epistemic_std.mean(), scene.noise_std.mean())"
    if has_masks:
        line = f"found = study_dense.depth_of(settings, params, scene.images[0], {setting[DRAWS]})"
        return dense_source.call_of(setting, setting[TASKS], line, printed)
    return dense_source.call_of(
        setting,
        setting[TASKS],
        f"outputs = study_dense.network_depths(arrays, {setting[NUM_SCENES]}, scene.images[0])",
        "found = depth_picture(outputs[..., 0], outputs[..., 1], offset=DEPTH_MEAN, scale=DEPTH_SCALE)",
        printed,
        imports=(
            "from bdlviz.topics.foundations.kinds_of_uncertainty.dense_network import DEPTH_MEAN, DEPTH_SCALE",
            "from bdlviz.topics.foundations.kinds_of_uncertainty.dense_scores import depth_picture",
        ),
    )


# Classes --------------------------------------------------------------------------------------------------------------


def classes(setting: Setting, screen: Screen, arrays: Arrays) -> Result:
    """Image, true classes, predicted classes and the two parts of the entropy, and one row of them as curves."""
    scene, shown = scene_of(setting), dense_source.classes(setting, arrays)
    panels = [
        Pixels("Image", scene.images[0]),
        Pixels("True classes", scene.classes[0], names=NAMES),
        Pixels("Prediction", shown.classes, names=NAMES),
        Pixels("Aleatoric", shown.expected_entropy, ENTROPY_RANGE, "aleatoric", "nats", "expected entropy (nats)"),
        Pixels("Epistemic", shown.mutual_information, INFORMATION_RANGE, "epistemic", "nats", "mutual inf. (nats)"),
    ]
    row, truth = int(setting[ROW]), label_entropy(scene)
    cut = figures_dense.entropy_cut(
        shown.expected_entropy[row], shown.mutual_information[row], truth[row], theme=screen.theme
    )
    alt = f"Entropies along row {row}: of the labels, of a draw and mutual information."
    return Result(
        [
            _picture(setting, screen, panels, "classes"),
            Figure("entropy_cut", cut, alt),
            Numbers(_class_numbers(shown, scene)),
            FINER,
            *_of_front_classes(setting, arrays, shown, scene),
        ],
        (summaries.summarise_classification, made.label_probabilities, summaries.entropy),
        (dense_scores.class_picture, summaries.summarise_classification, study_dense.outputs_of),
        dense_source.call_of(
            setting,
            "classes",
            f"outputs = study_dense.outputs_of(settings, params, scene.images[0], {setting[DRAWS]})",
            'found = class_picture(heads(outputs, settings.tasks)["classes"])',
            "print(found.expected_entropy.mean(), found.mutual_information.mean())",
            imports=(
                "from bdlviz.topics.foundations.kinds_of_uncertainty.dense_network import heads",
                "from bdlviz.topics.foundations.kinds_of_uncertainty.dense_scores import class_picture",
            ),
        ),
    )


def _class_numbers(shown: ClassPicture, scene: Scenes) -> list[tuple[str, str, str]]:
    truth, known = scene.classes[0], label_entropy(scene)
    can_be_right = truth != UNSEEN_CLASS
    accuracy = float((shown.classes == truth)[can_be_right].mean())
    return [
        ("Pixels right", f"{accuracy:.1%}", "Of those whose class the network knows."),
        (
            "Expected entropy, mean",
            f"{shown.expected_entropy.mean():.3f} nats",
            f"Over the pixels. The labels' own, which is known here: {known.mean():.3f} nats.",
        ),
        ("Mutual information", f"{shown.mutual_information.mean():.3f} nats", "Mean over the pixels."),
        (
            "Aleatoric and known",
            f"r = {dense_scores.correlation(shown.expected_entropy, known):.2f}",
            "Correlation of expected entropy with the entropy of the labels, over pixels.",
        ),
    ]


def _of_front_classes(setting: Setting, arrays: Arrays, shown: ClassPicture, scene: Scenes) -> list[Part]:
    if setting[FRONT] == "none":
        return []
    usual, before = scene_of(setting, "none"), dense_source.classes(setting, arrays, "none")
    told = (
        "Pixels of the thing in front, as in training and changed: mutual information "
        f"{mean_in_front(before.mutual_information, usual):.3f} and "
        f"{mean_in_front(shown.mutual_information, scene):.3f} nats, expected entropy "
        f"{mean_in_front(before.expected_entropy, usual):.3f} and "
        f"{mean_in_front(shown.expected_entropy, scene):.3f} nats; the most probable class has probability "
        f"{mean_in_front(shown.probabilities.max(-1), scene):.0%} now."
    )
    return [Words(told)]
