#include "core/compute/network/weights.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "core/base/files/error_place.h"
#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"

namespace headlight {
namespace {

/// Multiplies each output by its gain.
void apply_gain(const Tensor& gain, Linear& linear) {
  const auto scaled = [&](const Tensor& stored) {
    const Tensor packed = stored.contiguous();
    Buffer values(packed.values().begin(), packed.values().end());
    const std::size_t width = values.size() / gain.values().size();
    for (std::size_t i = 0; i < values.size(); ++i) values[i] *= gain.values()[i / width];
    return Tensor(packed.shape(), std::move(values));
  };
  linear.weight = scaled(linear.weight);
  if (linear.bias.defined()) linear.bias = scaled(linear.bias);
}

}  // namespace

Linear read_linear(const Checkpoint& checkpoint, const LinearSpec& spec, Tensor stored) {
  Linear linear;
  if (!spec.there()) return linear;
  assert(spec.modules.empty());
  const auto load = [&](const std::string& name) {
    return spec.of_stack ? checkpoint.load_part(name, *spec.of_stack) : checkpoint.load(name);
  };
  if (!stored.defined()) stored = load(spec.weight);
  if (stored.rank() == 1) stored = stored.view({1, stored.count()});
  linear.weight = rows_of(to_out_in(stored, spec.layout), spec.rows);
  if (!spec.bias.empty()) linear.bias = rows_of(load(spec.bias), spec.rows);
  if (!spec.gain.empty()) apply_gain(checkpoint.load(spec.gain), linear);
  return linear;
}

Linear read_row(const Checkpoint& checkpoint, const LinearSpec& spec, Index row) {
  const auto only = [row](const Tensor& biases) {
    return biases.defined() ? biases.contiguous().view({biases.count()}).slice(0, row, 1) : Tensor();
  };
  if (spec.layout != WeightLayout::out_in || !spec.rows.empty() || !spec.gain.empty() || spec.of_stack) {
    const Linear whole = read_linear(checkpoint, spec);
    return {whole.weight.slice(0, row, 1).contiguous(), only(whole.bias)};
  }
  return {checkpoint.load_rows(spec.weight, std::span(&row, 1)),
          spec.bias.empty() ? Tensor() : only(checkpoint.load(spec.bias))};
}

LatentWeights read_latent(const Checkpoint& checkpoint, const LatentSpec& spec, Index heads) {
  Tensor keys, values;  // [H, plain, rank], [H, value, rank]
  if (spec.kv_up.there()) {
    const Tensor up = read_linear(checkpoint, spec.kv_up).weight.contiguous();
    const Tensor by_head = up.view({heads, spec.plain + spec.value, spec.rank});
    keys = by_head.slice(1, 0, spec.plain);
    values = by_head.slice(1, spec.plain, spec.value).contiguous();
  } else {
    keys = checkpoint.load(spec.key_up).transpose(1, 2);
    values = checkpoint.load(spec.value_up);
  }
  const Index width = spec.kept();
  Buffer made(static_cast<std::size_t>(heads * (spec.rotated + spec.plain) * width), 0.0F);
  auto to = made.begin();
  for (Index h = 0; h < heads; ++h) {
    const MatrixView plain = keys.matrix(h);
    for (Index i = 0; i < spec.rotated; ++i, to += width) to[spec.rank + i] = 1;
    for (Index i = 0; i < spec.plain; ++i, to += width) {
      for (Index c = 0; c < spec.rank; ++c) to[c] = plain(i, c);
    }
  }
  return {Tensor({heads * (spec.rotated + spec.plain), width}, std::move(made)),
          values.view({heads * spec.value, spec.rank})};
}

Norm read_norm(const Checkpoint& checkpoint, const NormSpec& spec) {
  Norm norm{spec.kind, {}, {}, spec.epsilon};
  if (!spec.weight.empty()) norm.weight = checkpoint.load(spec.weight);
  if (!spec.bias.empty()) norm.bias = checkpoint.load(spec.bias);
  if (spec.plus_one && norm.weight.defined()) norm.weight = each_number(norm.weight, [](float w) { return w + 1; });
  return norm;
}

// The masks of nn.Transformer in the file of its weights.
namespace {

constexpr float infinity = std::numeric_limits<float>::infinity();

struct TorchMask {
  std::string name;
  Tensor values;           ///< broadcast to [B, H, n_q, n_k]
  bool added = false;      ///< floating point: added to the scores
  bool is_mask = true;     ///< positions that are not 0 get no weight
  float fill = -infinity;  ///< the number that is added to masked scores
};

TorchMask read_one(const Checkpoint& file, const std::string& name, const Dims& d) {
  TorchMask mask{name, file.load(name)};
  const Shape shape = mask.values.shape();
  const auto check_shape = [&](bool fits, const Message& expected) {
    if (!fits)
      throw FileError(file.path_of(name), Message("{0} has shape {1}", in_quotes(name), to_string(shape)),
                      Message("expected {0}", expected));
  };
  if (name.find("padding") != std::string::npos) {
    check_shape(shape == Shape{d.batch, d.n_k} || (d.batch == 1 && shape == Shape{d.n_k}),
                Message("[{0}, {1}], the batch entries and the keys", d.batch, d.n_k));
    mask.values = mask.values.view({d.batch, 1, 1, d.n_k});
  } else if (shape.size() == 3) {
    check_shape(shape == Shape{d.batch * d.heads, d.n_q, d.n_k},
                Message("[{0}, {1}, {2}], batch entries times heads", d.batch * d.heads, d.n_q, d.n_k));
    mask.values = mask.values.view({d.batch, d.heads, d.n_q, d.n_k});
  } else {
    check_shape(shape == Shape{d.n_q, d.n_k}, Message("[{0}, {1}]", d.n_q, d.n_k));
    mask.values = mask.values.view({1, 1, d.n_q, d.n_k});
  }
  mask.added = is_floating(file.entry(name).dtype);
  float lowest = 0, highest = -infinity;
  for (const float v : mask.values.values()) {
    if (std::isnan(v) || v == infinity)
      throw FileError(file.path_of(name), Message("{0} holds {1}", in_quotes(name), shortest(v)),
                      "expected numbers or -inf");
    if (!mask.added && v != 0 && v != 1)
      throw FileError(file.path_of(name), Message("{0} holds {1}", in_quotes(name), shortest(v)),
                      "expected true and false");
    if (v != 0) lowest = std::min(lowest, v), highest = std::max(highest, v);
  }
  if (!mask.added) return mask;
  mask.is_mask = highest <= -1e4F;
  mask.fill = lowest < 0 ? highest : -infinity;
  return mask;
}

}  // namespace

void add_torch_masks(const Checkpoint& file, const AttentionSpec& spec, Inputs& in) {
  std::vector<TorchMask> masks;
  for (const std::string& name : spec.masks) masks.push_back(read_one(file, name, in.dims));
  // A run has only one fill value. With several fill values, or beside a causal rule, masks with a finite fill value
  // are added to the scores instead.
  const bool one_fill = !spec.causal && std::ranges::all_of(masks, [&](const TorchMask& mask) {
    return mask.is_mask && mask.fill == masks.front().fill;
  });
  Tensor attend = Tensor::full({1, 1, in.dims.n_q, in.dims.n_k}, 1);
  for (const TorchMask& mask : masks) {
    const bool hides = mask.is_mask && (one_fill || mask.fill == -infinity);
    if (hides) attend = combined(attend, mask.values, [](float a, float m) { return m == 0 ? a : 0.0F; });
    else if (in.attn_bias.defined())
      in.attn_bias = combined(in.attn_bias, mask.values, [](float a, float m) { return a + m; });
    else in.attn_bias = mask.values;
  }
  in.file_mask = attend;
  if (one_fill && std::isfinite(masks.front().fill)) in.fill = masks.front().fill;
}

namespace {

/// The row of the table for a query that stands `distance` positions after the key.
Index place_of_distance(Index distance, const PlacesSpec& spec) {
  Index bucket = distance;
  const Index magnitude = std::abs(distance), middle = spec.buckets / 2;
  if (spec.buckets > 0 && magnitude > middle) {
    const double growth = std::log(static_cast<double>(magnitude) / static_cast<double>(middle)) /
                          std::log(static_cast<double>(spec.furthest - 1) / static_cast<double>(middle));
    const auto log_bucket = static_cast<Index>(std::ceil(growth * static_cast<double>(middle - 1))) + middle;
    bucket = distance < 0 ? -log_bucket : log_bucket;
  }
  return std::clamp<Index>(bucket + spec.span, 0, 2 * spec.span - 1);
}

double product(const MatrixView& a, Index row, const MatrixView& b, Index other) {
  double sum = 0;
  for (Index i = 0; i < a.cols; ++i) sum += static_cast<double>(a(row, i)) * static_cast<double>(b(other, i));
  return sum;
}

}  // namespace

PlacesTerms places_terms(const PlacesSpec& spec, const Tensor& queries, const Tensor& keys, const Tensor& place_queries,
                         const Tensor& place_keys, double scale) {
  const Index n_q = queries.size(2), n_k = keys.size(2);
  Buffer to, from;
  each_matrix(queries, [&](const MatrixView& q, Index b, Index h) {
    const MatrixView k = keys.matrix(b, h), place_q = place_queries.matrix(0, h), place_k = place_keys.matrix(0, h);
    for (Index row = 0; row < n_q; ++row) {
      for (Index col = 0; col < n_k; ++col) {
        const Index place = place_of_distance(row - col, spec);
        to.push_back(static_cast<float>(spec.to_place ? scale * product(q, row, place_k, place) : 0));
        from.push_back(static_cast<float>(spec.from_place ? scale * product(k, col, place_q, place) : 0));
      }
    }
  });
  const Shape shape{queries.size(0), queries.size(1), n_q, n_k};
  return {Tensor(shape, std::move(to)), Tensor(shape, std::move(from))};
}

}  // namespace headlight
