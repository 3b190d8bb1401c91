#define HEADLIGHT_LANES 8
#define HEADLIGHT_TILE_VECTORS 2
#define HEADLIGHT_DOT_ROWS 3
#include "core/compute/attention/kernels/vector_kernels.h"

namespace headlight {

const Kernels& avx2_kernels() {
  static constexpr Kernels table = kernel_table("avx2");
  return table;
}

}  // namespace headlight
