// The exact posterior of a Gaussian process by one Cholesky factor, as in bdlviz.models.gaussian_process.

import { InfiniteMLP } from "./infinite_mlp.js";
import { HALF_LOG_TWO_PI } from "./likelihoods.js";

const FIRST_JITTER = 1e-13; // as shares of a variance
const LAST_JITTER = 1e-4;
export const MOST_POINTS = 200; // the time grows with the cube of the number of points
const MOST_DRAWN = 256; // inputs: a draw needs the Cholesky factor of their covariance

export class GaussianProcess {
  constructor(model) {
    this.model = model;
    this.isSolved = true; // nothing to train
  }

  init() {}

  load() {}

  // Solves for standardised x (N, D) and y (N); returns the negative log evidence per point.
  step({ x, y, count, precision }, random, settings) {
    const { network } = this.model;
    this.prior = new InfiniteMLP(network.sizes, network.activation, settings.length_scale, settings.prior_by_width);
    this.x = x;
    this.count = count;
    if (!count) return 0;
    const matrix = this.prior.matrix(x, x);
    for (let i = 0; i < count; i += 1) matrix[i * count + i] += 1 / precision;
    this.factor = cholesky(matrix, count, meanOf(diagonal(matrix, count)));
    const half = solveLower(this.factor, count, Float64Array.from(y), 1);
    this.weights = solveUpper(this.factor, count, half);
    let evidence = count * HALF_LOG_TWO_PI;
    for (let i = 0; i < count; i += 1) evidence += 0.5 * y[i] * this.weights[i] + Math.log(this.factor[i * count + i]);
    return evidence / count;
  }

  // Mean and standard deviation at x (Q, D), the covariance (Q, Q) if it is small enough for draws, and the mean variance
  // of the prior, to which the rounding errors of the covariance are relative.
  moments(x, Q) {
    const { prior, count } = this;
    const mean = new Float64Array(Q);
    const draws = Q <= MOST_DRAWN;
    const covariance = draws ? prior.matrix(x, x) : null;
    const variance = Float64Array.from({ length: Q }, (_, q) => prior.covariance(x, q, x, q));
    const priorVariance = meanOf(variance);
    if (count) {
      const cross = prior.matrix(this.x, x); // (N, Q)
      for (let q = 0; q < Q; q += 1) for (let i = 0; i < count; i += 1) mean[q] += cross[i * Q + q] * this.weights[i];
      const explained = solveLower(this.factor, count, cross, Q);
      for (let i = 0; i < count; i += 1) {
        for (let q = 0; q < Q; q += 1) {
          const a = explained[i * Q + q];
          variance[q] -= a * a;
          if (draws) for (let r = 0; r < Q; r += 1) covariance[q * Q + r] -= a * explained[i * Q + r];
        }
      }
    }
    return { mean, sd: variance.map((v) => Math.sqrt(Math.max(v, 0))), covariance, priorVariance };
  }

  sample(x, Q, random, numSamples) {
    const { mean, sd, covariance, priorVariance } = this.moments(x, Q);
    const exact = { mean: Float32Array.from(mean), sd: Float32Array.from(sd) };
    if (!covariance) return { numSamples: 0, outputs: new Float32Array(0), ...exact };
    const factor = cholesky(covariance, Q, priorVariance);
    const outputs = new Float32Array(numSamples * Q);
    const normals = new Float64Array(Q);
    for (let s = 0; s < numSamples; s += 1) {
      random.fillNormals(normals);
      for (let q = 0; q < Q; q += 1) {
        let value = mean[q];
        for (let r = 0; r <= q; r += 1) value += factor[q * Q + r] * normals[r];
        outputs[s * Q + q] = value;
      }
    }
    return { numSamples, outputs, ...exact };
  }

  inside() {
    return null;
  }
}

const meanOf = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

const diagonal = (matrix, N) => Float64Array.from({ length: N }, (_, i) => matrix[i * N + i]);

// The lower Cholesky factor of a symmetric matrix (N, N), with the least jitter on the diagonal that is enough: a share
// of `variance`.
export function cholesky(matrix, N, variance) {
  let share = 0;
  while (share <= LAST_JITTER * 1.01) {
    const factor = tryCholesky(matrix, N, share * variance, Number.EPSILON * variance);
    if (factor) return factor;
    share = share ? 10 * share : FIRST_JITTER;
  }
  throw new Error("This prior is too wide to be solved in double precision: choose a larger length-scale.");
}

// A pivot of at most `least` is a rounding error: divided by it, the other entries would overflow.
function tryCholesky(matrix, N, jitter, least) {
  const L = new Float64Array(N * N);
  for (let i = 0; i < N; i += 1) {
    for (let j = 0; j <= i; j += 1) {
      let sum = matrix[i * N + j];
      for (let k = 0; k < j; k += 1) sum -= L[i * N + k] * L[j * N + k];
      if (i > j) L[i * N + j] = sum / L[j * N + j];
      else if (sum + jitter > least) L[i * N + i] = Math.sqrt(sum + jitter);
      else return null;
    }
  }
  return L;
}

// The solution (N, M) of L a = b.
function solveLower(L, N, b, M) {
  const a = Float64Array.from(b);
  for (let i = 0; i < N; i += 1) {
    for (let k = 0; k < i; k += 1) {
      const factor = L[i * N + k];
      for (let m = 0; m < M; m += 1) a[i * M + m] -= factor * a[k * M + m];
    }
    for (let m = 0; m < M; m += 1) a[i * M + m] /= L[i * N + i];
  }
  return a;
}

// The solution (N) of L^T a = b.
function solveUpper(L, N, b) {
  const a = Float64Array.from(b);
  for (let i = N - 1; i >= 0; i -= 1) {
    for (let k = i + 1; k < N; k += 1) a[i] -= L[k * N + i] * a[k];
    a[i] /= L[i * N + i];
  }
  return a;
}
