// Canvases that need no library: SVG, and of pixels what is the same whatever draws lines and letters.

#include "core/figures/figure/canvas.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"
#include "core/figures/figure/raster_scale.h"

namespace headlight {
namespace {

constexpr Index most_svg_rectangles = 10'000;  // more would make huge files
constexpr float embedded_scale = 2;            // pixels for one unit in embedded pictures

/// Up to two decimals, without zeros at the end.
std::string number(float value) {
  std::string out = formatted("%.2f", static_cast<double>(value));
  out.erase(out.find_last_not_of('0') + 1);
  if (out.back() == '.') out.pop_back();
  return out == "-0" ? "0" : out;
}

std::string attribute(const char* name, const std::string& value) {
  return std::string(" ") + name + "=\"" + value + "\"";
}

std::string place(const Box& rect) {
  return attribute("x", number(rect.x)) + attribute("y", number(rect.y)) + attribute("width", number(rect.w)) +
         attribute("height", number(rect.h));
}

std::string paint(Rgba colour) {
  std::string out = attribute("fill", to_hex(colour));
  if (colour.a != 255) out += attribute("fill-opacity", number(static_cast<float>(colour.a) / 255));
  return out;
}

/// The patterns of heatmap_raster.h at scale 1. Their grids begin at the figure's origin.
std::string patterns(const ThemeColours& t, bool on_paper) {
  const auto pattern = [](const char* id, float period, Rgba ground, const std::string& inside) {
    return std::string("<pattern id=\"") + id + "\" patternUnits=\"userSpaceOnUse\"" +
           attribute("width", number(period)) + attribute("height", number(period)) + "><rect" +
           place({0, 0, period, period}) + paint(ground) + "/>" + inside + "</pattern>\n";
  };
  const auto stripes = [](Rgba ink, const char* path) {
    return std::string("<path d=\"") + path + "\" stroke=\"" + to_hex(ink) + "\" stroke-width=\"1.4\"/>";
  };
  const std::string fine =
      "<path d=\"M-0.5 2L2 -0.5M1 3.5L3.5 1\" stroke=\"" + to_hex(t.hatch_line) + "\" stroke-width=\"0.7\"/>";
  const std::string masked = on_paper
                                 ? pattern("masked", 3, t.hatch_ground, fine)
                                 : pattern("masked", 6, t.hatch_ground, stripes(t.hatch_line, "M-1 4L4 -1M2 7L7 2"));
  return "<defs>\n" + masked + pattern("infinite", 6, t.mark_ground, stripes(t.mark_line, "M-1 2L4 7M2 -1L7 4")) +
         pattern("nan", 5, t.mark_ground, "<circle cx=\"2.5\" cy=\"2.5\" r=\"1.25\"" + paint(t.mark_line) + "/>") +
         "</defs>\n";
}

}  // namespace

SvgCanvas::SvgCanvas(float width, float height, Rgba background, Theme theme, SvgText text, Typesetter& typesetter,
                     bool on_paper)
    : theme_(colours(theme)), text_(text), typesetter_(typesetter) {
  svg_ =
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<svg xmlns=\"http://www.w3.org/2000/svg\" "
      "xmlns:xlink=\"http://www.w3.org/1999/xlink\"" +
      attribute("width", on_paper ? number(width * 0.75f) + "pt" : number(width)) +
      attribute("height", on_paper ? number(height * 0.75f) + "pt" : number(height)) +
      attribute("viewBox", "0 0 " + number(width) + " " + number(height)) + ">\n" + patterns(theme_, on_paper);
  if (background.a != 0) fill({0, 0, width, height}, background);
}

void SvgCanvas::fill(const Box& rect, Rgba colour) { svg_ += "<rect" + place(rect) + paint(colour) + "/>\n"; }

void SvgCanvas::text(const Label& label) {
  if (text_ == SvgText::outlines && !has_pictures(label.text)) {
    const std::string path = typesetter_.outline(label);
    if (!path.empty()) svg_ += "<path d=\"" + path + "\"" + paint(label.colour) + "/>\n";
    return;
  }
  svg_ += "<text" + attribute("x", number(label.at.x)) + attribute("y", number(label.at.y)) +
          attribute("font-family", for_markup(typesetter_.families(label.role))) +
          attribute("font-size", number(label.size)) + paint(label.colour);
  const int weight = typesetter_.weight(label.role);
  if (weight != 400) svg_ += attribute("font-weight", std::to_string(weight));
  if (typesetter_.italic(label.role)) svg_ += attribute("font-style", "italic");
  if (label.anchor == Anchor::middle) svg_ += attribute("text-anchor", "middle");
  if (label.anchor == Anchor::end) svg_ += attribute("text-anchor", "end");
  if (label.angle != 0) {
    svg_ += attribute("transform",
                      "rotate(" + number(label.angle) + " " + number(label.at.x) + " " + number(label.at.y) + ")");
  }
  // Blanks at the beginning of tokens must stay.
  svg_ += " xml:space=\"preserve\">";
  std::string_view rest = label.text;
  const std::string drop = number(label.size * index_drop);
  bool low = false;
  while (true) {
    const std::size_t mark = std::min(rest.find_first_of(std::string_view("\x1E\x1F")), rest.size());
    const std::string part = for_markup(std::string(rest.substr(0, mark)));
    if (low)
      svg_ += "<tspan" + attribute("dy", drop) + attribute("font-size", number(label.size * index_size)) + ">" + part +
              "</tspan>";
    else if (!part.empty() && rest.data() != label.text.data())
      svg_ += "<tspan" + attribute("dy", "-" + drop) + ">" + part + "</tspan>";
    else svg_ += part;
    if (mark == rest.size()) break;
    low = rest[mark] == index_begins;
    rest.remove_prefix(mark + 1);
  }
  svg_ += "</text>\n";
}

void SvgCanvas::path(const std::vector<PathStep>& steps, float width, Rgba colour, bool filled) {
  const auto at = [](Point p) { return number(p.x) + " " + number(p.y) + " "; };
  std::string d;
  for (const PathStep& step : steps) {
    d += d.empty() ? "M" : step.curved ? "C" + at(step.control[0]) + at(step.control[1]) : "L";
    d += at(step.to);
  }
  svg_ += "<path d=\"" + d + "\"";
  if (filled) {
    svg_ += paint(colour);
  } else {
    svg_ += " fill=\"none\"" + attribute("stroke", to_hex(colour)) + attribute("stroke-width", number(width));
    if (colour.a != 255) svg_ += attribute("stroke-opacity", number(static_cast<float>(colour.a) / 255));
  }
  svg_ += "/>\n";
}

void SvgCanvas::cell(const Box& rect, CellKind kind, Rgba value_colour, bool flat_masked) {
  const auto with = [&](const char* pattern) { svg_ += "<rect" + place(rect) + " fill=\"url(#" + pattern + ")\"/>\n"; };
  switch (kind) {
    case CellKind::value: return fill(rect, value_colour);
    case CellKind::masked:
    case CellKind::neg_inf:
      return flat_masked ? fill(rect, flat_mask(&theme_ == &colours(Theme::dark) ? Theme::dark : Theme::light))
                         : with("masked");
    case CellKind::pos_inf: return with("infinite");
    case CellKind::nan: return with("nan");
    case CellKind::dropped: break;
  }
  fill(rect, theme_.crossed_ground);
  const float arm = 0.32f * std::min(rect.w, rect.h), x = rect.x + rect.w / 2, y = rect.y + rect.h / 2;
  const auto stroke = [&](float up) {
    return "M" + number(x - arm) + " " + number(y - up) + "L" + number(x + arm) + " " + number(y + up);
  };
  svg_ += "<path d=\"" + stroke(arm) + stroke(-arm) + "\" stroke=\"" + to_hex(theme_.crossed_line) + "\"/>\n";
}

void SvgCanvas::cells(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
                      float gap) {
  const float w = rect.w / static_cast<float>(matrix.cols), h = rect.h / static_cast<float>(matrix.rows);
  // Without gaps, antialiased edges would let the background through.
  svg_ += gap > 0 ? "<g>\n" : "<g shape-rendering=\"crispEdges\">\n";
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      const CellKind kind = classify(matrix, masks, row, col);
      const bool masked = kind == CellKind::masked || kind == CellKind::neg_inf;
      const bool through = masked && (style.flat_masked || std::min(w, h) < 16);
      const float seam = through ? 0 : gap;
      const Box box{rect.x + static_cast<float>(col) * w, rect.y + static_cast<float>(row) * h,
                    w - (col + 1 < matrix.cols ? seam : 0), h - (row + 1 < matrix.rows ? seam : 0)};
      const Rgba colour = kind == CellKind::value ? style.map->at(normalise(matrix(row, col), style.range)) : Rgba{};
      cell(box, kind, colour, style.flat_masked);
    }
  }
  svg_ += "</g>\n";
}

