
#include "core/base/text/number_text.h"
#include "ui/base/document/action.h"
#include "ui/base/look/measure.h"
#include "ui/base/look/words.h"
#include "ui/parts/widgets/card.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/compare/compare_picture.h"
#include "ui/views/lessons/lesson_panel.h"
#include "ui/views/mine/mine_picture.h"

namespace headlight {
namespace {

struct MineDrawer {
  const Frame& frame;
  const MinePicture& picture;
  const Compared& compared = *frame.document.own_compared;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Look& look = frame.look;
  const float u = frame.u;
  float left = 0, width = 0, y = 0;  ///< of the report's text

  void draw() {
    draw_scene(frame, list, picture.scene);
    if (const SceneTarget* pressed = press_controls(frame, picture.scene)) choose(*pressed);
    point();
    if (picture.report_card.height() > 0) draw_report();
  }

  void choose(const SceneTarget& target) const {
    frame.show([shared = frame.document.own_compared, stage = target.cell.stage, known = target.index == 1](View& v) {
      if (known) v = with_compared_stage(std::move(v), *shared, stage);
      v.beside = stage;
    });
  }

  /// The pointer's cell, in all three matrices.
  void point() {
    if (picture.panels.size() != 3) return;
    const Rect& all = picture.cells;
    clickable("matrices", all);
    const std::optional<Cell> cell =
        ImGui::IsItemHovered() ? cell_at(picture.scene, ImGui::GetIO().MousePos) : std::nullopt;
    if (!cell) return;
    const auto at = [&](std::size_t i) {
      const MatrixQuad& quad = picture.panels[i].heat->quad;
      return quad.values.matrix(quad.batch, quad.head)(cell->row, cell->col);
    };
    const auto make = [&] {
      const auto line = [&](std::size_t i, int digits) {
        return picture.panels[i].title + "  " + number_text(at(i), digits);
      };
      const std::string text = line(0, 5) + "\n" + line(1, 5);
      return picture.panels[2].heat ? text + "\n" + line(2, 3) : text;
    };
    tooltip(frame, frame.kept_at(*cell, make, frame.document.own_compared, frame.view().beside));
  }

  /// The report of what is wrong; scrolls if it is long.
  void draw_report() {
    const Rect& card = picture.report_card;
    draw_card(frame, list, card, compared.comparison.matches() ? look.v : look.warning, Stroke::arrow(u));
    ImGui::SetCursorScreenPos({card.min.x + Space::tight * u, card.min.y + Space::near * u});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {Space::apart * u, Space::tight * u});
    ImGui::BeginChild("report", {card.width() - Space::gap * u, card.height() - Space::apart * u}, false,
                      ImGuiWindowFlags_NoNav | ImGuiWindowFlags_AlwaysUseWindowPadding);
    left = card.min.x + Space::part * u;
    width = card.width() - (2 * Space::part + Space::tight) * u;
    y = ImGui::GetCursorScreenPos().y;
    const float top = y;
    const Report& report = picture.report;
    for (const std::string* text : {&report.assumed, &report.agrees}) {
      if (!text->empty()) paragraph(Face::ui, TypeSize::large, look.ink, *text);
    }
    if (const Trace* run = mask_to_take(compared.comparison)) offer_mask(run->scenario);
    if (compared.searching) search();
    if (compared.stopped) paragraph(Face::ui, TypeSize::large, look.ink, frame.words("mine.stopped"));
    for (const ReportPart& part : report.parts) {
      paragraph(Face::bold, TypeSize::story, look.warning, part.heading);
      for (const ReportFinding& finding : part.findings) {
        paragraph(Face::bold, TypeSize::large, look.ink, finding.title + "  (" + finding.id + ")");
        paragraph(Face::ui, TypeSize::large, look.ink, finding.text);
      }
      for (const std::string& note : part.notes) paragraph(Face::ui, TypeSize::large, look.ink, note);
    }
    if (!report.incomplete.empty()) paragraph(Face::ui, TypeSize::large, look.muted, report.incomplete);
    for (const std::string& other : report.others) paragraph(Face::ui, TypeSize::large, look.muted, other);
    ImGui::SetCursorScreenPos({left, top});
    ImGui::Dummy({1, y - top});
    ImGui::EndChild();
    ImGui::PopStyleVar();
  }

  /// Offers to use the mask that the numbers reveal for the run.
  void offer_mask(const Scenario& revealed) {
    ImGui::SetCursorScreenPos({left, y});
    if (chip(frame, "take_mask", frame.words("mine.take_mask"), false))
      frame.edit({}, [mask = revealed.mask, lengths = revealed.valid_lens](Scenario& s) {
        s.mask = mask;
        s.valid_lens = lengths;
      });
    y += ControlPitch::chips * u;
  }

  void search() {
    const SearchProgress& progress = frame.document.searching;
    const std::string mistake = progress.mistake.empty() ? "" : frame.words("mistakes." + progress.mistake + ".title");
    paragraph(Face::ui, TypeSize::large, look.ink,
              frame.words.fill("mine.searching", {mistake, formatted("%.0f", progress.seconds)}));
    ImGui::SetCursorScreenPos({left, y});
    if (chip(frame, "stop", frame.words("mine.stop"), false)) frame.actions.push_back(StopSearch{});
    y += ControlPitch::chips * u;
  }

  void paragraph(Face face, float points, ImU32 colour, std::string_view text) {
    y += draw_paragraph(ImGui::GetWindowDrawList(), frame.fonts, face, points * u, {left, y}, colour, text, width) +
         Space::close * u;
  }
};

/// Shows the operation, with the right numbers.
void show_operation(const Frame& frame, Stage stage) {
  frame.show([compared = frame.document.own_compared, stage, trace = frame.document.trace](View& v) {
    v = with_compared_stage(std::move(v), *compared, stage);
    v.kind = ViewKind::pipeline;
    v.levels.level = Level::operation;
    v.levels.stage = standing_for(*trace, stage);
    v.levels.progress.reset();
    v.step.reset();
    v.playing = false;
  });
}

/// Buttons at the right end of the heading; returns their left end.
float draw_buttons(const Frame& frame, Rect area) {
  float right = area.max.x;
  const Compared& compared = *frame.document.own_compared;
  if (button_before(frame, "take_off", frame.words("mine.take_off"), false, area.min.y, right))
    frame.actions.push_back(StopComparing{});
  if (compared.comparison.first_difference() &&
      button_before(frame, "show_me", frame.words("mine.show_me"), true, area.min.y, right))
    show_operation(frame, compared_stage(compared, frame.view()));
  return right;
}

}  // namespace

void draw_mine_or_compare_view(const Frame& frame, Rect place) {
  const Document& document = frame.document;
  if (!document.own) return draw_compare_view(frame, place);
  const Rect area = place.grown(-Space::part * frame.u);
  if (!document.own_compared || document.own_compared->trace != document.trace) {
    frame.write(Face::ui, TypeSize::large, area.min, frame.look.muted, frame.words("messages.computing"));
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
      frame.picture<MinePicture>([&] { return make_mine_picture(frame, course, area, right); }, document.own_compared,
                                 view.beside, view.lesson.step, told_of, area, right);
  MineDrawer{frame, picture}.draw();
}

}  // namespace headlight
