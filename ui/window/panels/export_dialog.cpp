// The dialogs that write files. Export (Ctrl+E): options on the left, the figure as it will be written on the right,
// and the path below. Save, and the question before changes are lost.
#include <algorithm>

#include "core/base/tensor/message.h"
#include "core/base/text/texts.h"
#include "ui/base/frame/matrix_painter.h"
#include "ui/base/look/measure.h"
#include "ui/dialogs/export/export_controls.h"
#include "ui/dialogs/export/export_file.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/dialog.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/parts/widgets/text_input.h"
#include "ui/window/panels/registry.h"

namespace headlight {
namespace {

constexpr float left = 300, foot = 92, gap = 20;
constexpr float below_about = 26;  // points, from what is exported to the field with its path

/// The checkerboard below transparent areas.
void draw_checkers(const Frame& frame, Rect area) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float step = Space::gap * frame.u;
  list.AddRectFilled(area.min, area.max, frame.look.card);
  for (int row = 0; area.min.y + static_cast<float>(row) * step < area.max.y; ++row) {
    for (float x = area.min.x + static_cast<float>(row % 2) * step; x < area.max.x; x += 2 * step) {
      const float y = area.min.y + static_cast<float>(row) * step;
      list.AddRectFilled({x, y}, {std::min(x + step, area.max.x), std::min(y + step, area.max.y)}, frame.look.field);
    }
  }
}

void draw_image(const Frame& frame, Rect place, const ExportPreview& preview) {
  const ImVec2 size{static_cast<float>(preview.image->width), static_cast<float>(preview.image->height)};
  const ImVec2 min{std::round(place.centre().x - size.x / 2), std::round(place.centre().y - size.y / 2)};
  const Rect area{min, {min.x + size.x, min.y + size.y}};
  if (frame.view().exporting.options.style.transparent) draw_checkers(frame, area);
  frame.painter.image(*ImGui::GetWindowDrawList(), min, preview.image);
  compat::add_rect(*ImGui::GetWindowDrawList(), area.min, area.max, frame.look.line, 0, 1);
}

void draw_lines(const Frame& frame, Rect place, const std::vector<std::string>& lines) {
  const float u = frame.u;
  float y = place.min.y + Space::card * u;
  for (const std::string& line : lines) {
    if (y + Space::row * u > place.max.y) break;
    frame.write_elided(Face::mono, TypeSize::note, {place.min.x + Space::part * u, y}, frame.look.ink, line,
                       place.width() - 2 * Space::part * u);
    y += Space::row * u;
  }
}

/// The text shown while there is no preview yet.
const char* story_of(const Frame& frame) {
  const ExportKind kind = frame.view().exporting.kind;
  return frame.words(kind == ExportKind::window ? "export.window_story" : "export.animation_story");
}

void draw_preview(const Frame& frame, Rect place, const ExportPreview& preview) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u;
  const Message& problem = frame.view().exporting.problem.empty() ? preview.problem : frame.view().exporting.problem;
  list.AddRectFilled(place.min, place.max, frame.look.window, Corner::control * u);
  list.PushClipRect(place.min, place.max, true);
  if (preview.image) draw_image(frame, place, preview);
  if (!preview.lines.empty()) draw_lines(frame, place, preview.lines);
  list.PopClipRect();
  const bool tells = !preview.image && preview.lines.empty() && problem.empty();
  if (!tells && problem.empty()) return;
  const std::string told = tells ? story_of(frame) : with_field_names(frame.words, problem);
  const auto write = [&](ImDrawList* to, float y) {
    return draw_paragraph(to, frame.fonts, Face::ui, TypeSize::large * u, {place.min.x + Space::section * u, y},
                          tells ? frame.look.muted : frame.look.warning, told, place.width() - 2 * Space::section * u);
  };
  write(&list, tells ? place.centre().y - Space::wide * u : place.max.y - write(nullptr, 0) - Space::wide * u);
}

/// "1240 × 980 pixels · the command that makes the same file"
void draw_about(const Frame& frame, Rect place, const ExportPreview& preview) {
  const float u = frame.u;
  float x = place.min.x;
  if (preview.image) {
    const std::string& size = preview.size;
    frame.write(Face::ui, TypeSize::note, {x, place.min.y}, frame.look.muted, size);
    x += frame.width(Face::ui, TypeSize::note, size) + Space::row * u;
  }
  const char* words = preview.command.empty() ? frame.words("export.command_needs_file") : preview.command.c_str();
  frame.write_elided(preview.command.empty() ? Face::ui : Face::mono, TypeSize::note, {x, place.min.y},
                     frame.look.muted, words, place.max.x - x);
}

/// "Left out because there was no room: title, formula"
std::string left_out_words(const Frame& frame, const ExportPreview& preview) {
  const auto translated = [&](const Message& part) { return frame.words.translate(part); };
  return frame.words.fill("export.left_out", {comma_list(preview.left_out, translated)});
}

