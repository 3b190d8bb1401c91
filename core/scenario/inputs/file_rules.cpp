// What the file says about a layer's attention besides its projections: weights of a QK-norm, sinks, a table of
// relative positions.

#include "core/base/files/error_place.h"
#include "core/base/tensor/each_matrix.h"
#include "core/base/text/number_text.h"
#include "core/rules/position/relative_bias.h"
#include "core/scenario/inputs/file_source.h"
#include "core/scenario/inputs/inputs.h"

namespace headlight {
namespace {

/// The layer's array with one of these names; "" if there is none.
std::string array_under(const FileReading& r, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    if (r.file.arrays().find(r.attention.prefix + name)) return r.attention.prefix + name;
  }
  return {};
}

/// A norm of queries or keys, over each head or over all heads together.
struct FileNorm {
  Tensor weight, bias;
  std::string name;  ///< the name of the weight
  bool whole = false;
  bool for_each_head = false;  ///< weights [heads, d_head] or [heads, 1, d_head]
  bool rows_of_heads = false;  ///< weights [heads, d_head]

  /// A LayerNorm if it has a bias, is named so, or has weights [heads, d_head] (Command R).
  QkNorm kind() const {
    const std::string_view last = std::string_view(name).substr(0, name.rfind('.'));
    // HunYuan's query_layernorm is an RMSNorm.
    const bool named = (last.find("layernorm") != std::string_view::npos && !is_after_rope()) ||
                       last.ends_with("_ln") || last.find("ln_") != std::string_view::npos;
    return bias.defined() || named || rows_of_heads ? QkNorm::layer : QkNorm::rms;
  }
  /// HunYuan's norm comes after RoPE, without a bias.
  bool is_after_rope() const {
    return name.find("query_layernorm") != std::string::npos || name.find("key_layernorm") != std::string::npos;
  }
  bool is_as(const FileNorm& other) const {
    return weight.defined() == other.weight.defined() && whole == other.whole && for_each_head == other.for_each_head &&
           kind() == other.kind();
  }
};

/// The arrays of a norm; no names if the file has none.
struct NormArrays {
  std::string weight, bias;
};

NormArrays norm_named(const FileReading& r, std::string_view pattern, std::string_view letter, std::string_view word) {
  std::string name(pattern);
  for (const auto& [mark, with] : {std::pair{"{l}", letter}, {"{w}", word}}) {
    if (const std::size_t at = name.find(mark); at != std::string::npos) name.replace(at, 3, with);
  }
  for (const auto& [weight, bias] : {std::pair{".weight", ".bias"}, {".gamma", ".beta"}, {".scale", ".bias"}}) {
    std::string found = array_under(r, {(name + weight).c_str()});
    if (!found.empty()) return {std::move(found), array_under(r, {(name + bias).c_str()})};
  }
  return {};
}

/// The norms of queries and of keys, under their names in the libraries ({l}: q or k; {w}: query or key).
std::pair<NormArrays, NormArrays> find_norms(const FileReading& r) {
  for (const char* pattern : {"{l}_norm", "{w}_norm", "{l}_layernorm", "{w}_layernorm"}) {
    NormArrays q = norm_named(r, pattern, "q", "query"), k = norm_named(r, pattern, "k", "key");
    if (!q.weight.empty() || !k.weight.empty()) return {std::move(q), std::move(k)};
  }
  // One of these alone may be the norm of an input.
  for (const char* pattern : {"norm_{l}", "norm_{w}", "{l}_ln", "ln_{l}", "{l}norm", "{l}_rmsnorm", "norm.{w}_norm",
                              "qk_norm.{w}_norm", "qk_norm.{l}"}) {
    NormArrays q = norm_named(r, pattern, "q", "query"), k = norm_named(r, pattern, "k", "key");
    if (!q.weight.empty() && !k.weight.empty()) return {std::move(q), std::move(k)};
  }
  return {};
}

FileNorm read_qk_norm(const FileReading& r, const NormArrays& arrays, Index heads, Index d_head, bool plus_one) {
  const auto& [weight, bias] = arrays;
  FileNorm norm{{}, {}, weight};
  if (norm.name.empty()) return norm;
  const Shape& shape = r.file.arrays().find(norm.name)->shape;
  norm.rows_of_heads = shape == Shape{heads, d_head};
  norm.for_each_head = norm.rows_of_heads || (shape == Shape{heads, 1, d_head} && heads > 1);
  norm.whole = shape == Shape{heads * d_head} && heads > 1;
  if (shape != Shape{d_head} && !norm.whole && !norm.for_each_head) {
    r.fail(r.shape_of(norm.name),
           Message("expected [{0}], d_head, [{1}], all heads at once, or {2}, a row for each head", d_head,
                   heads * d_head, to_string({heads, d_head})));
  }
  const auto flat = [&](const std::string& name) {
    const Tensor stored = r.load(name);
    return norm.for_each_head
               ? r.file.made(name + " in a row", [&] { return stored.contiguous().view({heads * d_head}); })
               : stored;
  };
  norm.weight = flat(norm.name);
  if (!bias.empty()) {
    if (r.file.arrays().find(bias)->shape != shape)
      r.fail(r.shape_of(bias), Message("expected {0}, as {1} has", to_string(shape), norm.name));
    norm.bias = flat(bias);
  }
  if (!plus_one) return norm;
  norm.weight =
      r.file.made(norm.name + " plus one", [&] { return each_number(norm.weight, [](float w) { return w + 1; }); });
  return norm;
}

/// The epsilon of the layer's norm: from its architecture, the file or config.json, else the default of its library.
double qk_epsilon(const FileReading& r, const std::optional<LayerDescription>& layer, QkNorm kind) {
  const double default_epsilon = kind == QkNorm::layer ? layer_epsilon : rms_epsilon;
  if (layer && layer->attention.q_norm.kind == NormKind::rms) return layer->attention.q_norm.epsilon;
  const auto own = kind == QkNorm::layer ? r.own_number({"q_norm.eps", "qk_norm_eps", "layer_norm_eps", "norm_eps"})
                                         : r.own_number({"q_norm.eps", "qk_norm_eps", "rms_norm_eps", "norm_eps"});
  if (own) return own->value;
  if (r.attention.prefix.empty()) return default_epsilon;
  const auto in_config = kind == QkNorm::layer ? r.config_number({"layer_norm_eps", "layer_norm_epsilon"})
                                               : r.config_number({"rms_norm_eps"});
  return in_config ? in_config->value : default_epsilon;
}

/// T5 has one table for all blocks of a stack, in the first block; MPNet has it in its encoder.
std::string relative_table(const FileReading& r) {
  const std::string& prefix = r.attention.prefix;
  const std::string own = array_under(r, {"relative_attention_bias.weight"});
  if (!own.empty()) return own;
  if (const std::size_t layer = prefix.find("layer."); layer != std::string::npos) {
    const std::string table = prefix.substr(0, layer) + "relative_attention_bias.weight";
    if (r.file.arrays().find(table)) return table;
  }
  const std::size_t block = prefix.find("block.");
  if (block == std::string::npos || prefix.find(".SelfAttention") == std::string::npos) return {};
  const std::string first = prefix.substr(0, block) + "block.0.layer.0.SelfAttention.relative_attention_bias.weight";
  return r.file.arrays().find(first) ? first : std::string();
}

/// Whether the table has a row for each bucket: half of the buckets for each direction, and half of those for single
/// distances.
bool table_fits(const FileReading& r, const Dims& dims, const std::string& name) {
  const Shape& shape = r.file.arrays().find(name)->shape;
  return shape.size() == 2 && shape[0] >= 4 && shape[0] % 4 == 0 && shape[1] == dims.heads;
}

/// The distance from which on all distances share a bucket: from config.json, else T5's default.
Index furthest_distance(const FileReading& r, Index buckets) {
  const auto in_config = r.config_number({"relative_attention_max_distance"});
  if (!in_config) return t5_max_distance;
  if (in_config->value != std::floor(in_config->value) || !(in_config->value > static_cast<double>(buckets) / 2) ||
      in_config->value > 1e9) {
    r.fail(Message("relative_attention_max_distance is {0}", shortest(static_cast<float>(in_config->value))),
           Message("expected a whole number above half of the {0} buckets", buckets));
  }
  return static_cast<Index>(in_config->value);
}

/// Swin's table [(2w − 1)², heads] (Liu et al. 2021): a number for each difference in row and column between two
/// positions in a window. BEiT (Bao et al. 2021) has three more rows: from cls to a patch, from a patch to cls, and cls
/// itself.
constexpr std::string_view beit_table = "relative_position_bias.relative_position_bias_table";
std::string window_table(const FileReading& r, const Dims& dims) {
  std::string name = array_under(r, {"relative_position_bias_table", "self.relative_position_bias_table"});
  for (const ArrayEntry& entry : r.file.arrays().entries()) {
    if (entry.name.starts_with(r.attention.layer() + ".") && entry.name.ends_with(beit_table)) name = entry.name;
  }
  if (name.empty()) return {};
  const Shape& shape = r.file.arrays().find(name)->shape;
  return shape.size() == 2 && shape[1] == dims.heads ? name : std::string();
}

Tensor window_bias(const FileReading& r, const Dims& d, const std::string& table) {
  const Index rows = r.file.arrays().find(table)->shape[0];
  const Index cls = table.ends_with(beit_table) ? 1 : 0, places = rows - 3 * cls;
  const auto side = static_cast<Index>(std::lround(std::sqrt(static_cast<double>(std::max<Index>(places, 0)))));
  const Index w = (side + 1) / 2, tokens = w * w + cls;
  const std::string width = std::to_string(w);
  if (side * side != places || side % 2 == 0)
    r.fail(r.shape_of(table), cls > 0 ? "expected (2w − 1)² + 3 rows, of w x w patches after cls"
                                      : "expected (2w − 1)² rows, of windows of w x w");
  if (d.n_q != tokens || d.n_k != tokens) {
    r.fail(Message("has inputs of {0} tokens", d.n_q),
           Message(cls > 0 ? "expected {0} tokens, cls and {1} x {2} patches, as {3} has places"
                           : "expected a window of {0} tokens, {1} x {2}, as {3} has places",
                   tokens, width, width, in_quotes(table)));
  }
  r.assume("bias", Message("{0}: by the places of query and key in a window of {1} x {2}", table, width, width));
  const auto row_of = [=](Index q, Index k) {
    if (q < 0 || k < 0) return q >= 0 ? rows - 2 : k >= 0 ? rows - 3 : rows - 1;
    return (q / w - k / w + w - 1) * side + q % w - k % w + w - 1;
  };
  return r.file.made(table + " over a window", [&] {
    const Tensor numbers = r.load(table);
    return from_cells(d.heads, d.n_q, d.n_k, [&](Index h, Index q, Index k) {
      return numbers.at({row_of(q - cls, k - cls), h});
    });
  });
}

/// The bias of T5's distance buckets for each cell.
Tensor distance_bias(const FileReading& r, const Dims& d, const std::string& table) {
  const bool bidirectional =
      r.resolving.scenario.t5_bidirectional.value_or(r.attention.prefix.find("decoder") == std::string::npos);
  const Index buckets = r.file.arrays().find(table)->shape[0], furthest = furthest_distance(r, buckets);
  if (buckets == t5_buckets && furthest == t5_max_distance)
    r.assume("bias", {bidirectional ? "{0}: by the distance of query and key, both ways"
                                    : "{0}: by the distance of query and key, backwards",
                      table});
  else
    r.assume("bias", {bidirectional ? "{0}: by the distance of query and key, both ways, {1} buckets to distance {2}"
                                    : "{0}: by the distance of query and key, backwards, {1} buckets to distance {2}",
                      table, buckets, furthest});
  const Index offset = r.resolving.scenario.query_offset.value_or(0);
  const auto make = [&] { return t5_bias(r.load(table), bidirectional, d.n_q, d.n_k, offset, furthest); };
  return r.file.made(table + " by distance", make, {d.n_q, d.n_k, bidirectional ? 1 : 0, offset});
}

/// A QK-norm without weights, as in Llama 4; `--qk-norm` replaces it.
void add_unit_norm(const FileReading& r, const Dims& d, const NormSpec& norm, Rules& own) {
  if (r.resolving.scenario.qk_norm != QkNorm::none) return r.assume("QK-norm", "--qk-norm in place of the model's");
  own.norm_kind = norm.kind == NormKind::rms ? QkNorm::rms : QkNorm::layer;
  own.q_norm = own.k_norm = Tensor::full({d.d_head}, 1);
  own.qk_epsilon = norm.epsilon;
  r.assume("QK-norm", Message(own.norm_kind == QkNorm::rms ? "RMSNorm without weights, over each head, epsilon {0}"
                                                           : "LayerNorm without weights, over each head, epsilon {0}",
                              shortest(static_cast<float>(norm.epsilon))));
}

}  // namespace

