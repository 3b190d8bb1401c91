// Evaluates a mask expression, one row of keys at a time.
#pragma once

#include <stop_token>
#include <string_view>

#include "core/base/tensor/tensor.h"
#include "core/rules/mask/expression.h"

namespace headlight {

// The patches of a picture among a sequence's tokens, for row(), col() and neighborhood(r) of the mask language.
/// rows × columns patches, row by row from token `first` on. Other tokens (cls, registers, words) are not patches.
struct PictureGrid {
  Index rows = 0, columns = 0;  ///< 0: no grid
  Index first = 0;
  bool there() const { return rows > 0; }
  bool operator==(const PictureGrid&) const = default;
};

/// Parses "14x14", the last 196 of `tokens`, or "24x24@5", the tokens from 5 on. Throws SettingError.
PictureGrid picture_grid(std::string_view text, Index tokens);

/// The values of an expression's variables; a missing one is an undefined tensor.
struct MaskContext {
  Index batch = 1;
  Index heads = 1;
  Index n_q = 0;
  Index n_k = 0;
  Tensor valid_lens{};  ///< [B] or [B, n_q]
  Tensor file_mask{};   ///< 0 = may not attend; broadcastable to [B, H, n_q, n_k]
  Tensor painted{};     ///< as file_mask
  Tensor doc_ids{};     ///< [1, n] or [B, n]; n_q must equal n_k
  PictureGrid grid{};
  std::stop_token stop = {};
  int threads = 1;
};

/// For doc ids [B, n]: the position of each token within its document, from zero.
Tensor places_in_documents(const Tensor& ids);

/// Reads parts of rows of a mask without building all of it. Throws what evaluate() throws, for the cells that are
/// read. Each thread needs its own reader; the expression must outlive it.
class MaskReader {
 public:
  MaskReader(const MaskExpression& expression, const MaskContext& context);
  ~MaskReader();
  MaskReader(MaskReader&&) noexcept;
  /// Keys [k0, k0 + count) of row q: 1 = may attend, 0 = may not.
  void read(Index b, Index h, Index q, Index k0, Index count, float* to);
  /// Whether the mask differs between batch entries, and between heads.
  bool by_batch() const;
  bool by_head() const;
  /// Whether the mask differs between queries.
  bool by_query() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// [B', H', n_q, n_k] of 1 = may attend, 0 = may not. B' and H' are 1 unless the mask differs between batch entries or
/// heads: expand() it as needed.
///
/// Throws ExpressionError, with the position in the expression, for a division by zero in a cell that is used, an
/// argument out of range, and for padding(), valid_len, doc(q), row(q), file() or painted() if their tensor is missing
/// or has a wrong shape. Throws Cancelled.
Tensor evaluate(const MaskExpression& expression, const MaskContext& context);

/// Like evaluate(), but if the mask does not differ between queries, with one row instead of n_q equal rows.
Tensor evaluate_where_it_differs(const MaskExpression& expression, const MaskContext& context);

}  // namespace headlight
