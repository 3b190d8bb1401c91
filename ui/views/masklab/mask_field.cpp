#include "ui/views/masklab/mask_field.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/rules/mask/expression.h"
#include "ui/base/document/wanted.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/look/measure.h"
#include "ui/imgui_compat.h"
#include "ui/parts/widgets/card.h"
#include "ui/parts/widgets/controls.h"
#include "ui/parts/widgets/paragraph.h"
#include "ui/parts/widgets/pressable.h"
#include "ui/views/masklab/mask_picture.h"

namespace headlight {
namespace {

constexpr float least_trouble = 420, tile_line = 15, slider_height = 40;  // points

/// Where and why the text does not parse, and which mask is in use meanwhile; drawn over what is below the field, so
/// that nothing moves.
void draw_trouble(const Frame& frame, const Rect& field) {
  const float u = frame.u, mono = TypeSize::body * u, size = TypeSize::body * u, pad = Space::apart * u;
  const ImVec2 window = ImGui::GetIO().DisplaySize;
  const float width = std::min(std::max(field.width(), least_trouble * u), window.x - 2 * Space::gap * u);
  const float digit = text_size(frame.fonts, Face::mono, mono, "0").x;
  const MaskTextPicture& picture =
      mask_text_picture(frame, static_cast<std::size_t>(std::max((width - 2 * pad) / digit - 1, 12.0f)));
  const std::string& old = frame.document.scenario.mask;
  const auto tell = [&] {
    return std::pair(frame.words.translate(picture.sentence),
                     frame.words.fill("mask_lab.still", {old.empty() ? mask_in_force(frame) : old}));
  };
  const auto& told = frame.pictures.kept(tell, picture.text, old, frame.words.language());
  const auto lines = [&](ImDrawList* list, ImVec2 at) {
    float y = at.y;
    for (const std::string_view line : Split(picture.trouble, '\n')) {
      if (list) draw_text(*list, frame.fonts, Face::mono, mono, {at.x, y}, frame.look.warning, line);
      y += Space::part * u;
    }
    y += Space::fine * u + draw_paragraph(list, frame.fonts, Face::ui, size, {at.x, y + Space::fine * u},
                                          frame.look.ink, told.first, width - 2 * pad);
    y += Space::tight * u + draw_paragraph(list, frame.fonts, Face::ui, size, {at.x, y + Space::tight * u},
                                           frame.look.muted, told.second, width - 2 * pad);
    return y - at.y;
  };
  const float height = lines(nullptr, {}) + 2 * pad, below = field.max.y + Space::tight * u;
  const bool has_room = below + height <= window.y - Space::gap * u;
  const ImVec2 min{std::min(field.min.x, window.x - width - Space::gap * u),
                   has_room ? below : field.min.y - Space::tight * u - height};
  const ImVec2 max{min.x + width, min.y + height};
  lines(&draw_warning_plate(frame, {min, max}), {min.x + pad, min.y + pad});
}

/// The values of the slider of a whole number.
Choices steps_of(const Parameter& parameter, Index value, Index most) {
  const auto least = static_cast<Index>(parameter.minimum);
  const auto last =
      static_cast<Index>(std::min(parameter.maximum, static_cast<double>(std::max({most, value, least + 1}))));
  return Choices(least, std::min(last, least + 4096));
}

/// A slider for one argument; returns its new value if it was moved.
std::optional<double> argument_slider(const Frame& frame, const MaskArgument& argument) {
  const Parameter& parameter = *argument.parameter;
  const double value = argument.value;
  const char* id = argument.id.c_str();
  const char* label = argument.label.c_str();
  if (parameter.whole) {
    const Dims& dims = frame.trace()->dims();
    const auto now = static_cast<Index>(std::lround(value));
    const auto change = int_slider(frame, id, label, now, steps_of(parameter, now, std::max(dims.n_q, dims.n_k)));
    if (!change) return std::nullopt;
    return static_cast<double>(change->value);
  }
  const auto change =
      float_slider(frame, id, label, static_cast<float>(value), static_cast<float>(parameter.minimum),
                   static_cast<float>(std::min(parameter.maximum, 1e6)), with_minus(formatted("%.3g", value)).c_str());
  if (!change) return std::nullopt;
  return std::round(static_cast<double>(*change) * 1000) / 1000;
}

/// A slider for one argument that updates the text; returns whether it moved.
bool draw_slider(const Frame& frame, const MaskArgument& argument) {
  const auto chosen = argument_slider(frame, argument);
  if (!chosen) return false;
  const MaskExpression& expression = *mask_text_picture(frame, 0).expression;
  frame.edit(argument.id, [mask = with_argument(expression, argument.call, argument.place, *chosen)](Scenario& s) {
    s.mask = mask;
  });
  return true;
}

/// padding() needs lengths. If there are none, each entry gets fewer keys than the one before; but the words of a text
/// are never padding.
void give_lengths(const Dims& dims, Scenario& scenario) {
  if (!scenario.valid_lens.empty()) return;
  for (Index b = 0; b < dims.batch; ++b)
    scenario.valid_lens.push_back({scenario.source == Source::text ? dims.n_k : std::max<Index>(dims.n_k - 1 - b, 1)});
}

constexpr float tile_height = 96, tile_width = 168, flat_tile_height = 56, flat_tile_width = 230;
constexpr float tile_gap = 6;
int columns_in(float width, float row, float u) {
  const bool flat = row < tile_height * u;
  return std::max(static_cast<int>(width / ((flat ? flat_tile_width : tile_width) * u)), 2);
}

/// What a click on a pattern does: the view's choice, unless Shift or Ctrl is held.
Combine combine_in_force(const Frame& frame) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.KeyShift) return Combine::either;
  return io.KeyCtrl ? Combine::both : frame.view().mask_painting.combine;
}

