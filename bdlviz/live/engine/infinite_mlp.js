// The prior of an infinitely wide network, a Gaussian process: bdlviz.models.infinite_mlp in double precision.

const { sqrt, max, min, acos, atan2, PI } = Math;

// E[phi(u) phi(v)] of two Gaussian numbers around 0 with variances q11 and q22 and covariance q12.
const COVARIANCES = {
  // The arc-cosine kernel of order 1 (Cho & Saul 2009).
  relu(q11, q22, q12) {
    const size = sqrt(q11) * sqrt(q22);
    const cosine = min(1, max(-1, q12 / size));
    return (size / (2 * PI)) * (sqrt(1 - cosine * cosine) + (PI - acos(cosine)) * cosine);
  },
  // erf(a sqrt(pi) / 2), which has the derivative of tanh at 0 (Williams 1997).
  tanh(q11, q22, q12) {
    const scale = PI / 4;
    const [first, second, both] = [2 * scale * q11, 2 * scale * q22, 2 * scale * q12];
    return (2 / PI) * atan2(both, otherSide(first, second, both));
  },
  // Tsuchida et al. 2021.
  gelu(q11, q22, q12) {
    const product = (1 + q11) * (1 + q22);
    const delta = otherSide(q11, q22, q12);
    const last = (q12 * q12 + q11 * q22 * delta * delta) / (product * delta);
    return q12 / 4 + (q12 * atan2(q12, delta) + last) / (2 * PI);
  },
};

// sqrt((1 + q11) (1 + q22) - q12^2), without a difference of nearly equal numbers.
function otherSide(q11, q22, q12) {
  return sqrt(1 + q11 + q22 + max(q11 * q22 - q12 * q12, 0));
}

export class InfiniteMLP {
  // Weights of a layer with n inputs have the prior variance 1 / l^2, or 1 / (n l^2) if scaled by width.
  constructor(sizes, activation, lengthScale, byWidth) {
    this.numInputs = sizes[0];
    this.behind = COVARIANCES[activation];
    this.biasVariance = lengthScale ** -2;
    this.weightVariances = sizes.slice(0, -1).map((inputs) => (byWidth ? 1 : inputs) * this.biasVariance);
  }

  // The covariance of the function at a row of x and a row of another matrix.
  covariance(x, i, other, j) {
    const D = this.numInputs;
    let [first, second, both] = [0, 0, 0];
    for (let d = 0; d < D; d += 1) {
      first += x[i * D + d] ** 2;
      second += other[j * D + d] ** 2;
      both += x[i * D + d] * other[j * D + d];
    }
    const variances = this.weightVariances;
    const input = variances[0] / D;
    first = input * first + this.biasVariance;
    second = input * second + this.biasVariance;
    both = input * both + this.biasVariance;
    for (let layer = 1; layer < variances.length; layer += 1) {
      const next = (q11, q22, q12) => variances[layer] * this.behind(q11, q22, q12) + this.biasVariance;
      both = next(first, second, both);
      first = next(first, first, first);
      second = next(second, second, second);
    }
    return both;
  }

  // All covariances of the rows of x (N, D) and of another matrix (M, D): (N, M).
  matrix(x, other) {
    const [N, M] = [x.length / this.numInputs, other.length / this.numInputs];
    const result = new Float64Array(N * M);
    for (let i = 0; i < N; i += 1) for (let j = 0; j < M; j += 1) result[i * M + j] = this.covariance(x, i, other, j);
    return result;
  }
}
