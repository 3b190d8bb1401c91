// The kernels for one vector width: row kernels here, products in product_kernels.h. Each file that is compiled for an
// instruction set includes this once.
//
// Everything here is private to the including file and uses nothing of the standard library: otherwise the linker might
// choose an inline function with AVX-512 code for the whole program. The including file defines HEADLIGHT_LANES, the
// floats in a vector; HEADLIGHT_TILE_VECTORS, the vectors in a row of a product's tile, which is kept in registers;
// HEADLIGHT_DOT_ROWS, the rows that dots() handles at a time.
#pragma once

#include "core/compute/attention/kernels/lanes.h"
#include "core/compute/attention/kernels/product_kernels.h"
#include "core/compute/attention/kernels/training_kernels.h"

namespace headlight {
namespace {

template <typename F>
inline void each(float* x, I n, F f) {
  I i = 0;
  for (; i + lanes <= n; i += lanes) store(x + i, f(load(x + i)));
  if (i < n) store_part(x + i, f(load_part(x + i, n - i)), n - i);
}
template <typename F>
inline void each(float* x, const float* y, I n, F f) {
  I i = 0;
  for (; i + lanes <= n; i += lanes) store(x + i, f(load(x + i), load(y + i)));
  if (i < n) store_part(x + i, f(load_part(x + i, n - i), load_part(y + i, n - i)), n - i);
}

void scale(float* x, I n, float by) {
  each(x, n, [by](V v) { return v * by; });
}
void add_rows(float* x, const float* y, I n) {
  each(x, y, n, [](V a, V b) { return a + b; });
}
void cap(float* x, I n, float c) {
  each(x, n, [c](V v) { return hyperbolic_tangent(v / c) * c; });
}
void mask(float* x, const float* may, I n, float fill) {
  each(x, may, n, [fill](V v, V m) { return either(m != V{}, v, all(fill)); });
}
void mask_by_sum(float* x, const float* may, I n, float fill) {
  each(x, may, n, [fill](V v, V m) { return either(m != V{}, v, v + all(fill)); });
}
void times(float* x, const float* y, I n, float by) {
  each(x, y, n, [by](V v, V w) { return v * (w * by); });
}

float largest(const float* x, I n, float most) {
  V a = all(most), b = a, c = a, d = a;
  I i = 0;
  const auto larger = [](V old, V now) { return either(now > old, now, old); };
  for (; i + 4 * lanes <= n; i += 4 * lanes) {
    a = larger(a, load(x + i));
    b = larger(b, load(x + i + lanes));
    c = larger(c, load(x + i + 2 * lanes));
    d = larger(d, load(x + i + 3 * lanes));
  }
  for (; i + lanes <= n; i += lanes) a = larger(a, load(x + i));
  if (i < n) b = larger(b, with_rest(load_part(x + i, n - i), n - i, all(most)));
  return highest(larger(larger(a, b), larger(c, d)));
}

float reach(const float* x, I n) {
  V low{}, high{};
  I i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V v = load(x + i);
    low = either(v < low, v, low);
    high = either(v > high, v, high);
  }
  float result = highest(either(high > -low, high, -low));
  for (; i < n; ++i) {
    const float size = x[i] < 0 ? -x[i] : x[i];
    result = size > result ? size : result;
  }
  return result;
}

// Sums of 4096 numbers in float32, lane by lane, and the total in double: as accurate as all in double, and four times
// as fast.
double exponentials(float* x, I n, float most) {
  double whole = 0;
  for (I first = 0; first < n; first += 4096) {
    const I end = first + 4096 < n ? first + 4096 : n;
    V a{}, b{};
    I i = first;
    for (; i + 2 * lanes <= end; i += 2 * lanes) {
      const V e = exponential(load(x + i) - most), f = exponential(load(x + i + lanes) - most);
      store(x + i, e);
      store(x + i + lanes, f);
      a += e;
      b += f;
    }
    for (; i < end; i += lanes) {
      const I part = end - i < lanes ? end - i : lanes;
      const V e = exponential(load_part(x + i, part) - most);
      store_part(x + i, e, part);
      a += with_rest(e, part, V{});
    }
    whole += static_cast<double>(sum(a + b));
  }
  return whole;
}

// If a mask left −∞ at both ends of a row, as causal masks and windows do, the weights there are set to zero without
// computing exponentials.
void softmax(float* x, I n, float sink) {
  const V none = all(-__builtin_inff());
  I first = 0, end = n;
  while (first + lanes <= end && !any(load(x + first) != none)) first += lanes;
  while (end - lanes >= first && !any(load(x + end - lanes) != none)) end -= lanes;
  const float most = largest(x + first, end - first, sink);
  double whole = exponentials(x + first, end - first, most);
  if (sink >= -3.4028235e38F) whole += static_cast<double>(exponential(all(sink - most))[0]);
  if (first == end && whole == 0) whole = __builtin_nan("");
  const float share = static_cast<float>(1 / whole), nothing = share * 0.0F;  // NaN if the row has one
  scale(x + first, end - first, share);
  fill(x, first, nothing);
  fill(x + end, n - end, nothing);
}

void fold(const float* x, I n, float* low, float* high, float* odd) {
  const V most = all(__builtin_inff());
  I i = 0;
  for (; i + lanes <= n; i += lanes) {
    const V v = load(x + i), l = load(low + i), h = load(high + i);
    const V finite_low = either(v > -most, v, most);
    store(low + i, either(finite_low < l, finite_low, l));
    store(high + i, either(v > h, v, h));
    store(odd + i, either(v != v, all(1.0F), load(odd + i)));
  }
  for (; i < n; ++i) {
    if (x[i] > -__builtin_inff() && x[i] < low[i]) low[i] = x[i];
    if (x[i] > high[i]) high[i] = x[i];
    if (x[i] != x[i]) odd[i] = 1;
  }
}

void copy(const float* from, float* to, I n) {
  __builtin_memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float));
}

