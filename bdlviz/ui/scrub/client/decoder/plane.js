// The pad: a plane of codes with the codes of the data, and a large dot at the code that is decoded.

const PAD_MARGIN = { left: 46, top: 8, right: 10, bottom: 42 };
const DOT = 2.4; // pixels, radius of the dot of a code in text of 14 px
const KEY_STEPS = 40; // arrow presses from the middle of the pad to its edge
const MOVES = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] };

class Pad {
  /** @param {{follow: Function, commit: Function, step: Function, home: Function}} on */
  constructor(parent, on) {
    this.on = on;
    this.axes = new Plane();
    this.canvas = new Canvas(parent, () => this.refresh(), {
      tabindex: "0", role: "application", "aria-roledescription": "pad of codes",
    });
    this.still = document.createElement("canvas"); // the static part of the picture
    const point = (at) => this.on.follow(this.axes.fromX(at.x), this.axes.fromY(at.y));
    listenToPointer(this.canvas.element, {
      begin: (at) => { this.canvas.element.focus({ preventScroll: true }); point(at); },
      drag: point,
      end: (at) => this.on.commit(at),
      click: () => this.on.commit(),
    });
    this.canvas.element.addEventListener("keydown", (event) => this.press(event));
  }

  take(spec, dots) {
    if (dots.labels !== this.dots?.labels) this.around = null; // rows of other images
    Object.assign(this, { spec, dots });
    this.refresh();
  }

  press(event) {
    const size = (this.spec.reach / KEY_STEPS) * (event.shiftKey ? 5 : 1);
    const move = MOVES[event.key];
    if (!move && event.key !== "Home") return;
    event.preventDefault();
    event.stopPropagation();
    if (move) this.on.step(move[0] * size, move[1] * size);
    else this.on.home();
  }

  /** Redraw the static part, then everything. */
  refresh() {
    if (!this.spec || !this.canvas.width) return;
    const { canvas, axes } = this;
    const { width, height } = canvas;
    const margin = magnified(PAD_MARGIN, this.spec.theme);
    const side = Math.min(width - margin.left - margin.right, height - margin.top - margin.bottom);
    const left = margin.left + Math.max(0, (width - margin.left - margin.right - side) / 2);
    axes.place({ left, top: margin.top, right: left + side, bottom: margin.top + side });
    axes.home = { x: [-this.spec.reach, this.spec.reach], y: [-this.spec.reach, this.spec.reach] };
    canvas.clear(this.spec.theme.paper);
    const label = (index) => `z${subscript(index + 1)}`;
    const labels = { x: { label: label(this.spec.across) }, y: { label: "" } };
    drawAxes(canvas, axes, labels, this.spec.theme, { xTicks: 4, yTicks: 4 });
    this.drawUpLabel(label(this.spec.up), left);
    this.drawDots();
    this.drawPrior();
    this.keep();
    if (this.around) this.draw(this.at, this.around);
  }

  drawUpLabel(text, left) {
    const { pen } = this.canvas;
    const { theme } = this.spec;
    const { top, bottom } = this.axes.box;
    pen.font = `${theme.font_size}px ${theme.font_family}`;
    pen.fillStyle = theme.ink;
    pen.textAlign = "center";
    pen.fillText(text, left - 34, (top + bottom) / 2 + 5);
  }

  /** One and two standard deviations of the prior. */
  drawPrior() {
    const { pen } = this.canvas;
    const { theme } = this.spec;
    const unit = this.axes.toX(1) - this.axes.toX(0);
    pen.save();
    pen.strokeStyle = theme.prior;
    pen.lineWidth = 1.5;
    pen.setLineDash([2, 4]);
    for (const radius of [1, 2]) {
      pen.beginPath();
      pen.arc(this.axes.toX(0), this.axes.toY(0), radius * unit, 0, 2 * Math.PI);
      pen.stroke();
    }
    pen.restore();
    pen.font = `600 ${theme.small_size}px ${theme.font_family}`;
    this.write("prior, 1 and 2 sd", this.axes.toX(0), this.axes.toY(-2) + 1.8 * theme.small_size, theme.prior);
  }

  /** The walk as a line between its ends. */
  drawWalk() {
    const { pen } = this.canvas;
    const { across, up, walk, theme } = this.spec;
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 2;
    pen.beginPath();
    for (const code of walk.codes) pen.lineTo(this.axes.toX(code[across]), this.axes.toY(code[up]));
    pen.stroke();
  }

  /** A word on a halo in the colour of the paper, so that it can be read over dots. */
  write(text, x, y, color) {
    const { pen } = this.canvas;
    pen.textAlign = "center";
    pen.lineJoin = "round";
    pen.lineWidth = 5;
    pen.strokeStyle = this.spec.theme.paper;
    pen.fillStyle = color;
    pen.strokeText(text, x, y);
    pen.fillText(text, x, y);
  }

  /** Where the code of an image is drawn, and its colour. */
  place(row) {
    const { across, up, code, theme } = this.spec;
    const { mean, labels } = this.dots;
    const [x, y] = [across, up].map((coordinate) => mean[row * code.length + coordinate]);
    return { x: this.axes.toX(x), y: this.axes.toY(y), color: theme.classes[labels[row] % theme.classes.length] };
  }

  /** Every code as a dot in the colour of its class. */
  drawDots() {
    const { pen } = this.canvas;
    pen.save();
    pen.globalAlpha = 0.3; // the nearest ones are drawn as digits
    this.dots.labels.forEach((_, row) => {
      const { x, y, color } = this.place(row);
      if (this.axes.contains(x, y)) disc(pen, x, y, (DOT * this.spec.theme.small_size) / 14, color);
    });
    pen.restore();
  }

