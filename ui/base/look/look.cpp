#include "ui/base/look/look.h"

namespace headlight {
namespace {

ImU32 hex(std::string_view digits) { return to_imgui(rgb(digits)); }

/// The hue, changed towards the text colour until its contrast is 4.5 : 1 on every ground of the theme.
Rgba readable(Rgba hue, Theme theme) {
  const Rgba ground = theme == Theme::light ? rgb("F4F5F2") : colours(theme).card;
  Rgba ink = hue;
  for (float share = 0.05f; contrast(ink, ground) < 4.6f && share < 1; share += 0.05f)
    ink = mix(hue, colours(theme).ink, share);
  return ink;
}

// Neighbours also differ in lightness, since the words are next to each other.
constexpr std::array<std::string_view, 12> words_on_light{"7A8599", "0B6E66", "D0742A", "6D28D9", "2F93C8", "9D1F4F",
                                                          "5B9A3C", "6B4423", "D1609F", "27408B", "B0861F", "4C5B14"};
constexpr std::array<std::string_view, 12> words_on_dark{"A9B4C6", "2FA396", "F5A45C", "9A6BF0", "7CC6EE", "E0567F",
                                                         "A4D67B", "B07B4F", "F2A3CE", "6C8AE4", "E8C75A", "8A9B3C"};

Look make(Theme theme) {
  const ThemeColours& shared = colours(theme);
  Look look;
  look.theme = theme;
  look.card = to_imgui(shared.card);
  look.ink = to_imgui(shared.ink);
  look.muted = to_imgui(shared.muted);
  look.line = to_imgui(shared.line);
  for (std::size_t h = 0; h < look.heads.size(); ++h) {
    look.heads[h] = to_imgui(shared.heads[h]);
    look.head_inks[h] = to_imgui(readable(shared.heads[h], theme));
  }
  for (std::size_t k = 0; k < look.words.size(); ++k) {
    const Rgba hue = rgb((theme == Theme::light ? words_on_light : words_on_dark)[k]);
    look.words[k] = to_imgui(hue);
    look.word_inks[k] = to_imgui(readable(hue, theme));
  }
  look.allowed = to_imgui(shared.allowed);
  look.q = to_imgui(shared.query);
  look.k = to_imgui(shared.key);
  look.v = to_imgui(shared.value);
  look.after = to_imgui(shared.after);
  look.accent = look.ink;
  const bool light = theme == Theme::light;
  look.window = hex(light ? "F4F5F2" : "12151A");
  look.panel = look.knob = hex(light ? "FFFFFF" : "191D24");
  look.field = hex(light ? "EEF0F3" : "262C36");
  look.field_hover = hex(light ? "E4E7EC" : "303846");
  look.warning = hex(light ? "9A3412" : "FFC38A");
  look.warning_ground = hex(light ? "FFF4E5" : "3A2A18");
  look.shadow = light ? IM_COL32(20, 30, 50, 22) : 0;
  if (light) look.muted = hex("5F6978");  // has a contrast of 4.5 : 1 on every ground
  look.pointed = look.muted;
  return look;
}

}  // namespace

ImU32 Look::lane(Stage stage) const {
  if (is_input(stage)) return ink;
  switch (info(stage).lane) {
    case Lane::query: return q;
    case Lane::key: return k;
    case Lane::value: return v;
    case Lane::scores: return ink;
    case Lane::weights:
    case Lane::outputs: return after;
  }
  return ink;
}

const Look& look(Theme theme) {
  static const Look light = make(Theme::light);
  static const Look dark = make(Theme::dark);
  return theme == Theme::light ? light : dark;
}

void apply_style(const Look& look, float scale) {
  ImGuiStyle style;
  style.WindowRounding = 8;
  style.PopupRounding = 8;
  style.FrameRounding = 6;
  style.GrabRounding = 6;
  style.ScrollbarRounding = 6;
  style.ScrollbarSize = 8;
  style.WindowBorderSize = 0;
  style.FrameBorderSize = 0;
  style.PopupBorderSize = 1;
  style.WindowPadding = {12, 10};
  style.FramePadding = {10, 6};
  style.ItemSpacing = {8, 8};
  style.ScaleAllSizes(scale);
  const auto set = [&](ImU32 colour, std::initializer_list<ImGuiCol> parts) {
    for (const ImGuiCol part : parts) style.Colors[part] = ImGui::ColorConvertU32ToFloat4(colour);
  };
  set(0, {ImGuiCol_ChildBg, ImGuiCol_ScrollbarBg});
  set(look.ink, {ImGuiCol_Text});
  set(look.muted, {ImGuiCol_TextDisabled, ImGuiCol_ScrollbarGrabHovered, ImGuiCol_ScrollbarGrabActive});
  set(look.panel, {ImGuiCol_WindowBg});
  set(look.card, {ImGuiCol_PopupBg});
  set(look.line, {ImGuiCol_Border});
  set(look.field, {ImGuiCol_FrameBg, ImGuiCol_Button, ImGuiCol_Header});
  set(look.field_hover, {ImGuiCol_FrameBgHovered, ImGuiCol_FrameBgActive, ImGuiCol_ScrollbarGrab,
                         ImGuiCol_ButtonHovered, ImGuiCol_ButtonActive, ImGuiCol_HeaderHovered, ImGuiCol_HeaderActive});
  set(look.accent, {ImGuiCol_CheckMark, ImGuiCol_NavHighlight});
  set(fade(look.accent, 0.3f), {ImGuiCol_TextSelectedBg});
  ImGui::GetStyle() = style;
}

ImU32 to_imgui(Rgba colour) { return IM_COL32(colour.r, colour.g, colour.b, colour.a); }

ImU32 fade(ImU32 colour, float alpha) {
  const auto a = static_cast<float>((colour >> IM_COL32_A_SHIFT) & 0xFF) * alpha;
  return (colour & ~IM_COL32_A_MASK) | (static_cast<ImU32>(a) << IM_COL32_A_SHIFT);
}

}  // namespace headlight
