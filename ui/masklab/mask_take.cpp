#include "ui/masklab/mask_take.h"

#include "ui/imgui_compat.h"
#include "ui/look/measure.h"
#include "ui/open/open_dialog.h"
#include "ui/widgets/controls.h"
#include "ui/widgets/pressable.h"

namespace headlight {
namespace {

struct Button {
  MaskFormat format;
  const char* label;
  const char* hint;
};

constexpr Button buttons[] = {
    {MaskFormat::npy, "npy", "mask_take.array"},
    {MaskFormat::npz, "npz", "mask_take.array"},
    {MaskFormat::csv, "csv", "mask_take.table"},
    {MaskFormat::png, "png", "mask_take.picture"},
    {MaskFormat::pytorch, "PyTorch", "mask_take.pytorch"},
    {MaskFormat::flex_attention, "FlexAttention", "mask_take.flex"},
    {MaskFormat::numpy, "NumPy", "mask_take.numpy"},
};

bool starts_group(MaskFormat format) { return format == MaskFormat::npy || format == MaskFormat::pytorch; }

float label_width(const Frame& frame, const char* label) {
  return text_size(frame.fonts, Face::ui, TypeSize::note * frame.u, label).x + 14 * frame.u;
}

float heading_width(const Frame& frame, const char* word) {
  return text_size(frame.fonts, Face::ui, TypeSize::note * frame.u, frame.words(word)).x + 8 * frame.u;
}

const char* heading(MaskFormat format) { return format == MaskFormat::npy ? "mask_take.save" : "mask_take.copy"; }

bool text_button(const Frame& frame, const char* id, const char* label, const char* hint, ImVec2 at) {
  const float u = frame.u;
  ImGui::SetCursorScreenPos(at);
  const bool clicked = pressable(frame, id, {label_width(frame, label), 26 * u});
  const bool hovered = ImGui::IsItemHovered();
  tooltip(frame, frame.words(hint));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered)
    list.AddRectFilled(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), frame.look.field, Corner::control * u);
  draw_text(list, frame.fonts, Face::ui, TypeSize::note * u, {at.x + 7 * u, at.y + 6 * u},
            hovered ? frame.look.ink : frame.look.accent, label);
  return clicked;
}

}  // namespace

void draw_mask_take(const Frame& frame, float left, ImVec2 right) {
  const float u = frame.u, apart = 12 * u;
  float width = apart;
  for (const Button& button : buttons) {
    width += label_width(frame, button.label) +
             (starts_group(button.format) ? heading_width(frame, heading(button.format)) : 0);
  }
  float x = right.x - width;
  const char* open = frame.words("mask_take.open");
  if (x - label_width(frame, open) < left) open = frame.words("mask_take.open_short");
  if (text_button(frame, "open mask", open, "mask_take.open_hint", {x - label_width(frame, open) - 2 * u, right.y}))
    open_dialog(frame, true);
  for (const Button& button : buttons) {
    if (starts_group(button.format)) {
      if (button.format != MaskFormat::npy) x += apart;
      const char* word = heading(button.format);
      draw_text(*ImGui::GetWindowDrawList(), frame.fonts, Face::ui, TypeSize::note * u, {x, right.y + 6 * u},
                frame.look.muted, frame.words(word));
      x += heading_width(frame, word);
    }
    if (text_button(frame, button.label, button.label, button.hint, {x, right.y}))
      frame.actions.push_back(TakeMask{button.format});
    x += label_width(frame, button.label);
  }
}

}  // namespace headlight
