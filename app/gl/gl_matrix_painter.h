// GlMatrixPainter: draws matrices with OpenGL 3.3, each as a single quad.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <vector>

#include "app/gl/gl_objects.h"
#include "app/gl/matrix_textures.h"
#include "ui/base/frame/matrix_painter.h"

namespace headlight {

/// Needs ImGui's OpenGL 3 backend, and the same current context for all calls and for destruction.
class GlMatrixPainter : public MatrixPainter {
 public:
  /// As MatrixTextures::set_frame_budget(); a matrix that is postponed to a later frame is not drawn.
  void set_frame_budget(std::chrono::milliseconds budget) { textures_.set_frame_budget(budget); }
  /// As MatrixTextures::make_in_background(); a matrix that is not ready is not drawn.
  void make_in_background() { textures_.make_in_background(); }
  /// Whether the last frame postponed a matrix.
  bool lacks() const override { return textures_.lacks(); }
  /// Call before a frame's first draw().
  void begin_frame();
  /// Rounds the quad's corners to whole pixels of the framebuffer, so that all edges are sharp.
  void draw(ImDrawList& list, const MatrixQuad& quad) override;
  void fill(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour) override;
  void image(ImDrawList& list, ImVec2 min, const std::shared_ptr<const Image>& image) override;
  void stretched(ImDrawList& list, ImVec2 min, ImVec2 max, const std::shared_ptr<const Image>& image) override;

  /// For tests.
  const MatrixTextures& textures() const { return textures_; }

 private:
  struct Call {
    GlMatrixPainter* painter;
    MatrixDraw draw;
  };
  struct Fill {
    int left, top, width, height;  ///< pixels of the framebuffer
    ImVec4 colour;
  };
  /// A texture that was drawn in one of the last frames.
  template <typename Key>
  struct KeptTexture {
    Key key;
    GlTexture texture;
    std::uint64_t last_used;
  };

  static void before_quad(const ImDrawList* list, const ImDrawCmd* command);
  static void clear_fill(const ImDrawList* list, const ImDrawCmd* command);
  MatrixShader& shader_for(const MatrixDraw& draw);
  GLuint texture_of(const Colormap& map);
  GLuint texture_of(const std::shared_ptr<const Image>& image);
  template <typename Key, typename Make>
  GLuint kept_texture(std::vector<KeptTexture<Key>>& kept, const Key& key, Make make);

  MatrixTextures textures_;
  std::vector<KeptTexture<Colormap::Table>> maps_;
  std::vector<KeptTexture<std::shared_ptr<const Image>>> images_;
  std::vector<std::unique_ptr<Call>> calls_;  ///< the first used_ are in use in this frame: ImGui keeps their addresses
  std::size_t used_ = 0;
  std::vector<std::unique_ptr<Fill>> fills_;  ///< likewise
  std::size_t fills_used_ = 0;
  std::uint64_t frame_ = 0;
  std::array<std::unique_ptr<MatrixShader>, MatrixShader::variants> shaders_;  ///< created on first use
};

}  // namespace headlight
