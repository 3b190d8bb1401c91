#include "app/gl/gl_objects.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/tensor/error.h"
#include "core/figures/figure/heatmap_raster.h"
#include "shaders.h"

namespace headlight {
namespace {

struct TransferFormat {
  GLint internal;
  GLenum format, type;
};

TransferFormat transfer(TexelFormat format) {
  switch (format) {
    case TexelFormat::r32ui: return {GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT};
    case TexelFormat::rgba8: break;
  }
  return {GL_RGBA8, GL_RGBA, GL_UNSIGNED_BYTE};
}

/// Sets the layout of texels in our memory, and restores the earlier one.
class UnpackLayout {
 public:
  explicit UnpackLayout(int texels_a_row) {
    glPixelStorei(GL_UNPACK_ALIGNMENT, 1);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, texels_a_row);
  }
  UnpackLayout(const UnpackLayout&) = delete;
  UnpackLayout& operator=(const UnpackLayout&) = delete;
  ~UnpackLayout() {
    glPixelStorei(GL_UNPACK_ALIGNMENT, 4);
    glPixelStorei(GL_UNPACK_ROW_LENGTH, 0);
  }
};

GlShader compile(GLenum type, const char* source) {
  GlShader shader(glCreateShader(type));
  glShaderSource(shader.id(), 1, &source, nullptr);
  glCompileShader(shader.id());
  GLint good = GL_FALSE;
  glGetShaderiv(shader.id(), GL_COMPILE_STATUS, &good);
  if (good == GL_TRUE) return shader;
  char log[1024] = "";
  glGetShaderInfoLog(shader.id(), sizeof log, nullptr, log);
  throw std::runtime_error(std::string("a shader does not compile: ") + log);
}

}  // namespace

std::string opengl_renderer() {
  const auto* text = reinterpret_cast<const char*>(glGetString(GL_RENDERER));
  return text ? text : "";
}

void delete_texture(GLuint id) { glDeleteTextures(1, &id); }
void delete_program(GLuint id) { glDeleteProgram(id); }
void delete_shader(GLuint id) { glDeleteShader(id); }
void delete_framebuffer(GLuint id) { glDeleteFramebuffers(1, &id); }

namespace {

/// Without this check, a failed upload would be drawn as nothing or as the earlier content.
void check_upload(int width, int height) {
  const GLenum error = glGetError();
  if (error == GL_NO_ERROR) return;
  const std::string size = std::to_string(width) + " x " + std::to_string(height);
  throw InputError(
      "",
      "the graphics driver did not take a picture of " + size + " texels (" +
          (error == GL_OUT_OF_MEMORY ? std::string("it has no memory left") : "error " + std::to_string(error)) + ")",
      "expected fewer matrices on screen, or a smaller window");
}

}  // namespace

GlTexture make_texture(TexelFormat format, int width, int height, const void* texels, int texels_a_row) {
  GLuint id = 0;
  glGenTextures(1, &id);
  GlTexture texture(id);
  glBindTexture(GL_TEXTURE_2D, id);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAX_LEVEL, 0);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
  glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
  const UnpackLayout layout(texels_a_row);
  const TransferFormat as = transfer(format);
  glTexImage2D(GL_TEXTURE_2D, 0, as.internal, width, height, 0, as.format, as.type, texels);
  glBindTexture(GL_TEXTURE_2D, 0);
  if (texels != nullptr) check_upload(width, height);
  return texture;
}

void update_texture(const GlTexture& texture, TexelFormat format, int width, int first_row, int height,
                    const void* texels, int texels_a_row) {
  glBindTexture(GL_TEXTURE_2D, texture.id());
  const UnpackLayout layout(texels_a_row);
  const TransferFormat as = transfer(format);
  glTexSubImage2D(GL_TEXTURE_2D, 0, 0, first_row, width, height, as.format, as.type, texels);
  glBindTexture(GL_TEXTURE_2D, 0);
  check_upload(width, height);
}

int max_texture_size() {
  GLint size = 0;
  glGetIntegerv(GL_MAX_TEXTURE_SIZE, &size);
  return size > 0 ? size : 2048;
}

