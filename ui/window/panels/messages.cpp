
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/views/sentence/sentence.h"
#include "ui/window/panels/registry.h"

namespace headlight {
namespace {

struct Colours {
  ImU32 ground, border, ink;
};

/// The error with the window's own names.
std::string error_sentence(const Frame& frame) {
  return frame.words.in_window(frame.words.translate(frame.document.error));
}

float message_width(const Frame& frame, Rect place) { return std::min(620 * frame.u, place.width() - 40 * frame.u); }

/// A message at the bottom of the canvas, where it covers no text field, with a button to close it.
void draw_message(const Frame& frame, Rect place, const std::string& sentence, const Colours& colours) {
  const float u = frame.u;
  const float width = message_width(frame, place);
  const auto write = [&](ImDrawList* list, ImVec2 at) {
    return draw_paragraph(list, frame.fonts, Face::ui, TypeSize::large * u, at, colours.ink, sentence, width - 70 * u);
  };
  const float height = write(nullptr, {});
  const ImVec2 max{place.centre().x + width / 2, place.max.y - Space::card * u};
  const ImVec2 min{max.x - width, max.y - height - 26 * u};
  const PanelArea area(frame, "message", min, max, colours.ground, {16, 12}, PanelArea::Kind::floating);
  ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());  // in front of an older dialog and its veil
  compat::add_rect(*ImGui::GetWindowDrawList(), min, max, colours.border, Corner::cell * u, 1);
  write(ImGui::GetWindowDrawList(), {min.x + Space::part * u, min.y + 13 * u});
  ImGui::SetCursorScreenPos({max.x - 36 * u, min.y + Space::gap * u});
  if (chip(frame, "dismiss", "×", false, ControlHeight::chip * u)) frame.actions.push_back(DismissMessage{});
}

void draw_progress(const Frame& frame, Rect place) {
  constexpr double patience = 0.25;  // seconds before progress is shown
  const bool computes = frame.progress.busy && frame.progress.elapsed_seconds >= patience;
  if (!computes && !frame.painter.lacks()) return;
  const float u = frame.u;
  const ImVec2 min{place.centre().x - 150 * u, place.max.y - 62 * u};
  const ImVec2 max{min.x + 300 * u, min.y + 46 * u};
  const PanelArea area(frame, "progress", min, max, frame.look.panel, {14, 9}, PanelArea::Kind::floating);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  compat::add_rect(list, min, max, frame.look.line, Corner::cell * u, 1);
  const std::string words =
      std::string(frame.words("messages.computing")) + " " + std::string(computes ? name(frame.progress.stage) : "…");
  frame.write(Face::ui, TypeSize::note, {min.x + Space::card * u, min.y + Space::gap * u}, frame.look.ink, words);
  const ImVec2 from{min.x + Space::card * u, max.y - Space::card * u};
  const float length = max.x - min.x - 2 * Space::card * u;
  const float done = computes ? length * static_cast<float>(frame.progress.share) : 0;
  list.AddRectFilled(from, {from.x + length, from.y + Space::tight * u}, frame.look.field, Corner::mark * u);
  list.AddRectFilled(from, {from.x + done, from.y + Space::tight * u}, frame.look.accent, Corner::mark * u);
}

}  // namespace

float error_height(const Frame& frame, Rect place) {
  const Document& document = frame.document;
  if (document.error.empty() || document.view.dialog == Dialog::exporting || says_error(frame)) return 0;
  const float words = draw_paragraph(nullptr, frame.fonts, Face::ui, TypeSize::large * frame.u, {}, 0,
                                     error_sentence(frame), message_width(frame, place) - 70 * frame.u);
  return std::min(words + 50 * frame.u, 0.4f * place.height());
}

void draw_messages(const Frame& frame, Rect place) {
  const Document& document = frame.document;
  const Look& look = frame.look;
  // The export dialog, and the field of the sentence, show messages themselves.
  if (document.view.dialog != Dialog::exporting && !says_error(frame)) {
    if (!document.error.empty())
      draw_message(frame, place, error_sentence(frame), {look.warning_ground, look.warning, look.warning});
    else if (!document.notice.empty()) draw_message(frame, place, document.notice, {look.panel, look.line, look.ink});
  }
  draw_progress(frame, place);
}

}  // namespace headlight
