// The complete function picture: one or two panels, sliders, pad, player, and events to the server.

const NARROW = 560; // pixels of width below which there is one column
const LEGEND = [
  ["data", "Data"], ["mean", "Mean"], ["draws", "Draws"],
  ["epistemic", "±1, 2 sd"], ["aleatoric", "95 % band"],
];

/** State that survives a new mount of a view: zoom, player, whether clicks edit. @type {Map<string, object>} */
const memories = new Map();

class FunctionPicture {
  constructor(host) {
    this.root = make("div", { class: "scrub", role: "group", "aria-label": "Function picture" });
    this.legend = make("div", { class: "legend", "aria-hidden": "true" });
    this.tools = make("div", { class: "tools", role: "toolbar", "aria-label": "Picture" });
    this.panelPlace = make("div", { class: "panels" });
    this.stripPlace = make("div");
    this.says = make("p", { class: "says" });
    this.aloud = make("p", { class: "unseen", "aria-live": "polite" });
    this.sliderPlace = make("div", { class: "sliders" });
    this.padPlace = make("div", { class: "pad-place" });
    this.below = make("div", { class: "below" }, this.sliderPlace, this.padPlace);
    this.root.append(this.tools, this.legend, this.panelPlace, this.stripPlace, this.says, this.aloud, this.below);
    host.replaceChildren(this.root);
    this.counts = { inputs: 0, draws: 0, commits: 0 };
    this.panels = [];
    this.sliders = new Map();
    this.hoverX = null;
    this.root.addEventListener("keydown", (event) => this.press(event));
    this.observer = new ResizeObserver(() => this.measure());
    this.observer.observe(this.root);
  }

  /** Apply new data of the server; its blocks may arrive later. */
  async take(spec, send) {
    this.send = send;
    const text = JSON.stringify(spec);
    if (text === this.taken) return;
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const sides = await Promise.all(spec.sides.map(withBlocks));
    if (turn !== this.turn) return; // newer data have arrived
    this.taken = text;
    this.spec = spec;
    this.remember(spec.name);
    applyTheme(this.root, spec.theme);
    this.measure();
    this.takePanels(sides);
    this.takeSliders();
    this.takePad();
    this.takeStrip();
    this.tell();
    this.refreshLegend();
    this.refreshButtons();
    this.player.resume();
    this.redraw();
    this.speak();
    this.root.dataset.ready = "true";
  }

  remember(name) {
    if (this.memory) return;
    const player = { isPlaying: false, isOn: false, index: 0, speed: 1 };
    const fresh = { zoom: null, isEditing: this.spec.isOwn, player };
    if (!memories.has(name)) memories.set(name, fresh);
    this.memory = memories.get(name);
    this.player = new Player(this, this.memory.player);
  }

  get isEditing() {
    return this.memory.isEditing && this.spec.isEditable;
  }

  get isScrubbing() {
    return Boolean(this.previewing);
  }

  /** The panel that the controls set. */
  get active() {
    return this.panels.find((panel) => panel.side?.isActive) ?? this.panels[0];
  }

  xAt(index, numX) {
    const [low, high] = this.spec.axes.x.range;
    return low + (index / (numX - 1)) * (high - low);
  }

  indexOf(x, numX) {
    const [low, high] = this.spec.axes.x.range;
    return Math.min(numX - 1, Math.max(0, Math.round(((x - low) / (high - low)) * (numX - 1))));
  }

  measure() {
    const isNarrow = this.root.clientWidth < NARROW;
    this.isNarrow = isNarrow;
    this.root.classList.toggle("narrow", isNarrow);
    this.root.classList.toggle("told", Boolean(this.spec?.told));
  }

  // Panels ------------------------------------------------------------------------------------------------------

  takePanels(sides) {
    while (this.panels.length > sides.length) this.panels.pop().remove();
    while (this.panels.length < sides.length) this.panels.push(new Panel(this, this.panelPlace, this.panels.length));
    this.root.classList.toggle("two", sides.length > 1);
    this.panels.forEach((panel) => panel.canvas.fit());
    sides.forEach(({ side, cell, surface, film }, index) => {
      this.panels[index].film = film;
      this.panels[index].take(side, cell, surface);
    });
  }

  takeStrip() {
    const wanted = this.panels.length > 1 && this.spec.difference;
    if (!wanted) {
      this.strip?.remove();
      this.strip = null;
    } else this.strip ??= new Difference(this, this.stripPlace);
  }

  redraw() {
    this.panels.forEach((panel) => panel.draw());
    this.strip?.draw();
  }

