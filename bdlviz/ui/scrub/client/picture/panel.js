// One function picture: data, bands, draws and mean of a setting on fixed axes, with hover, zoom and editable points.

const MARGIN = { left: 58, right: 12, top: 8, bottom: 48 };
const POINT_REACH = { mouse: 9, touch: 20 }; // pixels around a point that belong to it

class Panel {
  /** @param {FunctionPicture} view @param {HTMLElement} parent @param {number} index 0 for A, 1 for B */
  constructor(view, parent, index) {
    this.view = view;
    this.index = index;
    this.caption = make("figcaption");
    this.stage = make("div", { class: "stage" });
    this.element = make("figure", { class: "panel" }, this.caption, this.stage);
    parent.append(this.element);
    this.canvas = new Canvas(this.stage, () => this.draw(), {
      tabindex: "0", role: "img", "aria-roledescription": "function picture",
    });
    this.readout = make("div", { class: "readout", hidden: true, "aria-hidden": "true" });
    this.stage.append(this.readout);
    this.plane = new Plane();
    this.points = [];
    this.chosen = -1;
    this.box = null;
    this.listen();
  }

  /** Apply new data of the server for this side, with its blocks. */
  take(side, cell, surface) {
    Object.assign(this, { side, cell, surface });
    this.plane.home = { x: this.view.spec.axes.x.range, y: this.view.spec.axes.y.range };
    this.plane.zoom = this.view.memory.zoom;
    const { data_x: x, data_y: y } = cell.arrays;
    this.points = Array.from(x, (value, i) => [value, y[i]]);
    this.showCaption();
    if (this.view.isScrubbing && this.view.active === this) return;
    this.rest();
  }

  showCaption() {
    const { label, title, isActive } = this.side;
    this.element.classList.toggle("active", Boolean(label) && isActive);
    this.caption.replaceChildren();
    if (!label) return;
    const choose = make("button", {
      text: label, class: `side ${label.toLowerCase()}`, "aria-pressed": String(isActive),
      title: isActive ? `The controls set ${label}` : `Let the controls set ${label}`,
      on: { click: () => { if (!isActive) this.view.commit({ compare: "other" }); } },
    });
    this.caption.append(choose, make("span", { text: title }));
  }

  /** Show the interpolated grid at a position. */
  preview(position) {
    this.show(this.surface.drawsAt(position), this.surface.numDraws);
  }

  /** Show the fit of the committed setting again. */
  rest() {
    this.show(this.cell.arrays.draws, this.cell.draws);
    this.rested = this.now;
    this.element.dataset.cell = this.cell.id;
  }

  /** Draw S functions (S, X) with their moments. */
  show(draws, numDraws) {
    const numX = draws.length / numDraws;
    const noise = this.cell.arrays.noise;
    const { mean, epistemic } = momentsOf(draws, numDraws, numX);
    const total = epistemic.map((sd, i) => Math.hypot(sd, noise[Math.min(i, noise.length - 1)]));
    this.now = { draws, numDraws, numX, mean, epistemic, total };
    this.draw();
    this.view.afterDrawing(this);
  }

  draw() {
    if (!this.now || !this.canvas.width) return;
    const { canvas, plane, now, view } = this;
    const { theme } = view.spec;
    const { pen } = canvas;
    const margin = magnified(MARGIN, theme);
    const left = view.isNarrow ? margin.left - 8 : margin.left;
    const [right, bottom] = [canvas.width - margin.right, canvas.height - margin.bottom];
    plane.place({ left, top: margin.top, right, bottom });
    canvas.clear(theme.paper);
    drawAxes(canvas, plane, view.spec.axes, theme);
    pen.save();
    pen.beginPath();
    pen.rect(left, margin.top, right - left, bottom - margin.top);
    pen.clip();
    this.drawLayers(pen, this.placesOf(now));
    pen.restore();
    this.drawBox(pen, theme);
    view.count("draws");
  }

  /** Where the values over x stand, in pixels. */
  placesOf({ mean, numX }) {
    return Float32Array.from(mean, (_, i) => this.plane.toX(this.view.xAt(i, numX)));
  }

