// The kernels for one width of vector; included once by each file that is compiled for an instruction set.
//
// Everything here is private to the including file, and nothing of the standard library is used: an inline function with
// AVX-512 in it must not become the one that the linker keeps for everybody.
// Before: HEADLIGHT_LANES floats a vector; the tile of a product kept in registers, HEADLIGHT_TILE_ROWS by
// HEADLIGHT_TILE_VECTORS; that of dots(), HEADLIGHT_DOT_ROWS by HEADLIGHT_DOT_COLS.
#include <cstdint>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "core/attention/kernels/kernels.h"

#ifdef __clang__
#define HEADLIGHT_UNROLL _Pragma("unroll")
#else
#define HEADLIGHT_UNROLL _Pragma("GCC unroll 32")
#endif

namespace headlight {
namespace {

using I = std::int64_t;
constexpr I lanes = HEADLIGHT_LANES, tile_rows = HEADLIGHT_TILE_ROWS, tile_vectors = HEADLIGHT_TILE_VECTORS;
constexpr I panel = lanes * tile_vectors;
constexpr I dot_rows = HEADLIGHT_DOT_ROWS, dot_cols = HEADLIGHT_DOT_COLS;

typedef float V __attribute__((vector_size(HEADLIGHT_LANES * 4)));
typedef std::int32_t VI __attribute__((vector_size(HEADLIGHT_LANES * 4)));
typedef float Unaligned __attribute__((vector_size(HEADLIGHT_LANES * 4), aligned(4), may_alias));
typedef float V4 __attribute__((vector_size(16)));
typedef float Unaligned4 __attribute__((vector_size(16), aligned(4), may_alias));

inline V load(const float* p) { return *reinterpret_cast<const Unaligned*>(p); }
inline void store(float* p, V v) { *reinterpret_cast<Unaligned*>(p) = v; }
inline V all(float x) { return V{} + x; }
inline V either(VI yes, V a, V b) { return reinterpret_cast<V>((yes & reinterpret_cast<VI>(a)) | (~yes & reinterpret_cast<VI>(b))); }

// The first `n` lanes, 0 in the rest.
inline V load_part(const float* p, I n) {
  float part[lanes] = {};
  for (I i = 0; i < n; ++i) part[i] = p[i];
  return load(part);
}
inline void store_part(float* p, V v, I n) {
  float part[lanes];
  store(part, v);
  for (I i = 0; i < n; ++i) p[i] = part[i];
}

// Down to four lanes by adding halves.
inline V4 fold(V v) {
#if HEADLIGHT_LANES == 16
  typedef float V8 __attribute__((vector_size(32)));
  const V8 half = __builtin_shufflevector(v, v, 0, 1, 2, 3, 4, 5, 6, 7) + __builtin_shufflevector(v, v, 8, 9, 10, 11, 12, 13, 14, 15);
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
  float part[lanes];
  store(part, v);
  for (I i = 1; i < lanes; ++i) part[0] = part[i] > part[0] ? part[i] : part[0];
  return part[0];
}

// e^x within 1.5 units in the last place: x = n ln 2 + r, |r| ≤ ln 2 / 2, a polynomial for e^r (Cephes, Moshier), then 2^n in
// two steps, so that what is smaller than the smallest normal number comes out right too.
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
void drop(float* x, const float* keep, I n, float by) {
  each(x, keep, n, [by](V v, V k) { return v * (k * by); });
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
  float result = highest(larger(larger(a, b), larger(c, d)));
  for (; i < n; ++i) result = x[i] > result ? x[i] : result;
  return result;
}

// Sums of 4096 in float32, lane by lane, those in double: as good as all in double, and four times as fast.
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
      float e[lanes];
      store(e, exponential(load_part(x + i, part) - most));
      for (I j = part; j < lanes; ++j) e[j] = 0;
      for (I j = 0; j < part; ++j) x[i + j] = e[j];
      a += load(e);
    }
    whole += static_cast<double>(sum(a + b));
  }
  return whole;
}

