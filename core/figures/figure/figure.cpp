#include "core/figures/figure/figure.h"

#include <algorithm>
#include <cassert>
#include <cmath>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/figures/figure/canvas.h"
#include "core/figures/figure/figure_layout.h"

namespace headlight {
namespace {

std::string format_size(float units) { return formatted("%g", static_cast<double>(units)); }

void check_sizes(const FigureSpec& spec) {
  assert(!spec.panels.empty() && spec.panels.front().matrix.rows > 0 && spec.panels.front().matrix.cols > 0);
  assert(spec.scale > 0);
  if (spec.cell && !(*spec.cell > 0)) {
    throw SettingError("--cell", format_size(*spec.cell), "expected a number of pixels above zero");
  }
  if (spec.size && !(spec.size->width >= 1 && (spec.size->height >= 1 || spec.size->height == 0))) {
    throw SettingError("--size", Message("{0}x{1}", format_size(spec.size->width), format_size(spec.size->height)),
                       "expected at least 1x1");
  }
}

void check_pixels(const FigureSpec& spec, const FigureLayout& layout) {
  const float wide = layout.width * spec.scale, high = layout.height * spec.scale;
  constexpr float most = ArrangedFigure::most_pixels;
  constexpr float most_area = 160e6;  // four bytes each, twice: what is drawn, and its file
  if (wide <= most && high <= most && wide * high <= most_area) return;
  throw SettingError(spec.size ? "--size" : "--cell",
                     Message("the picture would have {0} x {1} pixels", std::lround(wide), std::lround(high)),
                     "expected at most 16384 either way, and 160 million in all");
}

Rgba background(const FigureSpec& spec) {
  Rgba colour = colours(spec.theme).card;
  if (spec.transparent) colour.a = 0;
  return colour;
}

/// On paper and in print masked cells are always hatched: a plain tint would look like a value.
bool always_hatched(const FigureSpec& spec) { return !spec.bare && (spec.on_paper || spec.print); }

/// Hatching is stronger than pale values. In cells smaller than its lines it would hide everything.
bool flat_masked(const FigureSpec& spec, const FigureLayout& layout) {
  constexpr float hatch = 6;  // units from line to line
  return !spec.bare && !always_hatched(spec) && spec.palette != Palette::boolean &&
         std::min(layout.cell_width, layout.cell_height) < hatch;
}

/// Draws the picture, and over it each cell with a value in its colour.
void draw_over_picture(Canvas& canvas, const FigurePanel& panel, const Box& box, const ColourValues& values,
                       const HeatmapStyle& style) {
  constexpr int few_pixels = 128;  // pixels of a smaller picture are visible and keep their edges
  canvas.image(box, *panel.under, panel.under->width > few_pixels);
  if (panel.opacity <= 0) return;
  const MatrixView shown = values.view(panel.matrix);
  const float wide = box.w / static_cast<float>(shown.cols), high = box.h / static_cast<float>(shown.rows);
  for (Index row = 0; row < shown.rows; ++row) {
    for (Index col = 0; col < shown.cols; ++col) {
      if (classify(panel.matrix, panel.masks, row, col) != CellKind::value) continue;
      Rgba colour = style.map->at(normalise(shown(row, col), style.range));
      colour.a = static_cast<std::uint8_t>(std::lround(255 * panel.opacity));
      canvas.fill({box.x + static_cast<float>(col) * wide, box.y + static_cast<float>(row) * high, wide, high}, colour);
    }
  }
}

void draw_heatmap(Canvas& canvas, const FigureSpec& spec, const PanelBox& box, const HeatmapStyle& style) {
  const FigurePanel& panel = spec.panels[box.panel];
  const ColourValues values = colour_values(spec, panel, box.range, style.map->kind());
  HeatmapStyle own = style;
  own.range = values.range;
  // On paper, gaps between small cells would make them pale.
  const float cell = std::min(box.heatmap.w / static_cast<float>(panel.matrix.cols),
                              box.heatmap.h / static_cast<float>(panel.matrix.rows));
  const bool gaps = !spec.bare && !(spec.on_paper && cell < 10);
  if (panel.under) return draw_over_picture(canvas, panel, box.heatmap, values, own);
  canvas.heatmap(box.heatmap, values.view(panel.matrix), effective_masks(spec, panel), own, gaps);
}

void paint(Canvas& canvas, const FigureSpec& spec, const FigureLayout& layout, const Colormap& map) {
  const ValueRange range = layout.panels.empty() ? ValueRange{} : layout.panels.front().range;
  HeatmapStyle style{&map, range, spec.theme, 1, 0, background(spec), flat_masked(spec, layout)};
  if (spec.on_paper) style.hatch = 0.5f;
  for (const PanelBox& box : layout.panels) draw_heatmap(canvas, spec, box, style);
  for (const DrawnPath& path : layout.paths) canvas.path(path.steps, path.width, path.colour, path.filled);
  for (const FilledBox& box : layout.boxes) canvas.fill(box.rect, box.colour);
  for (const PictureBox& picture : layout.pictures) canvas.image(picture.rect, *picture.image, false);
  for (const BarBox& bar : layout.bars) canvas.colour_bar(bar.rect, map, bar.rect.h >= bar.rect.w);
  for (const SwatchBox& swatch : layout.swatches) canvas.swatch(swatch.rect, swatch.kind, style);
  for (const Label& label : layout.labels) canvas.text(label);
  for (const Label& label : layout.inside) canvas.text(label);
}

}  // namespace

Colormap colormap_of(const FigureSpec& spec, Theme theme) {
  if (spec.palette == Palette::boolean) {
    if (!spec.colormap.empty()) (void)colormap(spec.colormap, theme);  // an unknown name is still refused
    return mask_colormap(theme);
  }
  return colormap(spec.colormap.empty() ? default_colormap(spec.palette) : std::string_view(spec.colormap), theme);
}

std::string as_plain_text(std::string text) {
  std::ranges::replace(text, index_begins, '_');
  std::erase(text, index_ends);
  return text;
}

struct ArrangedFigure::Impl {
  explicit Impl(FigureSpec given)
      : spec((check_sizes(given), std::move(given))),
        map(colormap_of(spec, spec.theme)),
        typesetter(spec.font),
        layout(lay_out(spec, map, typesetter)) {}