  afterDrawing(panel) {
    this.strip?.draw();
    if (panel !== this.active) return;
    this.says.textContent = this.line(panel);
    this.tell();
  }

  /** The sentence under the title of the page. */
  tell() {
    if (this.spec.told && this.panels.every(({ now }) => now)) tellPage(sentenceOf(this));
  }

  // Sliders, pad, preview ---------------------------------------------------------------------------------------

  takeSliders() {
    for (const key of this.sliders.keys()) {
      if (this.spec.sliders.some((spec) => spec.key === key)) continue;
      this.sliders.get(key).element.remove();
      this.sliders.delete(key);
    }
    for (const spec of this.spec.sliders) {
      if (!this.sliders.has(spec.key)) {
        const on = { input: () => this.scrub(spec.key), commit: (index) => this.commitSlider(spec.key, index) };
        this.sliders.set(spec.key, new Slider(this.sliderPlace, spec, on));
      }
      const grid = spec.key === "training_step" ? this.active.film : this.active.surface;
      this.sliders.get(spec.key).take(spec, Boolean(grid?.has(spec.key)));
    }
  }

  /** A slider moves: show the grid at its position. */
  scrub(key) {
    this.count("inputs");
    if (key === "training_step") return this.previewStep();
    const { surface } = this.active;
    if (!surface?.has(key)) return undefined;
    return this.previewAt(surface, this.positionNow(), key);
  }

  /** The position of the sliders in the grid. */
  positionNow() {
    return this.active.surface.axes.map((axis) => this.positionOn(axis));
  }

  positionOn(axis) {
    const slider = this.sliders.get(axis.key);
    if (!slider) return axis.stops.findIndex((stop) => isSame(stop, Number(this.active.side.at[axis.key])));
    return placeAmong(this.places(axis), slider.position);
  }

  /** The indices of the stops of a grid's axis on its slider, which may have more stops. */
  places(axis) {
    const stops = this.sliders.get(axis.key).spec.stops.map(Number);
    return axis.stops.map((stop) => stops.findIndex((each) => isSame(each, stop)));
  }

  /** The stops of a grid's axis, as texts of its slider. */
  stopsOf(axis) {
    const slider = this.spec.sliders.find(({ key }) => key === axis.key);
    return slider ? this.places(axis).map((place) => slider.stops[place]) : axis.stops.map(String);
  }

  previewStep() {
    const { film } = this.active;
    if (!film) return;
    this.previewing = true;
    this.active.show(film.drawsAt([this.sliders.get("training_step").position]), film.numDraws);
  }

  /** Show a position of the grid in the picture, the sliders and the pad. */
  previewAt(surface, position, movedBy = "") {
    this.previewing = true;
    if (movedBy && this.pad) this.pad.moveTo(position);
    this.active.preview(position);
    surface.axes.forEach((axis, index) => {
      const slider = this.sliders.get(axis.key);
      if (movedBy === "" && slider) slider.set(valueAmong(this.places(axis), position[index]));
    });
  }

  /** The pointer has left the pad without a choice. */
  endPreview() {
    if (!this.previewing) return;
    this.previewing = false;
    this.pad?.moveTo(this.pad.committed);
    this.active.rest();
    this.takeSliders();
  }

  commitSlider(key, index) {
    const spec = this.spec.sliders.find((each) => each.key === key);
    this.previewing = false;
    if (key === "training_step") this.previewStep();
    else if (this.active.surface?.has(key)) this.active.preview(this.positionNow());
    this.previewing = false;
    if (spec.stops[index] !== spec.value) this.commit({ values: { [key]: spec.stops[index] } });
    else this.speak();
  }

  commitPosition(surface, position) {
    this.previewAt(surface, position);
    this.previewing = false;
    const chosen = surface.axes.map((axis, index) => [axis.key, this.stopsOf(axis)[position[index]]]);
    const values = Object.fromEntries(chosen);
    const { at } = this.active.side;
    if (Object.entries(values).some(([key, value]) => at[key] !== value)) this.commit({ values });
    else this.endPreview();
  }

  takePad() {
    const { surface, side } = this.active;
    if (!surface?.scores || surface.axes.length !== 2 || !this.spec.hasPad) {
      this.pad?.remove();
      this.pad = null;
      return;
    }
    this.pad ??= new Pad(this, this.padPlace);
    this.pad.canvas.fit();
    this.pad.take(surface, side.at);
  }

  // Events to the server ----------------------------------------------------------------------------------------

  /** Send one event; it causes one run of the page. */
  commit(event) {
    this.count("commits");
    this.send(event);
  }

