// Activations of hidden units: the value at a, and the derivative from a and the value.

const SQRT_HALF = Math.SQRT1_2;
const NORMAL_DENSITY = 1 / Math.sqrt(2 * Math.PI);

// The standard normal distribution function, with a relative error below 1.2e-7.
// Chebyshev fit of the complementary error function: Press et al., Numerical Recipes, section 6.2.
export function normalCdf(a) {
  const z = Math.abs(a) * SQRT_HALF;
  const t = 1 / (1 + 0.5 * z);
  let sum = 0.17087277;
  for (const c of [-0.82215223, 1.48851587, -1.13520398, 0.27886807, -0.18628806, 0.09678418, 0.37409196, 1.00002368]) {
    sum = sum * t + c;
  }
  const tail = 0.5 * t * Math.exp(-z * z - 1.26551223 + t * sum);
  return a > 0 ? 1 - tail : tail;
}

export const ACTIVATIONS = {
  relu: {
    value: (a) => (a > 0 ? a : 0),
    slope: (a) => (a > 0 ? 1 : 0),
  },
  tanh: {
    value: (a) => Math.tanh(a),
    slope: (a, value) => 1 - value * value,
  },
  gelu: {
    value: (a) => a * normalCdf(a),
    slope: (a, value) => (a ? value / a : 0.5) + a * NORMAL_DENSITY * Math.exp(-0.5 * a * a),
  },
};

export const softplus = (a) => Math.max(a, 0) + Math.log1p(Math.exp(-Math.abs(a)));
