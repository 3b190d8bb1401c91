#include "core/mask/reach.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>
#include <string>

#include "core/tensor/error.h"

namespace headlight {
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

  /// Row out_row of `out` |= all rows of this whose column is set in that row of `chosen`.
  void add_chosen_rows(const BitMatrix& chosen, Index chosen_row, BitMatrix& out, Index out_row) const {
    std::uint64_t* target = out.row(out_row);
    for (Index w = 0; w < chosen.words_; ++w) {
      for (std::uint64_t left = chosen.word(chosen_row, w); left != 0; left &= left - 1) {
        const std::uint64_t* source = row(w * 64 + std::countr_zero(left));
        for (Index i = 0; i < words_; ++i) target[i] |= source[i];
      }
    }
  }

 private:
  std::uint64_t* row(Index r) { return bits_.data() + r * words_; }
  const std::uint64_t* row(Index r) const { return bits_.data() + r * words_; }
  std::uint64_t word(Index r, Index w) const { return row(r)[w]; }

  Index rows_, cols_, words_;
  std::vector<std::uint64_t> bits_;
};

BitMatrix product(const BitMatrix& a, const BitMatrix& b, const std::stop_token& stop) {
  BitMatrix result(a.rows(), b.cols());
  for (Index r = 0; r < a.rows(); ++r) {
    if (stop.stop_requested()) throw Cancelled();
    b.add_chosen_rows(a, r, result, r);
  }
  return result;
}

BitMatrix one_layer(const MatrixView& mask, const ReachSettings& settings) {
  assert(settings.layers >= 1);
  if (mask.rows != mask.cols && settings.layers > 1) {
    throw InputError("mask", "reach through " + std::to_string(settings.layers) + " layers of a mask of " +
                                 std::to_string(mask.rows) + " queries and " + std::to_string(mask.cols) + " keys",
                     "expected as many queries as keys");
  }
  BitMatrix layer(mask);
  for (Index i = 0; settings.residual && i < std::min(mask.rows, mask.cols); ++i) layer.set(i, i);
  return layer;
}

}  // namespace

Tensor reach(const MatrixView& mask, const ReachSettings& settings, std::stop_token stop) {
  BitMatrix power = one_layer(mask, settings);
  if (settings.layers > 1) {
    // By repeated squaring, from the highest bit of the exponent down.
    const BitMatrix layer = power;
    const auto exponent = static_cast<std::uint64_t>(settings.layers);
    for (int bit = static_cast<int>(std::bit_width(exponent)) - 2; bit >= 0; --bit) {
      power = product(power, power, stop);
      if ((exponent >> bit) & 1) power = product(power, layer, stop);
    }
  }
  Buffer values(static_cast<std::size_t>(mask.rows * mask.cols));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<Index>(i);
    values[i] = power.get(at / mask.cols, at % mask.cols) ? 1.0f : 0.0f;
  }
  return Tensor({mask.rows, mask.cols}, std::move(values));
}

std::vector<Index> receptive_field(const MatrixView& mask, Index query, const ReachSettings& settings) {
  assert(query >= 0 && query < mask.rows);
  const BitMatrix layer = one_layer(mask, settings);
  std::vector<Index> first(static_cast<std::size_t>(mask.cols));
  BitMatrix field(1, mask.rows);
  field.set(0, query);
  for (Index l = 1; l <= settings.layers; ++l) {
    BitMatrix next(1, mask.cols);
    layer.add_chosen_rows(field, 0, next, 0);
    for (Index k = 0; k < mask.cols; ++k) {
      Index& known = first[static_cast<std::size_t>(k)];
      if (known == 0 && next.get(0, k)) known = l;
    }
    field = std::move(next);
  }
  return first;
}

}  // namespace headlight
