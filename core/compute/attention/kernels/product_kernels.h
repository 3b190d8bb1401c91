// The kernels of products. Like vector_kernels.h, private to the file that includes it.
#include "core/compute/attention/kernels/lanes.h"

namespace headlight {
namespace {

// Packs [depth, panel] from a B with contiguous columns: 4 × 4 numbers at a time.
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
    constexpr I in_cache = 32;  // rows of a panel that stay in the first-level cache until all columns are packed
    for (I k = 0; k < depth; k += in_cache) {
      pack_columns(b + k, col_stride, depth - k < in_cache ? depth - k : in_cache, cols, to + k * panel);
    }
  } else if (col_stride == 1 && cols == panel) {
    for (I k = 0; k < depth; ++k) {
      HEADLIGHT_UNROLL
      for (I j = 0; j < tile_vectors; ++j) store(to + k * panel + j * lanes, load(b + k * row_stride + j * lanes));
    }
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

// Computes a tile of c in registers; each number is one chain of products over `depth`.
// `across`: a is read down its columns, as the transpose of what is stored.
template <bool across, int rows, int vectors>
void tile(const float* a, I a_stride, const float* b, I cols, I depth, float* c, I c_stride, bool add) {
  V sums[rows][vectors] = {};
  for (I k = 0; k < depth; ++k, b += panel) {
    V right[vectors];
    HEADLIGHT_UNROLL
    for (int j = 0; j < vectors; ++j) right[j] = load(b + j * lanes);
    HEADLIGHT_UNROLL
    for (int i = 0; i < rows; ++i) {
      const V left = all(across ? a[k * a_stride + i] : a[i * a_stride + k]);
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

template <bool across, int vectors>
void tiles(const float* a, I a_stride, const float* b, I rows, I cols, I depth, float* c, I c_stride, bool add) {
  I row = 0;
  const I step = across ? 1 : a_stride;
  for (; row + tile_rows <= rows; row += tile_rows) {
    tile<across, tile_rows, vectors>(a + row * step, a_stride, b, cols, depth, c + row * c_stride, c_stride, add);
  }
  a += row * step;
  c += row * c_stride;
  static_assert(tile_rows == 6);
  switch (rows - row) {
    case 5: return tile<across, 5, vectors>(a, a_stride, b, cols, depth, c, c_stride, add);
    case 4: return tile<across, 4, vectors>(a, a_stride, b, cols, depth, c, c_stride, add);
    case 3: return tile<across, 3, vectors>(a, a_stride, b, cols, depth, c, c_stride, add);
    case 2: return tile<across, 2, vectors>(a, a_stride, b, cols, depth, c, c_stride, add);
    case 1: return tile<across, 1, vectors>(a, a_stride, b, cols, depth, c, c_stride, add);
    default: return;
  }
}

template <bool across>
void multiply_by(const float* a, I a_stride, const float* packed, I rows, I cols, I depth, float* c, I c_stride,
                 bool add) {
  switch ((cols + lanes - 1) / lanes) {
#if HEADLIGHT_TILE_VECTORS >= 4
    case 4: return tiles<across, 4>(a, a_stride, packed, rows, cols, depth, c, c_stride, add);
    case 3: return tiles<across, 3>(a, a_stride, packed, rows, cols, depth, c, c_stride, add);
#endif
    case 2: return tiles<across, 2>(a, a_stride, packed, rows, cols, depth, c, c_stride, add);
    case 1: return tiles<across, 1>(a, a_stride, packed, rows, cols, depth, c, c_stride, add);
    default: return;
  }
}

void multiply(const float* a, I a_stride, const float* packed, I rows, I cols, I depth, float* c, I c_stride,
              bool add) {
  multiply_by<false>(a, a_stride, packed, rows, cols, depth, c, c_stride, add);
}
void multiply_across(const float* a, I a_stride, const float* packed, I rows, I cols, I depth, float* c, I c_stride,
                     bool add) {
  multiply_by<true>(a, a_stride, packed, rows, cols, depth, c, c_stride, add);
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
  // Four columns of b at a time: they stay in the cache during the loop over the rows of a.
  for (I col = 0; col < cols; col += dot_cols) {
    const I width = cols - col < dot_cols ? cols - col : dot_cols;
    I row = 0;
    for (; row + dot_rows <= rows; row += dot_rows) {
      dot_tiles<dot_rows>(a + row * a_stride, a_stride, b + col * b_stride, b_stride, width, depth,
                          c + row * c_stride + col, c_stride);
    }
    for (; row < rows; ++row) {
      dot_tiles<1>(a + row * a_stride, a_stride, b + col * b_stride, b_stride, width, depth, c + row * c_stride + col,
                   c_stride);
    }
  }
}

// Adds `deep` rows of b at a time to a range of one row of c; the rows are added to each other first.
template <int deep>
void sum_stretch(const float* a, const float* b, I b_stride, I cols, float* c) {
  V left[deep];
  HEADLIGHT_UNROLL
  for (int k = 0; k < deep; ++k) left[k] = all(a[k]);
  I col = 0;
  for (; col + lanes <= cols; col += lanes) {
    V whole = left[0] * load(b + col);
    HEADLIGHT_UNROLL
    for (int k = 1; k < deep; ++k) whole += left[k] * load(b + k * b_stride + col);
    store(c + col, load(c + col) + whole);
  }
  for (; col < cols; ++col) {
    float whole = a[0] * b[col];
    for (int k = 1; k < deep; ++k) whole += a[k] * b[k * b_stride + col];
    c[col] += whole;
  }
}

void sum_rows(const float* a, I a_stride, const float* b, I b_stride, I rows, I cols, I depth, float* c, I c_stride) {
  constexpr int deep = 8;
  I k = 0;
  for (; k + deep <= depth; k += deep) {
    for (I row = 0; row < rows; ++row)
      sum_stretch<deep>(a + row * a_stride + k, b + k * b_stride, b_stride, cols, c + row * c_stride);
  }
  for (; k < depth; ++k) {
    for (I row = 0; row < rows; ++row)
      sum_stretch<1>(a + row * a_stride + k, b + k * b_stride, b_stride, cols, c + row * c_stride);
  }
}

}  // namespace
}  // namespace headlight
