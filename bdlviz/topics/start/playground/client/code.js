// The Python code that trains the same setting with the library.

const LIBRARY = ["dropout_rate", "weight_decay", "num_members", "length_scale", "step_size"];

/** Hamiltonian Monte Carlo on the same points, with the prior of the exact answer: N(0, 1 / (n l^2)) for a layer with n inputs. */
function hmcCall(state) {
  const call = libraryCall({ ...state, method: "gaussian_process" }, 0);
  const settings = { ...call.settings, prior_by_width: state.method === "bayes_by_backprop" ? 0 : 1 };
  return { ...call, settings, method: "hmc" };
}

/** The settings of `bdlviz.fit` for a state; `steps` is where the training in the browser stands. */
function libraryCall(state, steps) {
  const isClasses = state.task === "classification";
  const own = numbersOf(state.method, state.task);
  const settings = {};
  for (const name of LIBRARY) if (own.includes(name)) settings[name] = state[name];
  if (!isClasses) settings.noise_std = state.noise_std;
  settings.hidden = Array(state.depth).fill(state.width);
  settings.activation = state.activation;
  if (state.method === "gaussian_process" || state.method === "sgld") settings.prior_by_width = 1;
  if (state.method === "sgld") Object.assign(settings, { num_kept: 50, thinning: 20 });
  if (own.includes("learning_rate")) Object.assign(settings, { learning_rate: state.learning_rate, schedule: "constant" });
  if (state.method !== "gaussian_process") {
    settings.batch_size = state.batch_size || null;
    settings.num_steps = Math.min(20000, Math.max(200, 100 * Math.round(steps / 100)));
  }
  return { method: state.method, task: state.task, points: state.points, axes: state.axes, settings };
}

/** Python that fits and predicts. */
function pythonOf(state, steps) {
  const { method, task, points, settings } = libraryCall(state, steps);
  const isClasses = task === "classification";
  const [across, up] = Object.values(axesOf(state)).map((axis) => axis.map((end) => Number(end.toPrecision(6))).join(", "));
  const list = (values) => `[${values.join(", ")}]`;
  const x = isClasses ? list(points.map((p) => list(p.slice(0, 2)))) : list(points.map((p) => p[0]));
  const arguments_ = Object.entries(settings).map(([name, value]) => `    ${name}=${inPython(value)},`);
  return [
    "import numpy as np",
    "import bdlviz",
    "",
    `x = np.array(${x})`,
    `y = np.array(${list(points.map((p) => p[isClasses ? 2 : 1]))})`,
    "fit = bdlviz.fit(",
    `    "${method}",`,
    "    (x, y),",
    `    task="${task}",`,
    ...arguments_,
    ")",
    ...(isClasses
      ? [`at = np.stack(np.meshgrid(np.linspace(${across}, 40), np.linspace(${up}, 40)), -1).reshape(-1, 2)`,
        "probabilities = fit.predict(at, num_samples=20).mean"]
      : [`predictive = fit.predict(np.linspace(${across}, 121), num_samples=30)`,
        "mean, sd = predictive.mean[:, 0], predictive.epistemic_std[:, 0]"]),
  ].join("\n");
}

function inPython(value) {
  if (value === null) return "None";
  if (Array.isArray(value)) return `(${value.join(", ")}${value.length === 1 ? "," : ""})`;
  return typeof value === "string" ? `"${value}"` : String(value);
}
