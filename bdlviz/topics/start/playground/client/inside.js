// The network of the highlighted sample: dropped units, or the standard deviations of the weights.

const MOST_UNITS = 16; // drawn per layer
const ASK_MS = 200;

class Inside {
  constructor(board, parent) {
    this.board = board;
    this.words = make("p", { class: "words" });
    this.stage = make("div", { class: "stage" });
    this.element = make("div", { class: "inside" }, this.stage, this.words);
    parent.append(this.element);
    this.canvas = new Canvas(this.stage, () => this.draw(), { role: "img", "aria-label": "The network" });
    this.timer = setInterval(() => this.ask(), ASK_MS);
    this.ask();
  }

  ask() {
    const { board } = this;
    if (document.visibilityState === "hidden") return;
    const [side] = board.sides;
    const count = side.set?.num_samples ?? 1;
    this.sample = (board.highlight ?? 0) % count;
    side.training.send({ type: "inside", sample: this.sample });
  }

  take(message, side) {
    if (side !== this.board.sides[0]) return;
    this.found = message;
    this.draw();
  }

  draw() {
    const { found, canvas, board } = this;
    if (!found || !canvas.width || !board.theme) return;
    const { theme } = board;
    const { pen } = canvas;
    canvas.clear(theme.paper);
    const shown = found.sizes.map((size) => Math.min(size, MOST_UNITS));
    const at = (layer, unit) => [
      28 + (layer / (shown.length - 1)) * (canvas.width - 56),
      canvas.height / 2 + (unit - (shown[layer] - 1) / 2) * Math.min(30, (canvas.height - 30) / MOST_UNITS),
    ];
    this.drawWeights(pen, shown, at, theme);
    shown.forEach((count, layer) => {
      const mask = found.masks[layer - 1];
      for (let unit = 0; unit < count; unit += 1) this.drawUnit(pen, at(layer, unit), mask && !mask[unit], theme);
    });
    this.words.textContent = this.describe(shown);
  }

  drawWeights(pen, shown, at, theme) {
    const { found } = this;
    const hasStds = found.stds.length > 0;
    found.weights.forEach((weights, layer) => {
      const values = hasStds ? found.stds[layer] : weights;
      const largest = values.reduce((most, value) => Math.max(most, Math.abs(value)), 1e-9);
      for (let i = 0; i < shown[layer]; i += 1) {
        for (let o = 0; o < shown[layer + 1]; o += 1) {
          if (found.masks[layer - 1]?.[i] === 0 || found.masks[layer]?.[o] === 0) continue;
          const size = Math.abs(values[i * found.sizes[layer + 1] + o]) / largest;
          if (size < 0.08) continue;
          pen.strokeStyle = tint(hasStds ? theme.epistemic : theme.ink, 0.08 + 0.6 * size);
          pen.lineWidth = 0.4 + 1.8 * size;
          line(pen, ...at(layer, i), ...at(layer + 1, o));
        }
      }
    });
  }

  drawUnit(pen, [x, y], isDropped, theme) {
    pen.beginPath();
    pen.arc(x, y, 5, 0, 2 * Math.PI);
    pen.fillStyle = isDropped ? theme.paper : theme.mean;
    pen.fill();
    Object.assign(pen, { strokeStyle: isDropped ? theme.dropped : theme.paper, lineWidth: 1.5 });
    pen.stroke();
    if (!isDropped) return;
    line(pen, x - 4, y - 4, x + 4, y + 4);
    line(pen, x - 4, y + 4, x + 4, y - 4);
  }

  describe(shown) {
    const { found } = this;
    if (!found.weights.length) return "The exact answer is that of an infinitely wide network: it has no weights to draw.";
    const cut = found.sizes.some((size, layer) => size > shown[layer]) ? ` The first ${MOST_UNITS} units of each layer are drawn.` : "";
    const units = found.masks.flatMap((mask) => Array.from(mask));
    const sample = `Sample ${this.sample + 1}: `;
    if (units.length) return `${sample}${units.filter((unit) => !unit).length} of ${units.length} units are dropped.${cut}`;
    if (found.stds.length) return `Lines show the standard deviations of the weights, relative to the largest of a layer.${cut}`;
    return `${sample}lines show absolute weights, relative to the largest of a layer.${cut}`;
  }

  remove() {
    clearInterval(this.timer);
    this.canvas.remove();
    this.element.remove();
  }
}
