// One network that trains: the link to the engine, the speed, and the last set of samples.

const SPEEDS = { full: "Full speed", 100: "100 steps/s", 10: "10 steps/s" };
const TICK_MS = 100; // of slow training
const SAMPLES = { regression: 30, classification: 20 };

class Training {
  /** @param {object} live the engine @param {string} url of the engine @param {(message: object) => void} listen */
  constructor(live, url, listen) {
    this.listen = listen;
    this.set = null;
    this.progress = null;
    this.forget();
    this.link = live.connect(url, (message) => this.hear(message));
  }

  /** Start anew, with so many steps before the first picture. */
  start(state, method, xs, isPlaying, speed, steps) {
    const isSlow = speed !== "full";
    const settings = engineSettings(state, method);
    this.set = null;
    this.forget();
    this.link.send({ type: "start", settings, ...engineData(state), playing: isPlaying && !isSlow });
    this.sampleAt(xs, state.task);
    if (steps) this.link.send({ type: "step", steps });
    this.pace(isPlaying, speed);
    this.link.send({ type: "next" });
  }

  sampleAt(xs, task) {
    this.link.send({ type: "grid", x: Float32Array.from(xs), num_samples: SAMPLES[task] });
  }

  /** Play, pause, or take a few steps at a time. */
  pace(isPlaying, speed) {
    clearInterval(this.timer);
    const isFull = speed === "full";
    this.link.send({ type: isPlaying && isFull ? "play" : "pause" });
    if (!isPlaying || isFull) return;
    const steps = Math.max(1, Math.round((Number(speed) * TICK_MS) / 1000));
    this.timer = setInterval(() => this.link.send({ type: "step", steps }), (1000 * steps) / Number(speed));
  }

  hear(message) {
    if (message.type === "samples") this.set = message;
    if (message.type === "samples" && this.refusedAt !== null && message.version > this.refusedAt) this.forget();
    if (message.type === "progress") this.progress = message;
    if (message.type === "restarted") this.forget();
    if (message.type === "diverged" || message.type === "refused") this.problem = message.message;
    if (message.type === "refused") this.refusedAt = this.set?.version ?? 0; // shown until a change is accepted
    this.listen(message);
  }

  forget() {
    this.problem = "";
    this.refusedAt = null;
  }

  send(message) {
    this.link.send(message);
  }

  close() {
    clearInterval(this.timer);
    this.link.close();
  }
}
