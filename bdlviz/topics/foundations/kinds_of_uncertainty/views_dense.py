"""Dense prediction: depth and classes of a made scene, pixel by pixel, with both kinds of uncertainty."""

from __future__ import annotations

import streamlit as st

from bdlviz.predictive import summaries
from bdlviz.topics.foundations.kinds_of_uncertainty import convolutional, dense_scores, figures_dense, study_dense
from bdlviz.topics.foundations.kinds_of_uncertainty import scenes as made
from bdlviz.topics.foundations.kinds_of_uncertainty import views_dense_source as source
from bdlviz.topics.foundations.kinds_of_uncertainty import views_dense_studies as studies
from bdlviz.topics.foundations.kinds_of_uncertainty.dense_scores import ClassPicture, DepthPicture
from bdlviz.topics.foundations.kinds_of_uncertainty.figures_dense import Pixels
from bdlviz.topics.foundations.kinds_of_uncertainty.scenes import CLASSES, DEPTH_RANGE, UNSEEN_CLASS, Scenes
from bdlviz.topics.foundations.kinds_of_uncertainty.views_dense_source import (
    DRAWS,
    FROM,
    FRONT,
    NUM_SCENES,
    ROOM,
    ROW,
    TASKS,
)
from bdlviz.ui.frame.look import figure, numbers, present_theme
from bdlviz.ui.frame.page import Shown
from bdlviz.ui.frame.window import is_narrow

ALEATORIC_RANGE, EPISTEMIC_RANGE = (0.0, 1.2), (0.0, 0.6)  # metres
ENTROPY_RANGE, INFORMATION_RANGE = (0.0, 1.0), (0.0, 0.2)  # nats
FINER = "Mind the bars: epistemic uncertainty is drawn on a finer scale."
NAMES = (*CLASSES, "never seen")
CONTROLS = (ROOM, FRONT, NUM_SCENES, FROM, TASKS, DRAWS, ROW)


def choose_depth() -> None:
    """The controls of the depth map."""
    source.choose_scene()
    NUM_SCENES.show()
    if FROM.show() == "masks":
        TASKS.show()
        DRAWS.show()
    ROW.show()


def show_depth() -> Shown | None:
    """Image, true depth, predicted depth and both uncertainties in metres, and one row of them as curves."""
    arrays = source.bundle(study_dense.SCENES)
    scene = source.present_scene()
    if arrays is None:
        _show_without_network(scene)
        return None
    found = source.depth(arrays, scene, FRONT.present())
    panels = [
        Pixels("Image", scene.images[0]),
        Pixels("True depth", scene.depth[0], DEPTH_RANGE, unit="m", bar="metres"),
        Pixels("Prediction", found.mean, DEPTH_RANGE, unit="m", bar="metres"),
        Pixels("Aleatoric", found.aleatoric_std, ALEATORIC_RANGE, "aleatoric", "m", "sd (metres)"),
        Pixels("Epistemic", found.epistemic_std, EPISTEMIC_RANGE, "epistemic", "m", "sd (metres)"),
    ]
    _draw(panels, "depth")
    row = int(ROW.present())
    cut = figures_dense.depth_cut(
        scene.depth[0, row],
        scene.readings[0, row],
        found.mean[row],
        found.aleatoric_std[row],
        found.epistemic_std[row],
        y_range=DEPTH_RANGE,
        theme=present_theme(),
    )
    figure(cut, key="depth_cut", alt=f"Depth along row {row}: truth, readings, mean and both bands.")
    numbers(_depth_numbers(found, scene))
    st.caption(FINER)
    _say_of_front_depth(found, scene)
    is_ensemble = FROM.present() == "networks"
    if DRAWS.present() == "1" and not is_ensemble:
        st.caption("One draw has nobody to disagree with: its epistemic sd is 0, whatever it does not know.")
    draws = study_dense.network_depths if is_ensemble else study_dense.outputs_of
    return Shown(
        (dense_scores.depth_picture, made.sensor_moments, dense_scores.coverage),
        (draws, dense_scores.draw_outputs, dense_scores.depth_picture, convolutional.draw_masks),
        _depth_snippet(is_ensemble),
    )