  void draw_on(Canvas& canvas) const { paint(canvas, spec, layout, map); }

  FigureSpec spec;
  Colormap map;
  Typesetter typesetter;
  FigureLayout layout;
};

ArrangedFigure::ArrangedFigure(FigureSpec spec) : impl_(std::make_unique<Impl>(std::move(spec))) {}

ArrangedFigure::~ArrangedFigure() = default;

const std::vector<Message>& ArrangedFigure::left_out() const { return impl_->layout.left_out; }

std::vector<std::uint8_t> ArrangedFigure::png(const std::string& about) {
  const auto& [spec, map, typesetter, layout] = *impl_;
  check_pixels(spec, layout);
  PixelCanvas canvas(layout.width, layout.height, spec.scale, background(spec), impl_->typesetter);
  impl_->draw_on(canvas);
  return encode_described_png(canvas.take(), 96 * spec.scale, about);
}

std::string ArrangedFigure::svg(SvgText text, const std::string& about) {
  const auto& [spec, map, typesetter, layout] = *impl_;
  check_pixels(spec, layout);
  SvgCanvas canvas(layout.width, layout.height, background(spec), spec.theme, text, impl_->typesetter, spec.on_paper);
  impl_->draw_on(canvas);
  return about.empty() ? canvas.take() : with_svg_about(canvas.take(), as_plain_text(spec.title), about);
}

std::string ArrangedFigure::pdf(const std::string& about) {
  const auto& [spec, map, typesetter, layout] = *impl_;
  check_pixels(spec, layout);
  PdfCanvas canvas(layout.width, layout.height, background(spec), impl_->typesetter,
                   {as_plain_text(spec.title), about});
  impl_->draw_on(canvas);
  return canvas.take();
}

void ArrangedFigure::draw(PdfCanvas& canvas, Point at) const {
  canvas.move_origin(at);
  impl_->draw_on(canvas);
  canvas.move_origin({-at.x, -at.y});
}

FigureSize ArrangedFigure::size() const { return {impl_->layout.width, impl_->layout.height}; }

FigurePreview ArrangedFigure::preview(int most_width, int most_height) {
  const auto& [spec, map, typesetter, layout] = *impl_;
  check_pixels(spec, layout);
  const float scale = spec.scale;
  const auto pixels = [&](float units) { return std::max(1, static_cast<int>(std::lround(units * scale))); };
  FigurePreview preview{{}, pixels(layout.width), pixels(layout.height)};
  const float fit = std::min({1.0f, static_cast<float>(most_width) / static_cast<float>(preview.width),
                              static_cast<float>(most_height) / static_cast<float>(preview.height)});
  PixelCanvas canvas(layout.width, layout.height, scale * fit, background(spec), impl_->typesetter);
  impl_->draw_on(canvas);
  preview.image = canvas.take();
  return preview;
}

}  // namespace headlight
