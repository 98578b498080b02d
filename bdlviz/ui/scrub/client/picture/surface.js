// Function draws of a grid of fits, interpolated between its cells.

/** The draws of every cell of a grid, unpacked from a block of bdlviz/predictive/surface.py. */
class Surface {
  constructor(block) {
    const { centre, basis, scale, fine, coarse } = block.arrays;
    this.axes = block.axes;
    this.numDraws = block.draws;
    this.numX = block.x;
    this.scores = block.arrays.nll ?? null;
    this.centre = centre;
    this.basis = basis;
    this.rank = scale.length;
    this.coefficients = joined(fine, coarse, scale);
    this.blend = new Float32Array(this.numDraws * this.rank);
  }

  /** True if the grid has this axis. */
  has(key) {
    return this.axes.some((axis) => axis.key === key);
  }

  /** The position of a setting (key -> number as text) on the axes, or null if it is not a cell. */
  positionOf(setting) {
    const position = this.axes.map(({ key, stops }) => stops.findIndex((stop) => isSame(stop, Number(setting[key]))));
    return position.includes(-1) ? null : position;
  }

  /**
   * The interpolated draws at a position, (S, X) row by row. Every draw is blended with the draws of the neighbouring
   * cells that have the same masks.
   * @param {number[]} position one number per axis, 0 to its number of stops - 1
   */
  drawsAt(position) {
    this.blend.fill(0);
    for (const [cell, weight] of this.corners(position)) {
      const start = cell * this.blend.length;
      for (let i = 0; i < this.blend.length; i++) this.blend[i] += weight * this.coefficients[start + i];
    }
    return this.expand();
  }

  /** The cells around a position, with weights that sum to 1. */
  corners(position) {
    let corners = [[0, 1]];
    this.axes.forEach(({ stops }, axis) => {
      const at = Math.min(Math.max(position[axis], 0), stops.length - 1);
      const low = Math.min(Math.floor(at), stops.length - 1);
      const share = at - low;
      const along = share > 0 ? [[low, 1 - share], [low + 1, share]] : [[low, 1]];
      const split = ([cell, weight]) => along.map(([index, part]) => [cell * stops.length + index, weight * part]);
      corners = corners.flatMap(split);
    });
    return corners;
  }

  expand() {
    const draws = new this.centre.constructor(this.numDraws * this.numX); // float64 where y needs it
    for (let s = 0; s < this.numDraws; s++) {
      const row = draws.subarray(s * this.numX, (s + 1) * this.numX);
      row.set(this.centre);
      for (let k = 0; k < this.rank; k++) {
        const coefficient = this.blend[s * this.rank + k];
        const start = k * this.numX;
        for (let x = 0; x < this.numX; x++) row[x] += coefficient * this.basis[start + x];
      }
    }
    return draws;
  }
}

/** True if two numbers are equal up to rounding. */
function isSame(a, b) {
  return Math.abs(a - b) <= 1e-6 * Math.max(Math.abs(a), Math.abs(b));
}

/** Scaled 16-bit and 8-bit columns as one (M, K) array. */
function joined(fine, coarse, scale) {
  const rank = scale.length;
  const rows = (fine.length + coarse.length) / rank;
  const numFine = fine.length / rows;
  const numCoarse = rank - numFine;
  const values = new Float32Array(rows * rank);
  for (let row = 0; row < rows; row++) {
    for (let k = 0; k < numFine; k++) values[row * rank + k] = fine[row * numFine + k] * scale[k];
    for (let k = 0; k < numCoarse; k++) {
      values[row * rank + numFine + k] = coarse[row * numCoarse + k] * scale[numFine + k];
    }
  }
  return values;
}

/** Mean and standard deviation over S draws (S, X) at every x; the variance is divided by S. */
function momentsOf(draws, numDraws, numX) {
  const mean = new Float64Array(numX);
  const epistemic = new Float64Array(numX);
  for (let s = 0; s < numDraws; s++) for (let x = 0; x < numX; x++) mean[x] += draws[s * numX + x] / numDraws;
  for (let s = 0; s < numDraws; s++) {
    for (let x = 0; x < numX; x++) epistemic[x] += (draws[s * numX + x] - mean[x]) ** 2 / numDraws;
  }
  for (let x = 0; x < numX; x++) epistemic[x] = Math.sqrt(epistemic[x]);
  return { mean, epistemic };
}

/**
 * Interpolation between two draws along an arc that preserves the standard deviation of draws. On a straight line,
 * functions would be closer to the mean than draws are.
 */
function betweenDraws(draws, mean, from, to, share) {
  const numX = mean.length;
  const [a, b] = [Math.cos((share * Math.PI) / 2), Math.sin((share * Math.PI) / 2)];
  const between = new Float64Array(numX);
  for (let x = 0; x < numX; x++) {
    between[x] = mean[x] + a * (draws[from * numX + x] - mean[x]) + b * (draws[to * numX + x] - mean[x]);
  }
  return between;
}