def _depth_snippet(is_ensemble: bool) -> str:
    printed = "print(found.aleatoric_std.mean(), found.epistemic_std.mean(), scene.noise_std.mean())"
    if not is_ensemble:
        line = f"found = study_dense.depth_of(settings, params, scene.images[0], {DRAWS.present()})"
        return source.snippet(TASKS.present(), line, printed)
    return source.snippet(
        TASKS.present(),
        f"outputs = study_dense.network_depths(arrays, {NUM_SCENES.present()}, scene.images[0])",
        "found = depth_picture(outputs[..., 0], outputs[..., 1], offset=DEPTH_MEAN, scale=DEPTH_SCALE)",
        printed,
        imports=(
            "from bdlviz.topics.foundations.kinds_of_uncertainty.dense_network import DEPTH_MEAN, DEPTH_SCALE",
            "from bdlviz.topics.foundations.kinds_of_uncertainty.dense_scores import depth_picture",
        ),
    )


def _draw(panels: list[Pixels], key: str) -> None:
    fig = figures_dense.pixel_panels(panels, row=int(ROW.present()), theme=present_theme(), stacked=is_narrow())
    figure(fig, key=f"dense_{key}", alt=figures_dense.describe_pixels(panels))


def _show_without_network(scene: Scenes) -> None:
    """What is known without any network: the scene and its sensor."""
    _draw(
        [
            Pixels("Image", scene.images[0]),
            Pixels("True depth", scene.depth[0], DEPTH_RANGE, unit="m", bar="metres"),
            Pixels("Readings", scene.readings[0], DEPTH_RANGE, unit="m", bar="metres"),
            Pixels("Known noise", scene.noise_std[0], ALEATORIC_RANGE, "aleatoric", "m", "sd (metres)"),
        ],
        "known",
    )


def _depth_numbers(found: DepthPicture, scene: Scenes) -> list[tuple[str, str, str]]:
    known, readings = scene.noise_std[0], scene.readings[0]
    inside = dense_scores.coverage(readings, found.mean, found.total_std)
    inside_aleatoric = dense_scores.coverage(readings, found.mean, found.aleatoric_std)
    agreement = dense_scores.correlation(found.aleatoric_std, known)
    return [
        (
            "Aleatoric sd, mean",
            f"{found.aleatoric_std.mean():.2f} m",
            f"Over the pixels of this scene. The sensor's own, which is known here: {known.mean():.2f} m.",
        ),
        ("Epistemic sd, mean", f"{found.epistemic_std.mean():.2f} m", "Over the pixels of this scene."),
        (
            "Readings in the 95 % band",
            f"{inside:.1%}",
            f"Of both uncertainties together; in the aleatoric band alone {inside_aleatoric:.1%}.",
        ),
        ("Aleatoric and known sd", f"r = {agreement:.2f}", "Correlation over the pixels of this scene."),
    ]


def _say_of_front_depth(found: DepthPicture, scene: Scenes) -> None:
    """The thing in front beside itself as in training."""
    if FRONT.present() == "none":
        return
    usual = source.present_scene("none")
    arrays = source.bundle(study_dense.SCENES)
    if arrays is None:
        return
    before = source.depth(arrays, usual, "none")
    error, error_before = abs(found.mean - scene.depth[0]), abs(before.mean - usual.depth[0])
    st.caption(
        f"Pixels of the thing in front, as in training and changed: epistemic sd "
        f"{source.mean_in_front(before.epistemic_std, usual):.2f} m and "
        f"{source.mean_in_front(found.epistemic_std, scene):.2f} m; mean error "
        f"{source.mean_in_front(error_before, usual):.2f} m and {source.mean_in_front(error, scene):.2f} m."
    )


# Classes --------------------------------------------------------------------------------------------------------------


def choose_classes() -> None:
    """The controls of the segmentation."""
    source.choose_scene()
    NUM_SCENES.show()
    DRAWS.show()
    ROW.show()


