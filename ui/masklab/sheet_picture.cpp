#include "ui/masklab/sheet_picture.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/attention/masking.h"
#include "core/mask/expression.h"
#include "core/mask/reach.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

constexpr Index reach_at_most = 1024;          // tokens: more would hold up the window
constexpr Index conventions_at_most = 1 << 20; // numbers of weights

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f %%", 100 * share);
  return text;
}

/// 1234567 → "1.23 M"
std::string amount(double value) {
  constexpr const char* units[] = {"", " k", " M", " G", " T"};
  int unit = 0;
  for (; value >= 1000 && unit < 4; ++unit) value /= 1000;
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 ? "%.0f%s" : "%.3g%s", value, units[unit]);
  return text;
}

struct Builder {
  const Frame& frame;
  SheetPicture picture{};
  const Trace& trace = *frame.trace();
  const MaskLab& lab = frame.view().mask_lab;
  const Dims& dims = trace.dims();

  std::string fill(const char* key, std::initializer_list<std::string_view> values) const { return frame.words.fill(key, values); }

  /// Of the batch entry and head that are looked at; all ones where there is none.
  Tensor mask() const {
    if (!trace.has(Stage::mask)) return Tensor::full({1, 1}, 1).expand({dims.n_q, dims.n_k}).contiguous();
    return trace[Stage::mask].slice(0, frame.view().batch, 1).slice(1, frame.view().head, 1).contiguous().view({dims.n_q, dims.n_k});
  }

  void reach_sheet() {
    picture.sentences.push_back(frame.words("mask_lab.reach.about"));
    if (dims.n_q != dims.n_k) {
      picture.error = fill("mask_lab.reach.square", {std::to_string(dims.n_q), std::to_string(dims.n_k)});
    } else if (dims.n_q > reach_at_most) {
      picture.error = fill("mask_lab.reach.large", {std::to_string(reach_at_most)});
    } else {
      arrivals();
    }
  }

  /// For each token the first layer after which a query may have its information.
  void arrivals() {
    const Tensor first = mask();
    const Index n = dims.n_q;
    Buffer arrival(static_cast<std::size_t>(n * n), 0);
    for (Index layers = 1; layers <= lab.layers; ++layers) {
      const Tensor now = reach(first.matrix(), {layers, lab.residual});
      for (std::size_t i = 0; i < arrival.size(); ++i) {
        if (arrival[i] == 0 && now.values()[i] != 0) arrival[i] = static_cast<float>(layers);
      }
    }
    Buffer reached(arrival.size());
    std::ranges::transform(arrival, reached.begin(), [](float layer) { return layer > 0 ? 1.0f : 0.0f; });
    const Index row = frame.view().selected && info(frame.view().selected->stage).rows == Axis::query ? frame.view().selected->row : n - 1;
    const auto of_row = std::count(reached.begin() + row * n, reached.begin() + (row + 1) * n, 1.0f);
    const auto all = std::count(reached.begin(), reached.end(), 1.0f);
    picture.sentences.push_back(fill("mask_lab.reach.query", {std::to_string(lab.layers), axis_label(trace, Axis::query, frame.view().batch, row),
                                                             std::to_string(of_row), std::to_string(n)}));
    picture.sentences.push_back(fill("mask_lab.reach.all", {percent(static_cast<double>(all) / static_cast<double>(n * n))}));
    Buffer strength(arrival.size());  // the earlier, the stronger
    std::ranges::transform(arrival, strength.begin(), [&](float layer) { return static_cast<float>(lab.layers) + 1 - layer; });
    picture.values = Tensor({n, n}, std::move(strength));
    picture.numbers = Tensor({n, n}, std::move(arrival));
    picture.marks = Tensor({n, n}, std::move(reached));
    picture.range = {0, static_cast<float>(lab.layers)};
  }

  void bar(const char* title, std::string label, double value, std::string number, bool present = false) {
    picture.bar_titles.push_back(title);
    picture.bars.push_back({std::move(label), std::move(number), static_cast<float>(value), present});
  }

  void scale_bars(std::size_t from) {
    float most = 0;
    for (std::size_t i = from; i < picture.bars.size(); ++i) most = std::max(most, picture.bars[i].share);
    for (std::size_t i = from; i < picture.bars.size() && most > 0; ++i) picture.bars[i].share /= most;
  }

