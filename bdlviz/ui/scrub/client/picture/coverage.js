// How much of the true function the 95 % band of a picture covers; bdlviz/topics/shared/coverage.py says the same.

const THIN = "\u202f"; // before the sign of per cent
const BAND = 1.96; // standard deviations on each side of the mean of a Gaussian that hold 95 %
const FEW = 4; // of the gaps between points; of fewer the median says nothing
const WIDE_GAP = 0.2; // relative to the range of the points; a wider interval without points is a gap

/** A share in whole per cent: the curves are known at a few hundred x. */
const percentText = (share) => `${Math.floor(100 * share + 0.5)}${THIN}%`;

/** Whether an x is at the data; bdlviz/data/gaps.py has the same definition. */
function atTheData(points) {
  const xs = points.map(([x]) => x).sort((a, b) => a - b);
  const gaps = xs.slice(1).map((right, i) => right - xs[i]).sort((a, b) => a - b);
  const half = Math.floor(gaps.length / 2);
  const median = gaps.length % 2 ? gaps[half] : (gaps[half - 1] + gaps[half]) / 2;
  const share = WIDE_GAP * (xs[xs.length - 1] - xs[0]);
  const widest = gaps.length >= FEW ? Math.max(share, 2 * median) : share;
  const near = xs.slice(1).flatMap((right, i) => (right - xs[i] <= widest ? [[xs[i], right]] : []));
  return (x) => near.some(([left, right]) => left <= x && x <= right);
}

/** At which x the band contains the truth (X,). */
function isCovered(view, { now, cell }) {
  const { truth_x: truthX, truth_y: truthY } = cell.arrays;
  const truth = (index) => interpolated(truthX, truthY, view.xAt(index, now.numX));
  return Array.from(now.mean, (mean, index) => Math.abs(truth(index) - mean) <= BAND * now.total[index]);
}

/** The edges of the band with noise, whose share of the truth is told. */
function drawEdges(pen, xs, { mean, total }, plane, theme) {
  Object.assign(pen, { strokeStyle: theme.aleatoric, lineWidth: 1.5 * theme.scale });
  for (const sign of [1, -1]) {
    trace(pen, xs, mean.map((value, i) => value + sign * BAND * total[i]), plane);
    pen.stroke();
  }
}

/** Every stretch of x in one place: its first and last index, the place, and how much of the truth is covered in it. */
function stretchesOf(view, panel) {
  const places = placesOf(view, panel);
  const found = new Map(meansAt(isCovered(view, panel), places));
  return places.flatMap(([place, indices]) => {
    const firsts = indices.filter((index, i) => !i || indices[i - 1] < index - 1);
    const lasts = indices.filter((index, i) => indices[i + 1] !== index + 1);
    const share = percentText(found.get(place));
    const all = firsts.length > 1 ? " in all" : "";
    const texts = [`band holds ${share} of the truth${all}`, `band holds ${share}${all}`, share];
    return firsts.map((first, i) => ({ first, last: lasts[i], place, share, texts }));
  });
}

/** The value at x of a curve on evenly spaced points. */
function interpolated(xs, ys, x) {
  const at = ((x - xs[0]) / (xs[xs.length - 1] - xs[0])) * (xs.length - 1);
  const low = Math.min(Math.max(Math.floor(at), 0), xs.length - 2);
  return ys[low] + (at - low) * (ys[low + 1] - ys[low]);
}
