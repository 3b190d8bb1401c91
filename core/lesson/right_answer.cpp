#include "core/lesson/right_answer.h"

#include <cmath>
#include <cstdio>

#include "core/mask/evaluate.h"

namespace headlight {

std::string number_words(double value) {
  char text[32];
  std::snprintf(text, sizeof text, value == std::round(value) ? "%.0f" : "%.3g", value);
  std::string words = text;
  if (words.starts_with("-")) words.replace(0, 1, "−");
  return words;
}

Tensor allowed_cells(const std::string& expression, const Trace& trace) {
  const Dims& dims = trace.dims();
  MaskContext context;
  context.batch = dims.batch;
  context.heads = dims.heads;
  context.n_q = dims.n_q;
  context.n_k = dims.n_k;
  context.valid_lens = trace.inputs.valid_lens;
  context.grid = trace.inputs.grid;
  return evaluate(MaskExpression::parse(expression), context)
      .expand({dims.batch, dims.heads, dims.n_q, dims.n_k})
      .contiguous();
}

}  // namespace headlight
