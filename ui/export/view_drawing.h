// ViewDrawing: what ImGui drew of a frame, once more on a figure's canvas: a picture of any view as PDF or SVG, whose
// text is text and whose lines and cells are shapes at every size.
//
// While it lives between ImGui::NewFrame and the list's end it stands in for the painter, which goes on painting the
// screen, and hangs a Record on the context. Triangles become areas, texts labels in the same faces, matrices heatmaps;
// what widgets write with ImGui's own functions, such as the text of a field, is embedded as pixels.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/figure/canvas.h"
#include "ui/frame/matrix_painter.h"
#include "ui/geometry/rect.h"
#include "ui/look/record.h"

namespace headlight {

class ViewDrawing : public MatrixPainter {
 public:
  /// Call after ImGui::NewFrame; `screen` has to live until the frame's panels are drawn.
  explicit ViewDrawing(MatrixPainter& screen);
  ~ViewDrawing() override;
  ViewDrawing(const ViewDrawing&) = delete;
  ViewDrawing& operator=(const ViewDrawing&) = delete;

  void draw(ImDrawList& list, const MatrixQuad& quad) override;
  void fill(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour) override;
  void image(ImDrawList& list, ImVec2 min, const std::shared_ptr<const Image>& image) override;
  void stretched(ImDrawList& list, ImVec2 min, ImVec2 max, const std::shared_ptr<const Image>& image) override;
  /// Nothing that is drawn from here on belongs to it.
  void close();

  /// The part of the frame within `place` as a file, ".pdf" or ".svg"; after ImGui::Render and before the next frame.
  std::string file(const ImDrawData& data, const Fonts& fonts, Rect place, Theme theme, Rgba ground,
                   const std::string& extension, const std::string& title) const;

 private:
  /// What the painter was asked for, in place of a list's indices [first, last).
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

  Painted& begin(const ImDrawList& list);

  MatrixPainter& screen_;
  Record record_;
  Record* before_ = nullptr;
  bool open_ = true;
  std::vector<Painted> painted_;
};

}  // namespace headlight
