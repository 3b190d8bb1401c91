#include "ui/pipeline/layout.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

namespace headlight {
namespace {

// Widths of the left columns and of the right block, in shares of the canvas; gaps hold the arrows and their words.
struct Columns {
  float input = 0.112f, weights = 0.09f, projected = 0.112f, heads = 0.09f, rotated = 0.09f;
  float gap_input = 0.022f, gap_product = 0.05f, gap_split = 0.042f, gap_meet = 0.04f;
};

constexpr std::array<std::array<Stage, 5>, 3> lane_stages{{
    {Stage::query, Stage::W_q, Stage::Q, Stage::Q_heads, Stage::Q_rotated},
    {Stage::key, Stage::W_k, Stage::K, Stage::K_heads, Stage::K_rotated},
    {Stage::value, Stage::W_v, Stage::V, Stage::V_heads, Stage::V_heads},
}};

struct Builder {
  const Trace& trace;
  PipelineLayout& layout;
  float u;

  void place(Stage stage, Rect rect) {
    if (trace.has(stage)) layout.slots.push_back({stage, rect});
  }

  /// Cards side by side over the whole width, each as wide as its share.
  void row(const std::vector<std::pair<Stage, float>>& cards, Rect area, float gap) {
    float total = 0;
    for (const auto& [stage, share] : cards) total += share;
    const float unit = (area.width() - gap * static_cast<float>(cards.size() - 1)) / total;
    float x = area.min.x;
    for (const auto& [stage, share] : cards) {
      place(stage, {{x, area.min.y}, {x + unit * share, area.max.y}});
      x += unit * share + gap;
    }
  }

  void arrow(Stage from, Stage to, Stage colour_of, std::string above = {}, std::string below = {}) {
    const Rect* a = layout.find(from);
    const Rect* b = layout.find(to);
    if (!a || !b) return;
    const float y = std::clamp(b->centre().y, a->min.y + 8 * u, a->max.y - 8 * u);
    straight({a->max.x, y}, {b->min.x, y}, colour_of, std::move(above), std::move(below));
  }

  void straight(ImVec2 from, ImVec2 to, Stage colour_of, std::string above = {}, std::string below = {}) {
    const ImVec2 middle{(from.x + to.x) / 2, (from.y + to.y) / 2};
    layout.arrows.push_back({from, middle, middle, to, colour_of, std::move(above), std::move(below), middle});
  }

  /// Leaves and arrives level, like a railway switch.
  void curve(ImVec2 from, ImVec2 to, Stage colour_of, std::string above = {}) {
    const float x = (from.x + to.x) / 2;
    layout.arrows.push_back(
        {from, {x, from.y}, {x, to.y}, to, colour_of, std::move(above), {}, {x, (from.y + to.y) / 2}});
  }

