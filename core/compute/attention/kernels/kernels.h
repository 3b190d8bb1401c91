// Kernels: the inner loops of the stages, compiled once for each instruction set. The program chooses a set at start,
// so that one build suits every processor.
//
// Why no library: Eigen as distributions compile it uses only SSE2 (a sixth of the machine's speed), and compiling it
// several times would give its inline functions several different definitions. OpenBLAS and oneDNN bring their own
// thread pool and sums whose order depends on it. They also cannot run the softmax while a block of scores is still in
// the cache, which saves more than the last tenth of a product's speed. Written with the compilers' vector types, the
// kernels are a few hundred lines (vector_kernels.h), the same for every width.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace headlight {

/// The numbers of one step of AdamW.
struct AdamWStep {
  float rate, decay, beta1, beta2, epsilon;
  float correction1, correction2;  ///< c₁, c₂
};

/// The functions of one instruction set. All strides are in floats; rows are contiguous in memory unless a stride is
/// given.
struct Kernels {
  using Index = std::int64_t;
  const char* name;  ///< "sse2", "avx2", "avx512"; "plain" on processors that have none of them
  Index panel;       ///< number of columns in a panel of pack()

  /// Packs one panel of B [depth, cols], cols ≤ panel, as [depth, panel]; the columns from `cols` on become 0.
  void (*pack)(const float* b, Index row_stride, Index col_stride, Index depth, Index cols, float* to);
  /// c [rows, cols] = a [rows, depth] · B, or c += if `add`; cols ≤ panel. A number of c depends only on its row of a
  /// and its column of B, not on how the product is divided into blocks.
  void (*multiply)(const float* a, Index a_stride, const float* packed, Index rows, Index cols, Index depth, float* c,
                   Index c_stride, bool add);
  /// c [rows, cols] = a [rows, depth] · bᵀ, b [cols, depth], unpacked: for few rows, where packing would be half of the
  /// work.
  void (*dots)(const float* a, Index a_stride, const float* b, Index b_stride, Index rows, Index cols, Index depth,
               float* c, Index c_stride);

  /// c [rows, cols] += a [rows, depth] · b [depth, cols], unpacked; reads b once, from its first row to its last: for
  /// few rows.
  void (*sum_rows)(const float* a, Index a_stride, const float* b, Index b_stride, Index rows, Index cols, Index depth,
                   float* c, Index c_stride);

  // Functions on a row of n numbers, in place.
  void (*scale)(float* x, Index n, float by);
  void (*add)(float* x, const float* y, Index n);
  /// c · tanh(x / c)
  void (*cap)(float* x, Index n, float c);
  /// x if may ≠ 0, else fill
  void (*mask)(float* x, const float* may, Index n, float fill);
  /// x if may ≠ 0, else x + fill
  void (*mask_by_sum)(float* x, const float* may, Index n, float fill);
  /// x · (y · by): dropout where y is 1 or 0
  void (*times)(float* x, const float* y, Index n, float by);
  /// e^x / (e^sink + Σ e^x), with the maximum of x and sink subtracted first; sink −∞ adds nothing. NaN in the same
  /// cases as in PyTorch.
  void (*softmax)(float* x, Index n, float sink);
  /// The maximum of x and `most`; NaNs are ignored.
  float (*largest)(const float* x, Index n, float most);
  /// The largest magnitude of the finite numbers.
  float (*reach)(const float* x, Index n);
  /// x ← e^(x − most); returns the sum.
  double (*exponentials)(float* x, Index n, float most);

  /// Elementwise: low ← min(low, x), high ← max(high, x). Ignores −∞; a NaN sets odd to 1.
  void (*fold)(const float* x, Index n, float* low, float* high, float* odd);

  void (*copy)(const float* from, float* to, Index n);
  /// Copies past the caches, for data that is not read again soon. Another thread may read it only after end_stream()
  /// on this thread.
  void (*stream)(const float* from, float* to, Index n);
  void (*end_stream)();
  /// The range [first, end) outside of which x is 0; first = end if all of x is 0. −0 counts as 0.
  void (*bounds)(const float* x, Index n, Index* first, Index* end);
  bool (*finite)(const float* x, Index n);

  // Training (core/compute/training): rows forward, and gradients backward. d stands for dL/d….
  /// multiply() with the transpose of a [depth, rows]: c = aᵀ · B.
  void (*multiply_across)(const float* a, Index a_stride, const float* packed, Index rows, Index cols, Index depth,
                          float* c, Index c_stride, bool add);
  /// Σ x · y
  float (*dot)(const float* x, const float* y, Index n);
  /// x += by · y
  void (*add_scaled)(float* x, const float* y, Index n, float by);
  /// y = gelu(x), the tanh form (Hendrycks & Gimpel 2016); x ← gelu′(x)
  void (*gelu)(float* x, float* y, Index n);
  /// d ← d · (1 − (y / c)²) where y = c · tanh(x / c): d of a soft-cap
  void (*cap_slope)(const float* y, float* d, Index n, float c);
  /// d ← a · (d − Σ d · a): d of softmax's row a
  void (*softmax_slope)(const float* a, float* d, Index n);
  /// xhat = (x − mean) / √(variance + ε), y = xhat · gain + bias; returns 1 / √(variance + ε).
  float (*layer_norm)(const float* x, const float* gain, const float* bias, float epsilon, float* xhat, float* y,
                      Index n);
  /// dx += (g − mean(g) − xhat · mean(g · xhat)) · inverse, g = d · gain; d_gain += d · xhat, d_bias += d.
  void (*layer_norm_slope)(const float* d, const float* xhat, const float* gain, float inverse, float* dx,
                           float* d_gain, float* d_bias, Index n);
  /// AdamW (Loshchilov & Hutter 2019) as in torch.optim.AdamW:
  /// p ← p − rate · decay · p;  m ← β₁ m + (1 − β₁) g;  v ← β₂ v + (1 − β₂) g²;
  /// p ← p − rate / c₁ · m / (√v / √c₂ + ε), where c = 1 − β^step.
  void (*adamw)(float* p, float* m, float* v, const float* g, Index n, const AdamWStep& step);
};

/// The fastest kernels for this processor, or those that the environment variable HEADLIGHT_KERNELS names; chosen once.
/// Throws InputError if this processor has no kernels of that name.
const Kernels& kernels();

/// All kernels that this processor can run, the simplest first.
std::span<const Kernels* const> available_kernels();

// The tables that kernels() chooses from. Each is compiled with its own instruction set; the last two exist only on
// x86.
const Kernels& baseline_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();

}  // namespace headlight
