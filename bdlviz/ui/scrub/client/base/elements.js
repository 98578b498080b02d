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

/** A number with three significant digits, as in the figures. */
function short(value) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (value !== 0 && (size >= 1e5 || size < 1e-3)) return value.toExponential(1).replace("e+", "e");
  return String(Number(value.toPrecision(3))).replace("-", "−");
}
