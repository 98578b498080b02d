"""Messages of a page to its fit: warm start, restart, samples on request, divergence, refusals, and no worker."""

import gzip
from typing import Any

import numpy as np
import pytest

from bdlviz.live import engine
from tests.live.in_node import ask

X, Y = np.linspace(-1, 1, 6), np.sin(3 * np.linspace(-1, 1, 6))
# Slices are taken by `run(n)`; a clock that moves 1 ms with every look makes them twelve steps long.
SESSION = """
const posts = [];
const queue = [];
let clock = 0;
const later = (callback) => queue.push(callback);
const session = new live.Session((message) => posts.push(message), later, () => (clock += 1));
const run = (slices) => { for (let i = 0; i < slices && queue.length; i += 1) queue.shift()(); };
const of = (type) => posts.filter((message) => message.type === type);
const at = Float32Array.of(-1, 0, 1, 2);
const start = (settings) => session.take({ type: "start", settings, x: given.x, y: given.y });
"""


def session(program: str, **given: Any) -> Any:
    """The answer of a program that talks to a session."""
    return ask(SESSION + program, **({"x": X, "y": Y} | given))


def test_samples_come_once_for_every_request():
    answer = session("""
    start({ hidden: [8] });
    session.take({ type: "grid", x: at, num_samples: 7 });
    run(3);
    const before = of("samples").length;
    session.take({ type: "next" });
    run(3);
    return { before, sets: of("samples"), steps: session.trainer.steps };
    """)
    assert answer["before"] == 0 and len(answer["sets"]) == 1
    (one,) = answer["sets"]
    assert len(one["samples"]) == 7 * 4 and (one["num_samples"], one["num_inputs"], one["num_outputs"]) == (7, 4, 1)
    assert answer["steps"] > one["step"] > 0 and one["noise"] == [pytest.approx(0.1)]


def test_points_and_settings_keep_the_weights_and_shapes_do_not():
    answer = session("""
    start({ method: "map", hidden: [8] });
    session.take({ type: "pause" });
    const weights = () => session.trainer.method.params.slice();
    const first = weights();
    session.take({ type: "points", x: given.x.slice(1), y: given.y.slice(1) });
    session.take({ type: "settings", settings: { weight_decay: 0.1, learning_rate: 0.02, noise_std: 0.3 } });
    const second = weights();
    session.take({ type: "settings", settings: { method: "bayes_by_backprop" } });
    const third = weights().slice(0, first.length);
    session.take({ type: "settings", settings: { method: "deep_ensemble" } });
    const fourth = weights();
    session.take({ type: "settings", settings: { hidden: [9] } });
    return { first, second, third, fourth, size: weights().length, reasons: of("restarted").map((m) => m.reason) };
    """)
    assert answer["first"] == answer["second"] == answer["third"] == answer["fourth"]
    assert answer["size"] == 28
    assert answer["reasons"] == ["start", "method", "method", "shape"]


def test_reset_starts_with_the_same_weights_and_another_seed_with_others():
    answer = session("""
    start({ hidden: [8] });
    const weights = () => session.trainer.method.params.slice();
    const first = weights();
    run(5);
    const trained = weights();
    session.take({ type: "reset" });
    const again = weights();
    session.take({ type: "reset", seed: 4 });
    return { first, trained, again, other: weights(), steps: session.trainer.steps };
    """)
    assert answer["first"] == answer["again"] != answer["trained"] and answer["other"] != answer["first"]
    assert answer["steps"] == 0


@pytest.mark.parametrize("method", ["mc_dropout", "gaussian_process"])
def test_a_paused_network_computes_a_set_of_samples_only_after_a_change(method: str):
    answer = session(
        """
    start({ method: given.method, hidden: [8] });
    session.take({ type: "pause" });
    session.take({ type: "grid", x: at });
    const counts = [];
    const count = () => { session.take({ type: "next" }); run(3); counts.push(of("samples").length); };
    count();
    count();
    session.take({ type: "points", x: given.x.slice(1), y: given.y.slice(1) });
    count();
    session.take({ type: "grid", x: at, sample_seed: 1 });
    count();
    count();
    session.take({ type: "settings", settings: { noise_std: 0.3 } });
    count();
    session.take({ type: "step" });
    count();
    return counts;
    """,
        method=method,
    )
    assert answer == [1, 1, 2, 3, 3, 4, 4 if method == "gaussian_process" else 5]


def test_the_same_sample_seed_has_the_same_masks():
    answer = session("""
    start({ hidden: [20], dropout_rate: 0.5 });
    session.take({ type: "pause" });
    const samples = (seed) => session.trainer.sample(at, 5, seed).samples;
    return [samples(1), samples(1), samples(2)];
    """)
    assert answer[0] == answer[1] != answer[2]


@pytest.mark.parametrize("method", ["map", "mc_dropout", "deep_ensemble", "bayes_by_backprop", "sgld"])
def test_divergence_stops_with_a_sentence_and_reset_goes_on(method: str):
    answer = session(
        """
    start({ method: given.method, hidden: [8], noise_std: 0.01, activation: "relu" });
    session.take({ type: "grid", x: at });
    session.take({ type: "next" });
    run(2);
    session.take({ type: "settings", settings: { learning_rate: 10, step_size: 10 } });
    session.trainer.method.step = () => NaN;
    session.take({ type: "next" });
    run(50);
    const steps = session.trainer.steps;
    session.take({ type: "settings", settings: { learning_rate: 0.001, step_size: 0.001 } });
    const isStopped = !session.isPlaying;
    session.take({ type: "reset" });
    run(5);
    return { said: of("diverged"), sets: of("samples"), isStopped, more: session.trainer.steps, steps };
    """,
        method=method,
    )
    assert len(answer["said"]) == 1 and "Reset" in answer["said"][0]["message"]
    assert answer["isStopped"] and answer["more"] > 0
    assert np.isfinite(answer["sets"][-1]["samples"]).all()