  drawLayers(pen, xs) {
    const { now, plane, view } = this;
    const { theme, pinned } = view.spec;
    const { player } = view;
    const playing = player.isOn;
    const { truth_x: truthX, truth_y: truthY } = this.cell.arrays;
    drawBands(pen, xs, view.spec.told?.at ? { ...now, total: now.epistemic } : now, plane, theme);
    if (truthX && !view.spec.told?.at) drawEdges(pen, xs, now, plane, theme);
    drawDraws(pen, xs, now.draws, now.numDraws, plane, theme, playing ? 0.3 : 1);
    drawReference(pen, xs, this.cell.arrays, plane, theme, this.side.reference?.isExact);
    casedCurve(pen, xs, now.mean, plane, theme.mean, 3, theme);
    if (view.isScrubbing && this === view.active) drawTrail(pen, this.placesOf(this.rested), this.rested, plane, theme);
    drawTruth(pen, plane, truthX, truthY, theme);
    if (pinned !== null && pinned < now.numDraws) this.drawOne(pen, xs, this.draw_(pinned), `draw ${pinned + 1}`);
    if (playing) this.drawPlayed(pen, xs, theme);
    drawPoints(pen, plane, this.points, theme, this.chosen);
    const meanAt = (x) => now.mean[view.indexOf(x, now.numX)];
    if (view.spec.told?.at) {
      if (missesPoints(view, this)) drawMisses(pen, plane, this.points, meanAt, theme);
      this.drawSpread(pen, plane, theme);
    } else if (truthX) {
      const told = missText(distanceTo(view, this));
      const texts = [`${told} on average`, told, told.replace("the mean misses points", "misses")];
      drawMisses(pen, plane, this.points, meanAt, theme, texts);
      drawStretches(pen, xs, plane, theme, stretchesOf(view, this));
    }
    this.drawHover(pen, xs);
  }

  /** The numbers of the sentence at their places. */
  drawSpread(pen, plane, theme) {
    const [far, near] = spreadsOf(this.view, this).map((each) => ({ ...each, label: `±${numberText(each.width, 2)} (2 sd)` }));
    if (far.width < LEAST) return;
    drawReach(pen, plane, far.x, far.mean, far.width, far.label, theme);
    drawReach(pen, plane, near.x, near.mean, near.width, "", theme);
    const below = plane.toY(near.mean - near.width) + 20;
    haloed(pen, `last point: ${near.label}`, plane.toX(near.x) - 10, below, theme, theme.ink, "right");
  }

  draw_(index) {
    return this.now.draws.subarray(index * this.now.numX, (index + 1) * this.now.numX);
  }

  drawPlayed(pen, xs, theme) {
    const { player } = this.view;
    casedCurve(pen, xs, player.curve(this.now), this.plane, theme.draws, 2.5, theme);
    const { right, top } = this.plane.box;
    labelCurve(pen, player.label(this.now), right, top + theme.small_size + 12, theme, theme.draws_text);
  }

  drawOne(pen, xs, values, text) {
    const { theme } = this.view.spec;
    casedCurve(pen, xs, values, this.plane, theme.draws, 2.5, theme);
    const { right, top, bottom } = this.plane.box;
    const end = this.plane.toY(values[values.length - 1]);
    labelCurve(pen, text, right, Math.min(Math.max(end, top + 22), bottom - 4), theme, theme.draws_text);
  }

  drawHover(pen, xs) {
    const { hoverX } = this.view;
    this.readout.hidden = hoverX === null;
    if (hoverX === null) return;
    const { theme } = this.view.spec;
    const { top, bottom } = this.plane.box;
    const index = this.view.indexOf(hoverX, this.now.numX);
    const px = xs[index];
    pen.strokeStyle = theme.muted;
    pen.lineWidth = 1;
    pen.setLineDash([3, 3]);
    line(pen, px, top, px, bottom);
    pen.setLineDash([]);
    pen.beginPath();
    pen.arc(px, this.plane.toY(this.now.mean[index]), 5 * theme.scale, 0, 2 * Math.PI);
    pen.fillStyle = theme.mean;
    pen.fill();
    this.placeReadout(index, px);
  }

  placeReadout(index, px) {
    const { mean, epistemic, total } = this.now;
    const noise = Math.sqrt(Math.max(0, total[index] ** 2 - epistemic[index] ** 2));
    const { x, y } = this.view.spec.axes;
    const rows = [
      ["x", short(this.view.xAt(index, this.now.numX), x.range)], ["mean", short(mean[index], y.range)],
      ["epistemic sd", short(epistemic[index])], ["noise sd", short(noise)], ["total sd", short(total[index])],
    ];
    const cells = ([name, value]) => [make("span", { text: name }), make("b", { text: value })];
    this.readout.replaceChildren(...rows.flatMap(cells));
    const isRight = px > (this.plane.box.left + this.plane.box.right) / 2;
    const edge = this.readoutEdge(px, isRight);
    this.readout.style.left = edge.left;
    this.readout.style.right = edge.right;
  }

  /** Next to the line, on the side with more space; on a phone in the far corner, so that it does not hide the data. */
  readoutEdge(px, isRight) {
    const { width } = this.canvas;
    const { left, right } = this.plane.box;
    if (this.view.isNarrow) {
      return isRight ? { left: `${left + 4}px`, right: "" } : { left: "", right: `${width - right + 4}px` };
    }
    return isRight ? { left: "", right: `${width - px + 12}px` } : { left: `${px + 12}px`, right: "" };
  }

