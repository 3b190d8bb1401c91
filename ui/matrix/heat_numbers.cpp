#include <algorithm>
#include <cmath>
#include <optional>

#include "core/figure/ticks.h"
#include "core/stage/extent.h"
#include "ui/matrix/heatmap.h"

namespace headlight {
namespace {

CellMasks masks_of(const HeatPicture& heat) {
  CellMasks masks;
  if (heat.quad.mask.defined()) masks.allowed = heat.quad.mask.matrix(heat.batch, heat.head);
  if (heat.quad.kept.defined()) masks.kept = heat.quad.kept.matrix(heat.batch, heat.head);
  masks.show_leaks = heat.quad.show_leaks;
  return masks;
}

void draw_number(const Frame& frame, ImDrawList& list, std::string_view drawn, ImVec2 centre, float pixels, ImU32 ink) {
  const ImVec2 size = text_size(frame.fonts, Face::mono, pixels, drawn);
  draw_text(list, frame.fonts, Face::mono, pixels, {centre.x - size.x / 2, centre.y - size.y / 2}, ink, drawn);
}

/// The rows and columns of a heatmap that the clip rectangle leaves in sight: [first, last).
struct Sight {
  Index first_row, last_row, first_col, last_col;
};

Sight in_sight(const ImDrawList& list, const HeatPicture& heat, Rect rect) {
  const ImVec2 cell = cell_size(heat, rect);
  const ImVec2 clip_min = list.GetClipRectMin();
  const ImVec2 clip_max = list.GetClipRectMax();
  const auto at = [](float point, float from, float size) {
    return static_cast<Index>(std::max(0.0f, std::floor((point - from) / size)));
  };
  return {at(clip_min.y, rect.min.y, cell.y), std::min(heat.rows, at(clip_max.y, rect.min.y, cell.y) + 1),
          at(clip_min.x, rect.min.x, cell.x), std::min(heat.cols, at(clip_max.x, rect.min.x, cell.x) + 1)};
}

/// Writes the numbers of one heatmap into its cells.
class NumberWriter {
 public:
  NumberWriter(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect)
      : frame_(frame),
        list_(list),
        heat_(heat),
        rect_(rect),
        cell_(cell_size(heat, rect)),
        pixels_(std::clamp(std::min(cell_.y * 0.5f, cell_.x * 0.3f), least(), 40 * frame.u)),
        digit_(text_size(frame.fonts, Face::mono, pixels_, "0").x),
        matrix_(heat.quad.values.matrix(heat.batch, heat.head)),
        shades_(heat.shades.defined() ? heat.shades.matrix() : matrix_),
        masks_(masks_of(heat)) {}

  void write(const Shown& shown, bool squeeze) {
    if (cell_.y < 13 * frame_.u || cell_.x < 2 * digit_ + margin()) return;
    const Sight sight = in_sight(list_, heat_, rect_);
    const NumberSpan span = span_of(sight);
    std::optional<NumberFormat> format = format_of(span);
    while (squeeze && !format && pixels_ > least()) {
      pixels_ = std::max(pixels_ * 0.85f, least());
      digit_ = text_size(frame_.fonts, Face::mono, pixels_, "0").x;
      format = format_of(span);
    }
    for (Index r = sight.first_row; r < sight.last_row; ++r) {
      for (Index c = sight.first_col; c < sight.last_col; ++c) {
        if (shown.has(r, c)) write_cell(r, c, format);
      }
    }
  }

 private:
  float margin() const { return 7 * frame_.u; }  // with room for the frame of a cell that is looked at
  float least() const { return 12 * frame_.u; }

  NumberSpan span_of(const Sight& sight) const {
    NumberSpan span;
    for (Index r = sight.first_row; r < sight.last_row; ++r) {
      for (Index c = sight.first_col; c < sight.last_col; ++c) {
        if (classify(matrix_, masks_, r, c) == CellKind::value) span.add(matrix_(r, c));
      }
    }
    return span;
  }

  /// One for all that is in sight: where that would not fit, none is written, since an empty cell among numbers would
  /// look like one of them.
  std::optional<NumberFormat> format_of(const NumberSpan& span) const {
    return number_format(span, static_cast<int>((cell_.x - margin()) / digit_));
  }

  void write_cell(Index r, Index c, const std::optional<NumberFormat>& format) {
    const ImVec2 centre{rect_.min.x + (static_cast<float>(c) + 0.5f) * cell_.x,
                        rect_.min.y + (static_cast<float>(r) + 0.5f) * cell_.y};
    const float value = matrix_(r, c);
    switch (classify(matrix_, masks_, r, c)) {
      case CellKind::value: {
        if (!format) return;
        char buffer[48];
        const Rgba ground =
            heat_.colormap->at(spread(shades_(r, c), heat_.quad.range, heat_.colormap->kind(), heat_.quad.norm));
        return draw_number(frame_, list_, format->write(value, buffer), centre, pixels_, to_imgui(ink_on(ground)));
      }
      case CellKind::masked:
      case CellKind::neg_inf:
        if (std::isfinite(value) && heat_.stage == Stage::masked_scores) return;  // a finite fill
        if (!format) return;  // where no number is written the hatching says it
        return write_mark(heat_.quad.show_leaks ? "0" : "−∞", centre, frame_.look.muted);
      case CellKind::nan: return write_mark("NaN", centre, frame_.look.ink);
      case CellKind::pos_inf: return write_mark("+∞", centre, frame_.look.ink);
      default: return;
    }
  }

  void write_mark(std::string_view mark, ImVec2 centre, ImU32 ink) {
    const ImVec2 size = text_size(frame_.fonts, Face::mono, pixels_, mark);
    if (size.x > cell_.x - 2) return;
    const ImVec2 half{size.x / 2 + 1, size.y / 2};  // of a plate: the mark stands on a pattern
    list_.AddRectFilled({centre.x - half.x, centre.y - half.y}, {centre.x + half.x, centre.y + half.y},
                        fade(frame_.look.card, 0.8f));
    draw_text(list_, frame_.fonts, Face::mono, pixels_, {centre.x - size.x / 2, centre.y - size.y / 2}, ink, mark);
  }

  const Frame& frame_;
  ImDrawList& list_;
  const HeatPicture& heat_;
  Rect rect_;
  ImVec2 cell_;
  float pixels_, digit_;
  MatrixView matrix_, shades_;
  CellMasks masks_;
};

}  // namespace

void write_numbers(const Frame& frame, ImDrawList& list, const HeatPicture& heat, Rect rect, const Shown& shown,
                   bool squeeze) {
  NumberWriter(frame, list, heat, rect).write(shown, squeeze);
}

}  // namespace headlight
