#include "ui/masklab/sides_picture.h"

#include <algorithm>
#include <array>

#include "core/mask/statistics.h"
#include "core/scenario/inputs.h"
#include "core/tensor/error.h"
#include "ui/frame/colormaps.h"
#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/look/number_text.h"
#include "ui/masklab/registry.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

constexpr float words_of_card = 112;  // points: its title and names, about

struct SidesBuilder {
  const Frame& frame;
  Rect area;
  const Trace& trace = *frame.trace();
  const Dims& dims = trace.dims();
  const float u = frame.u;
  SidesPicture picture{};
  Tensor a{}, b{}, differing{}, either{};

  std::string fill(const char* key, std::initializer_list<std::string_view> values) const {
    return frame.words.fill(key, values);
  }

  void compare() {
    a = looked_at_mask(frame);
    Scenario other = trace.scenario;
    other.mask = second_mask(frame.view().mask_lab, frame.document.scenario);
    other.painted.clear();
    try {
      b = build_mask(mask_rule(other, trace.inputs))
              .slice(0, frame.view().batch, 1)
              .slice(1, frame.view().head, 1)
              .view({dims.n_q, dims.n_k});
    } catch (const ExpressionError& error) {
      picture.words.error = frame.words.translate(error.sentence());
      return;
    }
    const MaskDifference difference = mask_difference(b, a);
    differing = difference.cells;  // B − A, as everywhere
    picture.only_b = difference.only_first;
    picture.only_a = difference.only_second;
    Buffer any(static_cast<std::size_t>(a.count()));
    for (std::size_t i = 0; i < any.size(); ++i) any[i] = std::max(a.values()[i], b.values()[i]);
    either = Tensor(a.shape(), std::move(any));
  }

  void find_runs() {
    const MatrixView cells = differing.matrix();
    for (Index row = 0; row < cells.rows; ++row) {
      for (Index col = 0; col < cells.cols; ++col) {
        if (cells(row, col) == 0) continue;
        DifferingRun run{row, col, 1, cells(row, col) < 0};
        while (col + 1 < cells.cols && cells(row, col + 1) == cells(row, run.col)) ++col, ++run.count;
        picture.runs.push_back(run);
      }
    }
  }

  /// Cells too small for outlines: a picture, a pixel of it tinted where a cell below it differs, by the colour that
  /// the difference has there.
  void tint() {
    const HeatPicture& heat = picture.matrices[0].heat;
    const MatrixView cells = differing.matrix();
    const Colormap& map = *picture.matrices[2].heat.colormap;
    Rgba by_a = map.at(0), by_b = map.at(1);
    const int width = std::max(static_cast<int>(heat.rect.width()), 1),
              height = std::max(static_cast<int>(heat.rect.height()), 1);
    auto image = std::make_shared<Image>(width, height);
    for (int y = 0; y < height; ++y) {
      const Index first = y * cells.rows / height, last = std::max(first + 1, (y + 1) * cells.rows / height);
      for (int x = 0; x < width; ++x) {
        const Index left = x * cells.cols / width, right = std::max(left + 1, (x + 1) * cells.cols / width);
        for (Index row = first; row < last; ++row) {
          for (Index col = left; col < right; ++col) {
            if (cells(row, col) != 0) image->set(x, y, cells(row, col) < 0 ? by_a : by_b);
          }
        }
      }
    }
    picture.tint = std::move(image);
  }

  void say() {
    const Index differ = picture.only_a + picture.only_b;
    const std::string cells = grouped(dims.n_q * dims.n_k);
    picture.words.title = frame.words("mask_lab.sides.about");
    if (!picture.shows()) return;
    picture.words.lines.push_back(differ == 0 ? std::string(frame.words("mask_lab.sides.same"))
                                              : fill("mask_lab.sides.differ", {grouped(differ), cells}));
    const Colormap& map = pair_colormap(frame.look.theme);
    picture.words.legend = mask_swatches(frame);
    picture.words.legend.push_back({CellKind::value, to_imgui(map.at(0)), frame.words("legend.only_a")});
    picture.words.legend.push_back({CellKind::value, to_imgui(map.at(1)), frame.words("legend.only_b")});
    const auto caption = [&](const Tensor& mask, const char* key, Index alone) {
      std::vector<std::string> lines{fill("mask_lab.sides.allowed", {grouped(allowed_share(mask).allowed), cells})};
      lines.push_back(fill(key, {grouped(alone)}));
      return lines;
    };
    picture.matrices[0].caption = caption(a, "mask_lab.sides.a_alone", picture.only_a);
    picture.matrices[1].caption = caption(b, "mask_lab.sides.b_alone", picture.only_b);
    picture.matrices[2].caption = {fill("mask_lab.sides.more_a", {grouped(picture.only_a)}),
                                   fill("mask_lab.sides.more_b", {grouped(picture.only_b)})};
  }