GlProgram make_program(const char* vertex_source, const char* fragment_source,
                       std::span<const AttributeLocation> attributes) {
  const GlShader vertex = compile(GL_VERTEX_SHADER, vertex_source);
  const GlShader fragment = compile(GL_FRAGMENT_SHADER, fragment_source);
  GlProgram program(glCreateProgram());
  glAttachShader(program.id(), vertex.id());
  glAttachShader(program.id(), fragment.id());
  for (const AttributeLocation& each : attributes) glBindAttribLocation(program.id(), each.location, each.name);
  glLinkProgram(program.id());
  GLint good = GL_FALSE;
  glGetProgramiv(program.id(), GL_LINK_STATUS, &good);
  if (good == GL_TRUE) return program;
  char log[1024] = "";
  glGetProgramInfoLog(program.id(), sizeof log, nullptr, log);
  throw std::runtime_error(std::string("a shader program does not link: ") + log);
}

Framebuffer::Framebuffer(int width, int height)
    : width_(width), height_(height), colour_(make_texture(TexelFormat::rgba8, width, height, nullptr, 0)) {
  GLuint id = 0;
  glGenFramebuffers(1, &id);
  framebuffer_ = GlHandle<delete_framebuffer>(id);
  bind();
  glFramebufferTexture2D(GL_FRAMEBUFFER, GL_COLOR_ATTACHMENT0, GL_TEXTURE_2D, colour_.id(), 0);
  if (glCheckFramebufferStatus(GL_FRAMEBUFFER) != GL_FRAMEBUFFER_COMPLETE) {
    throw InputError(
        "--size", "the graphics driver cannot draw " + std::to_string(width) + "x" + std::to_string(height) + " pixels",
        "expected a smaller picture");
  }
}

void Framebuffer::bind() const { glBindFramebuffer(GL_FRAMEBUFFER, framebuffer_.id()); }

Image Framebuffer::read() const {
  bind();
  return read_pixels(width_, height_);
}

Image read_pixels(int width, int height) {
  Image image(width, height);
  glPixelStorei(GL_PACK_ALIGNMENT, 1);
  glReadPixels(0, 0, width, height, GL_RGBA, GL_UNSIGNED_BYTE, image.rgba.data());
  const auto row = static_cast<std::ptrdiff_t>(width) * 4;
  for (int y = 0; y < height / 2; ++y) {
    const auto top = image.rgba.begin() + y * row;
    std::swap_ranges(top, top + row, image.rgba.begin() + (height - 1 - y) * row);
  }
  for (std::size_t alpha = 3; alpha < image.rgba.size(); alpha += 4) image.rgba[alpha] = 255;
  return image;
}

namespace {

// In the order of their bits in a shader variant.
constexpr std::array variant_names{"POOLED", "GAPS", "HATCHED", "MARKED", "PARTLY", "EXACT", "SPREAD"};
constexpr int colour_steps = 8;  // the same as `steps` in the shader

GlProgram link_heatmap(unsigned variant, GLuint position, GLuint uv) {
  std::string head = shader_head();
  for (std::size_t bit = 0; bit < variant_names.size(); ++bit) {
    if (variant >> bit & 1u) head += std::string("#define ") + variant_names[bit] + "\n";
  }
  const std::array attributes{AttributeLocation{"Position", position}, AttributeLocation{"UV", uv}};
  return make_program((head + shader_heatmap_vertex).c_str(), (head + shader_heatmap_fragment).c_str(), attributes);
}

/// The factors of normalise(): (v − lo) / (hi − lo), ½ for a range of width 0. The first factor keeps hi − lo finite.
std::array<float, 3> range_factors(ValueRange range) {
  const double lo = range.lo, width = static_cast<double>(range.hi) - lo;
  if (!(width > 0)) return {0.0f, -0.5f, 1.0f};
  const double shrink = width > 1e30 ? 0x1p-64 : width < 1e-30 ? 0x1p64 : 1.0;
  return {static_cast<float>(shrink), static_cast<float>(lo * shrink), static_cast<float>(1.0 / (width * shrink))};
}

std::array<float, 18> mark_colours(Theme theme, bool flat_masked) {
  ThemeColours of = colours(theme);
  if (flat_masked) of.hatch_line = of.hatch_ground = flat_mask(theme);
  std::array<float, 18> out{};
  std::size_t at = 0;
  for (const Rgba each :
       {of.hatch_line, of.hatch_ground, of.mark_line, of.mark_ground, of.crossed_line, of.crossed_ground}) {
    for (const std::uint8_t channel : {each.r, each.g, each.b}) out[at++] = static_cast<float>(channel) / 255.0f;
  }
  return out;
}

float shortest_side(const MatrixDraw& draw) {
  const auto side = [](int pixels, int cells) {
    return static_cast<float>(pixels) / static_cast<float>(std::min(pixels, cells));
  };
  return std::min(side(draw.width, draw.cols), side(draw.height, draw.rows));
}

}  // namespace

