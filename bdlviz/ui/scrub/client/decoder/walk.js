// A straight walk between the codes of two digits: the images along it, and a slider that moves the code.

const NUM_STOPS = 7; // images along the walk

class Walk {
  /** @param {{move: Function, commit: Function}} on  `move(code)`, `commit()` */
  constructor(on) {
    this.says = make("span");
    this.strip = make("canvas", { role: "img", "aria-label": "Images decoded along the walk" });
    this.input = make("input", {
      type: "range", min: "0", max: "1", step: "0.01",
      on: {
        input: () => on.move(this.at(Number(this.input.value))),
        change: () => on.commit(),
        keydown: (event) => event.stopPropagation(),
      },
    });
    this.root = make("label", { class: "walk" }, this.says, this.strip, this.input);
  }

  take(spec, decoder) {
    const [height, width] = spec.shape;
    this.ends = spec.walk.codes;
    this.says.textContent = spec.walk.says;
    Object.assign(this.strip, { width: NUM_STOPS * width, height });
    const pen = this.strip.getContext("2d");
    for (let stop = 0; stop < NUM_STOPS; stop += 1) {
      const pixels = decoder.decode(this.at(stop / (NUM_STOPS - 1)));
      pen.putImageData(pictureOf(pixels, spec), stop * width, 0);
    }
  }

  /** The code at a share of the walk. */
  at(share) {
    const [from, to] = this.ends;
    return from.map((value, at) => value + share * (to[at] - value));
  }

  /** Let the slider stand at the place of the walk that is nearest to a code. */
  set(code) {
    const [from, to] = this.ends;
    const dot = (a, b) => a.reduce((sum, value, at) => sum + (value - from[at]) * (b[at] - from[at]), 0);
    this.input.value = String(dot(code, to) / (dot(to, to) || 1));
  }
}
