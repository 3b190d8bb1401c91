// Keys that no input has, which nn.MultiheadAttention appends to those of the inputs: a learned one (add_bias_kv) and
// one of zeros (add_zero_attn).
#include "core/base/files/error_place.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/scenario_rules.h"

namespace headlight {
namespace {

/// A key and value as they are after their projections, [d_kv] each; zeros are undefined.
struct OwnKey {
  Tensor key{}, value{};
  std::string name;
};

Tensor learned(const FileReading& r, const std::string& name, Index width) {
  if (r.file.arrays().find(name)->shape != Shape{1, 1, width} && r.file.arrays().find(name)->shape != Shape{width})
    r.fail(r.shape_of(name), Message("expected [1, 1, {0}], a key or value of all heads", width));
  return r.load(name).contiguous().view({width});
}

std::vector<OwnKey> own_keys_of(const FileReading& r, const Inputs& in) {
  std::vector<OwnKey> keys;
  const std::string key = r.attention.prefix + "bias_k", value = r.attention.prefix + "bias_v";
  const bool has_key = r.file.arrays().find(key), has_value = r.file.arrays().find(value);
  if (has_key != has_value)
    r.fail(Message("has {0} but no {1}", in_quotes(has_key ? key : value), in_quotes(has_key ? value : key)),
           "expected both, as add_bias_kv makes them");
  if (has_key) keys.push_back({learned(r, key, in.W_k.size(0)), learned(r, value, in.W_v.size(0)), "[bias_k]"});
  const auto flag = r.own_number({"add_bias_kv"});
  if (flag && flag->value != 0 && !has_key)
    r.fail(Message("{0} is true, and the file lacks {1}", in_quotes(flag->name), in_quotes(key)),
           "expected bias_k and bias_v beside the weights");
  const auto zero = r.own_number({"add_zero_attn"});
  if (zero && zero->value != 0) keys.push_back({{}, {}, "[zero]"});
  return keys;
}

/// The weight [out, in + keys]: a feature more for each key, which that key's input alone has, as 1. With the bias of
/// the projection it gives the key itself.
Tensor with_columns(const Tensor& weight, const Tensor& bias, const std::vector<OwnKey>& keys, Tensor OwnKey::*which) {
  const Index out = weight.size(0), in = weight.size(1), more = static_cast<Index>(keys.size());
  Buffer cells;
  for (Index row = 0; row < out; ++row) {
    for (Index col = 0; col < in; ++col) cells.push_back(weight.at({row, col}));
    for (const OwnKey& key : keys) {
      const Tensor& wanted = key.*which;
      cells.push_back((wanted.defined() ? wanted.at({row}) : 0.0F) - (bias.defined() ? bias.at({row}) : 0.0F));
    }
  }
  return Tensor({out, in + more}, std::move(cells));
}

/// The input [B, n + keys, d + keys]: the inputs of those keys are 0 but for their own feature.
Tensor with_inputs(const Tensor& input, Index keys) {
  const Index batch = input.size(0), n = input.size(1), d = input.size(2);
  const Tensor stored = input.contiguous();
  Buffer cells(static_cast<std::size_t>(batch * (n + keys) * (d + keys)), 0);
  for (Index b = 0; b < batch; ++b) {
    float* to = cells.data() + b * (n + keys) * (d + keys);
    for (Index row = 0; row < n; ++row)
      std::copy_n(stored.values().data() + (b * n + row) * d, d, to + row * (d + keys));
    for (Index key = 0; key < keys; ++key) to[(n + key) * (d + keys) + d + key] = 1;
  }
  return Tensor({batch, n + keys, d + keys}, std::move(cells));
}

/// A mask or bias [.., n_k | 1] with cells for these keys.
Tensor with_cells(const Tensor& mask, Index n_k, Index keys, float value) {
  if (!mask.defined() || mask.rank() < 1) return mask;
  Shape whole = mask.shape();
  whole.back() = n_k;
  const Tensor wide = mask.expand(whole).contiguous();
  Buffer cells;
  for (Index row = 0; row < wide.count() / n_k; ++row) {
    const std::span<const float> from =
        wide.values().subspan(static_cast<std::size_t>(row * n_k), static_cast<std::size_t>(n_k));
    cells.insert(cells.end(), from.begin(), from.end());
    cells.insert(cells.end(), static_cast<std::size_t>(keys), value);
  }
  whole.back() = n_k + keys;
  return Tensor(whole, std::move(cells));
}

void name_keys(const std::vector<OwnKey>& keys, Inputs& in) {
  for (Index b = 0; b < in.dims.batch; ++b) {
    if (static_cast<Index>(in.key_tokens.size()) <= b) in.key_tokens.emplace_back();
    std::vector<std::string>& names = in.key_tokens[static_cast<std::size_t>(b)];
    for (Index k = static_cast<Index>(names.size()); k < in.dims.n_k; ++k) names.push_back(std::to_string(k));
    for (const OwnKey& key : keys) names.push_back(key.name);
    if (static_cast<std::size_t>(b) < in.key_spelled.size() && !in.key_spelled[static_cast<std::size_t>(b)].empty())
      for (const OwnKey& key : keys) in.key_spelled[static_cast<std::size_t>(b)].push_back(key.name);
  }
}

}  // namespace

void add_own_keys(const FileReading& r, Inputs& in) {
  const std::vector<OwnKey> keys = own_keys_of(r, in);
  if (keys.empty()) return;
  const Scenario& s = r.resolving.scenario;
  const bool has_places = s.positions != Positions::none || s.alibi || in.rules.alibi || s.t5_bias ||
                          s.rope != Rope::none || in.rules.rope != Rope::none;
  if (in.doc_ids.defined() || has_places)
    r.fail(Message("has {0}, a key that no input has and that has no position", in_quotes(keys.front().name)),
           "expected no RoPE, ALiBi, T5 bias, positions or documents beside it");
  const auto more = static_cast<Index>(keys.size());
  const bool value_is_key = identical(in.value, in.key) && in.dims.d_value == in.dims.d_key;
  std::string recipe = " and";
  for (const OwnKey& key : keys) recipe += " " + key.name;
  in.W_k = r.file.made("W_k" + r.attention.prefix + recipe,
                       [&] { return with_columns(in.W_k, in.b_k, keys, &OwnKey::key); });
  in.W_v = r.file.made("W_v" + r.attention.prefix + recipe,
                       [&] { return with_columns(in.W_v, in.b_v, keys, &OwnKey::value); });
  in.key = with_inputs(in.key, more);
  in.value = value_is_key ? in.key : with_inputs(in.value, more);
  in.file_mask = with_cells(in.file_mask, in.dims.n_k, more, 1);
  in.attn_bias = with_cells(in.attn_bias, in.dims.n_k, more, 0);
  in.packed = false;
  name_keys(keys, in);
  in.dims.n_k += more;
  in.dims.d_key += more;
  in.dims.d_value += more;
  in.own_keys = more;
  set_head_size(r.resolving.scenario, in.dims);
  Index place = in.dims.n_k - more;
  for (const OwnKey& key : keys)
    r.assume("own keys", Message("{0}: key {1}, which no input has; no mask hides it", key.name, place++));
}

}  // namespace headlight
