#include "core/network/layer_change.h"

#include "core/network/network.h"

namespace headlight {

std::string changed_settings(const Scenario& s) {
  std::string list;
  const auto add = [&](bool changed, const char* what) {
    if (changed) list += (list.empty() ? "" : ", ") + std::string(what);
  };
  add(s.scale.has_value(), "scale");
  add(s.scale_first, "scale_first");
  add(s.softcap.has_value(), "softcap");
  add(s.qk_norm != QkNorm::none, "qk_norm");
  add(s.rope != Rope::none || s.rope_base != Scenario().rope_base, "rope");
  add(s.rotary_dim.has_value(), "rotary_dim");
  add(s.query_offset.has_value(), "query_offset");
  add(s.alibi, "alibi");
  add(s.t5_bias, "t5_bias");
  add(s.attn_bias.has_value(), "attn_bias");
  add(s.sink_logit, "sink_logit");
  add(!s.mask.empty(), "mask");
  add(!s.mask_file.empty(), "mask_file");
  add(!s.painted.empty(), "painted cells");
  add(!s.valid_lens.empty(), "valid_lens");
  add(!s.doc_ids.empty(), "doc_ids");
  add(s.fill.has_value(), "fill");
  add(s.mask_mode != MaskMode::fill, "mask_mode");
  add(s.dead_row != DeadRow::from_fill, "dead_row");
  add(s.training && s.dropout > 0, "dropout");
  add(s.positions != Positions::none, "positions");
  add(!s.edits.empty(), "edits");
  return list;
}

std::optional<LayerChange> change_of(const Network& network, const Scenario& scenario) {
  if (changed_settings(scenario).empty()) return {};
  LayerChange change{network.layer_named(scenario.layer), scenario};
  const Scenario usual;
  change.settings.text = usual.text;
  change.settings.layer = usual.layer;
  change.settings.knock_out = usual.knock_out;
  return change;
}

OwnRules rules_under(const Scenario& scenario, OwnRules own) {
  if (scenario.rope != Rope::none) {
    own.rope_frequencies.clear();
    own.rope_gain = 1;
  }
  if (scenario.qk_norm != QkNorm::none) own.q_norm = own.k_norm = own.q_norm_bias = own.k_norm_bias = Tensor();
  return own;
}

}  // namespace headlight
