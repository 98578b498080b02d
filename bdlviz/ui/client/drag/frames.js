// The frames of one slider: fetched once, kept as typed arrays, put together from a base and differences.

const KINDS = { f4: Float32Array, f8: Float64Array, i4: Int32Array, i2: Int16Array, i1: Int8Array, u1: Uint8Array };

function decode(value) {
  if (Array.isArray(value)) return value.map(decode);
  if (!value || typeof value !== "object") return value;
  const Kind = KINDS[value.dtype];
  if (!Kind || typeof value.bdata !== "string") {
    return Object.fromEntries(Object.entries(value).map(([key, each]) => [key, decode(each)]));
  }
  const bytes = Uint8Array.from(atob(value.bdata), (letter) => letter.charCodeAt(0));
  const flat = new Kind(bytes.buffer);
  if (value.shape === undefined) return flat;
  const [rows, columns] = String(value.shape).split(",").map(Number);
  return Array.from({ length: rows }, (_, row) => flat.subarray(row * columns, (row + 1) * columns));
}

function merge(base, changes) {
  const merged = { ...base, ...changes };
  for (const [key, value] of Object.entries(changes)) if (value === null) delete merged[key];
  return merged;
}

class Frames {
  constructor(address) {
    this.address = address;
    this.base = null;
    this.made = new Map();
    this.isFetched = false;
  }

  async fetch(start, onFrame) {
    this.onFrame = onFrame; // of the run that asked last
    if (this.isFetched) return;
    this.isFetched = true;
    try {
      const answer = await fetch(`${this.address}?start=${start}`);
      if (!answer.ok) return;
      const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
      let rest = "";
      for (;;) {
        const { done, value } = await reader.read();
        if (done) break;
        const lines = (rest + value).split("\n");
        rest = lines.pop();
        for (const line of lines) this.take(JSON.parse(line));
        this.onFrame();
      }
    } catch {
      this.isFetched = false; // the connection was lost: the next touch of the slider tries again
    }
  }

  take({ index, figures, images, numbers, says }) {
    const decoded = Object.fromEntries(Object.entries(figures).map(([key, figure]) => [key, decode(figure)]));
    const base = this.base;
    this.base ??= { figures: decoded, images };
    if (!base) {
      this.made.set(index, { figures: decoded, images, numbers, says });
      return;
    }
    const whole = Object.entries(decoded).map(([key, figure]) => {
      if (figure.whole) return [key, figure];
      const isSame = figure.data.every((each) => !Object.keys(each).length) && !Object.keys(figure.layout).length;
      if (isSame) return [key, base.figures[key]];
      const { data, layout } = base.figures[key];
      const traces = data.map((trace, place) => merge(trace, figure.data[place]));
      return [key, { data: traces, layout: merge(layout, figure.layout) }];
    });
    const pictures = images.map((image, place) => image ?? base.images[place]);
    this.made.set(index, { figures: Object.fromEntries(whole), images: pictures, numbers, says });
  }

  at(index) {
    return this.made.get(index);
  }
}
