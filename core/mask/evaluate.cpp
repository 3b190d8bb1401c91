#include "core/mask/evaluate.h"

#include <algorithm>

#include "core/mask/machine.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

using namespace mask;

/// With ones in front until there are four axes.
Tensor in_four_axes(const Tensor& tensor) {
  Shape shape = tensor.shape();
  while (shape.size() < 4) shape.insert(shape.begin(), 1);
  return tensor.view(shape);
}

std::size_t position_of(const MaskExpression& expression, std::string_view pattern) {
  for (const PatternCall& call : expression.pattern_calls()) {
    if (call.pattern->name == pattern) return call.begin;
  }
  return 0;
}

Tensor mask_input(const MaskExpression& expression, std::string_view pattern, const Tensor* tensor,
                  const MaskContext& context, const std::string& missing, const std::string& expected) {
  if (!expression.calls(pattern)) return {};
  const std::size_t position = position_of(expression, pattern);
  if (!tensor || !tensor->defined()) throw ExpressionError(position, missing, expected);
  const Shape whole = {context.batch, context.heads, context.n_q, context.n_k};
  if (!broadcastable(tensor->shape(), whole)) {
    throw ExpressionError(position, std::string(pattern) + "() has the shape " + to_string(tensor->shape()),
                          "expected one that broadcasts to [B, H, n_q, n_k] = " + to_string(whole));
  }
  return in_four_axes(*tensor);
}

Tensor valid_lens_input(const MaskExpression& expression, const MaskContext& context) {
  if (!expression.calls("padding")) return {};
  const std::size_t position = position_of(expression, "padding");
  const Tensor* lens = context.valid_lens;
  if (!lens || !lens->defined()) {
    throw ExpressionError(position, "padding() has no valid lengths here",
                          "expected valid_lens [B] or [B, n_q] in the file or the scenario");
  }
  if (lens->shape() == Shape{context.batch}) return lens->view({context.batch, 1, 1, 1});
  if (lens->shape() == Shape{context.batch, context.n_q}) return lens->view({context.batch, 1, context.n_q, 1});
  throw ExpressionError(position, "valid_lens has the shape " + to_string(lens->shape()),
                        "expected [B] or [B, n_q] = " + to_string({context.batch, context.n_q}));
}

/// An axis of length one is one that the mask does not depend on.
std::uint8_t depends_of(const Tensor& tensor) {
  if (!tensor.defined()) return on_nothing;
  return static_cast<std::uint8_t>((tensor.size(0) > 1 ? on_b : 0) | (tensor.size(1) > 1 ? on_h : 0) |
                                   (tensor.size(2) > 1 ? on_q : 0) | (tensor.size(3) > 1 ? on_k : 0));
}

void write_row(const Register& result, float* row, std::size_t n_k) {
  if (!result.wide) {
    std::fill_n(row, n_k, static_cast<float>(result.truths[0]));
  } else {
    std::transform(result.truths.begin(), result.truths.end(), row, [](std::uint8_t x) { return static_cast<float>(x); });
  }
}

}  // namespace

Tensor evaluate(const MaskExpression& expression, const MaskContext& context) {
  const MaskInputs inputs = {valid_lens_input(expression, context),
                             mask_input(expression, "file", context.file_mask, context,
                                        "file() has no mask here", "expected a file that holds a mask"),
                             mask_input(expression, "painted", context.painted, context,
                                        "painted() has no mask here", "expected a mask that was painted")};
  const VariableDepends depends = {on_q, on_k, on_b, on_h, 0, 0, depends_of(inputs.valid_lens),
                                   depends_of(inputs.file_mask), depends_of(inputs.painted)};
  Machine machine(compile(expression.root(), depends), inputs, context);
  const std::uint8_t result_depends = machine.program().depends;
  const Index batch = result_depends & on_b ? context.batch : 1;
  const Index heads = result_depends & on_h ? context.heads : 1;

  Buffer values(static_cast<std::size_t>(batch * heads * context.n_q * context.n_k));
  if (values.empty()) return Tensor({batch, heads, context.n_q, context.n_k}, {});
  const auto n_k = static_cast<std::size_t>(context.n_k);
  float* row = values.data();
  machine.enter(Loop::none, 0);
  for (Index b = 0; b < batch; ++b) {
    machine.enter(Loop::batch, b);
    for (Index h = 0; h < heads; ++h) {
      machine.enter(Loop::head, h);
      for (Index q = 0; q < context.n_q; ++q, row += n_k) {
        if (context.stop.stop_requested()) throw Cancelled();
        machine.enter(Loop::row, q);
        write_row(machine.result(), row, n_k);
      }
    }
  }
  return Tensor({batch, heads, context.n_q, context.n_k}, std::move(values));
}

}  // namespace headlight