void SvgCanvas::heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
                        bool gaps) {
  const float w = rect.w / static_cast<float>(matrix.cols), h = rect.h / static_cast<float>(matrix.rows);
  const int gap = gaps ? heatmap_gap(static_cast<double>(w), static_cast<double>(h)) : 0;
  if (matrix.rows * matrix.cols <= most_svg_rectangles) {
    return cells(rect, matrix, masks, style, static_cast<float>(gap));
  }
  HeatmapStyle own = style;
  own.scale = raster_scale(rect.w, rect.h, embedded_scale);
  own.gap = static_cast<int>(std::lround(static_cast<float>(gap) * own.scale));
  const auto pixels = [&](float units) { return std::max(1, static_cast<int>(std::lround(units * own.scale))); };
  image(rect, heatmap_raster(matrix, masks, own, pixels(rect.w), pixels(rect.h)), false);
}

void SvgCanvas::area(const std::vector<std::vector<Point>>& polygons, Rgba colour) {
  std::string d;
  for (const std::vector<Point>& polygon : polygons) {
    char step = 'M';
    for (const Point& p : turned_alike(polygon)) {
      d += step + number(p.x) + " " + number(p.y);
      step = 'L';
    }
    d += "Z";
  }
  svg_ += "<path d=\"" + d + "\"" + paint(colour) + "/>\n";
}

