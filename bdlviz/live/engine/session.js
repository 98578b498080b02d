// One page's fit: takes messages, trains in slices, and posts samples when the page has asked for the next set.

import { Trainer } from "./trainer.js";

const SLICE_MS = 8;
const PROGRESS_MS = 100;
const MOST_NUMBERS = 4e6; // of a set of samples

export class Session {
  // `post(message, arrays)` sends to the page, and `later(callback)` calls back after waiting messages were taken.
  constructor(post, later, now = () => performance.now(), sliceMs = SLICE_MS) {
    Object.assign(this, { post, later, now, sliceMs });
    this.trainer = null;
    this.isPlaying = false;
    this.isRunning = false;
    this.isAsked = false;
    this.sent = {}; // version, steps and grid of the last set of samples
    this.version = 0;
    this.grid = { x: new Float32Array(0), num_samples: 30, sample_seed: 0 };
    this.rate = { time: 0, steps: 0, perSecond: 0 };
  }

  take(message) {
    try {
      const handler = HANDLERS[message.type];
      if (!handler) throw new Error(`There is no message called ${message.type}.`);
      if (!this.trainer && !["start", "grid", "next"].includes(message.type)) throw new Error("Send start first.");
      handler.call(this, message);
    } catch (error) {
      this.post({ type: "refused", message: error.message });
    }
    this.run();
  }

  // Slices of training until there is nothing to do.
  run() {
    if (this.isRunning || !(this.isPlaying || this.isDue)) return;
    this.isRunning = true;
    this.later(() => {
      this.isRunning = false;
      if (this.isPlaying) this.slice();
      if (this.isDue) this.sendSamples();
      this.run();
    });
  }

  // True if the page waits for a set of samples that differs from the last one.
  get isDue() {
    const { isAsked, trainer, sent, version, grid } = this;
    return isAsked && trainer && !(sent.version === version && sent.steps === trainer.steps && sent.grid === grid);
  }

  slice() {
    const { trainer } = this;
    const end = this.now() + this.sliceMs;
    let steps = 0;
    while (trainer.step()) {
      steps += 1;
      if (this.now() >= end) break;
    }
    this.rate.steps += steps;
    if (trainer.hasDiverged) this.stopDiverged();
    else if (!steps) this.isPlaying = false; // nothing to train
    const elapsed = this.now() - this.rate.time;
    if (elapsed >= PROGRESS_MS) {
      this.rate.perSecond = (1000 * this.rate.steps) / elapsed;
      this.sendProgress();
    }
  }

  stopDiverged() {
    this.isPlaying = false;
    const message = "Training has diverged: choose a smaller learning rate, then Reset.";
    this.post({ type: "diverged", step: this.trainer.steps, message });
  }

  sendProgress() {
    const { trainer } = this;
    this.rate.time = this.now();
    this.rate.steps = 0;
    this.post({
      type: "progress",
      step: trainer.steps,
      steps_per_second: this.isPlaying ? this.rate.perSecond : 0,
      loss: trainer.loss,
      nll: trainer.trainingNll(),
      playing: this.isPlaying,
      num_networks: trainer.method.members ? trainer.method.members.length : 1,
    });
  }

  sendSamples() {
    this.isAsked = false;
    const { x, num_samples: numSamples, sample_seed: seed } = this.grid;
    const { trainer, version, grid } = this;
    this.sent = { version, steps: trainer.steps, grid };
    if (x.length % trainer.settings.num_inputs) {
      this.post({ type: "refused", message: "The inputs of the grid do not fit the network." });
      return;
    }
    const set = trainer.finiteSample(x, numSamples, seed);
    const copy = { ...set, samples: set.samples.slice(), noise: set.noise.slice() };
    const arrays = [copy.samples.buffer, copy.noise.buffer];
    this.post({ type: "samples", step: trainer.steps, version, ...copy }, arrays);
  }

  restarted(reason) {
    this.post({ type: "restarted", step: 0, reason });
  }

  play(isPlaying) {
    this.isPlaying = isPlaying && !this.trainer.hasDiverged;
    this.rate = { time: this.now(), steps: 0, perSecond: 0 };
    this.wasPlaying = isPlaying;
  }
}

const HANDLERS = {
  start({ settings, x, y, playing = true }) {
    this.trainer = new Trainer(settings, x, y);
    this.version += 1;
    this.restarted("start");
    this.play(playing);
    this.sendProgress();
  },
  points({ x, y }) {
    this.trainer.setData(x, y);
    this.version += 1;
    this.play(this.wasPlaying);
    this.sendProgress();
  },
  settings({ settings }) {
    const reason = this.trainer.set(settings);
    this.version += 1;
    if (reason) this.restarted(reason);
    this.play(this.wasPlaying);
    this.sendProgress();
  },
  play() {
    this.play(true);
    this.sendProgress();
  },
  pause() {
    this.play(false);
    this.sendProgress();
  },
  step({ steps = 1 }) {
    for (let i = 0; i < Math.min(steps, 10000) && this.trainer.step(); i += 1);
    if (this.trainer.hasDiverged) this.stopDiverged();
    this.sendProgress();
  },
  reset({ seed }) {
    if (seed !== undefined) this.trainer.set({ seed });
    this.trainer.restart();
    this.version += 1;
    this.restarted("reset");
    this.play(this.wasPlaying);
    this.sendProgress();
  },
  grid({ x, num_samples: numSamples = 30, sample_seed: seed = 0 }) {
    if (!(numSamples >= 1) || !(x.length * numSamples <= MOST_NUMBERS)) throw new Error("The grid is too large.");
    this.grid = { x, num_samples: Math.floor(numSamples), sample_seed: seed };
  },
  next() {
    this.isAsked = true;
  },
  inside({ sample = 0 }) {
    const { num_samples: numSamples, sample_seed: seed } = this.grid;
    this.post({ type: "inside", ...this.trainer.inside(sample, numSamples, seed) });
  },
};