void stream(const float* from, float* to, I n) {
#if defined(__SSE2__)
  I i = 0;
  while (i < n && reinterpret_cast<std::uintptr_t>(to + i) % sizeof(V) != 0) {
    to[i] = from[i];
    ++i;
  }
  for (; i + lanes <= n; i += lanes) {
#if HEADLIGHT_LANES == 16
    _mm512_stream_ps(to + i, reinterpret_cast<__m512>(load(from + i)));
#elif HEADLIGHT_LANES == 8
    _mm256_stream_ps(to + i, reinterpret_cast<__m256>(load(from + i)));
#else
    _mm_stream_ps(to + i, reinterpret_cast<__m128>(load(from + i)));
#endif
  }
  for (; i < n; ++i) to[i] = from[i];
#else
  copy(from, to, n);
#endif
}
void end_stream() {
#if defined(__SSE2__)
  _mm_sfence();
#endif
}

void bounds(const float* x, I n, I* first, I* end) {
  I low = 0, high = n;
  while (low + lanes <= high && !any(load(x + low) != V{})) low += lanes;
  while (low < high && x[low] == 0) ++low;
  while (high - lanes >= low && !any(load(x + high - lanes) != V{})) high -= lanes;
  while (high > low && x[high - 1] == 0) --high;
  *first = low;
  *end = high;
}

bool finite(const float* x, I n) {
  V odd{};
  I i = 0;
  for (; i + lanes <= n; i += lanes) odd += load(x + i) * 0.0F;  // NaN for NaN and ±∞
  float rest = sum(odd);
  for (; i < n; ++i) rest += x[i] * 0.0F;
  return rest == 0;
}

constexpr Kernels kernel_table(const char* name) {
  return {.name = name,
          .panel = panel,
          .pack = pack,
          .multiply = multiply,
          .dots = dots,
          .sum_rows = sum_rows,
          .scale = scale,
          .add = add_rows,
          .cap = cap,
          .mask = mask,
          .mask_by_sum = mask_by_sum,
          .times = times,
          .softmax = softmax,
          .largest = largest,
          .reach = reach,
          .exponentials = exponentials,
          .fold = fold,
          .copy = copy,
          .stream = stream,
          .end_stream = end_stream,
          .bounds = bounds,
          .finite = finite,
          .multiply_across = multiply_across,
          .dot = dot,
          .add_scaled = add_scaled,
          .gelu = gelu,
          .cap_slope = cap_slope,
          .softmax_slope = softmax_slope,
          .layer_norm = layer_norm,
          .layer_norm_slope = layer_norm_slope,
          .adamw = adamw};
}

}  // namespace
}  // namespace headlight
