#include "ui/lessons/lesson_panel.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/scenario/model_layer.h"
#include "core/network/network.h"
#include "ui/imgui_compat.h"
#include "ui/lessons/answers.h"
#include "ui/lessons/prose.h"
#include "ui/lessons/save_answers.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/main_button.h"
#include "ui/widgets/paragraph.h"
#include "ui/widgets/pressable.h"

namespace headlight {
namespace {

/// Down the panel, part after part.
class Column {
 public:
  Column(const Frame& frame, Rect place) : frame_(frame), left_(place.min.x + 22 * frame.u), width_(place.width() - 54 * frame.u) {}  // with room for a scroll bar

  void paragraph(Face face, float points, ImU32 colour, std::string_view text, float inset = 0) {
    const ImVec2 at = here();
    const float pixels = points * frame_.u;
    const float height = draw_paragraph(ImGui::GetWindowDrawList(), frame_.fonts, face, pixels, {left_ + inset, at.y}, colour, text, width_ - 2 * inset);
    advance(height);
  }
  void space(float points) { advance(points * frame_.u); }

  /// Its terms light up what they name.
  ProsePointed prose(const LessonStep& step, float points) {
    struct Prose {
      ProseLayout layout;
    };
    const float pixels = points * frame_.u;
    const std::string& language = frame_.words.language();
    const ProseLayout& layout = frame_.pictures.get<Prose>([&] { return Prose{lay_out_prose(frame_.fonts, step.runs(language), pixels, width_)}; },
                                                           step.text, language, pixels, width_).layout;
    const ProsePointed pointed = draw_prose(frame_, layout, {left_, here().y}, pixels);
    advance(layout.height);
    return pointed;
  }

