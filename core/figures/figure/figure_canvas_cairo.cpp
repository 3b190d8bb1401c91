#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <new>

#include <cairo-pdf.h>
#include <cairo.h>

#include "core/figures/figure/canvas.h"
#include "core/figures/figure/raster_scale.h"

namespace headlight {
namespace {

constexpr double points_to_a_unit = 72.0 / 96.0;
constexpr Index most_rectangles = 64 * 64;
constexpr double hatched_pixels = 300.0 / 96.0;  // pixels for one unit: fine lines remain visible
constexpr double most_embedded = 600.0 / 96.0;   // pixels for one unit: more than a printer shows is not needed

double d(float x) { return static_cast<double>(x); }

void add_rectangle(cairo_t* cairo, const Box& rect) {
  cairo_rectangle(cairo, d(rect.x), d(rect.y), d(rect.w), d(rect.h));
}

/// While it exists, drawing is clipped to the rectangle.
class ClippedTo {
 public:
  ClippedTo(cairo_t* cairo, const Box& rect) : cairo_(cairo) {
    cairo_save(cairo);
    add_rectangle(cairo, rect);
    cairo_clip(cairo);
  }
  ClippedTo(const ClippedTo&) = delete;
  ClippedTo& operator=(const ClippedTo&) = delete;
  ~ClippedTo() { cairo_restore(cairo_); }

 private:
  cairo_t* cairo_;
};

void put_pixel(unsigned char* at, Rgba c) {
  if (c.a == 255) {
    const std::uint32_t opaque =
        255u << 24 | static_cast<std::uint32_t>(c.r) << 16 | static_cast<std::uint32_t>(c.g) << 8 | c.b;
    std::memcpy(at, &opaque, 4);
    return;
  }
  const auto shade = [&](std::uint8_t v) { return static_cast<std::uint32_t>((v * c.a + 127) / 255); };
  const std::uint32_t pixel = static_cast<std::uint32_t>(c.a) << 24 | shade(c.r) << 16 | shade(c.g) << 8 | shade(c.b);
  std::copy_n(reinterpret_cast<const unsigned char*>(&pixel), 4, at);
}

Rgba get_pixel(const unsigned char* at) {
  std::uint32_t pixel = 0;
  std::copy_n(at, 4, reinterpret_cast<unsigned char*>(&pixel));
  const std::uint32_t alpha = pixel >> 24;
  if (alpha == 255)
    return {static_cast<std::uint8_t>(pixel >> 16), static_cast<std::uint8_t>(pixel >> 8),
            static_cast<std::uint8_t>(pixel), 255};
  const auto shade = [&](unsigned shift) {
    const std::uint32_t v = pixel >> shift & 255;
    return static_cast<std::uint8_t>(alpha == 0 ? 0 : std::min(255u, (v * 255 + alpha / 2) / alpha));
  };
  return {shade(16), shade(8), shade(0), static_cast<std::uint8_t>(alpha)};
}

}  // namespace

struct FigureCanvas::Impl {
  Typesetter& typesetter;
  std::string bytes;  // the bytes of a PDF, which are written until the surface is destroyed
  std::unique_ptr<cairo_surface_t, decltype(&cairo_surface_destroy)> owned_surface{nullptr, cairo_surface_destroy};
  std::unique_ptr<cairo_t, decltype(&cairo_destroy)> owned_cairo{nullptr, cairo_destroy};
  cairo_surface_t* surface = nullptr;
  cairo_t* cairo = nullptr;

  explicit Impl(Typesetter& t) : typesetter(t) {}
};

FigureCanvas::FigureCanvas(Typesetter& typesetter) : impl_(std::make_unique<Impl>(typesetter)) {}

void FigureCanvas::draw_on(cairo_surface_t* surface, double scale) {
  impl_->owned_surface.reset(surface);
  impl_->owned_cairo.reset(cairo_create(surface));
  impl_->surface = surface;
  impl_->cairo = impl_->owned_cairo.get();
  if (cairo_status(impl_->cairo) != CAIRO_STATUS_SUCCESS) throw std::bad_alloc();
  cairo_scale(impl_->cairo, scale, scale);
}

FigureCanvas::~FigureCanvas() = default;

void FigureCanvas::set_colour(Rgba c) {
  cairo_set_source_rgba(impl_->cairo, c.r / 255.0, c.g / 255.0, c.b / 255.0, c.a / 255.0);
}

void FigureCanvas::path(const std::vector<PathStep>& steps, float width, Rgba colour, bool filled) {
  cairo_t* cairo = impl_->cairo;
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const auto& [to, curved, control] = steps[i];
    if (i == 0) cairo_move_to(cairo, d(to.x), d(to.y));
    else if (curved)
      cairo_curve_to(cairo, d(control[0].x), d(control[0].y), d(control[1].x), d(control[1].y), d(to.x), d(to.y));
    else cairo_line_to(cairo, d(to.x), d(to.y));
  }
  set_colour(colour);
  cairo_set_line_width(cairo, d(width));
  if (filled) cairo_fill(cairo);
  else cairo_stroke(cairo);
}

