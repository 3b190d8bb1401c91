// Weights and biases of one attention in a file, and how many heads it has.
#include <algorithm>
#include <cmath>

#include "core/files/blame.h"
#include "core/scenario/file_source.h"
#include "core/scenario/scenario_rules.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

/// A parameter's numbers; looked through when they are first read.
Tensor parameter_of(const FileReading& r, const std::string& name) {
  const bool known = r.file.was_loaded(name);
  const Tensor parameter = r.file.load(name);
  if (known) return parameter;
  const auto lost = std::ranges::count_if(parameter.values(), [](float v) { return !std::isfinite(v); });
  if (lost > 0) {
    r.fail(in_quotes(name) + " holds NaN or inf (" + std::to_string(lost) + " of its " + std::to_string(parameter.count()) + " numbers)",
           "expected a parameter's finite numbers");
  }
  return parameter;
}

/// A weight as [out, in].
Tensor weight_of(const FileReading& r, const std::string& name) {
  if (r.file.arrays().find(name)->shape.size() != 2) r.fail(r.shape_of(name), "expected [out, in]");
  const Tensor stored = parameter_of(r, name);
  if (stored.count() == 0) r.fail(r.shape_of(name), "expected no empty axis");
  if (name.ends_with(".weight")) r.file.arrays().refuse_if_skipped(name.substr(0, name.size() - 6) + "bias");
  return r.keys.layout == WeightLayout::in_out ? r.file.load_transposed(name) : stored;
}

Tensor bias_of(const FileReading& r, const std::string& name, Index out) {
  if (name.empty()) return {};
  const Tensor bias = parameter_of(r, name);
  if (bias.shape() != Shape{out}) r.fail(r.shape_of(name), "expected " + to_string({out}) + ", its weight's rows");
  return bias;
}

std::string order_of(const FileReading& r) {
  const bool set = r.resolving.scenario.weight_order != WeightOrder::by_name;
  return std::string(r.keys.layout == WeightLayout::in_out ? "stored [in, out] as Conv1D does" : "[out, in] as in nn.Linear") +
         (set ? ", as set" : "");
}

Index whole(const FileReading& r, const FileReading::Number& number) {
  if (!(number.value >= 1 && number.value <= 1e6) || number.value != std::floor(number.value)) {
    r.fail(in_quotes(number.name) + " is " + shortest(static_cast<float>(number.value)),
           "expected a whole number, 1 or more");
  }
  return static_cast<Index>(number.value);
}

/// Query heads. `d_model` is known for separate projections only.
Index settle_query_heads(const FileReading& r, std::optional<Index> d_model) {
  const auto number = heads_said(r);
  if (r.resolving.scenario.heads) {
    const Index heads = *r.resolving.scenario.heads;
    if (d_model && *d_model % heads != 0) {
      r.fail("--heads " + std::to_string(heads) + " does not divide its d_model " + std::to_string(*d_model),
             "expected one of " + divisors(*d_model));
    }
    r.assume("heads",
             std::to_string(heads) +
                 (number ? " as set, where the file says " + shortest(static_cast<float>(number->value)) : " as set"));
    return heads;
  }
  if (!number) {
    if (d_model == Index{1}) return 1;
    r.fail("has no num_heads", "expected --heads N" + (d_model ? ", N one of " + divisors(*d_model) : ""));
  }
  const Index heads = whole(r, *number);
  if (d_model && *d_model % heads != 0) {
    r.fail(in_quotes(number->name) + " is " + std::to_string(heads) + ", which does not divide d_model " +
               std::to_string(*d_model),
           "expected one of " + divisors(*d_model) + ", by --heads or in the file");
  }
  r.assume("heads", std::to_string(heads) + " (" + number->name + ")");
  return heads;
}

std::optional<Index> given_kv_heads(const FileReading& r) {
  if (r.resolving.scenario.kv_heads) return r.resolving.scenario.kv_heads;
  const auto number = kv_heads_said(r);
  if (!number) return {};
  return whole(r, *number);
}

/// Three slices of the packed matrix's rows: d_model, then twice the key/value heads' share.
void read_packed(const FileReading& r) {
  Inputs& in = r.inputs;
  Dims& dims = in.dims;
  const std::string& name = r.keys.packed.weight;
  const Tensor weight = weight_of(r, name);
  const Index rows = weight.size(0);
  const std::optional<Index> kv_heads = given_kv_heads(r);
  dims.heads = settle_query_heads(r, kv_heads || rows % 3 != 0 ? std::nullopt : std::optional(rows / 3));
  dims.kv_heads = kv_heads.value_or(dims.heads);
  const Index shares = dims.heads + 2 * dims.kv_heads;
  if (rows % shares != 0) {
    r.fail(r.shape_of(name) + ", whose " + std::to_string(rows) + " outputs do not split into " +
               std::to_string(dims.heads) + " query heads and twice " + std::to_string(dims.kv_heads) +
               " key/value heads",
           "expected a multiple of " + std::to_string(shares));
  }
  const Index d_head = rows / shares;
  const Index d_kv = d_head * dims.kv_heads;
  dims.d_model = d_head * dims.heads;
  in.W_q = weight.slice(0, 0, dims.d_model);
  in.W_k = weight.slice(0, dims.d_model, d_kv);
  in.W_v = weight.slice(0, dims.d_model + d_kv, d_kv);
  in.packed = true;
  r.assume(
      "projections",
      name + " " + to_string(r.file.arrays().find(name)->shape) + ": query, key and value in one, " +
          order_of(r));
}