  count(what) {
    this.counts[what] += 1;
    this.root.dataset[what] = String(this.counts[what]);
  }

  // Tools -------------------------------------------------------------------------------------------------------

  refreshLegend() {
    const drawn = !this.isNarrow && this.spec.told?.draws;
    const shown = LEGEND.slice(0, this.spec.told?.at ? -1 : LEGEND.length); // where only the spread is told, no noise is drawn
    const names = shown.map(([key, name]) => [key, (key === "draws" && drawn) || name]);
    const { reference } = this.panels[0].side;
    if (reference) names.push([reference.isExact ? "exact" : "reference", `${reference.name} (2 sd)`]);
    this.legend.replaceChildren(...names.map(([key, name]) => make("span", { class: key, text: name })));
  }

  refreshButtons() {
    const { player, memory, spec } = this;
    const { isOn, isPlaying } = memory.player;
    const several = this.panels.some((panel) => panel.cell.draws > 1);
    const button = (key, text, click, more = {}) =>
      make("button", { "data-key": key, text, type: "button", on: { click }, ...more });
    const parts = [
      button("play", isPlaying ? "Pause" : "Play draws", () => player.toggle(), { title: "Space", disabled: !several }),
      button("step", "Step", () => player.step(), { title: "The next draw", disabled: !several }),
    ];
    if (isOn) parts.push(this.speedMenu(), button("all_draws", "All draws", () => player.off()));
    if (spec.canPin && (isOn || spec.pinned !== null)) {
      const words = spec.pinned === null ? "Pin" : "Unpin";
      parts.push(button("pin", words, () => this.pin(), { title: "Keep one draw in sight" }));
    }
    if (spec.isEditable) {
      const isPressed = String(memory.isEditing);
      parts.push(button("edit", "Edit points", () => this.toggleEditing(), { "aria-pressed": isPressed }));
    }
    if (spec.canUndo) {
      const title = "Take the last change back (Ctrl Z)";
      parts.push(button("undo", "Undo", () => this.commit({ edit: "undo" }), { title }));
    }
    if (spec.canCompare) parts.push(...this.compareButtons(button));
    if (memory.zoom) parts.push(button("reset_zoom", "Reset zoom", () => this.resetZoom(), { title: "r" }));
    this.replaceTools(parts);
    this.panels.forEach(({ canvas }) => { canvas.element.style.touchAction = this.isEditing ? "none" : "pan-y"; });
  }

  /** Replace the buttons; the focused one keeps the focus. */
  replaceTools(parts) {
    const focused = [...this.tools.children].indexOf(this.root.getRootNode().activeElement);
    this.tools.replaceChildren(...parts);
    if (focused >= 0) this.tools.children[Math.min(focused, this.tools.children.length - 1)].focus();
  }

  compareButtons(button) {
    if (this.panels.length === 1) return [button("compare", "Compare A | B", () => this.commit({ compare: "on" }))];
    return [
      button("swap", "Swap", () => this.commit({ compare: "swap" })),
      button("difference", "Difference", () => this.commit({ compare: "difference" }), {
        "aria-pressed": String(this.spec.difference),
      }),
      button("only", `Only ${this.active.side.label}`, () => this.commit({ compare: "off" }), {
        title: "End the comparison",
      }),
    ];
  }

  speedMenu() {
    const { player } = this.memory;
    const change = (event) => { player.speed = Number(event.target.value); };
    const menu = make("select", { "aria-label": "Speed", on: { change } });
    for (const speed of SPEEDS) {
      menu.append(make("option", { value: speed, text: `${speed} ×`, selected: Number(speed) === player.speed }));
    }
    return menu;
  }

  pin() {
    const { now } = this.active;
    this.commit({ pin: this.spec.pinned === null ? this.player.present(now.numDraws) : null });
  }

  toggleEditing() {
    this.memory.isEditing = !this.memory.isEditing;
    this.refreshButtons();
    this.speak();
    this.says.textContent = this.line(this.active);
  }

  setZoom(zoom) {
    this.memory.zoom = zoom;
    for (const panel of this.panels) panel.plane.zoom = zoom;
    this.redraw();
    this.refreshButtons();
  }

  resetZoom() {
    this.setZoom(null);
  }

  hoverAt(x) {
    if (x === this.hoverX) return;
    this.hoverX = x;
    this.redraw();
  }