// Where a mask left −∞ at both ends of a row, as causal masks and windows do, the weights are zeros without further ado.
void softmax(float* x, I n, float sink) {
  const V none = all(-__builtin_inff());
  I first = 0, end = n;
  while (first + lanes <= end && !any(load(x + first) != none)) first += lanes;
  while (end - lanes >= first && !any(load(x + end - lanes) != none)) end -= lanes;
  const float most = largest(x + first, end - first, sink);
  double whole = exponentials(x + first, end - first, most);
  if (sink >= -3.4028235e38F) whole += static_cast<double>(exponential(all(sink - most))[0]);
  if (first == end && whole == 0) whole = __builtin_nan("");
  const float share = static_cast<float>(1 / whole), nothing = share * 0.0F;  // NaN where the row is
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

void copy(const float* from, float* to, I n) { __builtin_memcpy(to, from, static_cast<std::size_t>(n) * sizeof(float)); }

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
  _mm_sfence();
#else
  copy(from, to, n);
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

// [depth, panel] from B whose columns lie in one piece: 4 × 4 numbers at a time.
void pack_columns(const float* b, I col_stride, I depth, I cols, float* to) {
  I col = 0;
  for (; col + 4 <= cols; col += 4) {
    const float* from = b + col * col_stride;
    I k = 0;
    for (; k + 4 <= depth; k += 4) {
      const V4 r0 = *reinterpret_cast<const Unaligned4*>(from + k);
      const V4 r1 = *reinterpret_cast<const Unaligned4*>(from + col_stride + k);
      const V4 r2 = *reinterpret_cast<const Unaligned4*>(from + 2 * col_stride + k);
      const V4 r3 = *reinterpret_cast<const Unaligned4*>(from + 3 * col_stride + k);
      const V4 a = __builtin_shufflevector(r0, r1, 0, 4, 1, 5), c = __builtin_shufflevector(r0, r1, 2, 6, 3, 7);
      const V4 d = __builtin_shufflevector(r2, r3, 0, 4, 1, 5), e = __builtin_shufflevector(r2, r3, 2, 6, 3, 7);
      float* out = to + k * panel + col;
      *reinterpret_cast<Unaligned4*>(out) = __builtin_shufflevector(a, d, 0, 1, 4, 5);
      *reinterpret_cast<Unaligned4*>(out + panel) = __builtin_shufflevector(a, d, 2, 3, 6, 7);
      *reinterpret_cast<Unaligned4*>(out + 2 * panel) = __builtin_shufflevector(c, e, 0, 1, 4, 5);
      *reinterpret_cast<Unaligned4*>(out + 3 * panel) = __builtin_shufflevector(c, e, 2, 3, 6, 7);
    }
    for (; k < depth; ++k) {
      for (I i = 0; i < 4; ++i) to[k * panel + col + i] = from[i * col_stride + k];
    }
  }
  for (; col < cols; ++col) {
    for (I k = 0; k < depth; ++k) to[k * panel + col] = b[col * col_stride + k];
  }
}

void pack(const float* b, I row_stride, I col_stride, I depth, I cols, float* to) {
  if (row_stride == 1 && col_stride != 1) {
    pack_columns(b, col_stride, depth, cols, to);
  } else {
    for (I k = 0; k < depth; ++k) {
      for (I col = 0; col < cols; ++col) to[k * panel + col] = b[k * row_stride + col * col_stride];
    }
  }
  if (cols == panel) return;
  for (I k = 0; k < depth; ++k) {
    for (I col = cols; col < panel; ++col) to[k * panel + col] = 0;
  }
}

// A tile of c in registers; each number is one chain of products over `depth`.
template <int rows, int vectors>
void tile(const float* a, I a_stride, const float* b, I cols, I depth, float* c, I c_stride, bool add) {
  V sums[rows][vectors] = {};
  for (I k = 0; k < depth; ++k, b += panel) {
    V right[vectors];
    HEADLIGHT_UNROLL
    for (int j = 0; j < vectors; ++j) right[j] = load(b + j * lanes);
    HEADLIGHT_UNROLL
    for (int i = 0; i < rows; ++i) {
      const V left = all(a[i * a_stride + k]);
      HEADLIGHT_UNROLL
      for (int j = 0; j < vectors; ++j) sums[i][j] += left * right[j];
    }
  }
  HEADLIGHT_UNROLL
  for (int i = 0; i < rows; ++i) {
    HEADLIGHT_UNROLL
    for (int j = 0; j < vectors; ++j) {
      float* to = c + i * c_stride + j * lanes;
      const I width = cols - j * lanes;
      if (width >= lanes) {
        store(to, add ? load(to) + sums[i][j] : sums[i][j]);
      } else {
        store_part(to, add ? load_part(to, width) + sums[i][j] : sums[i][j], width);
      }
    }
  }
}

template <int vectors>
void tiles(const float* a, I a_stride, const float* b, I rows, I cols, I depth, float* c, I c_stride, bool add) {
  I row = 0;
  for (; row + tile_rows <= rows; row += tile_rows) {
    tile<tile_rows, vectors>(a + row * a_stride, a_stride, b, cols, depth, c + row * c_stride, c_stride, add);
  }
  a += row * a_stride;
  c += row * c_stride;
  switch (rows - row) {
    case 5: return tile<5, vectors>(a, a_stride, b, cols, depth, c, c_stride, add);
    case 4: return tile<4, vectors>(a, a_stride, b, cols, depth, c, c_stride, add);
    case 3: return tile<3, vectors>(a, a_stride, b, cols, depth, c, c_stride, add);
    case 2: return tile<2, vectors>(a, a_stride, b, cols, depth, c, c_stride, add);
    case 1: return tile<1, vectors>(a, a_stride, b, cols, depth, c, c_stride, add);
    default: return;
  }
}
static_assert(tile_rows == 6);

void multiply(const float* a, I a_stride, const float* packed, I rows, I cols, I depth, float* c, I c_stride, bool add) {
  switch ((cols + lanes - 1) / lanes) {
#if HEADLIGHT_TILE_VECTORS >= 4
    case 4: return tiles<4>(a, a_stride, packed, rows, cols, depth, c, c_stride, add);
    case 3: return tiles<3>(a, a_stride, packed, rows, cols, depth, c, c_stride, add);
#endif
    case 2: return tiles<2>(a, a_stride, packed, rows, cols, depth, c, c_stride, add);
    case 1: return tiles<1>(a, a_stride, packed, rows, cols, depth, c, c_stride, add);
    default: return;
  }
}

template <int rows, int cols>
void dot_tile(const float* a, I a_stride, const float* b, I b_stride, I depth, float* c, I c_stride) {
  V sums[rows][cols] = {};
  I k = 0;
  for (; k + lanes <= depth; k += lanes) {
    V right[cols];
    HEADLIGHT_UNROLL
    for (int j = 0; j < cols; ++j) right[j] = load(b + j * b_stride + k);
    HEADLIGHT_UNROLL
    for (int i = 0; i < rows; ++i) {
      const V left = load(a + i * a_stride + k);
      HEADLIGHT_UNROLL
      for (int j = 0; j < cols; ++j) sums[i][j] += left * right[j];
    }
  }
  HEADLIGHT_UNROLL
  for (int i = 0; i < rows; ++i) {
    float whole_of[cols];
    if constexpr (cols == 4) {
      *reinterpret_cast<Unaligned4*>(whole_of) = sums_of(sums[i][0], sums[i][1], sums[i][2], sums[i][3]);
    } else {
      for (int j = 0; j < cols; ++j) whole_of[j] = sum(sums[i][j]);
    }
    for (int j = 0; j < cols; ++j) {
      float whole = whole_of[j];
      for (I rest = k; rest < depth; ++rest) whole += a[i * a_stride + rest] * b[j * b_stride + rest];
      c[i * c_stride + j] = whole;
    }
  }
}

template <int rows>
void dot_tiles(const float* a, I a_stride, const float* b, I b_stride, I cols, I depth, float* c, I c_stride) {
  I col = 0;
  for (; col + dot_cols <= cols; col += dot_cols) {
    dot_tile<rows, dot_cols>(a, a_stride, b + col * b_stride, b_stride, depth, c + col, c_stride);
  }
  for (; col < cols; ++col) dot_tile<rows, 1>(a, a_stride, b + col * b_stride, b_stride, depth, c + col, c_stride);
}

void dots(const float* a, I a_stride, const float* b, I b_stride, I rows, I cols, I depth, float* c, I c_stride) {
  // Four columns of b at a time, which stay in cache while all rows of a go by.
  for (I col = 0; col < cols; col += dot_cols) {
    const I width = cols - col < dot_cols ? cols - col : dot_cols;
    I row = 0;
    for (; row + dot_rows <= rows; row += dot_rows) {
      dot_tiles<dot_rows>(a + row * a_stride, a_stride, b + col * b_stride, b_stride, width, depth, c + row * c_stride + col, c_stride);
    }
    for (; row < rows; ++row) {
      dot_tiles<1>(a + row * a_stride, a_stride, b + col * b_stride, b_stride, width, depth, c + row * c_stride + col, c_stride);
    }
  }
}

constexpr Kernels kernel_table(const char* name) {
  return {name,  panel,   pack,    multiply,     dots, scale,  add_rows, cap,
          mask,  drop,    softmax, largest,      exponentials, fold, copy, stream, bounds, finite};
}

}  // namespace
}  // namespace headlight