def test_a_huge_learning_rate_is_noticed():
    answer = session("""
    start({ method: "sgld", hidden: [8], step_size: 5 });
    run(50);
    return of("diverged").length;
    """)
    assert answer == 1


@pytest.mark.parametrize(
    ("message", "words"),
    [
        ({"type": "settings", "settings": {"dropout_rate": 2}}, "dropout_rate must be a number"),
        ({"type": "settings", "settings": {"hidden": [1000]}}, "width"),
        ({"type": "settings", "settings": {"hidden": []}}, "1 to 3"),
        ({"type": "settings", "settings": {"colour": 1}}, "no setting"),
        ({"type": "settings", "settings": {"task": "classification"}}, "Classes must be"),
        ({"type": "settings", "settings": {"method": "__proto__"}}, "method must be one of"),
        ({"type": "points", "x": [1, 2], "y": [1]}, "for each y"),
        ({"type": "points", "x": [1, None], "y": [1, 2]}, "finite"),
        ({"type": "grid", "x": [1, 2], "num_samples": 1e9}, "too large"),
        ({"type": "nonsense"}, "no message"),
    ],
)
def test_bad_messages_change_nothing(message: dict, words: str):
    program = """
    start({ hidden: [8] });
    const { settings } = session.trainer;
    session.take(given.message);
    run(3);
    return { said: of("refused"), same: settings === session.trainer.settings, steps: session.trainer.steps };
    """
    answer = session(program, message=message)
    assert len(answer["said"]) == 1 and words in answer["said"][0]["message"]
    assert answer["same"] and answer["steps"] > 0


@pytest.mark.parametrize("count", [0, 1, 2])
@pytest.mark.parametrize(
    "method", ["map", "mc_dropout", "deep_ensemble", "bayes_by_backprop", "sgld", "gaussian_process"]
)
def test_no_point_one_point_and_two_at_the_same_place(method: str, count: int):
    program = """
    start({ method: given.method, hidden: [8] });
    session.take({ type: "grid", x: at });
    session.take({ type: "next" });
    run(4);
    return { samples: of("samples")[0].samples, said: [...of("refused"), ...of("diverged")] };
    """
    answer = session(program, method=method, x=np.full(count, 0.5), y=np.arange(count) * 1.0)
    assert np.isfinite(answer["samples"]).all() and answer["samples"] and not answer["said"]


def test_classes_in_the_plane_are_learned():
    rng = np.random.default_rng(0)
    classes = np.repeat([0, 1, 2], 20)
    x = 3 * np.array([[0, 1], [1, -1], [-1, -1]])[classes] + rng.standard_normal((60, 2))
    program = """
    start({ task: "classification", num_inputs: 2, num_classes: 3, hidden: [16], learning_rate: 0.02 });
    session.take({ type: "step", steps: 500 });
    return session.trainer.sample(given.x, 20, 0).samples;
    """
    samples = np.reshape(session(program, x=x, y=classes), (20, 60, 3))
    np.testing.assert_allclose(samples.sum(-1), 1, atol=1e-5)
    assert (samples.mean(0).argmax(-1) == classes).mean() > 0.9


def test_inside_gives_the_weights_and_masks_of_one_sample():
    answer = session("""
    start({ hidden: [20, 5], dropout_rate: 0.5 });
    session.take({ type: "pause" });
    session.take({ type: "grid", x: at, num_samples: 4, sample_seed: 3 });
    session.take({ type: "inside", sample: 2 });
    const { scaling } = session.trainer;
    return { inside: of("inside")[0], scaling, samples: session.trainer.sample(at, 4, 3).samples };
    """)
    inside, scaling = answer["inside"], answer["scaling"]
    h = (np.array([[-1], [0], [1], [2]]) - scaling["x_mean"]) / scaling["x_scale"]
    for layer, (rows, columns) in enumerate(zip(inside["sizes"][:-1], inside["sizes"][1:], strict=True)):
        h = h @ np.reshape(inside["weights"][layer], (rows, columns)) + inside["biases"][layer]
        if layer < 2:
            h = np.maximum(h, 0) * inside["masks"][layer] * 2
    expected = scaling["y_mean"] + scaling["y_scale"] * h[:, 0]
    np.testing.assert_allclose(np.reshape(answer["samples"], (4, 4))[2], expected, atol=1e-5)


def test_without_a_worker_the_page_trains_in_slices():
    answer = ask(
        """
    const posts = [];
    const link = live.connect("nowhere", (message) => posts.push(message));
    link.send({ type: "start", settings: { hidden: [8] }, x: given.x, y: given.y });
    link.send({ type: "grid", x: Float32Array.of(0, 1), num_samples: 3 });
    link.send({ type: "next" });
    await new Promise((done) => setTimeout(done, 200));
    const { in_page } = link;
    link.close();
    return { in_page, types: posts.map((message) => message.type), ends: posts.at(-1) };
    """,
        x=X,
        y=Y,
    )
    assert answer["in_page"] and answer["types"][:2] == ["ready", "restarted"]
    assert answer["types"].count("samples") == 1 and answer["ends"]["step"] > 0


def test_the_engine_is_one_module_without_imports():
    assert "import " not in engine().replace("important ", "") and len(gzip.compress(engine().encode())) < 30_000
