// The cost sheet: blocks that a kernel can skip, operations, and the size of the key/value cache.
#include <algorithm>
#include <array>
#include <cmath>

#include "core/base/files/error_place.h"
#include "core/base/text/number_text.h"
#include "core/rules/mask/statistics.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/scene/scene.h"
#include "ui/parts/widgets/controls.h"
#include "ui/views/masklab/mask_picture.h"
#include "ui/views/masklab/sheet.h"

namespace headlight {
namespace {

/// The matrix of blocks with its legend, and the charts beside and below it, in points.
struct CostSizes {
  static constexpr float charts = 520, beside_matrix = 22, settings = 44, legend = 70, least_block = 5;
  static constexpr float bar_below = 17, bar_height = 7;  ///< of its words
  static constexpr float widest_column = 110, half_column = 26, above_columns = 38, lowest_chart = 70,
                         highest_chart = 260;
};

constexpr Index most_block = 4096;
constexpr float bar_line = 32;  // points

/// One bar of a chart.
struct CostBar {
  std::string label, number;
  float share = 0;       ///< relative to the longest
  bool present = false;  ///< the current run's value
  Index value = 0;       ///< a block size, or a number of key/value heads
};

struct CostPicture {
  Scene scene;
  Rect settings{}, cells{};  ///< the rectangles of the slider and of the matrix
};

/// 1234567 → "1.23 MFLOP"
std::string flop_text(double value) {
  constexpr const char* units[] = {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP"};
  int unit = 0;
  for (; value >= 999.5 && unit < 5; ++unit) value /= 1000;
  const int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return formatted("%.*f %s", digits, value, units[unit]);
}

struct CostBuilder : ScenePart {
  const Frame& frame;
  Rect area;
  CostPicture& picture;
  const Dims& dims = trace.dims();
  const float body = TypeSize::body * u, small = TypeSize::note * u;
  const Tensor mask = looked_at_mask(frame);
  const Index block = block_in_force(view.mask_lab, dims);
  const BlockCounts counts = block_counts(mask, block);
  Rect below{};    ///< the part of the area that is still free
  float left = 0;  ///< where the column right of the matrix begins

  /// The share of the cells that a kernel with these blocks computes.
  double computed_share(const BlockCounts& of) const {
    const auto cells = static_cast<double>(dims.n_q * dims.n_k);
    return (cells - static_cast<double>(of.skipped_cells)) / cells;
  }

  /// Takes a part of the area right of the matrix, from the top.
  Rect take(float height) {
    const Rect taken{{left, below.min.y}, {below.max.x, below.min.y + height}};
    below.min.y += height;
    return taken;
  }

  void put_matrix() {
    SheetWords words;
    words.title = say("mask_lab.cost.about");
    words.lines.push_back(say.fill("mask_lab.cost.share", {percent_text(allowed_share(mask).share()), block,
                                                           percent_text(computed_share(counts))}));
    below = put_sheet_words(pen, words, area);
    MatrixCard card;
    card.title = say("mask.mask");
    card.heat = sheet_heat(frame, looked_at_stage(frame), block_cells(mask.matrix(), block), {1, 3});
    card.heat.quad.colormap = card.heat.colormap = &blocks_colormap(look.theme);
    card.heat.quad.mask = card.heat.quad.values;
    Rect room = below;
    room.max.x = room.min.x + std::max(room.width() * 0.55f, room.width() - CostSizes::charts * u);
    lay_out(frame, card, room, {.closes_width = true});
    put_matrix_card(pen, card);
    put_grid(card.heat);
    left = card.card.max.x + CostSizes::beside_matrix * u;
    picture.cells = card.card;
    picture.settings = take(CostSizes::settings * u);
  }

  void put_grid(const HeatPicture& heat) {
    const Rect& rect = heat.rect;
    const auto side = static_cast<float>(block);
    const ImVec2 step{rect.width() / static_cast<float>(heat.cols) * side,
                      rect.height() / static_cast<float>(heat.rows) * side};
    if (std::min(step.x, step.y) < CostSizes::least_block * u || block == 1) return;
    const float thick = Stroke::arrow(u);
    for (float x = rect.min.x + step.x; x < rect.max.x - 1; x += step.x)
      pen.line({x, rect.min.y}, {x, rect.max.y}, look.accent, thick);
    for (float y = rect.min.y + step.y; y < rect.max.y - 1; y += step.y)
      pen.line({rect.min.x, y}, {rect.max.x, y}, look.accent, thick);
  }

  /// Puts one line for each kind of block, with a cell drawn as in the matrix.
  void put_legend() {
    const Rect place = take(CostSizes::legend * u);
    const Colormap& map = blocks_colormap(look.theme);
    const std::pair<const char*, Index> kinds[] = {{"mask_lab.cost.skipped", counts.empty},
                                                   {"mask_lab.cost.full", counts.full},
                                                   {"mask_lab.cost.partial", counts.partial}};
    const float side = swatch_side * u;
    ImVec2 at{std::round(place.min.x), std::round(place.min.y)};
    for (const auto& [key, count] : kinds) {
      const bool skipped = key == kinds[0].first, full = key == kinds[1].first;
      const Rect swatch{at, {at.x + side, at.y + side}};
      pen.scene().items.emplace_back(
          SceneSwatch{swatch, skipped ? CellKind::masked : CellKind::value, to_imgui(map.at(full ? 1 : 0))});
      if (!skipped && !full)  // half of its cells are allowed
        pen.fill({{at.x + 1, at.y + side / 2}, {swatch.max.x - 1, swatch.max.y - 1}}, to_imgui(map.at(0.5f)));
      pen.words(Face::ui, body, {swatch.max.x + Space::gap * u, at.y - u}, look.ink, say.fill(key, {grouped(count)}),
                place.max.x - swatch.max.x - Space::gap * u);
      at.y += Space::wide * u;
    }
  }

  void put_title(const Rect& place, const std::string& title) {
    pen.words(Face::bold, body, place.min, look.ink, title, place.width());
  }

  /// Puts a chart of horizontal bars.
  void put_bars(const std::string& title, const std::vector<CostBar>& bars) {
    const Rect place = take((24 + bar_line * static_cast<float>(bars.size()) + 6) * u);
    put_title(place, title);
    float y = place.min.y + Space::section * u;
    for (const CostBar& bar : bars) {
      const ImU32 ink = bar.present ? look.ink : look.muted;
      const Rect number = pen.words(Face::mono, small, {place.max.x, y}, ink, bar.number, Pen::uncut, Align::right);
      pen.words(bar.present ? Face::bold : Face::ui, body, {place.min.x, y}, ink, bar.label,
                place.width() - number.width() - Space::pad * u);
      const ImVec2 from{place.min.x, y + CostSizes::bar_below * u};
      pen.fill({from, {place.max.x, from.y + CostSizes::bar_height * u}}, look.field, Corner::cell * u);
      pen.fill(
          {from, {from.x + std::max(place.width() * bar.share, Space::fine * u), from.y + CostSizes::bar_height * u}},
          bar.present ? look.accent : look.muted, Corner::cell * u);
      y += bar_line * u;
    }
  }

  /// Puts a chart of columns, each with its number above and its name below. A click selects a column.
  void put_columns(const Rect& place, const char* id, SceneAction action, const std::string& title,
                   const std::vector<CostBar>& bars) {
    put_title(place, title);
    const float each = std::min(place.width() / static_cast<float>(bars.size()), CostSizes::widest_column * u);
    const float floor = place.max.y - Space::row * u, top = place.min.y + CostSizes::above_columns * u,
                half = std::min(each * 0.36f, CostSizes::half_column * u);
    pen.fill({{place.min.x, floor}, {place.max.x, floor + 1}}, look.line);
    float middle = place.min.x + each / 2;
    for (const CostBar& bar : bars) {
      const float y = floor - std::max(floor - top, Space::tight * u) * bar.share;
      const ImU32 ink = bar.present ? look.ink : look.muted;
      pen.fill({{middle - half, y}, {middle + half, floor}}, bar.present ? look.accent : fade(look.muted, 0.55f),
               Corner::cell * u);
      pen.words(Face::mono, small, {middle, y - Space::part * u}, ink, bar.number, each - Space::fine * u,
                Align::middle);
      pen.words(bar.present ? Face::bold : Face::ui, body, {middle, floor + Space::thin * u}, ink, bar.label, each,
                Align::middle);
      const Rect column{{middle - each / 2, place.min.y + Space::wide * u}, {middle + each / 2, place.max.y}};
      pen.control(column, id + std::to_string(bar.value), action, bar.value).framed = column;
      middle += each;
    }
  }

  void put_operations() {
    // Masks may differ between batch entries and heads: this is the sum over all of them.
    const Tensor& all = trace.has(Stage::mask) ? trace[Stage::mask] : mask;
    const AttentionFlops flops = attention_flops(all, dims.batch, dims.heads, dims.d_head, block);
    const auto bar = [&](const char* word, double value, bool present) {
      const double share = flops.dense > 0 ? value / flops.dense : 0;
      return CostBar{say(word), flop_text(value) + "  " + percent_text(share), static_cast<float>(share), present};
    };
    put_bars(say.fill("mask_lab.cost.flops", {4 * dims.d_head}),
             {bar("mask_lab.cost.dense", flops.dense, false), bar("mask_lab.cost.sparse", flops.block_sparse, true),
              bar("mask_lab.cost.ideal", flops.ideal, false)});
  }

  void put_blocks(const Rect& place) {
    std::vector<CostBar> bars;
    for (Index side = 1; side <= most_block && (side == 1 || side / 2 < std::max(dims.n_q, dims.n_k)); side *= 2) {
      const double share = computed_share(side == block ? counts : block_counts(mask, side));
      const std::string number = formatted("%.0f %%", 100 * share);
      bars.push_back({std::to_string(side), number, static_cast<float>(share), side == block, side});
    }
    put_columns(place, "block ", SceneAction::block, say("mask_lab.cost.by_block"), bars);
  }

  void put_cache(const Rect& place) {
    std::vector<CostBar> bars;
    for (Index kv_heads = dims.heads; kv_heads >= 1; --kv_heads) {
      if (dims.heads % kv_heads != 0) continue;
      const Index bytes = kv_cache_bytes_per_token(kv_heads, dims.d_head);
      const char* kind = kv_heads == dims.heads ? "MHA " : kv_heads == 1 ? "MQA " : "GQA ";
      bars.push_back(
          {kind + std::to_string(kv_heads), frame.words.translate(byte_count(static_cast<std::uint64_t>(bytes))),
           static_cast<float>(kv_heads) / static_cast<float>(dims.heads), kv_heads == dims.kv_heads, kv_heads});
    }
    put_columns(place, "cache ", SceneAction::kv_heads, say("mask_lab.cost.cache"), bars);
  }
};

CostPicture make_cost_picture(const Frame& frame, Rect area) {
  CostPicture picture;
  Pen pen(frame, picture.scene);
  CostBuilder build{pen, frame, area, picture};
  build.put_matrix();
  build.put_legend();
  build.put_operations();
  const float each = std::clamp((build.below.max.y - build.below.min.y - Space::card * frame.u) / 2,
                                CostSizes::lowest_chart * frame.u, CostSizes::highest_chart * frame.u);
  build.put_blocks(build.take(each));
  build.take(Space::card * frame.u);
  build.put_cache(build.take(each));
  return picture;
}

void choose_block(const Frame& frame, Index block) {
  frame.show([block](View& v) { v.mask_lab.block = static_cast<int>(std::clamp<Index>(block, 1, most_block)); });
}

void press(const Frame& frame, const SceneTarget& target) {
  if (target.action == SceneAction::block) return choose_block(frame, target.index);
  // The weights of a file have a fixed number of heads.
  if (frame.document.scenario.source != Source::file && target.index != frame.trace()->dims().kv_heads)
    frame.edit({}, [heads = target.index](Scenario& s) { s.kv_heads = heads; });
}

}  // namespace

void draw_cost_tab(const Frame& frame, Rect place) {
  constexpr std::array<Index, 13> sizes{1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, most_block};
  const Rect inside = sheet_inside(frame, place);
  const CostPicture& picture =
      frame.picture<CostPicture>([&] { return make_cost_picture(frame, inside); }, frame.view().mask_lab, inside);
  point_at_cells(frame, picture.scene, picture.cells);
  draw_scene(frame, *ImGui::GetWindowDrawList(), picture.scene);
  {
    const ControlArea area("settings", picture.settings);
    const Index block = block_in_force(frame.view().mask_lab, frame.trace()->dims());
    if (const auto size = int_slider(frame, "block", frame.words("mask_lab.cost.block"), block, Choices(sizes)))
      choose_block(frame, size->value);
  }
  if (const SceneTarget* pressed = press_controls(frame, picture.scene)) press(frame, *pressed);
}

}  // namespace headlight
