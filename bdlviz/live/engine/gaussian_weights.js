// Bayes by Backprop (Blundell et al. 2015) with local reparameterisation (Kingma, Salimans & Welling 2015).
//
// q(w) = N(mu, sigma^2) for every weight and bias, sigma = log(1 + exp(rho)); the prior is N(0, 1 / l^2).
// The parameters are one array: all mu in the order of the network, then all rho.

import { ACTIVATIONS, softplus } from "./activations.js";
import { Adam, adamRoom } from "./adam.js";
import { pieces, sumOfRows } from "./mlp.js";
import { evaluateAll, roomFor } from "./networks.js";
import { workspaceFor } from "./products.js";

const SMALLEST_VARIANCE = 1e-16; // of a pre-activation: its root is a divisor

export class BayesByBackprop {
  constructor(model) {
    this.model = model;
    this.size = model.network.numNumbers;
  }

  init(random, settings) {
    this.load(this.model.network.init(random), random, settings);
  }

  // Means from the parameters of a plain network, every rho at its start.
  load(means, random, { start_rho: startRho }) {
    this.params = new Float32Array(2 * this.size).fill(startRho);
    this.params.set(means.subarray(0, this.size));
    this.adam = new Adam(this.params.length);
  }

  // Standard normal noise (B, units) for the pre-activations of every layer.
  drawNoise(count, random) {
    if (!this.noise || this.count !== count) {
      this.noise = this.model.network.sizes.slice(1).map((units) => new Float32Array(count * units));
    }
    this.count = count;
    for (const noise of this.noise) random.fillNormals(noise);
    return this.noise;
  }

  // tau times the mean negative log-likelihood, plus beta / N times the KL divergence; its gradient in `this.gradient`.
  differentiate(batch, noise, { kl_weight: klWeight, length_scale: lengthScale }) {
    const { model } = this;
    const { count, precision } = batch;
    this.buffers(count);
    this.room.params.set(this.params);
    this.setVariances();
    this.x.set(batch.x.subarray(0, count * model.network.sizes[0]));
    this.forward(count, noise);
    const last = this.deltas[this.deltas.length - 1];
    const data = model.likelihood.gradient(this.outputs, batch.y, count, last, model.numClasses);
    for (let i = 0; i < count * model.network.numOutputs; i += 1) last[i] *= precision;
    this.backward(count, noise);
    return precision * data + this.addPenalty(klWeight / batch.numData, lengthScale * lengthScale);
  }

  // sigma^2 = log(1 + exp(rho))^2 of every parameter, and the derivative of sigma by rho.
  setVariances() {
    const { params, size, variance, slopesOfStd } = this;
    for (let i = 0; i < size; i += 1) {
      const rho = params[size + i];
      const small = Math.exp(-Math.abs(rho));
      variance[i] = (Math.max(rho, 0) + Math.log1p(small)) ** 2;
      slopesOfStd[i] = (rho > 0 ? 1 : small) / (1 + small);
    }
  }

  buffers(count) {
    if (this.capacity >= count) return;
    this.capacity = roomFor(count);
    const { size, capacity } = this;
    const { sizes, layers } = this.model.network;
    const widest = Math.max(...sizes);
    const units = sizes.slice(1).reduce((sum, width) => sum + width, 0);
    const length = 9 * size + capacity * (4 * units + sizes[0] + 3 * widest);
    this.workspace = workspaceFor(length, Math.max(capacity, widest));
    const array = (width) => this.workspace.array(capacity * width);
    const arrays = () => sizes.slice(1).map(array);
    this.room = adamRoom(this.workspace, 2 * size);
    this.gradient = this.room.gradient;
    this.variance = this.workspace.array(size);
    this.slopesOfStd = new Float32Array(size);
    this.x = array(sizes[0]);
    [this.values, this.slopes, this.roots, this.deltas] = [arrays(), arrays(), arrays(), arrays()];
    [this.squares, this.factors, this.part] = [array(widest), array(widest), array(widest)]; // of the layer at hand
    this.outputs = this.values[this.values.length - 1];
    this.means = layers.map((layer) => pieces(layer, this.room.params));
    this.variances = layers.map((layer) => pieces(layer, this.variance));
    this.byMean = layers.map((layer) => pieces(layer, this.gradient));
    this.byVariance = layers.map((layer) => pieces(layer, this.gradient.subarray(size)));
  }

