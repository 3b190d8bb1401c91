// What a mask consists of: a pattern over positions, and the keys that each sequence of the batch has.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/base/tensor/tensor.h"

namespace headlight {

/// low ≤ k − q ≤ high; an unset end is open.
struct Band {
  std::optional<Index> low{}, high{};
  bool holds(Index q, Index k) const { return (!low || k - q >= *low) && (!high || k - q <= *high); }
  bool is_open() const { return !low && !high; }
  bool operator==(const Band&) const = default;
};

/// mask(b, h, q, k) = pattern(q, k) && there(b, k)
struct MaskParts {
  Shape shape{};                ///< [B, H, n_q, n_k]
  std::vector<char> pattern{};  ///< [n_q, n_k]
  std::vector<char> there{};    ///< [B, n_k]
  std::optional<Band> band{};   ///< that the pattern is
  bool holds(Index q, Index k) const { return pattern[static_cast<std::size_t>(q * shape[3] + k)] != 0; }
  bool has(Index b, Index k) const { return there[static_cast<std::size_t>(b * shape[3] + k)] != 0; }
  bool is_padded() const;
  /// The number of keys of each sequence that are there.
  std::vector<Index> lengths() const;
};

/// Whether two masks of one shape, without NaN, are equal.
bool same_numbers(const MatrixView& a, const MatrixView& b);
/// [B, 1, n_q, n_k] of a mask that is the same in all heads; any other as it is.
Tensor once_for_all_heads(const Tensor& mask);

/// Unset where the mask is no such product.
std::optional<MaskParts> parts_of(const Tensor& mask);
/// [B, H, n_q, n_k] of attends(b, h, q, k).
Tensor mask_of(const Shape& shape, const std::function<bool(Index b, Index h, Index q, Index k)>& attends);

/// A mask in the mask language, with the lengths that padding() and valid_len read.
struct MaskWords {
  std::string expression;
  std::vector<Index> lengths{};
};
/// [B, H, n_q, n_k]
Tensor evaluated(const MaskWords& words, const Shape& shape);
/// Unset where there is no short form.
std::optional<MaskWords> mask_in_words(const Tensor& mask);
/// "--mask "causal() && padding()" --valid-lens 4,6"
std::string settings_of(const MaskWords& words);
/// "causal() && padding() of lengths 4, 6", or the cells that differ: "3 cells differ: [0, 0, 2, 3] …"
std::string difference_in_words(const Tensor& mine, const Tensor& right);

}  // namespace headlight
