"""The engine of the browser computes what the library does: outputs, losses, gradients and steps of every method."""

import numpy as np
import pytest

from bdlviz.methods import sgld
from bdlviz.methods.bayes_by_backprop import RHO
from bdlviz.models.likelihoods import likelihood
from bdlviz.models.mlp import MLP
from bdlviz.models.model import Model
from bdlviz.models.priors import prior_precisions
from bdlviz.models.scaling import Scaling
from bdlviz.training.method import Setup
from bdlviz.training.noise import MaskStream, generator
from bdlviz.training.normals import Normals
from bdlviz.training.penalised import penalised_likelihood
from bdlviz.training.stacked_gaussian import StackedGaussianMLP
from bdlviz.training.stacked_mlp import StackedMLP, WeightDecay
from bdlviz.training.weight_families import GaussianPrior, Pieces, SoftplusFamily
from bdlviz.types import Dataset
from tests.live import in_node
from tests.live.in_node import ask, assert_near, flat

COUNT = 12
SHAPES = [(1, 16, 16), (2, 9), (2, 8, 7, 6)]
LIKELIHOODS = {"gaussian": 1, "homoscedastic": 1, "heteroscedastic": 2, "categorical": 3}
MODEL = """
const network = new live.MLP(given.sizes, given.activation);
const model = { network, likelihood: live.LIKELIHOODS[given.likelihood], numClasses: given.sizes.at(-1) };
const batch = { x: given.x, y: given.y, count: given.count, numData: 30, precision: given.precision };
const parts = (numbers, widths) => widths.map((w, l) => {
  const start = given.count * widths.slice(0, l).reduce((a, b) => a + b, 0);
  return numbers.slice(start, start + given.count * w);
});
"""


@pytest.fixture(autouse=True, params=["WebAssembly", "JavaScript"])
def products(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch):
    """Every comparison with compiled products, and with those that browsers without WebAssembly use."""
    monkeypatch.setattr(in_node, "is_compiled", request.param == "WebAssembly")


class Case:
    """Data and parameters of one network, from a seed."""

    def __init__(self, hidden: tuple[int, ...], activation: str, name: str) -> None:
        rng = np.random.default_rng(3)
        self.network = MLP((*hidden, LIKELIHOODS[name]), activation)
        self.likelihood = likelihood(name)
        self.params = self.network.init(rng)
        self.x = rng.standard_normal((COUNT, hidden[0])).astype(np.float32)
        classes = rng.integers(3, size=(COUNT, 1))
        values = rng.standard_normal((COUNT, 1)).astype(np.float32)
        self.y = classes if name == "categorical" else values
        masks = MaskStream([(COUNT, width) for width in self.network.hidden], np.array([0.3]), (5,))
        self.masks = [mask.copy() for mask in masks.next()]
        self.rng = rng
        self.given = {
            "sizes": self.network.sizes, "activation": activation, "likelihood": name,
            "x": self.x, "y": self.y, "count": COUNT, "precision": 1.7, "params": flat(self.params),
        }  # fmt: skip

    def by_library(self, masks: list[np.ndarray] | None, decay: float) -> tuple[np.ndarray, float, np.ndarray]:
        """Outputs, loss with weight decay, and gradient of all parameters."""
        stack = StackedMLP(self.network, 1, 1, COUNT)
        stack.load(self.params)
        omega = WeightDecay(stack, np.array([decay]))
        outputs = stack.forward(self.x[None, None], masks).copy()
        self.likelihood.gradient(outputs, self.y[None, None], stack.output_gradients)
        loss = float((self.likelihood.loss(outputs, self.y[None, None]) + omega.penalty()).squeeze())
        stack.backward()
        omega.add_gradient()
        return outputs, loss, flat(stack.gradients())


@pytest.mark.parametrize("dropped", [False, True])
@pytest.mark.parametrize("name", LIKELIHOODS)
@pytest.mark.parametrize("activation", ["relu", "tanh", "gelu"])
def test_outputs_loss_and_gradient_of_a_network_with_and_without_masks(activation: str, name: str, dropped: bool):
    case = Case(SHAPES[["relu", "tanh", "gelu"].index(activation)], activation, name)
    outputs, loss, gradient = case.by_library(case.masks if dropped else None, 0.03)
    program = """
    const method = new live.PlainNetwork(model);
    method.load(given.params);
    const masks = given.masks && parts(given.masks, network.hidden);
    const loss = method.differentiate(batch, masks, { weight_decay: 0.03 });
    const outputs = model.pass.outputs.subarray(0, given.count * given.sizes.at(-1));
    return { outputs, loss, gradient: model.pass.gradient };
    """
    masks = flat(dict(enumerate(case.masks))) if dropped else None
    answer = ask(MODEL + program, **case.given, masks=masks)
    assert_near(answer["outputs"], outputs)
    assert answer["loss"] == pytest.approx(loss, rel=1e-5)
    assert_near(answer["gradient"], gradient)


