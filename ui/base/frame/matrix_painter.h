// MatrixPainter: draws a matrix on screen, with one draw call whatever its size. ui describes what to draw; app/gl
// uploads the values as float textures and colours them in a shader; the tests' painter only records. Colours and marks
// equal those of core/figure.
#pragma once

#include <cstdint>
#include <memory>

#include <imgui.h>

#include "core/base/image/png_image.h"
#include "core/base/image/theme.h"
#include "core/base/tensor/tensor.h"
#include "core/figures/figure/colormap.h"

namespace headlight {

/// One matrix on screen. Nothing is uploaded again while the tensors are identical().
struct MatrixQuad {
  ImVec2 min, max;  ///< screen pixels of the whole matrix, before clipping
  Tensor values;    ///< drawn at (batch, head)
  Index batch = 0, head = 0;
  Tensor mask;              ///< optional, 0/1, broadcastable to values: 0 is hatched
  Tensor kept;              ///< optional, 0/1, as values: 0 is crossed (dropped)
  bool show_leaks = false;  ///< as in CellMasks: a masked weight that is not zero is drawn with its value
  const Colormap* colormap = nullptr;
  ValueRange range;            ///< ignored with row_ranges
  bool row_ranges = false;     ///< each row has its own range
  Norm norm = Norm::linear;    ///< how values map to the range, see spread()
  bool means = false;          ///< pooled cells show the mean of their block, not its extreme
  Theme theme = Theme::light;  ///< colours of hatching and ground
  float cell_gap = 0;          ///< pixels between cells, 0 for none; see heatmap_gap()
  float scale = 1;             ///< pixels per unit of the hatching, as in HeatmapStyle
  float opacity = 1;
  /// Only cells before this one, in row-major order, are drawn; negative: all. For the step player.
  std::int64_t revealed = -1;
};

class MatrixPainter {
 public:
  virtual ~MatrixPainter() = default;
  /// Adds the matrix to `list`, with the list's clip rectangle.
  virtual void draw(ImDrawList& list, const MatrixQuad& quad) = 0;
  /// Fills a rectangle with one opaque colour. Cheaper than ImGui's own, which samples a texture for every pixel.
  virtual void fill(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour) = 0;
  /// Adds a picture, pixel by pixel, its top left corner at a whole pixel. Uploaded again only if it is another one.
  virtual void image(ImDrawList& list, ImVec2 min, const std::shared_ptr<const Image>& image) = 0;
  /// The same over a whole rectangle: pixels become squares where there is more room.
  virtual void stretched(ImDrawList& list, ImVec2 min, ImVec2 max, const std::shared_ptr<const Image>& image) = 0;
  /// Whether a matrix that this frame has drawn is still being made, and comes in a later one.
  virtual bool lacks() const { return false; }
};

}  // namespace headlight
