// How much of the true function the 95 % band of a picture covers; bdlviz/topics/shared/coverage.py says the same.

const BAND = 1.96; // standard deviations on each side of the mean of a Gaussian that hold 95 %
const ENOUGH = 0.85; // of the truth; a band that covers less is called overconfident

/** The fractions of x at which the band contains the truth: everywhere, among the data, outside; null without x. */
function coverageOf(view, { now, points, cell }) {
  const { truth_x: truthX, truth_y: truthY } = cell.arrays;
  const xs = points.map(([x]) => x);
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const counts = { everywhere: [0, 0], among: [0, 0], outside: [0, 0] };
  now.mean.forEach((mean, i) => {
    const x = view.xAt(i, now.numX);
    const isInside = Math.abs(interpolated(truthX, truthY, x) - mean) <= BAND * now.total[i];
    for (const count of [counts.everywhere, x >= low && x <= high ? counts.among : counts.outside]) {
      count[0] += isInside ? 1 : 0;
      count[1] += 1;
    }
  });
  const share = ([inside, all]) => (all ? inside / all : null);
  return { everywhere: share(counts.everywhere), among: share(counts.among), outside: share(counts.outside) };
}

/** The coverage of a panel in one sentence; "" if the truth is not known. */
function describeCoverage(view, panel) {
  if (!panel.now || !panel.cell.arrays.truth_x) return "";
  const { everywhere, ...places } = coverageOf(view, panel);
  const [among, outside] = [places.among, places.outside].map((share) => share !== null && share < ENOUGH);
  const where = among && outside ? "also among" : among ? "among" : outside ? "outside" : "";
  const { range } = view.spec.axes.x;
  const [low, high] = range.map((end) => short(end, range));
  const start = view.panels.length === 1 && view.spec.method ? `${view.spec.method}: the` : "The";
  const share = Math.floor(100 * everywhere + 0.5);
  const verdict = where ? `; overconfident ${where} the data` : "";
  return `${start} 95\u2009% band covers the truth on ${share}\u2009% of [${low}, ${high}]${verdict}.`;
}

/** The value at x of a curve on evenly spaced points. */
function interpolated(xs, ys, x) {
  const at = ((x - xs[0]) / (xs[xs.length - 1] - xs[0])) * (xs.length - 1);
  const low = Math.min(Math.max(Math.floor(at), 0), xs.length - 2);
  return ys[low] + (at - low) * (ys[low + 1] - ys[low]);
}