  /// Leaves and arrives upright.
  void drop(ImVec2 from, ImVec2 to, Stage colour_of, std::string beside) {
    const float y = (from.y + to.y) / 2;
    layout.arrows.push_back({from, {from.x, y}, {to.x, y}, to, colour_of, std::move(beside), {}, {(from.x + to.x) / 2, y}});
  }
};

std::string scale_label(const Trace& trace) {
  char text[48];
  if (!trace.scenario.scale) {
    std::snprintf(text, sizeof text, "× 1/√%lld", static_cast<long long>(trace.dims().d_head));
  } else {
    std::snprintf(text, sizeof text, "× %.4g", static_cast<double>(trace.scale));
  }
  return text;
}

std::string product_label(const char* weight) {
  return "· W_{" + std::string(weight) + "}^T";
}

std::string bias_label(const Tensor& bias, const char* weight) {
  return bias.defined() ? "+ b_{" + std::string(weight) + "}" : std::string();
}

void left_lanes(Builder& build, const std::array<Rect, 3>& lanes, const Columns& c, float canvas, float margin, bool packed) {
  const Inputs& inputs = build.trace.inputs;
  const bool rotated = build.trace.has(Stage::Q_rotated);
  for (std::size_t lane = 0; lane < 3; ++lane) {
    float x = margin;
    const auto column = [&](Stage stage, float share, float gap) {
      build.place(stage, {{x, lanes[lane].min.y}, {x + share * canvas, lanes[lane].max.y}});
      x += (share + gap) * canvas;
    };
    const auto& [input, weight, projected, heads, turned] = lane_stages[lane];
    if (inputs.self_attention() && lane != 1) {
      x += (c.input + c.gap_input) * canvas;  // one card, in the middle lane, feeds all three
    } else {
      column(input, c.input, c.gap_input);
    }
    if (!packed) {
      column(weight, c.weights, c.gap_product);
    } else {
      if (lane == 0) build.place(weight, {{x, lanes[0].min.y}, {x + c.weights * canvas, lanes[2].max.y}});
      x += (c.weights + c.gap_product) * canvas;
    }
    column(projected, c.projected, c.gap_split);
    column(heads, c.heads, c.gap_split);
    if (rotated && lane < 2) column(turned, c.rotated, 0);
  }
}

void right_block(Builder& build, Rect area, const std::array<Rect, 3>& lanes) {
  const Trace& trace = build.trace;
  const float u = build.u;
  const float gap = 12 * u;
  if (!trace.has(Stage::scores)) return build.place(Stage::weights, area);
  std::vector<std::pair<Stage, float>> top;
  for (const Stage stage : {Stage::scores, Stage::scaled_scores, Stage::capped_scores, Stage::biased_scores, Stage::mask,
                            Stage::masked_scores}) {
    if (trace.has(stage)) top.emplace_back(stage, stage == Stage::mask || stage == Stage::scores ? 0.85f : 1.0f);
  }
  build.row(top, {{area.min.x, lanes[0].min.y}, {area.max.x, lanes[0].max.y}}, gap);

  // The middle takes what the outer lanes leave, less room for the arrows.
  const float arrow_room = 30 * u;
  const Rect middle{{area.min.x, lanes[0].max.y + arrow_room}, {area.max.x, lanes[2].min.y - arrow_room}};
  std::vector<std::pair<Stage, float>> centre{{Stage::weights, 1.0f}};
  if (trace.has(Stage::dropped_weights)) centre.emplace_back(Stage::dropped_weights, 0.62f);
  build.row(centre, middle, 34 * u);

  std::vector<std::pair<Stage, float>> bottom{{Stage::head_outputs, 1.0f}, {Stage::concat, 1.0f}};
  if (trace.has(Stage::W_o)) bottom.emplace_back(Stage::W_o, 0.9f);
  bottom.emplace_back(Stage::output, 1.0f);
  build.row(bottom, {{area.min.x, lanes[2].min.y}, {area.max.x, lanes[2].max.y}}, gap);
}

void left_arrows(Builder& build) {
  const Inputs& inputs = build.trace.inputs;
  const char* letters[] = {"q", "k", "v"};
  const Tensor* biases[] = {&inputs.b_q, &inputs.b_k, &inputs.b_v};
  for (std::size_t lane = 0; lane < 3; ++lane) {
    const auto& [input, weight, projected, heads, turned] = lane_stages[lane];
    const Rect* from = build.layout.find(inputs.self_attention() ? Stage::key : input);
    const bool packed = build.layout.find(weight) == nullptr || build.layout.find(Stage::W_k) == nullptr;
    const Stage shown = packed ? Stage::W_q : weight;
    const Rect* to = build.layout.find(shown);
    if (from && to) {
      const float y = packed ? from->centre().y : to->centre().y;
      build.curve({from->max.x, from->centre().y}, {to->min.x, y}, projected);
    }
    build.arrow(shown, projected, projected, product_label(letters[lane]), bias_label(*biases[lane], letters[lane]));
    build.arrow(projected, heads, projected, "split");
    if (lane < 2) build.arrow(heads, turned, projected, build.trace.scenario.rope != Rope::none ? "RoPE" : "norm");
  }
}

void right_arrows(Builder& build) {
  const Trace& trace = build.trace;
  PipelineLayout& layout = build.layout;
  const float u = build.u;
  if (!layout.find(Stage::scores)) return;  // weights that were given stand alone
  const Rect& scores = *layout.find(Stage::scores);
  const Rect& weights = *layout.find(Stage::weights);
  const Rect& masked = *layout.find(Stage::masked_scores);

  const bool turned = trace.has(Stage::Q_rotated);
  const Rect& q = *layout.find(turned ? Stage::Q_rotated : Stage::Q_heads);
  const Rect& k = *layout.find(turned ? Stage::K_rotated : Stage::K_heads);
  const float entry = scores.height() * 0.2f;
  build.straight({q.max.x + 8 * u, scores.centre().y - entry}, {scores.min.x, scores.centre().y - entry}, Stage::Q);
  build.curve({k.max.x + 8 * u, k.centre().y}, {scores.min.x, scores.centre().y + entry}, Stage::K, "· K^T");
  layout.arrows.back().label.x -= 16 * u;

  // Words over the gaps of the rows stand above the cards, where there is room for them.
  const auto step = [&](Stage from, Stage to, std::string words, std::string below = {}) {
    if (!layout.find(from) || !layout.find(to)) return;
    build.arrow(from, to, to, std::move(words), std::move(below));
    layout.arrows.back().label.y = std::min(layout.find(from)->min.y, layout.find(to)->min.y) - 9 * u;
  };
  Stage last = Stage::scores;
  const auto chain = [&](Stage next, std::string words) {
    if (!layout.find(next)) return;
    step(last, next, std::move(words));
    last = next;
  };
  char cap[32];
  std::snprintf(cap, sizeof cap, "soft-cap %.3g", static_cast<double>(trace.scenario.softcap.value_or(0)));
  chain(Stage::scaled_scores, scale_label(trace));
  chain(Stage::capped_scores, cap);
  chain(Stage::biased_scores, "+ bias");
  chain(Stage::mask, "mask");
  chain(Stage::masked_scores, "");

  const float down = std::clamp(masked.centre().x, weights.min.x, weights.max.x - 40 * u);
  build.drop({masked.centre().x, masked.max.y}, {down, weights.min.y}, Stage::weights, "softmax");
  layout.arrows.back().label.x -= 44 * u;
  build.arrow(Stage::weights, Stage::dropped_weights, Stage::weights, "drop");
  if (!layout.find(Stage::head_outputs)) return;  // heads without values
  const Rect& outputs = *layout.find(Stage::head_outputs);
  const Rect& v = *layout.find(Stage::V_heads);
  const Stage mixed = layout.find(Stage::dropped_weights) ? Stage::dropped_weights : Stage::weights;
  const Rect& source = *layout.find(mixed);
  const float stack = trace.dims().heads > 1 ? 14 * u : 0;  // the other heads' cards stand out above
  const float leave = mixed == Stage::weights ? outputs.centre().x : source.centre().x;
  build.drop({leave, source.max.y}, {outputs.centre().x, outputs.min.y - stack}, Stage::weights, "");
  build.straight({v.max.x + 8 * u, outputs.centre().y}, {outputs.min.x, outputs.centre().y}, Stage::V, "· V");

  step(Stage::head_outputs, Stage::concat, "concat");
  layout.arrows.back().label.x += stack;
  layout.arrows.back().label.y -= stack * 0.4f;
  const Inputs& inputs = trace.inputs;
  if (layout.find(Stage::W_o)) {
    step(Stage::concat, Stage::W_o, "");
    step(Stage::W_o, Stage::output, product_label("o") + (inputs.b_o.defined() ? " + b_{o}" : ""));
  } else {
    step(Stage::concat, Stage::output, "=");
  }
}

}  // namespace

const Rect* PipelineLayout::find(Stage stage) const {
  for (const Slot& slot : slots) {
    if (slot.stage == stage) return &slot.card;
  }
  return nullptr;
}

PipelineLayout lay_out_pipeline(const Trace& trace, ImVec2 size, float u, bool packed, float foot) {
  PipelineLayout layout;
  Builder build{trace, layout, u};
  layout.type = std::clamp(std::min(size.x / (930 * u), size.y / (740 * u)), 1.0f, 1.7f);
  build.u = u * layout.type;
  const float margin = 14 * build.u;
  const float words = 16 * build.u;  // above the first and the last lane
  if (foot > 0) layout.foot = {{margin, size.y - margin - foot}, {size.x - margin, size.y - margin}};

  const float top = margin + words;
  const float bottom = size.y - margin - (foot > 0 ? foot + margin : 0);
  const float lane = (bottom - top) * 0.275f;
  const float between = ((bottom - top) - 3 * lane) / 2;
  std::array<Rect, 3> lanes;
  for (std::size_t i = 0; i < 3; ++i) {
    const float y = top + static_cast<float>(i) * (lane + between);
    lanes[i] = {{0, y}, {size.x, y + lane}};
  }

  Columns columns;
  if (trace.has(Stage::Q_rotated)) {
    columns.input = columns.projected = 0.1f;
    columns.weights = columns.heads = columns.rotated = 0.078f;
    columns.gap_product = 0.045f;
    columns.gap_split = 0.036f;
  }
  if (!trace.has(Stage::Q)) {  // the pipeline begins at the heads, or at the weights
    columns.input = columns.gap_input = columns.weights = columns.gap_product = columns.projected = columns.gap_split = 0;
  }
  left_lanes(build, lanes, columns, size.x, margin, packed);
  float left = 0;
  for (const Slot& slot : layout.slots) left = std::max(left, slot.card.max.x);
  right_block(build, {{left + columns.gap_meet * size.x, top}, {size.x - margin, bottom}}, lanes);
  return layout;
}

void connect_cards(const Trace& trace, PipelineLayout& layout, float u) {
  Builder build{trace, layout, u * layout.type};
  layout.arrows.clear();
  left_arrows(build);
  right_arrows(build);
}

}  // namespace headlight
