// Methods with one or several networks and weight decay: plain network (MAP), MC dropout, deep ensemble.
//
// A method has `init(random)`, `step(batch, random, settings)`, which returns the loss, and
// `sample(x, count, random, numSamples, settings)`: the outputs (S, Q, K) of S functions at Q standardised inputs.
// A model is { network, likelihood, numClasses } and keeps the arrays of its passes in `pass`.
// A batch is { x, y, count, numData, precision }.

import { Adam } from "./adam.js";
import { Pass } from "./mlp.js";

// The loss of a batch; its gradient by the outputs is in `pass.outputGradients` afterwards.
export function lossOf(model, pass, outputs, { y, count }) {
  return model.likelihood.gradient(outputs, y, count, pass.outputGradients, model.numClasses);
}

// The number of points to make room for, so that a point more seldom needs new arrays: a power of two up to 1024, then
// a multiple of 1024.
export const roomFor = (count) =>
  count > 1024 ? 1024 * Math.ceil(count / 1024) : Math.max(16, 2 ** Math.ceil(Math.log2(count)));

// The model's pass for at least `count` points. A pass with more room replaces one with too little.
export function passFor(model, count) {
  if (!model.pass || model.pass.batch < count) model.pass = new Pass(model.network, roomFor(count));
  return model.pass;
}

// The outputs (S, Q, K) at x (Q, D) of S networks, each given by `[params, masks]`.
export function evaluateAll(model, draws, x, count) {
  const size = count * model.network.numOutputs;
  const outputs = new Float32Array(draws.length * size);
  if (!count) return { numSamples: draws.length, outputs };
  const pass = passFor(model, count);
  draws.forEach(([params, masks], s) => outputs.set(pass.forward(params, x, count, masks).subarray(0, size), s * size));
  return { numSamples: draws.length, outputs };
}

// A plain network: the mean negative log-likelihood plus lambda ||W||^2 of the weights without the biases.
export class PlainNetwork {
  constructor(model) {
    this.model = model;
  }

  init(random) {
    this.load(this.model.network.init(random));
  }

  load(params) {
    this.params = params;
    this.adam = new Adam(params.length);
  }

  // A new mask per hidden layer; null without dropout.
  drawMasks() {
    return null;
  }

  // The loss, and its gradient by all parameters in `this.model.pass.gradient`.
  differentiate(batch, masks, { weight_decay: decay }) {
    const { params } = this;
    const pass = passFor(this.model, batch.count);
    const data = lossOf(this.model, pass, pass.forward(params, batch.x, batch.count, masks), batch);
    const gradient = pass.backward();
    let squares = 0;
    for (let i = 0; i < this.model.network.numWeights; i += 1) {
      squares += params[i] * params[i];
      gradient[i] += 2 * decay * params[i];
    }
    return data + decay * squares;
  }

  step(batch, random, settings) {
    const loss = this.differentiate(batch, this.drawMasks(batch.count, random, settings), settings);
    this.adam.step(this.params, this.model.pass.room, settings.learning_rate);
    return loss;
  }

  sample(x, count) {
    return evaluateAll(this.model, [[this.params, null]], x, count);
  }

  inside() {
    return { params: this.params, masks: [] };
  }
}

// MC dropout: a new mask for every point and step; one mask for all inputs of a sample.
export class MCDropout extends PlainNetwork {
  drawMasks(count, random, { dropout_rate: rate }) {
    if (!(rate > 0)) return null;
    if (!this.masks || this.count !== count) this.masks = this.model.network.hiddenArrays(count);
    this.count = count;
    for (const mask of this.masks) random.fillMasks(mask, rate);
    return this.masks;
  }

  sample(x, count, random, numSamples, { dropout_rate: rate }) {
    if (!(rate > 0)) return super.sample(x, count);
    const draws = Array.from({ length: numSamples }, () => [this.params, this.drawnMasks(random, rate)]);
    return evaluateAll(this.model, draws, x, count);
  }

  // One mask (units) per hidden layer.
  drawnMasks(random, rate) {
    return this.model.network.hiddenArrays(1).map((mask) => random.fillMasks(mask, rate));
  }

  // The weights and the masks of sample `index`, with the random numbers of `sample`.
  inside(random, index, { dropout_rate: rate }) {
    if (!(rate > 0)) return super.inside();
    let masks = this.drawnMasks(random, rate);
    for (let s = 0; s < index; s += 1) masks = this.drawnMasks(random, rate);
    return { params: this.params, masks };
  }
}

// Plain networks from different initial weights; each member is one sample.
export class DeepEnsemble {
  constructor(model) {
    this.model = model;
    this.members = [];
  }

  init(random, { num_members: count }) {
    this.members = [];
    this.resize(random, count);
  }

  // The first member starts with these parameters, the others with new ones.
  load(params, random, { num_members: count }) {
    const first = new PlainNetwork(this.model);
    first.load(params);
    this.members = [first];
    this.resize(random, count);
  }

  resize(random, count) {
    this.members.length = Math.min(this.members.length, count);
    while (this.members.length < count) {
      const member = new PlainNetwork(this.model);
      member.init(random);
      this.members.push(member);
    }
  }

  get params() {
    return this.members[0].params;
  }

  step(batch, random, settings) {
    if (this.members.length !== settings.num_members) this.resize(random, settings.num_members);
    return this.members.reduce((sum, member) => sum + member.step(batch, random, settings), 0) / this.members.length;
  }

  sample(x, count) {
    const pieces = this.members.map((member) => member.sample(x, count).outputs);
    const outputs = new Float32Array(pieces.length * pieces[0].length);
    pieces.forEach((piece, m) => outputs.set(piece, m * piece.length));
    return { numSamples: pieces.length, outputs };
  }

  inside(random, index) {
    return this.members[Math.min(index, this.members.length - 1)].inside();
  }
}
