#include "ui/masklab/matrix_card.h"

#include <algorithm>
#include <cmath>

#include "ui/frame/colormaps.h"
#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/matrix/heatmap.h"
#include "ui/widgets/card.h"

namespace headlight {
namespace {

constexpr float pad = 14, header = 30, caption_line = 18, upright = 20;  // points
constexpr float largest_cell = 150;
constexpr float narrowest_upright = 27;  // draw_labels leaves out names in narrower columns
constexpr std::size_t measured_names = 256;

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

/// Names at 45°, how long along their slant, where they are wider than their columns and each has a line; else 0.
float turned_length(const Frame& frame, const HeatPicture& heat, float pitch, float pixels) {
  if (frame.trace()->inputs.key_tokens.empty() || pitch < pixels * 0.5f) return 0;
  const float width = widest(frame, heat.col_labels, pixels);
  const bool upright_fits = pitch >= std::max(width + 3 * frame.u, narrowest_upright * frame.u);
  return upright_fits ? 0 : std::min(width + 1, 120 * frame.u);
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
  const float t = frame.u, pixels = card.type * t;
  HeatPicture& heat = card.heat;
  float names = 0, below = 0;
  if (fit.names) {
    heat.row_labels = axis_labels(frame, Axis::query, heat.rows);
    heat.col_labels = axis_labels(frame, Axis::key, heat.cols);
    heat.widest_column = widest(frame, heat.col_labels, pixels) / pixels;
    names = std::max(std::min(widest(frame, heat.row_labels, pixels) + 6 * t, room.width() * 0.3f),
                     axis_names_width(frame));
    below = upright * t;
  }
  const float legend =
      draw_swatches(frame, *ImGui::GetWindowDrawList(), card.legend, {}, room.width() - 2 * pad * t, false);
  float said = 0;
  for (const std::string& line : card.caption)
    said = std::max(said, text_size(frame.fonts, Face::ui, TypeSize::body * t, line).x);
  const float key = text_size(frame.fonts, Face::ui, TypeSize::body * t, frame.words("axis.key")).x + 12 * t;
  card.caption_above = fit.low && fit.names && card.caption.size() == 2 && card.legend.empty() &&
                       2 * pad * t + names + key + said <= room.width();
  const float caption =
      card.caption_above
          ? 0
          : (card.caption.empty() ? 0 : (caption_line * static_cast<float>(card.caption.size()) + 6) * t) +
                (legend > 0 ? legend + 4 * t : 0);
  const float top = (header + (fit.names ? axis_names_height : 0)) * t;
  const auto box = [&] {
    return ImVec2{room.width() - 2 * pad * t - names, room.height() - top - pad * t - below - caption};
  };
  ImVec2 size = fit_cells(heat, box(), largest_cell * t);
  const float turned = fit.names ? turned_length(frame, heat, size.x / static_cast<float>(heat.cols), pixels) : 0;
  if (turned > 0) {
    below = 0.71f * turned + 14 * t;
    size = fit_cells(heat, box(), largest_cell * t);
  }
  heat.label_room = std::max(names - 5 * t, 0.0f) / pixels;
  heat.turned_room = turned / pixels;
  card.card = room;
  if (fit.closes_width) card.card.max.x = room.min.x + size.x + 2 * pad * t + names;
  const float height = top + size.y + below + caption + pad * t;
  if (!fit.fills_height) card.card.max.y = room.min.y + height;
  const float slack = std::max(card.card.height() - height, 0.0f) / 2;
  const float middle = (card.card.min.x + pad * t + names + card.card.max.x - pad * t) / 2;
  ImVec2 min{std::round(middle - size.x / 2), std::round(room.min.y + top + slack)};
  if (card.caption_above) min.x = std::min(min.x, std::floor(card.card.max.x - pad * t - said - key));
  heat.rect = {min, {min.x + size.x, min.y + size.y}};
}

float axis_names_width(const Frame& frame) {
  return text_size(frame.fonts, Face::ui, TypeSize::body * frame.u, frame.words("axis.query")).x + 6 * frame.u;
}

void draw_axis_names(const Frame& frame, ImDrawList& list, const Rect& rect) {
  const float u = frame.u, size = TypeSize::body * u, y = rect.min.y - axis_names_height * u;
  const char* query = frame.words("axis.query");
  draw_text(list, frame.fonts, Face::ui, size,
            {rect.min.x - 5 * u - text_size(frame.fonts, Face::ui, size, query).x, y}, frame.look.muted, query);
  draw_text(list, frame.fonts, Face::ui, size, {rect.min.x, y}, frame.look.muted, frame.words("axis.key"));
}

void draw_matrix_card(const Frame& frame, const MatrixCard& card, ImU32 border) {
  const float u = frame.u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const HeatPicture& heat = card.heat;
  draw_card(frame, list, card.card, border, border != 0 ? 1.5f * u : 1);
  draw_card_title(frame, list, card.card, frame.look.ink, card.title);
  if (card.numbers) {
    draw_moment_heat(frame, list, heat, heat.rect);
  } else {
    MatrixQuad quad = heat.quad;
    quad.min = heat.rect.min;
    quad.max = heat.rect.max;
    const float side =
        std::min(heat.rect.width() / static_cast<float>(heat.cols), heat.rect.height() / static_cast<float>(heat.rows));
    quad.cell_gap = side >= 6 * u ? std::max(1.0f, u) : 0;
    frame.painter.draw(list, quad);
  }
  draw_labels(frame, list, heat, heat.rect, card.type * u, true, true);
  if (!heat.row_labels.empty()) draw_axis_names(frame, list, heat.rect);
  draw_highlights(frame, list, heat, heat.rect);
  const float width = card.card.width() - 2 * pad * u,
              legend = draw_swatches(frame, list, card.legend, {}, width, false);
  if (card.caption_above) {
    float top = card.card.min.y + 8 * u;
    for (const std::string& line : card.caption) {
      draw_text(list, frame.fonts, Face::ui, TypeSize::body * u,
                {card.card.max.x - pad * u - text_size(frame.fonts, Face::ui, TypeSize::body * u, line).x, top},
                frame.look.muted, line);
      top += caption_line * u;
    }
    return;
  }
  float y = card.card.max.y - (10 + caption_line * static_cast<float>(card.caption.size())) * u - legend;
  for (const std::string& line : card.caption) {
    draw_elided(list, frame.fonts, Face::ui, TypeSize::body * u, {card.card.min.x + pad * u, y}, frame.look.muted, line,
                width);
    y += caption_line * u;
  }
  draw_swatches(frame, list, card.legend, {card.card.min.x + pad * u, y + 2 * u}, width);
}

}  // namespace headlight
