// Seeded random numbers: the generator sfc32 (Chris Doty-Humphrey, PractRand), with uniform and standard normal numbers.

export class Random {
  // The same seed and stream give the same numbers; different streams are independent.
  constructor(seed, stream = 0) {
    this.a = seed >>> 0;
    this.b = Math.floor(seed / 2 ** 32) >>> 0;
    this.c = stream >>> 0;
    this.counter = 1;
    for (let round = 0; round < 15; round += 1) this.word();
  }

  // The next 32 bits, as a whole number from 0 to 2^32 - 1.
  word() {
    const sum = (((this.a + this.b) | 0) + this.counter) | 0;
    this.counter = (this.counter + 1) | 0;
    this.a = this.b ^ (this.b >>> 9);
    this.b = (this.c + (this.c << 3)) | 0;
    this.c = (((this.c << 21) | (this.c >>> 11)) + sum) | 0;
    return sum >>> 0;
  }

  // A number from 0 to 1, neither of which occurs.
  uniform() {
    return (this.word() + 0.5) / 4294967296;
  }

  // A whole number from 0 to count - 1.
  below(count) {
    return Math.floor(this.uniform() * count);
  }

  // Fills an array with standard normal numbers (Box & Muller 1958: two at a time).
  fillNormals(numbers) {
    for (let i = 0; i < numbers.length; i += 2) {
      const radius = Math.sqrt(-2 * Math.log(this.uniform()));
      const angle = 2 * Math.PI * this.uniform();
      numbers[i] = radius * Math.cos(angle);
      if (i + 1 < numbers.length) numbers[i + 1] = radius * Math.sin(angle);
    }
    return numbers;
  }

  // Fills an array with dropout masks: 0 with the probability `rate`, else 1 / (1 - rate).
  // The rate is rounded to 16 bits as in the library, so that one word gives two masks.
  fillMasks(masks, rate) {
    const threshold = Math.round(rate * 65536);
    const kept = 65536 / (65536 - threshold);
    for (let i = 0; i < masks.length; i += 2) {
      const word = this.word();
      masks[i] = (word & 65535) >= threshold ? kept : 0;
      if (i + 1 < masks.length) masks[i + 1] = word >>> 16 >= threshold ? kept : 0;
    }
    return masks;
  }

  // The whole numbers below `count` in random order (Fisher & Yates).
  permutation(count) {
    const order = Array.from({ length: count }, (_, i) => i);
    for (let i = count - 1; i > 0; i -= 1) {
      const j = this.below(i + 1);
      [order[i], order[j]] = [order[j], order[i]];
    }
    return order;
  }
}
