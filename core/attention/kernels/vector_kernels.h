// The kernels for one width of vector; included once by each file that is compiled for an instruction set.
//
// Everything here is private to the including file, and nothing of the standard library is used: an inline function
// with AVX-512 in it must not become the one that the linker keeps for everybody. Before: HEADLIGHT_LANES floats a
// vector; the tile of a product kept in registers, HEADLIGHT_TILE_ROWS by HEADLIGHT_TILE_VECTORS; that of dots(),
// HEADLIGHT_DOT_ROWS by HEADLIGHT_DOT_COLS.
#include "core/attention/kernels/product_kernels.h"
#include "core/attention/kernels/row_kernels.h"

namespace headlight {
namespace {

constexpr Kernels kernel_table(const char* name) {
  return {name, panel,   pack,    multiply, dots,         sum_rows, scale, add_rows, cap,        mask,   mask_by_sum,
          drop, softmax, largest, reach,    exponentials, fold,     copy,  stream,   end_stream, bounds, finite};
}

}  // namespace
}  // namespace headlight
