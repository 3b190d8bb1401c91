// The state of single views and dialogs; View is made of these structs.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "core/mask/painting.h"
#include "core/scenario/layer_list.h"
#include "core/scenario/scenario_view.h"
#include "core/stage/stage.h"

namespace headlight {

/// What can be copied or saved of a matrix: the first three go to the clipboard, `figure` opens the export dialog, the
/// others write a file.
enum class MatrixTake : std::uint8_t { value, row, matrix, figure, png, svg, csv, npy };

/// The context menu of a matrix.
struct MatrixMenu {
  Cell cell;           ///< the clicked cell
  float x = 0, y = 0;  ///< where it was clicked, window pixels
  bool operator==(const MatrixMenu&) const = default;
};

/// The open dialog.
struct OpenChoice {
  std::string typed;   ///< a folder and the beginning of a file name
  int marked = -1;     ///< selected entry among those that match `typed`; −1: none
  int visit = 0;       ///< number of times the dialog was opened; the folder is read again each time
  bool focus = false;  ///< the text field should take the keyboard
  bool masks = false;  ///< open a mask for the current document; only files that can hold one are listed
  bool operator==(const OpenChoice&) const = default;
};

/// The dialog that asks which attention layer of a file to open.
struct LayerChoice {
  std::shared_ptr<const LayerQuestion> question;
  std::string search;          ///< lists the layers whose name contains this
  std::string layer;           ///< the selected layer
  std::optional<Index> heads;  ///< number of heads, where the file does not say
  bool focus = false;
  bool operator==(const LayerChoice&) const = default;
};

/// How a pasted matrix is used.
enum class PasteUse : std::uint8_t { input, mask, bias };

/// Visible queries [q0, q1) × keys [k0, k1), in fractions of cells.
struct MapRegion {
  double q0 = 0, q1 = 0, k0 = 0, k1 = 0;
  bool operator==(const MapRegion&) const = default;
};

/// What the map shows.
struct MapChoice {
  Stage stage = Stage::weights;     ///< a stage with queries and keys
  std::optional<MapRegion> region;  ///< unset: the whole matrix
  bool typing = false;              ///< the "go to" field should take the keyboard
  bool operator==(const MapChoice&) const = default;
};

/// The brush of the mask view.
enum class PaintTool : std::uint8_t { look, brush, row, column, rectangle };

/// How a clicked pattern changes the expression: replaces it; and; or; removed from it.
enum class Combine : std::uint8_t { replace, both, either, without };

struct MaskPainting {
  PaintTool tool = PaintTool::look;
  Paint paint = Paint::forbid;
  bool one_head = false, one_entry = false,
       by_blocks = false;        ///< paint in the current head or batch entry only (else in all); paint whole blocks
  std::optional<Cell> from, to;  ///< ends of the stroke while it is dragged
  int strokes = 0;               ///< number of strokes; each is one undo step
  Combine combine = Combine::replace;
  float zoom = 1;           ///< of the mask in its card; 1 shows all of it
  float left = 0, top = 0;  ///< top left corner of the visible part, as a fraction of the mask
  bool operator==(const MaskPainting&) const = default;
};

/// State of the mask view.
struct MaskLab {
  MaskTab tab = MaskTab::patterns;
  int layers = 3;                    ///< number of layers for the reach picture
  bool residual = true;              ///< residual connections: a token also keeps its own information
  std::optional<int> block;          ///< block side for the block picture; unset: usual_block()
  std::optional<std::string> other;  ///< expression of the second mask, B; unset: second_mask()
  bool operator==(const MaskLab&) const = default;
};

}  // namespace headlight
