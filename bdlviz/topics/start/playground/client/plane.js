// The picture of classes in the plane: a map of the predictions, sampled decision boundaries, and points.

const SIDE = 40; // of the map
const MAPS = { mean: "Mean probability", entropy: "Predictive entropy", information: "Mutual information" };

class PlanePicture {
  constructor(axes) {
    this.axes = axes;
    const at = ([low, high], i) => low + (i / (SIDE - 1)) * (high - low);
    this.xs = Float32Array.from({ length: 2 * SIDE * SIDE }, (_, i) => {
      const q = i >> 1;
      return i % 2 ? at(axes.y, Math.floor(q / SIDE)) : at(axes.x, q % SIDE);
    });
    this.image = null;
  }

  get labels() {
    return { x: { label: "x₁" }, y: { label: "x₂" } };
  }

  measure(set) {
    const maps = mapsOfSet(set);
    return { ...maps, size: average(maps.information), isMap: true, disagreement: () => disagreement(set) };
  }

  draw(pen, plane, set, now, { theme, highlight, answer, map }) {
    this.drawMap(pen, plane, set, now, theme, map);
    Object.assign(pen, { strokeStyle: tint(theme.ink, 0.3), lineWidth: theme.scale });
    for (let s = 0; s < set.num_samples; s += 1) this.drawBoundary(pen, plane, this.probabilities(set, s), set.num_outputs);
    Object.assign(pen, { strokeStyle: theme.ink, lineWidth: 2.5 * theme.scale });
    if (answer) {
      pen.setLineDash([6, 5]);
      this.drawBoundary(pen, plane, answer.mean, set.num_outputs);
      pen.setLineDash([]);
    }
    if (highlight === null) return;
    this.drawBoundary(pen, plane, this.probabilities(set, highlight), set.num_outputs);
    labelCurve(pen, `sample ${highlight + 1} of ${set.num_samples}`, plane.box.right, plane.box.top + 26, theme, theme.ink);
  }

  probabilities({ samples, num_inputs: Q, num_outputs: K }, s) {
    return samples.subarray(s * Q * K, (s + 1) * Q * K);
  }

  drawMap(pen, plane, { num_outputs: K }, now, theme, map) {
    this.image ??= Object.assign(document.createElement("canvas"), { width: SIDE, height: SIDE });
    const small = this.image.getContext("2d");
    const pixels = small.createImageData(SIDE, SIDE);
    const channels = (color) => [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));
    const colors = theme.class_colors.split(" ").map(channels);
    const [paper, ink] = [channels(theme.paper), channels(map === "entropy" ? theme.muted : theme.epistemic)];
    for (let row = 0; row < SIDE; row += 1) {
      for (let column = 0; column < SIDE; column += 1) {
        const q = (SIDE - 1 - row) * SIDE + column;
        const share = map === "mean" ? 0 : Math.min(1, now[map][q] / Math.log(K));
        for (let c = 0; c < 3; c += 1) {
          let value = (1 - share) * paper[c] + share * ink[c];
          if (map === "mean") {
            value = 0.35 * paper[c];
            for (let k = 0; k < K; k += 1) value += 0.65 * now.mean[q * K + k] * colors[k][c];
          }
          pixels.data[4 * (row * SIDE + column) + c] = value;
        }
        pixels.data[4 * (row * SIDE + column) + 3] = 255;
      }
    }
    small.putImageData(pixels, 0, 0);
    const { left, top, right, bottom } = plane.box;
    const [width, height] = [(right - left) / (SIDE - 1), (bottom - top) / (SIDE - 1)]; // values stand in the middle of pixels
    pen.imageSmoothingEnabled = true;
    pen.drawImage(this.image, left - width / 2, top - height / 2, right - left + width, bottom - top + height);
  }

  /** The lines on which the two most probable classes are equally probable. */
  drawBoundary(pen, plane, probabilities, K) {
    const score = (q, k) => {
      let other = -1;
      for (let j = 0; j < K; j += 1) if (j !== k) other = Math.max(other, probabilities[q * K + j]);
      return probabilities[q * K + k] - other;
    };
    pen.beginPath();
    for (let k = 0; k < (K === 2 ? 1 : K); k += 1) {
      const scores = Float32Array.from({ length: SIDE * SIDE }, (_, q) => score(q, k));
      for (let q = 0; q < SIDE * (SIDE - 1); q += 1) if (q % SIDE < SIDE - 1) this.cross(pen, plane, scores, q);
    }
    pen.stroke();
  }

  /** The part of the line where scores are 0 in the cell whose lower left corner is q. */
  cross(pen, plane, scores, q) {
    const corners = [q, q + 1, q + SIDE + 1, q + SIDE];
    const places = [];
    for (let e = 0; e < 4; e += 1) {
      const [a, b] = [corners[e], corners[(e + 1) % 4]];
      if (scores[a] > 0 === scores[b] > 0) continue;
      const share = scores[a] / (scores[a] - scores[b]);
      const at = (axis) => (1 - share) * this.xs[2 * a + axis] + share * this.xs[2 * b + axis];
      places.push([plane.toX(at(0)), plane.toY(at(1))]);
    }
    for (let i = 0; i + 1 < places.length; i += 2) {
      pen.moveTo(...places[i]);
      pen.lineTo(...places[i + 1]);
    }
  }

  drawPoints(pen, plane, points, theme, chosen) {
    const colors = theme.class_colors.split(" ");
    points.forEach(([x, y, k], index) => {
      const [px, py, radius] = [plane.toX(x), plane.toY(y), 5 * theme.scale];
      pen.beginPath();
      if (k === 0) pen.arc(px, py, radius, 0, 2 * Math.PI);
      else for (let i = 0; i < k + 2; i += 1) { // 3 corners for class 1, 4 for class 2, 5 for class 3
        const angle = (2 * Math.PI * i) / (k + 2) - Math.PI / 2;
        pen.lineTo(px + 1.25 * radius * Math.cos(angle), py + 1.25 * radius * Math.sin(angle));
      }
      pen.closePath();
      Object.assign(pen, { fillStyle: colors[k], strokeStyle: theme.ink, lineWidth: 1.2 * theme.scale });
      pen.fill();
      pen.stroke();
      if (index !== chosen) return;
      pen.beginPath();
      pen.arc(px, py, 11 * theme.scale, 0, 2 * Math.PI);
      pen.stroke();
    });
  }

  rows(set, now) {
    const K = set.num_outputs;
    const classes = Array.from({ length: K }, (_, k) => k);
    const heads = ["x1", "x2", ...classes.map((k) => `probability_${k}`), "predictive_entropy", "mutual_information"];
    const row = (q) => [this.xs[2 * q], this.xs[2 * q + 1], ...classes.map((k) => now.mean[q * K + k]),
      now.entropy[q], now.information[q]];
    return [heads, ...Array.from({ length: SIDE * SIDE }, (_, q) => row(q))];
  }
}
