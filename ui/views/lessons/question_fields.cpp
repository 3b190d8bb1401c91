#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/text/number_text.h"
#include "core/compute/network/network.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/look/measure.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/lessons/answers.h"
#include "ui/views/lessons/panel_column.h"

namespace headlight {
namespace {

void draw_choices(const Frame& frame, const Question& question, PanelColumn& column) {
  const LessonProgress& now = frame.view().lesson;
  const bool order = question.kind == QuestionKind::order;
  const std::vector<std::size_t> places = order ? shuffled(question.choices.size()) : std::vector<std::size_t>{};
  for (std::size_t n = 0; n < question.choices.size(); ++n) {
    const std::size_t i = order ? places[n] : n;
    const auto picked = std::ranges::find(now.ordered, i);
    const bool chosen = order ? picked != now.ordered.end() : now.chosen == i;
    const bool right = now.revealed && (order || i == question.right);
    std::string mark;
    if (order && chosen) mark = std::to_string(picked - now.ordered.begin() + 1);
    if (now.revealed) mark = order ? std::to_string(i + 1) : right ? "✓" : "";
    const ImU32 border = right ? frame.look.v : chosen ? frame.look.accent : frame.look.line;
    const std::string id = "choice" + std::to_string(i);
    if (!column.choice(id.c_str(), in_language(question.choices[i], frame.words.language()), chosen, border, mark) ||
        now.revealed)
      continue;
    LessonAnswer next = now;
    if (!order) {
      next.chosen = i;
      reveal(frame, question, std::move(next));
    } else if (chosen) {  // this choice and all later ones are made again
      next.ordered.erase(next.ordered.begin() + (picked - now.ordered.begin()), next.ordered.end());
      keep_answer(frame, std::move(next));
    } else {
      next.ordered.push_back(i);
      next.ordered.size() == question.choices.size() ? reveal(frame, question, std::move(next))
                                                     : keep_answer(frame, std::move(next));
    }
  }
}

/// unreadable() of the answer so far.
const std::string& trouble_of(const Frame& frame, const Question& question) {
  const LessonProgress& now = frame.view().lesson;
  const auto read = [&] {
    return now.revealed ? std::string() : unreadable(question, now, *frame.trace(), frame.words);
  };
  return frame.kept(read, now.typed, now.step, now.revealed);
}

void draw_typed(const Frame& frame, const Question& question, PanelColumn& column) {
  const LessonProgress& now = frame.view().lesson;
  column.begin_control();
  ImGui::PushItemWidth(column.width());
  const char* hint = question.kind == QuestionKind::mask ? "q k b h" : "";
  if (auto typed = text_field(frame, "##answer", now.typed, Face::mono, false, hint); typed && !now.revealed) {
    LessonAnswer next = now;
    next.typed = std::move(*typed);
    if (!next.typed.empty()) next.cells.clear();  // the typed mask replaces the painted one
    next.typed.empty() ? keep_answer(frame, std::move(next)) : reveal(frame, question, std::move(next));
  }
  ImGui::PopItemWidth();
  column.space(8);
  if (const std::string& trouble = trouble_of(frame, question); !trouble.empty()) {
    column.paragraph(Face::ui, TypeSize::body, frame.look.warning, trouble);
    column.space(6);
  }
  if (question.kind != QuestionKind::number) return;
  // The slider only fills the field; the answer is given by the button.
  const NumberScale scale = scale_of(question, *frame.trace(), frame.document.own_compared.get());
  const std::optional<double> typed = typed_number(now.typed);
  const double part = (typed.value_or((scale.from + scale.to) / 2) - scale.from) / (scale.to - scale.from);
  if (const auto to = column.slider("##number", part, typed.has_value(), scale.at(0), scale.at(1), !now.revealed)) {
    if (std::string words = scale.at(*to); words != now.typed) {
      frame.show([words = std::move(words)](View& v) { v.lesson.typed = words; });
    }
  }
}

/// How far a run will come is also guessed in its picture, by dragging a line: the field follows it, and it the field.
void follow_guess(const Frame& frame, const Question& question) {
  if (!question.measure || question.measure->take != Taking::accuracy) return;
  struct Last {
    std::string typed;
    std::optional<float> drawn;
  };
  const LessonProgress& now = frame.view().lesson;
  const std::optional<float>& drawn = frame.view().train.guess;
  Last& last = frame.pictures.get<Last>([] { return Last{}; }, now.step, frame.document.origin.opening);
  if (now.typed != last.typed || now.revealed) {
    const std::optional<double> typed = typed_number(now.typed);
    const auto guess = typed && *typed >= 0 && *typed <= 1 ? std::optional(static_cast<float>(*typed)) : std::nullopt;
    if (guess != drawn) frame.show([guess](View& v) { v.train.guess = guess; });
  } else if (drawn && drawn != last.drawn) {
    frame.show([typed = formatted("%.2f", static_cast<double>(*drawn))](View& v) { v.lesson.typed = typed; });
  }
  last = {now.typed, drawn};
}

void draw_row(const Frame& frame, PanelColumn& column) {
  const LessonProgress& now = frame.view().lesson;
  const double sum = std::accumulate(now.row.begin(), now.row.end(), 0.0);
  column.paragraph(Face::ui, TypeSize::body, frame.look.muted,
                   frame.words.fill("lesson.shared", {formatted("%.2f", sum)}));
  column.space(6);
  column.share(sum);
}

/// A chip for each head of all layers.
void draw_head_choices(const Frame& frame, const Question& question, PanelColumn& column) {
  const LessonProgress& now = frame.view().lesson;
  const auto pass = network_of(frame.trace()->inputs);
  const auto layers = static_cast<Index>(pass ? pass->network->layers().size() : 1);
  for (Index layer = 0; layer < layers; ++layer) {
    const Index heads =
        pass ? pass->network->layers()[static_cast<std::size_t>(layer)].heads : frame.trace()->dims().heads;
    column.begin_chips();
    for (Index head = 0; head < heads; ++head) {
      const std::string label = "L" + std::to_string(layer) + " H" + std::to_string(head);
      const bool right = now.revealed && layer == question.layer && head == question.head;
      const bool chosen = right || now.head == std::pair(layer, head);
      if (!column.next_chip(label.c_str(), right ? label + " ✓" : label, chosen) || now.revealed) continue;
      LessonAnswer next = now;
      next.head = {layer, head};
      reveal(frame, question, std::move(next));
    }
    column.end_chips();
  }
}

/// A chip for each stage that the compared numbers have, in the order of computation.
void draw_stage_choices(const Frame& frame, const Question& question, PanelColumn& column) {
  const LessonProgress& now = frame.view().lesson;
  const Compared* compared = frame.document.own_compared.get();
  if (!compared) return;
  const StageComparison* first = compared->comparison.first_difference();
  column.begin_chips();
  for (const StageComparison& stage : compared->comparison.stages) {
    if (!stage.own) continue;
    const std::string label(name(stage.stage));
    const bool right = now.revealed && first && first->stage == stage.stage;
    if (!column.next_chip(label.c_str(), right ? label + " ✓" : label, right || now.stage == stage.stage) ||
        now.revealed)
      continue;
    LessonAnswer next = now;
    next.stage = stage.stage;
    reveal(frame, question, std::move(next));
  }
  column.end_chips();
}

void draw_answer_fields(const Frame& frame, const Question& question, PanelColumn& column) {
  switch (question.kind) {
    case QuestionKind::choice:
    case QuestionKind::order: return draw_choices(frame, question, column);
    case QuestionKind::number:
    case QuestionKind::mask: return draw_typed(frame, question, column);
    case QuestionKind::row: return draw_row(frame, column);
    case QuestionKind::head: return draw_head_choices(frame, question, column);
    case QuestionKind::stage: return draw_stage_choices(frame, question, column);
  }
}

/// Whether the answer was right, and the right answer.
std::string verdict_of(const Frame& frame, const Question& question, const LessonProgress& now) {
  const std::string answer =
      right_answer(question, *frame.trace(), frame.words.language(), frame.document.own_compared.get());
  if (question.kind == QuestionKind::row && !now.row.empty()) {
    const int share = static_cast<int>(std::lround(100 * row_agreement(question, now, *frame.trace())));
    return frame.words.fill(now.right ? "lesson.row_right" : "lesson.row_other", {share});
  }
  LessonAnswer nothing;
  nothing.revealed = true;
  const bool tried = !(static_cast<const LessonAnswer&>(now) == nothing);
  if (question.kind == QuestionKind::row) return frame.words("lesson.row_shown");
  if (now.right) return frame.words("lesson.right");
  return frame.words.fill(tried ? "lesson.other" : "lesson.it_is", {answer});
}

}  // namespace

void draw_question(const Frame& frame, const Question& question, PanelColumn& column) {
  const std::string& language = frame.words.language();
  const LessonProgress& now = frame.view().lesson;
  column.paragraph(Face::bold, TypeSize::body, frame.look.after, frame.words("lesson.question"));
  column.space(4);
  column.paragraph(Face::ui, TypeSize::story, frame.look.ink, in_language(question.ask, language));
  column.space(10);
  const Scenario &wanted = frame.document.scenario, &shown = frame.document.computed;
  const bool same_words = wanted.source == shown.source && wanted.file == shown.file && wanted.layer == shown.layer &&
                          wanted.text == shown.text;
  if (!frame.trace() || !same_words) return;  // the numbers of the question are not computed yet
  follow_guess(frame, question);
  draw_answer_fields(frame, question, column);
  if (!now.revealed) {
    if (has_missed(question, now)) {
      column.paragraph(Face::bold, TypeSize::large, frame.look.ink, frame.words("lesson.again"));
      column.space(6);
    }
    // Answers that are dragged or painted are finished when the button says so.
    const bool readable = trouble_of(frame, question).empty();
    const bool made = !now.row.empty() || !now.cells.empty() ||
                      (question.kind == QuestionKind::number && !now.typed.empty() && readable);
    column.begin_control();
    LessonAnswer answer = now;
    if (!readable) answer.typed.clear();  // "Show me" is no answer
    if (made ? main_button(frame, "show", frame.words("lesson.check"))
             : chip(frame, "show", frame.words("lesson.show"), false))
      reveal(frame, question, std::move(answer));
    return column.space(8);
  }
  column.paragraph(Face::bold, TypeSize::story, now.right ? frame.look.v : frame.look.ink,
                   verdict_of(frame, question, now));
  column.space(4);
  column.paragraph(Face::ui, TypeSize::large, frame.look.muted, in_language(question.why, language));
  column.space(8);
}

}  // namespace headlight
