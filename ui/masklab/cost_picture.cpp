#include "ui/masklab/cost_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/files/error_place.h"
#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/look/number_text.h"
#include "ui/masklab/registry.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

constexpr Index most_block = 4096;
constexpr float bar_line = 32;  // points

/// 1234567 → "1.23 MFLOP"
std::string flop_text(double value) {
  constexpr const char* units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
  int unit = 0;
  for (; value >= 999.5 && unit < 5; ++unit) value /= 1000;
  const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  char text[48];
  std::snprintf(text, sizeof text, "%.*f %s", digits, value, units[unit]);
  return text;
}

struct CostBuilder {
  const Frame& frame;
  Rect area;
  const Trace& trace = *frame.trace();
  const Dims& dims = trace.dims();
  const float u = frame.u;
  const Tensor mask = looked_at_mask(frame);
  CostPicture picture{};

  std::string fill(const char* key, std::initializer_list<std::string_view> values) const {
    return frame.words.fill(key, values);
  }

  double computed_share(const BlockCounts& counts) const {
    const auto cells = static_cast<double>(dims.n_q * dims.n_k);
    return (cells - static_cast<double>(counts.skipped_cells)) / cells;
  }

  void count() {
    picture.block = block_in_force(frame.view().mask_lab, dims);
    picture.counts = block_counts(mask, picture.block);
    const std::string side = std::to_string(picture.block);
    picture.words.title = frame.words("mask_lab.cost.about");
    picture.words.lines.push_back(fill("mask_lab.cost.share", {percent_text(allowed_share(mask).share()), side,
                                                               percent_text(computed_share(picture.counts))}));
    picture.kinds = {fill("mask_lab.cost.skipped", {grouped(picture.counts.empty)}),
                     fill("mask_lab.cost.full", {grouped(picture.counts.full)}),
                     fill("mask_lab.cost.partial", {grouped(picture.counts.partial)})};
  }

  void count_operations() {
    // Masks may differ between batch entries and heads: the sum is over all of them.
    const Tensor& all = trace.has(Stage::mask) ? trace[Stage::mask] : mask;
    const AttentionFlops flops = attention_flops(all, dims.batch, dims.heads, dims.d_head, picture.block);
    picture.operations.title = fill("mask_lab.cost.flops", {std::to_string(4 * dims.d_head)});
    const auto bar = [&](const char* word, double value, bool present) {
      const double share = flops.dense > 0 ? value / flops.dense : 0;
      picture.operations.bars.push_back(
          {frame.words(word), flop_text(value) + "  " + percent_text(share), static_cast<float>(share), present});
    };
    bar("mask_lab.cost.dense", flops.dense, false);
    bar("mask_lab.cost.sparse", flops.block_sparse, true);
    bar("mask_lab.cost.ideal", flops.ideal, false);
  }

  void try_blocks() {
    picture.by_block.title = frame.words("mask_lab.cost.by_block");
    for (Index block = 1; block <= most_block && (block == 1 || block / 2 < std::max(dims.n_q, dims.n_k)); block *= 2) {
      const double share = computed_share(block == picture.block ? picture.counts : block_counts(mask, block));
      char number[16];
      std::snprintf(number, sizeof number, "%.0f %%", 100 * share);
      picture.by_block.bars.push_back(
          {std::to_string(block), number, static_cast<float>(share), block == picture.block, block});
    }
  }

  void weigh_cache() {
    picture.cache.title = frame.words("mask_lab.cost.cache");
    for (Index kv_heads = dims.heads; kv_heads >= 1; --kv_heads) {
      if (dims.heads % kv_heads != 0) continue;
      const Index bytes = kv_cache_bytes_per_token(kv_heads, dims.d_head);
      const char* kind = kv_heads == dims.heads ? "MHA " : kv_heads == 1 ? "MQA " : "GQA ";
      picture.cache.bars.push_back(
          {kind + std::to_string(kv_heads), frame.words.translate(byte_count(static_cast<std::uint64_t>(bytes))),
           static_cast<float>(kv_heads) / static_cast<float>(dims.heads), kv_heads == dims.kv_heads, kv_heads});
    }
  }

