// The complete decode pad: pad, digit, walk, sliders, and events to the server.

const NARROW = 560; // pixels of width below which there is one column
const KEY_PAUSE = 300; // milliseconds without another key press before a position is committed
const GLIDE = 250; // milliseconds of the animation from one committed position to another

class DecodePad {
  constructor(host) {
    this.root = make("div", { class: "scrub decoder", role: "group", "aria-label": "Decode pad" });
    this.tools = make("div", { class: "tools", role: "toolbar", "aria-label": "Pad" });
    const plane = make("div", { class: "plane" });
    this.digit = make("canvas", { role: "img" });
    this.facts = make("p", { class: "facts" });
    const figure = make("figure", { class: "digit" }, this.digit, this.facts);
    this.aloud = make("p", { class: "unseen", "aria-live": "polite" });
    this.walk = new Walk({ move: (code) => this.show(code), commit: () => this.commit() });
    const board = make("div", { class: "board" }, plane, make("div", { class: "side" }, figure, this.walk.root));
    this.root.append(this.tools, board, this.aloud);
    host.replaceChildren(this.root);
    this.pad = new Pad(plane, {
      follow: (x, y) => this.follow(x, y), commit: () => this.commit(),
      step: (right, up) => this.step(right, up), home: () => this.home(),
    });
    this.knobs = new Knobs(this.root, { turn: (at, value) => this.turn(at, value), commit: () => this.commit() });
    this.counts = { inputs: 0, draws: 0, commits: 0, milliseconds: 0 };
    this.observer = new ResizeObserver(() => this.root.classList.toggle("narrow", this.root.clientWidth < NARROW));
    this.observer.observe(this.root);
    this.root.pad = this; // for the console and tests
  }

  /** Apply new data of the server; its blocks may arrive later. */
  async take(spec, send) {
    this.send = send;
    const text = JSON.stringify(spec);
    if (text === this.taken) return;
    const turn = (this.turnNumber = (this.turnNumber ?? 0) + 1);
    const [weights, dots] = await Promise.all([spec.decoder, spec.dots].map(blockNamed));
    if (turn !== this.turnNumber) return; // newer data have arrived
    this.taken = text;
    const isSame = this.spec?.decoder === spec.decoder;
    this.spec = spec;
    applyTheme(this.root, spec.theme);
    if (!isSame) this.decoder = new Decoder(weights);
    const { mean, std, labels } = dots.arrays;
    this.dots = { mean: halves(mean), std: halves(std), labels };
    this.refreshTools();
    Object.assign(this.digit, { width: spec.shape[1], height: spec.shape[0] });
    this.pad.canvas.fit();
    this.pad.take(spec, this.dots);
    this.walk.take(spec, this.decoder);
    this.knobs.take(spec);
    if (!this.pending) this.goTo(spec.code, isSame); // key presses after the event are newer than this response
    this.root.dataset.ready = "true";
  }

  // Moving ------------------------------------------------------------------------------------------------------

  /** The pointer is at a position of the pad. */
  follow(x, y) {
    const { reach, across, up } = this.spec;
    const code = [...this.code];
    code[across] = clamp(x, reach);
    code[up] = clamp(y, reach);
    this.show(code);
  }

  /** An arrow key moves from the position after the previous keys, even if that is not drawn yet. */
  step(right, up) {
    const { across, up: upward } = this.spec;
    this.follow(this.code[across] + right, this.code[upward] + up);
    this.settle();
  }

  turn(coordinate, value) {
    const code = [...this.code];
    code[coordinate] = value;
    this.show(code);
  }

  /** Move to a code from the server, at once or with a short animation. */
  goTo(code, isGliding) {
    const from = this.code;
    const distance = from ? Math.hypot(...code.map((value, at) => value - (from[at] ?? value))) : 0;
    this.stopGliding?.();
    if (!from || !isGliding || distance < 0.02 || prefersStillness()) return this.show(code);
    this.stopGliding = animate(GLIDE, (share) => {
      this.show(code.map((value, at) => from[at] + eased(share) * (value - from[at])), true);
    });
    return undefined;
  }

  /** Show a code in the next frame; of several codes before that, only the last is shown. */
  show(code, isGliding = false) {
    if (!isGliding) this.stopGliding?.();
    this.code = code;
    this.counts.inputs += 1;
    this.request ??= requestAnimationFrame(() => {
      this.request = null;
      this.draw();
    });
  }

  draw() {
    if (!this.spec || !this.code) return;
    const start = performance.now();
    const { across, up } = this.spec;
    this.pixels = this.decoder.decode(this.code);
    this.digit.getContext("2d").putImageData(pictureOf(this.pixels, this.spec), 0, 0);
    const around = this.nearest();
    this.pad.draw([this.code[across], this.code[up]], around);
    this.walk.set(this.code);
    this.knobs.set(this.code);
    this.sayWhere(around);
    this.counts.draws += 1;
    this.counts.milliseconds += performance.now() - start;
  }