/// What a pattern joins: the mask in force, also where no expression is typed and it is the padding's, the file's or
/// the model's.
const std::string& mask_to_combine(const Frame& frame) {
  const std::string& typed = frame.document.scenario.mask;
  return typed.empty() ? mask_in_force(frame) : typed;
}

/// Draws a pattern of the palette at the cursor; returns whether it was clicked.
bool tile(const Frame& frame, const PatternTile& pattern, ImVec2 size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = pressable(frame, pattern.signature.c_str(), size);
  const bool hovered = ImGui::IsItemHovered();
  tooltip(frame, pattern.hint);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float u = frame.u;
  const ImVec2 end{at.x + size.x, at.y + size.y};
  list.AddRectFilled(at, end, frame.look.card, Corner::control * u);
  compat::add_rect(list, at, end, hovered ? frame.look.accent : frame.look.line, Corner::control * u, 1);
  MatrixQuad quad;
  const auto lines = static_cast<float>(pattern.lines.size());
  const bool flat = size.y < tile_height * u;  // the text beside the picture
  const float side =
      flat ? size.y - 2 * Space::near * u : size.y - (Space::card + tile_line * std::max(lines, 2.0f)) * u;
  quad.min = {flat ? at.x + Space::near * u : std::round(at.x + (size.x - side) / 2),
              at.y + (flat ? Space::near : Space::close) * u};
  quad.max = {quad.min.x + side, quad.min.y + side};
  quad.values = quad.mask = pattern.mask;
  quad.theme = frame.look.theme;
  quad.colormap = &window_colormap(frame.view(), Stage::mask);
  quad.range = {0, 1};
  frame.painter.draw(list, quad);
  // The text that a click inserts.
  const Rect words = flat ? Rect{{quad.max.x + Space::near * u, at.y}, end} : Rect{at, end};
  float y = flat ? words.centre().y - tile_line * lines * u / 2
                 : end.y - (pattern.lines.size() > 1 ? Space::close + tile_line * lines : 27) * u;
  for (const std::string& line : pattern.lines) {
    const float width = std::min(frame.width(Face::mono, TypeSize::note, line), words.width() - Space::gap * u);
    frame.write_elided(Face::mono, TypeSize::note, {flat ? words.min.x : words.centre().x - width / 2, y},
                       frame.look.muted, line, width);
    y += tile_line * u;
  }
  return clicked;
}

}  // namespace

void type_mask(const Frame& frame, const std::string& text) {
  std::optional<std::string> draft;
  const bool blank = !is_filled(text);
  try {
    const bool pads =
        !blank && MaskExpression::parse(text).calls("padding") && !frame.trace()->inputs.valid_lens.defined();
    frame.edit("mask text", [mask = blank ? std::string() : text, pads, trace = frame.document.trace](Scenario& s) {
      s.mask = mask;
      if (pads) give_lengths(wanted_dims(s, *trace), s);
    });
  } catch (const ExpressionError&) { draft = text; }
  if (draft != frame.view().mask_draft) frame.show([draft](View& v) { v.mask_draft = draft; });
}

void draw_mask_field(const Frame& frame, const char* id, Trouble trouble) {
  const std::optional<std::string>& draft = frame.view().mask_draft;
  const std::string& text = draft ? *draft : frame.document.scenario.mask;
  // The mask changes when its text is finished: the beginning of an expression can be an expression with another
  // meaning ("k > 7" of "k > 7 - q").
  if (const auto typed =
          text_field(frame, id, text, Face::mono, false, mask_in_force(frame).c_str(), AfterEnter::goes_on))
    type_mask(frame, *typed);
  if (draft && trouble == Trouble::here) draw_trouble(frame, {ImGui::GetItemRectMin(), ImGui::GetItemRectMax()});
}

void draw_pattern_sliders(const Frame& frame) {
  if (pattern_slider_count(frame) == 0 || frame.view().mask_draft) return;
  for (const MaskArgument& argument : mask_text_picture(frame, 0).arguments) {
    if (draw_slider(frame, argument)) return;
  }
}

