// Kernels: the loops over numbers that the stages are made of, compiled once for each instruction set and chosen when
// the program runs, so that one build suits every processor.
//
// Why our own and no library: Eigen compiled as a distribution does it knows SSE2 alone (a sixth of the machine), and
// compiled several times over its inline functions would be one definition with several bodies. OpenBLAS and oneDNN
// bring a pool of threads of their own, sums whose order depends on it, and no way to run the softmax while a block of
// scores is still in cache, which is worth more than the last tenth of a product's speed. Written with the compilers'
// vector types the whole is a few hundred lines (vector_kernels.h), the same for every width.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace headlight {

/// One instruction set's functions. All strides count floats; rows lie side by side in memory unless a stride is named.
struct Kernels {
  using Index = std::int64_t;
  const char* name;  ///< "sse2", "avx2", "avx512"; "plain" on processors that have none of them
  Index panel;       ///< columns that pack() lays side by side

  /// One panel of B [depth, cols], cols ≤ panel, as [depth, panel]; what is right of `cols` becomes 0.
  void (*pack)(const float* b, Index row_stride, Index col_stride, Index depth, Index cols, float* to);
  /// c [rows, cols] = a [rows, depth] · B, or c += where `add`; cols ≤ panel. A number of c depends on its row of a and
  /// its column of B alone, never on where a block was cut.
  void (*multiply)(const float* a, Index a_stride, const float* packed, Index rows, Index cols, Index depth, float* c,
                   Index c_stride, bool add);
  /// c [rows, cols] = a [rows, depth] · bᵀ, b [cols, depth], unpacked: for few rows, where packing would be half the
  /// work.
  void (*dots)(const float* a, Index a_stride, const float* b, Index b_stride, Index rows, Index cols, Index depth,
               float* c, Index c_stride);

  /// c [rows, cols] += a [rows, depth] · b [depth, cols], unpacked, b read once from its first row to its last: for few
  /// rows.
  void (*sum_rows)(const float* a, Index a_stride, const float* b, Index b_stride, Index rows, Index cols, Index depth,
                   float* c, Index c_stride);

  // Rows of n numbers, changed in place.
  void (*scale)(float* x, Index n, float by);
  void (*add)(float* x, const float* y, Index n);
  /// c · tanh(x / c)
  void (*cap)(float* x, Index n, float c);
  /// x where may ≠ 0, else fill
  void (*mask)(float* x, const float* may, Index n, float fill);
  /// x where may ≠ 0, else x + fill
  void (*mask_by_sum)(float* x, const float* may, Index n, float fill);
  /// x · (keep · by)
  void (*drop)(float* x, const float* keep, Index n, float by);
  /// e^x / (e^sink + Σ e^x), the largest of x and sink subtracted first; sink −∞ adds nothing. NaN where PyTorch has
  /// it.
  void (*softmax)(float* x, Index n, float sink);
  /// The largest of x and `most`; a NaN is passed over.
  float (*largest)(const float* x, Index n, float most);
  /// The largest magnitude of finite numbers.
  float (*reach)(const float* x, Index n);
  /// x ← e^(x − most); returns the sum.
  double (*exponentials)(float* x, Index n, float most);

  /// low ← the smaller, high ← the larger of it and x, number by number; −∞ is passed over, and NaN makes odd 1.
  void (*fold)(const float* x, Index n, float* low, float* high, float* odd);

  void (*copy)(const float* from, float* to, Index n);
  /// The same past the caches, for what is not read again soon; by another thread, only after end_stream() on this one.
  void (*stream)(const float* from, float* to, Index n);
  void (*end_stream)();
  /// Where x is not 0: [first, end); first = end where it is 0 throughout. −0 is 0.
  void (*bounds)(const float* x, Index n, Index* first, Index* end);
  bool (*finite)(const float* x, Index n);
};

/// The best that this processor runs, or the one that the environment's HEADLIGHT_KERNELS names, chosen once.
/// Throws InputError where there is none of that name here.
const Kernels& kernels();

/// All that this processor runs, the plainest first.
std::span<const Kernels* const> available_kernels();

// The tables that kernels() chooses from; each is compiled with its own instruction set, the last two for x86 alone.
const Kernels& baseline_kernels();
const Kernels& avx2_kernels();
const Kernels& avx512_kernels();

}  // namespace headlight
