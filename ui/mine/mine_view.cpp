#include <cstdio>

#include "ui/compare/compare_picture.h"
#include "ui/document/beside.h"
#include "ui/lessons/lesson_panel.h"
#include "ui/look/measure.h"
#include "ui/look/words.h"
#include "ui/mine/mine_picture.h"
#include "ui/widgets/card.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/paragraph.h"
#include "ui/widgets/pressable.h"

namespace headlight {
namespace {

class Drawer {
 public:
  Drawer(const Frame& frame, const MinePicture& picture)
      : frame_(frame),
        beside_(*frame.document.beside),
        picture_(picture),
        list_(*ImGui::GetWindowDrawList()),
        u_(frame.u) {}

  void draw() {
    draw_scene(frame_, list_, picture_.scene);
    if (const SceneTarget* pressed = press_controls(frame_, picture_.scene)) choose(*pressed);
    point();
    if (picture_.report_card.height() > 0) report();
  }

 private:
  void choose(const SceneTarget& target) const {
    frame_.show([beside = frame_.document.beside, stage = target.cell.stage, known = target.index == 1](View& v) {
      if (known) v = with_beside_stage(std::move(v), *beside, stage);
      v.beside = stage;
    });
  }

  /// A cell of any of the three is the same place of all.
  void point() {
    if (picture_.panels.size() != 3) return;
    const Rect& all = picture_.cells;
    ImGui::SetCursorScreenPos(all.min);
    ImGui::InvisibleButton("matrices", {all.width(), all.height()});
    const ImVec2 mouse = ImGui::GetIO().MousePos;
    const HeatPicture* heat = ImGui::IsItemHovered() ? heat_at(picture_.scene, mouse) : nullptr;
    const std::optional<Cell> cell = heat ? cell_in(*heat, mouse) : std::nullopt;
    if (!cell) return;
    const auto at = [&](std::size_t i) {
      const MatrixQuad& quad = picture_.panels[i].heat->quad;
      return quad.values.matrix(quad.batch, quad.head)(cell->row, cell->col);
    };
    const float mine = at(0), right = at(1);
    std::string text = picture_.panels[0].title + "  " + number_text(mine, 5) + "\n" + picture_.panels[1].title + "  " +
                       number_text(right, 5);
    if (picture_.panels[2].heat) text += "\n" + picture_.panels[2].title + "  " + number_text(at(2), 3);
    tooltip(frame_, text);
  }

  /// What goes wrong, in sentences; scrolls where it is long.
  void report() {
    const Rect& card = picture_.report_card;
    draw_card(frame_, list_, card, beside_.comparison.matches() ? frame_.look.v : frame_.look.warning, 1.5f * u_);
    ImGui::SetCursorScreenPos({card.min.x + 4 * u_, card.min.y + 6 * u_});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {12 * u_, 4 * u_});
    ImGui::BeginChild("report", {card.width() - 8 * u_, card.height() - 12 * u_}, false,
                      ImGuiWindowFlags_NoNav | ImGuiWindowFlags_AlwaysUseWindowPadding);
    left_ = card.min.x + 16 * u_;
    width_ = card.width() - 36 * u_;
    y_ = ImGui::GetCursorScreenPos().y;
    const float top = y_;
    const Report& report = picture_.report;
    for (const std::string* text : {&report.assumed, &report.agrees}) {
      if (!text->empty()) paragraph(Face::ui, TypeSize::large, frame_.look.ink, *text);
    }
    if (beside_.searching) search();
    if (beside_.stopped) paragraph(Face::ui, TypeSize::large, frame_.look.ink, frame_.words("mine.stopped"));
    for (const ReportPart& part : report.parts) {
      paragraph(Face::bold, TypeSize::story, frame_.look.warning, part.heading);
      for (const ReportFinding& finding : part.findings) {
        paragraph(Face::bold, TypeSize::large, frame_.look.ink, finding.title + "  (" + finding.id + ")");
        paragraph(Face::ui, TypeSize::large, frame_.look.ink, finding.text);
      }
      for (const std::string& note : part.notes) paragraph(Face::ui, TypeSize::large, frame_.look.ink, note);
    }
    if (!report.incomplete.empty()) paragraph(Face::ui, TypeSize::large, frame_.look.muted, report.incomplete);
    for (const std::string& other : report.others) paragraph(Face::ui, TypeSize::large, frame_.look.muted, other);
    ImGui::Dummy({1, y_ - top});
    ImGui::EndChild();
    ImGui::PopStyleVar();
  }

