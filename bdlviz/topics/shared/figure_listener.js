// What components share that follow the pointer over a figure of the page.

const RETRY_MS = 400; // Streamlit may build the figure later, or anew

class FigureListener {
  constructor(root) {
    this.root = root;
    this.timer = setInterval(() => this.attach(), RETRY_MS);
  }

  /** Apply new data; `figure` is the key of the figure. */
  take(spec) {
    this.spec = spec;
    this.attach();
  }

  /** Listen to the figure. A figure that Plotly builds anew has a new emitter, to which nobody listens yet. */
  attach() {
    const figure = document.querySelector(`.st-key-${this.spec.figure} .js-plotly-plot`);
    if (!figure || !figure.on || this.emitter === figure._ev) return;
    this.emitter = figure._ev;
    figure.on("plotly_hover", ({ points, event }) => this.show(points[0], event, figure));
    figure.on("plotly_unhover", () => this.hide());
  }

  remove() {
    clearInterval(this.timer);
    this.hide();
  }
}

/** What Streamlit calls at each mount and with new data: one listener for each component, which `make` builds. */
function mounting(make) {
  const listeners = new WeakMap();
  return ({ data, parentElement }) => {
    if (!listeners.has(parentElement)) listeners.set(parentElement, make(parentElement));
    const listener = listeners.get(parentElement);
    listener.take(data);
    return () => {
      listener.remove();
      listeners.delete(parentElement);
    };
  };
}
