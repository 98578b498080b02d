// A pad over two hyper-parameters, coloured by the held-out score; the picture follows the pointer.

const PAD_MARGIN = { left: 46, right: 6, top: 6, bottom: 40 };
const SHOWN_RISE = 2; // nats above the best score at which a cell has no colour

class Pad {
  /** @param {FunctionPicture} view */
  constructor(view, parent) {
    this.view = view;
    this.title = make("div", { class: "pad-title" });
    this.element = make("div", { class: "pad" }, this.title);
    parent.append(this.element);
    this.canvas = new Canvas(this.element, () => this.draw(), { tabindex: "0", role: "application" });
    const { element } = this.canvas;
    listenToPointer(element, {
      hover: (at) => this.follow(at),
      leave: () => this.view.endPreview(),
      click: (at) => this.choose(at),
      end: (at) => (at ? this.choose(at) : this.view.endPreview()),
    });
    element.addEventListener("keydown", (event) => this.press(event));
    element.addEventListener("blur", () => this.flush());
  }

  /** @param {Surface} surface  with scores, and the axes dropout_rate and weight_decay */
  take(surface, at) {
    this.surface = surface;
    this.committed = surface.positionOf(at);
    if (!this.pending) this.position = this.committed;
    const [low] = this.best;
    this.here = make("output");
    this.title.replaceChildren(
      make("span", { class: "what", text: "Each cell is one network, its colour the surprise at new points (NLL)" }),
      make("span", { class: "low", text: `× best ${short(low)}` }), make("span", { class: "scale" }),
      make("span", { text: `≥ ${short(low + SHOWN_RISE)}` }), this.here,
    );
    this.canvas.element.setAttribute("aria-label", this.describe());
    this.draw();
  }

  /** The lowest score and its cell. */
  get best() {
    const { scores } = this.surface;
    const cell = scores.indexOf(Math.min(...scores));
    return [scores[cell], cell];
  }

  scoreAt(position) {
    return this.surface.corners(position).reduce((sum, [cell, weight]) => sum + weight * this.surface.scores[cell], 0);
  }

  describe() {
    const [low, cell] = this.best;
    const [rates, decays] = this.stops;
    const [row, column] = [Math.floor(cell / decays.length), cell % decays.length];
    return (
      `Held-out negative log likelihood over weight decay and dropout rate; lowest, ${short(low)} nats per point, at ` +
      `dropout rate ${rates[row]} and weight decay ${decays[column]}. ` +
      `Here ${short(this.scoreAt(this.position ?? [0, 0]))}. Arrow keys move.`
    );
  }

  get sizes() {
    return this.surface.axes.map((axis) => axis.stops.length);
  }

  get stops() {
    return this.surface.axes.map((axis) => this.view.stopsOf(axis));
  }

  get cellSize() {
    const [rows, columns] = this.sizes;
    const { left, right, top, bottom } = PAD_MARGIN;
    return { wide: (this.canvas.width - left - right) / columns, high: (this.canvas.height - top - bottom) / rows };
  }

  /** Pixels of a position (row, column), the first row at the bottom. */
  pixelOf([row, column]) {
    const { wide, high } = this.cellSize;
    const bottom = this.canvas.height - PAD_MARGIN.bottom;
    return [PAD_MARGIN.left + (column + 0.5) * wide, bottom - (row + 0.5) * high];
  }

  positionAt({ x, y }) {
    const { wide, high } = this.cellSize;
    const bottom = this.canvas.height - PAD_MARGIN.bottom;
    const raw = [(bottom - y) / high - 0.5, (x - PAD_MARGIN.left) / wide - 0.5];
    return raw.map((value, axis) => Math.min(Math.max(value, 0), this.sizes[axis] - 1));
  }

  follow(at) {
    if (!this.surface) return;
    this.moveTo(this.positionAt(at));
    this.view.previewAt(this.surface, this.position);
  }

  moveTo(position) {
    this.position = position;
    this.draw();
  }

  choose(at) {
    this.commitAt(this.positionAt(at).map(Math.round));
  }

  commitAt(position) {
    this.moveTo(position);
    this.view.commitPosition(this.surface, position);
  }

