#include "core/scenario/inputs/inputs.h"

namespace headlight {

Index Dims::size(Axis axis) const {
  switch (axis) {
    case Axis::none: return 1;
    case Axis::batch: return batch;
    case Axis::query_head: return heads;
    case Axis::kv_head: return kv_heads;
    case Axis::query: return n_q;
    case Axis::key: return n_k;
    case Axis::query_feature: return d_query;
    case Axis::key_feature: return d_key;
    case Axis::value_feature: return d_value;
    case Axis::query_channel: return heads * d_head;
    case Axis::kv_channel: return kv_heads * d_head;
    case Axis::head_feature: return d_head;
    case Axis::out_feature: return d_out;
  }
  return 1;
}

Scenario with_rules(Scenario scenario, const Rules& rules) {
  if (!scenario.scale) scenario.scale = rules.scale;
  if (!scenario.softcap) scenario.softcap = rules.softcap;
  scenario.alibi |= rules.alibi;
  if (scenario.qk_norm == QkNorm::none && rules.q_norm.defined()) scenario.qk_norm = rules.norm_kind;
  if (rules.rope != Rope::none) {
    if (scenario.rope == Rope::none) scenario.rope = rules.rope;
    const bool unset = scenario.rope_base == Scenario().rope_base;
    if (unset) scenario.rope_base = rules.rope_base;
    if (!scenario.rotary_dim) scenario.rotary_dim = rules.rotary_dim;
  }
  return scenario;
}

std::string Sequence::name_along(Axis axis, Index batch, Index index) const {
  const Names none, &names = axis == Axis::query ? query_tokens : axis == Axis::key ? key_tokens : none;
  const auto entry = static_cast<std::size_t>(batch), at = static_cast<std::size_t>(index);
  return entry < names.size() && at < names[entry].size() ? names[entry][at] : std::to_string(index);
}

std::string Sequence::spelled_along(Axis axis, Index batch, Index index) const {
  const Names none, &names = axis == Axis::query ? query_spelled : axis == Axis::key ? key_spelled : none;
  const auto entry = static_cast<std::size_t>(batch), at = static_cast<std::size_t>(index);
  return entry < names.size() && at < names[entry].size() ? names[entry][at] : "";
}

namespace {

/// Where a stage or parameter that a source can know is kept; null for the others.
Tensor Inputs::*member_of(Stage stage) {
  switch (stage) {
    case Stage::query: return &Inputs::query;
    case Stage::key: return &Inputs::key;
    case Stage::value: return &Inputs::value;
    case Stage::Q_heads: return &Inputs::Q_heads;
    case Stage::K_heads: return &Inputs::K_heads;
    case Stage::V_heads: return &Inputs::V_heads;
    case Stage::weights: return &Inputs::weights;
    case Stage::W_q: return &Inputs::W_q;
    case Stage::W_k: return &Inputs::W_k;
    case Stage::W_v: return &Inputs::W_v;
    case Stage::W_o: return &Inputs::W_o;
    case Stage::b_q: return &Inputs::b_q;
    case Stage::b_k: return &Inputs::b_k;
    case Stage::b_v: return &Inputs::b_v;
    case Stage::b_o: return &Inputs::b_o;
    default: return nullptr;
  }
}

}  // namespace

Tensor* Inputs::known(Stage stage) {
  Tensor Inputs::*const member = member_of(stage);
  return member ? &(this->*member) : nullptr;
}

const Tensor& Inputs::matrix(Stage stage) const {
  static const Tensor nothing;
  Tensor Inputs::*const member = member_of(stage);
  return member ? this->*member : nothing;
}

bool has_mask(const Scenario& scenario, const Inputs& inputs) {
  return !scenario.mask.empty() || inputs.has_file_mask() || inputs.valid_lens.defined() || !scenario.painted.empty();
}

namespace {

/// What file() stands for.
std::optional<MaskExpression> mask_of_file(const Inputs& inputs) {
  if (!inputs.file_mask.defined()) return inputs.file_rule;
  const MaskExpression cells = MaskExpression::file_cells();
  return inputs.file_rule ? *inputs.file_rule && cells : cells;
}

MaskExpression expression_in_force(const Scenario& scenario, const Inputs& inputs) {
  const std::optional<MaskExpression> of_file = mask_of_file(inputs);
  const auto parsed = [&](std::string_view text) { return parse_mask(text, of_file ? &*of_file : nullptr); };
  if (const auto& own = inputs.rules.mask; own && own->text() == scenario.mask) return *own;
  if (!scenario.mask.empty()) return parsed(scenario.mask);
  const bool padded = inputs.valid_lens.defined();
  if (!of_file) return parsed(padded ? "padding()" : "full()");
  const MaskExpression file = inputs.file_mask.defined() ? MaskExpression::call_of_file(*of_file) : *of_file;
  return padded ? file && parsed("padding()") : file;
}

}  // namespace

MaskRule mask_rule(const Scenario& scenario, const Inputs& inputs) {
  const Dims& d = inputs.dims;
  MaskExpression expression = expression_in_force(scenario, inputs);
  if (inputs.own_keys > 0 && expression.text() != "full()")
    expression = or_from_key(expression, d.n_k - inputs.own_keys);
  return {std::move(expression), d.batch,        d.heads,          d.n_q,      d.n_k, inputs.valid_lens,
          inputs.file_mask,      inputs.doc_ids, scenario.painted, inputs.grid};
}

}  // namespace headlight
