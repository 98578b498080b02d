// Sliders of the view: the picture follows every input event; the server gets an event only on release.

const KEYS = {
  ArrowRight: 1, ArrowUp: 1, ArrowLeft: -1, ArrowDown: -1, PageUp: 3, PageDown: -3, Home: -Infinity, End: Infinity,
};
const KEY_PAUSE = 50; // milliseconds without another key press before a value is committed

class Slider {
  /**
   * @param {{key: string, label: string, stops: string[], value: string}} spec
   * @param {{input: Function, commit: Function}} on  `input(position)`, `commit(index)`
   */
  constructor(parent, spec, on) {
    this.spec = spec;
    this.on = on;
    this.output = make("output");
    this.input = make("input", {
      type: "range", min: "0", max: String(spec.stops.length - 1), step: "0.001", "aria-label": spec.label,
      on: {
        input: () => this.follow(Number(this.input.value)),
        change: () => this.release(),
        pointerdown: () => { this.isHeld = true; },
        keydown: (event) => this.press(event),
        blur: () => this.flush(),
      },
    });
    this.element = make("label", { class: "slider", "data-key": spec.key }, make("span", { text: spec.label }));
    this.ends = [make("small"), make("small")];
    this.element.append(this.output, this.ends[0], this.input, this.ends[1]);
    parent.append(this.element);
    this.take(spec, true);
  }

  /** Set whether positions between two stops can be shown, and the committed value. */
  take(spec, isContinuous) {
    this.spec = spec;
    this.isContinuous = isContinuous;
    this.element.hidden = spec.isHidden;
    this.input.max = String(spec.stops.length - 1);
    this.ends.forEach((end, i) => { end.textContent = shownText(spec.stops.at(-i)); });
    if (!this.isHeld && !this.pending) this.set(Math.max(0, spec.stops.indexOf(spec.value)));
  }

  get position() {
    return Number(this.input.value);
  }

  set(position) {
    this.input.value = String(position);
    const text = (this.text = between(this.spec.stops, position));
    this.output.textContent = text;
    this.input.setAttribute("aria-valuetext", text);
  }

  follow(position) {
    this.set(this.isContinuous ? position : Math.round(position));
    this.on.input(this.position);
  }

  release() {
    this.isHeld = false;
    this.commitAt(Math.round(this.position));
  }

  press(event) {
    const move = KEYS[event.key];
    if (move === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const last = this.spec.stops.length - 1;
    this.follow(Math.min(last, Math.max(0, Math.round(this.position) + move)));
    clearTimeout(this.pending);
    this.pending = setTimeout(() => this.flush(), KEY_PAUSE);
  }

  flush() {
    if (!this.pending) return;
    clearTimeout(this.pending);
    this.pending = null;
    this.commitAt(this.position);
  }

  commitAt(index) {
    this.set(index);
    this.on.commit(index);
  }
}

/** A stop in words: 10⁻⁴ for 1e-4. */
const shownText = (stop) => (stop !== "" && Number.isFinite(Number(stop)) ? numberText(Number(stop), 3) : stop);

/** The text of the value between two stops: geometric interpolation for geometric steps, else linear. */
function between(stops, position) {
  const low = Math.floor(position);
  const share = position - low;
  if (share < 1e-6 || low >= stops.length - 1) return shownText(stops[Math.min(low, stops.length - 1)]);
  const [a, b] = [Number(stops[low]), Number(stops[low + 1])];
  const isGeometric = a > 0 && b / a > 2.5;
  const value = isGeometric ? a ** (1 - share) * b ** share : (1 - share) * a + share * b;
  return `≈ ${numberText(value, 2)}`;
}
