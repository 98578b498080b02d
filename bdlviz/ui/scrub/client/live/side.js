// One canvas with the training that it shows; two of them stand side by side in a comparison.

const BORDER = { left: 52, right: 10, top: 8, bottom: 40 };

class Side {
  constructor(board, parent, index) {
    Object.assign(this, { board, index });
    this.caption = make("figcaption");
    this.problemText = make("span");
    this.problem = make("div", { class: "problem", role: "alert", hidden: true }, this.problemText,
      make("button", { text: "Reset", type: "button", on: { click: () => board.reset() } }));
    this.stage = make("div", { class: "stage" }, this.problem);
    this.element = make("figure", { class: "panel" }, this.caption, this.stage);
    parent.append(this.element);
    this.plane = new Plane();
    this.canvas = new Canvas(this.stage, () => this.draw(), { tabindex: "0", role: "img", "aria-describedby": "playground-keys" });
    this.training = new Training(board.live, board.url, (message) => this.hear(message));
    listenToPoints(this);
  }

  get method() {
    const { state } = this.board;
    return this.index ? state.versus : state.method;
  }

  /** Start training anew, with so many steps before the first picture. */
  start(steps) {
    const { state, isPlaying, speed } = this.board;
    this.takeAxes();
    this.training.start(state, this.method, this.picture.xs, isPlaying, speed, steps);
  }

  takeAxes() {
    const { state } = this.board;
    const axes = axesOf(state);
    if (this.task === state.task && String([axes.x, axes.y]) === String([this.picture.axes.x, this.picture.axes.y])) return false;
    this.task = state.task;
    this.picture = state.task === "regression" ? new CurvePicture(axes) : new PlanePicture(axes);
    this.plane.home = axes;
    this.now = this.said = null;
    return true;
  }

  /** The points have changed: the weights stay. */
  takePoints() {
    if (this.takeAxes()) this.training.sampleAt(this.picture.xs, this.task);
    this.training.send({ type: "points", ...engineData(this.board.state) });
    this.draw();
  }

  hear(message) {
    const { board, training } = this;
    if (message.type === "samples") return this.wait(message);
    if (message.type === "refused") setTimeout(() => training.send({ type: "next" }), 300);
    else if (message.type === "inside") board.inside?.take(message, this);
    this.tell(message);
  }

  /** Draw a set in the next frame; the worker computes the next set meanwhile, but never more than one ahead. */
  wait(set) {
    const isAhead = Boolean(this.waiting);
    this.waiting = set;
    if (isAhead) return;
    this.training.send({ type: "next" });
    requestAnimationFrame(() => {
      const [shown, isLate] = [this.waiting, this.waiting !== set];
      this.waiting = null;
      this.take(shown);
      this.tell(shown);
      if (isLate) this.training.send({ type: "next" });
    });
  }

  tell(message) {
    this.problem.hidden = !this.training.problem;
    this.problemText.textContent = this.training.problem;
    this.board.heard(this, message);
  }

  take(set) {
    const K = this.task === "regression" ? 1 : numClasses(this.board.state.points);
    const isFitting = set.num_inputs === this.picture.xs.length / (K === 1 ? 1 : 2) && set.num_outputs === K;
    if (!isFitting || !set.num_samples) return; // asked for before the problem changed
    this.set = set;
    this.now = this.picture.measure(set, this.board.state.points, this.board.changed?.at);
    this.board.count("sets");
    this.draw();
  }

  /** Its numbers are those of the sentence until this is called again. */
  say() {
    if (this.said === this.now) return;
    this.said = this.now;
    this.draw();
  }

  draw() {
    const { canvas, plane, board } = this;
    if (!board.theme || !canvas.width || !this.picture) return;
    const { theme, state } = board;
    const margin = magnified(BORDER, theme);
    const [right, bottom] = [canvas.width - margin.right, canvas.height - margin.bottom];
    plane.place({ left: margin.left, top: margin.top, right, bottom });
    canvas.clear(theme.paper);
    drawAxes(canvas, plane, this.picture.labels, theme);
    const { pen } = canvas;
    pen.save();
    pen.beginPath();
    pen.rect(margin.left, margin.top, right - margin.left, bottom - margin.top);
    pen.clip();
    if (this.now) {
      const highlight = board.highlight === null ? null : board.highlight % this.set.num_samples;
      const more = { map: board.map, answer: board.answerFor(this), said: this.said ?? this.now };
      this.picture.draw(pen, plane, this.set, this.now, { theme, highlight, ...more });
    }
    this.picture.drawPoints(pen, plane, state.points, theme, board.chosen);
    if (!state.points.length) this.drawHint(pen, theme);
    else if (this.now && board.isUntouched && !this.index) this.picture.invite?.(pen, plane, this.now, theme);
    pen.restore();
  }

  drawHint(pen, theme) {
    const { left, right, top, bottom } = this.plane.box;
    pen.font = `600 ${1.4 * theme.font_size}px ${theme.font_family}`;
    Object.assign(pen, { textAlign: "center", textBaseline: "middle", lineWidth: 6, strokeStyle: theme.paper, fillStyle: theme.ink });
    pen.strokeText("Click to add data", (left + right) / 2, (top + bottom) / 2);
    pen.fillText("Click to add data", (left + right) / 2, (top + bottom) / 2);
  }

  /** The description of the picture for screen readers. */
  describe() {
    const { state } = this.board;
    const count = state.points.length === 1 ? "1 point" : `${state.points.length} points`;
    const what = this.task === "regression" ? "The epistemic sd at the bar" : "The mean mutual information";
    const size = this.now ? ` ${what}: ${short(this.now.size)}.` : "";
    return `${METHOD_NAMES[this.method]}, ${count}.${size}`;
  }

  remove() {
    this.training.close();
    this.canvas.remove();
    this.element.remove();
  }
}
