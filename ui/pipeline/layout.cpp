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

constexpr Lane left_lane[] = {Lane::query, Lane::key, Lane::value};

/// The cards of a lane from left to right: its stages, each behind the weights that it is made with.
std::vector<Stage> cards_of(const Trace& trace, Lane lane) {
  std::vector<Stage> cards;
  for (const Stage stage : all_stages()) {
    if (info(stage).lane != lane || !trace.has(stage)) continue;
    for (const SourceStage& source : info(stage).sources) {
      if (is_parameter(source.stage) && !is_bias(source.stage) && trace.has(source.stage)) cards.push_back(source.stage);
    }
    cards.push_back(stage);
  }
  return cards;
}

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

std::string product_label(std::string_view weight) { return "· " + std::string(weight) + "^T"; }

std::string cap_label(const Trace& trace) {
  char text[32];
  std::snprintf(text, sizeof text, "soft-cap %.3g", static_cast<double>(trace.scenario.softcap.value_or(0)));
  return text;
}

/// What happens on the way to a stage, as its arrow says it.
std::string step_label(const Trace& trace, Stage stage) {
  switch (stage) {
    case Stage::Q: case Stage::K: case Stage::V: case Stage::output: {
      const Stage weight = info(stage).sources[1].stage;
      return trace.has(weight) ? product_label(info(weight).symbol) : "=";
    }
    case Stage::Q_heads: case Stage::K_heads: case Stage::V_heads: return "split";
    case Stage::Q_normed: case Stage::K_normed: return "norm";
    case Stage::Q_rotated: case Stage::K_rotated: return "RoPE";
    case Stage::scaled_scores: return scale_label(trace);
    case Stage::capped_scores: return cap_label(trace);
    case Stage::biased_scores: return "+ bias";
    case Stage::mask: return "mask";
    case Stage::weights: return "softmax";
    case Stage::dropped_weights: return "drop";
    case Stage::head_outputs: return "· V";
    case Stage::concat: return "concat";
    case Stage::query: case Stage::key: case Stage::value: case Stage::scores: case Stage::masked_scores:
    case Stage::W_q: case Stage::W_k: case Stage::W_v: case Stage::W_o: case Stage::b_q: case Stage::b_k: case Stage::b_v: case Stage::b_o:
      return {};
  }
  return {};
}

/// "+ b_{q}" of a projection that adds one.
std::string bias_label(const Trace& trace, Stage stage) {
  const StageSources& sources = info(stage).sources;
  if (sources.size() < 3 || !trace.has(sources[2].stage)) return {};
  const std::string_view weight = info(sources[1].stage).symbol;  // "W_{q}"
  return "+ b" + std::string(weight.substr(1));
}

void left_lanes(Builder& build, const std::array<Rect, 3>& lanes, const Columns& c, float canvas, float margin, bool packed) {
  const Inputs& inputs = build.trace.inputs;
  for (std::size_t lane = 0; lane < 3; ++lane) {
    float x = margin;
    for (const Stage stage : cards_of(build.trace, left_lane[lane])) {
      const bool weight = is_parameter(stage);
      const float share = is_input(stage) ? c.input : weight ? c.weights : is_product(stage) ? c.projected : is_rearrangement(stage) ? c.heads : c.rotated;
      const float gap = is_input(stage) ? c.gap_input : weight ? c.gap_product : c.gap_split;
      const bool elsewhere = is_input(stage) && inputs.self_attention() && lane != 1;  // one card, in the middle lane, feeds all three
      const Rect all_lanes{{x, lanes[0].min.y}, {x + share * canvas, lanes[2].max.y}};
      if (weight && packed) {
        if (lane == 0) build.place(stage, all_lanes);
      } else if (!elsewhere) {
        build.place(stage, {{x, lanes[lane].min.y}, {x + share * canvas, lanes[lane].max.y}});
      }
      x += (share + gap) * canvas;
    }
  }
}

void right_block(Builder& build, Rect area, const std::array<Rect, 3>& lanes) {
  const Trace& trace = build.trace;
  const float u = build.u;
  const float gap = 12 * u;
  if (!trace.has(Stage::scores)) return build.place(Stage::weights, area);
  const auto shared = [&](Lane lane, auto share) {
    std::vector<std::pair<Stage, float>> cards;
    for (const Stage stage : cards_of(trace, lane)) cards.emplace_back(stage, share(stage));
    return cards;
  };
  const auto top = shared(Lane::scores, [](Stage s) { return s == Stage::mask || s == Stage::scores ? 0.85f : 1.0f; });
  build.row(top, {{area.min.x, lanes[0].min.y}, {area.max.x, lanes[0].max.y}}, gap);

  // The middle takes what the outer lanes leave, less room for the arrows.
  const float arrow_room = 30 * u;
  const Rect middle{{area.min.x, lanes[0].max.y + arrow_room}, {area.max.x, lanes[2].min.y - arrow_room}};
  const auto centre = shared(Lane::weights, [](Stage s) { return s == Stage::weights ? 1.0f : 0.62f; });
  build.row(centre, middle, 34 * u);

  const auto bottom = shared(Lane::outputs, [](Stage s) { return is_parameter(s) ? 0.9f : 1.0f; });
  build.row(bottom, {{area.min.x, lanes[2].min.y}, {area.max.x, lanes[2].max.y}}, gap);
}

