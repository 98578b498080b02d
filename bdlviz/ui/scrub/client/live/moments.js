// Numbers of a set of samples, and the sentence on what a change has done.

/** Mean, epistemic and total standard deviation (Q) of samples of curves (S, Q). */
function momentsOfSet({ samples, num_samples: S, num_inputs: Q, noise, mean: exactMean, sd: exactSd }) {
  const mean = exactMean ? Float32Array.from(exactMean) : new Float32Array(Q);
  const epistemic = exactSd ? Float32Array.from(exactSd) : new Float32Array(Q);
  if (!exactMean) {
    for (let q = 0; q < Q; q += 1) {
      let sum = 0;
      for (let s = 0; s < S; s += 1) sum += samples[s * Q + q];
      mean[q] = sum / S;
      let squares = 0;
      for (let s = 0; s < S; s += 1) squares += (samples[s * Q + q] - mean[q]) ** 2;
      epistemic[q] = Math.sqrt(squares / S);
    }
  }
  return { mean, epistemic, total: epistemic.map((sd) => Math.hypot(sd, noise[0])) };
}

/** Mean probabilities (Q, K), predictive entropy and mutual information (Q) in nats of samples (S, Q, K). */
function mapsOfSet({ samples, num_samples: S, num_inputs: Q, num_outputs: K }) {
  const mean = new Float32Array(Q * K);
  const entropy = new Float32Array(Q);
  const information = new Float32Array(Q);
  const term = (p) => (p > 0 ? -p * Math.log(p) : 0);
  for (let s = 0; s < S; s += 1) {
    for (let i = 0; i < Q * K; i += 1) mean[i] += samples[s * Q * K + i] / S;
  }
  for (let q = 0; q < Q; q += 1) {
    let within = 0;
    for (let k = 0; k < K; k += 1) {
      entropy[q] += term(mean[q * K + k]);
      for (let s = 0; s < S; s += 1) within += term(samples[(s * Q + q) * K + k]) / S;
    }
    information[q] = Math.max(0, entropy[q] - within);
  }
  return { mean, entropy, information };
}

/** The share of the inputs at which samples (S, Q, K) of class probabilities have different largest ones. */
function disagreement({ samples, num_samples: S, num_inputs: Q, num_outputs: K }) {
  const classOf = (start) => {
    const chances = samples.slice(start, start + K);
    return chances.indexOf(Math.max(...chances));
  };
  let count = 0;
  for (let q = 0; q < Q; q += 1) {
    const first = classOf(q * K);
    for (let s = 1, isSplit = false; s < S && !isSplit; s += 1) count += isSplit = classOf((s * Q + q) * K) !== first;
  }
  return count / Q;
}

const average = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** Where to look at a curve: the middle of the widest gap between its points, else of the axis beside one, in words. */
function spotOf(points, [low, high]) {
  const all = points.map(([x]) => x).sort((a, b) => a - b);
  const ends = all.length > 1 ? all : [all[0] ?? low, high];
  const gaps = ends.slice(1).map((x, i) => x - ends[i]);
  const widest = gaps.indexOf(Math.max(...gaps));
  const [left, right] = ends.slice(widest, widest + 2);
  const where = all.length > 1 ? "in the widest gap" : all.length ? "beside it" : "in the middle";
  return { x: (left + right) / 2, near: all.length ? left : null, where };
}

/** The value of a curve at x, between the two nearest inputs of an even grid. */
function valueAt(values, xs, x) {
  const place = ((x - xs[0]) / (xs[xs.length - 1] - xs[0])) * (xs.length - 1);
  const low = Math.min(xs.length - 2, Math.max(0, Math.floor(place)));
  const share = Math.min(1, Math.max(0, place - low));
  return (1 - share) * values[low] + share * values[low + 1];
}

const LEAST = 0.001; // a smaller width cannot be seen

