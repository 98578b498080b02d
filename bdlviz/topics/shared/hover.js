// A card beside the pointer over a figure of the page: softmax samples of a digit, or the history of a pixel.

const WIDTH = 268, HEIGHT = 150, LEFT = 34, RIGHT = 10, TOP = 10, BOTTOM = 24;

class HoverCard extends FigureListener {
  constructor(root) {
    super(root);
    this.canvas = root.querySelector("canvas");
    this.words = root.querySelector("p");
  }

  take(spec) {
    super.take(spec);
    this.values = Uint8Array.from(atob(spec.values), (letter) => letter.charCodeAt(0));
    const { paper, ink, line } = spec.theme;
    Object.assign(this.root.style, { background: paper, color: ink, borderColor: line });
  }

  show(point, event) {
    const { shape, rows, titles } = this.spec;
    const place = rows ? rows.indexOf(Number([point.customdata].flat()[0])) : Math.round(point.y) * shape[2] + Math.round(point.x);
    if (place < 0 || !event || (!rows && !point.data.type.startsWith("heatmap"))) return;
    if (!rows && point.data.xaxis && point.data.xaxis !== "x") return;
    this.pen = this.sharp();
    if (rows) this.samples(place);
    else this.history(place);
    this.words.textContent = titles ? titles[place] : this.told(place);
    this.root.style.display = "block";
    const { width, height } = this.root.getBoundingClientRect();
    const right = event.clientX + 24 + width < window.innerWidth;
    const below = event.clientY + 24 + height < window.innerHeight;
    this.root.style.left = `${Math.max(4, right ? event.clientX + 24 : event.clientX - 24 - width)}px`;
    this.root.style.top = `${Math.max(4, below ? event.clientY + 24 : event.clientY - 24 - height)}px`;
  }

  hide() {
    this.root.style.display = "none";
  }

  /** A cleared pen on a canvas with one pixel for each pixel of the screen. */
  sharp() {
    const ratio = window.devicePixelRatio || 1;
    Object.assign(this.canvas, { width: WIDTH * ratio, height: HEIGHT * ratio });
    const pen = this.canvas.getContext("2d");
    pen.scale(ratio, ratio);
    pen.font = "12px sans-serif";
    return pen;
  }

  x(share) {
    return LEFT + share * (WIDTH - LEFT - RIGHT);
  }

  y(probability) {
    return TOP + (1 - probability) * (HEIGHT - TOP - BOTTOM);
  }

  text(words, x, y, align = "center") {
    Object.assign(this.pen, { fillStyle: this.spec.theme.muted, textAlign: align, textBaseline: "middle" });
    this.pen.fillText(words, x, y);
  }

  grid() {
    for (const level of [0, 0.5, 1]) {
      this.stroke([[this.x(0), this.y(level)], [this.x(1), this.y(level)]], this.spec.theme.grid, 1);
      this.text(String(level), LEFT - 6, this.y(level), "right");
    }
  }

  stroke(points, color, width) {
    Object.assign(this.pen, { strokeStyle: color, lineWidth: width });
    this.pen.beginPath();
    points.forEach(([x, y], index) => (index ? this.pen.lineTo(x, y) : this.pen.moveTo(x, y)));
    this.pen.stroke();
  }

  /** The class probabilities of every draw as dots, and their means as lines; values are (rows, draws, classes). */
  samples(row) {
    const [, draws, classes] = this.spec.shape;
    const { theme } = this.spec;
    this.grid();
    for (let label = 0; label < classes; label++) {
      const middle = this.x((label + 0.5) / classes);
      let total = 0;
      this.pen.fillStyle = theme.draws;
      for (let draw = 0; draw < draws; draw++) {
        const value = this.values[(row * draws + draw) * classes + label] / 255;
        total += value;
        const aside = (((draw + 1) * 0.6180339887) % 1) - 0.5;
        this.pen.beginPath();
        this.pen.arc(middle + 14 * aside, this.y(value), 1.8, 0, 2 * Math.PI);
        this.pen.fill();
      }
      this.stroke([[middle - 8, this.y(total / draws)], [middle + 8, this.y(total / draws)]], theme.mean, 2.5);
      this.text(String(label), middle, HEIGHT - 10);
    }
  }

  /** A pixel's keep probability over training, and a dot at the shown moment; values are (moments, height, width). */
  history(pixel) {
    const [moments, height, width] = this.spec.shape;
    const { theme, chosen } = this.spec;
    this.grid();
    const at = (moment) => this.values[moment * height * width + pixel] / 255;
    const points = Array.from({ length: moments }, (_, moment) => [this.x(moment / (moments - 1)), this.y(at(moment))]);
    this.stroke(points, theme.mean, 2.5);
    this.pen.fillStyle = theme.ink;
    this.pen.beginPath();
    this.pen.arc(...points[chosen], 4, 0, 2 * Math.PI);
    this.pen.fill();
    this.text("0", this.x(0), HEIGHT - 10);
    this.text(this.spec.end, this.x(1), HEIGHT - 10, "right");
  }

  told(pixel) {
    const [, height, width] = this.spec.shape;
    const value = this.values[this.spec.chosen * height * width + pixel] / 255;
    return `Row ${Math.floor(pixel / width) + 1}, column ${(pixel % width) + 1}: keep probability ${value.toFixed(2)}`;
  }
}

export default mounting((parent) => new HoverCard(parent.querySelector(".hover-card")));