  drawBox(pen, theme) {
    if (!this.box) return;
    const [{ x, y }, { x: x1, y: y1 }] = this.box;
    pen.fillStyle = tint(theme.mean, 0.08);
    pen.strokeStyle = theme.mean;
    pen.lineWidth = 1;
    pen.fillRect(x, y, x1 - x, y1 - y);
    pen.strokeRect(x, y, x1 - x, y1 - y);
  }

  /** Index of the data point at a position, or -1. */
  pointAt({ x, y, touch }) {
    const reach = touch ? POINT_REACH.touch : POINT_REACH.mouse;
    const gaps = this.points.map(([px, py]) => Math.hypot(this.plane.toX(px) - x, this.plane.toY(py) - y));
    const nearest = gaps.indexOf(Math.min(...gaps));
    return gaps[nearest] <= reach ? nearest : -1;
  }

  listen() {
    listenToPointer(this.canvas.element, {
      hover: (at) => this.hover(at),
      leave: () => { this.chosen = -1; this.view.hoverAt(null); },
      begin: (at) => this.beginDrag(at),
      drag: (at, from, what) => this.drag(at, from, what),
      end: (at, from, what) => this.endDrag(at, from, what),
      click: (at) => this.click(at),
    });
    this.canvas.element.addEventListener("dblclick", () => { if (!this.view.isEditing) this.view.resetZoom(); });
    this.canvas.element.addEventListener("wheel", (event) => this.wheel(event), { passive: false });
  }

  hover(at) {
    const isInside = this.plane.contains(at.x, at.y);
    if (this.view.isEditing && !this.dragged) this.chosen = this.pointAt(at);
    this.canvas.element.style.cursor = this.view.isEditing ? (this.chosen >= 0 ? "grab" : "crosshair") : "default";
    this.view.hoverAt(isInside ? this.plane.fromX(at.x) : null);
  }

  beginDrag(at) {
    if (!this.view.isEditing) return at.touch ? "read" : "zoom";
    const index = this.pointAt(at);
    if (index < 0) return at.touch ? "read" : "zoom";
    this.dragged = { index, from: [...this.points[index]] };
    this.chosen = index;
    return "move";
  }

  drag(at, from, what) {
    if (what === "zoom") {
      this.box = [from, at];
      this.draw();
    } else if (what === "move") {
      this.points[this.dragged.index] = this.dataAt(at);
      this.draw();
    }
  }

  endDrag(at, from, what) {
    const { box, dragged } = this;
    this.box = this.dragged = null;
    if (what === "zoom" && box && at && Math.hypot(at.x - from.x, at.y - from.y) > 12) {
      this.plane.zoomTo(from, at);
      this.view.setZoom(this.plane.zoom);
    } else if (what === "move" && at) {
      this.view.commit({ edit: "move", from: dragged.from, at: this.points[dragged.index] });
      return;
    } else if (dragged) {
      this.points[dragged.index] = dragged.from;
    }
    this.draw();
  }

  click(at) {
    this.dragged = null;
    if (!this.view.isEditing || !this.plane.contains(at.x, at.y)) return;
    const index = this.pointAt(at);
    if (index >= 0 && this.points.length === 1) return; // a fit needs one point
    if (index >= 0) {
      const [removed] = this.points.splice(index, 1);
      this.view.commit({ edit: "remove", from: removed });
    } else {
      this.points.push(this.dataAt(at));
      this.view.commit({ edit: "add", at: this.points.at(-1) });
    }
    this.chosen = -1;
    this.draw();
  }

  /** Data coordinates of a position, rounded to a tenth of a pixel and clipped to the axes. */
  dataAt({ x, y }) {
    const [[x0, x1], [y0, y1]] = [this.plane.home.x, this.plane.home.y];
    const clamp = (value, low, high) => Math.min(Math.max(value, low), high);
    const values = [clamp(this.plane.fromX(x), x0, x1), clamp(this.plane.fromY(y), y0, y1)];
    return [rounded(values[0], [x0, x1], 4), rounded(values[1], [y0, y1], 4)];
  }

  wheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // without ctrl the page scrolls; a pinch on a touchpad has ctrl
    event.preventDefault();
    const box = this.canvas.element.getBoundingClientRect();
    this.plane.zoomAround(event.clientX - box.left, event.clientY - box.top, Math.exp(event.deltaY * 0.004));
    this.view.setZoom(this.plane.zoom);
  }

  remove() {
    this.canvas.remove();
    this.element.remove();
  }
}