  commit() {
    clearTimeout(this.pending);
    this.pending = null;
    this.counts.commits += 1;
    this.aloud.textContent = this.facts.textContent;
    const { across, up } = this.spec;
    this.send({ code: this.code.map((value) => Number(value.toFixed(3))), across, up });
  }

  /** Commit when no further key follows for a while. */
  settle() {
    clearTimeout(this.pending);
    this.pending = setTimeout(() => this.commit(), KEY_PAUSE);
  }

  // Tools -------------------------------------------------------------------------------------------------------

  refreshTools() {
    const isPlane = this.spec.code.length === 2;
    const middle = { text: "Middle", title: "All coordinates 0: the mean of the prior" };
    this.tools.replaceChildren(
      make("button", { type: "button", ...middle, on: { click: () => this.home() } }),
      ...(isPlane ? [] : ["across", "up"].map((axis) => this.chooser(axis))),
      make("span", { class: "hint", text: "Codes of training images, by digit. Drag the large dot, or use the arrow keys." }),
    );
  }

  /** A menu of the coordinate that an axis of the pad shows. */
  chooser(axis) {
    const change = () => this.choose(axis, Number(select.value));
    const select = make("select", { "aria-label": `Coordinate ${axis}`, on: { change } });
    for (const coordinate of this.spec.order) {
      const text = `z${subscript(coordinate + 1)}`;
      select.append(make("option", { value: String(coordinate), text, selected: coordinate === this.spec[axis] }));
    }
    return make("label", {}, make("span", { text: axis }), select);
  }

  choose(axis, coordinate) {
    const other = axis === "across" ? "up" : "across";
    const spec = { ...this.spec, code: this.code, [axis]: coordinate };
    if (spec[other] === coordinate) spec[other] = this.spec[axis];
    this.spec = spec;
    this.refreshTools();
    this.pad.take(spec, this.dots);
    this.knobs.take(spec);
    this.show(this.code);
    this.commit();
  }

  home() {
    this.goTo(this.code.map(() => 0), true);
    this.settle();
  }

  // Words -------------------------------------------------------------------------------------------------------

  sayWhere(around) {
    const { code } = this;
    const coordinates = code.map((value) => value.toFixed(2).replace("-", "−")).join(", ");
    const place = code.length > 2 ? `a code with |z| = ${short(Math.hypot(...code))}` : `z = (${coordinates})`;
    const far = this.logDensity() < this.spec.rare ? " Hardly any image has its code here." : "";
    this.facts.textContent = `Decoded at the large dot, ${place}.${far}`;
    const aloud = `${this.facts.textContent} Of the nearest codes, ${around.says}.`;
    this.digit.setAttribute("aria-label", `The digit decoded here. ${aloud}`);
    this.pad.canvas.element.setAttribute("aria-label", `${aloud} Arrow keys move.`);
  }

  /** Log density of the code under the average posterior of the images, as `log_average_posterior` in Python. */
  logDensity() {
    const { mean, std, labels } = this.dots;
    const width = this.code.length;
    const logs = Float64Array.from(labels, (_, row) => {
      let log = -0.5 * width * Math.log(2 * Math.PI);
      for (let at = 0; at < width; at += 1) {
        const sd = std[row * width + at];
        log -= 0.5 * ((this.code[at] - mean[row * width + at]) / sd) ** 2 + Math.log(sd);
      }
      return log;
    });
    const top = Math.max(...logs);
    return top + Math.log(logs.reduce((sum, log) => sum + Math.exp(log - top), 0) / logs.length);
  }

  /** Rows of the nearest codes of images, and of which classes most of them are. */
  nearest() {
    const { mean, labels } = this.dots;
    const width = this.code.length;
    const distances = Float64Array.from(labels, (_, row) =>
      Math.hypot(...this.code.map((value, at) => mean[row * width + at] - value)));
    const rows = [...labels.keys()].sort((a, b) => distances[a] - distances[b]).slice(0, this.spec.near);
    const counts = Array.from({ length: 10 }, () => 0);
    for (const row of rows) counts[labels[row]] += 1;
    const [first, second] = [...counts.keys()].sort((a, b) => counts[b] - counts[a]);
    const isMixed = counts[first] < this.spec.mostly * rows.length;
    const also = isMixed ? `, ${counts[second]} are ${second}s` : "";
    const says = `${counts[first]} of ${rows.length} are ${first}s${also}`;
    return { rows, says };
  }

  remove() {
    clearTimeout(this.pending);
    cancelAnimationFrame(this.request);
    this.stopGliding?.();
    this.observer.disconnect();
    this.pad.remove();
  }
}

function clamp(value, reach) {
  return Math.min(reach, Math.max(-reach, value));
}
