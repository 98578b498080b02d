// The whole view: state, history, sides, controls, and the line that says what changed.

const SENTENCE_MS = 250;
const SPOKEN_MS = 3000; // between two sentences for screen readers: numbers change with every set of samples
const PLAY_MS = 900; // of one sample
const MOST_UNDO = 100;
const REST = 4000; // steps after a change: then training pauses, so that its numbers stay
const HEAD_START = 300; // steps of the first network before it is shown: an untrained one says nothing
const LINK_MS = 300; // between two looks at the address
const KEYS_TEXT =
  "Arrow keys move the selected point, Page Up and Page Down select one, Enter adds one, Delete removes it, Space pauses.";

const MOUSE_TEXT = "A click adds a point, a drag moves it, a right click removes it.";
const TOUCH_TEXT = "A tap adds a point, a drag moves it, a long touch removes it.";

class Board {
  /** @param {HTMLElement} host @param {object} live the engine @param {string} url @param {object} sources @param {string | null} link */
  constructor(host, live, url, sources, link = null) {
    Object.assign(this, { live, url, sources });
    this.ownsLink = link === null; // else a file: the link is given
    const given = link ?? location.hash;
    const { state, problems } = decodeState(given);
    this.state = state;
    this.headStart = given ? 0 : HEAD_START; // the network of a link may be slow
    this.kept = {}; // the points of the other problem
    this.past = [];
    this.sides = [];
    this.chosen = -1;
    this.highlight = null;
    this.map = "mean";
    this.brush = 0; // class of a new point
    this.speed = "full";
    this.isPlaying = !prefersStillness();
    this.counts = {};
    this.answer = null;
    this.build(host);
    this.remark.textContent = remarkOn(problems);
    this.seeVisibility = () => this.pace();
    document.addEventListener("visibilitychange", this.seeVisibility);
    this.seeAnswer = ({ detail }) => this.takeAnswer(detail);
    addEventListener("bdlviz-playground-answer", this.seeAnswer);
    this.seeLink = () => this.openLink();
    if (this.ownsLink) addEventListener("hashchange", this.seeLink);
    this.timers = [setInterval(() => this.say(), SENTENCE_MS)];
    if (this.ownsLink) this.timers.push(setInterval(() => this.writeLink(), LINK_MS));
  }

  build(host) {
    this.root = make("div", { class: "scrub playground", role: "group", "aria-label": "Playground" });
    this.top = make("div", { class: "top" });
    this.running = make("span", { class: "running" });
    this.remark = make("p", { class: "words", role: "status" });
    this.says = make("p", { class: "says", hidden: this.ownsLink }); // the page has a place for the sentence, a file has none
    this.aloud = make("p", { class: "unseen", role: "status" }); // says the same to screen readers, less often
    this.legend = make("div", { class: "legend" });
    this.panels = make("div", { class: "panels" });
    this.others = make("div", { class: "others" });
    this.aside = make("details", { class: "more" }, make("summary", { text: "More settings and tools" }));
    this.insidePlace = make("div", { class: "inside-place" });
    this.middle = make("div", { class: "middle" }, this.panels, this.insidePlace);
    this.primary = make("div", { class: "sliders primary" });
    this.points = make("span", { class: "group", role: "group", "aria-label": "Points" });
    this.tools = make("div", { class: "tools" });
    this.drawer = make("div", { class: "drawer", hidden: true });
    this.aside.append(this.tools, this.drawer, this.others);
    const keys = make("p", { class: "unseen", id: "playground-keys", text: KEYS_TEXT });
    const hint = make("p", { class: "hint", text: matchMedia("(pointer: coarse)").matches ? TOUCH_TEXT : MOUSE_TEXT });
    const under = make("div", { class: "under" }, hint, this.legend);
    const below = [this.primary, this.aside, this.aloud, keys];
    this.root.append(this.says, this.remark, this.top, under, this.middle, ...below);
    host.replaceChildren(this.root);
    this.controls = new Controls(this, this.primary, this.others);
  }

  /** New data of the server: theme, and how events are sent. */
  take({ theme }, send = null) {
    Object.assign(this, { theme, send });
    applyTheme(this.root, theme);
    if (this.sides.length) this.sides.forEach((side) => side.draw());
    else {
      this.setUp();
      this.isResting = !this.isPlaying; // with reduced motion it opens still, and a change starts the training
    }
    this.refreshTools();
    this.root.dataset.ready = "true";
  }

  /** Make the sides of the state, and train. */
  setUp() {
    const wanted = this.state.versus ? 2 : 1;
    while (this.sides.length > wanted) this.sides.pop().remove();
    while (this.sides.length < wanted) this.sides.push(new Side(this, this.panels, this.sides.length));
    this.root.classList.toggle("two", wanted > 1);
    this.start();
    this.refresh();
  }

  start() {
    this.changed = null;
    this.wake();
    this.numTrained = numClasses(this.state.points);
    this.sides.forEach((side) => side.start(this.headStart));
    this.headStart = 0;
    this.pace();
  }

