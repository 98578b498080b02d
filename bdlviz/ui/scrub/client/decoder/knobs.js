// One slider for each coordinate of a long code.

class Knobs {
  /** @param {{turn: Function, commit: Function}} on  `turn(coordinate, value)`, `commit()` */
  constructor(parent, on) {
    this.place = make("div", { class: "knobs", role: "group", "aria-label": "Coordinates of the code" });
    parent.append(this.place);
    this.on = on;
    this.knobs = new Map();
  }

  take(spec) {
    const wanted = spec.order.join();
    if (wanted !== this.shown) {
      this.place.replaceChildren();
      this.knobs.clear();
      for (const coordinate of spec.order) this.add(coordinate, spec);
      this.shown = wanted;
    }
    for (const [coordinate, { element, says }] of this.knobs) {
      element.classList.toggle("on-pad", coordinate === spec.across || coordinate === spec.up);
      says.textContent = ` ${spec.weights[coordinate].toFixed(1)} nats`;
    }
    this.set(spec.code);
  }

  add(coordinate, spec) {
    const name = `z${subscript(coordinate + 1)}`;
    const output = make("output");
    const says = make("small");
    const input = make("input", {
      type: "range", min: String(-spec.reach), max: String(spec.reach), step: "0.05",
      "aria-label": `Coordinate ${coordinate + 1}`,
      on: {
        input: () => this.on.turn(coordinate, Number(input.value)),
        change: () => this.on.commit(),
        keydown: (event) => event.stopPropagation(),
      },
    });
    const element = make("label", { class: "knob" }, make("span", { text: name }, says), output, input);
    this.place.append(element);
    this.knobs.set(coordinate, { element, input, output, says });
  }

  set(code) {
    for (const [coordinate, { input, output }] of this.knobs) {
      input.value = String(code[coordinate]);
      output.textContent = code[coordinate].toFixed(2).replace("-", "−");
    }
  }
}
