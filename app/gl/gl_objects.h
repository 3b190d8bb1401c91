// What OpenGL gives out and wants back: textures, programs, framebuffers, each owned by one value.
//
// All of it needs the context current that it was made in, for destruction too.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <utility>

#include <glad/gl.h>

#include "core/figure/colormap.h"
#include "core/image/png_image.h"
#include "core/image/theme.h"

namespace headlight {

/// Reads OpenGL's functions through `load`. Throws InputError where the context is older than OpenGL 3.3. In debug
/// builds the driver's errors are printed on standard error, where it tells them.
void load_opengl(GLADloadfunc load);
/// What this system's shaders begin with: the language's version for ImGui's, all that ours need.
const char* shader_version();
const char* shader_head();
/// What draws: "llvmpipe (LLVM 15.0.6, 256 bits)".
std::string opengl_renderer();
/// The driver was reset, and all that it held is gone: only a new context draws again.
bool context_is_lost();

/// Deleter is called with the id when it goes.
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

/// What the texels of a texture are.
enum class TexelFormat { r32ui, rgba8 };

/// A texture read texel by texel, without filtering. `texels` may be null.
GlTexture make_texture(TexelFormat format, int width, int height, const void* texels, int texels_a_row);
/// Replaces `height` rows from `first_row` on.
void update_texture(const GlTexture& texture, TexelFormat format, int width, int first_row, int height,
                    const void* texels, int texels_a_row);
/// The largest width and height of a texture.
int max_texture_size();

/// `attributes` are bound to these locations. Throws std::runtime_error with the compiler's message: a mistake of ours.
struct AttributeLocation {
  const char* name;
  GLuint location;
};
GlProgram make_program(const char* vertex_source, const char* fragment_source,
                       std::span<const AttributeLocation> attributes);

/// Somewhere to draw that is not a window: 8 bits a channel, no depth.
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

/// The pixels of the framebuffer that is bound, from the top left, opaque.
Image read_pixels(int width, int height);

// The shader that colours a matrix, and what it needs to know of one.

/// One matrix to draw. Lengths in pixels of the framebuffer.
struct MatrixDraw {
  GLuint cells = 0;    ///< as MatrixLevel::cells
  GLuint colours = 0;  ///< as make_colours() gives them
  int rows = 0, cols = 0;
  int width = 0, height = 0;
  bool hatched = false, marked = false;
  int gap = 0;
  ValueRange range;
  Norm norm = Norm::linear;
  bool flat_masked = false;  ///< cells too small for hatching, which would outshine what is beside it
  float centre = 0;
  float scale = 1;  ///< pixels to a unit of the patterns
  float opacity = 1;
  Theme theme = Theme::light;
  int revealed_row = 0, revealed_col = 0;  ///< cells from there on are blank; row `rows`: none is
};

/// The map's colours, so finely interpolated that the nearest is right within 1/255.
GlTexture make_colours(const Colormap& map);

/// Maps ImGui's coordinates to clip space: x · scale + offset.
struct Projection {
  float scale_x, scale_y, offset_x, offset_y;
};

class MatrixShader {
 public:
  /// Which of the shader's variants a matrix needs, from 0 to variants − 1.
  static unsigned variant_of(const MatrixDraw& draw);
  static constexpr unsigned variants = 128;

  /// `position`, `uv`: the attribute locations that ImGui's backend has set up.
  MatrixShader(unsigned variant, GLuint position, GLuint uv);
  /// Makes the next triangles show the matrix: their UV counts its pixels from the top left. Changes the program,
  /// blending and texture unit 1; the cells belong on unit 0.
  void use(const MatrixDraw& draw, const Projection& projection);

 private:
  GLint location(const char* uniform) const { return glGetUniformLocation(program_.id(), uniform); }

  GlProgram program_;
  std::optional<Theme> theme_;  ///< whose marks the program has
  bool flat_masked_ = false;
  GLint projection_, count_, size_, cells_per_half_pixel_, gap_, cell_size_, range_, least_, centre_, unit_, opacity_,
      revealed_, marks_;
};

}  // namespace headlight