  refresh() {
    this.refreshTop();
    this.controls.refresh();
    this.refreshTools();
    this.sides.forEach((side) => {
      side.caption.replaceChildren(...(this.sides.length > 1 ? [make("b", { text: METHOD_NAMES[side.method] })] : []));
    });
    this.writeLink();
  }

  // Controls ------------------------------------------------------------------------------------------------------

  /** One of the numbers, or the activation. */
  change(name, value) {
    const names = name === "activation" ? ACTIVATIONS : null;
    const label = names ? "Activation" : NUMBERS[name].label;
    const text = (each) => (names ? names[each] : numberText(each, 3));
    this.note({ what: `${label} ${text(this.state[name])} to ${text(value)}`, name });
    this.state[name] = value;
    this.sides.forEach((side) => side.training.send({ type: "settings", settings: engineSettings(this.state, side.method) }));
    this.settled();
  }

  setMethod(method) {
    if (method === "gaussian_process" && this.state.points.length > MOST_EXACT) {
      this.remark.textContent = `The exact Gaussian process takes at most ${MOST_EXACT} points.`;
      this.controls.refresh();
      return;
    }
    this.note({ what: `${METHOD_NAMES[this.state.method]} to ${METHOD_NAMES[method]}` });
    this.state.method = method;
    this.sides[0].training.send({ type: "settings", settings: engineSettings(this.state, method) });
    this.refresh();
    this.settled();
  }

  setProblem(task) {
    if (task === this.state.task) return;
    this.kept[this.state.task] = this.state;
    const fresh = picked(openingState(task), ["task", "data", "points", "axes"]);
    this.state = this.kept[task] ?? { ...this.state, ...fresh, versus: "" };
    if (!methodsFor(task).includes(this.state.method)) this.state.method = "deep_ensemble";
    this.past = [];
    this.choose(-1);
    this.closeDrawer();
    this.settled();
    this.setUp();
  }

  setData(name) {
    this.remember();
    Object.assign(this.state, { data: name, points: presetPoints(name), axes: [] });
    this.chosen = -1;
    this.settled();
    this.start();
    this.refresh();
  }

  /** Replace all points by those of a table. */
  setTable(points, axes) {
    this.remember();
    this.changed = { what: "Table opened", before: null }; // on other axes, so that bands cannot be compared
    this.tell(`Table with ${points.length === 1 ? "1 point" : `${points.length} points`} opened.`);
    Object.assign(this.state, { points, axes });
    this.chosen = -1;
    this.takePoints();
  }

  setVersus(method) {
    this.state.versus = method;
    this.setUp();
  }

  setSpeed(speed) {
    this.speed = speed;
    this.pace();
  }

  toggle(isResting = false) {
    this.isPlaying = !this.isPlaying;
    this.isResting = isResting;
    this.restAt = this.steps + REST;
    this.pace();
    this.refreshTop();
  }

  /** Something has changed: a training that rests goes on. */
  wake() {
    if (this.isResting) this.toggle();
    else this.restAt = this.steps + REST;
  }

  /** Training goes on where it is to play and somebody can see it. */
  pace() {
    const isOn = this.isPlaying && document.visibilityState !== "hidden";
    this.sides.forEach((side) => side.training.pace(isOn, this.speed));
  }

  reset() {
    this.changed = null;
    this.sides.forEach((side) => side.training.send({ type: "reset" }));
    this.wake();
    this.pace();
  }

  // Points --------------------------------------------------------------------------------------------------------

  /** Nothing has been changed yet. */
  get isUntouched() {
    return !this.past.length && !this.changed;
  }

  choose(index) {
    this.chosen = index;
    this.sides.forEach((side) => side.draw());
  }

  /** Keep points and axes for Undo. */
  remember() {
    const { points, axes } = this.state;
    this.past.push({ points: points.map((point) => [...point]), axes });
    if (this.past.length > MOST_UNDO) this.past.shift();
  }

  addPoint(place) {
    const { state } = this;
    if (state.points.length >= this.most) {
      this.remark.textContent = `At most ${this.most} points are supported here.`;
      return;
    }
    this.remember();
    this.note({ what: `Point added at ${this.placeText(place)}`, at: state.task === "regression" ? place[0] : undefined });
    state.points.push(state.task === "regression" ? place : [...place, this.brush]);
    this.chosen = state.points.length - 1;
    this.takePoints();
  }

  /** The largest number of points of the methods that are shown. */
  get most() {
    return [this.state.method, this.state.versus].includes("gaussian_process") ? MOST_EXACT : MOST_POINTS_HERE;
  }

  movePoint(index, place) {
    const point = this.state.points[index];
    if (!point) return;
    if (!this.moving) {
      this.remember();
      this.moving = this.placeText(point);
      this.note({ what: "Point moved" });
    }
    [point[0], point[1]] = place;
    this.changed.what = `Point moved from ${this.moving} to ${this.placeText(place)}`;
    this.takePoints();
  }

  endMove() {
    this.moving = "";
    this.settled();
  }

  removePoint(index) {
    const point = this.state.points[index];
    if (!point) return;
    this.remember();
    this.note({ what: `Point removed at ${this.placeText(point)}`, at: this.state.task === "regression" ? point[0] : undefined });
    this.state.points.splice(index, 1);
    this.chosen = -1;
    this.takePoints();
  }

