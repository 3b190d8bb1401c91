#include "core/compute/training/linear.h"

namespace headlight {

Index packed_room(Index depth) { return std::max(depth, slope_rows) * kernels().panel; }

void linear(const float* x, Index rows, Index in, const float* W, Index out, const float* b, float* y, float* packed) {
  const Kernels& k = kernels();
  each_panel(out, [&](Index col, Index width) {
    k.pack(W + col, out, 1, in, width, packed);
    k.multiply(x, in, packed, rows, width, in, y + col, out, false);
  });
  for (Index row = 0; b && row < rows; ++row) k.add(y + row * out, b, out);
}

void linear_input_gradient(const float* dy, Index rows, Index out, const float* W, Index in, float* dx, bool add,
                           float* packed) {
  const Kernels& k = kernels();
  each_panel(in, [&](Index col, Index width) {
    k.pack(W + col * out, 1, out, out, width, packed);
    k.multiply(dy, out, packed, rows, width, out, dx + col, in, add);
  });
}

void linear_weight_gradient(const float* x, Index rows, Index in, const float* dy, Index out, float* dW, float* db,
                            float* packed) {
  const Kernels& k = kernels();
  for (Index row = 0; row < rows; row += slope_rows) {
    const Index height = std::min(slope_rows, rows - row);
    each_panel(out, [&](Index col, Index width) {
      k.pack(dy + row * out + col, out, 1, height, width, packed);
      k.multiply_across(x + row * in, in, packed, in, width, height, dW + col, out, row > 0);
    });
  }
  if (db) std::fill_n(db, out, 0.0F);
  for (Index row = 0; db && row < rows; ++row) k.add(db, dy + row * out, out);
}

}  // namespace headlight