  void place() {
    picture.field = {area.min, {area.max.x, area.min.y + 30 * u}};
    const Rect below = below_words(frame, picture.words, {{area.min.x, area.min.y + 42 * u}, area.max});
    if (!picture.shows()) return;
    constexpr std::array titles{"mask_lab.sides.a", "mask_lab.sides.b", "mask_lab.sides.difference"};
    const std::array values{a, b, differing};
    const float gap = 12 * u;
    const float one_line = std::min((below.width() - 2 * gap) / 3 / static_cast<float>(dims.n_k),
                                    below.height() / static_cast<float>(dims.n_q));
    const float two_lines = std::min((below.width() - gap) / 2 / static_cast<float>(dims.n_k),
                                     ((below.height() - gap) / 2 - words_of_card * u) / static_cast<float>(dims.n_q));
    const bool folds = two_lines > one_line - words_of_card * u / static_cast<float>(dims.n_q);  // B − A below A and B
    const float width = folds ? (below.width() - gap) / 2 : (below.width() - 2 * gap) / 3;
    const float height = folds ? (below.height() - gap) / 2 : below.height();
    for (std::size_t i = 0; i < 3; ++i) {
      MatrixCard& card = picture.matrices[i];
      card.title = frame.words(titles[i]);
      card.heat = sheet_heat(frame, looked_at_stage(frame), values[i], {i == 2 ? -1.0f : 0.0f, 1});
      card.heat.quad.colormap = card.heat.colormap =
          i == 2 ? &pair_colormap(frame.look.theme) : &window_colormap(frame.view(), Stage::mask);
      card.heat.quad.mask = i == 2 ? either : values[i];
      const bool second = folds && i == 2;
      const float left = below.min.x + (second ? 0 : static_cast<float>(i) * (width + gap)),
                  top = below.min.y + (second ? picture.matrices[0].card.height() + gap : 0);
      lay_out(frame, card, {{left, top}, {second ? below.max.x : left + width, top + height}}, {.low = folds});
    }
    const HeatPicture& heat = picture.matrices[0].heat;
    const float cell =
        std::min(heat.rect.width() / static_cast<float>(heat.cols), heat.rect.height() / static_cast<float>(heat.rows));
    if (picture.only_a + picture.only_b == 0) return;
    cell >= 9 * u ? find_runs() : tint();
  }
};

SidesPicture make_sides_picture(const Frame& frame, Rect area) {
  SidesBuilder build{frame, area};
  build.compare();
  build.say();
  build.place();
  return std::move(build.picture);
}

/// The same, cached.
const SidesPicture& sides_picture(const Frame& frame, Rect area) {
  return frame.picture<SidesPicture>([&] { return make_sides_picture(frame, area); }, frame.view().mask_lab, area);
}

/// Outlined where cells are large, tinted where they are not; in the colour that the difference has there.
void mark_differences(const Frame& frame, const SidesPicture& picture, const HeatPicture& heat) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (picture.tint) frame.painter.image(list, heat.rect.min, picture.tint);
  const ImVec2 cell{heat.rect.width() / static_cast<float>(heat.cols),
                    heat.rect.height() / static_cast<float>(heat.rows)};
  const Colormap& map = *picture.matrices[2].heat.colormap;
  const ImU32 by_a = to_imgui(map.at(0)), by_b = to_imgui(map.at(1));
  for (const DifferingRun& run : picture.runs) {
    for (Index i = 0; i < run.count; ++i) {
      const ImVec2 min{heat.rect.min.x + static_cast<float>(run.col + i) * cell.x,
                       heat.rect.min.y + static_cast<float>(run.row) * cell.y};
      const Rect at = Rect{min, {min.x + cell.x, min.y + cell.y}}.grown(-2 * frame.u);
      compat::add_rect(list, at.min, at.max, run.by_a ? by_a : by_b, Corner::mark * frame.u, 2.5f * frame.u);
    }
  }
}

void draw_field(const Frame& frame, const SidesPicture& picture) {
  const float u = frame.u, button = 142 * u;
  const Rect& field = picture.field;
  ImGui::SetCursorScreenPos(field.min);
  ImGui::BeginChild("other", {field.width() - button - 8 * u, field.height()}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  const std::string& other = second_mask(frame.view().mask_lab, frame.document.scenario);
  if (const auto text = text_field(frame, "##other", other, Face::mono, true)) {
    frame.show([typed = *text](View& v) { v.mask_lab.other = typed; });
  }
  ImGui::EndChild();
  ImGui::SetCursorScreenPos({field.max.x - button, field.min.y});
  if (!chip(frame, "use", frame.words("mask_lab.sides.use"), false, button) || !picture.shows()) return;
  frame.edit({}, [mask = other](Scenario& s) { s.mask = mask; });
}

}  // namespace

void draw_side_by_side_tab(const Frame& frame, Rect place) {
  const Rect inside = sheet_inside(frame, place);
  const SidesPicture& picture = sides_picture(frame, inside);
  draw_field(frame, picture);
  draw_sheet_words(frame, picture.words, {{inside.min.x, inside.min.y + 42 * frame.u}, inside.max});
  if (!picture.shows()) return;
  const auto& [a, b, difference] = picture.matrices;
  point_at_cells(
      frame, "cells",
      {a.card.min, {std::max(b.card.max.x, difference.card.max.x), std::max(b.card.max.y, difference.card.max.y)}},
      std::array{&a, &b, &difference});
  for (const MatrixCard& card : picture.matrices) draw_matrix_card(frame, card);
  mark_differences(frame, picture, a.heat);
  mark_differences(frame, picture, b.heat);
}

}  // namespace headlight
