#include "core/diagnosis/own_names.h"

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

#include "core/diagnosis/own_stages.h"
#include "core/mask/nearest.h"

namespace headlight {
namespace {

struct Alias {
  std::string_view names;  ///< lower case, between blanks
  std::vector<Stage> stages;
};

const std::vector<Alias>& aliases() {
  using enum Stage;
  static const std::vector<Alias> table{
      {" attn attention attentions attn_weights attn_weight attention_weights attn_probs attention_probs probs a alpha "
       "p_attn softmax "
       "weight ",
       {weights}},
      {" out outputs y result attn_output attention_output final ", {output, concat, head_outputs}},
      {" context ctx z head_out head_output heads_out attn_v values_out ", {head_outputs, concat}},
      {" concatenated combined merged concat_heads ", {concat}},
      {" logits score raw_scores energy dots sim similarity qk attn_logits attn_scores attention_scores ", {scores}},
      {" scaled scaled_logits scores_scaled ", {scaled_scores}},
      {" masked masked_logits scores_masked ", {masked_scores}},
      {" attn_mask attention_mask ", {mask}},
      {" q queries query_states xq ", {Q, Q_heads}},
      {" k keys key_states xk ", {K, K_heads}},
      {" v values value_states xv ", {V, V_heads}},
      {" q_h qh q_head q_split ", {Q_heads}},
      {" k_h kh k_head k_split ", {K_heads}},
      {" v_h vh v_head v_split ", {V_heads}},
  };
  return table;
}

std::string lower_case(std::string_view text) {
  std::string lower(text);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return lower;
}

}  // namespace

std::optional<Stage> probable_stage(std::string_view array, const Shape& shape, const Trace& trace) {
  const std::string name_between_blanks = " " + lower_case(array) + " ";
  for (const Alias& alias : aliases()) {
    if (alias.names.find(name_between_blanks) == std::string_view::npos) continue;
    for (const Stage stage : alias.stages) {
      if (counterpart(trace, stage).shape() == shape) return stage;
    }
    return alias.stages.front();
  }
  std::vector<std::string_view> names;
  for (const Stage stage : all_stages()) names.push_back(name(stage));
  const std::string_view nearest = nearest_name(array, names);
  return nearest.empty() ? std::nullopt : stage_named(nearest);
}

}  // namespace headlight
