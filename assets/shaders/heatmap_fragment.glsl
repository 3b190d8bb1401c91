#version 330 core
// A matrix as coloured cells: the formulas of core/figure/heatmap_raster.h, so that the window and an exported figure
// agree within 1/255.
const int value = 0, masked = 1, neg_inf = 2, pos_inf = 3, nan = 4, dropped = 5;  // CellKind
const float root2 = 1.41421356;

uniform sampler2D values;      // rows × cols of one level of the matrix
uniform usampler2D kinds;      // as values; read where has_kinds
uniform sampler2D colours;     // 256 × 1
uniform ivec2 cells;           // cols, rows of the level
uniform ivec2 size;            // pixels of the whole matrix
uniform vec2 cells_per_half_pixel;
uniform bool has_kinds;
uniform bool pooled;           // more cells than pixels along an axis, at most twice as many
uniform int gap;               // pixels
uniform vec3 range;            // t = (value · x − y) · z
uniform float centre;          // the value that pooling measures extremes from
uniform float pattern_scale;   // pixels to a unit of the patterns
uniform float opacity;
uniform ivec2 revealed;        // cells from this col, row on are blank; row < 0: none is
uniform vec3 marks[6];         // hatch line and ground, mark line and ground, crossed line and ground

in vec2 pixel;
out vec4 colour;

// floor(half_pixels · cells / (2 size)) along each axis, exactly: a float's estimate, put right by integers that may wrap.
ivec2 cell_at(ivec2 half_pixels) {
  ivec2 cell = ivec2(vec2(half_pixels) * cells_per_half_pixel);
  ivec2 over = half_pixels * cells - 2 * size * cell;
  return cell + ivec2(greaterThanEqual(over, 2 * size)) - ivec2(lessThan(over, ivec2(0)));
}

// As pool() in core/figure/pool.h: NaN, +∞, the value farthest from the centre, masked, dropped, −∞.
int rank(int kind) {
  return kind == nan ? 5 : kind == pos_inf ? 4 : kind == value ? 3 : kind == masked ? 2 : kind == dropped ? 1 : 0;
}

void take_extreme(ivec2 cell, inout float v, inout int kind) {
  float other = texelFetch(values, cell, 0).r;
  int other_kind = has_kinds ? int(texelFetch(kinds, cell, 0).r) : value;
  if (other_kind == value && kind == value) {
    float far = abs(v - centre), other_far = abs(other - centre);
    if (other_far > far || (other_far == far && other > v)) v = other;
  } else if (rank(other_kind) > rank(kind)) {
    v = other;
    kind = other_kind;
  }
}

vec3 map_colour(float v) {
  float x = clamp((v * range.x - range.y) * range.z, 0.0, 1.0) * 255.0;
  int low = int(x);
  vec3 a = texelFetch(colours, ivec2(low, 0), 0).rgb;
  vec3 b = texelFetch(colours, ivec2(min(low + 1, 255), 0), 0).rgb;
  return mix(a, b, x - float(low));
}

float stripe(float u) {
  return clamp(0.5 + pattern_scale - abs(mod(u, 6.0 * pattern_scale) - 3.0 * pattern_scale) / root2, 0.0, 1.0);
}
float dots(vec2 p) {
  return clamp(0.5 + 1.25 * pattern_scale - length(mod(p, 5.0 * pattern_scale) - 2.5 * pattern_scale), 0.0, 1.0);
}
float cross_mark(vec2 d, float cell_size) {
  if (max(abs(d.x), abs(d.y)) > 0.32 * cell_size) return 0.0;
  return clamp(0.5 + 0.5 * pattern_scale - min(abs(d.x - d.y), abs(d.x + d.y)) / root2, 0.0, 1.0);
}

vec3 mark_colour(int kind, vec2 p, ivec2 cell) {
  vec2 cell_pixels = vec2(size) / vec2(min(cells, size));
  float cell_size = min(cell_pixels.x, cell_pixels.y);
  bool flat_marks = cell_size < 6.0 * pattern_scale;
  if (kind == masked || kind == neg_inf) return mix(marks[1], marks[0], stripe(p.x + p.y));
  if (kind == pos_inf) return mix(marks[3], marks[2], flat_marks ? 1.0 : stripe(p.y - p.x));
  if (kind == nan) return mix(marks[3], marks[2], flat_marks ? 1.0 : dots(p));
  vec2 d = p - (vec2(cell) + 0.5) * cell_pixels;
  return mix(marks[5], marks[4], flat_marks ? 0.35 : cross_mark(d, cell_size));
}

void main() {
  ivec2 p = ivec2(floor(pixel));
  ivec2 cell = cell_at(2 * p + 1);
  ivec2 last = cell;
  if (pooled) {
    // Along an axis with more cells than pixels, pixel i shows the cells from floor(i · cells / size) to the next one's.
    bvec2 along = greaterThan(cells, size);
    cell = ivec2(along.x ? cell_at(2 * p).x : cell.x, along.y ? cell_at(2 * p).y : cell.y);
    last = ivec2(along.x ? cell_at(2 * p + 2).x - 1 : cell.x, along.y ? cell_at(2 * p + 2).y - 1 : cell.y);
  }
  if (gap > 0) {
    ivec2 beyond = cell_at(2 * (p + gap) + 1);
    bvec2 between = bvec2(ivec2(lessThan(p + gap, size)) * ivec2(notEqual(beyond, cell)));
    if (any(between)) discard;
  }
  if (revealed.y >= 0 && (cell.y > revealed.y || (cell.y == revealed.y && cell.x >= revealed.x))) discard;

  float v = texelFetch(values, cell, 0).r;
  int kind = has_kinds ? int(texelFetch(kinds, cell, 0).r) : value;
  if (pooled) {
    if (last.x > cell.x) take_extreme(ivec2(last.x, cell.y), v, kind);
    if (last.y > cell.y) take_extreme(ivec2(cell.x, last.y), v, kind);
    if (last.x > cell.x && last.y > cell.y) take_extreme(last, v, kind);
  }
  colour = vec4(kind == value ? map_colour(v) : mark_colour(kind, pixel, cell), opacity);
}