  void cost_sheet() {
    const Tensor one = mask();
    const BlockCounts blocks = block_counts(one, lab.block);
    picture.values = one;
    picture.sentences.push_back(frame.words("mask_lab.cost.about"));
    picture.sentences.push_back(fill("mask_lab.cost.share", {percent(allowed_share(one).share())}));
    picture.sentences.push_back(fill("mask_lab.cost.blocks", {std::to_string(blocks.empty), std::to_string(blocks.blocks()), std::to_string(lab.block),
                                                             std::to_string(blocks.full), std::to_string(blocks.partial)}));
    const AttentionFlops flops = attention_flops(one, dims.batch, dims.heads, dims.d_head, lab.block);
    bar("mask_lab.cost.flops", frame.words("mask_lab.cost.dense"), flops.dense, amount(flops.dense));
    bar("", frame.words("mask_lab.cost.sparse"), flops.block_sparse, amount(flops.block_sparse));
    bar("", frame.words("mask_lab.cost.ideal"), flops.ideal, amount(flops.ideal));
    scale_bars(0);
    const char* title = "mask_lab.cost.cache";
    for (Index kv_heads = dims.heads; kv_heads >= 1; --kv_heads) {
      if (dims.heads % kv_heads != 0) continue;
      const Index bytes = kv_cache_bytes_per_token(kv_heads, dims.d_head, 2);
      const char* kind = kv_heads == dims.heads ? "MHA" : kv_heads == 1 ? "MQA" : "GQA";
      bar(title, std::string(kind) + ", " + std::to_string(kv_heads), static_cast<double>(bytes),
          std::to_string(bytes) + " / " + std::to_string(2 * bytes), kv_heads == dims.kv_heads);
      title = "";
    }
    scale_bars(3);
  }

  void side_by_side_sheet() {
    picture.sentences.push_back(frame.words("mask_lab.sides.about"));
    picture.values = mask();
    try {
      Scenario other = trace.scenario;
      other.mask = lab.other;
      other.painted.clear();
      const Tensor masks = build_mask(other, trace.inputs);
      picture.second = masks.slice(0, frame.view().batch, 1).slice(1, frame.view().head, 1).contiguous().view({dims.n_q, dims.n_k});
      const MaskDifference difference = mask_difference(picture.values, picture.second);
      picture.differing = difference.cells;
      const Index a = difference.only_first, b = difference.only_second;
      picture.sentences.push_back(a + b == 0 ? std::string(frame.words("mask_lab.sides.same"))
                                             : fill("mask_lab.sides.differ", {std::to_string(a + b), std::to_string(dims.n_q * dims.n_k), std::to_string(a), std::to_string(b)}));
    } catch (const ExpressionError& error) {
      picture.error = std::string(error.what()) + "\n" + mark_at(lab.other, error.position());
    } catch (const InputError& error) {
      picture.error = error.what();
    }
  }

  void conventions_sheet() {
    picture.sentences.push_back(frame.words("mask_lab.conventions.about"));
    if (!trace.has(Stage::mask)) {
      picture.error = frame.words("mask_lab.conventions.none");
    } else if (trace[Stage::weights].count() > conventions_at_most) {
      picture.error = fill("mask_lab.conventions.large", {std::to_string(conventions_at_most)});
    } else {
      for (Convention& choice : conventions(trace)) add_choice(std::move(choice));
    }
  }

  void add_choice(Convention convention) {
    SheetPicture::Choice choice;
    choice.effect = fill("mask_lab.conventions.effect", {std::to_string(convention.cells), number_text(convention.weights_change, 3), number_text(convention.output_change, 3)});
    if (convention.nan_changes) choice.effect += "; " + std::string(frame.words("mask_lab.conventions.nan"));
    choice.name = frame.words("mask_lab.conventions.name." + convention.id);
    choice.who = frame.words("mask_lab.conventions.who." + convention.id);
    const auto looked_at = [&](const Tensor& all) { return all.slice(0, frame.view().batch, 1).slice(1, frame.view().head, 1); };
    choice.weights = looked_at(convention.weights);
    choice.mask = looked_at(convention.mask);
    choice.convention = std::move(convention);
    picture.choices.push_back(std::move(choice));
  }
};

}  // namespace

SheetPicture make_sheet_picture(const Frame& frame) {
  Builder build{frame};
  switch (frame.view().mask_lab.tab) {
    case MaskTab::patterns: break;
    case MaskTab::conventions: build.conventions_sheet(); break;
    case MaskTab::reach: build.reach_sheet(); break;
    case MaskTab::cost: build.cost_sheet(); break;
    case MaskTab::side_by_side: build.side_by_side_sheet(); break;
  }
  return std::move(build.picture);
}

}  // namespace headlight
