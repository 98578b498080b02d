// Sums of products for the forward and the backward pass of a network, and the activation relu, four numbers at a time.
//
// Compiled to WebAssembly by `python -m scripts.build_products`; products.js calls it and does the same in JavaScript.

#include <wasm_simd128.h>

#define EXPORT(name) __attribute__((export_name(#name)))
#define ZERO wasm_f32x4_const_splat(0)
#define LOAD(from) wasm_v128_load(from)
#define PLUS(sum, a, b) wasm_f32x4_add(sum, wasm_f32x4_mul(a, b))

static inline float total(v128_t four) {
  return wasm_f32x4_extract_lane(four, 0) + wasm_f32x4_extract_lane(four, 1) + wasm_f32x4_extract_lane(four, 2) +
         wasm_f32x4_extract_lane(four, 3);
}

static inline float dot(const float *a, const float *b, int length) {
  v128_t even = ZERO, odd = ZERO;
  float rest = 0;
  int k = 0;
  for (; k + 7 < length; k += 8) {
    even = PLUS(even, LOAD(a + k), LOAD(b + k));
    odd = PLUS(odd, LOAD(a + k + 4), LOAD(b + k + 4));
  }
  for (; k < length; k += 1) rest += a[k] * b[k];
  return total(wasm_f32x4_add(even, odd)) + rest;
}

// Sixteen neighbouring columns of one row of the product.
static inline void sixteen(const float *factors, const int *chosen, int number, const float *b, const float *start,
                           float *out) {
  v128_t s0 = start ? LOAD(start) : ZERO, s1 = start ? LOAD(start + 4) : ZERO;
  v128_t s2 = start ? LOAD(start + 8) : ZERO, s3 = start ? LOAD(start + 12) : ZERO;
  for (int k = 0; k < number; k += 1) {
    const float *from = b + chosen[k];
    v128_t factor = wasm_v128_load32_splat(factors + k);
    s0 = PLUS(s0, factor, LOAD(from));
    s1 = PLUS(s1, factor, LOAD(from + 4));
    s2 = PLUS(s2, factor, LOAD(from + 8));
    s3 = PLUS(s3, factor, LOAD(from + 12));
  }
  wasm_v128_store(out, s0);
  wasm_v128_store(out + 4, s1);
  wasm_v128_store(out + 8, s2);
  wasm_v128_store(out + 12, s3);
}

// Four neighbouring columns: two sums, because each addition waits for the one before.
static inline void four(const float *factors, const int *chosen, int number, const float *b, const float *start,
                        float *out) {
  v128_t even = start ? LOAD(start) : ZERO, odd = ZERO;
  int k = 0;
  for (; k + 1 < number; k += 2) {
    even = PLUS(even, wasm_v128_load32_splat(factors + k), LOAD(b + chosen[k]));
    odd = PLUS(odd, wasm_v128_load32_splat(factors + k + 1), LOAD(b + chosen[k + 1]));
  }
  if (k < number) even = PLUS(even, wasm_v128_load32_splat(factors + k), LOAD(b + chosen[k]));
  wasm_v128_store(out, wasm_f32x4_add(even, odd));
}

// out (rows, columns) = start (columns), or 0, plus A B with B (depth, columns). The element (r, k) of A stands at
// a[r * rowStep + k * depthStep]. Elements of A that are 0 (dropped units, units that are not active) cost nothing,
// except where there is one column. `chosen` has room for 2 * depth numbers. If the number of columns is above 3 and
// not divisible by four, the last four are computed together, some of them for the second time.
EXPORT(multiply)
void multiply(const float *a, int rowStep, int depthStep, const float *b, const float *start, float *out, int rows,
              int depth, int columns, int *chosen) {
  if (columns == 1 && depthStep == 1) {
    for (int r = 0; r < rows; r += 1) out[r] = (start ? start[0] : 0) + dot(a + r * rowStep, b, depth);
    return;
  }
  float *factors = (float *)(chosen + depth);
  for (int r = 0; r < rows; r += 1) {
    int number = 0;
    for (int k = 0; k < depth; k += 1) {
      float factor = a[r * rowStep + k * depthStep];
      chosen[number] = k * columns;
      factors[number] = factor;
      number += factor != 0;
    }
    float *row = out + r * columns;
    int j = 0;
    for (; j + 15 < columns; j += 16) sixteen(factors, chosen, number, b + j, start ? start + j : 0, row + j);
    for (; j + 3 < columns; j += 4) four(factors, chosen, number, b + j, start ? start + j : 0, row + j);
    if (j < columns && columns > 3) {
      j = columns - 4;
      four(factors, chosen, number, b + j, start ? start + j : 0, row + j);
      j = columns;
    }
    for (; j < columns; j += 1) {
      float sum = start ? start[j] : 0;
      for (int k = 0; k < number; k += 1) sum += factors[k] * b[chosen[k] + j];
      row[j] = sum;
    }
  }
}

// out (rows, columns) = factors times A B^T with A (rows, depth) and B (columns, depth). Factors of 0 cost nothing.
EXPORT(multiply_transposed)
void multiply_transposed(const float *a, const float *b, const float *factors, float *out, int rows, int depth,
                         int columns) {
  for (int r = 0; r < rows; r += 1) {
    for (int c = 0; c < columns; c += 1) {
      float factor = factors[r * columns + c];
      out[r * columns + c] = factor ? factor * dot(a + r * depth, b + c * depth, depth) : 0;
    }
  }
}

// values = mask max(values, 0), and in `slopes` their derivative. The mask of a row stands at mask + row * maskStep.
EXPORT(relu)
void relu(float *values, float *slopes, const float *mask, int maskStep, int rows, int columns) {
  for (int r = 0; r < rows; r += 1, values += columns, slopes += columns, mask += maskStep) {
    for (int j = 0; j < columns; j += 1) {
      int isActive = values[j] > 0 && mask[j] != 0;
      slopes[j] = isActive ? mask[j] : 0;
      values[j] = isActive ? mask[j] * values[j] : 0;
    }
  }
}

// The number, or 0 where it is so small that it changes nothing. Weights that only weight decay moves come near 0, and
// sums of products with numbers below 1.2e-38, the denormal ones, take several times as long.
static inline float or_zero(float number) { return __builtin_fabsf(number) < 1e-30f ? 0 : number; }

// One step of Adam (adam.js): `size` is the learning rate and `root` the factor of the root, both with their corrections.
EXPORT(adam)
void adam(float *restrict params, const float *restrict gradient, float *restrict mean, float *restrict square,
          int length, float size, float root) {
  for (int i = 0; i < length; i += 1) {
    float g = gradient[i];
    mean[i] = or_zero(0.9f * mean[i] + 0.1f * g);
    square[i] = or_zero(0.999f * square[i] + 0.001f * g * g);
    params[i] = or_zero(params[i] - size * mean[i] / (__builtin_sqrtf(square[i]) * root + 1e-8f));
  }
}
