
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/views/sentence/sentence.h"
#include "ui/window/panels/registry.h"

namespace headlight {
namespace {

struct MessageSizes {  // points
  static constexpr float widest = 620, beside_words = 70, edge = 13;
  static constexpr float progress_width = 300, progress_height = 46;
};

struct Colours {
  ImU32 ground, border, ink;
};

/// The error with the window's own names.
std::string error_sentence(const Frame& frame) {
  return frame.words.in_window(frame.words.translate(frame.document.error));
}

float message_width(const Frame& frame, Rect place) {
  return std::min(MessageSizes::widest * frame.u, place.width() - 2 * Space::wide * frame.u);
}

/// A message at the bottom of the canvas, where it covers no text field, with a button to close it.
void draw_message(const Frame& frame, Rect place, const std::string& sentence, const Colours& colours) {
  const float u = frame.u;
  const float width = message_width(frame, place);
  const auto write = [&](ImDrawList* list, ImVec2 at) {
    return draw_paragraph(list, frame.fonts, Face::ui, TypeSize::large * u, at, colours.ink, sentence,
                          width - MessageSizes::beside_words * u);
  };
  const float height = write(nullptr, {});
  const ImVec2 max{place.centre().x + width / 2, place.max.y - Space::card * u};
  const ImVec2 min{max.x - width, max.y - height - 2 * MessageSizes::edge * u};
  const PanelArea area(frame, "message", min, max, colours.ground, {16, 12}, PanelArea::Kind::floating);
  ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());  // in front of an older dialog and its veil
  compat::add_rect(*ImGui::GetWindowDrawList(), min, max, colours.border, Corner::cell * u, 1);
  write(ImGui::GetWindowDrawList(), {min.x + Space::part * u, min.y + MessageSizes::edge * u});
  ImGui::SetCursorScreenPos({max.x - (ControlHeight::chip + Space::pad) * u, min.y + Space::gap * u});
  if (chip(frame, "dismiss", "×", false, ControlHeight::chip * u)) frame.actions.push_back(DismissMessage{});
}

void draw_progress(const Frame& frame, Rect place) {
  constexpr double patience = 0.25;  // seconds before progress is shown
  const bool computes = frame.progress.busy && frame.progress.elapsed_seconds >= patience;
  if (!computes && !frame.painter.lacks()) return;
  const float u = frame.u;
  const ImVec2 min{place.centre().x - MessageSizes::progress_width * u / 2,
                   place.max.y - (MessageSizes::progress_height + Space::part) * u};
  const ImVec2 max{min.x + MessageSizes::progress_width * u, min.y + MessageSizes::progress_height * u};
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
  const float words =
      draw_paragraph(nullptr, frame.fonts, Face::ui, TypeSize::large * frame.u, {}, 0, error_sentence(frame),
                     message_width(frame, place) - MessageSizes::beside_words * frame.u);
  return std::min(words + (2 * MessageSizes::edge + Space::section) * frame.u, 0.4f * place.height());
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
