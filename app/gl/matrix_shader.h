// The shader that colours a matrix, and what it needs to know of one.
#pragma once

#include <array>
#include <optional>

#include "app/gl/gl_objects.h"
#include "core/figure/range.h"
#include "core/figure/theme.h"

namespace headlight {

/// One matrix to draw. Lengths in pixels of the framebuffer.
struct MatrixDraw {
  GLuint values = 0;
  GLuint kinds = 0;    ///< 0: all cells are values
  GLuint colours = 0;  ///< the colour map, 256 × 1
  int rows = 0, cols = 0;
  int width = 0, height = 0;
  int gap = 0;
  ValueRange range;
  float centre = 0;
  float scale = 1;
  float opacity = 1;
  Theme theme = Theme::light;
  int revealed_row = -1, revealed_col = 0;  ///< in cells of the level; cells from there on are blank; −1: none is
};

/// Maps ImGui's coordinates to clip space: x · scale + offset.
struct Projection {
  float scale_x, scale_y, offset_x, offset_y;
};

class MatrixShader {
 public:
  /// `positions`, `uvs`: the attribute locations that ImGui's backend has set up.
  MatrixShader(GLuint position_location, GLuint uv_location);
  /// Makes the next triangles show the matrix: their UV counts its pixels from the top left. Changes the program and
  /// texture units 1 and 2; the values belong on unit 0.
  void use(const MatrixDraw& draw, const Projection& projection);

 private:
  GLint location(const char* uniform) const { return glGetUniformLocation(program_.id(), uniform); }

  GlProgram program_;
  GlTexture no_kinds_;
  std::optional<Theme> theme_;  ///< whose marks the program has
  GLint projection_, cells_, size_, cells_per_half_pixel_, has_kinds_, pooled_, gap_, range_, centre_, scale_, opacity_,
      revealed_, marks_;
};

}  // namespace headlight
