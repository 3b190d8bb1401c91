// The shader that colours a matrix, and what it needs to know of one.
#pragma once

#include <optional>

#include "app/gl/gl_objects.h"
#include "core/figure/colormap.h"
#include "core/figure/range.h"
#include "core/image/theme.h"

namespace headlight {

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