void SvgCanvas::image(const Box& rect, const Image& image, bool smooth) {
  svg_ += "<image" + place(rect) + " preserveAspectRatio=\"none\" " +
          (smooth ? "" : "style=\"image-rendering:pixelated\" ") + "xlink:href=\"" + "data:image/png;base64," +
          base64(encode_png(image)) + "\"/>\n";
}

void SvgCanvas::clip(const std::optional<Box>& rect) {
  if (std::exchange(clipped_, rect.has_value())) svg_ += "</g>\n";
  if (!rect) return;
  const std::string id = "clip" + std::to_string(clips_++);
  svg_ += "<clipPath id=\"" + id + "\"><rect" + place(*rect) + "/></clipPath>\n<g clip-path=\"url(#" + id + ")\">\n";
}

void SvgCanvas::swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) {
  cell(rect, kind, style.map->at(normalise(1, style.range)), style.flat_masked);
}

void SvgCanvas::colour_bar(const Box& rect, const Colormap& map, bool upright) {
  const std::string id = "map" + std::to_string(gradients_++);
  svg_ += "<linearGradient id=\"" + id +
          (upright ? "\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">" : "\" x1=\"0\" y1=\"0\" x2=\"1\" y2=\"0\">");
  constexpr int stops = 32;
  for (int i = 0; i <= stops; ++i) {
    const float t = static_cast<float>(i) / stops;
    svg_ += "<stop" + attribute("offset", number(100 * t) + "%") + attribute("stop-color", to_hex(map.at(t))) + "/>";
  }
  svg_ += "</linearGradient>\n<rect" + place(rect) + " fill=\"url(#" + id + ")\"/>\n";
}

std::string with_svg_about(std::string svg, const std::string& title, const std::string& description) {
  const std::size_t inside = svg.find(">\n", svg.find("<svg")) + 2;
  std::string about = title.empty() ? std::string() : "<title>" + for_markup(title) + "</title>\n";
  about += "<desc>" + for_markup(description) + "</desc>\n";
  return svg.insert(inside, about);
}

std::string SvgCanvas::take() {
  clip({});
  return std::move(svg_) + "</svg>\n";
}

namespace {

int nearest(float units, float scale) { return static_cast<int>(std::lround(units * scale)); }

}  // namespace

int PixelCanvas::to_pixels(float units) const { return std::max(1, nearest(units, scale_)); }

PixelCanvas::Pixels PixelCanvas::snap(const Box& rect) const {
  const int x = nearest(rect.x, scale_), y = nearest(rect.y, scale_);
  return {x, y, std::max(1, nearest(rect.right(), scale_) - x), std::max(1, nearest(rect.bottom(), scale_) - y)};
}

void PixelCanvas::heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
                          bool gaps) {
  const Pixels p = snap(rect);
  HeatmapStyle own = style;
  own.scale = scale_;
  own.gap = gaps ? heatmap_gap(static_cast<double>(p.w) / static_cast<double>(matrix.cols),
                               static_cast<double>(p.h) / static_cast<double>(matrix.rows), scale_)
                 : 0;
  paste(heatmap_raster(matrix, masks, own, p.w, p.h), p.x, p.y);
}

void PixelCanvas::swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) {
  const Pixels p = snap(rect);
  HeatmapStyle own = style;
  own.scale = scale_;
  paste(cell_swatch(kind, own, p.w, p.h), p.x, p.y);
}

void PixelCanvas::colour_bar(const Box& rect, const Colormap& map, bool upright) {
  const Pixels p = snap(rect);
  Image bar(p.w, p.h);
  const int length = upright ? p.h : p.w;
  for (int i = 0; i < length; ++i) {
    const float t = (static_cast<float>(i) + 0.5f) / static_cast<float>(length);
    const Rgba colour = map.at(upright ? 1 - t : t);
    for (int across = 0; across < (upright ? p.w : p.h); ++across)
      upright ? bar.set(across, i, colour) : bar.set(i, across, colour);
  }
  paste(bar, p.x, p.y);
}

std::vector<PathStep> through(std::initializer_list<Point> points) {
  std::vector<PathStep> steps;
  for (const Point& point : points) steps.push_back(PathStep{point});
  return steps;
}

std::vector<PathStep> around(const Box& box) {
  return through(
      {{box.x, box.y}, {box.right(), box.y}, {box.right(), box.bottom()}, {box.x, box.bottom()}, {box.x, box.y}});
}

std::vector<Point> turned_alike(const std::vector<Point>& polygon) {
  float twice = 0;  // twice the signed area
  for (std::size_t i = 0; i < polygon.size(); ++i) {
    const Point &a = polygon[i], &b = polygon[(i + 1) % polygon.size()];
    twice += a.x * b.y - b.x * a.y;
  }
  if (twice < 0) return {polygon.rbegin(), polygon.rend()};
  return polygon;
}

}  // namespace headlight
