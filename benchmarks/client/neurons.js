// A network in the style of TensorFlow Playground, written for the comparison: one object per unit and per weight.

class Unit {
  constructor() {
    Object.assign(this, { inputs: [], outputs: [], bias: 0.1, biasGradient: 0, output: 0, slope: 0, delta: 0 });
  }

  forward(isLinear) {
    let total = this.bias;
    for (const link of this.inputs) total += link.weight * link.source.output;
    this.slope = isLinear || total > 0 ? 1 : 0;
    this.output = isLinear || total > 0 ? total : 0;
  }

  // `delta` is the gradient of the loss by the pre-activation.
  backward() {
    let total = 0;
    for (const link of this.outputs) total += link.weight * link.target.delta;
    this.delta = total * this.slope;
  }

  collect() {
    this.biasGradient += this.delta;
    for (const link of this.inputs) link.gradient += this.delta * link.source.output;
  }

  update(rate) {
    this.bias -= rate * this.biasGradient;
    this.biasGradient = 0;
    for (const link of this.inputs) {
      link.weight -= rate * link.gradient;
      link.gradient = 0;
    }
  }
}

class Weight {
  constructor(source, target, weight) {
    Object.assign(this, { source, target, weight, gradient: 0 });
    source.outputs.push(this);
    target.inputs.push(this);
  }
}

// ReLU, one linear output, half the squared error, gradient steps over all points.
export class Neurons {
  constructor(sizes, random = Math.random) {
    this.layers = sizes.map((size) => Array.from({ length: size }, () => new Unit()));
    for (let l = 1; l < sizes.length; l += 1) {
      const bound = 1 / Math.sqrt(sizes[l - 1]);
      for (const target of this.layers[l]) {
        for (const source of this.layers[l - 1]) new Weight(source, target, bound * (2 * random() - 1));
      }
    }
    this.output = this.layers.at(-1)[0];
  }

  forward(x) {
    this.layers[0][0].output = x;
    for (let l = 1; l < this.layers.length; l += 1) {
      for (const unit of this.layers[l]) unit.forward(l === this.layers.length - 1);
    }
    return this.output.output;
  }

  backward(y) {
    this.output.delta = this.output.output - y;
    for (let l = this.layers.length - 2; l > 0; l -= 1) for (const unit of this.layers[l]) unit.backward();
    for (const layer of this.layers.slice(1)) for (const unit of layer) unit.collect();
  }

  step(x, y, rate) {
    for (let n = 0; n < x.length; n += 1) {
      this.forward(x[n]);
      this.backward(y[n]);
    }
    for (const layer of this.layers.slice(1)) for (const unit of layer) unit.update(rate / x.length);
  }

  loss(x, y) {
    return x.reduce((sum, each, n) => sum + 0.5 * (this.forward(each) - y[n]) ** 2, 0) / x.length;
  }
}
