// A square sheet and a round pen. After every stroke the drawing is sent to the server as a small image.

const PEN = 0.085; // width, as a fraction of the side of the sheet

class Sheet {
  constructor(host) {
    this.root = make("div", { class: "scrub sketch", role: "group", "aria-label": "Draw a digit" });
    this.place = make("div");
    this.tools = make("div", { class: "tools" },
      make("button", { text: "Wipe", type: "button", on: { click: () => this.wipe() } }),
      make("span", { text: "Draw a digit with mouse, pen or finger." }));
    this.root.append(this.place, this.tools);
    host.replaceChildren(this.root);
    const label = "Sheet to draw a digit on; to go without drawing, upload a picture of one.";
    this.canvas = new Canvas(this.place, () => this.draw(), { role: "img", "aria-label": label });
    this.strokes = [];
    listenToPointer(this.canvas.element, {
      begin: (at) => { this.strokes.push([[at.x, at.y]]); this.draw(); },
      drag: (at) => { this.strokes.at(-1).push([at.x, at.y]); this.draw(); },
      end: () => this.commit(),
      click: () => this.commit(),
    });
  }

  take(spec, send) {
    Object.assign(this, { spec, send });
    applyTheme(this.root, spec.theme);
    this.canvas.fit();
    this.draw();
    this.root.dataset.ready = "true";
  }

  draw() {
    if (!this.spec || !this.canvas.width) return;
    this.canvas.clear(this.spec.theme.paper);
    this.ink(this.canvas.pen, this.spec.theme.ink, this.canvas.width);
  }

  /** Draw all strokes with a pen. */
  ink(pen, color, side) {
    Object.assign(pen, { strokeStyle: color, lineWidth: PEN * side, lineCap: "round", lineJoin: "round" });
    for (const [first, ...others] of this.strokes) {
      pen.beginPath();
      pen.moveTo(...first);
      for (const point of others.length ? others : [first]) pen.lineTo(...point);
      pen.stroke();
    }
  }

  wipe() {
    this.strokes = [];
    this.draw();
    this.send({ ink: null });
  }

  /** Send the drawing as grey values from 0 to 255. */
  commit() {
    const { side } = this.spec;
    const sheet = document.createElement("canvas");
    Object.assign(sheet, { width: side, height: side });
    const pen = sheet.getContext("2d");
    const scale = side / this.canvas.width;
    pen.setTransform(scale, 0, 0, scale, 0, 0);
    this.ink(pen, "#000000", this.canvas.width);
    const { data } = pen.getImageData(0, 0, side, side);
    this.send({ ink: Array.from({ length: side * side }, (_, pixel) => data[4 * pixel + 3]) });
  }

  remove() {
    this.canvas.remove();
  }
}
