// A table of points as text: a line for each point, with the numbers of its inputs and y or its class.

/** The numbers of a line: semicolons or tabs separate them, and commas are decimal; else commas or spaces do. */
function numbersOfLine(line) {
  const hasDecimalCommas = /[;\t]/.test(line);
  const parts = hasDecimalCommas ? line.replaceAll(",", ".").split(/[;\t]/) : line.split(/[,\s]+/);
  return parts.map((part) => (part.trim() === "" ? NaN : Number(part)));
}

/** The points of a table; `problem` is one sentence if it has none. Its first line may hold the names of columns. */
function pointsOfTable(text, task, most) {
  const count = task === "regression" ? 2 : 3;
  const columns = task === "regression" ? "x and y" : "x₁, x₂ and the number of the class";
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter(Boolean);
  const rows = lines.map(numbersOfLine);
  const first = rows.length && rows[0].every(Number.isNaN) ? 1 : 0;
  const isClass = (value) => Number.isInteger(value) && value >= 1 && value <= MOST_CLASSES_HERE;
  const isFine = (row) => row.length === count && row.every((value) => Math.abs(value) <= REACH) && (count === 2 || isClass(row[2]));
  const wrong = rows.findIndex((row, index) => index >= first && !isFine(row));
  if (wrong >= 0) {
    const classes = count === 3 ? ` from 1 to ${MOST_CLASSES_HERE}` : "";
    return { problem: `Line ${wrong + 1} cannot be read: give ${columns}${classes} on every line.` };
  }
  if (rows.length === first) return { problem: `The table has no points: give ${columns} on every line.` };
  if (rows.length - first > most) return { problem: `The table has ${rows.length - first} points: at most ${most} are supported here.` };
  const axes = axesAround(rows.slice(first), task);
  const narrow = [0, 1].find((axis) => !isResolved(axes.slice(2 * axis, 2 * axis + 2)));
  if (narrow !== undefined) {
    return { problem: `The numbers of column ${narrow + 1} differ by too little for their size: subtract the first one from all.` };
  }
  return { points: rows.slice(first).map((row) => (count === 2 ? row : [row[0], row[1], row[2] - 1])) };
}

/** Points as such a table. */
function tableOf(points, task) {
  const heads = task === "regression" ? "x,y" : "x1,x2,class";
  const row = (point) => (task === "regression" ? point : [point[0], point[1], point[2] + 1]).join(",");
  return [heads, ...points.map(row)].join("\n");
}

/** Axes around points: a quarter of their width on both sides of x, a tenth for the second axis. */
function axesAround(points, task) {
  const around = (axis, share) => {
    const values = points.map((point) => point[axis]);
    const [least, most] = [Math.min(...values), Math.max(...values)];
    const margin = share * (most - least) || 1;
    const step = 10 ** (Math.floor(Math.log10(most - least + 2 * margin)) - 2);
    return [least - margin, most + margin].map((value) => Number((Math.round(value / step) * step).toPrecision(12)));
  };
  return [...around(0, 0.25), ...around(1, task === "regression" ? 0.25 : 0.1)];
}
