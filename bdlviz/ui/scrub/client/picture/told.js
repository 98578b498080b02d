// The sentence under the title of the page while a slider moves; bdlviz/topics/regression/function_draws/told.py has
// the same sentences, for the setting that is committed.

const FAR = 2; // standard deviations of the noise; a mean that is farther from the points on average misses them
const LEAST = 0.001; // a smaller width cannot be seen

/** The indices of x by place: at the data, in a gap between the points, on each side; only places that have some. */
function placesOf(view, { now, points }) {
  const isAtTheData = atTheData(points);
  const xs = points.map(([x]) => x);
  const [low, high] = [Math.min(...xs), Math.max(...xs)];
  const found = new Map(["at the data", "in the gap", "on the left", "on the right"].map((place) => [place, []]));
  now.mean.forEach((_, index) => {
    const x = view.xAt(index, now.numX);
    const side = x < low ? "on the left" : x > high ? "on the right" : "in the gap";
    found.get(isAtTheData(x) ? "at the data" : side).push(index);
  });
  return [...found].filter(([, indices]) => indices.length);
}

/** The means of values (X,) by place. */
function meansAt(values, places) {
  const mean = (indices) => indices.reduce((sum, index) => sum + Number(values[index]), 0) / indices.length;
  return places.map(([place, indices]) => [place, mean(indices)]);
}

/** The index of the place where methods differ most: the gap if there is one, else a side. */
function awayIn(found) {
  const index = found.findIndex(([place]) => place === "in the gap");
  return index >= 0 ? index : found.length - 1;
}

/** That place with its numbers. */
function lastPlace(first, second) {
  const index = awayIn(first);
  return [first[index][0], first[index][1], second[index][1]];
}

/** A sentence that begins with the value of the slider that was moved, else of the first one: "With p = 0.1 ...". */
function withValue({ sliders }, rest) {
  const all = [...sliders.values()].filter(({ spec }) => spec.usual);
  const slider = all.find(({ spec, text }) => text !== shownText(spec.usual)) ?? all[0];
  if (!slider) return `${rest[0].toUpperCase()}${rest.slice(1)}`;
  return `With ${slider.spec.label.split(" (")[0].split(" ").at(-1)} = ${slider.text} ${rest}`.replace("= ≈", "≈");
}

/** The mean distance of the points to the mean. */
function distanceTo(view, { now, points }) {
  const xs = Array.from(now.mean, (_, index) => view.xAt(index, now.numX));
  return points.reduce((all, [x, y]) => all + Math.abs(interpolated(xs, now.mean, x) - y), 0) / points.length;
}

/** Whether it is large, compared with the noise. */
function missesPoints(view, panel) {
  const { epistemic, total } = panel.now;
  return distanceTo(view, panel) > FAR * Math.sqrt(Math.max(0, total[0] ** 2 - epistemic[0] ** 2));
}

const missText = (distance) => `the mean misses points by ${numberText(distance, 2)}`;

/** How much of the true curve a band holds at the data, and where methods differ most. */
function sentenceOnCoverage(view, shares, isOne) {
  const band = isOne ? "noise" : `95${THIN}%`;
  const away = shares[awayIn(shares)];
  const told = shares.filter((each) => each === away || each[0] === "at the data");
  const words = told.map(([place, share], index) => `${percentText(share)}${index ? "" : " of the truth"} ${place}`);
  return withValue(view, `the ${band} band holds ${words.join(" and ")}.`);
}

/** The spread, two standard deviations, at an x far from the points and at the last of them. */
function spreadsOf(view, { now, points, cell }) {
  const xs = Array.from(now.mean, (_, index) => view.xAt(index, now.numX));
  const last = Math.max(...points.map(([x]) => x));
  const { truth_x: truthX, truth_y: truthY } = cell.arrays;
  return [view.spec.told.at, last].map((x) => {
    const [mean, sd, total] = [now.mean, now.epistemic, now.total].map((values) => interpolated(xs, values, x));
    return { x, mean, width: 2 * sd, isMissed: Math.abs(interpolated(truthX, truthY, x) - mean) > BAND * total };
  });
}

/** That in words. */
function sentenceOnSpread(view, panel) {
  const [far, near] = spreadsOf(view, panel);
  if (far.width < LEAST) return withValue(view, "all lines are one function: it does not say what it does not know.");
  const tooLittle = far.isMissed ? `: at x = ${far.x} too little to hold the truth` : "";
  const verdict = missesPoints(view, panel) ? ": the mean misses the points" : tooLittle;
  const [there, here] = [far, near].map(({ width }) => `±${numberText(width, 2)}`);
  return withValue(view, `the lines spread by ${there} at x = ${far.x} and ${here} at the last point${verdict}.`);
}

/** The surprise at new points at a position of the map, beside the lowest one. */
function sentenceOnMap({ surface, side }, pad) {
  const { scores } = surface;
  const position = pad?.position ?? surface.positionOf(side.at);
  const here = surface.corners(position).reduce((sum, [cell, weight]) => sum + weight * scores[cell], 0);
  const [told, best] = [here, Math.min(...scores)].map((score) => numberText(score, 3));
  if (told === best) return `Of all networks on the map this one is surprised least at new points: ${best}.`;
  return `New points surprise this network by ${told} on average, the best one on the map by ${best}.`;
}

/** What a method's band contains, or how far its draws differ; compared, if there is something beside it. */
function sentenceOf(view) {
  const { told, unit } = view.spec;
  const own = view.active;
  const other = view.panels.find((panel) => panel !== own);
  const { truth_x: truthX, reference_epistemic: reference } = own.cell.arrays;
  const shares = (panel) => meansAt(isCovered(view, panel), placesOf(view, panel));
  const spreads = (panel) => meansAt(panel.now.epistemic, placesOf(view, panel));
  if (view.spec.hasPad && own.surface?.scores) return sentenceOnMap(own, view.pad);
  if (other && truthX) {
    const [place, here, there] = lastPlace(shares(own), shares(other));
    return `The band covers ${percentText(here)} of the truth ${place}; with the other setting ${percentText(there)}.`;
  }
  if (other) {
    const [place, here, there] = lastPlace(spreads(own), spreads(other));
    const start = `The standard deviation of the draws ${place} is ${numberText(here, 2)}${unit}`;
    return `${start}; with the other setting ${numberText(there, 2)}.`;
  }
  if (reference) {
    const [place, here, there] = lastPlace(spreads(own), meansAt(reference, placesOf(view, own)));
    const ratio = here > 0 ? `, ×${numberText(there / here, 2)}` : "";
    const name = told.reference[0].toLowerCase() + told.reference.slice(1);
    const start = `Standard deviation of the draws ${place}: ${told.title} ${numberText(here, 2)}`;
    return `${start}, ${name} ${numberText(there, 2)}${ratio}.`;
  }
  const isOne = spreads(own).every(([, spread]) => spread === 0);
  if (told.at) return sentenceOnSpread(view, own);
  if (truthX) return sentenceOnCoverage(view, shares(own), isOne);
  if (isOne) return "One function, no epistemic band: only the noise band is left, as wide everywhere.";
  const words = spreads(own).map(([place, spread]) => `${numberText(spread, 2)} ${place}`).join(", ");
  return `The draws of ${told.title} have a standard deviation of ${words}${unit}.`;
}