void draw_foot(const Frame& frame, Rect place, const ExportPreview& preview, ExportChoice& choice) {
  const float u = frame.u;
  const char* copy = frame.words("export.copy_command");
  const char* write = frame.words(preview.exists ? "export.replace" : "export.export");
  draw_about(frame, place, preview);
  const float top = place.min.y + below_about * u;
  const float buttons = place.max.x - button_width(frame, copy) - button_width(frame, write) - Space::gap * u;
  {
    const ControlArea area("path", {{place.min.x, top}, {buttons - Space::apart * u, top + ControlHeight::field * u}});
    if (const auto typed = text_field(frame, "##path", preview.path, Face::mono))
      choice = with_path(std::move(choice), *typed);
  }
  ImGui::SetCursorScreenPos({buttons, top + Space::fine * u});
  if (chip(frame, "copy", copy, false, button_width(frame, copy))) frame.actions.push_back(CopyCommand{});
  ImGui::SetCursorScreenPos({buttons + button_width(frame, copy) + Space::gap * u, top + Space::fine * u});
  const bool free = !ImGui::IsAnyItemActive() && !ImGui::GetIO().WantTextInput && !frame.focus.shown();
  const bool entered = free && preview.problem.empty() && !preview.exists &&
                       compat::pressed_once(compat::Key::enter);  // over an existing file only by a click
  if (main_button(frame, "export", write, preview.problem.empty()) || entered) {
    frame.actions.push_back(Export{preview.path, preview.exists});
  }
  const ImVec2 below{place.min.x, top + (ControlHeight::field + Space::gap) * u};
  const std::string& saved = choice.saved;
  if (!saved.empty() && frame.document.error.empty()) {
    const auto tell = [&] { return "✓ " + frame.words.fill("export.saved", {saved}); };
    frame.write_elided(Face::bold, TypeSize::note, below, frame.look.v,
                       frame.pictures.kept(tell, saved, frame.words.language()), place.width());
  } else if (preview.exists) {
    frame.write(Face::ui, TypeSize::note, below, frame.look.warning, frame.words("export.exists"));
  } else if (!frame.document.notice.empty() || !frame.document.error.empty()) {
    const bool failed = !frame.document.error.empty();
    frame.write_elided(Face::ui, TypeSize::note, below, failed ? frame.look.warning : frame.look.accent,
                       failed ? frame.words.translate(frame.document.error) : frame.document.notice, place.width());
  } else if (!preview.left_out.empty()) {
    frame.write_elided(Face::ui, TypeSize::note, below, frame.look.warning, left_out_words(frame, preview),
                       place.width());
  }
}

void close(const Frame& frame) {
  frame.show([](View& v) { v.dialog = Dialog::none; });
}

}  // namespace

void draw_export_dialog(const Frame& frame, Rect place) {
  const float u = frame.u;
  const DialogArea area(frame, place, Dialog::exporting, "export", frame.words("export.dialog"), {1240, 920}, {64, 48});
  if (!area.open() || !frame.trace()) return;
  const Rect all = area.content();
  const Rect shown{{all.min.x + (left + gap) * u, all.min.y}, {all.max.x, all.max.y - foot * u}};
  constexpr float margin = 16;
  const ExportPreview& preview =
      export_preview(frame, {shown.width() - 2 * margin * u, shown.height() - 2 * margin * u});
  ExportChoice choice = frame.view().exporting;
  ImGui::SetCursorScreenPos(all.min);
  ImGui::BeginChild("options", {left * u, all.height()}, false, ImGuiWindowFlags_NoNav);
  choice = draw_export_controls(frame, preview, std::move(choice));
  ImGui::EndChild();
  draw_preview(frame, shown, preview);
  draw_foot(frame, {{shown.min.x, shown.max.y + Space::apart * u}, all.max}, preview, choice);
  if (choice == frame.view().exporting) return;
  choice.saved.clear();
  frame.show([choice = std::move(choice)](View& v) { v.exporting = choice; });
}

void draw_save_dialog(const Frame& frame, Rect place) {
  const float u = frame.u;
  const DialogArea area(frame, place, Dialog::save, "save", frame.words("save.title"), {640, 190});
  if (!area.open()) return;
  const Rect content = area.content();
  const SaveChoice& saving = frame.view().saving;
  if (ImGui::IsWindowAppearing()) type_in_next_field();
  const auto typed = text_field(frame, "##path", saving.path, Face::mono);
  const bool entered =
      (ImGui::IsItemActive() || ImGui::IsItemDeactivated()) && compat::pressed_once(compat::Key::enter);
  if (typed) frame.show([path = *typed](View& v) { v.saving.path = path; });
  note(frame, frame.words("save.story"));
  const float y = content.max.y - ControlHeight::bar * u;
  float right = content.max.x;
  if (button_before(frame, "save", frame.words("save.save"), true, y, right) || entered)
    frame.actions.push_back(Save{typed.value_or(saving.path)});
  if (button_before(frame, "cancel", frame.words("save.cancel"), false, y, right)) close(frame);
}

void draw_leave_dialog(const Frame& frame, Rect place) {
  const float u = frame.u;
  const SaveChoice& saving = frame.view().saving;
  const bool opens = saving.next == Next::open;
  const bool changed_on_disk = opens && saving.opens == frame.document.origin.lesson.file;
  const char* title = changed_on_disk ? "save.disk_title" : "save.leave_title";
  const char* story = changed_on_disk ? "save.disk_story" : opens ? "save.open_story" : "save.leave_story";
  const char* without = changed_on_disk ? "save.read" : opens ? "save.open" : "save.leave";
  const DialogArea area(frame, place, Dialog::leave, "leave", frame.words(title), {520, 160});
  if (!area.open()) return;
  const Rect content = area.content();
  ImGui::PushTextWrapPos(content.width());
  ImGui::TextUnformatted(frame.words(story));
  ImGui::PopTextWrapPos();
  const float y = content.max.y - ControlHeight::bar * u;
  float right = content.max.x;
  if (button_before(frame, "save", frame.words("save.save"), true, y, right))
    frame.actions.push_back(AskToSave{saving.next});
  if (button_before(frame, "leave", frame.words(without), false, y, right))
    frame.actions.push_back(opens ? Action(OpenFile{saving.opens, true}) : Quit{true});
  if (button_before(frame, "cancel", frame.words("save.cancel"), false, y, right)) close(frame);
}

}  // namespace headlight