  press(event) {
    const moves = { ArrowRight: [0, 1], ArrowLeft: [0, -1], ArrowUp: [1, 0], ArrowDown: [-1, 0] };
    const move = moves[event.key];
    if (!move || !this.position) return;
    event.preventDefault();
    event.stopPropagation();
    const moved = (value, axis) => Math.min(Math.max(Math.round(value) + move[axis], 0), this.sizes[axis] - 1);
    this.moveTo(this.position.map(moved));
    this.view.previewAt(this.surface, this.position);
    clearTimeout(this.pending);
    this.pending = setTimeout(() => this.flush(), KEY_PAUSE);
  }

  flush() {
    if (!this.pending) return;
    clearTimeout(this.pending);
    this.pending = null;
    this.commitAt(this.position);
  }

  draw() {
    if (!this.surface || !this.canvas.width) return;
    const { canvas } = this;
    const { theme } = this.view.spec;
    canvas.clear(theme.paper);
    this.drawCells(canvas.pen, theme);
    this.drawLabels(canvas.pen, theme);
    const [, best] = this.best;
    const columns = this.sizes[1];
    this.mark(canvas.pen, [Math.floor(best / columns), best % columns], theme, "best");
    if (!this.position) return;
    this.mark(canvas.pen, this.position, theme, "here");
    this.here.textContent = `◯ here ${short(this.scoreAt(this.position))}`;
  }

  drawCells(pen, theme) {
    const { wide, high } = this.cellSize;
    const [low] = this.best;
    const columns = this.sizes[1];
    this.surface.scores.forEach((score, cell) => {
      const strength = 1 - Math.min(1, (score - low) / SHOWN_RISE);
      const [x, y] = this.pixelOf([Math.floor(cell / columns), cell % columns]);
      pen.fillStyle = mixed(theme.pad_low, theme.mean, strength);
      pen.fillRect(x - wide / 2 + 0.5, y - high / 2 + 0.5, wide - 1, high - 1);
    });
  }

  drawLabels(pen, theme) {
    const [rates, decays] = this.stops;
    const bottom = canvasBottom(this.canvas);
    pen.fillStyle = theme.muted;
    pen.font = `12px ${theme.font_family}`;
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const { wide, high } = this.cellSize;
    const [everyRow, everyColumn] = [Math.ceil(18 / high), Math.ceil(46 / wide)];
    rates.forEach((stop, row) => {
      if (row % everyRow === 0) pen.fillText(stop, PAD_MARGIN.left - 4, this.pixelOf([row, 0])[1]);
    });
    pen.textAlign = "center";
    pen.textBaseline = "top";
    decays.forEach((stop, column) => {
      if (column % everyColumn === 0) pen.fillText(brief(stop), this.pixelOf([0, column])[0], bottom + 4);
    });
    pen.fillStyle = theme.ink;
    pen.font = `${theme.small_size}px ${theme.font_family}`;
    pen.fillText("weight decay λ", (PAD_MARGIN.left + this.canvas.width) / 2, bottom + 20);
    pen.save();
    pen.translate(1, (PAD_MARGIN.top + bottom) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText("dropout rate p", 0, 0);
    pen.restore();
  }

  /** A ring at the setting of the picture, and a cross at the best score, each with its name. */
  mark(pen, position, theme, kind) {
    const [x, y] = this.pixelOf(position);
    for (const [color, width] of [[theme.paper, 4], [theme.ink, 1.8]]) {
      pen.strokeStyle = color;
      pen.lineWidth = width;
      if (kind === "best") {
        line(pen, x - 4, y - 4, x + 4, y + 4);
        line(pen, x - 4, y + 4, x + 4, y - 4);
      } else {
        pen.beginPath();
        pen.arc(x, y, 7, 0, 2 * Math.PI);
        pen.stroke();
      }
    }
    const isLeft = x > this.canvas.width - 60;
    pen.font = `600 ${theme.small_size}px ${theme.font_family}`;
    haloed(pen, kind, isLeft ? x - 11 : x + 11, y + 8, theme, theme.ink, isLeft ? "right" : "left");
  }

  remove() {
    this.canvas.remove();
    this.element.remove();
  }
}

/** A stop in few characters, for an axis. */
function brief(stop) {
  return stop.length <= 5 ? stop : Number(stop).toExponential(0);
}

function canvasBottom(canvas) {
  return canvas.height - PAD_MARGIN.bottom;
}
