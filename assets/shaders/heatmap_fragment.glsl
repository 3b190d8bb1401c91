// A matrix as coloured cells: the formulas of core/figures/figure/heatmap_raster.h, so that the window and an exported figure
// agree within 1/255. Compiled once for each set of these, as a software rasteriser pays for every branch:
//   POOLED    more cells than pixels along an axis, at most twice as many
//   GAPS      cells are set apart
//   PARTLY    not all cells are revealed
//   EXACT     a cell a pixel, without gaps
//   HATCHED   some cells are masked or −∞
//   MARKED    some cells are NaN, +∞ or dropped
//   SPREAD    values above zero are spread by their root or logarithm
const uint masked = 1u, neg_inf = 2u, pos_inf = 3u, nan = 4u, dropped = 5u;  // CellKind
const int steps = 8;  // entries of `colours` to an entry of the colour map

uniform usampler2D cells;   // a value's bits, or a NaN whose last bits are the CellKind
uniform sampler2D colours;  // steps · 255 + 1 wide
uniform ivec2 count;        // cells along x, y
uniform ivec2 size;         // pixels of the whole matrix
uniform vec2 cells_per_half_pixel;
uniform int gap;            // pixels
uniform vec3 range;         // t = (value · x − y) · z
uniform float least;        // SPREAD: of the logarithm's range, the low end to the high one; 0: the root
uniform float cell_size;    // pixels, the shorter way
uniform float centre;       // the value that pooling measures extremes from
uniform float unit;         // pixels to a unit of the patterns
uniform float opacity;
uniform ivec2 revealed;     // cells from this col, row on are blank
uniform vec3 marks[6];      // hatch line and ground, mark line and ground, crossed line and ground

in vec2 pixel;
out vec4 colour;

bool is_value(uint cell) { return (cell & 0x7F800000u) != 0x7F800000u; }
uint kind_of(uint cell) { return cell & 7u; }

#if defined(POOLED) && defined(MARKED)
// As pool() in core/figures/figure/pool.h: NaN, +∞, the value farthest from the centre, masked, dropped, −∞.
int rank(uint cell) {
  uint kind = kind_of(cell);
  return is_value(cell) ? 3 : kind == nan ? 5 : kind == pos_inf ? 4 : kind == masked ? 2 : kind == dropped ? 1 : 0;
}
uint extreme(uint a, uint b) {
  float x = uintBitsToFloat(a), y = uintBitsToFloat(b);
  float far_x = abs(x - centre), far_y = abs(y - centre);
  bool farther = far_y > far_x || (far_y == far_x && y > x);
  return (is_value(a) && is_value(b) ? farther : rank(b) > rank(a)) ? b : a;
}
uint extreme(uint a, uint b, uint c, uint d) { return extreme(extreme(a, b), extreme(c, d)); }
#elif defined(POOLED)
// The same, faster, where there are only values and hatched cells: these are taken for the centre, which never wins.
float or_centre(uint cell) { return is_value(cell) ? uintBitsToFloat(cell) : centre; }
uint extreme(uint a, uint b, uint c, uint d) {
#ifdef HATCHED
  if (!is_value(a) && !is_value(b) && !is_value(c) && !is_value(d)) return a;
  vec4 v = vec4(or_centre(a), or_centre(b), or_centre(c), or_centre(d));
#else
  vec4 v = uintBitsToFloat(uvec4(a, b, c, d));
#endif
  float low = min(min(v.x, v.y), min(v.z, v.w)), high = max(max(v.x, v.y), max(v.z, v.w));
  return floatBitsToUint(high - centre >= centre - low ? high : low);
}
#endif

vec3 value_colour(float v) {
  float t = clamp((v * range.x - range.y) * range.z, 0.0, 1.0);
#ifdef SPREAD
  t = least > 0.0 ? clamp(1.0 - log(max(t, least)) / log(least), 0.0, 1.0) : sqrt(t);
#endif
  return texelFetch(colours, ivec2(int(t * float(255 * steps) + 0.5), 0), 0).rgb;
}

