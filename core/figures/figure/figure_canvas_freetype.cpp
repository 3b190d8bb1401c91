// Drawing with FreeType's rasteriser: filled outlines, and lines through its stroker. There is no PDF.
#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H
#include FT_STROKER_H

#include "core/base/tensor/error.h"
#include "core/figures/figure/canvas.h"

namespace headlight {
namespace {

/// `over` on `under`, without premultiplied alpha; `coverage` of the pixel is 0…255.
Rgba blend(Rgba under, Rgba over, int coverage) {
  const int alpha = (over.a * coverage + 127) / 255;
  if (alpha == 255) return over;
  const int rest = (under.a * (255 - alpha) + 127) / 255, whole = alpha + rest;
  if (whole == 0) return {0, 0, 0, 0};
  const auto channel = [&](std::uint8_t o, std::uint8_t u) {
    return static_cast<std::uint8_t>((o * alpha + u * rest + whole / 2) / whole);
  };
  return {channel(over.r, under.r), channel(over.g, under.g), channel(over.b, under.b),
          static_cast<std::uint8_t>(whole)};
}

/// Contours in FreeType's 26.6 fixed point, with y upwards.
class Outline {
 public:
  explicit Outline(float scale) : scale_(scale) {}

  void begin() { contour_start_ = points_.size(); }
  void add(Point p, char tag) {
    const auto fine = [this](float x) { return static_cast<FT_Pos>(std::lround(x * scale_ * 64)); };
    points_.push_back({fine(p.x), -fine(p.y)});
    tags_.push_back(static_cast<Tag>(tag));
  }
  void add(const PathStep& step) {
    if (step.curved) {
      add(step.control[0], FT_CURVE_TAG_CUBIC);
      add(step.control[1], FT_CURVE_TAG_CUBIC);
    }
    add(step.to, FT_CURVE_TAG_ON);
  }
  void add(const std::vector<PathStep>& contour) {
    begin();
    for (const PathStep& step : contour) add(step);
    end();
  }
  void end() {
    if (points_.size() > contour_start_) ends_.push_back(static_cast<End>(points_.size() - 1));
  }
  bool empty() const { return points_.empty(); }
  /// Whether the number of points is near the limit of an outline.
  bool full() const { return points_.size() > 30000; }
  FT_Outline get() {
    FT_Outline outline{};
    outline.n_contours = static_cast<decltype(outline.n_contours)>(ends_.size());
    outline.n_points = static_cast<decltype(outline.n_points)>(points_.size());
    outline.points = points_.data();
    outline.tags = tags_.data();
    outline.contours = ends_.data();
    return outline;
  }
  void clear() {
    points_.clear();
    tags_.clear();
    ends_.clear();
  }

 private:
  using Tag = std::remove_pointer_t<decltype(FT_Outline::tags)>;  // its sign depends on FreeType's version
  using End = std::remove_pointer_t<decltype(FT_Outline::contours)>;
  float scale_;
  std::size_t contour_start_ = 0;
  std::vector<FT_Vector> points_;
  std::vector<Tag> tags_;
  std::vector<End> ends_;
};

}  // namespace

struct FigureCanvas::Impl {
  Typesetter& typesetter;
  FT_Library library = nullptr;
  float scale = 1;
  Image pixels;
  std::optional<Box> clip;

