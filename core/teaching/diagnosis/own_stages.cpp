#include "core/teaching/diagnosis/own_stages.h"

#include <Eigen/Core>
#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <filesystem>

#include "core/base/arrays/array_file.h"
#include "core/base/files/error_place.h"
#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"

namespace headlight {
namespace {

struct Alias {
  std::string_view names;  ///< lower case, separated by blanks
  std::vector<Stage> stages;
};

const std::vector<Alias>& aliases() {
  using enum Stage;
  static const std::vector<Alias> table{
      {" attn attention attentions attn_weights attn_weight attention_weights attn_probs attention_probs probs a alpha "
       "p_attn softmax "
       "weight ",
       {weights}},
      {" out outputs y result attn_output attention_output final ", {output, concat, head_outputs}},
      {" context ctx z head_out head_output heads_out attn_v values_out ", {head_outputs, concat}},
      {" concatenated combined merged concat_heads ", {concat}},
      {" logits score raw_scores energy dots sim similarity qk attn_logits attn_scores attention_scores ", {scores}},
      {" scaled scaled_logits scores_scaled ", {scaled_scores}},
      {" masked masked_logits scores_masked ", {masked_scores}},
      {" attn_mask attention_mask ", {mask}},
      {" q queries query_states xq ", {Q, Q_heads}},
      {" k keys key_states xk ", {K, K_heads}},
      {" v values value_states xv ", {V, V_heads}},
      {" q_h qh q_head q_split ", {Q_heads}},
      {" k_h kh k_head k_split ", {K_heads}},
      {" v_h vh v_head v_split ", {V_heads}},
  };
  return table;
}

/// The stage that an array of this name and shape probably is: `attn` the weights, `context` the head outputs or
/// concat, by their shape. Unset if unknown.
std::optional<Stage> probable_stage(std::string_view array, const Shape& shape, const Trace& trace) {
  const std::string name_between_blanks = " " + lowercase(array) + " ";
  for (const Alias& alias : aliases()) {
    if (alias.names.find(name_between_blanks) == std::string_view::npos) continue;
    for (const Stage stage : alias.stages) {
      if (counterpart(trace, stage).shape() == shape) return stage;
    }
    return alias.stages.front();
  }
  std::vector<std::string_view> names;
  for (const Stage stage : all_stages()) names.push_back(name(stage));
  const std::string_view nearest = nearest_name(array, names);
  return nearest.empty() ? std::nullopt : stage_named(nearest);
}

using Kind = OwnReading::Kind;

/// A [B, H, n_q, n_k] stage that was saved once for all heads: [B, n_q, n_k] or, for one batch entry, [n_q, n_k].
std::optional<ShapeReading> one_for_all_heads(const Tensor& stored, const Shape& wanted) {
  const Shape per_batch{wanted[0], 1, wanted[2], wanted[3]};
  if (without_ones(stored.shape()) != without_ones(per_batch)) return {};
  return ShapeReading{stored.view(per_batch).expand(wanted).contiguous(),
                      OwnReading{Kind::one_for_all_heads, stored.shape()}};
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

/// Reads `stored` as the stage, which has the shape `wanted` in the trace; unset if that is impossible or ambiguous.
std::optional<ShapeReading> read_shape(Stage stage, const Tensor& stored, const Shape& wanted, const Dims& dims) {
  const Shape& shape = stored.shape();
  if (shape == wanted) return ShapeReading{stored};
  if (stage == Stage::mask) return read_mask_shape(stored, wanted);
  if (without_ones(shape) == without_ones(wanted))
    return ShapeReading{stored.view(wanted), OwnReading{Kind::other_axes, shape, wanted}};
  if (is_per_kv_head(stage) && dims.kv_heads != dims.heads) {
    Shape repeated = wanted;
    repeated[1] = dims.heads;
    if (auto read = read_shape(Stage::Q_heads, stored, repeated, dims))
      return ShapeReading{read->values, OwnReading{Kind::repeated_heads, shape}};
  }
  if (wanted.size() == 3 && is_transposed(shape, wanted, 0))
    return ShapeReading{stored.transpose(0, 1).contiguous(), OwnReading{Kind::sequence_first, shape}};
  if (wanted.size() != 4) return {};
  if (shape == Shape{wanted[0] * wanted[1], wanted[2], wanted[3]})
    return ShapeReading{stored.view(wanted), OwnReading{Kind::batch_and_heads_first, shape}};
  return info(stage).cols == Axis::key ? one_for_all_heads(stored, wanted) : std::nullopt;
}

/// The error message for a shape that does not fit.
OwnReading wrong_shape(Stage stage, const Shape& stored, const Shape& wanted) {
  OwnReading reading{Kind::wrong_shape, stored, wanted};
  if (has_head_axis(stage) && wanted.size() == 4) {
    if (is_transposed(stored, wanted, 1)) reading.hint = OwnReading::Hint::transpose_missing;
    else if (is_transposed(stored, wanted, 2)) reading.hint = OwnReading::Hint::rows_and_columns;
  }
  return reading;
}

constexpr float least_masking_bias = -1e4F;

/// Half of the distance between 1 and the next number; 0 for types without half precision.
float half_step_of(std::optional<DType> dtype) {
  if (dtype == DType::f16) return 0x1p-11F;
  return dtype == DType::bf16 ? 0x1p-8F : 0.0F;
}

/// Half-precision types that can hold every number of a tensor.
struct HalfTypes {
  bool bf16 = true, f16 = true;
  int precise = 0;  ///< how many numbers use more than four bits of their significand
};

HalfTypes half_types_of(const Tensor& values) {
  HalfTypes types;
  for (const float v : values.values()) {
    if (!std::isfinite(v) || v == 0) continue;
    const auto bits = std::bit_cast<std::uint32_t>(v);
    types.precise += (bits & 0x7FFFFU) != 0 ? 1 : 0;
    types.bf16 = types.bf16 && (bits & 0xFFFFU) == 0;
    types.f16 = types.f16 && static_cast<float>(Eigen::half(v)) == v;
    if (!types.bf16 && !types.f16) break;
  }
  return types;
}

/// The half-precision type that the numbers were rounded to, whatever type the file has. Nothing if too few numbers
/// show it.
std::optional<DType> rounded_to(const ArrayEntry& entry, const Tensor& values) {
  if (entry.dtype == DType::f16 || entry.dtype == DType::bf16) return entry.dtype;
  constexpr int least = 8;
  const HalfTypes types = half_types_of(values);
  if (types.precise < least || (!types.bf16 && !types.f16)) return {};
  return types.bf16 ? DType::bf16 : DType::f16;
}

/// Stages with too few numbers get the rounding of the other stages.
void share_rounding(std::vector<OwnStage>& stages) {
  float slack = 0;
  for (const OwnStage& own : stages) {
    if (own.slack > 0 && slack > 0 && own.slack != slack) return;
    slack = std::max(slack, own.slack);
  }
  for (OwnStage& own : stages) {
    if (slack == 0 || own.slack > 0 || own.stage == Stage::mask) continue;
    const HalfTypes types = half_types_of(own.values.contiguous());
    if (slack == half_step_of(DType::bf16) ? types.bf16 : types.f16) own.slack = slack;
  }
}

/// A mask of 0 and 1 stays. A mask of 0 and large negative numbers is additive: 0 = may attend.
bool read_mask_values(OwnStage& own) {
  const std::span<const float> values = own.values.values();
  if (std::ranges::all_of(values, [](float v) { return v == 0 || v == 1; })) return true;
  if (!std::ranges::all_of(values, [](float v) { return v == 0 || v <= least_masking_bias; })) return false;
  own.values = each_number(own.values, [](float v) { return v == 0 ? 1.0F : 0.0F; });
  own.reading = {OwnReading::Kind::additive_mask, own.stored};
  return true;
}

OwnStage fitted(Stage stage, const ArrayEntry& entry, const Tensor& stored, const Trace& trace) {
  OwnStage own{.stage = stage, .values = stored, .stored = entry.shape};
  if (stage != Stage::mask) own.slack = half_step_of(rounded_to(entry, stored));
  const Shape wanted = counterpart(trace, stage).shape();
  std::optional<ShapeReading> read = read_shape(stage, stored, wanted, trace.dims());
  own.fits = read.has_value();
  if (!read) {
    own.reading = wrong_shape(stage, entry.shape, wanted);
    return own;
  }
  own.values = read->values.contiguous();
  own.reading = std::move(read->how);
  if (stage == Stage::mask && !read_mask_values(own)) {
    own.fits = false;
    own.reading = {OwnReading::Kind::no_mask, own.stored};
  }
  return own;
}

/// The stages that other names probably mean: "weights for "attn"".
Message probable_meanings(const std::vector<OwnStages::Other>& others) {
  Message list;
  for (const OwnStages::Other& other : others) {
    if (!other.meant) continue;
    const Message one("{0} for {1}", name(*other.meant), in_quotes(other.name));
    list = list.empty() ? one : Message("{0}, {1}", list, one);
  }
  return list;
}

/// Whether it is the name of a layer's weight or bias.
bool is_weight(const std::string& array) {
  const std::optional<Stage> stage = stage_named(array);
  return stage ? is_parameter(*stage) : array.ends_with("weight") || array.ends_with("bias");
}

}  // namespace

Shape without_ones(const Shape& shape) {
  Shape kept;
  std::ranges::copy_if(shape, std::back_inserter(kept), [](Index size) { return size != 1; });
  return kept;
}

const OwnStage* OwnStages::find(Stage stage) const {
  const auto found = std::ranges::find(stages, stage, &OwnStage::stage);
  return found == stages.end() ? nullptr : &*found;
}

OwnStages read_own_stages(const std::string& path, const Trace& trace) {
  const auto file = open_arrays(path_from(path));
  OwnStages own{.path = path};
  for (const Stage stage : all_stages()) {
    const std::string array(name(stage));
    const bool skipped = std::ranges::find(file->skipped(), array, &SkippedArray::name) != file->skipped().end();
    const ArrayEntry* entry = file->find(array);
    if (!entry && !skipped) continue;
    const Tensor stored = file->load(array);  // throws the reason if it was skipped
    own.stages.push_back(fitted(stage, *entry, stored, trace));
  }
  share_rounding(own.stages);
  for (const ArrayEntry& entry : file->entries()) {
    const std::optional<Stage> stage = stage_named(entry.name);
    if (!stage || is_parameter(*stage) || is_measure(*stage))
      own.others.push_back({entry.name, probable_stage(entry.name, entry.shape, trace)});
  }
  if (!own.stages.empty()) return own;
  const Message first_name = in_quotes(own.others.front().name);
  const Message wrong(own.others.size() > 1 ? "holds no array that is named as a stage (it holds {0}, …)"
                                            : "holds no array that is named as a stage (it holds {0})",
                      first_name);
  if (std::ranges::any_of(file->entries(), [](const ArrayEntry& entry) { return is_weight(entry.name); }))
    throw FileError(path, wrong, "expected the stages that your code computed; the file with the weights comes first");
  const Message meant = probable_meanings(own.others);
  throw FileError(path, meant.empty() ? wrong : joined_by_semicolon(wrong, {"did you mean {0}?", meant}),
                  {"expected one or more of {0}", comma_list(all_stages(), [](Stage stage) { return name(stage); })});
}

bool is_own_stages_file(const std::string& path, const Trace& trace, bool wanted) {
  std::error_code error;
  if (path.starts_with("lesson:") || path.starts_with("model:") ||
      !std::filesystem::is_regular_file(path_from(path), error))
    return false;
  try {
    const auto file = open_arrays(path_from(path));
    bool only_ends = false, also_begins = false;
    for (const ArrayEntry& entry : file->entries()) {
      const std::optional<Stage> stage = stage_named(entry.name);
      if (!stage || is_parameter(*stage)) {
        if (is_weight(entry.name)) return false;
        continue;
      }
      if (*stage < Stage::Q || *stage == Stage::mask || !trace.has(*stage)) continue;
      if (element_count(entry.shape) != trace[*stage].count()) continue;
      const bool begins =
          *stage == Stage::Q_heads || *stage == Stage::K_heads || *stage == Stage::V_heads || *stage == Stage::weights;
      (begins ? also_begins : only_ends) = true;
    }
    return only_ends || (wanted && also_begins);
  } catch (const std::exception&) { return false; }
}

Stage standing_for(const Trace& trace, Stage stage) { return trace.standing_for(stage).value_or(stage); }

Tensor counterpart(const Trace& trace, Stage stage) {
  const Tensor& own = trace[standing_for(trace, stage)];
  if (own.defined()) return own;
  const Dims& d = trace.dims();  // the mask is the only stage that no other stage can replace
  return Tensor::full({1, 1, 1, 1}, 1).expand({d.batch, d.heads, d.n_q, d.n_k});
}

Tensor with_heads_of(const Tensor& mine, const Tensor& right) {
  if (mine.rank() != 4 || right.rank() != 4 || mine.size(1) == right.size(1)) return right;
  const Index have = right.size(1), wanted = mine.size(1);
  if (wanted < have) return right.slice(1, 0, wanted);
  if (wanted % have != 0) return right;
  const Shape& s = right.shape();
  const Tensor grouped = right.contiguous().view({s[0], have, 1, s[2] * s[3]});
  return grouped.expand({s[0], have, wanted / have, s[2] * s[3]}).view({s[0], wanted, s[2], s[3]});
}

Tensor right_for(const OwnStage& mine, const Trace& trace) {
  return with_heads_of(mine.values, counterpart(trace, mine.stage));
}

std::string translated_error(const OwnReading& reading) {
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
      return "holds numbers other than 0 and 1; expected true where a query may attend, else false";
    case OwnReading::Kind::wrong_shape: break;
  }
  std::string text = "is " + stored + "; expected " + to_string(reading.expected);
  if (reading.hint == OwnReading::Hint::transpose_missing) text += " (is .transpose(1, 2) missing?)";
  if (reading.hint == OwnReading::Hint::rows_and_columns) text += " (rows and columns are swapped)";
  return text;
}

}  // namespace headlight
