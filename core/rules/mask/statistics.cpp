#include "core/rules/mask/statistics.h"

#include <algorithm>
#include <bit>
#include <cassert>

#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"

namespace headlight {
namespace {

constexpr Index largest_usual_block = 128;  // the usual blocks of FlexAttention and FlashAttention

Index allowed_in(const MatrixView& mask, Index row, Index rows, Index col, Index cols) {
  Index allowed = 0;
  for (Index r = row; r < row + rows; ++r) {
    for (Index c = col; c < col + cols; ++c) allowed += mask(r, c) != 0;
  }
  return allowed;
}

/// Calls f(row, rows, col, cols, allowed cells) for each block × block tile.
template <typename F>
void each_block(const MatrixView& mask, Index block, F f) {
  assert(block >= 1);
  for (Index row = 0; row < mask.rows; row += block) {
    for (Index col = 0; col < mask.cols; col += block) {
      const Index rows = std::min(block, mask.rows - row), cols = std::min(block, mask.cols - col);
      f(row, rows, col, cols, allowed_in(mask, row, rows, col, cols));
    }
  }
}

Shape common_shape(const Shape& a, const Shape& b) {
  Shape result = a.size() < b.size() ? b : a;
  const Shape& shorter = a.size() < b.size() ? a : b;
  const std::size_t lead = result.size() - shorter.size();
  for (std::size_t axis = 0; axis < shorter.size(); ++axis) {
    if (result[lead + axis] == 1) result[lead + axis] = shorter[axis];
  }
  return result;
}

}  // namespace

std::vector<Index> dead_rows(const MatrixView& mask) {
  std::vector<Index> dead;
  for (Index row = 0; row < mask.rows; ++row) {
    if (allowed_in(mask, row, 1, 0, mask.cols) == 0) dead.push_back(row);
  }
  return dead;
}

AllowedShare allowed_share(const Tensor& mask) {
  AllowedShare result;
  each_matrix(mask, [&](const MatrixView& m, Index, Index) {
    result.allowed += allowed_in(m, 0, m.rows, 0, m.cols);
    result.cells += m.rows * m.cols;
  });
  return result;
}

BlockCounts block_counts(const Tensor& mask, Index block) {
  BlockCounts counts;
  each_matrix(mask, [&](const MatrixView& m, Index, Index) {
    each_block(m, block, [&](Index, Index rows, Index, Index cols, Index allowed) {
      if (allowed == 0) counts.skipped_cells += rows * cols;
      ++(allowed == 0 ? counts.empty : allowed == rows * cols ? counts.full : counts.partial);
    });
  });
  return counts;
}

Tensor block_cells(const MatrixView& mask, Index block) {
  Buffer cells(static_cast<std::size_t>(mask.rows * mask.cols), 0);
  each_block(mask, block, [&](Index row, Index rows, Index col, Index cols, Index allowed) {
    if (allowed == 0) return;
    const bool full = allowed == rows * cols;
    for (Index r = row; r < row + rows; ++r) {
      for (Index c = col; c < col + cols; ++c)
        cells[static_cast<std::size_t>(r * mask.cols + c)] = full ? 3.0F : mask(r, c) != 0 ? 2.0F : 1.0F;
    }
  });
  return Tensor({mask.rows, mask.cols}, std::move(cells));
}

Index usual_block(Index tokens) {
  Index block = 1;
  while (block < largest_usual_block && 3 * 2 * block <= tokens) block *= 2;
  return block;
}

AttentionFlops attention_flops(const Tensor& mask, Index batch, Index heads, Index d_head, Index block) {
  const AllowedShare allowed = allowed_share(mask);
  const double cells = static_cast<double>(batch * heads * mask.size(-2) * mask.size(-1));
  const double dense = cells * 4.0 * static_cast<double>(d_head);
  if (allowed.cells == 0) return {};
  const Index skipped = block_counts(mask, block).skipped_cells;
  return {dense, dense * static_cast<double>(allowed.cells - skipped) / static_cast<double>(allowed.cells),
          dense * allowed.share()};
}

Index kv_cache_bytes_per_token(Index kv_heads, Index d_head, Index bytes_per_number) {
  return 2 * kv_heads * d_head * bytes_per_number;
}

MaskDifference mask_difference(const Tensor& first, const Tensor& second) {
  const Shape shape = common_shape(first.shape(), second.shape());
  if (!broadcastable(first.shape(), shape) || !broadcastable(second.shape(), shape)) {
    throw InputError("mask",
                     Message("the masks' shapes are {0} and {1}", to_string(first.shape()), to_string(second.shape())),
                     "expected shapes that broadcast to one");
  }
  const Tensor a = first.expand(shape).contiguous(), b = second.expand(shape).contiguous();
  MaskDifference result;
  Buffer cells(static_cast<std::size_t>(a.count()));
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const bool in_first = a.values()[i] != 0, in_second = b.values()[i] != 0;
    cells[i] = static_cast<float>(in_first) - static_cast<float>(in_second);
    result.only_first += in_first && !in_second;
    result.only_second += in_second && !in_first;
  }
  result.cells = Tensor(shape, std::move(cells));
  return result;
}

