// Questions of lessons: what is right, and what was answered.
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "core/mask/evaluate.h"
#include "core/tensor/error.h"
#include "ui/lessons/lesson_panel.h"

namespace headlight {
namespace {

double number_of(const Question& question, const Trace& trace) {
  return question.measure ? measured(*question.measure, trace) : question.number;
}

/// Cell by cell the same, in the sizes of the trace.
bool same_mask(const std::string& typed, const std::string& right, const Trace& trace) {
  try {
    const Dims& dims = trace.dims();
    MaskContext context;
    context.batch = dims.batch;
    context.heads = dims.heads;
    context.n_q = dims.n_q;
    context.n_k = dims.n_k;
    if (trace.inputs.valid_lens.defined()) context.valid_lens = &trace.inputs.valid_lens;
    const Tensor a = evaluate(MaskExpression::parse(typed), context).expand({dims.batch, dims.heads, dims.n_q, dims.n_k}).contiguous();
    const Tensor b = evaluate(MaskExpression::parse(right), context).expand({dims.batch, dims.heads, dims.n_q, dims.n_k}).contiguous();
    return std::equal(a.values().begin(), a.values().end(), b.values().begin());
  } catch (const InputError&) {
    return false;
  }
}

}  // namespace

std::vector<std::size_t> shuffled(std::size_t count) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < count; ++i) order.push_back((i + 1) % count);
  return order;
}

bool is_right(const Question& question, const LessonProgress& progress, const Trace& trace) {
  switch (question.kind) {
    case QuestionKind::choice:
      return progress.chosen == question.right;
    case QuestionKind::order:
      for (std::size_t i = 0; i < question.choices.size(); ++i) {
        if (i >= progress.ordered.size() || progress.ordered[i] != i) return false;
      }
      return true;
    case QuestionKind::number: {
      char* end = nullptr;
      const double typed = std::strtod(progress.typed.c_str(), &end);
      return end != progress.typed.c_str() && std::abs(typed - number_of(question, trace)) <= question.tolerance;
    }
    case QuestionKind::mask:
      return same_mask(progress.typed, question.mask, trace);
    case QuestionKind::row:
    case QuestionKind::head:
      return false;
  }
  return false;
}

std::string right_answer(const Question& question, const Trace& trace, const std::string& language) {
  switch (question.kind) {
    case QuestionKind::choice:
      return in_language(question.choices[question.right], language);
    case QuestionKind::order: {
      std::string list;
      for (const Texts& choice : question.choices) list += (list.empty() ? "" : " · ") + in_language(choice, language);
      return list;
    }
    case QuestionKind::number: {
      char text[32];
      const double value = number_of(question, trace);
      std::snprintf(text, sizeof text, value == std::round(value) ? "%.0f" : "%.3g", value);
      return text;
    }
    case QuestionKind::mask:
      return question.mask;
    case QuestionKind::row:
    case QuestionKind::head:
      return {};
  }
  return {};
}

}  // namespace headlight
