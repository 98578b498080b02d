// Small helpers for elements, colours and motion.

/** An element with attributes, classes and children; text is set as text, never as markup. */
function make(tag, { text, on = {}, ...attributes } = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    element.setAttribute(name, value === true ? "" : value);
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  if (text !== undefined) element.textContent = text;
  element.append(...children);
  return element;
}

/** The colours and sizes of the theme as custom properties for the style sheet. */
function applyTheme(root, theme) {
  for (const [name, value] of Object.entries(theme)) {
    if (typeof value === "string") root.style.setProperty(`--${name.replaceAll("_", "-")}`, value);
  }
  root.style.setProperty("--font-size", `${theme.font_size}px`);
  root.style.setProperty("--small-size", `${theme.small_size}px`);
  root.style.colorScheme = theme.name;
  root.classList.toggle("large", theme.scale > 1);
}

/** A colour #RRGGBB with an opacity. */
function tint(color, opacity) {
  const [red, green, blue] = [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));
  return `rgba(${red}, ${green}, ${blue}, ${opacity})`;
}

/** A mix of `color` and `other`; the share of `other` is 0 to 1. */
function mixed(color, other, share) {
  const channel = (from, start) => parseInt(from.slice(start, start + 2), 16);
  const blend = (start) => Math.round((1 - share) * channel(color, start) + share * channel(other, start));
  const parts = [1, 3, 5].map(blend);
  return `rgb(${parts.join(", ")})`;
}

/** True if the visitor prefers reduced motion. */
function prefersStillness() {
  return matchMedia("(prefers-reduced-motion: reduce)").matches;
}

const PAGE_LOAD = Math.random().toString(36).slice(2);
let numEvents = 0;

/** An event with a unique name: Streamlit sends one twice if a timer of the page fires while it is being sent. */
function named(event) {
  numEvents += 1;
  return { ...event, name: `${PAGE_LOAD}-${numEvents}` };
}

/** Easing: maps a fraction of time, 0 to 1, to a smooth start and end. */
function eased(share) {
  return share * share * (3 - 2 * share);
}

/** Call `frame(share)` with fractions from 0 to 1 over some milliseconds; returns a function that ends it early. */
function animate(milliseconds, frame) {
  const start = performance.now();
  let request = requestAnimationFrame(step);
  function step() {
    const share = Math.min(1, (performance.now() - start) / milliseconds);
    if (share < 1) request = requestAnimationFrame(step);
    frame(share);
  }
  return () => cancelAnimationFrame(request);
}

/** A number with three significant digits, as in the figures; with more if its range needs them. */
function short(value, range = [0, 1]) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  const isShort = value === 0 || (size >= 1e-3 && size < 10 ** (digitsFor(range) + 2));
  if (!isShort) return rounded(value, range, 2).toExponential().replace("e+", "e");
  return String(rounded(value, range)).replace("-", "−");
}

/** A number with as many digits as its range needs. */
function rounded(value, range, digits = 3) {
  return Number(value.toPrecision(digitsFor(range, digits)));
}

/** The number of digits that resolve a range as `digits` resolve [0, 1]; bdlviz/digits.py has the same. */
function digitsFor([low, high], digits = 3) {
  const size = Math.max(Math.abs(low), Math.abs(high));
  return Math.min(15, digits + Math.max(0, Math.ceil(Math.log10(size / (high - low)))));
}

/**
 * Put a sentence under the title, if one is there; a verdict on a guess begins with bold words instead. React keeps its
 * text node, so only the value of the node may change.
 */
function tellPage(sentence) {
  const text = document.querySelector(".st-key-says p")?.firstChild;
  if (text?.nodeType === Node.TEXT_NODE && text.nodeValue !== sentence) text.nodeValue = sentence;
}

/** A number to read, with a real minus and powers of ten; bdlviz/digits.py has the same. */
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
