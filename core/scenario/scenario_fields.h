// What a scenario is made of, for whoever reads, writes or visits all of it.
#pragma once

#include "core/scenario/scenario.h"

namespace headlight {

inline constexpr int scenario_format_version = 1;

/// Every field of a scenario, once: `visit(name, member)`.
template <typename Visit>
void for_each_field(Visit visit) {
  visit("source", &Scenario::source);
  visit("text", &Scenario::text);
  visit("tokenizer", &Scenario::tokenizer);
  visit("positions", &Scenario::positions);
  visit("file", &Scenario::file);
  visit("layer", &Scenario::layer);
  visit("text_as_input", &Scenario::text_as_input);
  visit("weight_order", &Scenario::weight_order);
  visit("x", &Scenario::x);
  visit("seed", &Scenario::seed);
  visit("batch_size", &Scenario::batch_size);
  visit("queries", &Scenario::queries);
  visit("keys", &Scenario::keys);
  visit("d_model", &Scenario::d_model);
  visit("d_query", &Scenario::d_query);
  visit("d_key", &Scenario::d_key);
  visit("d_value", &Scenario::d_value);
  visit("d_out", &Scenario::d_out);
  visit("heads", &Scenario::heads);
  visit("kv_heads", &Scenario::kv_heads);
  visit("bias", &Scenario::bias);
  visit("output_projection", &Scenario::output_projection);
  visit("packed", &Scenario::packed);
  visit("weight_gain", &Scenario::weight_gain);
  visit("scale", &Scenario::scale);
  visit("softcap", &Scenario::softcap);
  visit("qk_norm", &Scenario::qk_norm);
  visit("rope", &Scenario::rope);
  visit("rope_base", &Scenario::rope_base);
  visit("alibi", &Scenario::alibi);
  visit("t5_bias", &Scenario::t5_bias);
  visit("t5_bidirectional", &Scenario::t5_bidirectional);
  visit("attn_bias", &Scenario::attn_bias);
  visit("sink_logit", &Scenario::sink_logit);
  visit("mask", &Scenario::mask);
  visit("valid_lens", &Scenario::valid_lens);
  visit("painted", &Scenario::painted);
  visit("mask_file", &Scenario::mask_file);
  visit("mask_polarity", &Scenario::mask_polarity);
  visit("fill", &Scenario::fill);
  visit("dead_row", &Scenario::dead_row);
  visit("dropout", &Scenario::dropout);
  visit("training", &Scenario::training);
  visit("dropout_seed", &Scenario::dropout_seed);
  visit("edits", &Scenario::edits);
}

/// Each path that a scenario holds; "model:ID" is none.
template <typename Visit>
void for_each_file(Scenario& scenario, Visit visit) {
  for (std::string* file : {&scenario.file, &scenario.mask_file}) {
    if (!file->empty() && !file->starts_with("model:")) visit(*file);
  }
}

}  // namespace headlight
