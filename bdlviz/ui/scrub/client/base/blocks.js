// Blocks of numbers, packed by bdlviz/predictive/surface.py: unpacked into typed arrays and kept by name.
//
// A separate element mounts a block. The server sends it once, and the browser keeps it. Views name the blocks that
// they draw. Elements and views are different components, so the blocks are stored on the window.

const ARRAY_TYPES = {
  int8: Int8Array, uint8: Uint8Array, int16: Int16Array, float32: Float32Array, float64: Float64Array,
};
const MAX_BLOCKS = 24;

/** @type {{blocks: Map<string, object>, waiting: Map<string, Array<(block: object) => void>>}} */
const { blocks: shelf, waiting } = (window.bdlvizShelf ??= { blocks: new Map(), waiting: new Map() });

/**
 * The header of a block, and its arrays by name.
 * @param {Uint8Array} bytes
 * @returns {{id: string, arrays: Object<string, Float64Array | Float32Array | Int16Array | Int8Array>}}
 */
function unpackBlock(bytes) {
  const end = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  const header = JSON.parse(new TextDecoder().decode(bytes.subarray(4, end)));
  const arrays = {};
  for (const [name, place] of Object.entries(header.arrays)) {
    const ArrayType = ARRAY_TYPES[place.type];
    const start = end + place.start;
    const size = place.shape.reduce((a, b) => a * b, 1) * ArrayType.BYTES_PER_ELEMENT;
    arrays[name] = new ArrayType(bytes.slice(start, start + size).buffer); // a copy, which is aligned
  }
  return { ...header, arrays };
}

/** Store a block, and pass it to the views that wait for it. */
function shelve(bytes) {
  const block = unpackBlock(bytes);
  if (!shelf.has(block.id)) shelf.set(block.id, block);
  while (shelf.size > MAX_BLOCKS) shelf.delete(shelf.keys().next().value);
  for (const resolve of waiting.get(block.id) ?? []) resolve(shelf.get(block.id));
  waiting.delete(block.id);
}

/** The block with that name, when it has arrived. @returns {Promise<object | null>} */
function blockNamed(id) {
  if (!id) return Promise.resolve(null);
  const found = shelf.get(id);
  if (found) {
    shelf.delete(id); // most recently used: removed last
    shelf.set(id, found);
    return Promise.resolve(found);
  }
  return new Promise((resolve) => waiting.set(id, [...(waiting.get(id) ?? []), resolve]));
}
