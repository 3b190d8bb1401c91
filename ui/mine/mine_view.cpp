#include <cstdio>

#include "ui/compare/compare_picture.h"
#include "ui/document/beside.h"
#include "ui/imgui_compat.h"
#include "ui/lessons/lesson_panel.h"
#include "ui/look/measure.h"
#include "ui/look/number_text.h"
#include "ui/matrix/heatmap.h"
#include "ui/mine/mine_picture.h"
#include "ui/widgets/card.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/paragraph.h"
#include "ui/widgets/pressable.h"

namespace headlight {
namespace {

class Drawer {
 public:
  Drawer(const Frame& frame, const MinePicture& picture, Rect area)
      : frame_(frame),
        beside_(*frame.document.beside),
        picture_(picture),
        area_(area),
        list_(*ImGui::GetWindowDrawList()),
        u_(frame.u) {}

  void draw() {
    if (!picture_.title.empty()) heading();
    if (!picture_.code.empty()) code();
    for (const MineChip& chip : picture_.chips) stage_chip(chip);
    panels();
    if (picture_.report_card.height() > 0) report();
  }

 private:
  void heading() {
    float right = area_.max.x;
    const auto button = [&](const char* id, const char* word, bool main) {
      const float width = button_width(frame_, frame_.words(word));
      right -= width;
      ImGui::SetCursorScreenPos({right, area_.min.y});
      const bool clicked =
          main ? main_button(frame_, id, frame_.words(word)) : chip(frame_, id, frame_.words(word), false, width);
      right -= 8 * u_;
      return clicked;
    };
    if (button("take_off", "mine.take_off", false)) frame_.actions.push_back(StopComparing{});
    if (beside_.comparison.first_difference() && button("show_me", "mine.show_me", true)) show_operation();
    draw_elided(list_, frame_.fonts, Face::bold, TypeSize::numbers * u_, {area_.min.x, area_.min.y + 2 * u_},
                frame_.look.ink, picture_.title, right - area_.min.x - 12 * u_);
    const ImU32 colour = beside_.comparison.matches() ? frame_.look.v : frame_.look.warning;
    draw_elided(list_, frame_.fonts, Face::bold, TypeSize::story * u_, {area_.min.x, area_.min.y + 30 * u_}, colour,
                picture_.summary, area_.width());
  }

  /// There, as it should be computed.
  void show_operation() const {
    frame_.show([beside = frame_.document.beside, stage = picture_.stage, trace = frame_.document.trace](View& v) {
      v = with_beside_stage(std::move(v), *beside, stage);
      v.kind = ViewKind::pipeline;
      v.looking.level = Level::operation;
      v.looking.stage = standing_for(*trace, stage);
      v.looking.share.reset();
      v.step.reset();
      v.playing = false;
    });
  }

  void code() {
    draw_card(frame_, list_, picture_.code_card);
    float y = picture_.code_card.min.y + 10 * u_;
    const float left = picture_.code_card.min.x,
                high = (picture_.code_card.height() - 20 * u_) / static_cast<float>(picture_.code.size());
    std::size_t number = 0;
    for (const MineCodeLine& line : picture_.code) {
      const bool mended = line.kind == MineCodeLine::Kind::mended, plain = line.kind == MineCodeLine::Kind::plain;
      if (!mended) ++number;
      const ImU32 mark = mended ? frame_.look.v : frame_.look.warning;
      if (!plain)
        list_.AddRectFilled({left + u_, y - u_}, {picture_.code_card.max.x - u_, y + high - u_}, fade(mark, 0.16f));
      const std::string side = mended ? "+" : plain ? std::to_string(number) : "−";
      const float wide = text_size(frame_.fonts, Face::mono, TypeSize::body * u_, side).x;
      draw_text(list_, frame_.fonts, Face::mono, TypeSize::body * u_, {left + 34 * u_ - wide, y},
                plain ? frame_.look.muted : mark, side);
      draw_elided(list_, frame_.fonts, Face::mono, TypeSize::body * u_, {left + 46 * u_, y}, frame_.look.ink, line.text,
                  picture_.code_card.width() - 56 * u_);
      y += high;
    }
  }

