// A multilayer perceptron: its shape, its initial weights, and forward and backward passes over a batch.
//
// The parameters of a network are one flat array: the weights (in, out) of all layers, then the biases of all layers.

import { ACTIVATIONS } from "./activations.js";
import { adamRoom } from "./adam.js";
import { workspaceFor } from "./products.js";

export class MLP {
  constructor(sizes, activation = "relu") {
    this.sizes = sizes;
    this.activation = activation;
    this.layers = [];
    let position = 0;
    for (let l = 0; l + 1 < sizes.length; l += 1) {
      this.layers.push({ inputs: sizes[l], outputs: sizes[l + 1], weight: position, bias: 0 });
      position += sizes[l] * sizes[l + 1];
    }
    this.numWeights = position; // without biases
    for (const layer of this.layers) {
      layer.bias = position;
      position += layer.outputs;
    }
    this.numNumbers = position;
    this.hidden = sizes.slice(1, -1);
    this.numOutputs = sizes[sizes.length - 1];
  }

  // Weights and biases of a layer with n inputs are uniform between -1 / sqrt(n) and 1 / sqrt(n).
  init(random) {
    const params = new Float32Array(this.numNumbers);
    for (const { inputs, outputs, weight, bias } of this.layers) {
      const bound = 1 / Math.sqrt(inputs);
      for (let i = 0; i < inputs * outputs; i += 1) params[weight + i] = bound * (2 * random.uniform() - 1);
      for (let j = 0; j < outputs; j += 1) params[bias + j] = bound * (2 * random.uniform() - 1);
    }
    return params;
  }

  // One array (B, units) per hidden layer.
  hiddenArrays(batch) {
    return this.hidden.map((units) => new Float32Array(batch * units));
  }
}

// The activations of a network on at most `batch` points, and the gradient of a loss by all parameters.
export class Pass {
  constructor(network, batch) {
    const { sizes, hidden, numNumbers } = network;
    this.network = network;
    this.batch = batch;
    const widest = Math.max(...hidden);
    const perPoint = 2 * sum(sizes.slice(1)) + sum(hidden) + sizes[0] + widest;
    const room = workspaceFor(4 * numNumbers + batch * perPoint + widest, Math.max(batch, ...sizes));
    const arrays = (widths) => widths.map((units) => room.array(batch * units));
    this.workspace = room;
    this.room = adamRoom(room, numNumbers);
    this.params = this.room.params;
    this.gradient = this.room.gradient;
    this.x = room.array(batch * sizes[0]);
    this.values = arrays(sizes.slice(1)); // masked
    this.slopes = arrays(hidden); // derivative of the masked value by the pre-activation
    this.deltas = arrays(sizes.slice(1)); // gradient by pre-activations
    this.masks = room.array(batch * widest); // of the layer at hand
    this.ones = room.array(widest).fill(1);
    this.outputs = this.values[this.values.length - 1];
    this.outputGradients = this.deltas[this.deltas.length - 1]; // the loss writes here before `backward`
    this.weights = network.layers.map((layer) => pieces(layer, this.params));
    this.gradients = network.layers.map((layer) => pieces(layer, this.gradient));
  }

  // Outputs (B, K) at x (B, D). A mask per hidden layer multiplies its activations: (B, units), or (units) for all
  // points; null for none.
  forward(params, x, count, masks = null) {
    this.params.set(params);
    this.x.set(x.subarray(0, count * this.network.sizes[0]));
    this.count = count;
    this.network.layers.forEach(({ inputs, outputs }, l) => {
      const { weight, bias } = this.weights[l];
      this.workspace.multiply(this.before(l), inputs, 1, weight, bias, this.values[l], count, inputs, outputs);
      if (l < this.slopes.length) this.activate(l, masks ? masks[l] : this.ones.subarray(0, outputs));
    });
    return this.outputs;
  }

  // The inputs of a layer.
  before(l) {
    return l ? this.values[l - 1] : this.x;
  }

  activate(l, mask) {
    const { count, workspace, network } = this;
    const units = network.hidden[l];
    const step = mask.length === units ? 0 : units;
    const kept = this.masks.subarray(0, mask.length);
    kept.set(mask);
    const activation = ACTIVATIONS[network.activation];
    workspace.activate(activation, this.values[l], this.slopes[l], kept, step, count, units);
  }

  // The gradient by all parameters, from `outputGradients`: by W it is h^T delta, by b the sum of delta, and by the
  // pre-activations before a layer (delta W^T) times the slopes.
  backward() {
    const { count, workspace } = this;
    for (let l = this.network.layers.length - 1; l >= 0; l -= 1) {
      const { inputs, outputs } = this.network.layers[l];
      const { weight, bias } = this.gradients[l];
      const deltas = this.deltas[l];
      workspace.multiply(this.before(l), 1, inputs, deltas, null, weight, inputs, count, outputs);
      sumOfRows(deltas, count, bias);
      if (l) {
        const { slopes, weights } = this;
        workspace.multiplyTransposed(deltas, weights[l].weight, slopes[l - 1], this.deltas[l - 1], count, outputs, inputs);
      }
    }
    return this.gradient;
  }
}

const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

// The weights (in, out) and the biases of a layer within an array of all parameters.
export function pieces({ inputs, outputs, weight, bias }, numbers) {
  return {
    weight: numbers.subarray(weight, weight + inputs * outputs),
    bias: numbers.subarray(bias, bias + outputs),
  };
}

// Writes the sum over the rows of an array (count, columns).
export function sumOfRows(rows, count, sums) {
  sums.fill(0);
  for (let n = 0; n < count; n += 1) for (let j = 0; j < sums.length; j += 1) sums[j] += rows[n * sums.length + j];
}
