// The decoder: a small network in plain loops; it computes the same as bdlviz/predictive/latent.py.

const SMALL_LOGIT = 0.5; // below, a series replaces the difference of two large fractions

/** A table of all 65,536 numbers of half precision. */
const HALVES = Float32Array.from({ length: 65536 }, (_, bits) => {
  const sign = bits & 0x8000 ? -1 : 1;
  const exponent = (bits >> 10) & 0x1f;
  const fraction = bits & 0x3ff;
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return exponent === 0 ? sign * fraction * 2 ** -24 : sign * (1 + fraction / 1024) * 2 ** (exponent - 15);
});

/** Half-precision numbers from their bits as 16-bit integers. @param {Int16Array} bits */
function halves(bits) {
  const numbers = new Float32Array(bits.length);
  for (let index = 0; index < bits.length; index += 1) numbers[index] = HALVES[bits[index] & 0xffff];
  return numbers;
}

const ACTIVATIONS = {
  relu: (a) => (a > 0 ? a : 0),
  tanh: Math.tanh,
  silu: (a) => a / (1 + Math.exp(-a)),
};

/** The expected pixel for a logit, by likelihood. */
const PIXELS = {
  continuous_bernoulli: (f) => {
    if (Math.abs(f) < SMALL_LOGIT) return 0.5 + f * (1 / 12 - f * f * (1 / 720 - (f * f) / 30240));
    return 1 / -Math.expm1(-f) - 1 / f;
  },
};
const sigmoid = (f) => 1 / (1 + Math.exp(-f));

class Decoder {
  constructor(block) {
    this.sizes = block.sizes;
    this.activation = ACTIVATIONS[block.activation];
    if (!this.activation) throw new Error(`no activation ${block.activation}`);
    this.pixelOf = PIXELS[block.likelihood] ?? sigmoid;
    this.layers = block.sizes.slice(1).map((width, layer) => ({
      weight: halves(block.arrays[`weight${layer}`]),
      bias: halves(block.arrays[`bias${layer}`]),
      out: new Float32Array(width),
    }));
    this.pixels = new Float32Array(block.pixels);
  }

  /** The expected image of a code; the same array is reused. @param {ArrayLike<number>} code */
  decode(code) {
    let values = code;
    this.layers.forEach(({ weight, bias, out }, layer) => {
      multiply(values, weight, bias, out);
      if (layer < this.layers.length - 1) activate(out, this.activation);
      values = out;
    });
    for (let pixel = 0; pixel < this.pixels.length; pixel += 1) this.pixels[pixel] = this.pixelOf(values[pixel]);
    return this.pixels;
  }
}

function activate(out, activation) {
  for (let unit = 0; unit < out.length; unit += 1) out[unit] = activation(out[unit]);
}

/** out = values @ weight + bias; rows of units with value 0 are skipped. */
function multiply(values, weight, bias, out) {
  const width = out.length;
  out.set(bias);
  for (let row = 0; row < values.length; row += 1) {
    const value = values[row];
    if (value === 0) continue;
    const start = row * width;
    for (let unit = 0; unit < width; unit += 1) out[unit] += value * weight[start + unit];
  }
}
