// Buttons, menus and sliders around the picture.

const button = (text, click, more = {}) => make("button", { text, type: "button", on: { click }, ...more });

/** A menu; `names` are texts by option. */
function menu(label, names, value, change) {
  const select = make("select", { "aria-label": label, on: { change: (event) => change(event.target.value) } });
  for (const [option, text] of Object.entries(names)) {
    select.append(make("option", { value: option, text, selected: option === value }));
  }
  return select;
}

/** Some of the names of a table. */
function picked(names, keys) {
  return Object.fromEntries(keys.map((key) => [key, names[key]]));
}

class Controls {
  constructor(board, primaryPlace, otherPlace) {
    Object.assign(this, { board, primaryPlace, otherPlace });
  }

  /** Build the controls of the present method anew. */
  refresh() {
    const { board } = this;
    const { state } = board;
    const numbers = numbersOf(state.method, state.task);
    const method = make("label", { class: "field" }, make("span", { text: "Method" }),
      menu("Method", picked(METHOD_NAMES, methodsFor(state.task)), state.method, (name) => board.setMethod(name)));
    this.primaryPlace.replaceChildren(method);
    numbers.slice(0, NUM_PRIMARY).forEach((name) => this.addSlider(this.primaryPlace, name));
    const activation = make("label", { class: "field" }, make("span", { text: "Activation" }),
      menu("Activation", ACTIVATIONS, state.activation, (name) => board.change("activation", name)));
    const speed = make("label", { class: "field" }, make("span", { text: "Speed" }),
      menu("Speed", SPEEDS, board.speed, (name) => board.setSpeed(name)));
    this.otherPlace.replaceChildren(speed, activation);
    numbers.slice(NUM_PRIMARY).forEach((name) => this.addSlider(this.otherPlace, name));
  }

  addSlider(place, name, stops = NUMBERS[name].stops) {
    const { board } = this;
    const { label } = NUMBERS[name];
    const value = board.state[name];
    const values = stops.includes(value) ? stops : [...stops, value].sort((a, b) => a - b);
    const choose = (position) => {
      const chosen = values[Math.round(position)];
      if (chosen !== board.state[name]) board.change(name, chosen);
    };
    const spec = { key: name, label, stops: values.map(String), value: String(value), isHidden: false };
    new Slider(place, spec, { input: choose, commit: choose }).take(spec, false);
  }
}

/** The running line: "step 12,340 · 8,100 steps/s · loss 0.12". */
function runningLine(method, progress, numPoints) {
  if (!progress) return "starting";
  if (method === "gaussian_process") return numPoints ? "solved exactly, nothing to train" : "prior, no data";
  const rate = progress.playing ? ` · ${withDecimals(roundedRate(progress.steps_per_second), 0)} steps/s` : "";
  const loss = Number.isFinite(progress.loss) ? ` · loss ${short(progress.loss)}` : "";
  return `step ${withDecimals(progress.step, 0)}${rate}${loss}`;
}

/** Two digits are enough for a rate. */
function roundedRate(rate) {
  return Number(rate.toPrecision(2));
}
