#include "ui/views/lessons/answers.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <tuple>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/compute/training/settings.h"

namespace headlight {
namespace {

double number_of(const Question& question, const Trace& trace, const Compared* compared) {
  if (!question.measure || is_of_run(question.measure->take)) return question.number;
  if (question.measure->wrong && compared)
    return measured(*question.measure, with_stages(*compared->trace, compared->own));
  return measured(*question.measure, trace);
}

bool same_mask(const std::string& typed, const std::string& right, const Trace& trace) {
  try {
    const Tensor a = allowed_cells(typed, trace), b = allowed_cells(right, trace);
    return std::equal(a.values().begin(), a.values().end(), b.values().begin());
  } catch (const InputError&) { return false; }
}

std::optional<Stage> first_wrong(const Compared* compared) {
  const StageComparison* first = compared ? compared->comparison.first_difference() : nullptr;
  return first ? std::optional(first->stage) : std::nullopt;
}

}  // namespace

std::string unreadable(const Question& question, const LessonAnswer& answer, const Trace& trace, const Words& words) {
  if (answer.typed.empty()) return {};
  if (question.kind == QuestionKind::number)
    return typed_number(answer.typed) ? std::string() : words.fill("lesson.no_number", {answer.typed});
  if (question.kind != QuestionKind::mask) return {};
  try {
    allowed_cells(answer.typed, trace);
    return {};
  } catch (const InputError& error) {
    return words.fill("lesson.no_mask", {answer.typed, words.translate(error.sentence())});
  }
}

NumberScale scale_of(const Question& question, const Trace& trace, const Compared* compared) {
  NumberScale scale;
  const double right = number_of(question, trace, compared);
  if (question.range) {
    std::tie(scale.from, scale.to) = *question.range;
  } else {
    // The next power of ten above it, so that many answers have the same scale; for a weight, 1.
    const double size = std::isfinite(right) ? std::abs(right) : 1;
    const bool weight = question.measure && question.measure->of.starts_with("weights:") &&
                        question.measure->minus.empty() && question.measure->take != Taking::count &&
                        question.measure->take != Taking::entropy && question.measure->take != Taking::where_largest;
    scale.to = weight ? 1 : std::pow(10, std::max(0.0, std::ceil(std::log10(std::max(size * 1.2, 1e-3)))));
    scale.from = weight || !question.measure || question.measure->take == Taking::count ||
                         question.measure->take == Taking::entropy || question.measure->take == Taking::deviation
                     ? 0
                     : -scale.to;
    if (right < 0) scale.from = -scale.to;
  }
  const double span = scale.to - scale.from;
  scale.step = std::pow(10, std::floor(std::log10(span / 60)));
  const bool whole = right == std::round(right) && (!question.measure || question.measure->take == Taking::count ||
                                                    question.measure->take == Taking::where_largest);
  if (whole) scale.step = std::max(1.0, scale.step);
  return scale;
}

std::string NumberScale::at(double share) const {
  const double value = std::clamp(from + std::round((to - from) * std::clamp(share, 0.0, 1.0) / step) * step, from, to);
  std::string words =
      formatted("%.*f", std::max(0, static_cast<int>(std::lround(-std::log10(step)))), value == 0 ? 0.0 : value);
  if (words.starts_with("-")) words.replace(0, 1, "−");
  return words;
}

std::vector<std::size_t> shuffled(std::size_t count) {
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < count; ++i) order.push_back((i + 1) % count);
  return order;
}

double row_agreement(const Question& question, const LessonAnswer& answer, const Trace& trace) {
  const std::vector<double> right = row_of(trace, question.measure->of);
  const double sum = std::accumulate(answer.row.begin(), answer.row.end(), 0.0);
  if (answer.row.size() != right.size() || sum <= 0) return 0;
  double apart = 0;
  for (std::size_t i = 0; i < right.size(); ++i)
    apart += std::abs(static_cast<double>(answer.row[i]) / sum - right[i]) / 2;
  return 1 - apart;
}

