// The kernels of training: GELU, LayerNorm, their gradients, and AdamW. Like vector_kernels.h, private to the file that
// includes it. Their formulas are in kernels.h.
#pragma once

#include "core/compute/attention/kernels/lanes.h"

namespace headlight {
namespace {

inline V load_some(const float* p, I n) { return n >= lanes ? load(p) : load_part(p, n); }
inline void store_some(float* p, V v, I n) {
  if (n >= lanes) store(p, v);
  else store_part(p, v, n);
}

float dot(const float* x, const float* y, I n) {
  V a{}, b{};
  I i = 0;
  for (; i + 2 * lanes <= n; i += 2 * lanes) {
    a += load(x + i) * load(y + i);
    b += load(x + i + lanes) * load(y + i + lanes);
  }
  for (; i < n; i += lanes) a += load_some(x + i, n - i) * load_some(y + i, n - i);
  return sum(a + b);
}

void add_scaled(float* x, const float* y, I n, float by) {
  for (I i = 0; i < n; i += lanes) store_some(x + i, load_some(x + i, n - i) + load_some(y + i, n - i) * by, n - i);
}

// gelu(x) = x / 2 · (1 + tanh(u)) = x · σ(2u), u = √(2/π) (x + 0.044715 x³); σ′ = σ (1 − σ)
constexpr float gelu_root = 0.7978845608028654F, gelu_cube = 0.044715F;

void gelu(float* x, float* y, I n) {
  for (I i = 0; i < n; i += lanes) {
    const V v = load_some(x + i, n - i), squared = v * v;
    const V share = 1.0F / (exponential((squared * gelu_cube + 1.0F) * v * (-2 * gelu_root)) + 1.0F);
    const V steep = (squared * (3 * gelu_cube) + 1.0F) * (2 * gelu_root);
    store_some(y + i, v * share, n - i);
    store_some(x + i, share + v * share * (1.0F - share) * steep, n - i);
  }
}

void cap_slope(const float* y, float* d, I n, float c) {
  for (I i = 0; i < n; i += lanes) {
    const V t = load_some(y + i, n - i) / c;
    store_some(d + i, load_some(d + i, n - i) * (1.0F - t * t), n - i);
  }
}

void softmax_slope(const float* a, float* d, I n) {
  const float whole = dot(a, d, n);
  for (I i = 0; i < n; i += lanes)
    store_some(d + i, load_some(a + i, n - i) * (load_some(d + i, n - i) - whole), n - i);
}

float layer_norm(const float* x, const float* gain, const float* bias, float epsilon, float* xhat, float* y, I n) {
  V whole{};
  for (I i = 0; i < n; i += lanes) whole += load_some(x + i, n - i);
  const float mean = sum(whole) / static_cast<float>(n);
  V squares{};
  for (I i = 0; i < n; i += lanes) {
    const V v = with_rest(load_some(x + i, n - i) - mean, n - i < lanes ? n - i : lanes, V{});
    store_some(xhat + i, v, n - i);
    squares += v * v;
  }
  const float inverse = 1.0F / __builtin_sqrtf(sum(squares) / static_cast<float>(n) + epsilon);
  for (I i = 0; i < n; i += lanes) {
    const V v = load_some(xhat + i, n - i) * inverse;
    store_some(xhat + i, v, n - i);
    store_some(y + i, v * load_some(gain + i, n - i) + load_some(bias + i, n - i), n - i);
  }
  return inverse;
}

void layer_norm_slope(const float* d, const float* xhat, const float* gain, float inverse, float* dx, float* d_gain,
                      float* d_bias, I n) {
  V whole{}, along{};
  for (I i = 0; i < n; i += lanes) {
    const V v = load_some(d + i, n - i), h = load_some(xhat + i, n - i), g = v * load_some(gain + i, n - i);
    whole += g;
    along += g * h;
    store_some(d_gain + i, load_some(d_gain + i, n - i) + v * h, n - i);
    store_some(d_bias + i, load_some(d_bias + i, n - i) + v, n - i);
  }
  const float mean = sum(whole) / static_cast<float>(n), mean_along = sum(along) / static_cast<float>(n);
  for (I i = 0; i < n; i += lanes) {
    const V g = load_some(d + i, n - i) * load_some(gain + i, n - i), h = load_some(xhat + i, n - i);
    store_some(dx + i, load_some(dx + i, n - i) + (g - mean - h * mean_along) * inverse, n - i);
  }
}

inline V root(V v) {
#if HEADLIGHT_LANES == 16
  return reinterpret_cast<V>(_mm512_maskz_sqrt_ps(0xFFFF, reinterpret_cast<__m512>(v)));
#elif HEADLIGHT_LANES == 8
  return reinterpret_cast<V>(_mm256_sqrt_ps(reinterpret_cast<__m256>(v)));
#elif defined(__SSE2__)
  return reinterpret_cast<V>(_mm_sqrt_ps(reinterpret_cast<__m128>(v)));
#else
  for (int i = 0; i < lanes; ++i) v[i] = __builtin_sqrtf(v[i]);
  return v;
#endif
}

void adamw(float* p, float* m, float* v, const float* g, I n, const AdamWStep& s) {
  const float kept = 1.0F - s.rate * s.decay, rate = s.rate / s.correction1;
  const float divisor = __builtin_sqrtf(s.correction2);
  for (I i = 0; i < n; i += lanes) {
    const I left = n - i;
    const V slope = load_some(g + i, left);
    const V mean = load_some(m + i, left) * s.beta1 + slope * (1.0F - s.beta1);
    const V square = load_some(v + i, left) * s.beta2 + slope * slope * (1.0F - s.beta2);
    store_some(m + i, mean, left);
    store_some(v + i, square, left);
    const V by = mean / (root(square) / divisor + s.epsilon);
    store_some(p + i, load_some(p + i, left) * kept - by * rate, left);
  }
}

}  // namespace
}  // namespace headlight
