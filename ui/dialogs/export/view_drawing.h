// ViewDrawing: converts what ImGui drew in a frame into a figure, so that any view can be written as PDF or SVG. While
// it exists, it replaces the painter (and passes calls on to it) and records the texts. Triangles become areas, texts
// become labels, matrices become heatmaps; text that ImGui draws itself, such as that of a field, is embedded as
// pixels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/figures/figure/canvas.h"
#include "ui/base/frame/matrix_painter.h"
#include "ui/base/geometry/rect.h"
#include "ui/base/look/fonts.h"

namespace headlight {

class ViewDrawing : public MatrixPainter {
 public:
  /// Create after ImGui::NewFrame; `screen` must live until the panels are drawn.
  explicit ViewDrawing(MatrixPainter& screen);
  ~ViewDrawing() override;
  ViewDrawing(const ViewDrawing&) = delete;
  ViewDrawing& operator=(const ViewDrawing&) = delete;

  void draw(ImDrawList& list, const MatrixQuad& quad) override;
  void fill(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour) override;
  void image(ImDrawList& list, ImVec2 min, const std::shared_ptr<const Image>& image) override;
  void stretched(ImDrawList& list, ImVec2 min, ImVec2 max, const std::shared_ptr<const Image>& image) override;
  /// Ends the recording: what is drawn later does not belong to it.
  void close();

  /// The part of the frame within `place` as the content of a ".pdf" or ".svg" file. Call after ImGui::Render, before
  /// the next frame.
  std::string file(const ImDrawData& data, const Fonts& fonts, Rect place, Theme theme, Rgba ground,
                   const std::string& extension, const std::string& title) const;

 private:
  /// A call of the painter, which replaces the indices [first, last) of a list.
  struct Painted {
    const ImDrawList* list = nullptr;
    int first = 0, last = 0;
    Rect clip{};
    std::optional<MatrixQuad> quad{};
    std::optional<Colormap> map{};
    Rect rect{};
    ImU32 colour = 0;
    std::shared_ptr<const Image> pixels{};
  };
  class Replay;

  /// Records a call of the painter, which `draw` passes on.
  template <typename Draw>
  Painted& record(const ImDrawList& list, Draw draw);

  MatrixPainter& screen_;
  Record record_;
  Record* before_ = nullptr;
  bool open_ = true;
  std::vector<Painted> painted_;
};

}  // namespace headlight
