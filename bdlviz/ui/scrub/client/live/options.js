// What can be chosen: methods, the numbers of each method with their stops, and the ranges of the axes.

const METHOD_NAMES = {
  deep_ensemble: "Deep ensemble",
  mc_dropout: "MC dropout",
  bayes_by_backprop: "Bayes by Backprop",
  sgld: "Langevin (SGLD)",
  gaussian_process: "Exact (Gaussian process)",
  map: "Plain network",
};
const PROBLEM_NAMES = { regression: "Curve", classification: "Classes" };

// Name in the library -> label, stops of the slider, default, and limits of a value in a link.
const NUMBERS = {
  dropout_rate: {
    label: "Dropout rate p", stops: [0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9], usual: 0.1,
    low: 0, high: 0.95,
  },
  weight_decay: { label: "Weight decay λ", stops: [0, 1e-5, 1e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1], usual: 1e-4, low: 0, high: 100 },
  noise_std: { label: "Noise sd σ", stops: [0.05, 0.1, 0.2, 0.3, 0.5, 0.7, 1, 1.5, 2, 3], usual: 0.5, low: 1e-3, high: 1e3 },
  num_members: { label: "Networks", stops: [2, 3, 5, 10, 15, 20], usual: 10, low: 1, high: 20, isWhole: true },
  length_scale: { label: "Prior length-scale ℓ", stops: [0.25, 0.5, 0.7, 1, 1.4, 2, 3, 5], usual: 0.5, low: 0.01, high: 100 },
  step_size: { label: "Step size ε", stops: [1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.02, 0.03, 0.1], usual: 0.01, low: 1e-6, high: 10 },
  learning_rate: { label: "Learning rate", stops: [1e-4, 3e-4, 1e-3, 3e-3, 0.01, 0.03, 0.1, 1], usual: 3e-3, low: 1e-6, high: 10 },
  width: { label: "Units per layer", stops: [8, 16, 32, 50, 64, 100, 128], usual: 50, low: 8, high: 128, isWhole: true },
  depth: { label: "Hidden layers", stops: [1, 2, 3], usual: 2, low: 1, high: 3, isWhole: true },
  batch_size: { label: "Batch size (0: all)", stops: [0, 1, 2, 4, 8, 16, 32], usual: 0, low: 0, high: 500, isWhole: true },
};
const ACTIVATIONS = { relu: "ReLU", tanh: "tanh", gelu: "GELU" };

// Method -> its own numbers, the most important ones first; `noise_std` counts for curves only.
const OF_METHOD = {
  deep_ensemble: ["weight_decay", "noise_std", "num_members", "learning_rate", "width", "depth", "batch_size"],
  mc_dropout: ["dropout_rate", "weight_decay", "noise_std", "learning_rate", "width", "depth", "batch_size"],
  bayes_by_backprop: ["length_scale", "noise_std", "learning_rate", "width", "depth", "batch_size"],
  sgld: ["length_scale", "step_size", "noise_std", "width", "depth", "batch_size"],
  gaussian_process: ["length_scale", "noise_std", "depth"],
  map: ["weight_decay", "noise_std", "learning_rate", "width", "depth", "batch_size"],
};
const NUM_PRIMARY = 1; // beside the method
const AXES = {
  regression: { x: [-10, 10], y: [-10, 10] },
  classification: { x: [-9, 9], y: [-6, 6] },
};
const MOST_POINTS_HERE = 500;
const MOST_EXACT = 200; // points of the exact Gaussian process
const MOST_CLASSES_HERE = 4;
const REACH = 1e6; // largest coordinate
const LEAST_WIDTH = 1e-3; // of an axis, relative to its largest coordinate: networks compute with seven digits

/** The numbers of a method for a problem, in the order of importance. */
function numbersOf(method, task) {
  return OF_METHOD[method].filter((name) => name !== "noise_std" || task === "regression");
}

/** The methods for a problem. */
function methodsFor(task) {
  return Object.keys(METHOD_NAMES).filter((name) => name !== "gaussian_process" || task === "regression");
}

/** The axes of a state: those of its table, or the fixed ones of its problem; wider where points lie outside. */
function axesOf({ task, axes, points }) {
  const widened = ([low, high], values) => {
    const [least, most] = [Math.min(low, ...values), Math.max(high, ...values)];
    const margin = 0.05 * (most - least);
    return [least < low ? least - margin : low, most > high ? most + margin : high];
  };
  const usual = axes.length ? { x: axes.slice(0, 2), y: axes.slice(2) } : AXES[task];
  return { x: widened(usual.x, points.map(([x]) => x)), y: widened(usual.y, points.map(([, y]) => y)) };
}
