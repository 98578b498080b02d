// The settings of a fit: defaults, limits, and which changes need a new network.

const number = (low, high, isWhole = false) => ({ low, high, isWhole });
const above = (low, high) => ({ low, high, isOpen: true });

export const DEFAULTS = {
  method: "mc_dropout",
  task: "regression",
  num_inputs: 1,
  num_classes: 2,
  hidden: [50, 50],
  activation: "relu",
  likelihood: "gaussian",
  noise_std: 0.1,
  learning_rate: 1e-3,
  batch_size: null,
  seed: 0,
  weight_decay: 1e-4,
  dropout_rate: 0.1,
  num_members: 5,
  length_scale: 1,
  prior_by_width: 0,
  kl_weight: 1,
  start_rho: -4,
  step_size: 1e-3,
  num_kept: 100,
  thinning: 100,
  scaling: null,
};

const CHOICES = {
  method: ["map", "mc_dropout", "deep_ensemble", "bayes_by_backprop", "sgld", "gaussian_process"],
  task: ["regression", "classification"],
  activation: ["relu", "tanh", "gelu"],
  likelihood: ["gaussian", "homoscedastic", "heteroscedastic", "categorical"],
};

const NUMBERS = {
  num_inputs: number(1, 8, true),
  num_classes: number(2, 10, true),
  noise_std: above(0, 1e6),
  learning_rate: above(0, 10),
  seed: number(0, 2 ** 32, true),
  weight_decay: number(0, 100),
  dropout_rate: number(0, 0.95),
  num_members: number(1, 20, true),
  length_scale: number(1e-4, 1e3),
  prior_by_width: number(0, 1, true),
  kl_weight: number(0, 100),
  start_rho: number(-20, 5),
  step_size: above(0, 10),
  num_kept: number(1, 1000, true),
  thinning: number(1, 10000, true),
};

// The settings after a change; throws one sentence if a name or a value is not allowed.
export function changed(settings, change) {
  const next = { ...settings, ...change };
  for (const [name, value] of Object.entries(change)) check(name, value);
  if (next.task === "classification") next.likelihood = "categorical";
  else if (next.likelihood === "categorical") next.likelihood = "gaussian";
  if (next.method === "gaussian_process" && next.likelihood !== "gaussian") {
    throw new Error("The exact Gaussian process needs Gaussian noise of a known size.");
  }
  return next;
}

function check(name, value) {
  if (!(name in DEFAULTS)) throw new Error(`There is no setting called ${name}.`);
  if (name in CHOICES && !CHOICES[name].includes(value)) {
    throw new Error(`${name} must be one of ${CHOICES[name].join(", ")}.`);
  }
  if (name in NUMBERS) checkNumber(name, value, NUMBERS[name]);
  if (name === "batch_size" && value !== null) checkNumber(name, value, number(1, 10000, true));
  if (name === "hidden") {
    if (!Array.isArray(value) || value.length < 1 || value.length > 3) throw new Error("hidden must have 1 to 3 widths.");
    for (const width of value) checkNumber("A width", width, number(1, 512, true));
  }
  if (name === "scaling" && value !== null) checkScaling(value);
}

function checkNumber(name, value, { low, high, isWhole, isOpen }) {
  const isWithin = Number.isFinite(value) && value <= high && (isOpen ? value > low : value >= low);
  if (!isWithin || (isWhole && !Number.isInteger(value))) {
    const from = isOpen ? `above ${low} and at most ${high}` : `from ${low} to ${high}`;
    throw new Error(`${name} must be a ${isWhole ? "whole " : ""}number ${from}.`);
  }
}

function checkScaling({ x_mean: xMean, x_scale: xScale, y_mean: yMean, y_scale: yScale }) {
  const numbers = [...(xMean || [NaN]), ...(xScale || [NaN]), yMean, yScale];
  const scales = [...(xScale || [NaN]), yScale];
  if (!numbers.every(Number.isFinite) || !scales.every((scale) => scale > 0)) {
    throw new Error("scaling must have finite means and scales above 0.");
  }
}

// Networks with different shapes have different parameters: a change of shape starts anew.
export function shapeOf({ task, num_inputs: inputs, num_classes: classes, hidden, likelihood }) {
  const outputs = task === "classification" ? classes : likelihood === "heteroscedastic" ? 2 : 1;
  return [inputs, ...hidden, outputs];
}