  press(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) {
      if (event.key === "z" && this.spec.canUndo) this.commit({ edit: "undo" });
      return;
    }
    const isCanvas = event.composedPath()[0]?.tagName === "CANVAS";
    const isButton = ["BUTTON", "SELECT"].includes(event.composedPath()[0]?.tagName);
    if (event.key === " " && !isButton) this.player.toggle();
    else if (event.key === "r") this.resetZoom();
    else if (event.key === "Escape") this.endPreview();
    else if (isCanvas && event.key === "ArrowRight") this.moveHover(1);
    else if (isCanvas && event.key === "ArrowLeft") this.moveHover(-1);
    else return;
    event.preventDefault();
    event.stopPropagation(); // Streamlit would treat r as "run again"
  }

  /** Read the picture with the keyboard, in steps of 1/50 of its width. */
  moveHover(direction) {
    const [low, high] = this.spec.axes.x.range;
    const step = (high - low) / 50;
    const from = this.hoverX ?? (low + high) / 2 - direction * step;
    this.hoverAt(Math.min(high, Math.max(low, from + direction * step)));
    const { now } = this.active;
    const index = this.indexOf(this.hoverX, now.numX);
    const { x, y } = this.spec.axes;
    this.aloud.textContent =
      `x ${short(this.hoverX, x.range)}: mean ${short(now.mean[index], y.range)}, ` +
      `epistemic sd ${short(now.epistemic[index])}, total sd ${short(now.total[index])}`;
  }

  // Words -------------------------------------------------------------------------------------------------------

  /** The line with the picture: what a click does. */
  line(panel) {
    return this.isEditing ? `${panel.points.length} points.${this.hint}` : "";
  }

  get hint() {
    return this.isEditing ? " A click adds or removes a point, a drag moves it." : "";
  }

  counted({ now, points }) {
    const functions = now.numDraws === 1 ? "1 function" : `${now.numDraws} functions`;
    return `${points.length} points, ${functions}`;
  }

  /** A description of the picture with numbers. */
  describe(panel) {
    const { now, points } = panel;
    const xs = points.map(([x]) => x);
    const [low, high] = [Math.min(...xs), Math.max(...xs)];
    const isAtTheData = atTheData(points);
    const sums = { near: [0, 0], outside: [0, 0] };
    now.epistemic.forEach((sd, i) => {
      const x = this.xAt(i, now.numX);
      for (const sum of [...(isAtTheData(x) ? [sums.near] : []), ...(x < low || x > high ? [sums.outside] : [])]) {
        sum[0] += sd;
        sum[1] += 1;
      }
    });
    const mean = ([sum, count]) => (count ? short(sum / count) : "–");
    const noise = Math.sqrt(Math.max(0, now.total[0] ** 2 - now.epistemic[0] ** 2));
    const unit = this.spec.unit;
    return (
      `${this.counted(panel)}. Mean epistemic sd${unit}: ${mean(sums.near)} at the data, ` +
      `${mean(sums.outside)} outside. Noise sd: ${short(noise)}.${this.hint}`
    );
  }

  /** Announce the description to screen readers, only when nothing moves. */
  speak() {
    for (const panel of this.panels) {
      const { label, title } = panel.side;
      const text = `${label ? `${label}: ` : ""}${title}. ${this.describe(panel)}`;
      panel.canvas.element.setAttribute("aria-label", text);
    }
    this.aloud.textContent = this.active.canvas.element.getAttribute("aria-label");
  }

  remove() {
    this.player?.stop();
    this.observer.disconnect();
    this.panels.forEach((panel) => panel.remove());
    this.pad?.remove();
    this.strip?.remove();
  }
}

/** A position on a slider as a position among some of its stops, clipped to the outer ones. */
function placeAmong(places, at) {
  const above = places.findIndex((place) => place >= at);
  if (above === 0) return 0;
  if (above < 0) return places.length - 1;
  return above - 1 + (at - places[above - 1]) / (places[above] - places[above - 1]);
}

/** The inverse: a position among some stops as a position on the slider. */
function valueAmong(places, at) {
  const low = Math.floor(at);
  return low >= places.length - 1 ? places.at(-1) : places[low] + (at - low) * (places[low + 1] - places[low]);
}

/** A side of the data with its blocks. */
async function withBlocks(side) {
  const [cell, grid, film] = await Promise.all([side.cell, side.grid, side.film].map(blockNamed));
  return { side, cell, surface: surfaceOf(grid), film: surfaceOf(film) };
}

const surfaces = new WeakMap();

/** A block as a surface, unpacked once. */
function surfaceOf(block) {
  if (!block) return null;
  if (!surfaces.has(block)) surfaces.set(block, new Surface(block));
  return surfaces.get(block);
}