  void stage_chip(const MineChip& chip) {
    ImGui::SetCursorScreenPos(chip.rect.min);
    const std::string_view label = name(chip.stage);
    ImGui::PushID(label.data());
    if (pressable(frame_, "stage", {chip.rect.width(), chip.rect.height()})) {
      frame_.show([beside = frame_.document.beside, stage = chip.stage,
                   known = chip.verdict != StageVerdict::unknown](View& v) {
        if (known) v = with_beside_stage(std::move(v), *beside, stage);
        v.beside = stage;
      });
    }
    const bool hot = ImGui::IsItemHovered();
    ImGui::PopID();
    const bool differs = chip.verdict == StageVerdict::differs;
    const ImU32 colour = differs                                ? frame_.look.warning
                         : chip.verdict == StageVerdict::agrees ? frame_.look.v
                                                                : frame_.look.muted;
    list_.AddRectFilled(chip.rect.min, chip.rect.max, chip.chosen || hot ? frame_.look.field : frame_.look.card,
                        Corner::control * u_);
    compat::add_rect(list_, chip.rect.min, chip.rect.max, chip.chosen ? frame_.look.accent : frame_.look.line,
                     Corner::control * u_, (chip.chosen ? 2 : 1) * u_);
    const char* mark = differs ? "≠" : chip.verdict == StageVerdict::agrees ? "=" : "·";
    draw_text(list_, frame_.fonts, Face::bold, TypeSize::body * u_,
              {chip.rect.min.x + 9 * u_, chip.rect.min.y + 5 * u_}, colour, mark);
    draw_text(list_, frame_.fonts, differs ? Face::bold : Face::ui, TypeSize::body * u_,
              {chip.rect.min.x + 25 * u_, chip.rect.min.y + 5 * u_}, frame_.look.ink, label);
  }

  void panels() {
    const float y = picture_.chips.empty() ? area_.min.y : picture_.chips.back().rect.max.y + 10 * u_;
    if (!picture_.stage_words.empty()) {
      draw_text(list_, frame_.fonts, Face::bold, TypeSize::large * u_, {area_.min.x, y},
                frame_.look.lane(picture_.stage), name(picture_.stage));
      const float from =
          area_.min.x + text_size(frame_.fonts, Face::bold, TypeSize::large * u_, name(picture_.stage)).x + 10 * u_;
      draw_elided(list_, frame_.fonts, Face::ui, TypeSize::body * u_, {from, y + u_}, frame_.look.ink,
                  picture_.stage_words, area_.max.x - from);
    } else {
      draw_elided(list_, frame_.fonts, Face::ui, TypeSize::body * u_, {area_.min.x, y}, frame_.look.muted,
                  frame_.words("mine.pick"), area_.width());
    }
    for (const MinePanel& panel : picture_.panels) {
      draw_card(frame_, list_, panel.card);
      draw_text(list_, frame_.fonts, Face::bold, TypeSize::body * u_,
                {panel.card.min.x + 12 * u_, panel.card.min.y + 9 * u_}, frame_.look.ink, panel.title);
      if (panel.heat.rows == 0) {
        draw_text(list_, frame_.fonts, Face::bold, 26 * u_,
                  {panel.card.centre().x - 7 * u_, panel.card.centre().y - 15 * u_}, frame_.look.muted, "?");
        continue;
      }
      draw_colour_ends(frame_, list_, panel.heat, panel.card, panel.title);
      draw_heat(frame_, list_, panel.heat, panel.heat.rect, true);
      draw_labels(frame_, list_, panel.heat, panel.heat.rect, 12 * u_, true, !panel.heat.col_labels.empty());
      if (panel.mark)
        compat::add_rect(list_, panel.mark->grown(1.5f * u_).min, panel.mark->grown(1.5f * u_).max, frame_.look.warning,
                         Corner::cell * u_, 2.5f * u_);
    }
    point();
  }

  /// A cell of any of the three is the same place of all.
  void point() {
    if (picture_.panels.size() != 3) return;
    const Rect all{picture_.panels.front().card.min, picture_.panels.back().card.max};
    ImGui::SetCursorScreenPos(all.min);
    ImGui::InvisibleButton("matrices", {all.width(), all.height()});
    if (!ImGui::IsItemHovered()) return;
    std::optional<Cell> cell;
    for (const MinePanel& panel : picture_.panels) {
      if (panel.heat.rows == 0) continue;
      if (const auto found = cell_in(panel.heat, ImGui::GetIO().MousePos)) cell = found;
    }
    if (!cell) return;
    const auto at = [&](std::size_t i) {
      const MatrixQuad& quad = picture_.panels[i].heat.quad;
      return quad.values.matrix(quad.batch, quad.head)(cell->row, cell->col);
    };
    const float mine = at(0), right = at(1);
    std::string text = picture_.panels[0].title + "  " + number_text(mine, 5) + "\n" + picture_.panels[1].title + "  " +
                       number_text(right, 5);
    if (picture_.panels[2].heat.rows > 0) text += "\n" + picture_.panels[2].title + "  " + number_text(at(2), 3);
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
  Rect area_;
  ImDrawList& list_;
  float u_;
  float left_ = 0, width_ = 0, y_ = 0;
};

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
  const MinePicture& picture =
      frame.picture<MinePicture>([&] { return make_mine_picture(frame, course, area); }, document.beside, view.beside,
                                 view.lesson.step, told_of, area);
  Drawer(frame, picture, area).draw();
}

}  // namespace headlight