void FigureCanvas::area(const std::vector<std::vector<Point>>& polygons, Rgba colour) {
  cairo_t* cairo = impl_->cairo;
  for (const std::vector<Point>& polygon : polygons) {
    cairo_new_sub_path(cairo);
    for (const Point& p : turned_alike(polygon)) cairo_line_to(cairo, d(p.x), d(p.y));
    cairo_close_path(cairo);
  }
  set_colour(colour);
  cairo_fill(cairo);
}

void FigureCanvas::image(const Box& rect, const Image& image, bool smooth) {
  cairo_surface_t* pixels = cairo_image_surface_create(CAIRO_FORMAT_ARGB32, image.width, image.height);
  unsigned char* data = cairo_image_surface_get_data(pixels);
  const std::ptrdiff_t stride = cairo_image_surface_get_stride(pixels);
  for (int y = 0; y < image.height; ++y) {
    for (int x = 0; x < image.width; ++x) put_pixel(data + y * stride + std::ptrdiff_t{4} * x, image.at(x, y));
  }
  cairo_surface_mark_dirty(pixels);
  cairo_t* cairo = impl_->cairo;
  cairo_save(cairo);
  cairo_translate(cairo, d(rect.x), d(rect.y));
  cairo_scale(cairo, d(rect.w) / image.width, d(rect.h) / image.height);
  cairo_set_source_surface(cairo, pixels, 0, 0);
  cairo_pattern_set_filter(cairo_get_source(cairo), smooth ? CAIRO_FILTER_GOOD : CAIRO_FILTER_NEAREST);
  cairo_pattern_set_extend(cairo_get_source(cairo), CAIRO_EXTEND_PAD);
  cairo_rectangle(cairo, 0, 0, image.width, image.height);
  cairo_fill(cairo);
  cairo_restore(cairo);
  cairo_surface_destroy(pixels);
}

void FigureCanvas::clip(const std::optional<Box>& rect) {
  cairo_reset_clip(impl_->cairo);
  if (!rect) return;
  add_rectangle(impl_->cairo, *rect);
  cairo_clip(impl_->cairo);
}

// Pixels

PixelCanvas::PixelCanvas(float width, float height, float scale, Rgba background, Typesetter& typesetter)
    : FigureCanvas(typesetter), scale_(scale), width_(to_pixels(width)), height_(to_pixels(height)) {
  draw_on(cairo_image_surface_create(CAIRO_FORMAT_ARGB32, width_, height_), d(scale));
  if (background.a != 0) {
    set_colour(background);
    cairo_paint(impl_->cairo);
  }
}

void PixelCanvas::paste(const Image& image, int x, int y) {
  cairo_surface_flush(impl_->surface);
  unsigned char* pixels = cairo_image_surface_get_data(impl_->surface);
  const std::ptrdiff_t stride = cairo_image_surface_get_stride(impl_->surface);
  const int left = std::max(0, -x), right = std::min(image.width, width_ - x);
  for (int row = std::max(0, -y); row < image.height && y + row < height_; ++row) {
    unsigned char* to = pixels + (y + row) * stride + std::ptrdiff_t{4} * (x + left);
    const std::uint8_t* from = image.rgba.data() + (std::ptrdiff_t{row} * image.width + left) * 4;
    for (int col = left; col < right; ++col, to += 4, from += 4) put_pixel(to, {from[0], from[1], from[2], from[3]});
  }
  cairo_surface_mark_dirty(impl_->surface);
}

void PixelCanvas::fill(const Box& rect, Rgba colour) {
  const Pixels p = snap(rect);
  if (colour.a == 255) return paste(Image(p.w, p.h, colour), p.x, p.y);
  add_rectangle(impl_->cairo, rect);
  set_colour(colour);
  cairo_fill(impl_->cairo);
}

void PixelCanvas::text(const Label& label) {
  set_colour(label.colour);
  impl_->typesetter.draw_outlines(impl_->cairo, label);
}

Image PixelCanvas::take() {
  cairo_surface_flush(impl_->surface);
  const unsigned char* pixels = cairo_image_surface_get_data(impl_->surface);
  const std::ptrdiff_t stride = cairo_image_surface_get_stride(impl_->surface);
  Image image(width_, height_);
  for (int y = 0; y < height_; ++y) {
    std::uint8_t* to = image.rgba.data() + std::ptrdiff_t{y} * width_ * 4;
    for (int x = 0; x < width_; ++x, to += 4) {
      const Rgba colour = get_pixel(pixels + y * stride + std::ptrdiff_t{4} * x);
      to[0] = colour.r, to[1] = colour.g, to[2] = colour.b, to[3] = colour.a;
    }
  }
  return image;
}

