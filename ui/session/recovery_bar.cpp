#include "ui/session/recovery_bar.h"

#include <algorithm>

#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/main_button.h"
#include "ui/widgets/paragraph.h"

namespace headlight {

RecoveryAnswer draw_recovery_bar(const Frame& frame, ImVec2 window, std::string_view name, const std::string& when) {
  struct Sentence {
    std::string text;
  };
  const auto say = [&] {
    return Sentence{frame.words.fill(frame.document.page.empty() ? "recovery.offer" : "recovery.offer_page",
                                     {name.empty() ? frame.words("window.untitled") : name, when})};
  };
  const std::string& text = frame.pictures.get<Sentence>(say, when, frame.words.language()).text;
  const float u = frame.u;
  const char* take = frame.words("recovery.take");
  const char* discard = frame.words("recovery.discard");
  const float width = std::min(620 * u, window.x - 24 * u), inside = width - 32 * u;
  const float height = draw_paragraph(nullptr, frame.fonts, Face::ui, TypeSize::body * u, {0, 0}, 0, text, inside);
  const ImVec2 min{(window.x - width) / 2, 60 * u}, max{min.x + width, min.y + height + 66 * u};
  const PanelArea area(frame, "recovery", min, max, frame.look.panel, {16, 12}, PanelArea::Kind::floating);
  ImGui::BringWindowToDisplayFront(ImGui::GetCurrentWindow());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({min.x - 1, min.y - 1}, {max.x + 1, max.y + 1});  // ImGui's own leaves half of the padding out
  compat::add_rect(list, min, max, frame.look.accent, Corner::cell * u, 1);
  list.PopClipRect();
  draw_paragraph(&list, frame.fonts, Face::ui, TypeSize::body * u, {min.x + 16 * u, min.y + 12 * u}, frame.look.ink,
                 text, inside);
  const float y = max.y - 40 * u;
  const float wide = button_width(frame, discard);
  RecoveryAnswer answer = RecoveryAnswer::none;
  ImGui::SetCursorScreenPos({max.x - 16 * u - button_width(frame, take), y});
  if (main_button(frame, "take", take)) answer = RecoveryAnswer::take;
  ImGui::SetCursorScreenPos({max.x - 24 * u - button_width(frame, take) - wide, y});
  if (chip(frame, "discard", discard, false, wide)) answer = RecoveryAnswer::discard;
  return answer;
}

}  // namespace headlight