/** Two standard deviations in words, "±0.5": training changes further digits all the time. */
function spread(sd) {
  const width = 2 * sd;
  return width < LEAST ? `less than ±${LEAST}` : `±${short(Number(width.toPrecision(width < 1 ? 1 : 2)))}`;
}

const FAR = 2; // standard deviations of the noise; a mean that is farther from the points misses them

/** How far the mean is from the points on average, if it misses them, else 0. */
function missOf(meanAt, points, noise) {
  const distance = points.length ? average(points.map(([x, y]) => Math.abs(meanAt(x) - y))) : 0;
  return distance > FAR * noise ? Number(distance.toPrecision(2)) : 0;
}

const isSureAndWrong = ({ size, misses }) => 0 < size && 2 * size < misses; // functions agree on a mean that misses

/** How far the mean is from the points, in words; `the` begins the sentence or goes on with it. */
const missIn = (the, now) => isSureAndWrong(now)
  ? `${the} functions agree (${spread(now.size)}) but miss your points by ${short(now.misses)}: the network is sure and wrong.`
  : `${the} mean misses your points by ${short(now.misses)} on average, so the blue band cannot be trusted.`;
const PRIORS = ["weight_decay", "length_scale"]; // numbers that hold functions together without data

/** Where the network does not know, in one sentence, while nothing has been changed. A mean that misses comes first. */
function sentenceOfAll(now) {
  if (!now) return "";
  const alone = "There is only one function, which does not say where the network does not know.";
  if (now.isMap) {
    const share = Number((100 * now.disagreement()).toPrecision(2));
    return now.size ? `The sampled networks disagree about the class on ${share}\u202f% of the picture: there they do not know.` : alone;
  }
  if (now.misses) return missIn("The", now);
  if (!now.size) return alone;
  const { near, where } = now.spot;
  if (near === null) return `Without points the network knows nothing: its functions differ by ${spread(now.size)} ${where}.`;
  const verdict = 2 * now.size > Math.max(4 * now.sdAt(near), LEAST) ? ": less is known there" : "";
  return `The functions differ by ${spread(now.sdAt(near))} at a point and by ${spread(now.size)} ${where}${verdict}.`;
}

/**
 * What a change has done, in one sentence.
 * @param {{what: string, name?: string, at?: number}} change  `name`: of a number; `at`: where a point was added or removed (curves)
 * @param {object} before @param {object} after  the measures of `measure` of a side
 */
function sentenceOn(change, before, after) {
  if (!before || !after) return "";
  if (after.misses) return `${change.what}: ${missIn("the", after)}`;
  if (!after.size || !before.size) return `${change.what}: there is one function, so there is no epistemic band.`;
  if (after.isMap) return `${change.what}: the mean mutual information is ${short(after.size)}, before ${short(before.size)}.`;
  const where = change.at === undefined ? after.spot.where : "there";
  const [now, then] = [after, before].map(({ sdAt }) => sdAt(after.spot.x));
  const isNarrower = now < then && spread(now) !== spread(then);
  const why = PRIORS.includes(change.name) && isNarrower ? "; the setting, not data, pulls them together" : "";
  return `${change.what}: the functions differ by ${spread(now)} ${where}, before by ${spread(then)}${why}.`;
}

/** How two answers on the same grid differ, in one sentence. Both have `mean` and `epistemic` (Q) or `maps`. */
function differenceOf(server, here, isMap) {
  const gaps = Array.from(here.mean, (value, i) => Math.abs(value - server.mean[i]));
  const largest = Math.max(...gaps);
  if (isMap) {
    return `${server.by} (dashed): its mean probabilities differ by ${short(average(gaps))} on average, at most ${short(largest)}.`;
  }
  const sds = [server.epistemic, here.epistemic].map((values) => average(Array.from(values)));
  const ratio = sds[1] > 0 ? `; its epistemic sd is ${(sds[0] / sds[1]).toPrecision(2)} times that here` : "";
  return `${server.by} (dashed): its mean differs by ${short(average(gaps))} on average, at most ${short(largest)}${ratio}.`;
}
