#define HEADLIGHT_LANES 16
#define HEADLIGHT_TILE_VECTORS 4
#define HEADLIGHT_DOT_ROWS 5
#include "core/compute/attention/kernels/vector_kernels.h"

namespace headlight {

const Kernels& avx512_kernels() {
  static constexpr Kernels table = kernel_table("avx512");
  return table;
}

}  // namespace headlight
