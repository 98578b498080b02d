// The picture with its tools: play, pause, step, scrub, speed. The server has computed all its numbers.

const NARROW = 640; // pixels of width below which there is one column
const OPENING = 8; // seconds in which the steps are played when the page opens
const SPEEDS = ["0.5", "1", "4", "16"];

class ChainsView {
  constructor(host) {
    this.root = make("div", { class: "scrub chains", role: "group", "aria-label": "Variational or MCMC" });
    this.speed = 1;
    this.moment = 0; // completed steps, plus the fraction of the current one
    const toggle = () => (this.isPlaying ? this.pause() : this.play());
    this.button = make("button", { type: "button", on: { click: toggle } });
    this.one = make("button", { type: "button", text: "Step", on: { click: () => this.step() } });
    this.range = make("input", { type: "range", min: "0", step: "1", "aria-label": "Steps done" });
    this.range.addEventListener("input", () => this.goTo(Number(this.range.value)));
    this.range.addEventListener("change", () => this.sayAloud());
    this.count = make("output");
    const speeds = make("select", { "aria-label": "Speed", on: { change: () => (this.speed = Number(speeds.value)) } });
    for (const speed of SPEEDS) {
      speeds.append(make("option", { value: speed, text: `${speed}×`, selected: speed === "1" }));
    }
    const course = make("label", { class: "course" }, this.range);
    this.tools = make("div", { class: "tools", role: "toolbar", "aria-label": "Player" });
    this.tools.append(this.button, this.one, course, this.count, speeds);
    this.place = make("div", { class: "ground" });
    this.side = make("div", { class: "side" });
    this.aloud = make("p", { class: "unseen", "aria-live": "polite" });
    this.root.append(this.tools, make("div", { class: "board" }, this.place, this.side), this.aloud);
    host.replaceChildren(this.root);
    this.ground = new Ground(this.place, () => this.draw());
    this.observer = new ResizeObserver(() => this.root.classList.toggle("narrow", this.root.clientWidth < NARROW));
    this.observer.observe(this.root);
    this.root.view = this; // for the console and tests
  }

  /** Apply new data of the server; its blocks may arrive later. */
  async take(spec) {
    const text = JSON.stringify(spec);
    if (text === this.taken) return;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const [ground, course] = await Promise.all([spec.ground, spec.course].map(blockNamed));
    if (turn !== this.turn) return; // newer data have arrived
    this.taken = text;
    const isSame = this.spec?.course === spec.course;
    applyTheme(this.root, spec.theme);
    this.root.classList.toggle("sliders", spec.kind === "chains"); // the page has a row of sliders under the picture
    this.root.classList.toggle("two", spec.kind === "fit");
    if (this.spec?.kind !== spec.kind) {
      this.show?.remove();
      this.side.replaceChildren();
      this.show = spec.kind === "fit" ? new FitShow(this.side, () => this.draw()) : new ChainShow(this.side);
    }
    this.spec = spec;
    this.ground.take(spec, ground, spec.titles?.[0]);
    this.show.take(spec, course.arrays, ground);
    this.range.max = String(this.show.last);
    if (!isSame) {
      this.pause();
      this.moment = this.show.last;
    }
    this.refresh();
    this.draw();
    if (!this.root.dataset.ready && !prefersStillness()) this.play(this.show.last / OPENING);
    this.root.dataset.ready = "true";
  }

  /** Play to the last step, in no fewer than `least` steps per second. */
  play(least = 0) {
    if (this.moment >= this.show.last) this.moment = 0;
    this.isPlaying = true;
    this.refresh();
    let before = performance.now();
    let held = 0;
    const frame = (now) => { // the first frame may have begun before the button was pressed
      if (!this.isPlaying || !this.root.isConnected) return;
      const steps = (Math.max(0, now - before) / 1000) * Math.max(least, this.show.perSecond * this.speed);
      before = now;
      if (prefersStillness()) {
        held += steps;
        if (held >= 1) {
          this.moment = Math.min(this.show.last, Math.floor(this.moment) + Math.floor(held));
          held %= 1;
        }
      } else this.moment = Math.min(this.show.last, this.moment + steps);
      this.draw();
      if (this.moment >= this.show.last) this.pause();
      else this.request = requestAnimationFrame(frame);
    };
    this.request = requestAnimationFrame(frame);
  }

  pause() {
    cancelAnimationFrame(this.request);
    const was = this.isPlaying;
    this.isPlaying = false;
    this.refresh();
    if (was) this.sayAloud();
  }

  /** Go one step forward, with or without animation. */
  step() {
    if (this.isPlaying) this.pause();
    this.stopStepping?.();
    const from = this.moment >= this.show.last ? 0 : Math.floor(this.moment);
    if (prefersStillness()) this.goTo(from + 1);
    else this.stopStepping = animate(300, (share) => { this.moment = from + share; this.draw(); });
  }

  goTo(moment) {
    if (this.isPlaying) this.pause();
    this.stopStepping?.();
    this.moment = Math.min(moment, this.show.last);
    this.draw();
  }

  draw() {
    if (!this.spec) return;
    this.show.draw(this.ground, this.moment);
    const done = Math.floor(this.moment);
    this.range.value = String(done);
    this.range.setAttribute("aria-valuetext", `${done} of ${this.show.last} steps`);
    this.count.textContent = `step ${done} of ${this.show.last}`;
  }

  refresh() {
    this.button.textContent = this.isPlaying ? "Pause" : "Play";
    this.button.setAttribute("aria-pressed", String(Boolean(this.isPlaying)));
  }

  sayAloud() {
    const at = Math.floor(this.moment);
    this.aloud.textContent = `Step ${at}: ${this.show.spoken(at)}`;
  }

  remove() {
    this.isPlaying = false;
    cancelAnimationFrame(this.request);
    this.stopStepping?.();
    this.observer.disconnect();
    this.show?.remove();
    this.ground.remove();
  }
}
