// A canvas with the pixel density of the screen, and data coordinates on it.

/** A canvas with the width of its parent; it is redrawn when its size or the pixel density of the screen changes. */
class Canvas {
  /** @param {HTMLElement} parent @param {() => void} redraw @param {Object<string, string>} attributes */
  constructor(parent, redraw, attributes = {}) {
    this.element = make("canvas", attributes);
    parent.append(this.element);
    this.pen = this.element.getContext("2d");
    this.width = this.height = 0;
    this.observer = new ResizeObserver(() => { if (this.fit()) redraw(); });
    this.observer.observe(this.element);
  }

  /** Adopt the size from the style sheet; true if it has changed. */
  fit() {
    const { clientWidth: width, clientHeight: height } = this.element;
    const density = window.devicePixelRatio || 1;
    if (!width || !height || (width === this.width && height === this.height && density === this.density)) return false;
    Object.assign(this, { width, height, density });
    this.element.width = Math.round(width * density);
    this.element.height = Math.round(height * density);
    return true;
  }

  /** Start a picture on an empty canvas. */
  clear(color) {
    this.pen.setTransform(this.density, 0, 0, this.density, 0, 0);
    this.pen.fillStyle = color;
    this.pen.fillRect(0, 0, this.width, this.height);
  }

  remove() {
    this.observer.disconnect();
    this.element.remove();
  }
}

/** Maps data coordinates to pixels and back; the zoom stays inside the fixed ranges. */
class Plane {
  constructor() {
    this.home = { x: [0, 1], y: [0, 1] };
    this.zoom = null;
    this.box = { left: 0, top: 0, right: 1, bottom: 1 };
  }

  /** @returns {{x: number[], y: number[]}} the visible ranges */
  get shown() {
    return this.zoom ?? this.home;
  }

  place(box) {
    this.box = box;
  }

  toX(x) {
    const [low, high] = this.shown.x;
    return this.box.left + ((x - low) / (high - low)) * (this.box.right - this.box.left);
  }

  toY(y) {
    const [low, high] = this.shown.y;
    return this.box.bottom - ((y - low) / (high - low)) * (this.box.bottom - this.box.top);
  }

  fromX(pixel) {
    const [low, high] = this.shown.x;
    return low + ((pixel - this.box.left) / (this.box.right - this.box.left)) * (high - low);
  }

  fromY(pixel) {
    const [low, high] = this.shown.y;
    return low + ((this.box.bottom - pixel) / (this.box.bottom - this.box.top)) * (high - low);
  }

  contains(px, py) {
    const { left, top, right, bottom } = this.box;
    return px >= left && px <= right && py >= top && py <= bottom;
  }

  /** Zoom to the rectangle between two corners in pixels. */
  zoomTo(a, b) {
    const sorted = (values) => [Math.min(...values), Math.max(...values)];
    const x = sorted([this.fromX(a.x), this.fromX(b.x)]);
    const y = sorted([this.fromY(a.y), this.fromY(b.y)]);
    this.zoom = { x: within(x, this.home.x), y: within(y, this.home.y) };
  }

  /** Zoom by a factor around a point in pixels; zooming out ends at the fixed ranges. */
  zoomAround(px, py, factor) {
    const around = (range, at) => range.map((end) => at + (end - at) * factor);
    const x = within(around(this.shown.x, this.fromX(px)), this.home.x);
    const y = within(around(this.shown.y, this.fromY(py)), this.home.y);
    const isAll = (range, home) => range[0] === home[0] && range[1] === home[1];
    const isHome = isAll(x, this.home.x) && isAll(y, this.home.y);
    this.zoom = isHome ? null : { x, y };
  }
}

/** A range cut to another range; never empty. */
function within([low, high], [least, most]) {
  const [a, b] = [Math.max(low, least), Math.min(high, most)];
  return b - a > 1e-9 * (most - least) ? [a, b] : [least, most];
}

/** About `count` round numbers in a range. */
function ticks([low, high], wanted) {
  const rough = (high - low) / Math.max(1, wanted);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((size) => size >= rough);
  const first = Math.ceil(low / step - 1e-9);
  const count = Math.floor(high / step + 1e-9) - first + 1;
  return Array.from({ length: Math.max(0, count) }, (_, index) => Number(((first + index) * step).toPrecision(15)));
}

/** Margins for text of 14 px, scaled to the text of the theme. */
function magnified(margins, theme) {
  return Object.fromEntries(Object.entries(margins).map(([side, size]) => [side, (size * theme.small_size) / 14]));
}

const LONG = 6; // digits of a tick label; with more, labels are differences from a round number in the title

/** The number from which the tick labels of a range count: 0, or the nearest round number where they would be long. */
function originOf([low, high]) {
  if (digitsFor([low, high]) <= LONG) return 0;
  const step = 10 ** Math.ceil(Math.log10(high - low));
  return rounded(Math.round((low + high) / 2 / step) * step, [low, high]);
}

/** The title of an axis whose tick labels count from a number: "t − 1700000000". */
function titleFrom(label, origin) {
  return origin ? `${label} ${origin < 0 ? "+" : "−"} ${Math.abs(origin)}` : label;
}

/** Grid lines, tick labels and axis titles around a plane. */
function drawAxes(canvas, plane, axes, theme, { withX = true, withY = true, xTicks = 0, yTicks = 0 } = {}) {
  const { pen } = canvas;
  const { left, top, right, bottom } = plane.box;
  pen.lineWidth = 1;
  pen.strokeStyle = theme.grid;
  pen.fillStyle = theme.muted;
  pen.font = `${theme.small_size}px ${theme.font_family}`;
  pen.textAlign = "center";
  pen.textBaseline = "top";
  const origin = { x: originOf(plane.shown.x), y: originOf(plane.shown.y) };
  const told = (value, axis) => short(value - origin[axis], plane.shown[axis].map((end) => end - origin[axis]));
  for (const value of ticks(plane.shown.x, xTicks || (right - left) / 110)) {
    const x = Math.round(plane.toX(value)) + 0.5;
    line(pen, x, top, x, bottom);
    if (withX) pen.fillText(told(value, "x"), x, bottom + 7);
  }
  pen.textAlign = "right";
  pen.textBaseline = "middle";
  for (const value of ticks(plane.shown.y, yTicks || (bottom - top) / 80)) {
    const y = Math.round(plane.toY(value)) + 0.5;
    line(pen, left, y, right, y);
    if (withY) pen.fillText(told(value, "y"), left - 7, y);
  }
  pen.fillStyle = theme.ink;
  pen.font = `${theme.font_size}px ${theme.font_family}`;
  pen.textAlign = "center";
  pen.textBaseline = "alphabetic";
  if (withX) pen.fillText(titleFrom(axes.x.label, origin.x), (left + right) / 2, canvas.height - 9);
  if (withY) {
    pen.save();
    pen.translate(theme.font_size - 2, (top + bottom) / 2);
    pen.rotate(-Math.PI / 2);
    pen.fillText(titleFrom(axes.y.label, origin.y), 0, 0);
    pen.restore();
  }
}

function line(pen, x0, y0, x1, y1) {
  pen.beginPath();
  pen.moveTo(x0, y0);
  pen.lineTo(x1, y1);
  pen.stroke();
}
