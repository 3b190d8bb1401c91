// The shapes in which people save a stage, and how an array of theirs was taken, as values, so that each language has
// its own words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "core/scenario/inputs.h"
#include "core/tensor/tensor.h"

namespace headlight {

struct OwnReading {
  enum class Kind : std::uint8_t {
    as_it_is,
    other_axes,  ///< axes of size 1 were added or left out, or it was broadcast
    one_for_all_heads,
    batch_and_heads_first,  ///< [B·H, …]
    repeated_heads,         ///< key/value heads, once for each query head
    sequence_first,         ///< [n, B, …]
    additive_mask,          ///< 0 = may attend
    wrong_shape,            ///< from here on it could not be taken
    no_mask,                ///< other numbers than 0 and 1
  };
  enum class Hint : std::uint8_t { none, transpose_missing, rows_and_columns };

  Kind kind = Kind::as_it_is;
  Shape stored{};    ///< in the file
  Shape expected{};  ///< other_axes: what it was read as
  Hint hint = Hint::none;

  /// There is nothing to say.
  bool plain() const { return kind == Kind::as_it_is; }
};

/// "[6, 16] read as [1, 6, 16]"; "" where there is nothing to say.
std::string in_words(const OwnReading& reading);

struct ShapeReading {
  Tensor values;
  OwnReading how{};
};

/// `stored` as the stage, whose shape in the trace is `wanted`; nothing if it cannot be that, or can be two things.
std::optional<ShapeReading> read_shape(Stage stage, const Tensor& stored, const Shape& wanted, const Dims& dims);

/// What is wrong with a shape that could not be read, and what was expected.
OwnReading shape_complaint(Stage stage, const Shape& stored, const Shape& wanted);

}  // namespace headlight