def test_thirty_steps_of_adam_end_at_the_same_weights():
    """A plain network and each member of an ensemble, from the library's initial weights, on all points."""
    case = Case((1, 16, 16), "tanh", "gaussian")
    setup = Setup(
        Model(case.network, case.likelihood), {"weight_decay": np.array([0.01])}, (4,), COUNT, COUNT, 30, 0.01, 1
    )
    method = penalised_likelihood(setup)
    state = method.init()
    start = case.network.init(generator(4, "init"))
    for _ in range(30):
        state = method.update(state, (case.x[None, None], case.y[None, None]), False)
    program = """
    const settings = { weight_decay: 0.01, learning_rate: 0.01, num_members: 2 };
    const ensemble = new live.DeepEnsemble(model);
    ensemble.load(given.params, new live.Random(0), settings);
    for (let i = 0; i < 30; i += 1) ensemble.step(batch, null, settings);
    return { params: ensemble.params };
    """
    answer = ask(MODEL + program, **(case.given | {"params": flat(start)}))
    assert_near(answer["params"], flat(method.params(state)), 1e-4)


@pytest.mark.parametrize(("activation", "name"), [("relu", "gaussian"), ("gelu", "categorical"), ("tanh", "gaussian")])
def test_bayes_by_backprop(activation: str, name: str):
    case = Case((2, 16, 9), activation, name)
    rho = {RHO + key: case.rng.uniform(-5, 0, value.shape).astype(np.float32) for key, value in case.params.items()}
    noise = [case.rng.standard_normal((1, 1, COUNT, width)).astype(np.float32) for width in case.network.sizes[1:]]
    stack = StackedGaussianMLP(case.network, 1, 1, COUNT, certain_biases=False)
    pieces = Pieces(stack, SoftplusFamily(RHO, GaussianPrior(np.full((1, 1), 1.5, np.float32))))
    stack.load(case.params | rho, RHO)
    pieces.set_variances()
    outputs = stack.forward(case.x[None, None], noise)
    case.likelihood.gradient(outputs, case.y[None, None], stack.output_gradients)
    stack.output_gradients *= np.float32(1.7)
    data = 1.7 * case.likelihood.loss(outputs, case.y[None, None]).squeeze()
    expected_outputs = outputs.copy()
    stack.backward()
    penalty = pieces.set_gradients(np.full((1, 1), 0.4 / 30, np.float32), True)
    assert penalty is not None
    by_mean, by_rho = (
        {key: stack.view(rows, key) for key in case.params} for rows in (stack.by_mean, stack.by_variance)
    )
    program = """
    const method = new live.BayesByBackprop(model);
    method.load(given.params, null, { start_rho: 0 });
    method.params.set(given.rho, method.size);
    const settings = { kl_weight: 0.4, length_scale: 1.5 };
    const loss = method.differentiate(batch, parts(given.noise, network.sizes.slice(1)), settings);
    return { outputs: method.outputs.subarray(0, given.count * given.sizes.at(-1)), loss, gradient: method.gradient };
    """
    answer = ask(MODEL + program, **case.given, rho=flat(rho), noise=flat(dict(enumerate(noise))))
    assert_near(answer["outputs"], expected_outputs)
    assert answer["loss"] == pytest.approx(float(data + 0.4 / 30 * penalty[0]), rel=1e-5)
    half = len(flat(case.params))
    assert_near(answer["gradient"][:half], flat(by_mean))
    assert_near(answer["gradient"][half:], flat(by_rho))


@pytest.mark.parametrize("by_width", [False, True])
def test_the_potential_of_langevin_dynamics(by_width: bool):
    """The gradient of U = -tau sum log p(y | x, w) + half the weights' squares times their prior precisions."""
    case = Case((2, 9, 5), "tanh", "gaussian")
    _, loss, gradient = case.by_library(None, 0.0)
    precisions = prior_precisions(case.network, 1.5, by_width)
    prior = flat({key: np.full(value.shape, precisions[key]) for key, value in case.params.items()})
    weights = flat(case.params)
    program = """
    const method = new live.Langevin(model);
    method.load(given.params);
    const loss = method.differentiate(batch, { length_scale: 1.5, prior_by_width: given.by_width });
    return { loss, gradient: model.pass.gradient };
    """
    answer = ask(MODEL + program, **case.given, by_width=int(by_width))
    assert_near(answer["gradient"], 1.7 * 30 * gradient + prior * weights)
    assert answer["loss"] == pytest.approx(1.7 * loss + 0.5 * float(prior @ weights**2) / 30, rel=1e-5)


