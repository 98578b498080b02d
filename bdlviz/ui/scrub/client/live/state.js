// The state of the page: what the link holds, how it is written, and how a link is checked.

const MOST_CHARACTERS = 30000; // of a link

/** The state that the page opens with. */
function openingState(task = "regression") {
  const values = Object.fromEntries(Object.entries(NUMBERS).map(([name, { usual }]) => [name, usual]));
  return {
    task, method: "deep_ensemble", versus: "", activation: "relu", ...values,
    axes: [], // [x low, x high, y low, y high] of a table
    data: task === "regression" ? "own" : "moons",
    points: task === "regression" ? STARTING_CURVE.map((point) => [...point]) : presetPoints("moons"),
  };
}

/** The state as the text of a link: what differs from the opening state of the problem. */
function encodeState(state) {
  const usual = openingState(state.task);
  const parts = state.task === "regression" ? [] : [`task=${state.task}`];
  for (const name of ["method", "versus", "activation", ...Object.keys(NUMBERS)]) {
    if (state[name] !== usual[name]) parts.push(`${name}=${state[name]}`);
  }
  if (state.axes.length) parts.push(`axes=${state.axes.join(",")}`);
  if (state.task === "classification" && state.data !== usual.data) parts.push(`data=${state.data}`);
  const given = state.task === "classification" ? presetPoints(state.data) : usual.points;
  if (String(given) !== String(state.points)) parts.push(`points=${state.points.map((p) => p.join(",")).join(";")}`);
  return parts.join("&");
}

/** The state of a link; `problems` are the names of what could not be read. Unknown names are left out. */
function decodeState(text) {
  if (text.length > MOST_CHARACTERS) return { state: openingState(), problems: ["the length"] };
  const given = new Map(text.replace(/^#/, "").split("&").filter(Boolean).map((part) => {
    const at = part.indexOf("=");
    return at < 0 ? [part, ""] : [part.slice(0, at), part.slice(at + 1)];
  }));
  const problems = [];
  const choose = (name, options, usual) => {
    if (!given.has(name)) return usual;
    if (options.includes(given.get(name))) return given.get(name);
    problems.push(name);
    return usual;
  };
  const state = openingState(choose("task", Object.keys(PROBLEM_NAMES), "regression"));
  state.method = choose("method", methodsFor(state.task), state.method);
  state.versus = choose("versus", ["", ...methodsFor(state.task)], "");
  state.activation = choose("activation", Object.keys(ACTIVATIONS), state.activation);
  for (const [name, limits] of Object.entries(NUMBERS)) {
    if (!given.has(name)) continue;
    const value = numberIn(given.get(name), limits);
    if (value === null) problems.push(name);
    else state[name] = value;
  }
  if (state.task === "classification") {
    state.data = choose("data", Object.keys(PRESETS), state.data);
    state.points = presetPoints(state.data);
  }
  if (given.has("axes")) {
    const axes = axesIn(given.get("axes"));
    if (axes) state.axes = axes;
    else problems.push("axes");
  }
  if (given.has("points")) {
    const points = pointsIn(given.get("points"), state.task);
    if (points) state.points = points;
    else problems.push("points");
  }
  return { state, problems };
}

/** A number within limits from a text, or null. */
function numberIn(text, { low, high, isWhole }) {
  const value = /^-?[\d.]+(e-?\d+)?$/.test(text) ? Number(text) : NaN;
  return value >= low && value <= high && (!isWhole || Number.isInteger(value)) ? value : null;
}

/** The ends of both axes from a text such as "0,1,-2,2", or null. */
function axesIn(text) {
  const ends = text.split(",").map((part) => numberIn(part, { low: -2 * REACH, high: 2 * REACH }));
  return ends.length === 4 && !ends.includes(null) && isResolved(ends.slice(0, 2)) && isResolved(ends.slice(2)) ? ends : null;
}

/** True if the places between two ends differ in the seven digits with which networks compute. */
function isResolved([low, high]) {
  return high - low > LEAST_WIDTH * Math.max(Math.abs(low), Math.abs(high));
}

/** Points from a text such as "1,2;3,4", or null. */
function pointsIn(text, task) {
  if (text === "") return [];
  const points = text.split(";").map((part) => part.split(","));
  const count = task === "regression" ? 2 : 3;
  const coordinate = { low: -REACH, high: REACH };
  if (points.length > MOST_POINTS_HERE) return null;
  const read = points.map((point) => (point.length === count ? point.map((value) => numberIn(value, coordinate)) : [null]));
  const isClass = (value) => Number.isInteger(value) && value >= 0 && value < MOST_CLASSES_HERE;
  const isFine = read.every((point) => !point.includes(null) && (count === 2 || isClass(point[2])));
  return isFine ? read : null;
}

/** One sentence on what of a link could not be read; "" if all could. */
function remarkOn(problems) {
  if (!problems.length) return "";
  return `The link could not be read completely (${problems.join(", ")}): the usual values are used there.`;
}

/** The number of classes of some points; at least two. */
function numClasses(points) {
  return Math.max(2, ...points.map((point) => point[2] + 1));
}

/** The settings of the engine for a state and a method. */
function engineSettings(state, method) {
  const isClasses = state.task === "classification";
  return {
    method, task: state.task, activation: state.activation,
    num_inputs: isClasses ? 2 : 1,
    num_classes: isClasses ? numClasses(state.points) : 2,
    hidden: Array(state.depth).fill(state.width),
    likelihood: isClasses ? "categorical" : "gaussian",
    batch_size: state.batch_size || null,
    prior_by_width: method === "sgld" || method === "gaussian_process" ? 1 : 0,
    num_kept: 50, thinning: 20,
    ...Object.fromEntries(["dropout_rate", "weight_decay", "noise_std", "num_members", "length_scale", "step_size",
      "learning_rate"].map((name) => [name, state[name]])),
  };
}

/** The points as arrays for the engine: x (N D), and y or the classes (N). */
function engineData(state) {
  const inputs = state.task === "classification" ? 2 : 1;
  return {
    x: Float32Array.from(state.points.flatMap((point) => point.slice(0, inputs))),
    y: Float32Array.from(state.points.map((point) => point[inputs])),
  };
}
