// The picture of a curve: bands, sampled functions, mean and points, with the layers of the function picture.

const NUM_INPUTS = 121;
const CURVE_LEGEND = [
  ["data", "data"], ["draws", "samples"], ["mean", "mean"], ["epistemic", "epistemic: not known (1, 2 sd)"], ["aleatoric", "noise (2 sd)"],
];

class CurvePicture {
  constructor(axes) {
    this.axes = axes;
    const [low, high] = axes.x;
    this.xs = Float32Array.from({ length: NUM_INPUTS }, (_, i) => low + (i / (NUM_INPUTS - 1)) * (high - low));
  }

  get labels() {
    return { x: { label: "x" }, y: { label: "y" } };
  }

  /** The numbers of a set that pictures and sentences use. */
  measure(set, points) {
    const now = { ...momentsOfSet(set), noise: set.noise[0] };
    const { size, where } = bandOutside(now, this.xs, points);
    const at = (values) => (x) => valueAt(values, this.xs, x);
    const means = { meanAt: at(now.mean), sdAt: at(now.epistemic), totalAt: at(now.total) };
    const found = { ...now, ...means, size, where, name: "the band", isMap: false, inside: Math.max(...now.epistemic) };
    Object.assign(found, { points, misses: missOf(found.meanAt, points, now.noise) });
    return { ...found, widths: this.widths(found, points) };
  }

  /** What may stand along the lower edge, and its first and last x: how far functions differ at the points, in a wide
   * gap between them and outside. A mean that misses the points comes first. */
  widths(now, points) {
    if (!now.where || !(now.size || now.misses)) return [];
    const all = points.map(([x]) => x);
    const ends = [this.axes.x[0], Math.min(...all), Math.max(...all), this.axes.x[1]];
    const [at, outside] = widthsOf(now, points).map(spread);
    const beside = now.size ? [`${outside} outside`, outside] : [];
    const middle = now.misses ? [`mean misses by ${short(now.misses)}`, short(now.misses)] : [`${at} at your points`, at];
    const sorted = all.sort((a, b) => a - b);
    const [width, left] = sorted.slice(1).map((x, i) => [x - sorted[i], sorted[i]]).sort(([a], [b]) => b - a)[0] ?? [0];
    const isWide = all.length > 3 && now.size && !now.misses && width > (ends[2] - ends[1]) / 3;
    const inside = Array.from(now.epistemic).filter((_, i) => left < this.xs[i] && this.xs[i] < left + width);
    const gap = isWide && inside.length ? spread(Number((2 * average(inside)).toPrecision(2))) : "";
    const texts = [beside, middle, ...(gap ? [[`${gap} in the gap`, gap], middle] : []), beside];
    if (gap) ends.splice(2, 0, left, left + width);
    return texts.map((each, i) => [each, ends[i], ends[i + 1]]);
  }

  draw(pen, plane, set, now, { theme, highlight, answer, said }) {
    const xs = this.xs.map((x) => plane.toX(x));
    drawBands(pen, xs, now, plane, theme);
    drawDraws(pen, xs, set.samples, set.num_samples, plane, theme, highlight === null ? 1 : 0.4);
    if (answer) this.drawAnswer(pen, xs, plane, answer, theme);
    casedCurve(pen, xs, now.mean, plane, theme.mean, 3, theme);
    Object.assign(pen, { strokeStyle: theme.ink, lineWidth: 1.5 * theme.scale });
    for (const [x, y] of now.misses ? now.points : []) line(pen, ...[y, now.meanAt(x)].flatMap((end) => [plane.toX(x), plane.toY(end)]));
    drawPlaces(pen, plane, theme, said.widths.map(([texts, ...ends]) => [texts, ...ends.map((x) => plane.toX(x))]));
    if (highlight === null) return;
    const Q = this.xs.length;
    const values = set.samples.subarray(highlight * Q, (highlight + 1) * Q);
    casedCurve(pen, xs, values, plane, theme.draws, 2.5, theme);
    labelCurve(pen, `sample ${highlight + 1} of ${set.num_samples}`, plane.box.right, plane.box.top + 26, theme, theme.draws_text);
  }

  /** What to do first: a ring in the widest gap between the points, away from the curve, and words. */
  invite(pen, plane, points, now, theme) {
    const all = points.map(([x]) => x).sort((a, b) => a - b);
    const gaps = all.slice(1).map((x, i) => x - all[i]);
    const widest = gaps.indexOf(Math.max(...gaps));
    const middle = widest < 0 ? all[0] : (all[widest] + all[widest + 1]) / 2;
    const { top, bottom } = plane.box;
    const [x, curve] = [plane.toX(middle), plane.toY(now.meanAt(middle))];
    const y = curve > (top + bottom) / 2 ? (top + curve) / 2 : (curve + bottom) / 2;
    Object.assign(pen, { strokeStyle: theme.ink, lineWidth: 2 * theme.scale });
    pen.setLineDash([4, 3]);
    pen.beginPath();
    pen.arc(x, y, 9 * theme.scale, 0, 2 * Math.PI);
    pen.stroke();
    pen.setLineDash([]);
    pen.font = `600 ${theme.font_size}px ${theme.font_family}`;
    const verb = matchMedia("(pointer: coarse)").matches ? "Tap" : "Click";
    haloed(pen, `${verb} here: add a point`, x, y + 14 * theme.scale + 1.2 * theme.font_size, theme, theme.ink, "center");
  }

  drawAnswer(pen, xs, plane, { mean, epistemic }, theme) {
    for (const times of [-2, 2]) {
      trace(pen, xs, mean.map((value, i) => value + times * epistemic[i]), plane);
      Object.assign(pen, { strokeStyle: theme.ink, lineWidth: 1.5 * theme.scale });
      pen.setLineDash([3, 4]);
      pen.stroke();
      pen.setLineDash([]);
    }
    casedCurve(pen, xs, mean, plane, theme.ink, 1.5, theme, [6, 5]);
  }

  drawPoints(pen, plane, points, theme, chosen) {
    const larger = { ...theme, scale: 1.5 * theme.scale };
    drawPoints(pen, plane, points, larger, chosen);
  }

  /** Rows of the CSV file. */
  rows(set, now) {
    const heads = ["x", "mean", "epistemic_sd", "noise_sd"];
    for (let s = 0; s < set.num_samples; s += 1) heads.push(`sample_${s + 1}`);
    const Q = this.xs.length;
    const row = (x, q) => [x, now.mean[q], now.epistemic[q], set.noise[0],
      ...Array.from({ length: set.num_samples }, (_, s) => set.samples[s * Q + q])];
    return [heads, ...Array.from(this.xs, row)];
  }
}
