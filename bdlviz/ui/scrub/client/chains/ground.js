// The posterior density as shades of colour, with axes: the background of fits and chains.

const GROUND_MARGIN = { left: 54, top: 8, right: 10, bottom: 50 };
const DENSEST = 0.85; // opacity at the maximum of the posterior

class Ground {
  /** @param {HTMLElement} parent @param {() => void} redraw */
  constructor(parent, redraw) {
    this.canvas = new Canvas(parent, redraw, { role: "img" });
    this.plane = new Plane();
  }

  take(spec, block, title = "") {
    Object.assign(this, { spec, title });
    this.cloud = cloudOf(block.arrays.density, block.size, spec.theme);
    this.plane.home = { x: spec.limits[0], y: spec.limits[1] };
  }

  /** Draw the background; later drawings are clipped to the axes until `end`. */
  begin() {
    const { canvas, plane, spec } = this;
    canvas.fit();
    const { width, height, pen } = canvas;
    const { left, top, right, bottom } = magnified(GROUND_MARGIN, spec.theme);
    const heading = this.title ? 1.5 * spec.theme.font_size : 0;
    plane.place({ left, top: top + heading, right: width - right, bottom: height - bottom });
    canvas.clear(spec.theme.paper);
    const { box } = plane;
    const [across, up] = spec.labels;
    pen.font = `600 ${spec.theme.font_size}px ${spec.theme.font_family}`;
    Object.assign(pen, { fillStyle: spec.theme.ink, textAlign: "left", textBaseline: "top" });
    pen.fillText(this.title, left, 1);
    drawAxes(canvas, plane, { x: { label: across }, y: { label: up } }, spec.theme);
    pen.imageSmoothingEnabled = true;
    pen.globalCompositeOperation = spec.theme.name === "dark" ? "lighten" : "multiply"; // the grid stays visible
    pen.drawImage(this.cloud, box.left, box.top, box.right - box.left, box.bottom - box.top);
    pen.globalCompositeOperation = "source-over";
    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    pen.clip();
    pen.lineJoin = pen.lineCap = "round";
    return pen;
  }

  /** End the clipping, and name the cloud. */
  end() {
    this.canvas.pen.restore();
    const { box } = this.plane;
    const { theme } = this.spec;
    this.write("exact posterior", box.right - 6, box.top + theme.small_size, theme.exact_text, "right");
  }

  /** A word with a rim of paper, so that it can be read on everything. */
  write(text, x, y, color, align) {
    const { pen } = this.canvas;
    const { theme } = this.spec;
    pen.font = `600 ${theme.small_size}px ${theme.font_family}`;
    pen.textAlign = align;
    pen.textBaseline = "middle";
    pen.lineWidth = 4;
    pen.strokeStyle = theme.paper;
    pen.strokeText(text, x, y);
    pen.fillStyle = color;
    pen.fillText(text, x, y);
  }

  at(place) {
    return [this.plane.toX(place[0]), this.plane.toY(place[1])];
  }

  remove() {
    this.canvas.remove();
  }
}

/** Densities 0 to 255, rows upwards, as an image from the paper colour to the colour of exact answers. */
function cloudOf(density, [height, width], theme) {
  const sheet = document.createElement("canvas");
  Object.assign(sheet, { width, height });
  const channels = (color) => [1, 3, 5].map((at) => parseInt(color.slice(at, at + 2), 16));
  const [paper, full] = [theme.paper, theme.exact].map(channels);
  const picture = new ImageData(width, height);
  for (let row = 0; row < height; row += 1) {
    for (let column = 0; column < width; column += 1) {
      const share = (DENSEST * density[(height - 1 - row) * width + column]) / 255;
      const pixel = 4 * (row * width + column);
      for (let channel = 0; channel < 3; channel += 1) {
        picture.data[pixel + channel] = paper[channel] + share * (full[channel] - paper[channel]);
      }
      picture.data[pixel + 3] = 255;
    }
  }
  sheet.getContext("2d").putImageData(picture, 0, 0);
  return sheet;
}
