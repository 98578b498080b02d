// The pad: a plane of codes with the codes of the data, and a ring at the code that is decoded.

const PAD_MARGIN = { left: 46, top: 8, right: 10, bottom: 42 };
const LARGEST_DOT = 16; // pixels, before the factor for digits
const BACKDROP = 13; // decoded digits per side in the background of a plane
const BACKDROP_OPACITY = 0.22;
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

  take(spec, dots, decoder) {
    Object.assign(this, { spec, dots, decoder });
    this.backdrop = null;
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
    this.drawBackdrop();
    const label = (index) => `z${subscript(index + 1)}`;
    drawAxes(canvas, axes, { x: { label: label(this.spec.across) }, y: { label: "" } }, this.spec.theme);
    this.drawUpLabel(label(this.spec.up), left);
    this.drawDots();
    this.drawPrior();
    this.keep();
    this.draw(this.at ?? [0, 0]);
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

  /** The decoded plane behind the codes, if codes have two dimensions. */
  drawBackdrop() {
    if (this.spec.code.length > 2) return;
    this.backdrop ??= backdropOf(this.decoder, this.spec);
    const { pen } = this.canvas;
    const { left, top, right, bottom } = this.axes.box;
    pen.globalAlpha = BACKDROP_OPACITY;
    pen.imageSmoothingEnabled = true;
    pen.drawImage(this.backdrop, left, top, right - left, bottom - top);
    pen.globalAlpha = 1;
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
    pen.save();
    pen.fillStyle = theme.prior;
    pen.font = `600 ${theme.small_size}px ${theme.font_family}`;
    pen.textAlign = "center";
    const place = ["prior, 1 and 2 sd", this.axes.toX(0), this.axes.toY(-2) + 1.2 * theme.small_size];
    pen.strokeStyle = theme.paper; // so that it can be read over digits
    pen.lineWidth = 5;
    pen.strokeText(...place);
    pen.fillText(...place);
    pen.restore();
  }

  /** Every code as its digit, in the colour of its class. */
  drawDots() {
    const { pen } = this.canvas;
    const { theme, across, up, code } = this.spec;
    const { mean, labels } = this.dots;
    pen.save();
    pen.font = `600 ${0.8 * Math.min(theme.small_size, LARGEST_DOT)}px ${theme.font_family}`; // a thousand digits
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    pen.globalAlpha = code.length > 2 ? 0.55 : 0.85;
    labels.forEach((label, row) => {
      const x = this.axes.toX(mean[row * code.length + across]);
      const y = this.axes.toY(mean[row * code.length + up]);
      if (!this.axes.contains(x, y)) return;
      pen.fillStyle = theme.classes[label % theme.classes.length];
      pen.fillText(String(label), x, y);
    });
    pen.restore();
  }

  keep() {
    const { element } = this.canvas;
    Object.assign(this.still, { width: element.width, height: element.height });
    this.still.getContext("2d").drawImage(element, 0, 0);
  }

  /** Move the ring. @param {number[]} at */
  draw(at) {
    this.at = at;
    if (!this.spec || !this.still.width) return;
    const { pen, density } = this.canvas;
    const { theme } = this.spec;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(this.still, 0, 0);
    pen.setTransform(density, 0, 0, density, 0, 0);
    const [x, y] = [this.axes.toX(at[0]), this.axes.toY(at[1])];
    for (const [color, width] of [[theme.paper, 7], [theme.ink, 3]]) {
      pen.strokeStyle = color;
      pen.lineWidth = width;
      pen.beginPath();
      pen.arc(x, y, 11, 0, 2 * Math.PI);
      pen.stroke();
    }
  }

  remove() {
    this.canvas.remove();
  }
}

/** A sheet of digits decoded over the plane, as a canvas. */
function backdropOf(decoder, spec) {
  const [height, width] = spec.shape;
  const sheet = document.createElement("canvas");
  Object.assign(sheet, { width: BACKDROP * width, height: BACKDROP * height });
  const pen = sheet.getContext("2d");
  const place = (index) => -spec.reach + ((index + 0.5) / BACKDROP) * 2 * spec.reach;
  for (let row = 0; row < BACKDROP; row += 1) {
    for (let column = 0; column < BACKDROP; column += 1) {
      const pixels = decoder.decode([place(column), -place(row)]);
      pen.putImageData(pictureOf(pixels, spec), column * width, row * height);
    }
  }
  return sheet;
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