def show_classes() -> Shown | None:
    """Image, true classes, predicted classes and the two parts of the entropy, and one row of them as curves."""
    arrays = source.bundle(study_dense.SCENES)
    if arrays is None:
        return None
    scene = source.present_scene()
    found = source.classes(arrays, scene, FRONT.present())
    _draw(
        [
            Pixels("Image", scene.images[0]),
            Pixels("True classes", scene.classes[0], names=NAMES),
            Pixels("Prediction", found.classes, names=NAMES),
            Pixels("Aleatoric", found.expected_entropy, ENTROPY_RANGE, "aleatoric", "nats", "expected entropy (nats)"),
            Pixels("Epistemic", found.mutual_information, INFORMATION_RANGE, "epistemic", "nats", "mutual inf. (nats)"),
        ],
        "classes",
    )
    row, truth = int(ROW.present()), source.label_entropy(scene)
    cut = figures_dense.entropy_cut(
        found.expected_entropy[row], found.mutual_information[row], truth[row], theme=present_theme()
    )
    figure(cut, key="entropy_cut", alt=f"Entropies along row {row}: of the labels, of a draw and mutual information.")
    numbers(_class_numbers(found, scene))
    st.caption(FINER)
    _say_of_front_classes(found, scene)
    return Shown(
        (summaries.summarise_classification, made.label_probabilities, summaries.entropy),
        (dense_scores.class_picture, summaries.summarise_classification, study_dense.outputs_of),
        source.snippet(
            "classes",
            f"outputs = study_dense.outputs_of(settings, params, scene.images[0], {DRAWS.present()})",
            'found = class_picture(heads(outputs, settings.tasks)["classes"])',
            "print(found.expected_entropy.mean(), found.mutual_information.mean())",
            imports=(
                "from bdlviz.topics.foundations.kinds_of_uncertainty.dense_network import heads",
                "from bdlviz.topics.foundations.kinds_of_uncertainty.dense_scores import class_picture",
            ),
        ),
    )


def _class_numbers(found: ClassPicture, scene: Scenes) -> list[tuple[str, str, str]]:
    truth, known = scene.classes[0], source.label_entropy(scene)
    can_be_right = truth != UNSEEN_CLASS
    accuracy = float((found.classes == truth)[can_be_right].mean())
    return [
        ("Pixels right", f"{accuracy:.1%}", "Of those whose class the network knows."),
        (
            "Expected entropy, mean",
            f"{found.expected_entropy.mean():.3f} nats",
            f"Over the pixels. The labels' own, which is known here: {known.mean():.3f} nats.",
        ),
        ("Mutual information", f"{found.mutual_information.mean():.3f} nats", "Mean over the pixels."),
        (
            "Aleatoric and known",
            f"r = {dense_scores.correlation(found.expected_entropy, known):.2f}",
            "Correlation of expected entropy with the entropy of the labels, over pixels.",
        ),
    ]


def _say_of_front_classes(found: ClassPicture, scene: Scenes) -> None:
    if FRONT.present() == "none":
        return
    usual = source.present_scene("none")
    arrays = source.bundle(study_dense.SCENES)
    if arrays is None:
        return
    before = source.classes(arrays, usual, "none")
    surest = found.probabilities.max(-1)
    st.caption(
        f"Pixels of the thing in front, as in training and changed: mutual information "
        f"{source.mean_in_front(before.mutual_information, usual):.3f} and "
        f"{source.mean_in_front(found.mutual_information, scene):.3f} nats, expected entropy "
        f"{source.mean_in_front(before.expected_entropy, usual):.3f} and "
        f"{source.mean_in_front(found.expected_entropy, scene):.3f} nats; the most probable class has "
        f"{source.mean_in_front(surest, scene):.0%} now."
    )


VIEWS = {
    "depth": ("depth, pixel by pixel", choose_depth, show_depth),
    "classes": ("classes, pixel by pixel", choose_classes, show_classes),
    "scenes": ("depth, with more scenes", studies.choose_sizes, studies.show_sizes),
    "second_task": ("depth, with a second task", studies.choose_tasks, studies.show_tasks),
}
