// The image of the code under the pointer, and those of its nearest codes. They are drawn beside the map as soon as the
// pointer is on a code.
//
// The map is a figure of the page: its element emits plotly's events. No event of this view goes to the server.

const FIND_MS = 400; // how often the view looks for the map, which Streamlit may replace

class Card {
  constructor(host) {
    this.canvas = make("canvas", { role: "img", "aria-label": "Image of the code under the pointer" });
    this.others = make("div", { role: "img", "aria-label": "Images of the nearest codes", class: "others" });
    this.words = make("p", { "aria-live": "polite" });
    this.moreWords = make("p", { "aria-live": "polite" });
    this.root = make("div", { class: "scrub card" }, this.canvas, this.words, this.moreWords, this.others);
    host.replaceChildren(this.root);
    this.hover = (event) => this.show(Number(event.points?.[0]?.customdata));
    this.leave = () => this.show(this.spec.pinned);
    this.timer = setInterval(() => this.find(), FIND_MS);
  }

  take(spec) {
    this.spec = spec;
    applyTheme(this.root, spec.theme);
    this.others.replaceChildren(...Array.from({ length: spec.near }, () => make("canvas")));
    blockNamed(spec.images).then((block) => {
      this.block = block;
      this.show(spec.pinned);
      this.root.dataset.ready = "true";
    });
    this.find();
  }

  /** Listen to the map, once it is on the page. */
  find() {
    const map = document.querySelector(`.st-key-${this.spec?.map} .js-plotly-plot`);
    if (!map?.on || map === this.map) return;
    this.forget();
    this.map = map;
    map.on("plotly_hover", this.hover);
    map.on("plotly_unhover", this.leave);
  }

  forget() {
    this.map?.removeListener?.("plotly_hover", this.hover);
    this.map?.removeListener?.("plotly_unhover", this.leave);
    this.map = null;
  }

  /** Draw the image with that number, from 0, and those of its nearest codes. */
  show(row) {
    if (!this.block) return;
    const { labels, nearest } = this.block.arrays;
    if (!Number.isInteger(row) || row < 0 || row >= labels.length) return;
    const near = [...nearest.subarray(row * this.spec.near, (row + 1) * this.spec.near)];
    this.paint(this.canvas, row);
    [...this.others.children].forEach((canvas, place) => {
      this.paint(canvas, near[place]);
      canvas.classList.toggle("differs", labels[near[place]] !== labels[row]);
    });
    const at = this.spec.is_chosen ? "chosen" : "at the arrow";
    const where = row === this.spec.pinned ? `, ${at}` : "";
    this.words.textContent = `${labels[row] === 8 ? "An" : "A"} ${labels[row]}${where} (no. ${row + 1}).`;
    const same = near.filter((other) => labels[other] === labels[row]).length;
    this.moreWords.textContent = `${labels[row]}s among its ${near.length} nearest codes: ${same}.`;
  }

  paint(canvas, row) {
    const [height, width] = this.spec.shape;
    const { images } = this.block.arrays;
    Object.assign(canvas, { width, height });
    const picture = new ImageData(width, height);
    const [paper, ink] = [this.spec.theme.paper, this.spec.theme.ink].map(channels);
    for (let pixel = 0; pixel < width * height; pixel += 1) {
      const share = images[row * width * height + pixel] / 255;
      for (let c = 0; c < 3; c += 1) picture.data[4 * pixel + c] = paper[c] + share * (ink[c] - paper[c]);
      picture.data[4 * pixel + 3] = 255;
    }
    canvas.getContext("2d").putImageData(picture, 0, 0);
  }

  remove() {
    clearInterval(this.timer);
    this.forget();
  }
}

/** The channels of a colour #RRGGBB. */
function channels(color) {
  return [1, 3, 5].map((start) => parseInt(color.slice(start, start + 2), 16));
}
