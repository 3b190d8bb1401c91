#include "core/scenario/inputs/file_linear.h"

#include <algorithm>
#include <cmath>

#include "core/base/files/error_place.h"

namespace headlight {
namespace {

/// The numbers of a parameter, checked when they are first read.
Tensor parameter_of(const FileReading& r, const std::string& name) {
  const bool known = r.file.was_loaded(name);
  const Tensor parameter = r.load(name);
  if (known) return parameter;
  const auto not_finite = std::ranges::count_if(parameter.values(), [](float v) { return !std::isfinite(v); });
  if (not_finite > 0) {
    r.fail(Message("{0} holds NaN or inf ({1} of its {2} numbers)", in_quotes(name), not_finite, parameter.count()),
           "expected a parameter's finite numbers");
  }
  return parameter;
}

void refuse_bytes(const FileReading& r, const std::string& name) {
  const DType dtype = r.file.arrays().find(name)->dtype;
  if (dtype != DType::i8 && dtype != DType::u8) return;
  r.fail(
      Message("{0} holds 8-bit integers ({1}): it is quantised", in_quotes(name), std::string(headlight::name(dtype))),
      "expected weights in floating point, as they were before they were quantised");
}

/// Checks a weight, stored in one array or by heads. Arrays beside it must not change the meaning of its numbers.
void check_weight(const FileReading& r, const std::string& name) {
  refuse_bytes(r, name);
  const std::string layer =
      name.substr(0, name.find_last_of("._/") == std::string::npos ? name.size() : name.find_last_of("._/"));
  for (const ArrayEntry& other : r.file.arrays().entries()) {
    if (!other.name.starts_with(layer)) continue;
    const std::string form = quantised_form(other.name);
    if (!form.empty()) {
      r.fail(Message("stores {0} quantised: {1} is {2}", in_quotes(name), in_quotes(other.name), form),
             "expected weights in floating point, as they were before they were quantised");
    }
    if (other.name.starts_with(layer + ".lora_")) {
      r.fail(Message("holds {0}, an adapter that changes {1}", in_quotes(other.name), in_quotes(name)),
             "expected weights that adapters are merged into");
    }
  }
}

/// These rows of a weight or bias, kept by the file where they must be copied.
Tensor rows_kept(const FileReading& r, const std::string& name, const Tensor& whole, const RowBlocks& rows) {
  if (rows.size() < 2) return rows_of(whole, rows);
  std::string recipe = name + " rows";
  for (const auto& [first, count] : rows) recipe += " " + std::to_string(first) + "+" + std::to_string(count);
  return r.file.made(recipe, [&] { return rows_of(whole, rows); });
}

bool is_square(const FileReading& r, const LinearSpec& linear) {
  const Shape& shape = r.file.arrays().find(linear.weight)->shape;
  return shape.size() == 2 && shape[0] == shape[1];
}

}  // namespace

Tensor weight_of(const FileReading& r, const LinearSpec& linear) {
  if (!linear.modules.empty()) {
    std::vector<Tensor> parts;
    for (const LinearSpec& head : linear.modules) {
      parts.push_back(weight_of(r, head));
      if (parts.back().shape() != parts.front().shape()) {
        r.fail(r.shape_of(head.weight),
               Message("expected {0}, as in {1}", to_string(parts.front().shape()), in_quotes(linear.weight)));
      }
    }
    return r.file.made("heads from " + linear.weight, [&] { return joined(parts); });
  }
  const std::string& name = linear.weight;
  const std::size_t rank = r.file.arrays().find(name)->shape.size();
  if (rank != (linear.layout <= WeightLayout::in_out ? 2u : 3u)) r.fail(r.shape_of(name), "expected [out, in]");
  check_weight(r, name);
  const Tensor stored = parameter_of(r, name);
  if (stored.count() == 0) r.fail(r.shape_of(name), "expected no empty axis");
  if (name.ends_with(".weight")) r.file.arrays().refuse_if_skipped(name.substr(0, name.size() - 6) + "bias");
  if (linear.layout == WeightLayout::out_in) return rows_kept(r, name, stored, linear.rows);
  const Tensor turned = r.file.made(name + " turned " + std::to_string(static_cast<int>(linear.layout)),
                                    [&] { return to_out_in(stored, linear.layout).contiguous(); });
  return rows_kept(r, name + " turned", turned, linear.rows);
}

Tensor bias_of(const FileReading& r, const std::string& name, Index out) {
  if (name.empty()) return {};
  refuse_bytes(r, name);
  const Tensor bias = parameter_of(r, name);
  if (bias.count() != out || bias.rank() > 2 || (bias.rank() == 2 && bias.size(0) != 1 && bias.size(1) == 1)) {
    r.fail(r.shape_of(name), Message("expected {0}, its weight's rows", to_string({out})));
  }
  return bias.rank() == 1 ? bias : r.file.made(name + " flat", [&] { return bias.view({out}); });  // [H, d_head]
}

Tensor bias_of(const FileReading& r, const LinearSpec& linear, Index out) {
  if (linear.modules.empty()) {
    if (linear.bias.empty() || linear.rows.empty()) return bias_of(r, linear.bias, out);
    const Index whole = linear_size(r.file.arrays().find(linear.weight)->shape, linear.layout).out;
    return rows_kept(r, linear.bias, bias_of(r, linear.bias, whole), linear.rows);
  }
  std::vector<Tensor> parts;
  const Index share = out / static_cast<Index>(linear.modules.size());
  for (const LinearSpec& head : linear.modules) {
    parts.push_back(bias_of(r, head.bias, share));
    if (parts.back().defined() != parts.front().defined())
      r.fail(Message("has a bias for some heads of {0}", in_quotes(linear.weight)), "expected one for each or none");
  }
  if (!parts.front().defined()) return {};
  return r.file.made("heads from " + linear.modules.front().bias, [&] { return joined(parts); });
}

Message order_of(const FileReading& r, const LinearSpec& linear) {
  const bool set = r.resolving.scenario.weight_order != WeightOrder::by_name;
  const LinearSpec& first = linear.modules.empty() ? linear : linear.modules.front();
  switch (first.layout) {
    case WeightLayout::in_out:
      return set ? "stored [in, out] as Conv1D does, as set"
             : r.attention.bare && is_square(r, r.attention.q)
                 ? "stored [in, out], as the width of the keys or values tells"
             : r.attention.bare ? "stored [in, out], as x's width tells"
                                : "stored [in, out] as Conv1D does";
    case WeightLayout::head_in_out: return "stored [H, in, d_head] as TransformerLens does";
    case WeightLayout::in_head_out: return "stored [in, H, d_head] as Keras and Flax do";
    default: break;
  }
  const Shape& shape = r.file.arrays().find(first.weight)->shape;
  const bool unsure = r.attention.bare && !set && shape.size() == 2 && shape[0] == shape[1];
  return set      ? "[out, in] as in nn.Linear, as set"
         : unsure ? "[out, in] as in nn.Linear, which nothing in the file tells from [in, out]"
                  : "[out, in] as in nn.Linear";
}

}  // namespace headlight
