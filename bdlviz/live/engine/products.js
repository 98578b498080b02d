// Sums of products over a batch: in WebAssembly (products.c) where the browser has it with SIMD, else in JavaScript.

import { ACTIVATIONS } from "./activations.js";
import { PRODUCTS } from "./products_wasm.js";

const STACK = 8192; // bytes at the start of the memory: the stack of the compiled functions ends at 4096
const PAGE = 65536;

// As in products.c: numbers that change nothing become 0, because denormal ones take several times as long.
const orZero = (number) => (Math.abs(number) < 1e-30 ? 0 : number);

// Room for arrays, and the products of these arrays, in JavaScript.
export class PlainWorkspace {
  array(length) {
    return new Float32Array(length);
  }

  // out (rows, columns) = start (columns), or 0 where it is null, plus A B with B (depth, columns).
  // The element (r, k) of A stands at a[r * rowStep + k * depthStep]. Elements that are 0 cost nothing.
  // Four rows of B are added at once, because reading and writing `out` takes longer than the products.
  multiply(a, rowStep, depthStep, b, start, out, rows, depth, columns) {
    const chosen = new Int32Array(depth);
    for (let r = 0; r < rows; r += 1) {
      const row = r * columns;
      const first = r * rowStep;
      for (let j = 0; j < columns; j += 1) out[row + j] = start ? start[j] : 0;
      let number = 0;
      for (let k = 0; k < depth; k += 1) if (a[first + k * depthStep] !== 0) chosen[number++] = k;
      let k = 0;
      for (; k + 3 < number; k += 4) {
        const [k0, k1, k2, k3] = [chosen[k], chosen[k + 1], chosen[k + 2], chosen[k + 3]];
        const [a0, a1] = [a[first + k0 * depthStep], a[first + k1 * depthStep]];
        const [a2, a3] = [a[first + k2 * depthStep], a[first + k3 * depthStep]];
        const [b0, b1, b2, b3] = [k0 * columns, k1 * columns, k2 * columns, k3 * columns];
        for (let j = 0; j < columns; j += 1) {
          out[row + j] += a0 * b[b0 + j] + a1 * b[b1 + j] + a2 * b[b2 + j] + a3 * b[b3 + j];
        }
      }
      for (; k < number; k += 1) {
        const factor = a[first + chosen[k] * depthStep];
        const from = chosen[k] * columns;
        for (let j = 0; j < columns; j += 1) out[row + j] += factor * b[from + j];
      }
    }
  }

  // out (rows, columns) = factors times A B^T with A (rows, depth) and B (columns, depth). Factors of 0 cost nothing.
  multiplyTransposed(a, b, factors, out, rows, depth, columns) {
    for (let r = 0; r < rows; r += 1) {
      for (let c = 0; c < columns; c += 1) {
        const factor = factors[r * columns + c];
        let sum = 0;
        if (factor !== 0) for (let k = 0; k < depth; k += 1) sum += a[r * depth + k] * b[c * depth + k];
        out[r * columns + c] = factor * sum;
      }
    }
  }

  // values = mask times the activation of values, and in `slopes` their derivative. The mask of row r is at r * maskStep.
  activate({ value, slope }, values, slopes, mask, maskStep, rows, columns) {
    for (let r = 0; r < rows; r += 1) {
      for (let j = 0; j < columns; j += 1) {
        const i = r * columns + j;
        const kept = mask[r * maskStep + j];
        const a = values[i];
        const activated = kept ? value(a) : 0;
        values[i] = kept * activated;
        slopes[i] = kept ? kept * slope(a, activated) : 0;
      }
    }
  }

  // One step of Adam, as in products.c.
  adam({ params, gradient, mean, square }, size, root) {
    for (let i = 0; i < params.length; i += 1) {
      const g = gradient[i];
      const m = orZero(0.9 * mean[i] + 0.1 * g);
      const v = orZero(0.999 * square[i] + 0.001 * g * g);
      mean[i] = m;
      square[i] = v;
      params[i] = orZero(params[i] - (size * m) / (Math.sqrt(v) * root + 1e-8));
    }
  }
}

// The same with all arrays in one memory of WebAssembly: at most `length` numbers, and products of at most `depth` terms.
class CompiledWorkspace extends PlainWorkspace {
  constructor(module, length, depth) {
    super();
    this.end = STACK + 8 * depth;
    this.most = this.end + 4 * length;
    const pages = Math.ceil(this.most / PAGE);
    this.memory = new WebAssembly.Memory({ initial: pages, maximum: pages });
    this.functions = new WebAssembly.Instance(module, { env: { memory: this.memory } }).exports;
  }

  array(length) {
    const array = new Float32Array(this.memory.buffer, this.end, length);
    this.end += 4 * length;
    if (this.end > this.most) throw new RangeError("The workspace is too small for this array.");
    return array;
  }

  multiply(a, rowStep, depthStep, b, start, out, rows, depth, columns) {
    const [atA, atB, atStart, atOut] = [a.byteOffset, b.byteOffset, start ? start.byteOffset : 0, out.byteOffset];
    this.functions.multiply(atA, rowStep, depthStep, atB, atStart, atOut, rows, depth, columns, STACK);
  }

  multiplyTransposed(a, b, factors, out, rows, depth, columns) {
    const [atA, atB, atFactors] = [a.byteOffset, b.byteOffset, factors.byteOffset];
    this.functions.multiply_transposed(atA, atB, atFactors, out.byteOffset, rows, depth, columns);
  }

  activate(activation, values, slopes, mask, maskStep, rows, columns) {
    if (activation !== ACTIVATIONS.relu) {
      super.activate(activation, values, slopes, mask, maskStep, rows, columns);
      return;
    }
    this.functions.relu(values.byteOffset, slopes.byteOffset, mask.byteOffset, maskStep, rows, columns);
  }

  adam({ params, gradient, mean, square }, size, root) {
    const [atMean, atSquare] = [mean.byteOffset, square.byteOffset];
    this.functions.adam(params.byteOffset, gradient.byteOffset, atMean, atSquare, params.length, size, root);
  }
}

let products; // the compiled module; null if the browser cannot compile it or may not

// Room for arrays of `length` numbers altogether whose products have at most `depth` terms.
export function workspaceFor(length, depth) {
  if (products === undefined) products = compile();
  try {
    if (products) return new CompiledWorkspace(products, length, depth);
  } catch {
    // So much memory cannot be had.
  }
  return new PlainWorkspace();
}

function compile() {
  try {
    return new WebAssembly.Module(Uint8Array.from(atob(PRODUCTS), (letter) => letter.charCodeAt(0)));
  } catch {
    return null;
  }
}

// Lets new workspaces compute in WebAssembly, or in JavaScript alone; returns whether they do the former.
export function useCompiled(wanted) {
  products = wanted ? compile() : null;
  return products !== null;
}
