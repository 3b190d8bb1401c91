#include "core/attention/masking.h"

#include <algorithm>
#include <cassert>

#include "core/attention/score_rows.h"
#include "core/attention/sweep.h"
#include "core/mask/evaluate.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

Shape broadcast_shape(const Shape& a, const Shape& b) {
  Shape shape = a.size() >= b.size() ? a : b;
  const Shape& other = a.size() >= b.size() ? b : a;
  const std::size_t lead = shape.size() - other.size();
  for (std::size_t i = 0; i < other.size(); ++i) shape[lead + i] = std::max(shape[lead + i], other[i]);
  return shape;
}

Tensor both(const Tensor& a, const Tensor& b) {
  const Shape shape = broadcast_shape(a.shape(), b.shape());
  const Tensor left = a.expand(shape).contiguous(), right = b.expand(shape).contiguous();
  Buffer values(left.values().begin(), left.values().end());
  std::ranges::transform(values, right.values(), values.begin(),
                         [](float x, float y) { return x != 0 && y != 0 ? 1.0F : 0.0F; });
  return Tensor(shape, std::move(values));
}

Tensor file_and_lengths(const Inputs& inputs) {
  if (!inputs.valid_lens.defined()) return inputs.file_mask;
  const Tensor padding = padding_mask(inputs.valid_lens, inputs.dims.n_k);
  return inputs.file_mask.defined() ? both(inputs.file_mask, padding) : padding;
}

struct Range {
  Index first, end;
};

// The entries of an axis that a painted index means: one, all where it is −1, none where it lies outside.
Range painted_range(Index index, Index size) {
  if (index < 0) return {0, size};
  return index < size ? Range{index, index + 1} : Range{0, 0};
}

// `mask` with the cells over it; at most [B, H, n_q, n_k], less where neither tells batch entries or heads apart.
Tensor paint(const Tensor& mask, const std::vector<PaintedCells>& painted, const Dims& dims) {
  const auto names = [&](Index PaintedCells::*axis) {
    return std::ranges::any_of(painted, [axis](const PaintedCells& cells) { return cells.*axis >= 0; });
  };
  const Shape wanted{names(&PaintedCells::batch) ? dims.batch : 1, names(&PaintedCells::head) ? dims.heads : 1,
                     dims.n_q, dims.n_k};
  const Shape shape = broadcast_shape(mask.shape(), wanted);
  const Tensor base = mask.expand(shape).contiguous();
  Buffer values(base.values().begin(), base.values().end());
  for (const PaintedCells& cells : painted) {
    if (cells.query >= dims.n_q || cells.key >= dims.n_k) continue;
    const Range batch = painted_range(cells.batch, shape[0]), head = painted_range(cells.head, shape[1]);
    const Index rows = std::min(cells.queries, dims.n_q - cells.query),
                cols = std::min(cells.keys, dims.n_k - cells.key);
    for (Index b = batch.first; b < batch.end; ++b) {
      for (Index h = head.first; h < head.end; ++h) {
        const Index corner = ((b * shape[1] + h) * dims.n_q + cells.query) * dims.n_k + cells.key;
        for (Index row = 0; row < rows; ++row) {
          std::fill_n(values.begin() + corner + row * dims.n_k, cols, cells.attend ? 1.0F : 0.0F);
        }
      }
    }
  }
  return Tensor(shape, std::move(values));
}

Tensor from_expression(const MaskExpression& expression, const Scenario& scenario, const Inputs& inputs,
                       std::stop_token stop, int threads) {
  const Dims& dims = inputs.dims;
  MaskContext context{.batch = dims.batch, .heads = dims.heads, .n_q = dims.n_q, .n_k = dims.n_k};
  context.stop = std::move(stop);
  context.threads = threads;
  if (inputs.valid_lens.defined()) context.valid_lens = &inputs.valid_lens;
  if (inputs.doc_ids.defined()) context.doc_ids = &inputs.doc_ids;
  if (inputs.file_mask.defined()) context.file_mask = &inputs.file_mask;
  Tensor drawn = Tensor::full({1, 1, 1, 1}, 0);
  if (expression.calls("painted")) drawn = paint(drawn, scenario.painted, dims);
  context.painted = &drawn;
  return evaluate(expression, context);
}

