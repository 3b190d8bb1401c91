#include "ui/pipeline/ruler.h"

#include <algorithm>
#include <cstdio>

namespace headlight {
namespace {

// Points at type 1.
constexpr float inside = 16;  // what a card has beside its title
constexpr float least_card = 64;
constexpr float least_input = 54;
constexpr float longest_name = 60;  // that others make room for; longer ones take of what is left
constexpr float beside_names = 42;  // of an input's card, for its matrix

constexpr std::array left_lanes{Lane::query, Lane::key, Lane::value};

std::string number(const char* format, double value) {
  char text[48];
  std::snprintf(text, sizeof text, format, value);
  return text;
}

}  // namespace

std::vector<Stage> cards_of(const Trace& trace, std::size_t lane) {
  std::vector<Stage> cards;
  for (const Stage stage : all_stages()) {
    if (info(stage).lane != left_lanes[lane] || !trace.has(stage)) continue;
    for (const auto& source : info(stage).sources) {
      if (is_parameter(source.stage) && !is_bias(source.stage) && trace.has(source.stage))
        cards.push_back(source.stage);
    }
    cards.push_back(stage);
  }
  return cards;
}

std::string step_words(const Trace& trace, Stage stage) {
  const auto product = [&](Stage weight, const char* letter) {
    return trace.has(weight) ? std::string("· W_{") + letter + "}^T" : std::string("=");
  };
  switch (stage) {
    case Stage::Q: return product(Stage::W_q, "q");
    case Stage::K: return product(Stage::W_k, "k");
    case Stage::V: return product(Stage::W_v, "v");
    case Stage::Q_heads:
    case Stage::K_heads:
    case Stage::V_heads: return "split";
    case Stage::Q_normed:
    case Stage::K_normed: return "norm";
    case Stage::Q_rotated:
    case Stage::K_rotated: return "RoPE";
    case Stage::Q_scaled:
    case Stage::scaled_scores:
      return trace.scenario.scale ? number("× %.4g", static_cast<double>(trace.scale))
                                  : "× 1/\\sqrt{" + std::to_string(trace.dims().d_head) + "}";
    case Stage::capped_scores:
      return "soft-cap " + number("%.3g", static_cast<double>(trace.scenario.softcap.value_or(0)));
    case Stage::biased_scores: return "+ bias";
    case Stage::mask: return "mask";
    case Stage::weights: return "softmax";
    case Stage::dropped_weights: return "drop";
    case Stage::head_outputs: return "· V";
    case Stage::concat: return "concat";
    case Stage::output: return product(Stage::W_o, "o");
    default: return {};
  }
}

std::string bias_words(const Trace& trace, Stage stage) {
  const auto words = [&](Stage bias, const char* letter) {
    return trace.has(bias) ? std::string("+ b_{") + letter + "}" : std::string();
  };
  switch (stage) {
    case Stage::Q: return words(Stage::b_q, "q");
    case Stage::K: return words(Stage::b_k, "k");
    case Stage::V: return words(Stage::b_v, "v");
    case Stage::output: return words(Stage::b_o, "o");
    default: return {};
  }
}

float Ruler::title(Stage stage) const { return wish.title_width ? wish.title_width(name(stage), title_points * t) : 0; }

float Ruler::words(std::string_view markup) const {
  return !markup.empty() && wish.words_width ? wish.words_width(markup, words_points * t) : 0;
}

float Ruler::stack(Stage stage) const { return static_cast<float>(cards_behind(trace, stage)) * stack_step * t; }

float Ruler::stack(const Group& group) const {
  float widest = 0;
  for (const Stage stage : group) widest = std::max(widest, stack(stage));
  return widest;
}

float Ruler::least(const Group& group) const {
  const bool input = std::ranges::all_of(group, [](Stage stage) { return stage <= Stage::value; });
  float width = (input ? least_input : least_card) * t;
  for (const Stage stage : group) {
    const bool is_x = stage <= Stage::value && trace.inputs.self_attention();  // its title is one letter
    if (!is_x) width = std::max(width, title(stage) + inside * t);
  }
  return width;
}

float Ruler::for_names() const {
  return wish.names > 0 ? std::max(std::min(wish.names, longest_name * t) + (beside_names - least_input) * t, 0.0f) : 0;
}

}  // namespace headlight
