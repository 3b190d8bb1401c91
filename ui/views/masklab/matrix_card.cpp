#include <algorithm>
#include <cmath>

#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/views/masklab/sheet.h"

namespace headlight {
namespace {

constexpr float pad = Space::card, header = 30, caption_line = 18, upright = 20;  // points
constexpr float largest_cell = 150;
constexpr float narrowest_upright = 27;  // draw_labels leaves out names in narrower columns
constexpr std::size_t measured_names = 256;

/// The width of the widest name; of many names, of the first ones and the last.
float widest(const Frame& frame, const std::vector<std::string>& names, float pixels) {
  float width = names.empty() ? 0 : text_size(frame.fonts, Face::bold, pixels, names.back()).x;
  for (std::size_t i = 0; i < std::min(names.size(), measured_names); ++i) {
    width = std::max(width, text_size(frame.fonts, Face::bold, pixels, names[i]).x);
  }
  return width;
}

/// Square cells, as large as the box allows.
ImVec2 fit_cells(const HeatPicture& heat, ImVec2 box, float most) {
  const float w = std::max(box.x, 8.0f) / static_cast<float>(heat.cols),
              h = std::max(box.y, 8.0f) / static_cast<float>(heat.rows);
  const float side = std::min({w, h, most});
  return {side * static_cast<float>(heat.cols), side * static_cast<float>(heat.rows)};
}

/// Length of labels at 45° along their slant, if they are wider than their columns and each has room; else 0.
float turned_length(const Frame& frame, const HeatPicture& heat, float pitch, float pixels) {
  if (frame.trace()->inputs.key_tokens.empty() || pitch < pixels * 0.5f) return 0;
  const float width = widest(frame, heat.col_labels, pixels);
  const bool upright_fits = pitch >= std::max(width + NameGap::beside * frame.u, narrowest_upright * frame.u);
  return upright_fits ? 0 : std::min(width + 1, NameRoom::turned * frame.u);
}

float swatches_height(const Fonts& fonts, float u, std::span<const Swatch> swatches, float width) {
  return place_swatches(fonts, u, swatches, {}, width, [](const Swatch&, ImVec2, float) {});
}

}  // namespace

HeatPicture sheet_heat(const Frame& frame, Stage stage, const Tensor& values, ValueRange range) {
  HeatPicture heat;
  heat.stage = stage;
  heat.batch = frame.view().batch;
  heat.head = frame.view().head;
  const MatrixView matrix = values.matrix();
  heat.rows = matrix.rows;
  heat.cols = matrix.cols;
  heat.quad.values = values;
  heat.quad.theme = frame.look.theme;
  heat.quad.scale = frame.u;
  heat.quad.colormap = heat.colormap = &window_colormap(frame.view(), stage);
  heat.quad.range = range;
  return heat;
}

void lay_out(const Frame& frame, MatrixCard& card, Rect room, const MatrixFit& fit) {
  const float t = frame.u, pixels = TypeSize::note * t;
  HeatPicture& heat = card.heat;
  float names = 0, below = 0;
  if (fit.names) {
    heat.row_labels = axis_labels(frame, Axis::query, heat.rows);
    heat.col_labels = axis_labels(frame, Axis::key, heat.cols);
    heat.widest_column = widest(frame, heat.col_labels, pixels) / pixels;
    names = std::max(std::min(widest(frame, heat.row_labels, pixels) + Space::near * t, room.width() * 0.3f),
                     axis_names_width(frame));
    below = upright * t;
  }
  const float legend = swatches_height(frame.fonts, t, card.legend, room.width() - 2 * pad * t);
  float widest = 0;
  for (const std::string& line : card.caption) widest = std::max(widest, frame.width(Face::ui, TypeSize::body, line));
  const float key = frame.width(Face::ui, TypeSize::body, frame.words("axis.key")) + Space::apart * t;
  card.caption_above = fit.low && fit.names && card.caption.size() == 2 && card.legend.empty() &&
                       2 * pad * t + names + key + widest <= room.width();
  const float caption =
      card.caption_above
          ? 0
          : (card.caption.empty() ? 0 : (caption_line * static_cast<float>(card.caption.size()) + 6) * t) +
                (legend > 0 ? legend + Space::tight * t : 0);
  const float top = (header + (fit.names ? axis_names_height : 0)) * t;
  const auto box = [&] {
    return ImVec2{room.width() - 2 * pad * t - names, room.height() - top - pad * t - below - caption};
  };
  ImVec2 size = fit_cells(heat, box(), largest_cell * t);
  const float turned = fit.names ? turned_length(frame, heat, size.x / static_cast<float>(heat.cols), pixels) : 0;
  if (turned > 0) {
    below = 0.71f * turned + NameGap::turned * t;
    size = fit_cells(heat, box(), largest_cell * t);
  }
  heat.label_room = std::max(names - NameGap::row * t, 0.0f) / pixels;
  heat.turned_room = turned / pixels;
  card.card = room;
  if (fit.closes_width) card.card.max.x = room.min.x + size.x + 2 * pad * t + names;
  const float height = top + size.y + below + caption + pad * t;
  if (!fit.fills_height) card.card.max.y = room.min.y + height;
  const float slack = std::max(card.card.height() - height, 0.0f) / 2;
  const float middle = (card.card.min.x + pad * t + names + card.card.max.x - pad * t) / 2;
  ImVec2 min{std::round(middle - size.x / 2), std::round(room.min.y + top + slack)};
  if (card.caption_above) min.x = std::min(min.x, std::floor(card.card.max.x - pad * t - widest - key));
  heat.rect = {min, {min.x + size.x, min.y + size.y}};
}

float axis_names_width(const Frame& frame) {
  return frame.width(Face::ui, TypeSize::body, frame.words("axis.query")) + Space::near * frame.u;
}

void put_axis_names(Pen& pen, const Rect& rect) {
  const float u = pen.u(), size = TypeSize::body * u, y = rect.min.y - axis_names_height * u;
  const Words& words = pen.context().words;
  pen.words(Face::ui, size, {rect.min.x - NameGap::row * u, y}, pen.look().muted, words("axis.query"), Pen::uncut,
            Align::right);
  pen.words(Face::ui, size, {rect.min.x, y}, pen.look().muted, words("axis.key"));
}

float put_swatches(Pen& pen, std::span<const Swatch> swatches, ImVec2 at, float width) {
  const float u = pen.u(), side = swatch_side * u;
  return place_swatches(
      pen.context().fonts, u, swatches, at, width, [&](const Swatch& swatch, ImVec2 corner, float room) {
        const ImVec2 min{corner.x, corner.y + Space::thin * u};
        pen.scene().items.emplace_back(SceneSwatch{{min, {min.x + side, min.y + side}}, swatch.kind, swatch.colour});
        pen.words(Face::ui, TypeSize::body * u, {corner.x + side + Space::near * u, corner.y}, pen.look().ink,
                  swatch.words, room);
      });
}

void put_card_title(Pen& pen, const Rect& card, ImU32 colour, std::string_view title) {
  const float u = pen.u();
  pen.words(Face::bold, TypeSize::body * u, {card.min.x + pad * u, card.min.y + Space::title * u}, colour, title,
            card.width() - 2 * pad * u);
}

void put_matrix_card(Pen& pen, const MatrixCard& card, ImU32 border) {
  const float u = pen.u(), body = TypeSize::body * u, left = card.card.min.x + pad * u,
              width = card.card.width() - 2 * pad * u;
  const Look& look = pen.look();
  pen.card(card.card, border, border != 0 ? Stroke::arrow(u) : 1);
  put_card_title(pen, card.card, look.ink, card.title);
  pen.heat({.heat = std::make_shared<HeatPicture>(card.heat),
            .labels = TypeSize::note * u,
            .numbers = card.numbers,
            .whole = true});
  if (!card.heat.row_labels.empty()) put_axis_names(pen, card.heat.rect);
  float y = card.caption_above ? card.card.min.y + Space::title * u
                               : card.card.max.y - (10 + caption_line * static_cast<float>(card.caption.size())) * u -
                                     swatches_height(pen.context().fonts, u, card.legend, width);
  for (const std::string& line : card.caption) {
    if (card.caption_above) pen.words(Face::ui, body, {left + width, y}, look.muted, line, Pen::uncut, Align::right);
    else pen.words(Face::ui, body, {left, y}, look.muted, line, width);
    y += caption_line * u;
  }
  if (!card.caption_above) put_swatches(pen, card.legend, {left, y + Space::fine * u}, width);
}

}  // namespace headlight