  /// How far one is, a dash a step; gives the one that was clicked.
  std::optional<std::size_t> dashes(std::size_t step, const Course& course) {
    const std::size_t count = course.steps.size();
    const float u = frame_.u, gap = 4 * u, each = (width_ - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float y = here().y;
    std::optional<std::size_t> clicked;
    for (std::size_t i = 0; i < count; ++i) {
      const float x = left_ + static_cast<float>(i) * (each + gap);
      const LessonAnswer* answer = frame_.view().lesson.answer(i);
      const bool answered = answer && answer->revealed, seen = i < step || i <= frame_.view().lesson.furthest;
      const ImU32 colour = i == step ? frame_.look.ink : answered && answer->right ? frame_.look.v : seen ? frame_.look.after : frame_.look.line;
      ImGui::PushID(static_cast<int>(i));
      ImGui::SetCursorScreenPos({x, y - 6 * u});
      if (pressable(frame_, "step", {each, 16 * u})) clicked = i;
      const float thick = ImGui::IsItemHovered() ? 6 * u : 4 * u;
      ImGui::PopID();
      list.AddRectFilled({x, y}, {x + each, y + thick}, colour, 2 * u);
    }
    ImGui::SetCursorScreenPos({left_, y});
    advance(6 * u);
    return clicked;
  }

  /// A choice in as many lines as it takes; gives whether it was clicked.
  bool choice(const char* id, std::string_view text, bool chosen, ImU32 border, std::string_view mark, Face face = Face::ui) {
    const float u = frame_.u, pad = 11 * u, side = mark.empty() ? 0 : 26 * u;
    const float height = draw_paragraph(nullptr, frame_.fonts, face, 14 * u, {0, 0}, 0, text, width_ - 2 * pad - side) + 2 * pad - 4 * u;
    const ImVec2 at = here();
    ImGui::SetCursorScreenPos({left_, at.y});
    const bool clicked = pressable(frame_, id, {width_, height});
    const bool hot = ImGui::IsItemHovered();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 end{left_ + width_, at.y + height};
    list.AddRectFilled({left_, at.y}, end, hot || chosen ? frame_.look.field : frame_.look.card, 6 * u);
    compat::add_rect(list, {left_, at.y}, end, border, 6 * u, chosen ? 2 * u : 1);
    draw_paragraph(&list, frame_.fonts, face, 14 * u, {left_ + pad, at.y + pad - 2 * u}, frame_.look.ink, text, width_ - 2 * pad - side);
    if (!mark.empty()) draw_text(list, frame_.fonts, Face::bold, 14 * u, {end.x - side, at.y + pad - 2 * u}, border, mark);
    ImGui::SetCursorScreenPos({at.x, at.y});
    advance(height + 8 * u);
    return clicked;
  }

  /// Chips that go on in the next line where they do not fit.
  void begin_chips() { chip_x_ = left_; }
  bool next_chip(const char* id, std::string_view label, bool chosen) {
    const float u = frame_.u, width = text_size(frame_.fonts, Face::ui, 13 * u, label).x + 22 * u;
    if (chip_x_ > left_ && chip_x_ + width > left_ + width_) {
      chip_x_ = left_;
      space(34);
    }
    const float y = here().y;
    ImGui::SetCursorScreenPos({chip_x_, y});
    const bool clicked = chip(frame_, id, label, chosen, width);
    ImGui::SetCursorScreenPos({left_, y});
    chip_x_ += width + 6 * u;
    return clicked;
  }
  void end_chips() { space(36); }

  /// How much of a whole is given away.
  void share(double part) {
    const float u = frame_.u, y = here().y;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    list.AddRectFilled({left_, y}, {left_ + width_, y + 10 * u}, frame_.look.field, 5 * u);
    const float filled = width_ * static_cast<float>(std::min(part, 1.0));
    if (filled > 1) list.AddRectFilled({left_, y}, {left_ + filled, y + 10 * u}, frame_.look.q, 5 * u);
    advance(16 * u);
  }

  /// A knob on a line, at a part of its length; gives where it is dragged to.
  std::optional<double> slider(const char* id, double part, bool set, std::string_view from, std::string_view to, bool live) {
    const float u = frame_.u, knob = 9 * u, y = here().y + 11 * u;
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float first = left_ + knob, length = width_ - 2 * knob;
    const ImVec2 at = here();
    ImGui::SetCursorScreenPos(at);
    ImGui::InvisibleButton(id, {width_, 22 * u});
    const int steps = live && takes_keyboard(frame_) ? keyboard_steps() : 0;
    const bool held = live && ImGui::IsItemActive(), hot = live && ImGui::IsItemHovered();
    list.AddRectFilled({left_, y - 3 * u}, {left_ + width_, y + 3 * u}, frame_.look.field, 3 * u);
    const float x = first + length * static_cast<float>(std::clamp(part, 0.0, 1.0));
    const ImU32 colour = set ? frame_.look.q : frame_.look.muted;
    list.AddCircleFilled({x, y}, knob, frame_.look.card, 24);
    list.AddCircle({x, y}, knob, colour, 24, (hot || held ? 3.5f : 2.5f) * u);
    const float pixels = 13 * u, under = y + 12 * u;
    draw_text(list, frame_.fonts, Face::mono, pixels, {left_, under}, frame_.look.muted, from);
    draw_text(list, frame_.fonts, Face::mono, pixels, {left_ + width_ - text_size(frame_.fonts, Face::mono, pixels, to).x, under}, frame_.look.muted, to);
    ImGui::SetCursorScreenPos(at);
    advance(46 * u);
    if (steps != 0) return std::clamp(part + 0.01 * steps, 0.0, 1.0);
    if (!held) return {};
    return std::clamp(static_cast<double>((ImGui::GetIO().MousePos.x - first) / length), 0.0, 1.0);
  }

  /// For a control of ImGui's own.
  void begin_control() { ImGui::SetCursorScreenPos({left_, here().y}); }
  float width() const { return width_; }

 private:
  static ImVec2 here() { return ImGui::GetCursorScreenPos(); }
  void advance(float height) {
    const ImVec2 at = here();
    ImGui::SetCursorScreenPos({left_, at.y});
    ImGui::Dummy({1, height});
    ImGui::SetCursorScreenPos({left_, at.y + height});
  }

  const Frame& frame_;
  float left_, width_, chip_x_ = 0;
};

void keep(const Frame& frame, LessonProgress progress) {
  frame.show([progress = std::move(progress)](View& v) { v.lesson = progress; });
}

void draw_choices(const Frame& frame, const Question& question, Column& column) {
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
    if (!column.choice(id.c_str(), in_language(question.choices[i], frame.words.language()), chosen, border, mark) || now.revealed) continue;
    LessonProgress next = now;
    if (!order) {
      next.chosen = i;
      reveal(frame, question, std::move(next));
    } else if (chosen) {  // from here on anew
      next.ordered.erase(next.ordered.begin() + (picked - now.ordered.begin()), next.ordered.end());
      keep(frame, std::move(next));
    } else {
      next.ordered.push_back(i);
      next.ordered.size() == question.choices.size() ? reveal(frame, question, std::move(next)) : keep(frame, std::move(next));
    }
  }
}

void draw_typed(const Frame& frame, const Question& question, Column& column) {
  const LessonProgress& now = frame.view().lesson;
  column.begin_control();
  ImGui::PushItemWidth(column.width());
  const char* hint = question.kind == QuestionKind::mask ? "q k b h" : "";
  if (auto typed = text_field(frame, "##answer", now.typed, Face::mono, false, hint); typed && !now.revealed) {
    LessonProgress next = now;
    next.typed = std::move(*typed);
    if (!next.typed.empty()) next.cells.clear();  // what was typed last is meant
    next.typed.empty() ? keep(frame, std::move(next)) : reveal(frame, question, std::move(next));
  }
  ImGui::PopItemWidth();
  column.space(8);
  if (question.kind != QuestionKind::number) return;
  // Dragged it stands in the field, and is an answer once one says so.
  const NumberScale scale = scale_of(question, *frame.trace(), frame.document.beside.get());
  const std::optional<double> said = typed_number(now.typed);
  const double part = (said.value_or((scale.from + scale.to) / 2) - scale.from) / (scale.to - scale.from);
  if (const auto to = column.slider("##number", part, said.has_value(), scale.at(0), scale.at(1), !now.revealed)) {
    if (std::string words = scale.at(*to); words != now.typed) {
      frame.show([words = std::move(words)](View& v) { v.lesson.typed = words; });
    }
  }
}

void draw_row(const Frame& frame, Column& column) {
  const LessonProgress& now = frame.view().lesson;
  const double sum = std::accumulate(now.row.begin(), now.row.end(), 0.0);
  char text[16];
  std::snprintf(text, sizeof text, "%.2f", sum);
  column.paragraph(Face::ui, 13, frame.look.muted, frame.words.fill("lesson.shared", {text}));
  column.space(6);
  column.share(sum);
}

/// Heads of all layers, or of the one there is.
void draw_head_choices(const Frame& frame, const Question& question, Column& column) {
  const LessonProgress& now = frame.view().lesson;
  const auto pass = network_of(frame.trace()->inputs);
  const auto layers = static_cast<Index>(pass ? pass->network->layers().size() : 1);
  for (Index layer = 0; layer < layers; ++layer) {
    const Index heads = pass ? pass->network->layers()[static_cast<std::size_t>(layer)].heads : frame.trace()->dims().heads;
    column.begin_chips();
    for (Index head = 0; head < heads; ++head) {
      const std::string label = "L" + std::to_string(layer) + " H" + std::to_string(head);
      const bool right = now.revealed && layer == question.layer && head == question.head;
      const bool chosen = right || now.head == std::pair(layer, head);
      if (!column.next_chip(label.c_str(), right ? label + " ✓" : label, chosen) || now.revealed) continue;
      LessonProgress next = now;
      next.head = {layer, head};
      reveal(frame, question, std::move(next));
    }
    column.end_chips();
  }
}

/// The stages that somebody's numbers hold, in the order of computation.
void draw_stage_choices(const Frame& frame, const Question& question, Column& column) {
  const LessonProgress& now = frame.view().lesson;
  const Beside* beside = frame.document.beside.get();
  if (!beside) return;
  const StageComparison* first = beside->comparison.first_difference();
  column.begin_chips();
  for (const StageComparison& stage : beside->comparison.stages) {
    if (!stage.own) continue;
    const std::string label(name(stage.stage));
    const bool right = now.revealed && first && first->stage == stage.stage;
    if (!column.next_chip(label.c_str(), right ? label + " ✓" : label, right || now.stage == stage.stage) || now.revealed) continue;
    LessonProgress next = now;
    next.stage = stage.stage;
    reveal(frame, question, std::move(next));
  }
  column.end_chips();
}

void draw_answer_fields(const Frame& frame, const Question& question, Column& column) {
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

/// What was said beside what is so, kindly.
std::string verdict_of(const Frame& frame, const Question& question, const LessonProgress& now) {
  const std::string answer = right_answer(question, *frame.trace(), frame.words.language(), frame.document.beside.get());
  if (question.kind == QuestionKind::row && !now.row.empty()) {
    const int share = static_cast<int>(std::lround(100 * row_agreement(question, now, *frame.trace())));
    return frame.words.fill(now.right ? "lesson.row_right" : "lesson.row_other", {std::to_string(share)});
  }
  LessonAnswer nothing;
  nothing.revealed = true;
  const bool tried = !(static_cast<const LessonAnswer&>(now) == nothing);
  if (question.kind == QuestionKind::row) return frame.words("lesson.row_shown");
  if (now.right) return frame.words("lesson.right");
  return frame.words.fill(tried ? "lesson.other" : "lesson.it_is", {answer});
}

void draw_question(const Frame& frame, const Question& question, Column& column) {
  const std::string& language = frame.words.language();
  const LessonProgress& now = frame.view().lesson;
  column.paragraph(Face::bold, 13, frame.look.after, frame.words("lesson.question"));
  column.space(4);
  column.paragraph(Face::ui, 15, frame.look.ink, in_language(question.ask, language));
  column.space(10);
  if (!frame.trace()) return;
  draw_answer_fields(frame, question, column);
  if (!now.revealed) {
    const bool made = !now.row.empty() || !now.cells.empty() || (question.kind == QuestionKind::number && !now.typed.empty());  // with the pointer: it is for the person to say when it is done
    column.begin_control();
    if (made ? main_button(frame, "show", frame.words("lesson.check")) : chip(frame, "show", frame.words("lesson.show"), false)) reveal(frame, question, now);
    return column.space(8);
  }
  column.paragraph(Face::bold, 15, now.right ? frame.look.v : frame.look.ink, verdict_of(frame, question, now));
  column.space(4);
  column.paragraph(Face::ui, 14, frame.look.muted, in_language(question.why, language));
  column.space(8);
}

/// What may be changed here.
void draw_controls_of(const Frame& frame, Column& column, DrawControl draw_control) {
  const LessonProgress& now = frame.view().lesson;
  for (const std::string& key : now.controls) {
    column.begin_control();
    const std::size_t before = frame.actions.size();
    draw_control(frame, key);
    for (std::size_t i = before; i < frame.actions.size(); ++i) {
      if (auto* edit = std::get_if<EditScenario>(&frame.actions[i])) edit->gesture = lesson_gesture(key);
    }
    column.space(8);
  }
  if (!now.locked) return;
  column.paragraph(Face::ui, 13, frame.look.muted, frame.words(now.controls.empty() ? "lesson.all_locked" : "lesson.others_locked"));
  column.space(8);
}

/// Where other words stand in the picture than the text is of, it says so, and its own can be had back.
void draw_other_words(const Frame& frame, const LessonStep& step, std::size_t number, Column& column) {
  const Scenario& now = frame.document.scenario;
  const Scenario& its = step.pose.scenario;
  if (now.source == its.source && now.text == its.text && now.file == its.file) return;
  column.paragraph(Face::ui, 14, frame.look.warning, frame.words("lesson.other_words"));
  column.space(6);
  column.begin_control();
  if (chip(frame, "its_words", frame.words("lesson.its_words"), false)) frame.actions.push_back(GoToStep{number});
  column.space(14);
}

void draw_ways_on(const Frame& frame, const Course& course, std::size_t number, Column& column) {
  column.begin_control();
  const bool last = number + 1 == course.steps.size();
  if (number > 0) {
    if (chip(frame, "back", frame.words("lesson.back"), false)) frame.actions.push_back(GoToStep{number - 1});
    if (!last) ImGui::SameLine();
  }
  if (!last && main_button(frame, "next", frame.words("lesson.next"))) frame.actions.push_back(GoToStep{number + 1});
  column.space(8);
  column.begin_control();
  if (last ? main_button(frame, "all", frame.words("lesson.all")) : chip(frame, "all", frame.words("lesson.all"), false)) {
    frame.show([](View& v) { v.kind = ViewKind::lesson; });
  }
  if (frame.view().lesson.furthest > 0) {
    ImGui::SameLine();
    if (chip(frame, "anew", frame.words("lesson.anew"), false)) frame.actions.push_back(ResetLessons{});
  }
  if (!course.steps[number].notes.empty()) {
    ImGui::SameLine();
    if (chip(frame, "notes", frame.words("lesson.notes"), frame.view().lesson.notes)) frame.show([](View& v) { v.lesson.notes = !v.lesson.notes; });
  }
  column.space(8);
  column.begin_control();
  if (chip(frame, "save_answers", frame.words("lesson.save_answers"), frame.view().saving_answers.has_value())) toggle_saving_answers(frame);
  if (frame.view().saving_answers) {
    column.space(8);
    draw_saving_answers(frame, ImGui::GetCursorScreenPos(), column.width());
  }
}

}  // namespace

std::string lesson_gesture(const std::string& key) { return "lesson." + key; }

const Course* open_course(const Document& document, Pictures& pictures) {
  const std::string& file = document.origin.lesson.course;
  if (file.empty()) return nullptr;
  struct Open {
    Course course;
  };
  return &pictures.get<Open>([&] { return Open{read_course(file)}; }, file).course;
}

std::string course_text(const Course& course, const std::string& language) {
  std::string all = in_language(course.card.title, language) + "✓·";
  for (const LessonStep& step : course.steps) {
    all += step.prose(language) + in_language(step.notes, language);
    if (!step.question) continue;
    all += in_language(step.question->ask, language) + in_language(step.question->why, language) + step.question->mask;
    for (const Texts& choice : step.question->choices) all += in_language(choice, language);
  }
  if (course.bug) {
    for (const auto* lines : {&course.bug->code, &course.bug->mended}) {
      for (const std::string& line : *lines) all += line;
    }
  }
  return all;
}

void draw_lesson_panel(const Frame& frame, const Course& course, Rect place, DrawControl draw_control) {
  const PanelArea area(frame, "lesson", place.min, place.max, frame.look.panel, {22, 18}, PanelArea::Kind::scrolling);
  ImGui::GetWindowDrawList()->AddLine({place.max.x - 1, place.min.y}, {place.max.x - 1, place.max.y}, frame.look.line);
  const std::size_t number = std::min(frame.view().lesson.step, course.steps.size() - 1);
  const LessonStep& step = course.steps[number];
  const std::string& language = frame.words.language();
  Column column(frame, place);
  column.paragraph(Face::bold, 13, frame.look.muted, frame.words.fill("lesson.step", {std::to_string(number + 1), std::to_string(course.steps.size())}));
  column.space(8);
  if (const auto clicked = column.dashes(number, course)) frame.actions.push_back(GoToStep{*clicked});
  column.space(14);
  column.paragraph(Face::bold, 20, frame.look.ink, in_language(course.card.title, language));
  column.space(12);
  const ProsePointed pointed = column.prose(step, 16);
  if (pointed.stage != frame.view().lesson.pointed) frame.show([stage = pointed.stage](View& v) { v.lesson.pointed = stage; });
  if (pointed.cell && ImGui::IsMouseClicked(ImGuiMouseButton_Left) && frame.trace() && frame.trace()->has(pointed.cell->stage)) {
    frame.show([cell = *pointed.cell](View& v) {
      v.selected = cell;
      v.batch = cell.batch;
      v.head = cell.head;
      v.path.clear();
    });
  }
  column.space(14);
  draw_other_words(frame, step, number, column);
  draw_controls_of(frame, column, draw_control);
  if (step.question) draw_question(frame, *step.question, column);
  column.space(8);
  draw_ways_on(frame, course, number, column);
  column.space(24);
}

}  // namespace headlight
