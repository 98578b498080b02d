// The layers of the function picture from back to front, as in the figures of plots/functions.py.

const MANY = 50; // number of draws with the theme's opacity ...
const WIDE = 800; // ... at this width in pixels
const LABELLED = 0.12; // where along the true function its name stands
const OPACITY = { one: 0.22, two: 0.12, noise: 0.22 };

/** The area between two curves. */
function fillBetween(pen, xs, top, bottom, plane, color) {
  pen.fillStyle = color;
  pen.beginPath();
  for (let i = 0; i < xs.length; i++) pen.lineTo(xs[i], plane.toY(top(i)));
  for (let i = xs.length - 1; i >= 0; i--) pen.lineTo(xs[i], plane.toY(bottom(i)));
  pen.fill();
}

/** The path of one curve. */
function trace(pen, xs, values, plane, start = 0) {
  pen.beginPath();
  for (let i = 0; i < xs.length; i++) pen.lineTo(xs[i], plane.toY(values[start + i]));
}

/** A curve on a wider one in the colour of the paper, so that it is visible on all layers below. */
function casedCurve(pen, xs, values, plane, color, width, theme, dash = []) {
  trace(pen, xs, values, plane);
  pen.strokeStyle = tint(theme.paper, 0.8);
  pen.lineWidth = (width + 3) * theme.scale;
  pen.stroke();
  pen.strokeStyle = color;
  pen.lineWidth = width * theme.scale;
  pen.setLineDash(dash);
  pen.stroke();
  pen.setLineDash([]);
}

/** Both kinds of uncertainty around the mean. */
function drawBands(pen, xs, { mean, epistemic, total }, plane, theme) {
  const at = (sign, spread, times) => (i) => mean[i] + sign * times * spread[i];
  for (const sign of [1, -1]) {
    fillBetween(pen, xs, at(sign, total, 2), at(sign, epistemic, 2), plane, tint(theme.aleatoric, OPACITY.noise));
  }
  fillBetween(pen, xs, at(1, epistemic, 2), at(-1, epistemic, 2), plane, tint(theme.epistemic, OPACITY.two));
  fillBetween(pen, xs, at(1, epistemic, 1), at(-1, epistemic, 1), plane, tint(theme.epistemic, OPACITY.one));
}

/** The mean and two epistemic standard deviations around it, dotted, of the setting where a drag began. */
function drawTrail(pen, xs, { mean, epistemic }, plane, theme) {
  pen.setLineDash([1.5 * theme.scale, 3 * theme.scale]);
  pen.lineWidth = 1.5 * theme.scale;
  for (const [times, color] of [[2, theme.epistemic], [-2, theme.epistemic], [0, theme.mean]]) {
    trace(pen, xs, mean.map((value, i) => value + times * epistemic[i]), plane);
    pen.strokeStyle = color;
    pen.stroke();
  }
  pen.setLineDash([]);
  const { right, top } = plane.box;
  labelCurve(pen, "dotted: before", right, top + theme.small_size + 12, theme, theme.mean_text);
}

/** All draws as thin lines, with `share` of their usual opacity while one of them is played. */
function drawDraws(pen, xs, draws, numDraws, plane, theme, share) {
  // Overlapping lines add up: many lines on few pixels are drawn fainter, a few lines stronger.
  const crowd = Math.min(1, Math.max(0.55, (xs.at(-1) - xs[0]) / WIDE)) * Math.sqrt(MANY / numDraws);
  pen.strokeStyle = tint(theme.draws, Math.min(1, 0.8 * theme.draws_opacity * crowd) * share);
  pen.lineWidth = theme.scale * (numDraws <= 10 ? 1.5 : 1);
  for (let s = 0; s < numDraws; s++) {
    trace(pen, xs, draws, plane, s * xs.length);
    pen.stroke();
  }
}

/** A reference: its mean, and outlines at two standard deviations. */
function drawReference(pen, xs, { reference_mean: mean, reference_sd: sd }, plane, theme, isExact) {
  if (!mean) return;
  const color = isExact ? theme.exact : theme.ink;
  for (const side of [1, -1]) {
    trace(pen, xs, mean.map((value, i) => value + side * 2 * sd[i]), plane);
    pen.strokeStyle = color;
    pen.lineWidth = 2 * theme.scale;
    pen.setLineDash([2, 3]);
    pen.stroke();
    pen.setLineDash([]);
  }
  casedCurve(pen, xs, mean, plane, color, 2, theme);
}

/** The true function without noise, if it is known. */
function drawTruth(pen, plane, x, y, theme) {
  if (!x) return;
  pen.beginPath();
  for (let i = 0; i < x.length; i++) pen.lineTo(plane.toX(x[i]), plane.toY(y[i]));
  pen.setLineDash([7, 5]);
  pen.strokeStyle = theme.truth;
  pen.lineWidth = 2 * theme.scale;
  pen.stroke();
  pen.setLineDash([]);
  const at = Math.round(LABELLED * (x.length - 1));
  pen.font = `600 ${theme.small_size}px ${theme.font_family}`;
  haloed(pen, "truth", plane.toX(x[at]) + 8 * theme.scale, plane.toY(y[at]), theme, theme.truth, "left");
}

