// Somebody's own stages, read from a file to be compared with a trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/diagnosis/own_shapes.h"
#include "core/run/trace.h"

namespace headlight {

struct OwnStage {
  Stage stage{};
  Tensor values;         ///< in the shape of the trace's stage where it fits, else as stored
  Shape stored{};        ///< the shape in the file
  bool fits = true;      ///< false: the shape is not the stage's, and no other that can only mean it
  OwnReading reading{};  ///< how another shape was read, or what is wrong with it
  float slack = 0;       ///< relative rounding of the file's own precision, see agree()
};

struct OwnStages {
  std::string path;
  std::vector<OwnStage> stages{};  ///< in the order of computation
  struct Other {
    std::string name;
    std::optional<Stage> meant;  ///< what it probably is
  };
  std::vector<Other> others{};  ///< arrays that are named after no stage

  const OwnStage* find(Stage stage) const;
};

/// Reads every array that bears a stage's name. Shapes may leave out or add axes of size 1, flatten batch and heads
/// ([B·H, n, d]), have the sequence first ([n, B, d], if that cannot be mistaken), repeat key/value heads to H of them,
/// or hold one matrix for all heads; a mask may be 0 and 1 or additive. Throws FileError where the file holds none of
/// the stages or cannot be read.
OwnStages read_own_stages(const std::string& path, const Trace& trace);

/// Whether a file is somebody's own stages, to be compared with this run: it holds no parameters, but stages with as
/// many numbers as the run's that no computation begins with. Those that a document can also begin with (Q_heads,
/// weights, …) count only where they are `wanted`. Never throws: what cannot be opened is none.
bool is_own_stages_file(const std::string& path, const Trace& trace, bool wanted);
/// What the stage of a run is to be compared with. A stage that the run does not have stands for the one that it leaves
/// as it is: dropped_weights for the weights, Q_rotated for Q_normed or Q_heads, a mask for true everywhere.
Tensor counterpart(const Trace& trace, Stage stage);
/// The stage of the run that a stage's numbers go on as: itself, or the one that it stands for; Stage::mask in any
/// case.
Stage standing_for(const Trace& trace, Stage stage);
/// `right` with as many key/value heads as `mine` has, where they may differ: repeated for its query heads, or the
/// first.
Tensor with_heads_of(const Tensor& mine, const Tensor& right);

}  // namespace headlight
