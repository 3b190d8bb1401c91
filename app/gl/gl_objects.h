// RAII owners of OpenGL objects: textures, programs, framebuffers.
//
// All functions, including destructors, need the context that the object was created in to be current.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include <glad/gl.h>

#include "core/base/image/png_image.h"
#include "core/base/image/theme.h"
#include "core/figures/figure/colormap.h"

namespace headlight {

/// Loads OpenGL's functions through `load`. Throws InputError if the context is older than OpenGL 3.3. Debug builds
/// print the driver's errors on standard error, if the driver reports them.
void load_opengl(GLADloadfunc load);
/// The first line of shaders on this system: the language version for ImGui's shaders, everything that ours need.
const char* shader_version();
const char* shader_head();
/// The name of the renderer: "llvmpipe (LLVM 15.0.6, 256 bits)".
std::string opengl_renderer();
/// Whether the driver was reset and all objects are lost: drawing then needs a new context.
bool context_is_lost();

/// Calls Deleter with the id on destruction.
template <void (*Deleter)(GLuint)>
class GlHandle {
 public:
  GlHandle() = default;
  explicit GlHandle(GLuint id) : id_(id) {}
  GlHandle(GlHandle&& other) noexcept : id_(std::exchange(other.id_, 0)) {}
  GlHandle& operator=(GlHandle&& other) noexcept {
    std::swap(id_, other.id_);
    return *this;
  }
  ~GlHandle() {
    if (id_ != 0) Deleter(id_);
  }
  GLuint id() const { return id_; }
  explicit operator bool() const { return id_ != 0; }

 private:
  GLuint id_ = 0;
};

void delete_texture(GLuint id);
void delete_program(GLuint id);
void delete_shader(GLuint id);
void delete_framebuffer(GLuint id);

using GlTexture = GlHandle<delete_texture>;
using GlProgram = GlHandle<delete_program>;
using GlShader = GlHandle<delete_shader>;

/// The format of a texture's texels.
enum class TexelFormat { r32ui, rgba8 };

/// A texture read texel by texel, without filtering. `texels` may be null.
GlTexture make_texture(TexelFormat format, int width, int height, const void* texels, int texels_a_row);
/// Replaces `height` rows from `first_row` on.
void update_texture(const GlTexture& texture, TexelFormat format, int width, int first_row, int height,
                    const void* texels, int texels_a_row);
/// The largest width and height of a texture.
int max_texture_size();

/// Binds `attributes` to these locations. Throws std::runtime_error with the compiler's message: a programmer's error.
struct AttributeLocation {
  const char* name;
  GLuint location;
};
GlProgram make_program(const char* vertex_source, const char* fragment_source,
                       std::span<const AttributeLocation> attributes);

/// An off-screen render target: 8 bits per channel, no depth.
class Framebuffer {
 public:
  Framebuffer(int width, int height);
  void bind() const;
  /// The pixels from the top left, opaque.
  Image read() const;

 private:
  int width_, height_;
  GlTexture colour_;
  GlHandle<delete_framebuffer> framebuffer_;
};

/// The pixels of the bound framebuffer, from the top left, opaque.
Image read_pixels(int width, int height);

// The shader that colours a matrix, and its parameters.

/// One matrix to draw. Lengths are in pixels of the framebuffer.
struct MatrixDraw {
  GLuint cells = 0;    ///< as MatrixLevel::cells
  GLuint colours = 0;  ///< from make_colours()
  int rows = 0, cols = 0;
  int width = 0, height = 0;
  bool hatched = false, marked = false;
  int gap = 0;
  ValueRange range;
  Norm norm = Norm::linear;
  bool flat_masked = false;  ///< cells too small for hatching, which would be too prominent
  float centre = 0;
  float scale = 1;  ///< pixels per unit of the patterns
  float opacity = 1;
  Theme theme = Theme::light;
  int revealed_row = 0, revealed_col = 0;  ///< cells from there on are blank; row = `rows`: none
};

/// The map's colours, interpolated so finely that the nearest one is within 1/255.
GlTexture make_colours(const Colormap& map);

/// Maps ImGui's coordinates to clip space: x · scale + offset.
struct Projection {
  float scale_x, scale_y, offset_x, offset_y;
};

class MatrixShader {
 public:
  /// The shader variant for a matrix, from 0 to variants − 1.
  static unsigned variant_of(const MatrixDraw& draw);
  static constexpr unsigned variants = 128;

  /// `position`, `uv`: the attribute locations of ImGui's backend.
  MatrixShader(unsigned variant, GLuint position, GLuint uv);
  /// Makes the following triangles show the matrix: their UV are its pixel coordinates from the top left. Changes the
  /// program, blending and texture unit 1; the cells must be bound to unit 0.
  void use(const MatrixDraw& draw, const Projection& projection);

 private:
  GLint location(const char* uniform) const { return glGetUniformLocation(program_.id(), uniform); }

  GlProgram program_;
  std::optional<Theme> theme_;  ///< theme of the marks in the program
  bool flat_masked_ = false;
  GLint projection_, count_, size_, cells_per_half_pixel_, gap_, cell_size_, range_, least_, centre_, unit_, opacity_,
      revealed_, marks_;
};

}  // namespace headlight
