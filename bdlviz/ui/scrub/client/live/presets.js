// Data to begin with: a few points of a curve, and sets of two classes in the plane.

const STARTING_CURVE = [[-6, -3.5], [-4.5, -1], [-3, 2], [2, 3], [3.5, 0.5], [5, -2.5]];
const PER_CLASS = 25;
const PRESETS = {
  moons: "Moons",
  circles: "Circles",
  spirals: "Spirals",
  xor: "XOR",
  gap: "Blobs with a gap",
  own: "Own points",
};

/** Uniform random numbers from 0 to 1 (mulberry32). */
function uniforms(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
}

/** Standard normal random numbers. */
function normals(seed) {
  const uniform = uniforms(seed);
  return () => Math.sqrt(-2 * Math.log(1 - uniform())) * Math.cos(2 * Math.PI * uniform());
}

// Preset -> the noise-free place of point i of n of class c.
const PLACES = {
  moons: (c, t) => {
    const angle = Math.PI * t;
    return c ? [1.5 - 3 * Math.cos(angle), 0.9 - 3 * Math.sin(angle)] : [-1.5 + 3 * Math.cos(angle), -0.9 + 3 * Math.sin(angle)];
  },
  circles: (c, t) => {
    const [angle, radius] = [2 * Math.PI * t, c ? 1.2 : 3.6];
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  },
  spirals: (c, t) => {
    const [angle, radius] = [2.2 * Math.PI * t + Math.PI * c, 0.5 + 3.7 * t];
    return [radius * Math.cos(angle), radius * Math.sin(angle)];
  },
  xor: (c, t, i) => (i % 2 ? [c ? 2.2 : -2.2, -2.2] : [c ? -2.2 : 2.2, 2.2]),
  gap: (c) => [c ? 4 : -4, c ? 1 : -1],
};
const NOISE = { moons: 0.3, circles: 0.3, spirals: 0.15, xor: 0.8, gap: 0.7 };

/** The points [x1, x2, class] of a preset. */
function presetPoints(name) {
  if (!(name in PLACES)) return [];
  const normal = normals(7);
  return [0, 1].flatMap((c) =>
    Array.from({ length: PER_CLASS }, (_, i) => {
      const place = PLACES[name](c, i / (PER_CLASS - 1), i);
      return [...place.map((value) => twoDecimals(value + NOISE[name] * normal())), c];
    }));
}

/** A coordinate with two decimals, as it stands in a link. */
function twoDecimals(value) {
  return Number(value.toFixed(2)) + 0; // no −0
}