  void place() {
    const Rect below = below_words(frame, picture.words, area);
    MatrixCard& card = picture.matrix;
    card.title = frame.words("mask.mask");
    card.heat = sheet_heat(frame, looked_at_stage(frame), block_cells(mask.matrix(), picture.block), {1, 3});
    card.heat.quad.colormap = card.heat.colormap = &blocks_colormap(frame.look.theme);
    card.heat.quad.mask = card.heat.quad.values;
    Rect room = below;
    room.max.x = room.min.x + std::max(room.width() * 0.55f, room.width() - 520 * u);
    lay_out(frame, card, room, {.closes_width = true});
    const float left = card.card.max.x + 22 * u, right = below.max.x;
    float y = below.min.y;
    const auto take = [&](float height) {
      const Rect taken{{left, y}, {right, y + height}};
      y += height;
      return taken;
    };
    picture.settings = take(44 * u);
    picture.legend = take(70 * u);
    picture.operations.place = take((24 + bar_line * static_cast<float>(picture.operations.bars.size()) + 6) * u);
    const float each = std::clamp((below.max.y - y - 14 * u) / 2, 70 * u, 260 * u);
    picture.by_block.place = take(each);
    y += 14 * u;
    picture.cache.place = take(each);
  }
};

}  // namespace

Index block_in_force(const MaskLab& lab, const Dims& dims) {
  return lab.block ? *lab.block : usual_block(std::max(dims.n_q, dims.n_k));
}

namespace {

CostPicture make_cost_picture(const Frame& frame, Rect area) {
  CostBuilder build{frame, area};
  build.count();
  build.count_operations();
  build.try_blocks();
  build.weigh_cache();
  build.place();
  return std::move(build.picture);
}

}  // namespace

const CostPicture& cost_picture(const Frame& frame, Rect area) {
  return frame.picture<CostPicture>([&] { return make_cost_picture(frame, area); }, frame.view().mask_lab, area);
}

