// Standardisation, as in bdlviz.models.scaling: x and y have mean 0 and standard deviation 1 over the training points.

// Means and scales of columns of x (N, D) and of y (N). A constant column has the scale 1; class numbers stay.
export function scalingOf(x, y, numInputs, isClasses) {
  const inputs = Array.from({ length: numInputs }, (_, d) => moments(x, d, numInputs));
  const output = isClasses ? { mean: 0, scale: 1 } : moments(y, 0, 1);
  return {
    x_mean: inputs.map(({ mean }) => mean),
    x_scale: inputs.map(({ scale }) => scale),
    y_mean: output.mean,
    y_scale: output.scale,
  };
}

function moments(values, column, stride) {
  const count = values.length / stride;
  if (!count) return { mean: 0, scale: 1 };
  let sum = 0;
  let largest = 1e-300;
  for (let i = column; i < values.length; i += stride) {
    sum += values[i];
    largest = Math.max(largest, Math.abs(values[i]));
  }
  const mean = sum / count;
  let squares = 0;
  for (let i = column; i < values.length; i += stride) squares += (values[i] - mean) ** 2;
  const std = Math.sqrt(squares / count);
  return { mean, scale: std <= 1e-12 * largest ? 1 : std };
}

export function standardiseX(x, { x_mean: mean, x_scale: scale }) {
  return Float32Array.from(x, (value, i) => (value - mean[i % mean.length]) / scale[i % scale.length]);
}

export function standardiseY(y, { y_mean: mean, y_scale: scale }) {
  return Float32Array.from(y, (value) => (value - mean) / scale);
}
