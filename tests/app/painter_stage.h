// PainterStage draws a test's quads with the real painter, off screen.
#pragma once

#include <memory>
#include <vector>

#include "app/gl/gl_matrix_painter.h"
#include "app/window/imgui_host.h"
#include "app/window/offscreen.h"
#include "tests/catch.h"

namespace headlight {

class PainterStage {
 public:
  PainterStage(int width, int height) : width_(width), height_(height), target_(width, height) {}

  /// Draws one frame over the theme's card colour; `draw` receives a draw list that covers the whole picture.
  template <typename Draw>
  void frame(Theme theme, const Draw& draw) {
    host_.set_frame(width_, height_);
    host_.begin_frame(false);
    painter_.begin_frame();
    ImDrawList& list = *ImGui::GetBackgroundDrawList();
    const Rgba card = colours(theme).card;
    list.AddRectFilled({0, 0}, {static_cast<float>(width_), static_cast<float>(height_)},
                       IM_COL32(card.r, card.g, card.b, 255));
    draw(list, painter_);
    target_.bind();
    host_.render(width_, height_, card);
  }
  Image picture(const MatrixQuad& quad) {
    frame(quad.theme, [&](ImDrawList& list, GlMatrixPainter& painter) { painter.draw(list, quad); });
    return target_.read();
  }
  const MatrixTextures& textures() const { return painter_.textures(); }
  GlMatrixPainter& painter() { return painter_; }

 private:
  int width_, height_;
  OffscreenContext context_;
  Framebuffer target_;
  ImguiHost host_;
  GlMatrixPainter painter_;
};

/// Null, with a warning, if this machine has no off-screen OpenGL.
inline std::unique_ptr<PainterStage> make_stage(int width, int height) {
  try {
    return std::make_unique<PainterStage>(width, height);
  } catch (const std::exception& error) {
    WARN("skipped: " << error.what());
    return nullptr;
  }
}

}  // namespace headlight
