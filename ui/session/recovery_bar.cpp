#include "ui/session/recovery_bar.h"

#include <algorithm>

#include "core/text/utf8.h"
#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/main_button.h"
#include "ui/widgets/paragraph.h"

namespace headlight {

namespace {

/// A name of one line that leaves room for the buttons.
std::string short_name(std::string_view name) {
  constexpr std::size_t most = 60;
  std::size_t at = 0;
  for (std::size_t letters = 0; at < name.size() && letters < most; ++letters) next_character(name, at);
  return at < name.size() ? std::string(name.substr(0, at)) + "…" : std::string(name);
}

}  // namespace

RecoveryAnswer draw_recovery_bar(const Frame& frame, ImVec2 window, std::string_view name, const std::string& when) {
  struct Sentence {
    std::string text;
  };
  const auto say = [&] {
    return Sentence{
        frame.words.fill(frame.document.page.empty() ? "recovery.offer" : "recovery.offer_page",
                         {name.empty() ? std::string(frame.words("window.untitled")) : short_name(name), when})};
  };
  const std::string& text =
      frame.pictures.get<Sentence>(say, when, std::string(name.substr(0, 300)), frame.words.language()).text;
  const float u = frame.u;
  const char* take = frame.words("recovery.take");
  const char* discard = frame.words("recovery.discard");
  const float width = std::min(620 * u, window.x - 24 * u), inside = width - 32 * u;
  const float height = draw_paragraph(nullptr, frame.fonts, Face::ui, TypeSize::body * u, {0, 0}, 0, text, inside);
  // Above the line of time: what stands at the top of a view are its tabs.
  const float bottom = std::max(window.y - 74 * u, std::min(height + 66 * u, window.y));
  const ImVec2 max{(window.x + width) / 2, bottom}, min{max.x - width, std::max(bottom - height - 66 * u, 0.0f)};
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
