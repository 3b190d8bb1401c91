#include "ui/masklab/cost_picture.h"

#include <algorithm>
#include <cstdio>

#include "core/files/error_place.h"
#include "ui/look/number_text.h"

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

CostPicture make_cost_picture(const Frame& frame, Rect area) {
  CostBuilder build{frame, area};
  build.count();
  build.count_operations();
  build.try_blocks();
  build.weigh_cache();
  build.place();
  return std::move(build.picture);
}

const CostPicture& cost_picture(const Frame& frame, Rect area) {
  return frame.picture<CostPicture>([&] { return make_cost_picture(frame, area); }, frame.view().mask_lab, area);
}

}  // namespace headlight
