#include "ui/lessons/lesson_panel.h"

#include <algorithm>

#include "ui/imgui_compat.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/main_button.h"
#include "ui/widgets/paragraph.h"

namespace headlight {
namespace {

/// Down the panel, part after part.
class Column {
 public:
  Column(const Frame& frame, Rect place) : frame_(frame), left_(place.min.x + 22 * frame.u), width_(place.width() - 44 * frame.u) {}

  void paragraph(Face face, float points, ImU32 colour, std::string_view text, float inset = 0) {
    const ImVec2 at = here();
    const float pixels = points * frame_.u;
    const float height = draw_paragraph(ImGui::GetWindowDrawList(), frame_.fonts, face, pixels, {left_ + inset, at.y}, colour, text, width_ - 2 * inset);
    advance(height);
  }
  void space(float points) { advance(points * frame_.u); }

  /// How far one is, a dash a step.
  void dashes(std::size_t step, std::size_t count) {
    const float u = frame_.u, gap = 4 * u, each = (width_ - gap * static_cast<float>(count - 1)) / static_cast<float>(count);
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float y = here().y;
    for (std::size_t i = 0; i < count; ++i) {
      const float x = left_ + static_cast<float>(i) * (each + gap);
      list.AddRectFilled({x, y}, {x + each, y + 4 * u}, i < step ? frame_.look.after : i == step ? frame_.look.ink : frame_.look.field, 2 * u);
    }
    advance(4 * u);
  }

  /// A choice in as many lines as it takes; gives whether it was clicked.
  bool choice(const char* id, std::string_view text, bool chosen, ImU32 border, std::string_view mark) {
    const float u = frame_.u, pad = 11 * u, side = mark.empty() ? 0 : 26 * u;
    const float height = draw_paragraph(nullptr, frame_.fonts, Face::ui, 14 * u, {0, 0}, 0, text, width_ - 2 * pad - side) + 2 * pad - 4 * u;
    const ImVec2 at = here();
    ImGui::SetCursorScreenPos({left_, at.y});
    const bool clicked = ImGui::InvisibleButton(id, {width_, height});
    const bool hot = ImGui::IsItemHovered() || ImGui::IsItemFocused();
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 end{left_ + width_, at.y + height};
    list.AddRectFilled({left_, at.y}, end, hot || chosen ? frame_.look.field : frame_.look.card, 6 * u);
    compat::add_rect(list, {left_, at.y}, end, border, 6 * u, chosen ? 2 * u : 1);
    draw_paragraph(&list, frame_.fonts, Face::ui, 14 * u, {left_ + pad, at.y + pad - 2 * u}, frame_.look.ink, text, width_ - 2 * pad - side);
    if (!mark.empty()) draw_text(list, frame_.fonts, Face::bold, 14 * u, {end.x - side, at.y + pad - 2 * u}, border, mark);
    ImGui::SetCursorScreenPos({at.x, at.y});
    advance(height + 8 * u);
    return clicked;
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
  float left_, width_;
};

/// A step towards the answer; once it is known nothing is hidden any more.
void answer(const Frame& frame, std::function<void(LessonProgress&)> change) {
  frame.show([change = std::move(change)](View& v) {
    change(v.lesson);
    if (v.lesson.revealed) v.lesson.hidden.clear();
  });
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
    answer(frame, [order, i, count = question.choices.size()](LessonProgress& next) {
      if (!order) {
        next.chosen = i;
        next.revealed = true;
      } else if (std::ranges::find(next.ordered, i) == next.ordered.end()) {
        next.ordered.push_back(i);
        next.revealed = next.ordered.size() == count;
      }
    });
  }
}

void draw_typed(const Frame& frame, const Question& question, Column& column) {
  const LessonProgress& now = frame.view().lesson;
  column.begin_control();
  ImGui::PushItemWidth(column.width());
  const Face face = Face::mono;
  const char* hint = question.kind == QuestionKind::mask ? "q k b h" : "";
  if (auto typed = text_field(frame, "##answer", now.typed, face, false, hint); typed && !now.revealed) {
    answer(frame, [typed = std::move(*typed)](LessonProgress& next) {
      next.typed = typed;
      next.revealed = !typed.empty();
    });
  }
  ImGui::PopItemWidth();
  column.space(8);
}

void draw_question(const Frame& frame, const Question& question, Column& column) {
  const std::string& language = frame.words.language();
  const LessonProgress& now = frame.view().lesson;
  column.paragraph(Face::bold, 13, frame.look.after, frame.words("lesson.question"));
  column.space(4);
  column.paragraph(Face::ui, 15, frame.look.ink, in_language(question.ask, language));
  column.space(10);
  const bool lists = question.kind == QuestionKind::choice || question.kind == QuestionKind::order;
  lists ? draw_choices(frame, question, column) : draw_typed(frame, question, column);
  if (!now.revealed) {
    column.begin_control();
    if (chip(frame, "show", frame.words("lesson.show"), false)) {
      answer(frame, [](LessonProgress& next) { next.revealed = true; });
    }
    return column.space(8);
  }
  if (!frame.trace()) return;
  const bool tried = now.chosen || !now.ordered.empty() || !now.typed.empty();
  const bool right = is_right(question, now, *frame.trace());
  const std::string answer = right_answer(question, *frame.trace(), language);
  const std::string verdict = right ? frame.words("lesson.right") : frame.words.fill(tried ? "lesson.other" : "lesson.it_is", {answer});
  column.paragraph(Face::bold, 15, right ? frame.look.v : frame.look.ink, verdict);
  column.space(4);
  column.paragraph(Face::ui, 14, frame.look.muted, in_language(question.why, language));
  column.space(8);
}

/// The panel's buttons; the scenario of another step is another scenario, so undo goes back through it.
void go_to(const Frame& frame, const Course& course, std::size_t step) {
  const LessonStep& next = course.steps[step];
  frame.edit({}, [scenario = next.pose.scenario](Scenario& s) { s = scenario; });
  frame.show([next, step](View& v) { v = posed(std::move(v), next, step); });
}

}  // namespace

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
    all += step.prose(language);
    if (!step.question) continue;
    all += in_language(step.question->ask, language) + in_language(step.question->why, language) + step.question->mask;
    for (const Texts& choice : step.question->choices) all += in_language(choice, language);
  }
  return all;
}