/** A bar of some reach up and down around a place, with a label above it, inside the picture. */
function drawReach(pen, plane, x, middle, reach, label, theme) {
  const place = plane.toX(x);
  const [high, low] = [middle + reach, middle - reach].map((y) => plane.toY(y));
  Object.assign(pen, { strokeStyle: theme.ink, lineWidth: 2 * theme.scale });
  const bar = reach ? [[0, high, 0, low], [-7, high, 7, high], [-7, low, 7, low]] : [];
  bar.forEach(([a, y, b, z]) => line(pen, place + a, y, place + b, z));
  pen.font = `600 ${theme.font_size}px ${theme.font_family}`;
  const above = Math.min(high - 6, plane.toY(middle) - 16 * theme.scale); // and above a ring around a point
  haloed(pen, label, place, Math.max(above, plane.box.top + 1.5 * theme.font_size), theme, theme.ink, "center");
}

/** Lines from the points to a mean that misses them, and above them the first of some texts that fits. */
function drawMisses(pen, plane, points, meanAt, theme, texts = []) {
  Object.assign(pen, { strokeStyle: theme.ink, lineWidth: 1.5 * theme.scale });
  for (const [x, y] of points) line(pen, ...[y, meanAt(x)].flatMap((end) => [plane.toX(x), plane.toY(end)]));
  const xs = points.map(([x]) => plane.toX(x));
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  pen.font = `600 ${theme.small_size}px ${theme.font_family}`;
  const text = texts.find((words) => pen.measureText(words).width < right - left) ?? "";
  haloed(pen, text, (left + right) / 2, plane.box.top + 2 * theme.small_size, theme, theme.ink, "center");
}

/** Observations with a thin outline in the paper colour, and a ring around the one under the pointer. */
function drawPoints(pen, plane, points, theme, chosen) {
  points.forEach(([x, y], index) => {
    pen.beginPath();
    pen.arc(plane.toX(x), plane.toY(y), 3.5 * theme.scale, 0, 2 * Math.PI);
    pen.fillStyle = theme.data;
    pen.fill();
    pen.strokeStyle = theme.paper;
    pen.lineWidth = theme.scale;
    pen.stroke();
    if (index !== chosen) return;
    pen.beginPath();
    pen.arc(plane.toX(x), plane.toY(y), 8 * theme.scale, 0, 2 * Math.PI);
    pen.strokeStyle = theme.ink;
    pen.lineWidth = 1.5 * theme.scale;
    pen.stroke();
  });
}

/** Along the lower edge, below which no curve goes: the number of every stretch, in words where there is room. */
function drawStretches(pen, xs, plane, theme, stretches) {
  const { left, right, bottom } = plane.box;
  const [half, foot] = [(xs[1] - xs[0]) / 2, theme.small_size + 12 * theme.scale];
  pen.fillStyle = theme.paper;
  pen.fillRect(left, bottom - foot, right - left, foot);
  drawPlaces(pen, plane, theme, stretches.map(({ first, last, texts }) =>
    [texts, Math.max(xs[first] - half, left), Math.min(xs[last] + half, right)]));
}

/** Places side by side, and words along the lower edge, each between its two ends in pixels: the first text that fits. */
function drawPlaces(pen, plane, theme, places) {
  const { top, right, bottom } = plane.box;
  for (const [texts, from, to] of places) {
    Object.assign(pen, { strokeStyle: theme.muted, lineWidth: 1 });
    pen.setLineDash([3, 5]);
    if (to < right - 1) line(pen, to, top, to, bottom);
    pen.setLineDash([]);
    pen.font = `600 ${theme.small_size}px ${theme.font_family}`;
    const text = texts.find((words) => pen.measureText(words).width < to - from - 4);
    if (text) haloed(pen, text, (from + to) / 2, bottom - 8 * theme.scale, theme, theme.mean_text, "center");
  }
}

/** A label at the right end of a curve, on a background in the paper colour. */
function labelCurve(pen, text, x, y, theme, color) {
  pen.font = `600 ${theme.small_size}px ${theme.font_family}`;
  haloed(pen, text, x - 6, y - 5, theme, color, "right");
}

function haloed(pen, text, x, y, theme, color, align) {
  pen.textAlign = align;
  pen.textBaseline = "bottom";
  pen.lineWidth = 4;
  pen.lineJoin = "round";
  pen.strokeStyle = theme.paper;
  pen.strokeText(text, x, y);
  pen.fillStyle = color;
  pen.fillText(text, x, y);
}