def test_masks_that_are_drawn_have_the_rate_of_16_bits():
    drawn = ask("return { masks: new live.Random(1).fillMasks(new Float32Array(400001), 0.3) };")["masks"]
    threshold = round(0.3 * 65536)
    assert set(np.asarray(drawn, np.float32)) == {np.float32(0), np.float32(65536 / (65536 - threshold))}
    assert np.mean(np.equal(drawn, 0)) == pytest.approx(threshold / 65536, abs=4 * np.sqrt(0.21 / 400001))


def test_random_numbers_have_the_moments_of_their_distributions():
    program = """
    const random = new live.Random(7);
    const normals = random.fillNormals(new Float32Array(100001));
    const uniforms = Float32Array.from({ length: 100000 }, () => random.uniform());
    const order = random.permutation(50);
    return { normals, uniforms, order, same: new live.Random(7).word() === new live.Random(7).word() };
    """
    drawn = ask(program)
    normals, uniforms = np.array(drawn["normals"]), np.array(drawn["uniforms"])
    assert abs(normals.mean()) < 4 / np.sqrt(len(normals))
    assert normals.var() == pytest.approx(1, abs=4 * np.sqrt(2 / len(normals)))
    assert uniforms.mean() == pytest.approx(0.5, abs=4 / np.sqrt(12 * len(uniforms)))
    assert sorted(drawn["order"]) == list(range(50)) and drawn["same"]


def test_standardisation():
    rng = np.random.default_rng(0)
    x = np.column_stack([rng.normal(3, 2, 20), np.full(20, 0.1)])
    y = rng.normal(-1, 0.4, 20)
    scaling = Scaling.of(Dataset("a", "A", x, y[:, None]))
    answer = ask("return live.scalingOf(given.x, given.y, 2, false);", x=x.ravel().tolist(), y=y.tolist())
    for name in ("x_mean", "x_scale", "y_mean", "y_scale"):
        np.testing.assert_allclose(np.ravel(answer[name]), getattr(scaling, name)[0], rtol=1e-12)


@pytest.mark.parametrize(("activation", "name"), [("tanh", "gaussian"), ("relu", "categorical")])
def test_a_step_of_langevin_dynamics_ends_at_the_same_weights(activation: str, name: str):
    """Three steps from the same weights, on the same points, with the same normal numbers; the last is kept."""
    case, settings = Case((2, 9, 5), activation, name), {"length_scale": 1.5, "step_size": 0.05}
    setup = Setup(
        Model(case.network, case.likelihood), {key: np.array([value]) for key, value in settings.items()}, (4,),
        COUNT, COUNT, 3, 0.01, 2, options={"prior_by_width": 1, "num_kept": 1, "thinning": 3}, precision=1.7,
    )  # fmt: skip
    method = sgld.build(setup)
    state = method.init()
    for _ in range(3):
        state = method.update(state, (case.x[None, None], case.y[None, None]), False)
    rng, drawn = generator(4, "chains"), np.zeros((4, case.network.num_numbers), np.float32)
    for row in drawn:
        Normals(case.network.num_numbers).fill(rng, row)
    program = """
    const method = new live.Langevin(model);
    method.load(given.params);
    let step = 0;
    const size = given.params.length;
    const random = { fillNormals: (out) => out.set(given.drawn.slice(++step * size, (step + 1) * size)) };
    const all = { ...batch, numData: given.count };
    for (let i = 0; i < 3; i += 1) method.step(all, random, given.settings);
    return { params: method.params, kept: method.kept };
    """
    settings |= {"prior_by_width": 1, "num_kept": 1, "thinning": 3}
    start = flat(case.network.init(generator(4, "init")))
    answer = ask(MODEL + program, **case.given | {"params": start}, drawn=drawn, settings=settings)
    found = flat({key: values[0, 0, 0] for key, values in method.params(state).items()})
    assert np.abs(found - start).max() > 0.05
    np.testing.assert_allclose(answer["params"], found, atol=1e-5)
    np.testing.assert_allclose(answer["kept"][0], found, atol=1e-5)