void draw_lesson_panel(const Frame& frame, const Course& course, Rect place) {
  const PanelArea area(frame, "lesson", place.min, place.max, frame.look.panel, {22, 18}, PanelArea::Kind::scrolling);
  ImGui::GetWindowDrawList()->AddLine({place.max.x - 1, place.min.y}, {place.max.x - 1, place.max.y}, frame.look.line);
  const std::size_t number = std::min(frame.view().lesson.step, course.steps.size() - 1);
  const LessonStep& step = course.steps[number];
  const std::string& language = frame.words.language();
  Column column(frame, place);
  column.paragraph(Face::bold, 13, frame.look.muted, frame.words.fill("lesson.step", {std::to_string(number + 1), std::to_string(course.steps.size())}));
  column.space(8);
  column.dashes(number, course.steps.size());
  column.space(16);
  column.paragraph(Face::bold, 20, frame.look.ink, in_language(course.card.title, language));
  column.space(12);
  column.paragraph(Face::ui, 16, frame.look.ink, step.prose(language));
  column.space(18);
  if (step.question) draw_question(frame, *step.question, column);
  column.space(8);
  column.begin_control();
  const bool last = number + 1 == course.steps.size();
  if (number > 0) {
    if (chip(frame, "back", frame.words("lesson.back"), false)) go_to(frame, course, number - 1);
    ImGui::SameLine();
  }
  if (!last) {
    if (main_button(frame, "next", frame.words("lesson.next"))) go_to(frame, course, number + 1);
    ImGui::SameLine();
  }
  if (last ? main_button(frame, "all", frame.words("lesson.all")) : chip(frame, "all", frame.words("lesson.all"), false)) {
    frame.show([](View& v) { v.kind = ViewKind::lesson; });
  }
  column.space(24);
}

}  // namespace headlight
