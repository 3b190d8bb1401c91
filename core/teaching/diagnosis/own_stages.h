// The user's own stages, read from a file for comparison with a trace.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/tensor/tensor.h"
#include "core/compute/run/trace.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {

/// The shape without its axes of size 1.
Shape without_ones(const Shape& shape);

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
    no_mask,                ///< numbers other than 0 and 1
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
std::string translated_error(const OwnReading& reading);

struct ShapeReading {
  Tensor values;
  OwnReading how{};
};

struct OwnStage {
  Stage stage{};
  Tensor values;         ///< in the shape of the trace's stage if possible, else as stored
  Shape stored{};        ///< the shape in the file
  bool fits = true;      ///< false: the shape is not the stage's, nor an unambiguous variant of it
  OwnReading reading{};  ///< how another shape was read, or what is wrong with it
  float slack = 0;       ///< relative rounding error of the file's own precision, see agree()
};

struct OwnStages {
  std::string path;
  std::vector<OwnStage> stages{};  ///< in order of computation
  struct Other {
    std::string name;
    std::optional<Stage> meant;  ///< what it probably is
  };
  std::vector<Other> others{};  ///< arrays that have no stage's name

  const OwnStage* find(Stage stage) const;
};

/// Reads every array with a stage's name. Shapes may omit or add axes of size 1, join batch and heads ([B·H, n, d]),
/// have the sequence first ([n, B, d], if unambiguous), repeat key/value heads, or hold one matrix for all heads; a
/// mask may be 0/1 or additive. Throws FileError if the file has none of the stages or cannot be read.
OwnStages read_own_stages(const std::string& path, const Trace& trace);

/// Whether a file holds the user's own stages for comparison with this run: no parameters, but stages of the run's
/// sizes that no computation begins with. Stages that a document can begin with (Q_heads, weights, …) count only if
/// `wanted`. Never throws; false for files that cannot be opened.
bool is_own_stages_file(const std::string& path, const Trace& trace, bool wanted);
/// The tensor that a user's stage is compared with. If the run lacks the stage, the one that it would equal: weights
/// for dropped_weights, Q_normed or Q_heads for Q_rotated, all ones for a mask.
Tensor counterpart(const Trace& trace, Stage stage);
/// The stage of the run that the user's stage continues as: itself, or the one that it would equal; Stage::mask in any
/// case.
Stage standing_for(const Trace& trace, Stage stage);
/// `right` with as many key/value heads as `mine`, if they may differ: repeated for its query heads, or the first of
/// each group.
Tensor with_heads_of(const Tensor& mine, const Tensor& right);
/// What the user's stage is compared with: its counterpart, with as many key/value heads.
Tensor right_for(const OwnStage& mine, const Trace& trace);

}  // namespace headlight
