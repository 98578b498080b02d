// A fit that goes on while its data and settings change: weights stay unless the shape of the network changes.

import { softmax, LIKELIHOODS } from "./likelihoods.js";
import { BayesByBackprop } from "./gaussian_weights.js";
import { DeepEnsemble, MCDropout, PlainNetwork } from "./networks.js";
import { GaussianProcess, MOST_POINTS } from "./gaussian_process.js";
import { Langevin } from "./langevin.js";
import { MLP } from "./mlp.js";
import { Random } from "./random.js";
import { changed, DEFAULTS, shapeOf } from "./settings.js";
import { scalingOf, standardiseX, standardiseY } from "./scaling.js";

const METHODS = {
  map: PlainNetwork,
  mc_dropout: MCDropout,
  deep_ensemble: DeepEnsemble,
  bayes_by_backprop: BayesByBackprop,
  sgld: Langevin,
  gaussian_process: GaussianProcess,
};
const MOST_DATA = 10000;
const LARGEST_LOSS = 1e12; // of standardised data: a network beyond it will not come back

export class Trainer {
  constructor(settings = {}, x = [], y = []) {
    this.settings = changed(DEFAULTS, settings);
    this.checkData(x, y, this.settings);
    this.take(x, y);
    this.restart();
  }

  // New initial weights, from the seed of the settings.
  restart() {
    const { settings } = this;
    this.random = new Random(settings.seed, 1);
    this.build();
    this.method.init(new Random(settings.seed, 2), settings);
    this.clear();
    this.solve();
  }

  build() {
    const { settings } = this;
    const network = new MLP(shapeOf(settings), settings.activation);
    this.model = { network, likelihood: LIKELIHOODS[settings.likelihood], numClasses: settings.num_classes };
    this.method = new METHODS[settings.method](this.model);
  }

  clear() {
    this.steps = 0;
    this.loss = NaN;
    this.hasDiverged = false;
    this.lastFinite = null;
  }

  // Data -----------------------------------------------------------------------------------------------------------

  // Replaces the data; the weights stay.
  setData(x, y) {
    this.checkData(x, y, this.settings);
    this.take(x, y);
    this.solve();
  }

  checkData(x, y, settings) {
    const { num_inputs: inputs, task, num_classes: classes, method } = settings;
    if (x.length !== y.length * inputs) throw new Error(`x must have ${inputs} numbers for each y.`);
    if (y.length > MOST_DATA) throw new Error(`At most ${MOST_DATA} points are supported.`);
    if (method === "gaussian_process" && y.length > MOST_POINTS) {
      throw new Error(`The exact Gaussian process takes at most ${MOST_POINTS} points.`);
    }
    if (![...x, ...y].every(Number.isFinite)) throw new Error("x and y must be finite numbers.");
    const isClass = (value) => Number.isInteger(value) && value >= 0 && value < classes;
    if (task === "classification" && !Array.from(y).every(isClass)) {
      throw new Error(`Classes must be whole numbers from 0 to ${classes - 1}.`);
    }
  }

  take(x, y) {
    this.data = { x, y };
    const { settings } = this;
    const isClasses = settings.task === "classification";
    this.scaling = settings.scaling || scalingOf(x, y, settings.num_inputs, isClasses);
    this.x = standardiseX(x, this.scaling);
    this.y = isClasses ? Float32Array.from(y) : standardiseY(y, this.scaling);
    this.order = [];
    this.batchX = null;
  }

  // The precision of known noise in standardised units; 1 for other likelihoods.
  get precision() {
    const { likelihood, noise_std: noise } = this.settings;
    return likelihood === "gaussian" ? (this.scaling.y_scale / noise) ** 2 : 1;
  }

  // Settings -------------------------------------------------------------------------------------------------------

  // Changes settings; returns "shape" or "method" if a new network or method started, else "".
  set(change) {
    const before = this.settings;
    const next = changed(before, change);
    this.checkData(this.data.x, this.data.y, next);
    this.settings = next;
    const isNewShape = String(shapeOf(before)) !== String(shapeOf(next)) || before.task !== next.task;
    const isNewMethod = before.method !== next.method;
    if (isNewShape || "scaling" in change) this.take(this.data.x, this.data.y);
    if (isNewShape) this.restart();
    else if (isNewMethod || before.activation !== next.activation || before.likelihood !== next.likelihood) {
      this.changeMethod();
    }
    this.solve();
    return isNewShape ? "shape" : isNewMethod ? "method" : "";
  }

  // Another method, activation or likelihood with the present weights.
  changeMethod() {
    const old = this.method;
    const { settings } = this;
    this.build();
    if (old.constructor === this.method.constructor) {
      const { model } = this;
      Object.assign(this.method, old, { model });
      for (const member of this.method.members || []) Object.assign(member, { model });
    } else if (old.params) {
      this.method.load(old.params.slice(0, this.model.network.numNumbers), this.random, settings);
    } else {
      this.method.init(new Random(settings.seed, 2), settings);
    }
    this.clear();
  }

  // Training -------------------------------------------------------------------------------------------------------

  solve() {
    if (this.method.isSolved) this.loss = this.method.step(this.batch(), this.random, this.settings);
  }

  // One step; returns false if there is nothing to train or training has diverged.
  step() {
    if (this.method.isSolved || this.hasDiverged || !this.y.length) return false;
    const loss = this.method.step(this.batch(), this.random, this.settings);
    if (!(loss < LARGEST_LOSS)) {
      this.hasDiverged = true;
      return false;
    }
    this.loss = loss;
    this.steps += 1;
    return true;
  }

