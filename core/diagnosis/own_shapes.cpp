#include "core/diagnosis/own_shapes.h"

#include <algorithm>

#include "core/diagnosis/own_stages.h"

namespace headlight {
namespace {

Shape without_ones(const Shape& shape) {
  Shape kept;
  std::ranges::copy_if(shape, std::back_inserter(kept), [](Index size) { return size != 1; });
  return kept;
}

using Kind = OwnReading::Kind;

/// The last two axes of a [B, H, n_q, n_k] stage once for all heads, [B, n_q, n_k] or, for one batch entry, [n_q, n_k].
std::optional<ShapeReading> one_for_all_heads(const Tensor& stored, const Shape& wanted) {
  const Shape per_batch{wanted[0], 1, wanted[2], wanted[3]};
  if (without_ones(stored.shape()) != without_ones(per_batch)) return {};
  return ShapeReading{stored.view(per_batch).expand(wanted).contiguous(),
                      OwnReading{Kind::one_for_all_heads, stored.shape()}};
}

std::optional<ShapeReading> heads_first(const Tensor& stored, const Shape& wanted) {
  if (stored.shape() != Shape{wanted[0] * wanted[1], wanted[2], wanted[3]}) return {};
  return ShapeReading{stored.view(wanted), OwnReading{Kind::batch_and_heads_first, stored.shape()}};
}

/// The mask's shapes are broadcast to [B, H, n_q, n_k].
std::optional<ShapeReading> read_mask_shape(const Tensor& stored, const Shape& wanted) {
  const Index batch = wanted[0], heads = wanted[1], n_q = wanted[2], n_k = wanted[3];
  const auto as = [&](const Shape& shape) {
    return ShapeReading{stored.view(shape).expand(wanted).contiguous(),
                        OwnReading{Kind::other_axes, stored.shape(), shape}};
  };
  const Shape& shape = stored.shape();
  if (shape.size() <= 2 && broadcastable(shape, {n_q, n_k})) return ShapeReading{stored.expand(wanted).contiguous()};
  if (shape == Shape{batch, n_k}) return as({batch, 1, 1, n_k});
  if (shape == Shape{batch, n_q, n_k} || shape == Shape{batch, 1, n_k}) return as({batch, 1, shape[1], n_k});
  if (shape == Shape{batch * heads, n_q, n_k}) return as(wanted);
  if (shape.size() == 4 && broadcastable(shape, wanted)) return ShapeReading{stored.expand(wanted).contiguous()};
  return {};
}

bool is_transposed(const Shape& stored, const Shape& wanted, std::size_t axis) {
  if (stored.size() != wanted.size() || axis + 1 >= wanted.size()) return false;
  Shape turned = wanted;
  std::swap(turned[axis], turned[axis + 1]);
  return stored == turned;
}

}  // namespace

std::optional<ShapeReading> read_shape(Stage stage, const Tensor& stored, const Shape& wanted, const Dims& dims) {
  const Shape& shape = stored.shape();
  if (shape == wanted) return ShapeReading{stored};
  if (stage == Stage::mask) return read_mask_shape(stored, wanted);
  if (without_ones(shape) == without_ones(wanted))
    return ShapeReading{stored.view(wanted), OwnReading{Kind::other_axes, shape, wanted}};
  if (is_per_kv_head(stage) && dims.kv_heads != dims.heads) {
    Shape repeated = wanted;
    repeated[1] = dims.heads;
    if (auto read = read_shape(Stage::Q_heads, stored, repeated, dims)) {
      return ShapeReading{read->values, OwnReading{Kind::repeated_heads, shape}};
    }
  }
  if (wanted.size() == 3 && is_transposed(shape, wanted, 0)) {
    return ShapeReading{stored.transpose(0, 1).contiguous(), OwnReading{Kind::sequence_first, shape}};
  }
  if (wanted.size() != 4) return {};
  if (auto read = heads_first(stored, wanted)) return read;
  if (info(stage).cols == Axis::key) return one_for_all_heads(stored, wanted);
  return {};
}

OwnReading shape_complaint(Stage stage, const Shape& stored, const Shape& wanted) {
  OwnReading complaint{Kind::wrong_shape, stored, wanted};
  if (has_head_axis(stage) && wanted.size() == 4) {
    if (is_transposed(stored, wanted, 1)) complaint.hint = OwnReading::Hint::transpose_missing;
    else if (is_transposed(stored, wanted, 2)) complaint.hint = OwnReading::Hint::rows_and_columns;
  }
  return complaint;
}

std::string in_words(const OwnReading& reading) {
  const std::string stored = to_string(reading.stored);
  switch (reading.kind) {
    case OwnReading::Kind::as_it_is: return {};
    case OwnReading::Kind::other_axes: return stored + " read as " + to_string(reading.expected);
    case OwnReading::Kind::one_for_all_heads: return stored + " read as one matrix for all heads";
    case OwnReading::Kind::batch_and_heads_first: return stored + " read as [B·H, …]";
    case OwnReading::Kind::repeated_heads: return stored + " read as key/value heads repeated for each query head";
    case OwnReading::Kind::sequence_first: return stored + " read as [n, B, …], the sequence first";
    case OwnReading::Kind::additive_mask: return "additive, read as true where it is 0";
    case OwnReading::Kind::no_mask:
      return "holds other numbers than 0 and 1; expected true where a query may attend, else false";
    case OwnReading::Kind::wrong_shape: break;
  }
  std::string text = "is " + stored + "; expected " + to_string(reading.expected);
  if (reading.hint == OwnReading::Hint::transpose_missing) text += " (is .transpose(1, 2) missing?)";
  if (reading.hint == OwnReading::Hint::rows_and_columns) text += " (rows and columns have changed places)";
  return text;
}

}  // namespace headlight