// PDF

namespace {

cairo_status_t append(void* bytes, const unsigned char* data, unsigned int length) {
  static_cast<std::string*>(bytes)->append(reinterpret_cast<const char*>(data), length);
  return CAIRO_STATUS_SUCCESS;
}

/// The date in ISO 8601, as Cairo expects it.
std::string date() {
  const char* epoch = std::getenv("SOURCE_DATE_EPOCH");
  const std::time_t seconds = epoch != nullptr ? static_cast<std::time_t>(std::strtoll(epoch, nullptr, 10)) : 0;
  std::tm utc{};
  gmtime_r(&seconds, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace

bool PdfCanvas::is_available() { return true; }

PdfCanvas::PdfCanvas(float width, float height, Rgba background, Typesetter& typesetter, const PdfAbout& about)
    : FigureCanvas(typesetter), background_(background) {
  draw_on(cairo_pdf_surface_create_for_stream(append, &impl_->bytes, d(width) * points_to_a_unit,
                                              d(height) * points_to_a_unit),
          points_to_a_unit);
  cairo_pdf_surface_restrict_to_version(impl_->surface, CAIRO_PDF_VERSION_1_5);
  const std::string when = date();
  cairo_pdf_surface_set_metadata(impl_->surface, CAIRO_PDF_METADATA_TITLE, about.title.c_str());
  if (!about.subject.empty())
    cairo_pdf_surface_set_metadata(impl_->surface, CAIRO_PDF_METADATA_SUBJECT, about.subject.c_str());
  cairo_pdf_surface_set_metadata(impl_->surface, CAIRO_PDF_METADATA_CREATOR, "Headlight");
  cairo_pdf_surface_set_metadata(impl_->surface, CAIRO_PDF_METADATA_CREATE_DATE, when.c_str());
  begin_page(width, height);
}

void PdfCanvas::begin_page(float width, float height) {
  if (background_.a != 0) fill({0, 0, width, height}, background_);
}

void PdfCanvas::move_origin(Point by) { cairo_translate(impl_->cairo, d(by.x), d(by.y)); }

void PdfCanvas::next_page(float width, float height) {
  cairo_show_page(impl_->cairo);
  cairo_pdf_surface_set_size(impl_->surface, d(width) * points_to_a_unit, d(height) * points_to_a_unit);
  begin_page(width, height);
}

void PdfCanvas::fill(const Box& rect, Rgba colour) {
  add_rectangle(impl_->cairo, rect);
  set_colour(colour);
  cairo_fill(impl_->cairo);
}

void PdfCanvas::text(const Label& label) {
  if (label.text.empty()) return;
  set_colour(label.colour);
  impl_->typesetter.draw_text(impl_->cairo, label);
}

/// The lines of heatmap_raster.h over a rectangle. Their grid is fixed to the page, so that they continue from cell to
/// cell.
void PdfCanvas::stripes(const Box& rect, Rgba ground, Rgba line, bool rising, float fineness) {
  fill(rect, ground);
  cairo_t* cairo = impl_->cairo;
  const ClippedTo clipped(cairo, rect);
  const double step = d(6 * fineness);
  const double sign = rising ? 1 : -1, x0 = d(rect.x), x1 = d(rect.right()), y0 = d(rect.y), y1 = d(rect.bottom());
  // Lines x + sign · y = (k + ½) · step.
  const double low = x0 + std::min(sign * y0, sign * y1), high = x1 + std::max(sign * y0, sign * y1);
  for (double at = (std::floor(low / step) + 0.5) * step; at <= high + step; at += step) {
    cairo_move_to(cairo, at - sign * (y0 - 1), y0 - 1);
    cairo_line_to(cairo, at - sign * (y1 + 1), y1 + 1);
  }
  set_colour(line);
  cairo_set_line_width(cairo, d(1.4f * fineness));
  cairo_stroke(cairo);
}

void PdfCanvas::dots(const Box& rect, Rgba ground, Rgba line) {
  fill(rect, ground);
  cairo_t* cairo = impl_->cairo;
  const ClippedTo clipped(cairo, rect);
  constexpr double step = 5;
  const auto first = [](float from) { return std::floor(d(from) / step) * step + step / 2; };
  for (double y = first(rect.y); y < d(rect.bottom()) + step; y += step) {
    for (double x = first(rect.x); x < d(rect.right()) + step; x += step) {
      cairo_new_sub_path(cairo);
      cairo_arc(cairo, x, y, 1.25, 0, 6.283185307);
    }
  }
  set_colour(line);
  cairo_fill(cairo);
}

void PdfCanvas::cell(const Box& rect, CellKind kind, Rgba value_colour, const HeatmapStyle& style) {
  const ThemeColours& theme = colours(style.theme);
  const float side = std::min(rect.w, rect.h);
  switch (kind) {
    case CellKind::value: return fill(rect, value_colour);
    case CellKind::masked:
    case CellKind::neg_inf:
      return style.flat_masked ? fill(rect, flat_mask(style.theme))
                               : stripes(rect, theme.hatch_ground, theme.hatch_line, true, style.hatch);
    case CellKind::pos_inf:
      return side < 6 ? fill(rect, theme.mark_line) : stripes(rect, theme.mark_ground, theme.mark_line, false, 1);
    case CellKind::nan: return side < 6 ? fill(rect, theme.mark_line) : dots(rect, theme.mark_ground, theme.mark_line);
    case CellKind::dropped: break;
  }
  if (side < 6) return fill(rect, mix(theme.crossed_ground, theme.crossed_line, 0.35f));
  fill(rect, theme.crossed_ground);
  const float arm = 0.32f * side, x = rect.x + rect.w / 2, y = rect.y + rect.h / 2;
  for (const float up : {arm, -arm})
    path({PathStep{{x - arm, y - up}}, PathStep{{x + arm, y + up}}}, 1, theme.crossed_line, false);
}

void PdfCanvas::heatmap(const Box& rect, const MatrixView& matrix, const CellMasks& masks, const HeatmapStyle& style,
                        bool gaps) {
  const float w = rect.w / static_cast<float>(matrix.cols), h = rect.h / static_cast<float>(matrix.rows);
  if (matrix.rows * matrix.cols > most_rectangles) {
    // One pixel for each cell, drawn without smoothing. More cells than a printer shows are pooled; hatching needs
    // pixels for its lines.
    const auto pixels = [&](float units, double wanted) {
      const auto a_unit = d(raster_scale(rect.w, rect.h, static_cast<float>(wanted)));
      return static_cast<Index>(std::max(1.0, std::ceil(d(units) * a_unit)));
    };
    HeatmapStyle own = style;
    own.gap = 0;
    Index wide = std::min(matrix.cols, pixels(rect.w, most_embedded)),
          high = std::min(matrix.rows, pixels(rect.h, most_embedded));
    own.flat_masked = style.flat_masked || !(masks.allowed || masks.kept);
    if (!own.flat_masked) {
      wide = std::max(wide, pixels(rect.w, hatched_pixels));
      high = std::max(high, pixels(rect.h, hatched_pixels));
      own.scale = raster_scale(rect.w, rect.h, static_cast<float>(hatched_pixels));
    }
    return image(rect, heatmap_raster(matrix, masks, own, static_cast<int>(wide), static_cast<int>(high)), false);
  }
  const float gap = gaps ? static_cast<float>(heatmap_gap(d(w), d(h))) : 0;
  if (gap > 0) fill(rect, style.gap_colour);
  for (Index row = 0; row < matrix.rows; ++row) {
    for (Index col = 0; col < matrix.cols; ++col) {
      const CellKind kind = classify(matrix, masks, row, col);
      const bool masked = kind == CellKind::masked || kind == CellKind::neg_inf;
      const float seam = masked && (style.flat_masked || std::min(w, h) < 16) ? 0 : gap;
      Box box{rect.x + static_cast<float>(col) * w, rect.y + static_cast<float>(row) * h, w, h};
      // Without gaps, a cell extends under its neighbours, which are drawn over it, so that the background does not
      // show at the edges.
      const float reach = seam > 0 ? -seam : std::min(0.5f, std::min(w, h) / 2);
      if (col + 1 < matrix.cols) box.w += reach;
      if (row + 1 < matrix.rows) box.h += reach;
      cell(box, kind, kind == CellKind::value ? style.map->at(normalise(matrix(row, col), style.range)) : Rgba{},
           style);
    }
  }
}

void PdfCanvas::swatch(const Box& rect, CellKind kind, const HeatmapStyle& style) {
  cell(rect, kind, style.map->at(normalise(1, style.range)), style);
}

void PdfCanvas::colour_bar(const Box& rect, const Colormap& map, bool upright) {
  Image bar(upright ? 1 : 256, upright ? 256 : 1);
  for (int i = 0; i < 256; ++i) {
    const Rgba colour = map.table()[static_cast<std::size_t>(i)];
    upright ? bar.set(0, 255 - i, colour) : bar.set(i, 0, colour);
  }
  image(rect, bar, false);
}

std::string PdfCanvas::take() {
  cairo_surface_finish(impl_->surface);
  if (cairo_surface_status(impl_->surface) != CAIRO_STATUS_SUCCESS) throw std::bad_alloc();
  return std::move(impl_->bytes);
}

}  // namespace headlight
