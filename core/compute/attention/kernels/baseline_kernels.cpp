#define HEADLIGHT_LANES 4
#define HEADLIGHT_TILE_VECTORS 2
#define HEADLIGHT_DOT_ROWS 2
#include "core/compute/attention/kernels/vector_kernels.h"

namespace headlight {

const Kernels& baseline_kernels() {
#ifdef HEADLIGHT_X86_KERNELS
  static constexpr Kernels table = kernel_table("sse2");
#else
  static constexpr Kernels table = kernel_table("plain");
#endif
  return table;
}

}  // namespace headlight