  /** The name of each class at the median of its codes, or as near as there is room, beside the circle of digits. */
  drawNames(x, y, radius) {
    const { pen } = this.canvas;
    const { theme } = this.spec;
    const side = 1.4 * theme.small_size;
    const drawn = [];
    pen.font = `700 ${theme.small_size}px ${theme.font_family}`;
    pen.textAlign = "center";
    for (const label of new Set(this.dots.labels)) {
      const rows = [...this.dots.labels.keys()].filter((row) => this.dots.labels[row] === label);
      const places = rows.map((row) => this.place(row));
      const at = { x: median(places.map((place) => place.x)), y: median(places.map((place) => place.y)) };
      if (Math.hypot(at.x - x, at.y - y) < radius + side) at.x = x + (at.x < x ? -1 : 1) * (radius + side);
      while (drawn.some(({ x, y }) => Math.max(Math.abs(x - at.x), Math.abs(y - at.y)) < side + 4)) at.y += 2;
      drawn.push(at);
      pen.fillStyle = theme.paper;
      pen.fillRect(at.x - side / 2 - 2, at.y - side / 2 - 2, side + 4, side + 4);
      pen.fillStyle = places[0].color;
      pen.fillRect(at.x - side / 2, at.y - side / 2, side, side);
      pen.fillStyle = theme.paper;
      pen.fillText(String(label), at.x, at.y + 0.35 * theme.small_size);
    }
  }

  keep() {
    const { element } = this.canvas;
    Object.assign(this.still, { width: element.width, height: element.height });
    this.still.getContext("2d").drawImage(element, 0, 0);
  }

  /**
   * Move the large dot. The codes around it are drawn as digits, in a plane inside a circle.
   * @param {number[]} at @param {{rows: number[], says: string}} around
   */
  draw(at, around) {
    Object.assign(this, { at, around });
    if (!this.spec || !this.still.width) return;
    const { pen, density } = this.canvas;
    const { theme, code } = this.spec;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.still, 0, 0);
    pen.setTransform(density, 0, 0, density, 0, 0);
    const [x, y] = [this.axes.toX(at[0]), this.axes.toY(at[1])];
    const digits = around.rows.map((row) => ({ says: String(this.dots.labels[row]), ...this.place(row) }));
    moveApart([{ x, y }, ...digits], theme.small_size);
    const reach = Math.max(...digits.map((digit) => Math.hypot(digit.x - x, digit.y - y)));
    const radius = code.length > 2 ? 0 : reach + 0.8 * theme.small_size;
    disc(pen, x, y, radius, theme.paper);
    this.drawWalk();
    pen.beginPath();
    pen.arc(x, y, radius, 0, 2 * Math.PI);
    pen.stroke();
    pen.font = `700 ${theme.small_size}px ${theme.font_family}`;
    for (const digit of digits) this.write(digit.says, digit.x, digit.y + 0.35 * theme.small_size, digit.color);
    this.drawNames(x, y, radius);
    pen.font = `700 ${theme.small_size}px ${theme.font_family}`;
    disc(pen, x, y, 0.5 * theme.small_size, theme.paper);
    disc(pen, x, y, 0.36 * theme.small_size, theme.ink);
    const { left, right, top, bottom } = this.axes.box;
    const half = pen.measureText(around.says).width / 2 + 4;
    const [above, below] = [y - radius - 0.8 * theme.small_size, y + radius + 1.6 * theme.small_size];
    const middle = Math.min(right - half, Math.max(left + half, x));
    const ends = this.spec.walk.codes.map((each) => this.axes.toY(each[this.spec.up]));
    const isClear = below < bottom && (ends[0] + ends[1]) / 2 < y; // of the line of the walk
    this.write(around.says, middle, isClear || above < top + theme.small_size ? below : above, theme.ink);
  }

  remove() {
    this.canvas.remove();
  }
}

function disc(pen, x, y, radius, color) {
  pen.fillStyle = color;
  pen.beginPath();
  pen.arc(x, y, radius, 0, 2 * Math.PI);
  pen.fill();
}

/** Move all places but the first apart until digits of a size hardly overlap there. */
function moveApart(places, size) {
  for (let round = 0; round < 60; round += 1) {
    for (const one of places.slice(1)) {
      for (const { x, y } of places) {
        const gap = Math.hypot((one.x - x) / (0.75 * size), (one.y - y) / size) || 1;
        const push = 0.4 * Math.max(0, 1 / gap - 1);
        one.x += push * (one.x - x);
        one.y += push * (one.y - y);
      }
    }
  }
}

/** The middle of some numbers. */
function median(values) {
  return Float64Array.from(values).sort()[values.length >> 1];
}

/** Pixels from 0 (paper) to 1 (ink) as image data. */
function pictureOf(pixels, { shape: [height, width], theme }) {
  const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  const [paper, ink] = [theme.paper, theme.ink].map(channels);
  const picture = new ImageData(width, height);
  for (let pixel = 0; pixel < pixels.length; pixel += 1) {
    for (let channel = 0; channel < 3; channel += 1) {
      picture.data[4 * pixel + channel] = paper[channel] + pixels[pixel] * (ink[channel] - paper[channel]);
    }
    picture.data[4 * pixel + 3] = 255;
  }
  return picture;
}

/** A number in subscript digits. */
function subscript(number) {
  return [...String(number)].map((digit) => String.fromCharCode(0x2080 + Number(digit))).join("");
}