void slice_packed_bias(const FileReading& r) {
  if (r.keys.packed.bias.empty()) return;
  Inputs& in = r.inputs;
  const Index q = in.W_q.size(0);
  const Index kv = in.W_k.size(0);
  const Tensor bias = bias_of(r, r.keys.packed.bias, q + 2 * kv);
  in.b_q = bias.slice(0, 0, q);
  in.b_k = bias.slice(0, q, kv);
  in.b_v = bias.slice(0, q + kv, kv);
}

/// How many heads the rows of W_k make. Needs dims.heads and d_model.
Index settle_kv_heads(const FileReading& r) {
  const Dims& dims = r.inputs.dims;
  const Index rows = r.inputs.W_k.size(0);
  const Index d_head = dims.d_model / dims.heads;
  const std::string& name = r.keys.k.weight;
  if (rows % d_head != 0 || rows > dims.d_model) {
    r.fail(r.shape_of(name), "expected rows in heads of d_head " + std::to_string(d_head) + ", " +
                                 std::to_string(dims.d_model) + " at most");
  }
  const Index kv_heads = rows / d_head;
  const std::optional<Index> given = given_kv_heads(r);
  if (given && *given != kv_heads) {
    r.fail(r.shape_of(name) + ", which does not make " + std::to_string(*given) + " key/value heads of d_head " +
               std::to_string(d_head),
           "expected " + std::to_string(*given * d_head) + " rows");
  }
  if (kv_heads != dims.heads) {
    r.assume("key/value heads", std::to_string(kv_heads) + (given ? "" : ", from the rows of " + name));
  }
  return kv_heads;
}

void read_separate(const FileReading& r) {
  Inputs& in = r.inputs;
  Dims& dims = in.dims;
  in.W_q = weight_of(r, r.keys.q.weight);
  in.W_k = weight_of(r, r.keys.k.weight);
  in.W_v = weight_of(r, r.keys.v.weight);
  dims.d_model = in.W_q.size(0);
  dims.heads = settle_query_heads(r, dims.d_model);
  dims.kv_heads = settle_kv_heads(r);
  if (in.W_v.size(0) != in.W_k.size(0)) {
    r.fail(r.shape_of(r.keys.v.weight),
           "expected " + std::to_string(in.W_k.size(0)) + " rows, as in " + in_quotes(r.keys.k.weight));
  }
  in.b_q = bias_of(r, r.keys.q.bias, in.W_q.size(0));
  in.b_k = bias_of(r, r.keys.k.bias, in.W_k.size(0));
  in.b_v = bias_of(r, r.keys.v.bias, in.W_v.size(0));
  r.assume("projections",
           r.keys.q.weight + ", " + r.keys.k.weight + ", " + r.keys.v.weight + ": " + order_of(r));
}

void read_output(const FileReading& r) {
  Inputs& in = r.inputs;
  in.dims.d_out = in.dims.d_model;
  if (r.keys.o.weight.empty()) {
    r.assume("output projection", "none: output = concat");
    return;
  }
  in.W_o = weight_of(r, r.keys.o.weight);
  if (in.W_o.size(1) != in.dims.d_model) {
    r.fail(r.shape_of(r.keys.o.weight),
           "expected an output projection of " + std::to_string(in.dims.d_model) + " inputs, the width of concat");
  }
  in.dims.d_out = in.W_o.size(0);
  in.b_o = bias_of(r, r.keys.o.bias, in.dims.d_out);
  r.assume("output projection", r.keys.o.weight);
}

/// What the scenario switches off, and what it asks for that is not there.
void apply_switches(const FileReading& r) {
  const Scenario& s = r.resolving.scenario;
  Inputs& in = r.inputs;
  if (s.bias == true && !in.b_q.defined() && !in.b_k.defined() && !in.b_v.defined() && !in.b_o.defined()) {
    r.fail("holds no biases", "expected bias unset or false");
  }
  if (s.bias == false) in.b_q = in.b_k = in.b_v = in.b_o = Tensor();
  if (s.output_projection == true && !in.W_o.defined()) {
    r.fail("holds no output projection", "expected output_projection unset or false");
  }
  if (s.output_projection == false) {
    in.W_o = in.b_o = Tensor();
    in.dims.d_out = in.dims.d_model;
  }
}

}  // namespace

std::optional<FileReading::Number> heads_said(const FileReading& r) {
  return r.number({"num_heads", "n_heads", "head_num", "n_head", "num_attention_heads"});
}

std::optional<FileReading::Number> kv_heads_said(const FileReading& r) {
  return r.number({"num_kv_heads", "n_kv_heads", "num_key_value_heads"});
}

void read_parameters(const FileReading& r) {
  Dims& dims = r.inputs.dims;
  if (!r.keys.prefix.empty()) r.assume("layer", r.keys.layer());
  for (const char* unsupported : {"bias_k", "bias_v"}) {
    const std::string name = r.keys.prefix + unsupported;
    if (r.keys.packed.bias == r.keys.prefix + "in_proj_bias" && r.file.arrays().find(name)) {
      r.fail("holds " + in_quotes(name) + ", a learned key and value (add_bias_kv)",
             "expected an attention without them");
    }
  }
  r.keys.is_packed() ? read_packed(r) : read_separate(r);
  slice_packed_bias(r);
  dims.d_query = r.inputs.W_q.size(1);
  dims.d_key = r.inputs.W_k.size(1);
  dims.d_value = r.inputs.W_v.size(1);
  read_output(r);
  apply_switches(r);
}

}  // namespace headlight
