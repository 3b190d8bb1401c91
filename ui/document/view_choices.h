// What the parts of the window are looked at with: the structs that View is made of.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/mask/painting.h"
#include "core/scenario/layer_list.h"
#include "core/scenario/scenario_view.h"
#include "core/stage/cell.h"
#include "core/stage/stage.h"

namespace headlight {

/// The first three go onto the clipboard, `figure` opens the export dialog on the matrix, the others go into a file.
enum class MatrixTake : std::uint8_t { value, row, matrix, figure, png, svg, csv, npy };

/// The menu while it is open.
struct MatrixMenu {
  Cell cell;           ///< that was clicked, of the matrix to take
  float x = 0, y = 0;  ///< pixels of the window, where it was clicked
  bool operator==(const MatrixMenu&) const = default;
};

/// The open dialog.
struct OpenChoice {
  std::string typed;   ///< a folder and the beginning of a name in it
  int marked = -1;     ///< among the entries that `typed` leaves; −1: none
  int visit = 0;       ///< counts the times the dialog came up, each of which reads the folder anew
  bool focus = false;  ///< the field is to take the keyboard
  bool masks = false;  ///< what is chosen becomes the mask of what is open; only files that can be one are listed
  bool operator==(const OpenChoice&) const = default;
};

/// The dialog that asks which attention of a file is meant.
struct LayerChoice {
  std::shared_ptr<const LayerQuestion> question;
  std::string search;          ///< layers that hold this text are listed
  std::string layer;           ///< the marked one
  std::optional<Index> heads;  ///< where the file does not say
  bool focus = false;
  bool operator==(const LayerChoice&) const = default;
};

/// What a matrix from the clipboard is to be.
enum class PasteUse : std::uint8_t { input, mask, bias };

/// Queries [q0, q1) × keys [k0, k1): what is to be in sight, parts of cells too.
struct MapRegion {
  double q0 = 0, q1 = 0, k0 = 0, k1 = 0;
  bool operator==(const MapRegion&) const = default;
};

/// What the map shows of a matrix.
struct MapChoice {
  Stage stage = Stage::weights;     ///< one with queries and keys
  std::optional<MapRegion> region;  ///< unset: the whole
  bool typing = false;              ///< the field for a place is to have the keyboard
  bool operator==(const MapChoice&) const = default;
};

/// The brush of the mask view.
enum class PaintTool : std::uint8_t { look, brush, row, column, rectangle };

/// What becomes of the expression when a pattern is clicked: the pattern; both; either; the old one without it.
enum class Combine : std::uint8_t { replace, both, either, without };

struct MaskPainting {
  PaintTool tool = PaintTool::look;
  Paint paint = Paint::forbid;
  bool one_head = false, one_entry = false,
       by_blocks = false;        ///< paint in the head, the entry that is looked at, else in all; whole blocks
  std::optional<Cell> from, to;  ///< of the stroke while it is dragged
  int strokes = 0;               ///< so far: each is one step of undo
  Combine combine = Combine::replace;
  float zoom = 1;           ///< of the mask in its card; 1 = all of it
  float left = 0, top = 0;  ///< of what is seen, in parts of the mask
  bool operator==(const MaskPainting&) const = default;
};

/// What the mask view is looked at with.
struct MaskLab {
  MaskTab tab = MaskTab::patterns;
  int layers = 3;            ///< that information travels through
  bool residual = true;      ///< a token also keeps what it knows itself
  std::optional<int> block;  ///< side of a block that a kernel skips or computes as a whole; unset: usual_block()
  std::optional<std::string> other;  ///< the second mask, B, as it is typed; unset: second_mask()
  bool operator==(const MaskLab&) const = default;
};

}  // namespace headlight