void left_arrows(Builder& build) {
  const Trace& trace = build.trace;
  for (const Lane lane : left_lane) {
    const std::vector<Stage> cards = cards_of(trace, lane);
    for (std::size_t i = 1; i < cards.size(); ++i) {
      const Stage before = cards[i - 1], now = cards[i];
      if (is_parameter(now)) {  // the input's way to the weights
        const Stage product = i + 1 < cards.size() ? cards[i + 1] : now;
        const Rect* from = build.layout.find(shown_as(trace, before));
        const bool packed = build.layout.find(now) == nullptr || build.layout.find(Stage::W_k) == nullptr;
        const Rect* to = build.layout.find(packed ? Stage::W_q : now);
        if (from && to) build.curve({from->max.x, from->centre().y}, {to->min.x, packed ? from->centre().y : to->centre().y}, product);
        continue;
      }
      const bool packed = is_parameter(before) && build.layout.find(before) == nullptr;
      build.arrow(packed ? Stage::W_q : shown_as(trace, before), now, now, step_label(trace, now), bias_label(trace, now));
    }
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

  const auto source = [&](Stage stage, std::size_t which) -> const Rect& {
    return *layout.find(trace.standing_for(info(stage).sources[which].stage).value());
  };
  const Rect &q = source(Stage::scores, 0), &k = source(Stage::scores, 1);
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
  const std::vector<Stage> chain = cards_of(trace, Lane::scores);
  for (std::size_t i = 1; i < chain.size(); ++i) step(chain[i - 1], chain[i], step_label(trace, chain[i]));

  const float down = std::clamp(masked.centre().x, weights.min.x, weights.max.x - 40 * u);
  build.drop({masked.centre().x, masked.max.y}, {down, weights.min.y}, Stage::weights, step_label(trace, Stage::weights));
  layout.arrows.back().label.x -= 44 * u;
  build.arrow(Stage::weights, Stage::dropped_weights, Stage::weights, step_label(trace, Stage::dropped_weights));
  if (!layout.find(Stage::head_outputs)) return;  // heads without values
  const Rect &outputs = *layout.find(Stage::head_outputs), &v = source(Stage::head_outputs, 1);
  const Rect& mixed = source(Stage::head_outputs, 0);
  const float stack = trace.dims().heads > 1 ? 14 * u : 0;  // the other heads' cards stand out above
  const float leave = trace.has(Stage::dropped_weights) ? mixed.centre().x : outputs.centre().x;
  build.drop({leave, mixed.max.y}, {outputs.centre().x, outputs.min.y - stack}, Stage::weights, "");
  build.straight({v.max.x + 8 * u, outputs.centre().y}, {outputs.min.x, outputs.centre().y}, Stage::V, step_label(trace, Stage::head_outputs));

  const std::vector<Stage> last = cards_of(trace, Lane::outputs);
  for (std::size_t i = 1; i < last.size(); ++i) {
    if (is_parameter(last[i])) {
      step(last[i - 1], last[i], "");
      continue;
    }
    const std::string bias = bias_label(trace, last[i]);
    step(last[i - 1], last[i], step_label(trace, last[i]) + (bias.empty() ? "" : " " + bias));
    if (last[i] != Stage::concat) continue;
    layout.arrows.back().label.x += stack;
    layout.arrows.back().label.y -= stack * 0.4f;
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
  if (const int further = trace.has(Stage::Q_normed) + trace.has(Stage::Q_rotated); further > 0) {
    columns.input = columns.projected = further == 1 ? 0.1f : 0.088f;
    columns.weights = columns.heads = columns.rotated = further == 1 ? 0.078f : 0.066f;
    columns.gap_product = further == 1 ? 0.045f : 0.042f;
    columns.gap_split = further == 1 ? 0.036f : 0.03f;
  }
  if (!trace.has(Stage::Q)) {  // the pipeline begins at the heads, or at the weights
    columns.input = columns.gap_input = columns.weights = columns.gap_product = columns.projected = 0;
    if (!trace.has(Stage::Q_normed) && !trace.has(Stage::Q_rotated)) columns.gap_split = 0;
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