namespace {

/// A boolean matrix, 64 columns a word.
class BitMatrix {
 public:
  BitMatrix(Index rows, Index cols) : rows_(rows), cols_(cols), words_((cols + 63) / 64) {
    bits_.resize(static_cast<std::size_t>(rows_ * words_));
  }
  explicit BitMatrix(const MatrixView& mask) : BitMatrix(mask.rows, mask.cols) {
    for (Index r = 0; r < rows_; ++r) {
      for (Index c = 0; c < cols_; ++c) {
        if (mask(r, c) != 0) set(r, c);
      }
    }
  }

  Index rows() const { return rows_; }
  Index cols() const { return cols_; }
  bool get(Index r, Index c) const { return (word(r, c / 64) >> (c % 64)) & 1; }
  void set(Index r, Index c) { row(r)[c / 64] |= std::uint64_t{1} << (c % 64); }

  /// One row as a matrix of its own.
  BitMatrix row_alone(Index r) const {
    BitMatrix row_matrix(1, cols_);
    std::copy_n(row(r), words_, row_matrix.row(0));
    return row_matrix;
  }
  bool any() const {
    return std::ranges::any_of(bits_, [](std::uint64_t word) { return word != 0; });
  }
  bool all() const {
    Index set = 0;
    for (const std::uint64_t word : bits_) set += std::popcount(word);
    return set == rows_ * cols_;
  }
  void add(const BitMatrix& other) {
    for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] |= other.bits_[i];
  }
  void remove_bits(const BitMatrix& other) {
    for (std::size_t i = 0; i < bits_.size(); ++i) bits_[i] &= ~other.bits_[i];
  }
  /// Calls f with the column of each set bit of a row.
  template <typename F>
  void each_set(Index r, F f) const {
    for (Index w = 0; w < words_; ++w) {
      for (std::uint64_t left = word(r, w); left != 0; left &= left - 1) f(w * 64 + std::countr_zero(left));
    }
  }

  /// Adds to row out_row of `out` all rows of this matrix whose index is set in row chosen_row of `chosen`.
  void add_chosen_rows(const BitMatrix& chosen, Index chosen_row, BitMatrix& out, Index out_row) const {
    std::uint64_t* target = out.row(out_row);
    chosen.each_set(chosen_row, [&](Index k) {
      const std::uint64_t* source = row(k);
      for (Index i = 0; i < words_; ++i) target[i] |= source[i];
    });
  }

 private:
  std::uint64_t* row(Index r) { return bits_.data() + r * words_; }
  const std::uint64_t* row(Index r) const { return bits_.data() + r * words_; }
  std::uint64_t word(Index r, Index w) const { return row(r)[w]; }

