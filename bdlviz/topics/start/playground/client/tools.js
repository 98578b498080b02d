// The rows of buttons of the view, which follow from its state.

Object.assign(Board.prototype, {
  /** Problem, data, play, step, reset. */
  refreshTop() {
    const { state } = this;
    const problems = Object.entries(PROBLEM_NAMES).map(([task, text]) =>
      button(text, () => this.setProblem(task), { "aria-pressed": String(task === state.task) }));
    const parts = [
      make("span", { class: "group", role: "group", "aria-label": "Problem" }, ...problems),
      make("span", { class: "group", role: "group", "aria-label": "Training" },
        button(this.isPlaying ? "Pause" : "Play", () => this.toggle(), { "data-key": "play", title: "Space" }),
        button("Reset", () => this.reset(), { title: "New weights" })),
    ];
    if (state.task === "classification") parts.push(...this.planeTools());
    this.replace(this.top, [...parts, this.points, this.running]);
    const names = state.task === "regression" ? CURVE_LEGEND : [];
    this.legend.replaceChildren(...names.map(([key, text]) => make("span", { class: key, text })));
  },

  planeTools() {
    const brushes = Object.fromEntries([0, 1, 2, 3].map((k) => [k, `Class ${k + 1}`]));
    return [
      menu("Data", PRESETS, this.state.data, (name) => this.setData(name)),
      menu("Class of a new point", brushes, String(this.brush), (k) => { this.brush = Number(k); }),
      menu("Map", MAPS, this.map, (name) => {
        this.map = name;
        this.sides.forEach((side) => side.draw());
      }),
    ];
  },

  /** Undo and Clear; the rare ones: samples, network, comparison, drawers, server. */
  refreshTools() {
    const { state } = this;
    const pressed = (isOn) => ({ "aria-pressed": String(Boolean(isOn)) });
    const others = picked(METHOD_NAMES, methodsFor(state.task).filter((name) => name !== state.method));
    this.replace(this.points, [
      button("Undo", () => this.undo(), { "data-key": "undo", disabled: !this.past.length, title: "Ctrl Z" }),
      button("Clear", () => this.clear(), { "data-key": "clear", disabled: !state.points.length }),
    ]);
    const parts = [
      button("Step", () => this.sides.forEach((side) => side.training.send({ type: "step" })), {
        "data-key": "step", title: "One step",
      }),
      button("Remove", () => this.removePoint(this.chosen), { disabled: this.chosen < 0, title: "The chosen point (Delete)" }),
      button("Play samples", () => this.playSamples(), pressed(this.highlight !== null)),
      button("Look inside", () => this.toggleInside(), pressed(this.inside)),
      menu("Compare with", { "": "Compare with …", ...others }, state.versus, (name) => this.setVersus(name)),
      ...Object.keys(DRAWERS).map((name) =>
        button(name, () => this.openDrawer(name), { "data-key": name.toLowerCase(), ...pressed(this.open === name) })),
    ];
    if (this.send) {
      const [isEmpty, isCurve] = [!state.points.length, state.task === "regression"];
      parts.push(button("Fit on the server", () => this.askServer(libraryCall(state, this.steps)), {
        "data-key": "fit", disabled: isEmpty,
      }));
      if (isCurve) {
        const title = "Hamiltonian Monte Carlo: draws from the exact posterior of this network";
        parts.push(button("HMC on the server", () => this.askServer(hmcCall(state)), { disabled: isEmpty, title }));
      }
    }
    this.replace(this.tools, parts);
  },

  /** Replace the parts of a row; the focused one keeps the focus. */
  replace(row, parts) {
    const focused = [...row.querySelectorAll("button, select")].indexOf(this.root.getRootNode().activeElement);
    row.replaceChildren(...parts);
    if (focused >= 0) row.querySelectorAll("button, select")[focused]?.focus();
  },

  playSamples() {
    clearInterval(this.player);
    this.highlight = this.highlight === null ? 0 : null;
    if (this.highlight !== null) this.player = setInterval(() => this.nextSample(), PLAY_MS);
    this.choose(this.chosen);
    this.refreshTools();
  },

  nextSample() {
    this.highlight = (this.highlight + 1) % (this.sides[0].set?.num_samples || 1);
    this.choose(this.chosen);
  },

  toggleInside() {
    if (this.inside) this.inside.remove();
    this.inside = this.inside ? null : new Inside(this, this.insidePlace);
    this.root.classList.toggle("with-inside", Boolean(this.inside));
    this.refreshTools();
  },

  openDrawer(name) {
    const isOpen = this.open === name;
    this.closeDrawer();
    if (isOpen) return;
    this.open = name;
    this.drawer.hidden = false;
    this.writeCode = DRAWERS[name](this, this.drawer);
    this.refreshTools();
  },

  closeDrawer() {
    this.open = "";
    this.writeCode = null;
    this.drawer.hidden = true;
    this.drawer.replaceChildren();
    this.refreshTools();
  },
});

export {
  Board, decodeState, differenceOf, encodeState, engineData, engineSettings, hmcCall, libraryCall, mapsOfSet, momentsOfSet,
  disagreement, openingState, presetPoints, pythonOf, remarkOn, runningLine, sentenceOfAll, sentenceOn,
  axesAround, axesOf, CurvePicture, pointsOfTable, tableOf,
};