namespace {

constexpr float tab_bar_line = 32;  // points

void draw_grid(const Frame& frame, const HeatPicture& heat, Index block) {
  const ImVec2 step{heat.rect.width() / static_cast<float>(heat.cols) * static_cast<float>(block),
                    heat.rect.height() / static_cast<float>(heat.rows) * static_cast<float>(block)};
  if (std::min(step.x, step.y) < 5 * frame.u || block == 1) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float thick = std::max(1.0f, 1.5f * frame.u);
  for (float x = heat.rect.min.x + step.x; x < heat.rect.max.x - 1; x += step.x)
    list.AddLine({x, heat.rect.min.y}, {x, heat.rect.max.y}, frame.look.accent, thick);
  for (float y = heat.rect.min.y + step.y; y < heat.rect.max.y - 1; y += step.y)
    list.AddLine({heat.rect.min.x, y}, {heat.rect.max.x, y}, frame.look.accent, thick);
}

/// One line a kind of block, with cells as the matrix has them.
void draw_legend(const Frame& frame, const CostPicture& picture) {
  const float u = frame.u, side = 12 * u;  // as every legend: the patterns are kept in one size
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Colormap& map = blocks_colormap(frame.look.theme);
  const ImU32 full = to_imgui(map.at(1)), allowed = to_imgui(map.at(0.5f)), masked = to_imgui(map.at(0));
  for (std::size_t i = 0; i < picture.kinds.size(); ++i) {
    const ImVec2 at{std::round(picture.legend.min.x),
                    std::round(picture.legend.min.y + static_cast<float>(i) * 20 * u)};
    const ImVec2 end{at.x + side, at.y + side};
    draw_swatch(frame, list, {i == 0 ? CellKind::masked : CellKind::value, i == 1 ? full : masked, ""}, at, side);
    if (i == 2) list.AddTriangleFilled({at.x, at.y}, {at.x, end.y}, end, allowed);
    compat::add_rect(list, at, end, frame.look.line, 0, 1);
    draw_elided(list, frame.fonts, Face::ui, TypeSize::body * u, {end.x + 8 * u, at.y - 1 * u}, frame.look.ink,
                picture.kinds[i], picture.legend.max.x - end.x - 8 * u);
  }
}

void draw_title(const Frame& frame, const CostPlot& plot) {
  draw_elided(*ImGui::GetWindowDrawList(), frame.fonts, Face::bold, TypeSize::body * frame.u, plot.place.min,
              frame.look.ink, plot.title, plot.place.width());
}

void draw_bars(const Frame& frame, const CostPlot& plot) {
  const float u = frame.u, size = TypeSize::body * u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_title(frame, plot);
  float y = plot.place.min.y + 24 * u;
  for (const CostBar& bar : plot.bars) {
    const ImU32 ink = bar.present ? frame.look.ink : frame.look.muted;
    const float number = text_size(frame.fonts, Face::mono, TypeSize::note * u, bar.number).x;
    draw_elided(list, frame.fonts, bar.present ? Face::bold : Face::ui, size, {plot.place.min.x, y}, ink, bar.label,
                plot.place.width() - number - 10 * u);
    draw_text(list, frame.fonts, Face::mono, TypeSize::note * u, {plot.place.max.x - number, y}, ink, bar.number);
    const ImVec2 from{plot.place.min.x, y + 17 * u};
    list.AddRectFilled(from, {plot.place.max.x, from.y + 7 * u}, frame.look.field, Corner::cell * u);
    list.AddRectFilled(from, {from.x + std::max(plot.place.width() * bar.share, 2 * u), from.y + 7 * u},
                       bar.present ? frame.look.accent : frame.look.muted, Corner::cell * u);
    y += tab_bar_line * u;
  }
}

/// A column a bar, the number above and the name below; gives the one that was clicked.
const CostBar* draw_columns(const Frame& frame, const char* id, const CostPlot& plot) {
  const float u = frame.u, size = TypeSize::note * u;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_title(frame, plot);
  const CostBar* clicked = nullptr;
  const float each = std::min(plot.place.width() / static_cast<float>(plot.bars.size()), 110 * u);
  const float floor = plot.place.max.y - 18 * u, top = plot.place.min.y + 38 * u;
  list.AddLine({plot.place.min.x, floor}, {plot.place.max.x, floor}, frame.look.line, 1);
  ImGui::PushID(id);
  for (std::size_t i = 0; i < plot.bars.size(); ++i) {
    const CostBar& bar = plot.bars[i];
    const float left = plot.place.min.x + static_cast<float>(i) * each, middle = left + each / 2,
                half = std::min(each * 0.36f, 26 * u);
    ImGui::SetCursorScreenPos({left, plot.place.min.y + 20 * u});
    ImGui::PushID(static_cast<int>(i));
    if (ImGui::InvisibleButton("column", {each, plot.place.max.y - plot.place.min.y - 20 * u})) clicked = &bar;
    const bool hovered = ImGui::IsItemHovered();
    ImGui::PopID();
    const float y = floor - std::max(floor - top, 4 * u) * bar.share;
    const ImU32 ink = bar.present || hovered ? frame.look.ink : frame.look.muted;
    list.AddRectFilled({middle - half, y}, {middle + half, floor},
                       bar.present ? frame.look.accent : fade(frame.look.muted, hovered ? 0.9f : 0.55f), 3 * u,
                       ImDrawFlags_RoundCornersTop);
    const Face face = bar.present ? Face::bold : Face::ui;
    const float number = std::min(text_size(frame.fonts, Face::mono, size, bar.number).x, each - 2 * u),
                name = std::min(text_size(frame.fonts, face, 13 * u, bar.label).x, each);
    draw_elided(list, frame.fonts, Face::mono, size, {middle - number / 2, y - 16 * u}, ink, bar.number, number);
    draw_elided(list, frame.fonts, face, 13 * u, {middle - name / 2, floor + 3 * u}, ink, bar.label, name);
  }
  ImGui::PopID();
  return clicked;
}

void choose_block(const Frame& frame, Index block) {
  frame.show([block](View& v) { v.mask_lab.block = static_cast<int>(std::clamp<Index>(block, 1, 4096)); });
}

void draw_settings(const Frame& frame, const CostPicture& picture) {
  constexpr std::array<Index, 13> sizes{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096};
  ImGui::SetCursorScreenPos(picture.settings.min);
  ImGui::BeginChild("settings", {picture.settings.width(), picture.settings.height()}, false,
                    ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar);
  if (const auto size = int_slider(frame, "block", frame.words("mask_lab.cost.block"), picture.block, Choices(sizes)))
    choose_block(frame, size->value);
  ImGui::EndChild();
}

}  // namespace

void draw_cost_tab(const Frame& frame, Rect place) {
  const Rect inside = sheet_inside(frame, place);
  const CostPicture& picture = cost_picture(frame, inside);
  draw_sheet_words(frame, picture.words, inside);
  point_at_cells(frame, "cells", picture.matrix.card, std::array{&picture.matrix});
  draw_matrix_card(frame, picture.matrix);
  draw_grid(frame, picture.matrix.heat, picture.block);
  draw_settings(frame, picture);
  draw_legend(frame, picture);
  draw_bars(frame, picture.operations);
  if (const CostBar* bar = draw_columns(frame, "blocks", picture.by_block)) choose_block(frame, bar->value);
  if (const CostBar* bar = draw_columns(frame, "cache", picture.cache)) {
    const bool free = frame.document.scenario.source != Source::file;  // a file's weights have their heads
    if (free && bar->value != frame.trace()->dims().kv_heads)
      frame.edit({}, [heads = bar->value](Scenario& s) { s.kv_heads = heads; });
  }
}

}  // namespace headlight
