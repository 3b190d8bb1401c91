#include "app/gl/matrix_shader.h"

#include "shaders.h"

namespace headlight {
namespace {

GlProgram link_heatmap(GLuint position_location, GLuint uv_location) {
  const std::array attributes{AttributeLocation{"Position", position_location}, AttributeLocation{"UV", uv_location}};
  return make_program(shader_heatmap_vertex, shader_heatmap_fragment, attributes);
}

/// As normalise(): (v − lo) / (hi − lo), ½ for a range without width. The first factor keeps hi − lo finite.
std::array<float, 3> range_factors(ValueRange range) {
  const double lo = range.lo, width = static_cast<double>(range.hi) - lo;
  if (!(width > 0)) return {0.0f, -0.5f, 1.0f};
  const double shrink = width > 1e30 ? 0x1p-64 : width < 1e-30 ? 0x1p64 : 1.0;
  return {static_cast<float>(shrink), static_cast<float>(lo * shrink), static_cast<float>(1.0 / (width * shrink))};
}

std::array<float, 18> mark_colours(Theme theme) {
  const ThemeColours& of = colours(theme);
  std::array<float, 18> out{};
  std::size_t at = 0;
  for (const Rgba each : {of.hatch_line, of.hatch_ground, of.mark_line, of.mark_ground, of.crossed_line,
                          of.crossed_ground}) {
    for (const std::uint8_t channel : {each.r, each.g, each.b}) out[at++] = static_cast<float>(channel) / 255.0f;
  }
  return out;
}

}  // namespace

MatrixShader::MatrixShader(GLuint position_location, GLuint uv_location)
    : program_(link_heatmap(position_location, uv_location)) {
  const std::uint8_t value = 0;
  no_kinds_ = make_texture(TexelFormat::r8ui, 1, 1, &value, 1);
  projection_ = location("projection");
  cells_ = location("cells");
  size_ = location("size");
  cells_per_half_pixel_ = location("cells_per_half_pixel");
  has_kinds_ = location("has_kinds");
  pooled_ = location("pooled");
  gap_ = location("gap");
  range_ = location("range");
  centre_ = location("centre");
  scale_ = location("pattern_scale");
  opacity_ = location("opacity");
  revealed_ = location("revealed");
  marks_ = location("marks");
  glUseProgram(program_.id());
  glUniform1i(location("values"), 0);
  glUniform1i(location("kinds"), 1);
  glUniform1i(location("colours"), 2);
}

void MatrixShader::use(const MatrixDraw& draw, const Projection& projection) {
  glUseProgram(program_.id());
  if (theme_ != draw.theme) {
    theme_ = draw.theme;
    glUniform3fv(marks_, 6, mark_colours(draw.theme).data());
  }
  const Projection& p = projection;
  const std::array matrix{p.scale_x, 0.0f, 0.0f, 0.0f, 0.0f,       p.scale_y,  0.0f, 0.0f,
                          0.0f,      0.0f, 1.0f, 0.0f, p.offset_x, p.offset_y, 0.0f, 1.0f};
  glUniformMatrix4fv(projection_, 1, GL_FALSE, matrix.data());
  glUniform2i(cells_, draw.cols, draw.rows);
  glUniform2i(size_, draw.width, draw.height);
  glUniform2f(cells_per_half_pixel_, static_cast<float>(draw.cols) / (2.0f * static_cast<float>(draw.width)),
              static_cast<float>(draw.rows) / (2.0f * static_cast<float>(draw.height)));
  glUniform1i(has_kinds_, draw.kinds != 0);
  glUniform1i(pooled_, draw.cols > draw.width || draw.rows > draw.height);
  glUniform1i(gap_, draw.gap);
  glUniform3fv(range_, 1, range_factors(draw.range).data());
  glUniform1f(centre_, draw.centre);
  glUniform1f(scale_, draw.scale);
  glUniform1f(opacity_, draw.opacity);
  glUniform2i(revealed_, draw.revealed_col, draw.revealed_row);
  glActiveTexture(GL_TEXTURE1);
  glBindTexture(GL_TEXTURE_2D, draw.kinds != 0 ? draw.kinds : no_kinds_.id());
  glActiveTexture(GL_TEXTURE2);
  glBindTexture(GL_TEXTURE_2D, draw.colours);
  glActiveTexture(GL_TEXTURE0);
}

}  // namespace headlight
