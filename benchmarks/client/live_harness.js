// A small page for the engine: it draws sets of samples on a canvas. The next set is asked for when one has arrived, so
// that the worker computes it while the page waits for its next frame; at most one set waits to be drawn.
//
// Like the page of the app it has an element with `data-step` and `data-draws`, which `live_watch.js` reads.

const INPUTS = 120;
const SAMPLES = 30;
const SIDE = 40;

export async function start({ engine, kind, hidden, theme }) {
  const root = make("div", { class: "scrub", style: "width: 900px" });
  const place = make("div");
  root.append(place);
  document.body.replaceChildren(root);
  const canvas = new Canvas(place, () => {});
  Object.assign(canvas.element.style, { width: "900px", height: "500px" });
  canvas.fit();
  const plane = new Plane();
  plane.place({ left: 40, top: 10, right: 890, bottom: 460 });
  Object.assign(plane.home, kind === "plane" ? { x: [-2, 2], y: [-2, 2] } : { x: [-4, 4], y: [-3, 3] });
  const { x, y, grid, settings } = kind === "plane" ? classes(hidden) : curve(hidden);
  const url = URL.createObjectURL(new Blob([engine], { type: "text/javascript" }));
  const live = await import(url);
  let draws = 0;
  const watchers = [];
  const show = (set) => {
    for (const watch of watchers) watch(set);
    canvas.clear(theme.paper);
    if (kind === "plane") drawMap(canvas.pen, set, plane);
    else drawCurve(canvas, set, plane, grid, x, y, theme);
    root.dataset.step = String(set.step);
    root.dataset.draws = String((draws += 1));
  };
  let waiting = null;
  const take = (set) => {
    if (!waiting) {
      requestAnimationFrame(() => {
        show(waiting);
        waiting = null;
      });
    }
    waiting = set;
    link.send({ type: "next" });
  };
  const link = live.connect(url, (message) => {
    if (message.type === "samples") take(message);
    if (message.type === "refused") throw new Error(message.message);
  });
  link.send({ type: "start", settings, x, y });
  link.send({ type: "grid", x: grid, num_samples: kind === "plane" ? 20 : SAMPLES });
  link.send({ type: "next" });
  root.drag = (place, height) => watchPoint(watchers, (heights) => link.send({ type: "points", x, y: heights }), place, {
    x, y: y.map((each, n) => (n === place ? each + height : each)), grid,
  });
  return link;
}

// Moves one point and gives the milliseconds until the drawn mean at its x has gone half of its way, and until it stays
// within a fifth of the way of its end, which is the mean of the last fifth of four seconds.
async function watchPoint(watchers, send, place, { x, y, grid }) {
  const at = Math.round(((x[place] + 4) / 8) * (INPUTS - 1));
  const seen = [];
  watchers.push(({ samples, num_samples: count }) => {
    let mean = 0;
    for (let s = 0; s < count; s += 1) mean += samples[s * grid.length + at] / count;
    seen.push([performance.now(), mean]);
  });
  await new Promise((done) => setTimeout(done, 300));
  const [, before] = seen.at(-1);
  const sent = performance.now();
  send(y);
  await new Promise((done) => setTimeout(done, 4000));
  const after = seen.filter(([time]) => time > sent);
  const late = after.filter(([time]) => time > sent + 3200).map(([, mean]) => mean);
  if (!late.length) throw new Error("No set of samples was drawn in the last fifth of the time.");
  const end = late.reduce((sum, each) => sum + each, 0) / late.length;
  const left = ([time, mean]) => [time - sent, Math.abs(mean - end) / Math.abs(end - before)];
  const shares = after.map(left);
  const half = shares.find(([, share]) => share <= 0.5)?.[0] ?? Infinity;
  const settled = shares.filter(([, share]) => share > 0.2).at(-1)?.[0] ?? 0;
  return { half, settled };
}

function curve(hidden) {
  const x = Float32Array.from({ length: 20 }, (_, i) => i / 5 - 2);
  const grid = Float32Array.from({ length: INPUTS }, (_, i) => (8 * i) / (INPUTS - 1) - 4);
  return { x, y: x.map(Math.sin), grid, settings: { hidden } };
}

function classes(hidden) {
  const angles = Array.from({ length: 40 }, (_, i) => (Math.PI * i) / 20);
  const x = Float32Array.from(angles.flatMap((a, i) => [(0.7 + 0.6 * (i % 2)) * Math.cos(a), (0.7 + 0.6 * (i % 2)) * Math.sin(a)]));
  const grid = new Float32Array(2 * SIDE * SIDE);
  for (let i = 0; i < SIDE * SIDE; i += 1) {
    grid[2 * i] = (4 * (i % SIDE)) / (SIDE - 1) - 2;
    grid[2 * i + 1] = (4 * Math.floor(i / SIDE)) / (SIDE - 1) - 2;
  }
  const y = Float32Array.from(angles, (_, i) => i % 2);
  return { x, y, grid, settings: { hidden, task: "classification", num_inputs: 2, num_classes: 2 } };
}

function drawCurve(canvas, set, plane, grid, x, y, theme) {
  const { samples, num_samples: count, noise } = set;
  const mean = new Float32Array(INPUTS);
  const squares = new Float32Array(INPUTS);
  for (let i = 0; i < samples.length; i += 1) mean[i % INPUTS] += samples[i] / count;
  for (let i = 0; i < samples.length; i += 1) squares[i % INPUTS] += (samples[i] - mean[i % INPUTS]) ** 2 / count;
  const epistemic = squares.map(Math.sqrt);
  const total = squares.map((each) => Math.sqrt(each + noise[0] ** 2));
  const pixels = Array.from(grid, (each) => plane.toX(each));
  drawAxes(canvas, plane, { x: { label: "x" }, y: { label: "y" } }, theme);
  drawBands(canvas.pen, pixels, { mean, epistemic, total }, plane, theme);
  drawDraws(canvas.pen, pixels, samples, count, plane, theme, 1);
  casedCurve(canvas.pen, pixels, mean, plane, theme.mean, 2, theme);
  drawPoints(canvas.pen, plane, Array.from(x, (each, n) => [each, y[n]]), theme, -1);
}

// The predictive entropy as shades.
function drawMap(pen, { samples, num_samples: count }, plane) {
  const image = new ImageData(SIDE, SIDE);
  const cells = SIDE * SIDE;
  for (let i = 0; i < cells; i += 1) {
    let p = 0;
    for (let s = 0; s < count; s += 1) p += samples[2 * (s * cells + i)] / count;
    const entropy = -(p * Math.log2(p + 1e-12) + (1 - p) * Math.log2(1 - p + 1e-12));
    image.data.set([255 * (1 - entropy), 255 * p, 255 * entropy, 255], 4 * i);
  }
  const sheet = new OffscreenCanvas(SIDE, SIDE);
  sheet.getContext("2d").putImageData(image, 0, 0);
  const { left, top, right, bottom } = plane.box;
  pen.drawImage(sheet, left, top, right - left, bottom - top);
}
