#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/open/paste.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/dialog.h"
#include "ui/widgets/pressable.h"

namespace headlight {
namespace {

/// A use as a button as wide as the dialog, with what it means beneath its name.
bool use_button(const Frame& frame, const char* id, const char* title, const char* meaning) {
  const float u = frame.u;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size{std::max(ImGui::GetContentRegionAvail().x, 1.0f), 54 * u};
  const bool clicked = pressable(frame, id, size);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 end{at.x + size.x, at.y + size.y};
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) list.AddRectFilled(at, end, frame.look.field, Corner::card * u);
  compat::add_rect(list, at, end, hovered ? frame.look.accent : frame.look.line, Corner::card * u, 1);
  draw_text(list, frame.fonts, Face::bold, TypeSize::body * u, {at.x + 14 * u, at.y + 9 * u}, frame.look.ink, title);
  draw_elided(list, frame.fonts, Face::ui, TypeSize::note * u, {at.x + 14 * u, at.y + 29 * u}, frame.look.muted,
              meaning, size.x - 28 * u);
  return clicked;
}

}  // namespace

void draw_paste_dialog(const Frame& frame, Rect place) {
  const View& view = frame.view();
  if (view.dialog != Dialog::paste || !view.pasted || !frame.trace()) return;
  const Tensor& matrix = view.pasted->numbers;
  const std::vector<PasteUse> uses = paste_uses(matrix, *frame.trace());
  const float u = frame.u;
  const DialogArea area(frame, place, Dialog::paste, "paste", frame.words("paste.title"),
                        {440 * u, (98 + 62 * static_cast<float>(uses.size())) * u});
  if (!area.open()) return;
  note(frame, frame.words.fill("paste.holds", {std::to_string(matrix.size(0)), std::to_string(matrix.size(1))}));
  constexpr const char* ids[] = {"input", "mask", "bias"};
  constexpr const char* titles[] = {"paste.input", "paste.mask", "paste.bias"};
  constexpr const char* meanings[] = {"paste.input_means", "paste.mask_means", "paste.bias_means"};
  for (const PasteUse use : uses) {
    const auto i = static_cast<std::size_t>(use);
    if (use_button(frame, ids[i], frame.words(titles[i]), frame.words(meanings[i])))
      frame.actions.push_back(UsePasted{use});
  }
}

}  // namespace headlight
