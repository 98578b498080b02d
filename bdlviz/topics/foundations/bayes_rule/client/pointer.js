// The function of the parameters under the pointer: a place in a map is a curve in the prediction.

const POINTS = 121; // of a curve
const RADIUS = 6; // px of the rings in the maps
const FUNCTIONS = {
  line: (slope, intercept) => (x) => slope * x + intercept,
  network: (first, second) => (x) => second * Math.tanh(first * x),
};

class Pointer extends FigureListener {
  show({ x, y, data }, event, figure) {
    this.hide();
    if (data.xaxis === "x4") return; // the prediction itself
    const layout = figure._fullLayout;
    this.drawing = element("svg", { width: layout.width, height: layout.height });
    this.drawing.style.cssText = "position: absolute; top: 0; left: 0; pointer-events: none;";
    for (const map of ["", "2", "3"]) {
      const [across, up] = [layout[`xaxis${map}`], layout[`yaxis${map}`]];
      this.draw(across, up, "circle", { cx: across.l2p(x), cy: up.l2p(y), r: RADIUS });
    }
    const [across, up] = [layout.xaxis4, layout.yaxis4];
    const [low, high] = across.range;
    const at = FUNCTIONS[this.spec.family](x, y);
    const xs = Array.from({ length: POINTS }, (_, i) => low + ((high - low) * i) / (POINTS - 1));
    const points = xs.map((each) => `${across.l2p(each)},${up.l2p(at(each))}`).join(" ");
    this.draw(across, up, "polyline", { points });
    figure.append(this.drawing);
  }

  /** Draw a shape on a wider one in the colour of the paper; both end where the panel of the two axes ends. */
  draw(across, up, shape, attributes) {
    const panel = element("svg", { x: across._offset, y: up._offset, width: across._length, height: up._length });
    for (const [stroke, width] of [[this.spec.paper, 6], [this.spec.ink, 3]]) {
      panel.append(element(shape, { ...attributes, stroke, "stroke-width": width, fill: "none" }));
    }
    this.drawing.append(panel);
  }

  hide() {
    this.drawing?.remove();
  }
}

function element(tag, attributes) {
  const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  return made;
}

export default mounting(() => new Pointer());