  Index rows_, cols_, words_;
  std::vector<std::uint64_t> bits_;
};

BitMatrix product(const BitMatrix& a, const BitMatrix& b) {
  BitMatrix result(a.rows(), b.cols());
  for (Index r = 0; r < a.rows(); ++r) b.add_chosen_rows(a, r, result, r);
  return result;
}

BitMatrix one_layer(const MatrixView& mask, const ReachSettings& settings) {
  assert(settings.layers >= 1);
  if (mask.rows != mask.cols && settings.layers > 1) {
    throw InputError("mask",
                     Message("reach through {0} layers of a mask of {1} queries and {2} keys", settings.layers,
                             mask.rows, mask.cols),
                     "expected as many queries as keys");
  }
  BitMatrix layer(mask);
  for (Index i = 0; settings.residual && i < std::min(mask.rows, mask.cols); ++i) layer.set(i, i);
  return layer;
}

}  // namespace

Tensor reach(const MatrixView& mask, const ReachSettings& settings) {
  BitMatrix power = one_layer(mask, settings);
  if (settings.layers > 1) {
    // By repeated squaring, from the highest bit of the exponent down.
    const BitMatrix layer = power;
    const auto exponent = static_cast<std::uint64_t>(settings.layers);
    for (int bit = static_cast<int>(std::bit_width(exponent)) - 2; bit >= 0; --bit) {
      power = product(power, power);
      if ((exponent >> bit) & 1) power = product(power, layer);
    }
  }
  Buffer values(static_cast<std::size_t>(mask.rows * mask.cols));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<Index>(i);
    values[i] = power.get(at / mask.cols, at % mask.cols) ? 1.0f : 0.0f;
  }
  return Tensor({mask.rows, mask.cols}, std::move(values));
}

Tensor first_reach(const MatrixView& mask, const ReachSettings& settings) {
  const BitMatrix layer = one_layer(mask, settings);
  Buffer first(static_cast<std::size_t>(mask.rows * mask.cols), 0);
  for (Index q = 0; q < mask.rows; ++q) {
    float* first_layer = first.data() + q * mask.cols;
    BitMatrix known = layer.row_alone(q), newest = known;
    newest.each_set(0, [&](Index k) { first_layer[k] = 1; });
    for (Index l = 2; l <= settings.layers && newest.any() && !known.all(); ++l) {
      BitMatrix next(1, mask.cols);
      layer.add_chosen_rows(newest, 0, next, 0);
      next.remove_bits(known);
      next.each_set(0, [&](Index k) { first_layer[k] = static_cast<float>(l); });
      known.add(next);
      newest = std::move(next);
    }
  }
  return Tensor({mask.rows, mask.cols}, std::move(first));
}

std::vector<std::vector<std::uint8_t>> receptive_field(const MatrixView& mask, Index query,
                                                       const ReachSettings& settings) {
  assert(query >= 0 && query < mask.rows && (mask.rows == mask.cols || settings.layers == 1));
  const auto last = static_cast<std::size_t>(settings.layers);
  std::vector<std::vector<std::uint8_t>> field(last + 1,
                                               std::vector<std::uint8_t>(static_cast<std::size_t>(mask.cols), 0));
  field[last].assign(static_cast<std::size_t>(mask.rows), 0);
  field[last][static_cast<std::size_t>(query)] = 1;
  for (std::size_t l = last; l > 0; --l) {
    if (l < last && field[l] == field[l + 1]) {  // no further key is added
      field[l - 1] = field[l];
      continue;
    }
    for (Index q = 0; q < mask.rows; ++q) {
      if (field[l][static_cast<std::size_t>(q)] == 0) continue;
      for (Index k = 0; k < mask.cols; ++k) {
        if (mask(q, k) != 0 || (settings.residual && q == k)) field[l - 1][static_cast<std::size_t>(k)] = 1;
      }
    }
  }
  return field;
}

}  // namespace headlight
