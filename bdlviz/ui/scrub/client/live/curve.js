// The picture of a curve: bands, sampled functions, mean and points, with the layers of the function picture.

const NUM_INPUTS = 121;
const CURVE_LEGEND = [
  ["data", "data"], ["draws", "functions"], ["mean", "mean"],
  ["epistemic", "epistemic: not known (1, 2 sd)"], ["aleatoric", "with noise (2 sd)"],
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

  /** The numbers of a set that pictures and sentences use; `at` is where to look if a point has changed. */
  measure(set, points, at) {
    const now = { ...momentsOfSet(set), noise: set.noise[0] };
    const value = (values) => (x) => valueAt(values, this.xs, x);
    const found = { ...now, meanAt: value(now.mean), sdAt: value(now.epistemic), totalAt: value(now.total), points, isMap: false };
    const spot = at === undefined ? spotOf(points, this.axes.x) : { x: at, near: null };
    return { ...found, spot, size: found.sdAt(spot.x), misses: missOf(found.meanAt, points, now.noise) };
  }

  /** The numbers of the sentence at their places: a bar of two standard deviations at the spot, a label at the point. */
  drawSpot(pen, plane, { spot: { x, near }, size, misses, meanAt, sdAt }, theme) {
    if (!size && !misses) return;
    const label = misses ? `lines: ${short(misses)} long on average` : `${spread(size)} (2 sd)`;
    drawReach(pen, plane, x, meanAt(x), misses ? 0 : 2 * size, label, theme);
    if (isSureAndWrong({ size, misses })) { // below the curve, which is flat
      const below = plane.toY(meanAt(this.axes.x[1])) + 2 * theme.font_size;
      labelCurve(pen, `functions: ${spread(size)}`, plane.box.right, below, theme, theme.mean_text);
    }
    if (near === null || misses) return;
    haloed(pen, `${spread(sdAt(near))} here`, plane.toX(near) - 10, plane.toY(meanAt(near)) - 8, theme, theme.ink, "right");
  }

  draw(pen, plane, set, now, { theme, highlight, answer, said }) {
    const xs = this.xs.map((x) => plane.toX(x));
    drawBands(pen, xs, now, plane, theme);
    drawDraws(pen, xs, set.samples, set.num_samples, plane, theme, highlight === null ? 1 : 0.4);
    if (answer) this.drawAnswer(pen, xs, plane, answer, theme);
    casedCurve(pen, xs, now.mean, plane, theme.mean, 3, theme);
    if (now.misses) drawMisses(pen, plane, now.points, now.meanAt, theme);
    this.drawSpot(pen, plane, said, theme);
    if (highlight === null) return;
    const Q = this.xs.length;
    const values = set.samples.subarray(highlight * Q, (highlight + 1) * Q);
    casedCurve(pen, xs, values, plane, theme.draws, 2.5, theme);
    labelCurve(pen, `sample ${highlight + 1} of ${set.num_samples}`, plane.box.right, plane.box.top + 26, theme, theme.draws_text);
  }

  /** What to do first: a ring on the curve in the widest gap between the points, and words. */
  invite(pen, plane, now, theme) {
    const [x, y] = [plane.toX(now.spot.x), plane.toY(now.meanAt(now.spot.x))];
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
