// The sentence under the title of the page while a slider moves; bdlviz/topics/regression/function_draws/told.py has
// the same sentences, for the setting that is committed.

const MOST = 0.5; // a 95 % band that holds less of the true curve than this is called too sure

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

/** How much of the true curve a band holds where methods differ most, and at the data. */
function sentenceOnCoverage(shares, isOne, title) {
  const [place, share] = shares[awayIn(shares)];
  const [who, band] = isOne ? ["one function", "noise band"] : [title, `95${THIN}% band`];
  const near = shares.filter(([each]) => each === "at the data" && each !== place);
  const rest = near.map(([each, there]) => `, ${each} ${percentText(there)}`).join("");
  const held = `holds ${percentText(share)} of the truth`;
  if (share >= MOST) return `The ${band} of ${who} ${held} ${place}${rest}.`;
  return `${who[0].toUpperCase()}${who.slice(1)} is too sure ${place}: its ${band} ${held}${rest}.`;
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
  if (truthX) return sentenceOnCoverage(shares(own), isOne, told.title);
  if (isOne) return "One function, no epistemic band: only the noise band is left, as wide everywhere.";
  const words = spreads(own).map(([place, spread]) => `${numberText(spread, 2)} ${place}`).join(", ");
  return `The draws of ${told.title} have a standard deviation of ${words}${unit}.`;
}

// Numbers in sentences, as in bdlviz/digits.py ------------------------------------------------------------------------

function numberText(value, digits) {
  const size = Number(Math.abs(value).toPrecision(digits));
  const sign = value < 0 && size > 0 ? "−" : "";
  if (size && (size < 1e-3 || size >= 1e6)) {
    const [mantissa, exponent] = size.toExponential(digits - 1).split("e");
    const raised = [...String(Number(exponent))].map((each) => (each === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[each])).join("");
    return sign + (Number(mantissa) === 1 ? `10${raised}` : `${Number(mantissa)} · 10${raised}`);
  }
  return sign + withDecimals(Math.abs(value), size ? digits - 1 - Math.floor(Math.log10(size)) : 0);
}

function withDecimals(size, most) {
  return size.toLocaleString("en-US", { maximumFractionDigits: Math.max(0, most) });
}
