// While a slider of the page is dragged, its frames are shown; when the page has caught up, its own picture is shown.

const TICK = 50; // milliseconds between two looks at whether the page has come to rest
const state = globalThis.bdlvizDrag ??= { frames: new Map(), picture: new Picture(), met: new Set() };
const SET = Object.getOwnPropertyDescriptor(globalThis.HTMLInputElement?.prototype ?? {}, "value")?.set;

function load(address) {
  globalThis.bdlvizPlotly ??= new Promise((resolve, reject) => {
    const onload = () => resolve(globalThis.Plotly);
    document.head.append(Object.assign(document.createElement("script"), { src: address, onload, onerror: reject }));
  });
  return globalThis.bdlvizPlotly.then(
    (plotly) => { state.picture.plotly = plotly; },
    () => { globalThis.bdlvizPlotly = undefined; }, // the connection was lost: the next touch tries again
  );
}

class Slider {
  constructor(given, root, picture) {
    Object.assign(this, given);
    this.picture = picture;
    this.address = `${root}/drag/frames/${given.token}`;
    this.element = document.querySelector(`.st-key-${CSS.escape(given.key)}`);
    this.isShown = false;
    this.waiting = 0;
  }

  get input() {
    return this.element?.querySelector("input[type='range']");
  }

  get position() {
    return Number(this.input.value);
  }

  // What a hand does, for the player. React notices only values that are set by the element's own class.
  move(position) {
    SET.call(this.input, String(position));
    this.input.dispatchEvent(new Event("input", { bubbles: true }));
  }

  get frames() {
    const known = state.frames.get(this.address) ?? new Frames(this.address);
    state.frames.delete(this.address); // the most recently used is the last
    state.frames.set(this.address, known);
    if (state.frames.size > 12) state.frames.delete(state.frames.keys().next().value);
    return known;
  }

  prepare() {
    return this.frames.fetch(this.index, () => { if (this.isShown || this.isAway) this.draw(); });
  }

  get isAway() {
    return this.input && this.position !== this.index;
  }

  // A scene moves sliders, too, but then other controls change as well, and these frames do not show that state.
  get isHeld() {
    return this.isPlayed || this.element?.contains(document.activeElement);
  }

  draw() {
    this.waiting ||= requestAnimationFrame(() => {
      this.waiting = 0;
      const frame = this.input && this.frames.at(this.position);
      if (!frame || !this.isHeld) return;
      if (!this.isAway) { // the hand is back where it began, so that no run will come
        if (this.isShown) this.rest();
        this.isShown = false;
        return;
      }
      const start = performance.now();
      this.picture.show(frame, this.frames.at(this.index));
      this.isShown = true;
      document.documentElement.dataset.dragged = this.key;
      state.count = (state.count ?? 0) + 1;
      (state.times ??= []).push([start, performance.now()]);
    });
  }
}

function isIdle() {
  return document.querySelector('[data-testid="stApp"]')?.dataset.testScriptState !== "running";
}

// Streamlit mounts a component again at each run and stops only the last mount, when the component leaves the page.
let stop = null;

export default function mount({ data }) {
  stop?.();
  state.picture.lines = data.lines;
  const sliders = data.sliders.map((given) => new Slider(given, data.root, state.picture));
  const [stops, players] = [[], []];
  const listen = (element, name, action, capture = false) => {
    element.addEventListener(name, action, { passive: true, capture });
    stops.push(() => element.removeEventListener(name, action, capture));
  };
  const rest = () => {
    state.picture.rest(data.told);
    delete document.documentElement.dataset.dragged;
  };
  for (const slider of sliders.filter(({ element }) => element)) {
    slider.rest = rest;
    const begin = () => Promise.all([load(data.plotly), slider.prepare()]);
    for (const name of ["pointerenter", "focusin", "touchstart"]) listen(slider.element, name, begin);
    const changes = new MutationObserver(() => slider.draw());
    changes.observe(slider.element, { subtree: true, attributeFilter: ["aria-valuetext", "value"] });
    listen(slider.element, "input", () => slider.draw());
    stops.push(() => changes.disconnect());
    stops.push(() => { slider.element = null; }); // frames that come later belong to the sliders of the next run
    if (slider.isAway) { // the hand has moved on during the run
      begin();
      slider.draw();
    }
    if (slider.plays) {
      const player = new Player(slider, begin, rest);
      stops.push(() => player.remove());
      players.push(player);
    }
  }
  // What the visitor does elsewhere ends the playing, and keeps a page from starting to play by itself.
  const touch = ({ isTrusted, target }) => {
    if (!isTrusted) return;
    sliders.forEach(({ key }) => state.met.add(key));
    for (const player of players) if (player.timer && target !== player.button) player.pause();
  };
  for (const name of players.length ? ["pointerdown", "keydown"] : []) listen(document, name, touch, true);
  for (const player of players) player.playOnce(state.met, data.isStill);
  if (data.isPrefetched && sliders.length) {
    const idle = globalThis.requestIdleCallback ?? ((action) => setTimeout(action, 1500));
    idle(() => load(data.plotly).then(() => sliders[0].element && sliders[0].prepare()), { timeout: 4000 });
  }
  // This run has drawn the page's own picture of `index`; overlays go once nothing is dragged and no run is under way.
  let quiet = 0;
  const settle = setInterval(() => {
    quiet = isIdle() && !sliders.some((slider) => slider.isAway) ? quiet + TICK : 0;
    if (quiet < (state.picture.isWhole(data.told) ? SETTLED : PATIENT)) return;
    clearInterval(settle);
    rest();
  }, TICK);
  stops.push(() => clearInterval(settle));
  stop = () => stops.splice(0).forEach((each) => each());
  return stop;
}
