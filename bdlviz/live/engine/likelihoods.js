// Losses of a batch, as in bdlviz.models.likelihoods: the mean negative log-likelihood, and its gradient by the outputs.
//
// `gradient(outputs, y, count, out)` writes the gradient (B, K) of the batch's loss into `out` and returns the loss.
// Regression is in standardised units; y of `Categorical` holds class numbers.

export const HALF_LOG_TWO_PI = 0.5 * Math.log(2 * Math.PI);
const MIN_NOISE_VAR = 1e-4; // of learned constant noise, relative to the variance of y

// Noise of a known size: the data term has no constants; the precision enters through the weight decay.
export const Gaussian = {
  outputs: () => 1,
  gradient(outputs, y, count, out) {
    let squares = 0;
    for (let i = 0; i < count; i += 1) {
      const residual = outputs[i] - y[i];
      squares += residual * residual;
      out[i] = residual / count;
    }
    return (0.5 * squares) / count;
  },
};

// Noise of a learned size: the best standard deviation for these residuals is used in every step.
export const HomoscedasticGaussian = {
  outputs: () => 1,
  gradient(outputs, y, count, out) {
    let variance = MIN_NOISE_VAR;
    for (let i = 0; i < count; i += 1) variance += (outputs[i] - y[i]) ** 2 / count;
    for (let i = 0; i < count; i += 1) out[i] = (outputs[i] - y[i]) / (variance * count);
    return 0.5 * (Math.log(variance) + 1) + HALF_LOG_TWO_PI;
  },
};

// Noise predicted at every x: the mean, then the log variance (Kendall & Gal 2017).
export const HeteroscedasticGaussian = {
  outputs: () => 2,
  gradient(outputs, y, count, out) {
    let loss = 0;
    for (let i = 0; i < count; i += 1) {
      const residual = outputs[2 * i] - y[i];
      const logVariance = outputs[2 * i + 1];
      const precision = Math.exp(-logVariance);
      loss += 0.5 * (residual * residual * precision + logVariance) + HALF_LOG_TWO_PI;
      out[2 * i] = (residual * precision) / count;
      out[2 * i + 1] = (0.5 * (1 - residual * residual * precision)) / count;
    }
    return loss / count;
  },
};

// Classes through a softmax.
export const Categorical = {
  outputs: (numClasses) => numClasses,
  gradient(outputs, y, count, out, numClasses) {
    let loss = 0;
    for (let i = 0; i < count; i += 1) {
      const start = i * numClasses;
      loss -= softmax(outputs, out, start, numClasses, y[i]);
      for (let k = 0; k < numClasses; k += 1) out[start + k] = (out[start + k] - (k === y[i] ? 1 : 0)) / count;
    }
    return loss / count;
  },
};

// Writes the probabilities of one point's classes into `out`; returns the logarithm of that of the class `chosen`.
export function softmax(outputs, out, start, numClasses, chosen = 0) {
  let largest = -Infinity;
  for (let k = 0; k < numClasses; k += 1) largest = Math.max(largest, outputs[start + k]);
  let sum = 0;
  for (let k = 0; k < numClasses; k += 1) sum += Math.exp(outputs[start + k] - largest);
  for (let k = 0; k < numClasses; k += 1) out[start + k] = Math.exp(outputs[start + k] - largest) / sum;
  return outputs[start + chosen] - largest - Math.log(sum);
}

export const LIKELIHOODS = {
  gaussian: Gaussian,
  homoscedastic: HomoscedasticGaussian,
  heteroscedastic: HeteroscedasticGaussian,
  categorical: Categorical,
};
