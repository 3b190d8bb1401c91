#include <algorithm>
#include <array>
#include <span>
#include <string>
#include <vector>

#include "ui/base/look/measure.h"
#include "ui/dialogs/export/export_file.h"
#include "ui/dialogs/open/open_dialog.h"
#include "ui/parts/widgets/controls.h"
#include "ui/views/registry.h"
#include "ui/window/panels/registry.h"

namespace headlight {
namespace {

/// A circle with a beam to its right, in points.
struct Logo {
  static constexpr float side = 22, middle = 11, beam_left = 5, head_x = 8, head_radius = 7.5f;
};

/// The room of the logo and at the ends of the bar, where the program's name begins, and what is left of a document's.
struct TopBar {  // points
  static constexpr float logo = 40, ends = 28, name = 46, least_name = 72;
};

/// A head with a beam of light.
void draw_logo(const Frame& frame, ImVec2 at) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u;
  list.AddTriangleFilled({at.x + Logo::beam_left * u, at.y + Logo::middle * u}, {at.x + Logo::side * u, at.y},
                         {at.x + Logo::side * u, at.y + Logo::side * u}, fade(frame.look.q, 0.35f));
  list.AddCircleFilled({at.x + Logo::head_x * u, at.y + Logo::middle * u}, Logo::head_radius * u, frame.look.q, 32);
}

float tab_words(const Frame& frame, const ViewEntry& view) {
  return frame.width(view.kind == frame.view().kind ? Face::bold : Face::ui, TypeSize::body, frame.words(view.word));
}

/// Spacing of the buttons for this width: smaller if they would overlap, and then without the program's name.
constexpr float closest = 2;
struct Spacing {
  float pad = 13;  ///< points on either side of a button's label
  bool named = true;
};
Spacing spacing_of(const Frame& frame, float width, float name, float words, int buttons) {
  constexpr float usual = 13, close = 8;
  const auto pad = [&](float taken) { return (width - taken - words) / static_cast<float>(2 * buttons) / frame.u; };
  const float logo = TopBar::logo * frame.u, ends = TopBar::ends * frame.u;
  if (const float beside = pad(logo + name + ends); beside >= close) return {std::min(beside, usual), true};
  return {std::clamp(pad(logo + ends), closest, usual), false};
}

/// The tabs of the views, in the middle, or further left if they would reach `right`; returns their left end.
float draw_tabs(const Frame& frame, Rect place, float right, float pad) {
  if (all_views().size() < 2) return place.centre().x;
  const float u = frame.u;
  float width = 0;
  for (const ViewEntry& view : all_views()) width += tab_words(frame, view) + 2 * pad * u;
  const float left = std::min(place.centre().x - width / 2, right - width - Space::gap * u);
  ImGui::SetCursorScreenPos({left, place.centre().y - ControlHeight::bar * u / 2});
  for (const ViewEntry& view : all_views()) {
    if (bar_button(frame, view.word, frame.words(view.word), view.kind == frame.view().kind, true, pad)) {
      frame.show([kind = view.kind](View& v) { v.kind = kind; });
    }
    ImGui::SameLine(0, 0);
  }
  return left;
}

constexpr float folded_tabs = 104;  // points

/// The views as one drop-down box from `left` on, for windows as narrow as a phone's.
void draw_folded_tabs(const Frame& frame, Rect place, float left) {
  const auto all = all_views();
  const auto now = std::ranges::find(all, frame.view().kind, &ViewEntry::kind);
  ImGui::SetCursorScreenPos({left, place.centre().y - ControlHeight::bar * frame.u / 2});
  ImGui::BeginChild("views", {folded_tabs * frame.u, ControlHeight::bar * frame.u});
  if (const auto chosen =
          choice_box(frame, "##views", static_cast<int>(all.size()), static_cast<int>(now - all.begin()),
                     [&](int i) { return frame.words(all[static_cast<std::size_t>(i)].word); })) {
    frame.show([kind = all[static_cast<std::size_t>(*chosen)].kind](View& v) { v.kind = kind; });
  }
  ImGui::EndChild();
}

/// The language that a click selects: the next one that has a file.
struct OtherLanguage {
  std::string code, name;
};
const OtherLanguage& other_language(const Frame& frame) {
  const auto find = [&] {
    const std::vector<std::string> all = list_languages();
    const auto now = std::ranges::find(all, frame.words.language());
    const std::string next = now == all.end() || now + 1 == all.end() ? all.front() : *(now + 1);
    return OtherLanguage{next, language_name(next)};
  };
  return frame.pictures.get<OtherLanguage>(find, frame.words.language());
}

/// The room for the bar's parts, and which of them are shown.
struct BarPlan {
  bool links = false, undoes = false;  ///< whether there is a button for it
  bool folded = false;                 ///< the tabs are one drop-down box
  bool named = false;                  ///< the program's name is shown
  float name_width = 0;
  float pad = 0;   ///< points on either side of each label
  float from = 0;  ///< left end of the buttons that are always shown
};

BarPlan plan_of(const Frame& frame, Rect place, std::span<const char* const> buttons) {
  const float u = frame.u;
  const auto width_of = [&](const char* label, Face face = Face::ui, float size = TypeSize::body) {
    return frame.width(face, size, label);
  };
  BarPlan plan;
  plan.links = !frame.document.page.empty();
  float at_hand = 0, tab_text = 0;
  int right_buttons = 0, tabs_shown = 0;
  for (const char* label : buttons) at_hand += width_of(label), ++right_buttons;
  if (plan.links) at_hand += width_of(frame.words("link.copy")), ++right_buttons;
  for (const ViewEntry& entry : all_views()) tab_text += tab_words(frame, entry), ++tabs_shown;
  plan.name_width = width_of(frame.words("app.name"), Face::bold, TypeSize::heading);
  const float undo_words = width_of(frame.words("top.undo")) + width_of(frame.words("top.redo"));
  // In the narrowest windows, undo and redo have no buttons, only keys.
  plan.undoes =
      spacing_of(frame, place.width(), plan.name_width, at_hand + undo_words + tab_text, right_buttons + 2 + tabs_shown)
          .pad > closest;
  if (plan.undoes) at_hand += undo_words, right_buttons += 2;
  plan.folded = TopBar::logo * u + TopBar::ends * u + tab_text + at_hand +
                    2 * closest * u * static_cast<float>(right_buttons + tabs_shown) >
                place.width();
  const auto [pad, named] = plan.folded ? spacing_of(frame, place.width() - (folded_tabs + Space::gap) * u,
                                                     plan.name_width + Space::gap * u, at_hand, right_buttons)
                                        : spacing_of(frame, place.width(), plan.name_width + Space::gap * u,
                                                     at_hand + tab_text, right_buttons + tabs_shown);
  plan.pad = pad;
  plan.named = named;
  plan.from = place.max.x - Space::apart * u - at_hand - 2 * pad * u * static_cast<float>(right_buttons);
  return plan;
}

/// The document's name next to the program's: in full, or cut if most of a line is left; otherwise omitted.
void draw_document_name(const Frame& frame, float from, float to, float baseline) {
  const std::string_view name = document_name(frame.document, frame.words);
  const float room = to - from - Space::wide * frame.u;
  if (room < std::min(frame.width(Face::ui, TypeSize::body, name), TopBar::least_name * frame.u)) return;
  frame.write_elided(Face::ui, TypeSize::body, {from, baseline - Space::gap * frame.u}, frame.look.muted, name, room);
}

}  // namespace

