// Shows a frame over the page's own pictures: figures on overlays, images in place, numbers as text.

// Milliseconds after the last run before the page's own picture is shown again, and at most, while numbers are missing.
const SETTLED = 150, PATIENT = 3000;

// React keeps its text node, so only the node's value may change.
function replaceText(element, words) {
  const text = element && document.createTreeWalker(element, NodeFilter.SHOW_TEXT).nextNode();
  if (text && text.nodeValue !== words) text.nodeValue = words;
}

// Curves that a drag has moved, dotted where they were before. A filled area becomes its outline.
function trails(data, before) {
  if (before?.length !== data.length) return [];
  const moved = before.filter((trace, place) => trace.meta === "trail" && trace.y !== data[place].y);
  return moved.map((trace) => {
    const color = trace.fillcolor?.replace(/[\d.]+\)$/, "1)") ?? trace.line.color;
    const line = { color, width: Math.max(1.5, trace.line.width / 2), dash: "dot" };
    return { ...trace, line, fill: "none", showlegend: false };
  });
}

// Plotly needs too long for hundreds of dots at every step of a drag. It lays out the axes, and these dots are added.
const MANY = 50;
const isDots = ({ mode, x, marker }) => mode === "markers" && x.length >= MANY
  && typeof marker.color === "string" && typeof marker.size === "number" && marker.opacity !== 0 && !marker.symbol && !marker.line;

function addDots(figure, traces) {
  for (const group of figure.querySelectorAll(".dots")) group.remove();
  const layout = figure._fullLayout;
  const marks = {}; // of each subplot
  for (const { x, y, xaxis = "x", yaxis = "y", marker } of traces) {
    const [across, up] = [layout[xaxis.replace("x", "xaxis")], layout[yaxis.replace("y", "yaxis")]];
    const look = `r="${marker.size / 2}" fill="${marker.color}" opacity="${marker.opacity ?? 1}"`;
    const dots = Array.from(x, (each, place) => `<circle cx="${across.c2p(each)}" cy="${up.c2p(y[place])}" ${look}/>`);
    (marks[xaxis + yaxis] ??= []).push(...dots);
  }
  for (const [subplot, dots] of Object.entries(marks)) {
    layout._plots[subplot].plot.node().insertAdjacentHTML("afterbegin", `<g class="dots">${dots.join("")}</g>`);
  }
}

class Overlay {
  constructor(key, plotly) {
    this.key = key;
    this.plotly = plotly;
    this.element = null;
  }

  get place() {
    return document.querySelector(`.st-key-${CSS.escape(this.key)}`);
  }

  // `before` are the traces that the page's own picture shows.
  draw({ data, layout }, before) {
    const place = this.place;
    const chart = place?.querySelector(".js-plotly-plot");
    if (!chart || !chart.clientHeight) return;
    if (!this.element?.isConnected) {
      this.element = document.createElement("div");
      this.drawn = null;
      this.element.className = "drag-overlay";
      this.element.setAttribute("aria-hidden", "true");
      place.style.position = "relative";
      place.append(this.element);
    }
    const seen = chart.getBoundingClientRect();
    if (seen.bottom < 0 || seen.top > innerHeight) return; // not in sight
    const [box, frame] = [chart.getBoundingClientRect(), place.getBoundingClientRect()];
    Object.assign(this.element.style, {
      left: `${box.left - frame.left}px`, top: `${box.top - frame.top}px`,
      width: `${box.width}px`, height: `${box.height}px`,
    });
    const isDrawn = this.drawn === data && this.before === before && !this.element.hidden;
    this.element.hidden = false;
    if (isDrawn) return;
    Object.assign(this, { drawn: data, before });
    const moved = trails(data, before);
    this.element.classList.toggle("trails", moved.length > 0);
    const visible = data.filter(({ marker }) => marker?.opacity !== 0); // without points that only answer clicks
    const above = visible.findIndex((trace) => !isDots(trace));
    const dots = visible.slice(0, Math.max(above, 0)); // those below everything else
    const curves = [...dots.map((trace) => ({ ...trace, mode: "none" })), ...visible.slice(dots.length), ...moved];
    const sized = { ...layout, width: box.width, height: box.height };
    this.plotly.react(this.element, curves, sized, { staticPlot: true });
    addDots(this.element, dots);
  }

  hide() {
    if (this.element) this.element.hidden = true;
  }
}

class Picture {
  constructor() {
    this.overlays = new Map();
    this.originals = new Map(); // image element -> its own source
    this.plotly = null;
    this.lines = null; // the sentence of the start, and what stands under a frame that says something else
  }

  // `own` is the frame that the page's own pictures show: what is the same there needs no overlay.
  show(frame, own) {
    for (const [key, figure] of Object.entries(frame.figures)) {
      if (!this.plotly || (!this.overlays.has(key) && own?.figures[key] === figure)) continue;
      if (!this.overlays.has(key)) this.overlays.set(key, new Overlay(key, this.plotly));
      this.overlays.get(key).draw(figure, own?.figures[key]?.data);
    }
    this.showImages(frame.images);
    this.tell(frame);
  }

  get values() {
    return document.querySelectorAll(".st-key-numbers [data-testid='stMetricValue']");
  }

  // On a slow machine the last numbers of a row can be on the page before the first: then places mean other numbers.
  isWhole({ numbers }) {
    return this.values.length >= numbers.length;
  }

  tell(words) {
    const { values } = this;
    if (this.isWhole(words)) words.numbers.forEach((number, place) => replaceText(values[place], number));
    if (!words.says) return;
    replaceText(document.querySelector(".st-key-says p"), words.says);
    const { start, compared } = this.lines;
    replaceText(document.querySelector(".st-key-at_start p"), !start || start === words.says ? "\u00a0" : compared);
  }

  showImages(images) {
    const elements = document.querySelectorAll(".st-key-frame [data-testid='stImage'] img");
    images.forEach((image, place) => {
      const element = elements[place];
      if (!element || !image) return;
      if (!element.src.startsWith("data:")) this.originals.set(element, element.src);
      element.src = `data:image/png;base64,${image}`;
    });
  }

  // The page's own pictures show the state of the slider again; `told` are the words of that state.
  rest(told) {
    this.tell(told);
    this.overlays.forEach((overlay) => overlay.hide());
    for (const [element, source] of this.originals) if (element.src.startsWith("data:")) element.src = source;
    this.originals.clear();
  }
}
