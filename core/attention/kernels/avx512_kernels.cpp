#include "core/attention/kernels/sets.h"

#define HEADLIGHT_LANES 16
#define HEADLIGHT_TILE_ROWS 6
#define HEADLIGHT_TILE_VECTORS 4
#define HEADLIGHT_DOT_ROWS 5
#define HEADLIGHT_DOT_COLS 4
#include "core/attention/kernels/vector_kernels.h"

namespace headlight {

const Kernels& avx512_kernels() {
  static constexpr Kernels table = kernel_table("avx512");
  return table;
}

}  // namespace headlight