  void search() {
    const SearchProgress& progress = frame_.document.searching;
    char seconds[16];
    std::snprintf(seconds, sizeof seconds, "%.0f", progress.seconds);
    paragraph(Face::ui, TypeSize::large, frame_.look.ink,
              frame_.words.fill(
                  "mine.searching",
                  {progress.mistake.empty() ? "" : frame_.words("mistakes." + progress.mistake + ".title"), seconds}));
    ImGui::SetCursorScreenPos({left_, y_});
    if (chip(frame_, "stop", frame_.words("mine.stop"), false)) frame_.actions.push_back(StopSearch{});
    y_ += 34 * u_;
  }

  void paragraph(Face face, float points, ImU32 colour, std::string_view text) {
    y_ +=
        draw_paragraph(ImGui::GetWindowDrawList(), frame_.fonts, face, points * u_, {left_, y_}, colour, text, width_) +
        5 * u_;
  }

  const Frame& frame_;
  const Beside& beside_;
  const MinePicture& picture_;
  ImDrawList& list_;
  float u_;
  float left_ = 0, width_ = 0, y_ = 0;
};

/// There, as it should be computed.
void show_operation(const Frame& frame, Stage stage) {
  frame.show([beside = frame.document.beside, stage, trace = frame.document.trace](View& v) {
    v = with_beside_stage(std::move(v), *beside, stage);
    v.kind = ViewKind::pipeline;
    v.looking.level = Level::operation;
    v.looking.stage = standing_for(*trace, stage);
    v.looking.share.reset();
    v.step.reset();
    v.playing = false;
  });
}

/// At the right end of the heading; gives their left end.
float draw_buttons(const Frame& frame, Rect area) {
  float right = area.max.x;
  const auto button = [&](const char* id, const char* word, bool main) {
    const float width = button_width(frame, frame.words(word));
    right -= width;
    ImGui::SetCursorScreenPos({right, area.min.y});
    const bool clicked =
        main ? main_button(frame, id, frame.words(word)) : chip(frame, id, frame.words(word), false, width);
    right -= 8 * frame.u;
    return clicked;
  };
  const Beside& beside = *frame.document.beside;
  if (button("take_off", "mine.take_off", false)) frame.actions.push_back(StopComparing{});
  if (beside.comparison.first_difference() && button("show_me", "mine.show_me", true))
    show_operation(frame, beside_shown(beside, frame.view()));
  return right;
}

}  // namespace

void draw_mine_or_compare_view(const Frame& frame, Rect place) {
  const Document& document = frame.document;
  if (!document.own) return draw_compare_view(frame, place);
  const Rect area = place.grown(-16 * frame.u);
  if (!document.beside || document.beside->trace != document.trace) {
    draw_text(*ImGui::GetWindowDrawList(), frame.fonts, Face::ui, TypeSize::large * frame.u, area.min, frame.look.muted,
              frame.words("messages.computing"));
    return;
  }
  const Course* course = open_course(document, frame.pictures);
  if (course && !course->bug) course = nullptr;
  const View& view = frame.view();
  const std::size_t told_of = course ? static_cast<std::size_t>(told(*course, view.lesson).stages) +
                                           2 * static_cast<std::size_t>(told(*course, view.lesson).mistake)
                                     : 4;
  const float right = course ? area.max.x : draw_buttons(frame, area);
  const MinePicture& picture =
      frame.picture<MinePicture>([&] { return make_mine_picture(frame, course, area, right); }, document.beside,
                                 view.beside, view.lesson.step, told_of, area, right);
  Drawer(frame, picture).draw();
}

}  // namespace headlight
