// What the axes of saved attention are: decided by all evidence together (the rows' sums, the words, the numbers beside
// the arrays), stated by --axes, or asked for.
#pragma once

#include <string>
#include <vector>

#include "core/scenario/inputs/file_source.h"

namespace headlight {

/// How saved attention is read. Each level of the lists that hold the arrays, then each axis of the arrays has a
/// letter: L layers, B batch entries, H heads, M heads of one batch entry after those of another ("B*H"), q queries, k
/// keys, o keys by their offset from the query (a band).
struct SavedAxes {
  std::string letters;
  Index layers = 1;
  Index heads = 1;         ///< of one batch entry, for M
  Index first_offset = 0;  ///< for o: cell j of query q is key q + first_offset + j
  std::vector<std::string>
      choices{};  ///< the readings as --axes spells them, the most usual first, if there are several
};

/// So many of the choices are offered, the most usual first.
inline constexpr std::size_t most_axes_offered = 6;

/// Throws FileError, with the choice, if several readings remain; SettingError for axes that do not fit.
SavedAxes axes_of(const FileReading& reading, const PrecomputedAttention& found);
/// "L,B,H,q,k" for each reading that the evidence leaves, the most usual first; none if the file is no such question.
std::vector<std::string> open_axes(const Scenario& scenario);
/// Whether the arrays are the steps of generate(): first the prompt's rows, then one row a step.
bool are_steps(const ArrayFile& file, const PrecomputedAttention& found);

/// "[L, B, H, n_q, n_k]" of the arrays.
std::string axes_in_words(const PrecomputedAttention& found, const SavedAxes& axes);
/// The weights [B, H, n_q, n_k] of one layer.
Tensor weights_of(const TensorFile& file, const PrecomputedAttention& found, const SavedAxes& axes, Index layer);
/// 1 for the cells of weights_of() that hold a number of the file, [1, 1, n_q, n_k]; undefined if all do. Those of keys
/// that generate() had not computed yet, and those outside a band, are 0.
Tensor stored_cells(const TensorFile& file, const PrecomputedAttention& found, const SavedAxes& axes, Index layer);
/// For each axis, whether the numbers along it sum to 1, or are all 0.
std::vector<bool> axes_with_sums_of_one(const Tensor& tensor);

}  // namespace headlight
