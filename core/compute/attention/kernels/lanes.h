// A vector of HEADLIGHT_LANES floats and its operations. Like vector_kernels.h, private to the file that includes it.
#pragma once

#include <cstdint>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "core/compute/attention/kernels/kernels.h"

#ifdef __clang__
#define HEADLIGHT_UNROLL _Pragma("unroll")
#else
#define HEADLIGHT_UNROLL _Pragma("GCC unroll 32")
#endif

namespace headlight {
namespace {

using I = std::int64_t;
constexpr I lanes = HEADLIGHT_LANES, tile_rows = 6, tile_vectors = HEADLIGHT_TILE_VECTORS;
constexpr I panel = lanes * tile_vectors;
constexpr I dot_rows = HEADLIGHT_DOT_ROWS, dot_cols = 4;

typedef float V __attribute__((vector_size(HEADLIGHT_LANES * 4)));
typedef std::int32_t VI __attribute__((vector_size(HEADLIGHT_LANES * 4)));
typedef float Unaligned __attribute__((vector_size(HEADLIGHT_LANES * 4), aligned(4), may_alias));
typedef float V4 __attribute__((vector_size(16)));
typedef float Unaligned4 __attribute__((vector_size(16), aligned(4), may_alias));

inline V load(const float* p) { return *reinterpret_cast<const Unaligned*>(p); }
inline void store(float* p, V v) { *reinterpret_cast<Unaligned*>(p) = v; }
// x − 0 equals x for every x, so compilers reduce this to a broadcast. 0 + x differs for −0 and would stay an addition.
inline V all(float x) { return x - V{}; }
inline V either(VI yes, V a, V b) {
  return reinterpret_cast<V>((yes & reinterpret_cast<VI>(a)) | (~yes & reinterpret_cast<VI>(b)));
}

// The first `n` lanes, 0 in the rest.
inline V load_part(const float* p, I n) {
#if HEADLIGHT_LANES == 16
  return reinterpret_cast<V>(_mm512_maskz_loadu_ps(static_cast<__mmask16>((1U << n) - 1), p));
#else
  float part[lanes] = {};
  for (I i = 0; i < n; ++i) part[i] = p[i];
  return load(part);
#endif
}
inline void store_part(float* p, V v, I n) {
#if HEADLIGHT_LANES == 16
  _mm512_mask_storeu_ps(p, static_cast<__mmask16>((1U << n) - 1), reinterpret_cast<__m512>(v));
#else
  float part[lanes];
  store(part, v);
  for (I i = 0; i < n; ++i) p[i] = part[i];
#endif
}
// `v` in the first `n` lanes, `rest` in the others.
inline V with_rest(V v, I n, V rest) {
  alignas(64) static constexpr std::int32_t counted[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  const VI lane = reinterpret_cast<VI>(load(reinterpret_cast<const float*>(counted)));
  return either(lane < VI{} + static_cast<std::int32_t>(n), v, rest);
}

// Reduces the vector to four lanes by adding halves.
inline V4 fold(V v) {
#if HEADLIGHT_LANES == 16
  typedef float V8 __attribute__((vector_size(32)));
  const V8 half = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) +
                  __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  return __builtin_shufflevector(half, half, 0, 1, 2, 3) + __builtin_shufflevector(half, half, 4, 5, 6, 7);
#elif HEADLIGHT_LANES == 8
  return __builtin_shufflevector(v, v, 0, 1, 2, 3) + __builtin_shufflevector(v, v, 4, 5, 6, 7);
#else
  return v;
#endif
}
inline float sum(V v) {
  const V4 four = fold(v);
  return (four[0] + four[2]) + (four[1] + four[3]);
}
// The sums of four vectors, each in the same order as above.
inline V4 sums_of(V a, V b, V c, V d) {
  const V4 p = fold(a), q = fold(b), r = fold(c), s = fold(d);
  const V4 first = __builtin_shufflevector(p, q, 0, 4, 1, 5) + __builtin_shufflevector(p, q, 2, 6, 3, 7);
  const V4 second = __builtin_shufflevector(r, s, 0, 4, 1, 5) + __builtin_shufflevector(r, s, 2, 6, 3, 7);
  return __builtin_shufflevector(first, second, 0, 1, 4, 5) + __builtin_shufflevector(first, second, 2, 3, 6, 7);
}
inline float highest(V v) {
#if HEADLIGHT_LANES == 16
  typedef float V8 __attribute__((vector_size(32)));
  const V8 low = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7),
           high = __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
  const V8 eight = high > low ? high : low;
  const V4 first = __builtin_shufflevector(eight, eight, 0, 1, 2, 3),
           second = __builtin_shufflevector(eight, eight, 4, 5, 6, 7);
#elif HEADLIGHT_LANES == 8
  const V4 first = __builtin_shufflevector(v, v, 0, 1, 2, 3), second = __builtin_shufflevector(v, v, 4, 5, 6, 7);
#else
  const V4 first = v, second = v;
#endif
  const V4 four = second > first ? second : first;
  const float a = four[1] > four[0] ? four[1] : four[0], b = four[3] > four[2] ? four[3] : four[2];
  return b > a ? b : a;
}

// e^x within 1.5 units in the last place: x = n ln 2 + r, |r| ≤ ln 2 / 2, a polynomial for e^r (Cephes, Moshier), then
// 2^n in two steps, so that subnormal results are correct too.
inline V exponential(V x) {
  const V low = all(-150.0F), high = all(150.0F);
  x = either(x < low, low, x);  // NaN compares false and stays
  x = either(x > high, high, x);
  const float magic = 12582912.0F;  // 1.5 · 2^23: adding it rounds to a whole number in the low bits
  const V shifted = x * 1.44269504088896341F + magic;
  const V n = shifted - magic;
  V r = x - n * 0.693359375F;
  r = r - n * -2.12194440e-4F;
  V p = all(1.9875691500e-4F);
  p = p * r + 1.3981999507e-3F;
  p = p * r + 8.3334519073e-3F;
  p = p * r + 4.1665795894e-2F;
  p = p * r + 1.6666665459e-1F;
  p = p * r + 5.0000001201e-1F;
  p = p * (r * r) + r + 1.0F;
  const VI whole = reinterpret_cast<VI>(shifted) - reinterpret_cast<VI>(all(magic));
  const VI half = whole >> 1;
  const V first = reinterpret_cast<V>((half + 127) << 23), second = reinterpret_cast<V>((whole - half + 127) << 23);
  return p * first * second;
}

// tanh: an odd polynomial near zero (Cephes), (1 − e^−2|x|) / (1 + e^−2|x|) elsewhere.
inline V hyperbolic_tangent(V x) {
  const VI sign = reinterpret_cast<VI>(x) & static_cast<std::int32_t>(0x80000000U);
  const V size = reinterpret_cast<V>(reinterpret_cast<VI>(x) ^ sign);
  const V e = exponential(size * -2.0F);
  const V far = (1.0F - e) / (1.0F + e);
  const V z = x * x;
  V p = all(-5.70498872745e-3F);
  p = p * z + 2.06390887954e-2F;
  p = p * z + -5.37397155531e-2F;
  p = p * z + 1.33314422036e-1F;
  p = p * z + -3.33332819422e-1F;
  const V near = p * z * x + x;
  return either(size < all(0.625F), near, reinterpret_cast<V>(reinterpret_cast<VI>(far) ^ sign));
}

inline bool any(VI v) {
#if HEADLIGHT_LANES == 16
  return _mm512_test_epi32_mask(reinterpret_cast<__m512i>(v), reinterpret_cast<__m512i>(v)) != 0;
#elif HEADLIGHT_LANES == 8
  return _mm256_testz_si256(reinterpret_cast<__m256i>(v), reinterpret_cast<__m256i>(v)) == 0;
#elif defined(__SSE2__)
  return _mm_movemask_epi8(reinterpret_cast<__m128i>(v)) != 0;
#else
  return (v[0] | v[1] | v[2] | v[3]) != 0;
#endif
}

inline void fill(float* x, I n, float value) {
  const V many = all(value);
  I i = 0;
  for (; i + lanes <= n; i += lanes) store(x + i, many);
  for (; i < n; ++i) x[i] = value;
}

}  // namespace
}  // namespace headlight