int pattern_slider_count(const Frame& frame) {
  const std::string& mask = frame.document.scenario.mask;
  if (mask.empty()) return 0;
  // While the text does not parse, the sliders of the mask in use keep their place.
  return frame.pictures.kept([&] { return static_cast<int>(make_mask_text_picture(mask, 0).arguments.size()); }, mask);
}

void draw_pattern_sliders_in_row(const Frame& frame, float width, float gap) {
  if (frame.view().mask_draft) return;
  bool first = true;
  for (const MaskArgument& argument : mask_text_picture(frame, 0).arguments) {
    if (!first) ImGui::SameLine(0, gap);
    first = false;
    ImGui::PushID(argument.id.c_str());
    ImGui::BeginChild("slider", {width, slider_height * frame.u}, false,
                      ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar |
                          ImGuiWindowFlags_NoScrollWithMouse);
    const bool moved = draw_slider(frame, argument);
    ImGui::EndChild();
    ImGui::PopID();
    if (moved) return;
  }
}

namespace {

/// The parts that an expression joins with && (or with ||), outside parentheses; the whole in parentheses if it joins
/// them otherwise.
std::vector<std::string> parts_of(const std::string& text, char joint) {
  std::vector<std::string> parts{""};
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    const bool joins = depth == 0 && (c == '&' || c == '|');
    if ((joins && c != joint) || (depth == 0 && c == '?')) return {"(" + text + ")"};
    if (joins) parts.emplace_back(), ++i;
    else if (c != ' ' || !parts.back().empty()) parts.back() += c;
  }
  for (std::string& part : parts) part.erase(part.find_last_not_of(' ') + 1);
  return parts;
}

/// "!causal()", or "!(a && b)" of what is not one call of a pattern.
std::string negated(const std::string& mask) {
  const std::size_t open = mask.find_first_not_of("abcdefghijklmnopqrstuvwxyz_0123456789");
  const bool is_call = open != std::string::npos && open > 0 && mask[open] == '(' && mask.find(')') == mask.size() - 1;
  return is_call ? "!" + mask : "!(" + mask + ")";
}

}  // namespace

std::string combined(const std::string& old, const std::string& added, Combine how) {
  const std::string never = negated(added);
  if (how == Combine::replace) return added;
  if (old.empty() || old == "full()")  // there is nothing that it could be combined with
    return how == Combine::without ? never : added;
  const char joint = how == Combine::either ? '|' : '&';
  std::vector<std::string> parts = parts_of(old, joint);
  const std::vector<std::string> more = how == Combine::without ? std::vector{never} : parts_of(added, joint);
  std::string text;
  std::ranges::copy_if(more, std::back_inserter(parts),
                       [&](const std::string& part) { return std::ranges::find(parts, part) == parts.end(); });
  for (const std::string& part : parts) text += (text.empty() ? "" : std::string{' ', joint, joint, ' '}) + part;
  return text;
}

void draw_combine_choice(const Frame& frame) {
  constexpr const char* words[] = {"mask_paint.replace", "mask_paint.and", "mask_paint.or", "mask_paint.and_not"};
  const Combine now = combine_in_force(frame);
  for (int i = 0; i < 4; ++i) {
    if (i > 0) ImGui::SameLine(0, Space::thin * frame.u);
    if (!chip(frame, words[i], frame.words(words[i]), static_cast<int>(now) == i)) continue;
    frame.show([i](View& v) { v.mask_painting.combine = static_cast<Combine>(i); });
  }
}

float palette_row(float u, float room) {
  const float high = (tile_height + tile_gap) * u;
  return room >= 2 * high ? high : (flat_tile_height + tile_gap) * u;
}

int palette_rows(const Frame& frame, float width, float row_height) {
  const int columns = columns_in(width, row_height, frame.u);
  return (static_cast<int>(palette_picture(frame).size()) + columns - 1) / columns;
}

void draw_palette(const Frame& frame, Rect area, float row_height) {
  const float u = frame.u, gap = tile_gap * u;
  ImGui::SetCursorScreenPos(area.min);
  ImGui::PushStyleVar(ImGuiStyleVar_ScrollbarSize, Space::near * u);
  ImGui::BeginChild("palette", {area.width(), area.height()}, false,
                    ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav);
  const float room = ImGui::GetContentRegionAvail().x;
  const int columns = columns_in(room, row_height, u);
  const float width = (room - gap * static_cast<float>(columns - 1)) / static_cast<float>(columns);
  const ImVec2 origin = ImGui::GetCursorScreenPos();
  const std::vector<PatternTile>& tiles = palette_picture(frame);
  for (std::size_t i = 0; i < tiles.size(); ++i) {
    const auto column = static_cast<float>(i % static_cast<std::size_t>(columns));
    const auto row = static_cast<float>(i / static_cast<std::size_t>(columns));
    ImGui::SetCursorScreenPos({origin.x + column * (width + gap), origin.y + row * row_height});
    if (tile(frame, tiles[i], {width, row_height - gap})) {
      type_mask(frame, combined(mask_to_combine(frame), tiles[i].expression, combine_in_force(frame)));
    }
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

}  // namespace headlight