  clear() {
    this.remember();
    this.note({ what: "All points removed" });
    this.state.points = [];
    this.chosen = -1;
    this.takePoints();
  }

  undo() {
    if (!this.past.length) return;
    this.note({ what: "Last change undone" });
    Object.assign(this.state, this.past.pop());
    this.chosen = -1;
    this.takePoints();
  }

  takePoints() {
    const count = numClasses(this.state.points);
    if (this.state.task === "classification" && count !== this.numTrained) this.start();
    else this.sides.forEach((side) => side.takePoints());
    this.settled();
  }

  placeText([x, y]) {
    return `(${short(x)}, ${short(y)})`;
  }

  // Words ---------------------------------------------------------------------------------------------------------

  /** A change begins: what was before is kept, and compared with what comes. Successive ones of one slider are one. */
  note(change) {
    if (change.name && this.changed?.name === change.name) {
      const [first] = this.changed.what.split(" to ");
      this.changed = { ...this.changed, what: `${first} to ${change.what.split(" to ")[1]}` };
    } else this.changed = { ...change, before: this.sides[0]?.now ?? null };
  }

  say() {
    const [side] = this.sides;
    if (!side) return;
    const { changed } = this;
    this.sides.forEach((each) => each.say());
    const isNew = changed && side.now && side.now !== changed.before;
    const told = isNew ? sentenceOn(changed, changed.before, side.now) : changed ? "" : sentenceOfAll(side.now);
    const isTraining = this.isPlaying && this.state.method !== "gaussian_process";
    this.tell(isTraining ? told.replace(/\.$/, " (still training).") : told);
    if (this.answer) this.sayDifference();
    this.sides.forEach((each) => each.canvas.element.setAttribute("aria-label", each.describe()));
    this.writeCode?.();
    this.speak();
  }

  /** Write a sentence under the title of the page, or in a file above the picture; an empty one changes nothing. */
  tell(sentence) {
    if (!sentence) return;
    this.says.textContent = sentence;
    tellPage(sentence);
  }

  speak() {
    const now = performance.now();
    if (this.aloud.textContent === this.says.textContent || now - (this.spokenAt ?? 0) < SPOKEN_MS) return;
    this.aloud.textContent = this.says.textContent;
    this.spokenAt = now;
  }

  heard(side, message) {
    if (side !== this.sides[0] || message.type !== "progress") return;
    this.running.textContent = runningLine(side.method, message, this.state.points.length);
    this.root.dataset.step = String(message.step);
    this.restAt = Math.min(this.restAt, message.step + REST); // new weights begin at 0
    if (!this.isPlaying || message.step < this.restAt) return;
    this.toggle(true);
    this.say();
  }

  get steps() {
    return this.sides[0]?.training.progress?.step ?? 0;
  }

  count(what) {
    this.counts[what] = (this.counts[what] ?? 0) + 1;
    this.root.dataset[what] = String(this.counts[what]);
  }

  // Link and server -----------------------------------------------------------------------------------------------

  /** The state has changed: an answer of the server for another one is taken away. */
  settled() {
    if (this.answer && this.answer.of !== encodeState(this.state)) {
      this.answer = null;
      this.changed ??= { what: "" };
    }
    this.wake();
    this.refreshTools();
  }

  /** Streamlit writes its own part of the address, the query; the state stands after it. */
  writeLink() {
    if (!this.ownsLink || this.moving) return;
    const wanted = encodeState(this.state);
    if (location.hash.replace(/^#/, "") === wanted) return;
    history.replaceState(history.state, "", `${location.pathname}${location.search}${wanted ? `#${wanted}` : ""}`);
  }

  /** The visitor has put another link into the address of the open page. */
  openLink() {
    const { state, problems } = decodeState(location.hash);
    this.state = state;
    this.past = [];
    this.chosen = -1;
    this.answer = null;
    this.remark.textContent = remarkOn(problems);
    this.closeDrawer();
    this.setUp();
  }

  /** Ask for a fit on the server, whose answer is drawn as an outline. */
  askServer(call) {
    this.asked = encodeState(this.state);
    this.send({ ask: "fit", ...call, of: this.asked.slice(0, MOST_CHARACTERS) });
  }

  takeAnswer(answer) {
    if (answer.of !== encodeState(this.state)) return;
    this.answer = answer;
    this.sides.forEach((side) => side.draw());
  }

  answerFor(side) {
    return side.index === 0 ? this.answer : null;
  }

  sayDifference() {
    const [side] = this.sides;
    if (!side.now || side.now.mean.length !== this.answer.mean.length) return;
    this.tell(differenceOf(this.answer, side.now, side.now.isMap));
  }

  remove() {
    [...this.timers, this.player].forEach(clearInterval);
    document.removeEventListener("visibilitychange", this.seeVisibility);
    removeEventListener("bdlviz-playground-answer", this.seeAnswer);
    removeEventListener("hashchange", this.seeLink);
    this.inside?.remove();
    this.sides.forEach((side) => side.remove());
  }
}