  // All points, or the next B of random permutations: every point is used equally often.
  batch() {
    const { x, y, settings, precision } = this;
    const numData = y.length;
    const size = Math.min(settings.batch_size || numData, numData);
    if (size === numData) return { x, y, count: numData, numData, precision };
    const inputs = settings.num_inputs;
    if (!this.batchX || this.batchY.length !== size) {
      this.batchX = new Float32Array(size * inputs);
      this.batchY = new Float32Array(size);
    }
    for (let n = 0; n < size; n += 1) {
      if (!this.order.length) this.order = this.random.permutation(numData);
      const i = this.order.pop();
      for (let d = 0; d < inputs; d += 1) this.batchX[n * inputs + d] = x[i * inputs + d];
      this.batchY[n] = y[i];
    }
    return { x: this.batchX, y: this.batchY, count: size, numData, precision };
  }

  // Samples --------------------------------------------------------------------------------------------------------

  // Functions at x (Q, D) in the user's units; the same sample seed has the same masks or noise.
  sample(x, numSamples, sampleSeed) {
    const { settings, scaling } = this;
    const Q = x.length / settings.num_inputs;
    const drawn = this.method.sample(standardiseX(x, scaling), Q, new Random(sampleSeed, 3), numSamples, settings);
    return settings.task === "classification" ? this.probabilities(drawn, Q) : this.functions(drawn, Q);
  }

  // As `sample`; after divergence the last finite set.
  finiteSample(x, numSamples, sampleSeed) {
    const result = this.sample(x, numSamples, sampleSeed);
    if (result.samples.every(Number.isFinite)) this.lastFinite = result;
    return this.lastFinite || result;
  }

  probabilities({ outputs, numSamples }, Q) {
    const K = this.settings.num_classes;
    for (let start = 0; start < outputs.length; start += K) softmax(outputs, outputs, start, K);
    return { samples: outputs, num_samples: numSamples, num_inputs: Q, num_outputs: K, noise: new Float32Array(0) };
  }

  functions({ outputs, numSamples, mean, sd }, Q) {
    const { y_mean: center, y_scale: scale } = this.scaling;
    const K = this.model.network.numOutputs; // 2 if the noise is predicted
    const samples = new Float32Array(numSamples * Q);
    for (let i = 0; i < samples.length; i += 1) samples[i] = center + scale * outputs[K * i];
    const noise = K === 1 ? Float32Array.of(this.constantNoise()) : new Float32Array(samples.length);
    if (K > 1) for (let i = 0; i < noise.length; i += 1) noise[i] = scale * Math.exp(0.5 * outputs[K * i + 1]);
    const exact = mean ? { mean: mean.map((m) => center + scale * m), sd: sd.map((s) => scale * s) } : {};
    return { samples, num_samples: numSamples, num_inputs: Q, num_outputs: 1, noise, ...exact };
  }

  // The known noise, or the root mean square of the residuals of samples, in units of y.
  constantNoise() {
    const { settings, x, y } = this;
    if (settings.likelihood === "gaussian") return settings.noise_std;
    if (!y.length) return this.scaling.y_scale;
    const { outputs, numSamples } = this.method.sample(x, y.length, new Random(settings.seed, 3), this.numScored, settings);
    let squares = 0;
    for (let i = 0; i < outputs.length; i += 1) squares += (outputs[i] - y[i % y.length]) ** 2;
    return this.scaling.y_scale * Math.sqrt(squares / (numSamples * y.length));
  }

  // Samples for numbers about the training points: 30, and fewer for many points, so that training goes on.
  get numScored() {
    return Math.max(5, Math.min(30, Math.floor(3000 / this.y.length)));
  }

  // The mean over points of -log E p(y | x, w), with all constants, in units of y.
  trainingNll() {
    const { data, settings } = this;
    const N = data.y.length;
    if (!N) return NaN;
    const { samples, num_samples: S, num_outputs: K, noise } = this.sample(data.x, this.numScored, settings.seed);
    if (!S) return this.loss;
    let total = 0;
    for (let n = 0; n < N; n += 1) {
      let mean = 0;
      for (let s = 0; s < S; s += 1) mean += this.density(samples, noise, s * N + n, K, data.y[n]) / S;
      total -= Math.log(Math.max(mean, 1e-300));
    }
    return total / N;
  }

  density(samples, noise, i, K, y) {
    if (this.settings.task === "classification") return samples[i * K + y];
    const std = noise.length > 1 ? noise[i] : noise[0];
    return Math.exp(-0.5 * ((y - samples[i]) / std) ** 2) / (std * Math.sqrt(2 * Math.PI));
  }

  // The weights and biases of one sample by layer, its masks (1 or 0), and the standard deviations of the weights.
  inside(index, numSamples, sampleSeed) {
    const { network } = this.model;
    const found = this.method.inside(new Random(sampleSeed, 3), index, this.settings, numSamples);
    if (!found) return { sizes: network.sizes, weights: [], biases: [], masks: [], stds: [] };
    const piece = (params, start, length) => params.slice(start, start + length);
    const weights = (params) => network.layers.map((l) => piece(params, l.weight, l.inputs * l.outputs));
    return {
      sizes: network.sizes,
      weights: weights(found.params),
      biases: network.layers.map((l) => piece(found.params, l.bias, l.outputs)),
      masks: found.masks.map((mask) => mask.map((m) => (m ? 1 : 0))),
      stds: found.stds ? weights(found.stds) : [],
    };
  }
}