  explicit Impl(Typesetter& t) : typesetter(t) {
    if (FT_Init_FreeType(&library) != 0) throw std::bad_alloc();
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() { FT_Done_FreeType(library); }

  void put(int x, int y, Rgba colour, int coverage) {
    if (x < 0 || y < 0 || x >= pixels.width || y >= pixels.height) return;
    pixels.set(x, y, blend(pixels.at(x, y), colour, coverage));
  }

  void fill(FT_Outline outline, Rgba colour) {
    struct Target {
      Impl* canvas;
      Rgba colour;
    } target{this, colour};
    FT_Raster_Params params{};
    params.flags = FT_RASTER_FLAG_AA | FT_RASTER_FLAG_DIRECT | FT_RASTER_FLAG_CLIP;
    params.user = &target;
    params.clip_box = clip_box();
    params.gray_spans = [](int y, int count, const FT_Span* spans, void* user) {
      const Target& to = *static_cast<Target*>(user);
      for (const FT_Span* span = spans; span != spans + count; ++span) {
        for (int x = span->x; x < span->x + span->len; ++x) to.canvas->put(x, -1 - y, to.colour, span->coverage);
      }
    };
    FT_Outline_Render(library, &outline, &params);
  }

  /// In pixels, y upwards.
  FT_BBox clip_box() const {
    if (!clip) return {0, -pixels.height, pixels.width, 0};
    const auto nearest = [this](float x) { return static_cast<FT_Pos>(std::lround(x * scale)); };
    return {std::max<FT_Pos>(0, nearest(clip->x)), std::max<FT_Pos>(-pixels.height, -nearest(clip->bottom())),
            std::min<FT_Pos>(pixels.width, nearest(clip->right())), std::min<FT_Pos>(0, -nearest(clip->y))};
  }

  void stroke(const std::vector<PathStep>& steps, float width, Rgba colour) {
    if (steps.size() < 2) return;
    Outline line(scale);
    line.add(steps);
    FT_Outline path = line.get();
    FT_Stroker stroker = nullptr;
    if (FT_Stroker_New(library, &stroker) != 0) throw std::bad_alloc();
    FT_Stroker_Set(stroker, static_cast<FT_Fixed>(std::lround(width * scale * 32)), FT_STROKER_LINECAP_BUTT,
                   FT_STROKER_LINEJOIN_MITER_FIXED, 10 << 16);
    FT_UInt points = 0, contours = 0;
    FT_Outline drawn{};
    if (FT_Stroker_ParseOutline(stroker, &path, 1) == 0 && FT_Stroker_GetCounts(stroker, &points, &contours) == 0 &&
        points > 0 && FT_Outline_New(library, points, static_cast<FT_Int>(contours), &drawn) == 0) {
      drawn.n_points = 0;
      drawn.n_contours = 0;
      FT_Stroker_Export(stroker, &drawn);
      fill(drawn, colour);
      FT_Outline_Done(library, &drawn);
    }
    FT_Stroker_Done(stroker);
  }
};

FigureCanvas::FigureCanvas(Typesetter& typesetter) : impl_(std::make_unique<Impl>(typesetter)) {}

FigureCanvas::~FigureCanvas() = default;

void FigureCanvas::path(const std::vector<PathStep>& steps, float width, Rgba colour, bool filled) {
  if (!filled) return impl_->stroke(steps, width, colour);
  Outline outline(impl_->scale);
  outline.add(steps);
  if (!outline.empty()) impl_->fill(outline.get(), colour);
}

void FigureCanvas::area(const std::vector<std::vector<Point>>& polygons, Rgba colour) {
  Outline outline(impl_->scale);
  const auto fill_it = [&] {
    if (!outline.empty()) impl_->fill(outline.get(), colour);
    outline.clear();
  };
  for (const std::vector<Point>& polygon : polygons) {
    outline.begin();
    for (const Point& p : turned_alike(polygon)) outline.add(p, FT_CURVE_TAG_ON);
    outline.end();
    if (outline.full()) fill_it();
  }
  fill_it();
}

void FigureCanvas::image(const Box& rect, const Image& image, bool) {
  const auto nearest = [this](float x) { return static_cast<int>(std::lround(x * impl_->scale)); };
  const int left = nearest(rect.x), top = nearest(rect.y), right = nearest(rect.right()),
            bottom = nearest(rect.bottom());
  for (int y = top; y < bottom; ++y) {
    for (int x = left; x < right; ++x) {
      impl_->put(x, y, image.at((x - left) * image.width / (right - left), (y - top) * image.height / (bottom - top)),
                 255);
    }
  }
}

void FigureCanvas::clip(const std::optional<Box>& rect) { impl_->clip = rect; }

PixelCanvas::PixelCanvas(float width, float height, float scale, Rgba background, Typesetter& typesetter)
    : FigureCanvas(typesetter), scale_(scale), width_(to_pixels(width)), height_(to_pixels(height)) {
  impl_->scale = scale;
  impl_->pixels = Image(width_, height_, background);
}

void PixelCanvas::paste(const Image& image, int x, int y) {
  for (int row = std::max(0, -y); row < image.height && y + row < height_; ++row) {
    for (int col = std::max(0, -x); col < image.width && x + col < width_; ++col)
      impl_->pixels.set(x + col, y + row, image.at(col, row));
  }
}

void PixelCanvas::fill(const Box& rect, Rgba colour) {
  const Pixels p = snap(rect);
  if (colour.a == 255) return paste(Image(p.w, p.h, colour), p.x, p.y);
  area({{{rect.x, rect.y}, {rect.right(), rect.y}, {rect.right(), rect.bottom()}, {rect.x, rect.bottom()}}}, colour);
}

void PixelCanvas::text(const Label& label) {
  Outline outline(scale_);
  for (const std::vector<PathStep>& contour : impl_->typesetter.contours(label)) outline.add(contour);
  if (!outline.empty()) impl_->fill(outline.get(), label.colour);
}

Image PixelCanvas::take() { return std::move(impl_->pixels); }

// PDF: Cairo's

bool PdfCanvas::is_available() { return false; }

PdfCanvas::PdfCanvas(float, float, Rgba background, Typesetter& typesetter, const PdfAbout&)
    : FigureCanvas(typesetter), background_(background) {
  throw InputError("", "a PDF cannot be made by this program", "expected PNG or SVG, or the program on Linux");
}

void PdfCanvas::fill(const Box&, Rgba) {}
void PdfCanvas::text(const Label&) {}
void PdfCanvas::heatmap(const Box&, const MatrixView&, const CellMasks&, const HeatmapStyle&, bool) {}
void PdfCanvas::swatch(const Box&, CellKind, const HeatmapStyle&) {}
void PdfCanvas::colour_bar(const Box&, const Colormap&, bool) {}
void PdfCanvas::move_origin(Point) {}
void PdfCanvas::next_page(float, float) {}
std::string PdfCanvas::take() { return {}; }

}  // namespace headlight
