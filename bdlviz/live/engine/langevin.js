// Stochastic-gradient Langevin dynamics (Welling & Teh 2011) on the posterior of a network's weights.
//
// w <- w - eps^2 / 2 grad U(w) + eps r, r ~ N(0, I), with the potential of bdlviz.training.chains,
// U(w) = -tau sum_i log p(y_i | x_i, w) + 1/2 sum_j lambda_j w_j^2, its sum estimated from a batch.

import { evaluateAll, lossOf, passFor } from "./networks.js";

export class Langevin {
  constructor(model) {
    this.model = model;
    this.noise = new Float32Array(model.network.numNumbers);
  }

  init(random) {
    this.load(this.model.network.init(random));
  }

  load(params) {
    this.params = params;
    this.kept = []; // the last states, the oldest at `oldest`
    this.oldest = 0;
    this.count = 0;
  }

  // The inverse prior variances of the weights of one layer: l^2, or n l^2 if scaled by width; biases always have l^2.
  precisionOfWeights({ inputs }, { length_scale: lengthScale, prior_by_width: byWidth }) {
    return lengthScale * lengthScale * (byWidth ? inputs : 1);
  }

  // The potential divided by N; the gradient of the potential itself is in `this.model.pass.gradient`.
  differentiate(batch, settings) {
    const { params } = this;
    const { network } = this.model;
    const pass = passFor(this.model, batch.count);
    const data = lossOf(this.model, pass, pass.forward(params, batch.x, batch.count), batch);
    const gradient = pass.backward();
    const factor = batch.precision * batch.numData;
    let potential = factor * data;
    const add = (start, length, precision) => {
      for (let i = start; i < start + length; i += 1) {
        potential += 0.5 * precision * params[i] * params[i];
        gradient[i] = factor * gradient[i] + precision * params[i];
      }
    };
    for (const layer of network.layers) {
      add(layer.weight, layer.inputs * layer.outputs, this.precisionOfWeights(layer, settings));
      add(layer.bias, layer.outputs, settings.length_scale ** 2);
    }
    return potential / batch.numData;
  }

  step(batch, random, settings) {
    const loss = this.differentiate(batch, settings);
    const { gradient } = this.model.pass;
    const { step_size: size } = settings;
    random.fillNormals(this.noise);
    for (let i = 0; i < this.params.length; i += 1) {
      this.params[i] += size * this.noise[i] - 0.5 * size * size * gradient[i];
    }
    this.count += 1;
    if (this.count % settings.thinning === 0) this.keep(settings.num_kept);
    return loss;
  }

  keep(most) {
    if (this.kept.length > most) this.kept.length = most;
    if (this.kept.length < most) {
      this.kept.push(this.params.slice());
      return;
    }
    this.oldest %= most;
    this.kept[this.oldest].set(this.params);
    this.oldest += 1;
  }

  // At most `numSamples` of the kept states, evenly spaced; the present state before any is kept.
  sample(x, count, random, numSamples) {
    const draws = this.chosen(numSamples).map((state) => [state, null]);
    return evaluateAll(this.model, draws, x, count);
  }

  chosen(numSamples) {
    const { kept } = this;
    if (!kept.length) return [this.params];
    const number = Math.min(numSamples, kept.length);
    return Array.from({ length: number }, (_, s) => kept[Math.floor((s * kept.length) / number)]);
  }

  inside(random, index, settings, numSamples) {
    const states = this.chosen(numSamples);
    return { params: states[Math.min(index, states.length - 1)], masks: [] };
  }
}