  // b = h mu + sqrt(h^2 sigma^2) epsilon, for every point with its own noise.
  forward(count, noise) {
    const { network } = this.model;
    const { value, slope } = ACTIVATIONS[network.activation];
    network.layers.forEach(({ inputs, outputs }, l) => {
      const [h, out, roots, slopes] = [this.inputsOf(l, count), this.values[l], this.roots[l], this.slopes[l]];
      this.product(h, this.means[l], out, count, inputs, outputs);
      this.product(this.squares, this.variances[l], roots, count, inputs, outputs);
      const isLast = l === network.layers.length - 1;
      for (let j = 0; j < count * outputs; j += 1) {
        roots[j] = Math.sqrt(Math.max(roots[j], SMALLEST_VARIANCE));
        const b = out[j] + roots[j] * noise[l][j];
        out[j] = isLast ? b : value(b);
        slopes[j] = slope(b, out[j]);
      }
    });
  }

  // The inputs of a layer, and their squares in `this.squares`.
  inputsOf(l, count) {
    const h = l ? this.values[l - 1] : this.x;
    for (let i = 0; i < count * this.model.network.sizes[l]; i += 1) this.squares[i] = h[i] * h[i];
    return h;
  }

  product(h, { weight, bias }, out, count, inputs, outputs) {
    this.workspace.multiply(h, inputs, 1, weight, bias, out, count, inputs, outputs);
  }

  // With g the gradient by b and r = g epsilon / sqrt(v): by mu h^T g; by sigma^2 (h^2)^T r / 2.
  backward(count, noise) {
    const { layers } = this.model.network;
    for (let l = layers.length - 1; l >= 0; l -= 1) {
      const { inputs, outputs } = layers[l];
      const [h, deltas, ratios] = [this.inputsOf(l, count), this.deltas[l], this.roots[l]];
      for (let j = 0; j < count * outputs; j += 1) ratios[j] = (deltas[j] * noise[l][j]) / ratios[j];
      this.gradientOf(h, deltas, this.byMean[l], count, inputs, outputs);
      this.gradientOf(this.squares, ratios, this.byVariance[l], count, inputs, outputs); // twice that by the variance
      if (l) this.pullBack(l, h, ratios, count, inputs, outputs);
    }
  }

  gradientOf(h, rows, { weight, bias }, count, inputs, outputs) {
    this.workspace.multiply(h, 1, inputs, rows, null, weight, inputs, count, outputs);
    sumOfRows(rows, count, bias);
  }

  // The gradient by the pre-activations before a layer.
  pullBack(l, h, ratios, count, inputs, outputs) {
    const { workspace, factors, part } = this;
    const [slopes, before] = [this.slopes[l - 1], this.deltas[l - 1]];
    const length = count * inputs;
    for (let i = 0; i < length; i += 1) factors[i] = slopes[i] * h[i];
    workspace.multiplyTransposed(this.deltas[l], this.means[l].weight, slopes, before, count, outputs, inputs);
    workspace.multiplyTransposed(ratios, this.variances[l].weight, factors, part, count, outputs, inputs);
    for (let i = 0; i < length; i += 1) before[i] += part[i];
  }

  // Adds `share` times KL[q || p] = sum l^2 (mu^2 + sigma^2) / 2 - log(l sigma) - 1 / 2 and turns gradients by the
  // variance into gradients by rho; returns the penalty.
  addPenalty(share, precision) {
    const { params, size, gradient, variance, slopesOfStd } = this;
    let penalty = 0;
    for (let i = 0; i < size; i += 1) {
      const mean = params[i];
      const std = Math.sqrt(variance[i]);
      penalty += 0.5 * (precision * (mean * mean + variance[i]) - Math.log(precision * variance[i]) - 1);
      gradient[i] += share * precision * mean;
      const byStd = std * (gradient[size + i] + share * precision) - share / std;
      gradient[size + i] = byStd * slopesOfStd[i];
    }
    return share * penalty;
  }

  step(batch, random, settings) {
    const loss = this.differentiate(batch, this.drawNoise(batch.count, random), settings);
    this.adam.step(this.params, this.room, settings.learning_rate);
    return loss;
  }

  // The weights of one sample: mu + sigma epsilon.
  drawn(random) {
    const weights = random.fillNormals(new Float32Array(this.size));
    for (let i = 0; i < this.size; i += 1) weights[i] = this.params[i] + softplus(this.params[this.size + i]) * weights[i];
    return weights;
  }

  sample(x, count, random, numSamples) {
    const draws = Array.from({ length: numSamples }, () => [this.drawn(random), null]);
    return evaluateAll(this.model, draws, x, count);
  }

  inside(random, index) {
    let params = this.drawn(random);
    for (let s = 0; s < index; s += 1) params = this.drawn(random);
    const stds = Float32Array.from({ length: this.size }, (_, i) => softplus(this.params[this.size + i]));
    return { params, masks: [], stds };
  }
}