float wrap(float x, float period) { return x - period * floor(x / period); }
float stripe(float u) {
  return clamp(0.5 + 0.7 * unit - abs(wrap(u, 6.0 * unit) - 3.0 * unit) * 0.70710678, 0.0, 1.0);
}

#ifdef MARKED
float dots(vec2 p) {
  return clamp(0.5 + 1.25 * unit - length(vec2(wrap(p.x, 5.0 * unit), wrap(p.y, 5.0 * unit)) - 2.5 * unit), 0.0, 1.0);
}
float cross_mark(vec2 d) {
  if (max(abs(d.x), abs(d.y)) > 0.32 * cell_size) return 0.0;
  return clamp(0.5 + 0.5 * unit - min(abs(d.x - d.y), abs(d.x + d.y)) * 0.70710678, 0.0, 1.0);
}
vec3 mark_colour(uint kind, ivec2 cell) {
  bool plain = cell_size < 6.0 * unit;
  if (kind == pos_inf) return mix(marks[3], marks[2], plain ? 1.0 : stripe(pixel.y - pixel.x));
  if (kind == nan) return mix(marks[3], marks[2], plain ? 1.0 : dots(pixel));
  vec2 d = pixel - (vec2(cell) + 0.5) * vec2(size) / vec2(count);
  return mix(marks[5], marks[4], plain ? 0.35 : cross_mark(d));
}
#endif

vec3 cell_colour(uint bits, ivec2 cell) {
  vec3 result = value_colour(uintBitsToFloat(bits));
#ifdef HATCHED
  if (!is_value(bits) && kind_of(bits) <= neg_inf) result = mix(marks[1], marks[0], stripe(pixel.x + pixel.y));
#endif
#ifdef MARKED
  if (!is_value(bits) && kind_of(bits) > neg_inf) result = mark_colour(kind_of(bits), cell);
#endif
  return result;
}

void main() {
  ivec2 p = ivec2(floor(pixel));
#ifdef EXACT
  ivec2 cell = p;
#else
  ivec2 half_pixels = 2 * p + 1;
#ifdef POOLED
  // Along an axis with more cells than pixels, pixel i shows the cells from floor(i · count / size) to the next one's.
  half_pixels -= ivec2(greaterThan(count, size));
#endif
  // floor(half_pixels · count / (2 size)), exactly: a float's estimate, put right by integers, which may wrap.
  ivec2 whole = 2 * size;
  ivec2 cell = ivec2(vec2(half_pixels) * cells_per_half_pixel);
  ivec2 over = half_pixels * count - whole * cell;
  ivec2 correction = ivec2(greaterThanEqual(over, whole)) - ivec2(lessThan(over, ivec2(0)));
  cell += correction;
  over -= whole * correction;
#endif
#ifdef GAPS
  bvec2 ends = greaterThanEqual(over + 2 * gap * count, whole), inside = lessThan(p + gap, size);
  bool seam = (ends.x && inside.x) || (ends.y && inside.y);
#ifndef HATCHED
  if (seam) discard;
#endif
#endif
#ifdef PARTLY
  if (cell.y > revealed.y || (cell.y == revealed.y && cell.x >= revealed.x)) discard;
#endif

  uint bits = texelFetch(cells, cell, 0).r;
#ifdef POOLED
  ivec2 next = over + 2 * count;
  ivec2 last = max(cell, cell - 1 + ivec2(greaterThanEqual(next, whole)) + ivec2(greaterThanEqual(next, 2 * whole)));
  last = ivec2(count.x > size.x ? last.x : cell.x, count.y > size.y ? last.y : cell.y);
  bits = extreme(bits, texelFetch(cells, ivec2(last.x, cell.y), 0).r, texelFetch(cells, ivec2(cell.x, last.y), 0).r,
                 texelFetch(cells, last, 0).r);
#endif
#if defined(GAPS) && defined(HATCHED)
  bool hatched = !is_value(bits) && kind_of(bits) <= neg_inf;
  if (seam && (!hatched || cell_size >= 16.0 * unit)) discard;  // hatching runs through small cells
#endif
  colour = vec4(cell_colour(bits, cell), opacity);
}
