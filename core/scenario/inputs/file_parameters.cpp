// The numbers of heads of an attention in a file, and its projections, packed in one matrix or apart.
#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/scenario/inputs/file_linear.h"
#include "core/scenario/inputs/scenario_rules.h"

namespace headlight {
namespace {

Index whole(const FileReading& r, const FileReading::Number& number) {
  if (!(number.value >= 1 && number.value <= 1e6) || number.value != std::floor(number.value)) {
    r.fail(Message("{0} is {1}", in_quotes(number.name), shortest(static_cast<float>(number.value))),
           "expected a whole number, 1 or more");
  }
  return static_cast<Index>(number.value);
}

/// The number of heads by the width of one that the file says; nothing where it says none that divides `d_model`.
std::optional<Index> heads_by_width(const FileReading& r, std::optional<Index> d_model) {
  if (!d_model) return {};
  const auto width = r.number({"head_dim", "d_head", "dim_head", "dim_per_head"});
  if (!width || !(width->value >= 1) || std::fmod(static_cast<double>(*d_model), width->value) != 0 ||
      width->value != std::floor(width->value))
    return {};
  const Index heads = *d_model / static_cast<Index>(width->value);
  r.assume("heads", Message("{0}, as {1} is {2} and d_model {3}", heads, width->name, static_cast<Index>(width->value),
                            *d_model));
  return heads;
}

/// The number of query heads. `d_model` is known only for separate projections.
Index find_query_heads(const FileReading& r, std::optional<Index> d_model) {
  const auto number = heads_said(r);
  if (const std::optional<Index> stored = heads_stored(r.file.arrays(), r.attention.q)) {
    const std::string& name = r.attention.q.weight;
    const auto differ = [&](const std::string& who, Index heads) {
      if (heads != *stored)
        r.fail(Message("{0}, one of {1} heads, where {2} says {3}", r.shape_of(name), *stored, who, heads),
               "expected as many");
    };
    if (r.resolving.scenario.heads) differ("--heads", *r.resolving.scenario.heads);
    if (number) differ(number->name, whole(r, *number));
    r.assume("heads", Message("{0}, as {1} is stored", *stored, name));
    return *stored;
  }
  if (r.resolving.scenario.heads) {
    const Index heads = *r.resolving.scenario.heads;
    if (d_model && *d_model % heads != 0) {
      r.fail(Message("--heads {0} does not divide its d_model {1}", heads, *d_model),
             Message("expected one of {0}", divisors(*d_model)));
    }
    r.assume("heads",
             number ? Message("{0} as set, where the file says {1}", heads, shortest(static_cast<float>(number->value)))
                    : Message("{0} as set", heads));
    return heads;
  }
  if (!number) {
    if (d_model == Index{1}) return 1;
    if (const std::optional<Index> heads = heads_by_width(r, d_model)) return *heads;
    r.fail("has no num_heads",
           d_model ? Message("expected --heads N, N one of {0}", divisors(*d_model)) : Message("expected --heads N"));
  }
  const Index heads = whole(r, *number);
  if (d_model && *d_model % heads != 0) {
    r.fail(Message("{0} is {1}, which does not divide d_model {2}", in_quotes(number->name), heads, *d_model),
           Message("expected one of {0}, by --heads or in the file", divisors(*d_model)));
  }
  r.assume("heads", Message("{0} ({1})", heads, number->name));
  return heads;
}

std::optional<Index> given_kv_heads(const FileReading& r) {
  if (r.resolving.scenario.kv_heads) return r.resolving.scenario.kv_heads;
  const auto number = kv_heads_said(r);
  if (!number) return {};
  return whole(r, *number);
}

/// The input width of the output projection; nothing if there is none.
std::optional<Index> concat_width(const FileReading& r) {
  if (r.attention.o.weight.empty() || !r.attention.o.modules.empty()) return {};
  const Shape& shape = r.file.arrays().find(r.attention.o.weight)->shape;
  if (shape.size() != 2) return {};
  return linear_size(shape, r.attention.o.layout).in;
}

/// The key/value heads of a packed matrix with `rows` rows: from the setting, else from the output projection's width,
/// else from the file's numbers.
Index packed_kv_heads(const FileReading& r, Index rows, Index heads) {
  if (r.resolving.scenario.kv_heads) return *r.resolving.scenario.kv_heads;
  const std::optional<Index> in_numbers = given_kv_heads(r);
  const auto fits_rows = [&](Index kv_heads, Index width) {
    return width % heads == 0 && heads % kv_heads == 0 && rows == width / heads * (heads + 2 * kv_heads);
  };
  const std::optional<Index> width = concat_width(r);
  if (in_numbers && (!width || fits_rows(*in_numbers, *width))) return *in_numbers;
  if (width && *width % heads == 0) {
    const Index d_head = *width / heads, kv_heads = (rows / d_head - heads) / 2;
    if (kv_heads >= 1 && kv_heads <= heads && fits_rows(kv_heads, *width)) {
      if (in_numbers)  // which do not fit the rows
        r.assume("key/value heads", Message("{0}, from the rows of {1}, where {2} says {3}", kv_heads,
                                            r.attention.packed.weight, kv_heads_said(r)->name, *in_numbers));
      else if (kv_heads != heads)
        r.assume("key/value heads", Message("{0}, from the rows of {1}", kv_heads, r.attention.packed.weight));
      return kv_heads;
    }
  }
  return in_numbers.value_or(heads);
}

/// Queries, keys and values as rows of the packed matrix.
Projections split(const FileReading& r, const Dims& dims) {
  const bool thirds = r.attention.packing == Packing::thirds;
  const Index parts = thirds ? 1 : dims.kv_heads, d_head = dims.d_model / dims.heads;
  Projections projections;
  split_packed(r.attention.packed, parts, dims.d_model / parts, dims.kv_heads / parts * d_head, projections);
  return projections;
}

/// The bias of nn.MultiheadAttention whose weights are apart: one vector for all three.
void add_packed_bias(const FileReading& r, SizedParameters& read) {
  auto& [in, dims] = read;
  if (r.attention.is_packed() || r.attention.packed.bias.empty()) return;
  const Projections parts = split(r, dims);
  const Tensor bias = bias_of(r, r.attention.packed.bias, in.W_q.size(0) + 2 * in.W_k.size(0));
  in.b_q = rows_of(bias, parts.q.rows), in.b_k = rows_of(bias, parts.k.rows), in.b_v = rows_of(bias, parts.v.rows);
}

/// BEiT's biases beside a packed matrix: queries and values have one each, keys none.
void add_biases_beside(const FileReading& r, SizedParameters& read) {
  auto& [in, dims] = read;
  if (!r.attention.is_packed() || !r.attention.packed.bias.empty()) return;
  const std::string q = r.attention.prefix + "q_bias", v = r.attention.prefix + "v_bias";
  if (!r.file.arrays().find(q) || !r.file.arrays().find(v)) return;
  in.b_q = bias_of(r, q, in.W_q.size(0));
  in.b_v = bias_of(r, v, in.W_v.size(0));
  r.assume("projections", Message("{0} and {1}; keys have none", q, v));
}

void read_projections(const FileReading& r, const Projections& linears, Parameters& into) {
  into.W_q = weight_of(r, linears.q), into.W_k = weight_of(r, linears.k), into.W_v = weight_of(r, linears.v);
}
void read_biases(const FileReading& r, const Projections& linears, Parameters& into) {
  into.b_q = bias_of(r, linears.q, into.W_q.size(0));
  into.b_k = bias_of(r, linears.k, into.W_k.size(0));
  into.b_v = bias_of(r, linears.v, into.W_v.size(0));
}

SizedParameters read_packed(const FileReading& r) {
  SizedParameters read;
  auto& [made, dims] = read;
  const std::string& name = r.attention.packed.weight;
  const Index rows = weight_of(r, r.attention.packed).size(0);
  const bool thirds = !given_kv_heads(r) && rows % 3 == 0 && concat_width(r).value_or(rows / 3) == rows / 3;
  dims.heads = find_query_heads(r, thirds ? std::optional(rows / 3) : std::nullopt);
  dims.kv_heads = packed_kv_heads(r, rows, dims.heads);
  const Index shares = dims.heads + 2 * dims.kv_heads;
  if (rows % shares != 0) {
    r.fail(Message("{0}, whose {1} outputs do not split into {2} query heads and twice {3} key/value heads",
                   r.shape_of(name), rows, dims.heads, dims.kv_heads),
           Message("expected a multiple of {0}", shares));
  }
  if (dims.heads % dims.kv_heads != 0) {
    throw SettingError("--kv-heads", Message("{0} does not divide heads {1}", dims.kv_heads, dims.heads),
                       Message("expected one of {0}", divisors(dims.heads)));
  }
  dims.d_model = rows / shares * dims.heads;
  const Projections parts = split(r, dims);
  read_projections(r, parts, made);
  read_biases(r, parts, made);
  made.packed = r.attention.packing == Packing::thirds;
  const char* packing = made.packed ? "{0}: all queries, then all keys, then all values, {1}"
                        : dims.kv_heads == dims.heads
                            ? "{0}: query, key and value of each head in turn, {1}"
                            : "{0}: for each key/value head its queries, key and value in turn, {1}";
  r.assume("projections", Message(packing, name + " " + to_string(r.file.arrays().find(name)->shape),
                                  order_of(r, r.attention.packed)));
  return read;
}

/// The number of heads in the rows of W_k, when `heads` query heads have d_model rows together.
Index find_kv_heads(const FileReading& r, Index rows, Index d_model, Index heads) {
  const Index d_head = d_model / heads;
  const std::string& name = r.attention.k.weight;
  if (rows % d_head != 0 || rows > d_model) {
    r.fail(r.shape_of(name), Message("expected rows in heads of d_head {0}, {1} at most", d_head, d_model));
  }
  const Index kv_heads = rows / d_head;
  const std::optional<Index> given = given_kv_heads(r);
  if (given && *given != kv_heads) {
    r.fail(Message("{0}, which does not make {1} key/value heads of d_head {2}", r.shape_of(name), *given, d_head),
           Message("expected {0} rows", *given * d_head));
  }
  if (kv_heads != heads) {
    r.assume("key/value heads", given ? Message(kv_heads) : Message("{0}, from the rows of {1}", kv_heads, name));
  }
  return kv_heads;
}

SizedParameters read_separate(const FileReading& r) {
  SizedParameters read;
  auto& [in, dims] = read;
  read_projections(r, r.attention, in);
  dims.d_model = in.W_q.size(0);
  dims.heads = find_query_heads(r, dims.d_model);
  dims.kv_heads = find_kv_heads(r, in.W_k.size(0), dims.d_model, dims.heads);
  if (in.W_v.size(0) != in.W_k.size(0)) {
    r.fail(r.shape_of(r.attention.v.weight),
           Message("expected {0} rows, as in {1}", in.W_k.size(0), in_quotes(r.attention.k.weight)));
  }
  read_biases(r, r.attention, in);
  if (r.attention.has_packed_kv()) {
    r.assume("projections", Message("{0}; {1}: all keys, then all values; {2}", r.attention.q.weight,
                                    r.attention.k.weight, order_of(r, r.attention.q)));
    return read;
  }
  r.assume("projections",
           Message(r.attention.q.modules.empty() ? "{0}, {1}, {2}: {3}" : "{0}, {1}, {2}: a module a head, {3}",
                   r.attention.q.weight, r.attention.k.weight, r.attention.v.weight, order_of(r, r.attention.q)));
  return read;
}

void add_output(const FileReading& r, SizedParameters& read) {
  auto& [in, dims] = read;
  dims.d_out = dims.d_model;
  if (r.attention.o.weight.empty()) {
    r.assume("output projection", Message("missing in the file ({0}): output = concat", output_names()));
    return;
  }
  in.W_o = weight_of(r, r.attention.o);
  if (in.W_o.size(1) != dims.d_model) {
    r.fail(r.shape_of(r.attention.o.weight),
           Message("expected an output projection of {0} inputs, the width of concat", dims.d_model));
  }
  dims.d_out = in.W_o.size(0);
  in.b_o = bias_of(r, r.attention.o, dims.d_out);
  r.assume("output projection", r.attention.o.weight);
}

/// Applies the settings that switch parts off, and refuses settings for parts that the file does not have.
void apply_switches(const FileReading& r, SizedParameters& read) {
  const Scenario& s = r.resolving.scenario;
  auto& [in, dims] = read;
  if (s.bias == true && !in.b_q.defined() && !in.b_k.defined() && !in.b_v.defined() && !in.b_o.defined()) {
    r.fail("holds no biases", "expected bias unset or false");
  }
  if (s.bias == false) in.b_q = in.b_k = in.b_v = in.b_o = Tensor();
  if (s.output_projection == true && !in.W_o.defined()) {
    r.fail("holds no output projection", "expected output_projection unset or false");
  }
  if (s.output_projection == false) {
    in.W_o = in.b_o = Tensor();
    dims.d_out = dims.d_model;
  }
}

/// Names the weights that their module computes from other arrays: by weight_norm and the like.
void note_computed(const FileReading& r) {
  std::map<std::string_view, std::vector<std::string>> by_method;
  for (const ArrayEntry& entry : r.file.arrays().entries()) {
    if (!entry.computed_by.empty() && entry.name.starts_with(r.attention.prefix) && r.file.was_loaded(entry.name))
      by_method[entry.computed_by].push_back(entry.name);
  }
  for (const auto& [method, names] : by_method)
    r.assume("projections", Message("{0} is applied: {1}", std::string(method), comma_list(names)));
}

/// Refuses a gate that multiplies the heads' outputs: an array of its own, or the second half of q_proj.
void refuse_gate(const FileReading& r) {
  constexpr const char* expected = "expected an attention without a gate on its output";
  for (const char* gate : {"g_proj.weight", "gate_proj.weight", "output_gate.weight", "out_gate.weight",
                           "to_gate.weight", "attn_gate.weight", "gate.weight", "W_g", "w_g", "Wg"}) {
    const std::string name = r.stored_name(r.attention.prefix + gate);
    // Without a prefix the names of an MLP may stand beside those of the attention.
    const bool may_be_mlp = r.attention.prefix.empty() && std::string_view(gate).starts_with("gate");
    if (!name.empty() && !may_be_mlp)
      r.fail(Message("holds {0}, a gate on the attention's output, which is not computed", in_quotes(name)), expected);
  }
  const std::optional<Index> width = concat_width(r);
  if (r.attention.is_packed() || !width || !r.attention.q.modules.empty()) return;
  const Index queries = outputs_of(r.file.arrays(), r.attention.q);
  if (queries == 2 * *width)
    r.fail(Message("{0}, twice the {1} inputs of {2}: its second half is a gate on the output, which is not computed",
                   r.shape_of(r.attention.q.weight), *width, in_quotes(r.attention.o.weight)),
           expected);
}

}  // namespace

std::optional<FileReading::Number> heads_said(const FileReading& r) {
  const bool decodes = r.attention.prefix.find("decoder") != std::string::npos;
  return r.number({"num_heads", "n_heads", "head_num", "n_head", "num_attention_heads", "nhead", "heads", "nheads",
                   "num_attn_heads", "attention_heads", "nb_heads",
                   decodes ? "decoder_attention_heads" : "encoder_attention_heads"});
}

std::optional<FileReading::Number> kv_heads_said(const FileReading& r) {
  if (const auto number = r.number({"num_kv_heads", "n_kv_heads", "num_key_value_heads"})) return number;
  // ChatGLM's, which count only where multi_query_attention is true.
  const auto shared = r.number({"multi_query_attention"}), groups = r.number({"multi_query_group_num"});
  return shared && shared->value == 0 ? std::nullopt : groups;
}

void drop_biases(const FileReading& r, const LayerDescription& layer, Parameters& made) {
  const AttentionSpec& a = layer.attention;
  if (layer.family.empty() || !r.file.arrays().find(a.q.weight) || r.resolving.scenario.bias == true) return;
  std::string dropped;
  for (const auto& [spec, bias, name] : {std::tuple(&a.q, &made.b_q, "query"), std::tuple(&a.k, &made.b_k, "key"),
                                         std::tuple(&a.v, &made.b_v, "value"), std::tuple(&a.o, &made.b_o, "output")}) {
    if (!spec->bias.empty() || !bias->defined()) continue;
    *bias = Tensor();
    dropped += (dropped.empty() ? "" : ", ") + std::string(name);
  }
  if (!dropped.empty())
    r.assume("biases", Message("of {0}: left out, since config.json says that there are none", dropped));
}

SizedParameters read_parameters(const FileReading& r) {
  if (!r.attention.prefix.empty()) r.assume("layer", r.attention.layer());
  refuse_gate(r);
  SizedParameters read = r.attention.is_packed() ? read_packed(r) : read_separate(r);
  add_packed_bias(r, read);
  add_biases_beside(r, read);
  read.dims.d_query = read.parameters.W_q.size(1);
  read.dims.d_key = read.parameters.W_k.size(1);
  read.dims.d_value = read.parameters.W_v.size(1);
  add_output(r, read);
  note_computed(r);
  apply_switches(r, read);
  return read;
}

}  // namespace headlight
