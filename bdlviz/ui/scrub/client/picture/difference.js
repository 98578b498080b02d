// The difference of the epistemic standard deviations of two settings over x, on the x axis of the pictures above.

const STRIP_MARGIN = { left: 58, right: 12, top: 8, bottom: 44 };

class Difference {
  /** @param {FunctionPicture} view */
  constructor(view, parent) {
    this.view = view;
    this.title = make("div", { class: "strip-title" });
    this.element = make("div", { class: "strip" }, this.title);
    parent.append(this.element);
    this.canvas = new Canvas(this.element, () => this.draw(), { role: "img" });
    this.plane = new Plane();
  }

  draw() {
    const [a, b] = this.view.panels;
    if (!a?.now || !b?.now || !this.canvas.width) return;
    const { theme, axes } = this.view.spec;
    const gap = a.now.epistemic.map((sd, i) => sd - b.now.epistemic[i]);
    const reach = Math.max(...gap.map(Math.abs), (axes.y.range[1] - axes.y.range[0]) / 20);
    this.plane.home = { x: a.plane.shown.x, y: [-reach * 1.1, reach * 1.1] };
    const { width, height, pen } = this.canvas;
    const { left, top, right, bottom } = magnified(STRIP_MARGIN, theme);
    const box = { left, top, right: width - right, bottom: height - bottom };
    this.plane.place(box);
    this.canvas.clear(theme.paper);
    drawAxes(this.canvas, this.plane, { x: axes.x, y: { label: "A − B" } }, theme, { yTicks: 3 });
    const xs = Float32Array.from(gap, (_, i) => this.plane.toX(this.view.xAt(i, gap.length)));
    pen.save();
    pen.beginPath();
    pen.rect(box.left, box.top, box.right - box.left, box.bottom - box.top);
    pen.clip();
    fillBetween(pen, xs, (i) => gap[i], () => 0, this.plane, tint(theme.epistemic, OPACITY.one));
    casedCurve(pen, xs, gap, this.plane, theme.epistemic, 2, theme);
    pen.strokeStyle = theme.muted;
    pen.lineWidth = 1;
    line(pen, box.left, this.plane.toY(0), box.right, this.plane.toY(0));
    pen.restore();
    this.say(gap);
  }

  say(gap) {
    const { hoverX, spec } = this.view;
    const mean = gap.reduce((sum, value) => sum + value, 0) / gap.length;
    const index = hoverX === null ? -1 : this.view.indexOf(hoverX, gap.length);
    const x = this.view.xAt(index, gap.length);
    const here = index < 0 ? "" : ` At x = ${short(x, spec.axes.x.range)}: ${short(gap[index])}.`;
    const text = `Epistemic sd of A minus that of B${spec.unit}: ${short(mean)} on average over x.${here}`;
    this.title.textContent = text;
    this.canvas.element.setAttribute("aria-label", text);
  }

  remove() {
    this.canvas.remove();
    this.element.remove();
  }
}
