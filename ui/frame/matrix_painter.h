// MatrixPainter: how the window puts a matrix on screen, one draw a matrix whatever its size.
//
// ui describes what is to be seen; the program (app/gl) uploads the values as float textures and colours them in a
// shader; tests use a painter that only records. Colours and marks follow core/figure exactly.
#pragma once

#include <cstdint>
#include <memory>

#include <imgui.h>

#include "core/figure/colormap.h"
#include "core/figure/range.h"
#include "core/image/png_image.h"
#include "core/image/theme.h"
#include "core/tensor/tensor.h"

namespace headlight {

/// One matrix on screen. Tensors are handles: while identical() ones come back, nothing is uploaded again.
struct MatrixQuad {
  ImVec2 min, max;  ///< pixels on screen; the whole matrix, whatever the clip rectangle shows of it
  Tensor values;    ///< drawn at (batch, head)
  Index batch = 0, head = 0;
  Tensor mask;              ///< optional, 0/1, broadcastable to values: 0 is hatched
  Tensor kept;              ///< optional, 0/1, as values: 0 is crossed (dropped)
  bool show_leaks = false;  ///< as in CellMasks: a masked weight that is not zero shows as its value
  const Colormap* colormap = nullptr;
  ValueRange range;            ///< in row mode ignored: each row has its own
  bool row_ranges = false;     ///< every row over its own range
  Norm norm = Norm::linear;    ///< how values between the ends of `range` are spread, as spread()
  bool means = false;          ///< where cells are pooled, their mean stands for them, not the most extreme
  Theme theme = Theme::light;  ///< which hatch and ground to use
  float cell_gap = 0;          ///< pixels between cells, 0 for none; see heatmap_gap()
  float scale = 1;             ///< pixels to a unit of the hatching, as in HeatmapStyle
  float opacity = 1;
  /// Cells in row-major order before this one are drawn, the rest are blank; negative: all. For the step player.
  std::int64_t revealed = -1;
};

class MatrixPainter {
 public:
  virtual ~MatrixPainter() = default;
  /// Adds the matrix to `list`, clipped as the list is.
  virtual void draw(ImDrawList& list, const MatrixQuad& quad) = 0;
  /// Adds one flat, opaque colour over a rectangle: the ground of a panel. Cheaper than ImGui's, which samples a
  /// texture for every pixel.
  virtual void fill(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour) = 0;
  /// Adds a picture with its top left corner at a whole pixel, pixel by pixel. While the same one comes back, nothing
  /// is uploaded again.
  virtual void image(ImDrawList& list, ImVec2 min, const std::shared_ptr<const Image>& image) = 0;
  /// The same over a whole rectangle: pixels become squares where there is more room.
  virtual void stretched(ImDrawList& list, ImVec2 min, ImVec2 max, const std::shared_ptr<const Image>& image) = 0;
  /// Whether a matrix that this frame has drawn is still being made, and comes in a later one.
  virtual bool lacks() const { return false; }
};

}  // namespace headlight
