#include "app/gl/gl_matrix_painter.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/figures/figure/heatmap_raster.h"
#include "ui/imgui_compat.h"

namespace headlight {
namespace {

constexpr float smallest_hatched = 4;  // units: masked cells that are smaller are flat

/// A rectangle in pixels of the framebuffer.
struct PixelRect {
  int left, top, right, bottom;
  bool empty() const { return left >= right || top >= bottom; }
};

PixelRect to_pixels(ImVec2 min, ImVec2 max, ImVec2 scale) {
  const auto pixel = [](float x) { return static_cast<int>(std::lround(x)); };
  return {pixel(min.x * scale.x), pixel(min.y * scale.y), pixel(max.x * scale.x), pixel(max.y * scale.y)};
}

/// ImTextureID is a pointer before ImGui 1.91.4, then an integer.
ImTextureID imgui_texture(GLuint id) { return (ImTextureID)(std::uintptr_t{id}); }

PixelRect intersect(const PixelRect& a, const PixelRect& b) {
  return {std::max(a.left, b.left), std::max(a.top, b.top), std::min(a.right, b.right), std::min(a.bottom, b.bottom)};
}

Projection imgui_projection() {
  const ImDrawData& data = *ImGui::GetDrawData();
  const float x = 2.0f / data.DisplaySize.x, y = -2.0f / data.DisplaySize.y;
  return {x, y, -1.0f - data.DisplayPos.x * x, 1.0f - data.DisplayPos.y * y};
}

/// Converts the revealed cells of the matrix to cells of the texture, which may be pooled.
void set_revealed(MatrixDraw& draw, std::int64_t revealed, const MatrixView& matrix) {
  draw.revealed_row = draw.rows;
  if (revealed < 0 || revealed >= matrix.rows * matrix.cols) return;
  draw.revealed_row = static_cast<int>(revealed / matrix.cols * draw.rows / matrix.rows);
  draw.revealed_col = static_cast<int>(revealed % matrix.cols * draw.cols / matrix.cols);
}

}  // namespace

void GlMatrixPainter::begin_frame() {
  ++frame_;
  used_ = fills_used_ = 0;
  textures_.begin_frame();
  const auto unused = [this](const auto& kept) { return kept.last_used + 2 < frame_; };
  std::erase_if(maps_, unused);
  std::erase_if(images_, unused);
}

void GlMatrixPainter::draw(ImDrawList& list, const MatrixQuad& quad) {
  assert(quad.values.defined() && quad.colormap != nullptr);
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  const PixelRect whole = to_pixels(quad.min, quad.max, scale);
  const PixelRect clip = to_pixels(list.GetClipRectMin(), list.GetClipRectMax(), scale);
  const PixelRect visible = intersect(whole, clip);
  if (visible.empty() || quad.values.count() == 0) return;

  const ColormapKind kind = quad.colormap->kind();
  const ValueRange unit{kind == ColormapKind::diverging ? -1.0f : 0.0f, 1.0f};
  const ValueRange range = quad.row_ranges ? unit : quad.range;
  const int width = whole.right - whole.left, height = whole.bottom - whole.top;
  const MatrixLevel* const found = textures_.find(quad, width, height, neutral_value(kind, range));
  if (!found) return;
  const MatrixLevel& level = *found;
  if (used_ == calls_.size()) calls_.push_back(std::make_unique<Call>(Call{this, {}}));
  Call& call = *calls_[used_++];
  MatrixDraw& draw = call.draw;
  draw = {};
  draw.cells = level.cells.id();
  draw.colours = texture_of(*quad.colormap);
  draw.rows = level.rows;
  draw.cols = level.cols;
  draw.width = width;
  draw.height = height;
  draw.hatched = level.hatched;
  draw.marked = level.marked;
  draw.gap = static_cast<int>(std::lround(quad.cell_gap * scale.x));
  draw.range = range;
  draw.norm = quad.row_ranges ? Norm::linear : quad.norm;
  const float cell = std::min(static_cast<float>(width) / static_cast<float>(level.cols),
                              static_cast<float>(height) / static_cast<float>(level.rows));
  draw.flat_masked = cell < smallest_hatched * quad.scale * scale.x;
  draw.centre = neutral_value(kind, range);
  draw.scale = quad.scale * scale.x;
  draw.opacity = quad.opacity;
  draw.theme = quad.theme;
  set_revealed(draw, quad.revealed, quad.values.matrix(quad.batch, quad.head));

  const auto point = [&](int x, int y) {
    return ImVec2(static_cast<float>(x) / scale.x, static_cast<float>(y) / scale.y);
  };
  const auto uv = [&](int x, int y) {
    return ImVec2(static_cast<float>(x - whole.left), static_cast<float>(y - whole.top));
  };
  list.AddCallback(before_quad, &call);
  list.AddImage(imgui_texture(draw.cells), point(visible.left, visible.top), point(visible.right, visible.bottom),
                uv(visible.left, visible.top), uv(visible.right, visible.bottom));
  list.AddCallback(compat::reset_render_state(), nullptr);
}

void GlMatrixPainter::fill(ImDrawList& list, ImVec2 min, ImVec2 max, ImU32 colour) {
  const PixelRect area = to_pixels(min, max, ImGui::GetIO().DisplayFramebufferScale);
  if (area.empty()) return;
  if (fills_used_ == fills_.size()) fills_.push_back(std::make_unique<Fill>());
  Fill& fill = *fills_[fills_used_++];
  fill = {area.left, area.top, area.right - area.left, area.bottom - area.top, ImGui::ColorConvertU32ToFloat4(colour)};
  list.AddCallback(clear_fill, &fill);
}

void GlMatrixPainter::image(ImDrawList& list, ImVec2 min, const std::shared_ptr<const Image>& image) {
  const ImVec2 scale = ImGui::GetIO().DisplayFramebufferScale;
  const ImVec2 corner{std::round(min.x * scale.x) / scale.x, std::round(min.y * scale.y) / scale.y};
  const ImVec2 end{corner.x + static_cast<float>(image->width) / scale.x,
                   corner.y + static_cast<float>(image->height) / scale.y};
  list.AddImage(imgui_texture(texture_of(image)), corner, end);
}

void GlMatrixPainter::stretched(ImDrawList& list, ImVec2 min, ImVec2 max, const std::shared_ptr<const Image>& image) {
  list.AddImage(imgui_texture(texture_of(image)), min, max);
}

/// Keeps the scissor box, which ImGui's backend sets before each draw.
void GlMatrixPainter::clear_fill(const ImDrawList*, const ImDrawCmd* command) {
  const Fill& fill = *static_cast<const Fill*>(command->UserCallbackData);
  const ImDrawData& data = *ImGui::GetDrawData();
  const int height = static_cast<int>(data.DisplaySize.y * data.FramebufferScale.y);
  glScissor(fill.left, height - fill.top - fill.height, fill.width, fill.height);
  glClearColor(fill.colour.x, fill.colour.y, fill.colour.z, fill.colour.w);
  glClear(GL_COLOR_BUFFER_BIT);
}

void GlMatrixPainter::before_quad(const ImDrawList*, const ImDrawCmd* command) {
  const Call& call = *static_cast<const Call*>(command->UserCallbackData);
  call.painter->shader_for(call.draw).use(call.draw, imgui_projection());
}

/// Called while ImGui's shader program is in use: a new shader uses the same attribute locations for vertices.
MatrixShader& GlMatrixPainter::shader_for(const MatrixDraw& draw) {
  const unsigned variant = MatrixShader::variant_of(draw);
  std::unique_ptr<MatrixShader>& shader = shaders_[variant];
  if (!shader) {
    GLint program = 0;
    glGetIntegerv(GL_CURRENT_PROGRAM, &program);
    const auto location = [&](const char* name) {
      return static_cast<GLuint>(glGetAttribLocation(static_cast<GLuint>(program), name));
    };
    shader = std::make_unique<MatrixShader>(variant, location("Position"), location("UV"));
  }
  return *shader;
}

template <typename Key, typename Make>
GLuint GlMatrixPainter::kept_texture(std::vector<KeptTexture<Key>>& kept, const Key& key, Make make) {
  auto found = std::ranges::find(kept, key, &KeptTexture<Key>::key);
  if (found == kept.end()) found = kept.insert(found, {key, make(), 0});
  found->last_used = frame_;
  return found->texture.id();
}

GLuint GlMatrixPainter::texture_of(const std::shared_ptr<const Image>& image) {
  return kept_texture(images_, image, [&] {
    return make_texture(TexelFormat::rgba8, image->width, image->height, image->rgba.data(), image->width);
  });
}

GLuint GlMatrixPainter::texture_of(const Colormap& map) {
  return kept_texture(maps_, map.table(), [&] { return make_colours(map); });
}

}  // namespace headlight