std::vector<bool> allowed_cells(const std::string& expression, const Trace& trace, Index batch, Index head) {
  try {
    const Tensor mask = allowed_cells(expression, trace);
    const MatrixView may = mask.matrix(batch, head);
    std::vector<bool> cells;
    for (Index q = 0; q < may.rows; ++q) {
      for (Index k = 0; k < may.cols; ++k) cells.push_back(may(q, k) != 0);
    }
    return cells;
  } catch (const InputError&) { return {}; }
}

Index painted_entry(const Question& question, const Trace& trace) {
  const Index entries = trace.dims().batch;
  for (Index b = 0; b < entries && entries > 1; ++b) {
    const std::vector<bool> cells = allowed_cells(question.mask, trace, b, 0);
    if (std::ranges::find(cells, false) != cells.end()) return b;
  }
  return 0;
}

bool is_right(const Question& question, const LessonAnswer& answer, const Trace& trace, const Compared* compared) {
  switch (question.kind) {
    case QuestionKind::choice: return answer.chosen == question.right;
    case QuestionKind::order:
      for (std::size_t i = 0; i < question.choices.size(); ++i) {
        if (i >= answer.ordered.size() || answer.ordered[i] != i) return false;
      }
      return true;
    case QuestionKind::number: {
      const auto typed = typed_number(answer.typed);
      return typed && std::abs(*typed - number_of(question, trace, compared)) <= question.tolerance;
    }
    case QuestionKind::mask:
      if (!answer.typed.empty()) return same_mask(answer.typed, question.mask, trace);
      return !answer.cells.empty() &&
             answer.cells == allowed_cells(question.mask, trace, painted_entry(question, trace), 0);
    case QuestionKind::row: return row_agreement(question, answer, trace) >= 1 - question.tolerance;
    case QuestionKind::head: return answer.head == std::pair(question.layer, question.head);
    case QuestionKind::stage: return answer.stage && answer.stage == first_wrong(compared);
  }
  return false;
}

std::string right_answer(const Question& question, const Trace& trace, const std::string& language,
                         const Compared* compared) {
  switch (question.kind) {
    case QuestionKind::choice: return in_language(question.choices[question.right], language);
    case QuestionKind::order: {
      std::string list;
      for (const Texts& choice : question.choices) list += (list.empty() ? "" : " · ") + in_language(choice, language);
      return list;
    }
    case QuestionKind::number: return number_words(number_of(question, trace, compared));
    case QuestionKind::mask: return question.mask;
    case QuestionKind::row: {
      std::string list;
      for (const double share : row_of(trace, question.measure->of)) {
        list += (list.empty() ? "" : "  ") + formatted("%.2f", share);
      }
      return list;
    }
    case QuestionKind::head: return "L" + std::to_string(question.layer) + " H" + std::to_string(question.head);
    case QuestionKind::stage: {
      const auto stage = first_wrong(compared);
      return stage ? std::string(name(*stage)) : std::string();
    }
  }
  return {};
}

bool has_missed(const Question& question, const LessonAnswer& answer) {
  if (answer.revealed) return false;
  const bool ordered = !question.choices.empty() && answer.ordered.size() == question.choices.size();
  return answer.chosen || answer.head || answer.stage || ordered;
}

void keep_answer(const Frame& frame, LessonAnswer answer) {
  frame.show([answer = std::move(answer), step = frame.view().lesson.step](View& v) {
    if (v.lesson.step != step) return;
    static_cast<LessonAnswer&>(v.lesson) = answer;
    if (answer.revealed) v.lesson.hidden.clear();
  });
}

void reveal(const Frame& frame, const Question& question, LessonAnswer answer) {
  const Compared* compared = frame.document.own_compared.get();
  if (!is_current(frame.document) || !unreadable(question, answer, *frame.trace(), frame.words).empty())
    return keep_answer(frame, std::move(answer));
  if (question.kind == QuestionKind::stage && !compared) return;
  answer.right = is_right(question, answer, *frame.trace(), compared);
  answer.revealed = answer.right || !has_missed(question, answer) || has_missed(question, frame.view().lesson);
  // Guessed, then tried: the run itself is the answer.
  if (answer.revealed && question.measure && question.measure->take == Taking::accuracy)
    frame.show([until = named_run(question.measure->of).step](View& v) { v.train.until = until; });
  keep_answer(frame, std::move(answer));
}

}  // namespace headlight