bool has_relative_table(const FileReading& r, const Dims& dims) {
  if (!window_table(r, dims).empty()) return true;
  const std::string name = relative_table(r);
  return !name.empty() && table_fits(r, dims, name);
}

FileRules with_layer_arrays(const FileReading& r, const std::optional<LayerDescription>& layer, const Dims& d,
                            FileRules rules) {
  Rules& own = rules.rules;
  // Without config.json, a block of Gemma 2 or 3 is known by its norm before the MLP.
  const bool plus_one =
      layer ? layer->attention.q_norm.plus_one : !r.find_around({"pre_feedforward_layernorm.weight"}).empty();
  const auto [q_arrays, k_arrays] = find_norms(r);
  const FileNorm q_norm = read_qk_norm(r, q_arrays, d.heads, d.d_head, plus_one),
                 k_norm = read_qk_norm(r, k_arrays, d.kv_heads, d.d_head, plus_one);
  if (!q_norm.is_as(k_norm)) {
    r.fail("normalises queries and keys in different ways",
           "expected q_norm.weight and k_norm.weight, both [d_head] or both over all heads");
  }
  const bool rotates = own.rope != Rope::none || r.resolving.scenario.rope != Rope::none;
  if (q_norm.weight.defined() && q_norm.is_after_rope() && !q_norm.bias.defined() && rotates)
    r.fail(Message("holds {0}, a norm after RoPE in HunYuan's models, and the norm is computed before RoPE",
                   in_quotes(q_norm.name)),
           "expected no RoPE, or the names q_norm and k_norm if the norm comes first");
  if (q_norm.weight.defined()) {
    own.norm_kind = q_norm.kind();
    own.norm_over_heads = q_norm.whole;
    own.qk_epsilon = qk_epsilon(r, layer, own.norm_kind);
    const bool replaced = r.resolving.scenario.qk_norm != QkNorm::none;
    if (!replaced) {
      own.q_norm = q_norm.weight, own.q_norm_bias = q_norm.bias;
      own.k_norm = k_norm.weight, own.k_norm_bias = k_norm.bias;
    }
    const auto last = [&](const FileNorm& norm) { return norm.name.substr(r.attention.prefix.size()); };
    const bool is_layer = own.norm_kind == QkNorm::layer;
    const char* over = q_norm.whole           ? "over all heads at once"
                       : q_norm.for_each_head ? "over each head, with weights of its own"
                                              : "over each head";
    const char* made = own.q_norm_bias.defined() ? "{0} with {1} and {2} and their biases, {3}, epsilon {4}"
                                                 : "{0} with {1} and {2}, {3}, epsilon {4}";
    r.assume("QK-norm", replaced ? Message("--qk-norm in place of the file's {0} and {1}", last(q_norm), last(k_norm))
                                 : Message(made, std::string(is_layer ? "LayerNorm" : "RMSNorm"), last(q_norm),
                                           last(k_norm), over, shortest(static_cast<float>(own.qk_epsilon))));
  }
  if (layer && layer->attention.q_norm.kind != NormKind::none && !q_norm.weight.defined()) {
    if (layer->attention.q_norm.weight.empty()) add_unit_norm(r, d, layer->attention.q_norm, own);
    else r.assume("QK-norm", Message("none: the file lacks {0}", in_quotes(layer->attention.q_norm.weight)));
  }
  if (const std::string sinks = array_under(r, {"sinks"}); !sinks.empty()) {
    own.sink_logits = r.load(sinks);
    if (own.sink_logits.shape() != Shape{d.heads})
      r.fail(r.shape_of(sinks), Message("expected [{0}], a logit a head", d.heads));
    r.assume("sinks", Message("{0}: a logit a head that takes its share of each row", sinks));
  }
  const auto add_bias = [&](const std::string& table,
                            Tensor (*made)(const FileReading&, const Dims&, const std::string&)) {
    rules.attn_bias.defined() || !bias_name(r, d).empty()
        ? r.assume("bias", Message("the file's own, without {0}", table))
        : void(rules.attn_bias = made(r, d, table));
  };
  if (const std::string table = relative_table(r); !table.empty() && table_fits(r, d, table))
    add_bias(table, distance_bias);
  if (const std::string table = window_table(r, d); !table.empty()) add_bias(table, window_bias);
  return rules;
}

}  // namespace headlight