// The expression that a scenario has, or that stands for its file's mask. An error says where in the person's text it
// is.
template <typename Use>
auto with_expression(const std::string& text, Use use) {
  try {
    return use(MaskExpression::parse(text));
  } catch (const ExpressionError& error) {
    throw ExpressionError(error.position(), error.sentence() + " (" + mark_at(text, error.position()) + ")");
  }
}

}  // namespace

Tensor padding_mask(const Tensor& valid_lens, Index n_k) {
  const Index batch = valid_lens.size(0), n_q = valid_lens.rank() == 2 ? valid_lens.size(1) : 1;
  const Tensor lengths = valid_lens.contiguous();
  Buffer values;
  values.reserve(static_cast<std::size_t>(lengths.count() * n_k));
  for (const float length : lengths.values()) {
    for (Index k = 0; k < n_k; ++k) values.push_back(static_cast<float>(k) < length ? 1 : 0);
  }
  return Tensor({batch, 1, n_q, n_k}, std::move(values));
}

bool has_mask(const Scenario& scenario, const Inputs& inputs) {
  return !scenario.mask.empty() || inputs.file_mask.defined() || inputs.valid_lens.defined() ||
         !scenario.painted.empty();
}

std::string expression_in_force(const Scenario& scenario, const Inputs& inputs) {
  if (!scenario.mask.empty()) return scenario.mask;
  const bool file = inputs.file_mask.defined(), padding = inputs.valid_lens.defined();
  if (file) return padding ? "file() && padding()" : "file()";
  return padding ? "padding()" : "full()";
}

Tensor build_mask(const Scenario& scenario, const Inputs& inputs, std::stop_token stop, int threads) {
  assert(has_mask(scenario, inputs));
  const Dims& dims = inputs.dims;
  Tensor mask;
  bool paints_over = !scenario.painted.empty();
  if (!scenario.mask.empty()) {
    mask = with_expression(scenario.mask, [&](const MaskExpression& expression) {
      paints_over = paints_over && !expression.calls("painted");
      return from_expression(expression, scenario, inputs, std::move(stop), threads);
    });
  } else {
    mask = file_and_lengths(inputs);
  }
  if (paints_over) mask = paint(mask.defined() ? mask : Tensor::full({1, 1, 1, 1}, 1), scenario.painted, dims);
  return mask.expand({dims.batch, dims.heads, dims.n_q, dims.n_k});
}

std::shared_ptr<const MaskRule> mask_rule(const Scenario& scenario, const Inputs& inputs) {
  const std::string text = expression_in_force(scenario, inputs);
  return with_expression(text, [&](const MaskExpression& expression) -> std::shared_ptr<const MaskRule> {
    const bool names_painted = expression.calls("painted");
    if (!scenario.painted.empty() && !names_painted) return nullptr;
    const Dims& dims = inputs.dims;
    auto rule = std::make_shared<MaskRule>(
        MaskRule{expression,
                 {.batch = dims.batch, .heads = dims.heads, .n_q = dims.n_q, .n_k = dims.n_k},
                 inputs.valid_lens,
                 inputs.file_mask,
                 Tensor::full({1, 1, 1, 1}, 0),
                 inputs.doc_ids});
    if (names_painted) rule->painted = paint(rule->painted, scenario.painted, dims);
    if (rule->valid_lens.defined()) rule->context.valid_lens = &rule->valid_lens;
    if (rule->doc_ids.defined()) rule->context.doc_ids = &rule->doc_ids;
    if (rule->file_mask.defined()) rule->context.file_mask = &rule->file_mask;
    rule->context.painted = &rule->painted;
    MaskReader(rule->expression, rule->context);  // says now what it would say later
    return rule;
  });
}

Tensor apply_mask(const Tensor& scores, const Tensor& mask, float fill, const Workers& workers, MaskMode mode) {
  assert(scores.shape() == mask.shape());
  ScoreSteps steps;
  steps.mask = mask;
  steps.fill = fill;
  steps.adds_fill = mode == MaskMode::add;
  return sweep(steps, Stage::masked_scores, Stage::masked_scores, scores, workers)[Stage::masked_scores];
}

}  // namespace headlight