void draw_top_bar(const Frame& frame, Rect place) {
  const PanelArea area(frame, "top_bar", place.min, place.max, frame.look.panel, {0, 0});
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u;
  list.AddLine({place.min.x, place.max.y - 1}, {place.max.x, place.max.y - 1}, frame.look.line);
  draw_logo(frame, {Space::part * u, place.centre().y - Logo::middle * u});
  const float baseline = place.centre().y;

  // From the right: the buttons that are always shown.
  const View& view = frame.view();
  const char* theme = frame.words(view.theme == Theme::light ? "top.dark" : "top.light");
  const char* open = frame.words("top.open");
  const OtherLanguage& other = other_language(frame);
  const char* language = other.name.c_str();
  const char* present = frame.words("top.present");
  const char* take = frame.words("top.export");
  const std::array always{open, take, present, language, theme};
  const auto [links, undoes, folded, named, name_width, pad, right] = plan_of(frame, place, always);
  if (named)
    frame.write(Face::bold, TypeSize::heading, {TopBar::name * u, baseline - Space::pad * u}, frame.look.ink,
                frame.words("app.name"));
  ImGui::SetCursorScreenPos({right, baseline - ControlHeight::bar * u / 2});
  const auto button = [&, pad = pad](const char* id, const char* words, bool enabled = true) {
    const bool clicked = bar_button(frame, id, words, false, enabled, pad);
    ImGui::SameLine(0, 0);
    return clicked;
  };
  const bool computed = frame.trace() != nullptr;
  if (button("open", open)) open_dialog(frame);
  if (undoes && button("undo", frame.words("top.undo"), !frame.document.undo.empty())) frame.actions.push_back(Undo{});
  if (undoes && button("redo", frame.words("top.redo"), !frame.document.redo.empty())) frame.actions.push_back(Redo{});
  if (button("export", take, computed))
    frame.show(
        [trace = frame.document.trace, own = frame.document.own](View& v) { open_export_dialog(v, *trace, own); });
  if (links && button("link", frame.words("link.copy"), computed)) frame.actions.push_back(CopyLink{});
  if (button("present", present)) frame.show([](View& v) { v.presenting = true; });
  if (button("language", language)) frame.show([code = other.code](View& v) { v.language = code; });
  if (button("theme", theme))
    frame.show([](View& v) { v.theme = v.theme == Theme::light ? Theme::dark : Theme::light; });

  if (folded)
    return draw_folded_tabs(
        frame, place,
        (named ? (TopBar::name + Space::gap) * u + name_width : (Space::part + Logo::side + Space::tight) * u));
  const float tabs = draw_tabs(frame, place, right, pad);
  if (named)
    draw_document_name(frame, TopBar::name * u + name_width + Space::card * u, std::min(tabs, right), baseline);
}

}  // namespace headlight