GlTexture make_colours(const Colormap& map) {
  constexpr int entries = 255 * colour_steps + 1;
  std::vector<Rgba> colours;
  for (int entry = 0; entry < entries; ++entry) {
    colours.push_back(map.at(static_cast<float>(entry) / static_cast<float>(entries - 1)));
  }
  return make_texture(TexelFormat::rgba8, entries, 1, colours.data(), entries);
}

unsigned MatrixShader::variant_of(const MatrixDraw& draw) {
  const bool pooled = draw.cols > draw.width || draw.rows > draw.height;
  const bool exact = draw.cols == draw.width && draw.rows == draw.height && draw.gap == 0;
  return (pooled ? 1u : 0u) | (draw.gap > 0 ? 2u : 0u) | (draw.hatched ? 4u : 0u) | (draw.marked ? 8u : 0u) |
         (draw.revealed_row < draw.rows ? 16u : 0u) | (exact ? 32u : 0u) | (draw.norm != Norm::linear ? 64u : 0u);
}

MatrixShader::MatrixShader(unsigned variant, GLuint position, GLuint uv)
    : program_(link_heatmap(variant, position, uv)),
      projection_(location("projection")),
      count_(location("count")),
      size_(location("size")),
      cells_per_half_pixel_(location("cells_per_half_pixel")),
      gap_(location("gap")),
      cell_size_(location("cell_size")),
      range_(location("range")),
      least_(location("least")),
      centre_(location("centre")),
      unit_(location("unit")),
      opacity_(location("opacity")),
      revealed_(location("revealed")),
      marks_(location("marks")) {
  glUseProgram(program_.id());
  glUniform1i(location("cells"), 0);
  glUniform1i(location("colours"), 1);
}

void MatrixShader::use(const MatrixDraw& draw, const Projection& projection) {
  glUseProgram(program_.id());
  if (theme_ != draw.theme || flat_masked_ != draw.flat_masked) {
    theme_ = draw.theme;
    flat_masked_ = draw.flat_masked;
    glUniform3fv(marks_, 6, mark_colours(draw.theme, draw.flat_masked).data());
  }
  const Projection& p = projection;
  const std::array matrix{p.scale_x, 0.0f, 0.0f, 0.0f, 0.0f,       p.scale_y,  0.0f, 0.0f,
                          0.0f,      0.0f, 1.0f, 0.0f, p.offset_x, p.offset_y, 0.0f, 1.0f};
  glUniformMatrix4fv(projection_, 1, GL_FALSE, matrix.data());
  glUniform2i(count_, draw.cols, draw.rows);
  glUniform2i(size_, draw.width, draw.height);
  glUniform2f(cells_per_half_pixel_, static_cast<float>(draw.cols) / (2.0f * static_cast<float>(draw.width)),
              static_cast<float>(draw.rows) / (2.0f * static_cast<float>(draw.height)));
  glUniform1i(gap_, draw.gap);
  glUniform1f(cell_size_, shortest_side(draw));
  glUniform3fv(range_, 1, range_factors(draw.norm == Norm::log ? ValueRange{0, draw.range.hi} : draw.range).data());
  if (draw.norm != Norm::linear) glUniform1f(least_, draw.norm == Norm::log ? draw.range.lo / draw.range.hi : 0.0f);
  glUniform1f(centre_, draw.centre);
  glUniform1f(unit_, draw.scale);
  glUniform1f(opacity_, draw.opacity);
  glUniform2i(revealed_, draw.revealed_col, draw.revealed_row);
  if (draw.opacity >= 1) glDisable(GL_BLEND);
  // ImGui 1.92.9 and later bind a linear sampler, through which integer textures read as zero. ImGui's next reset
  // restores it.
  glBindSampler(0, 0);
  glBindSampler(1, 0);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, draw.colours);
  glActiveTexture(GL_TEXTURE0);
}

}  // namespace headlight
