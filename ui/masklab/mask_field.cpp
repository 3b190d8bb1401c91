#include "ui/masklab/mask_field.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/mask/expression.h"
#include "core/tensor/error.h"
#include "ui/imgui_compat.h"
#include "ui/masklab/mask_picture.h"
#include "ui/widgets/scenario_controls.h"

namespace headlight {
namespace {

/// Where and why the draft does not parse.
void draw_trouble(const Frame& frame) {
  const float mono = 12 * frame.u;
  const float digit = text_size(frame.fonts, Face::mono, mono, "0").x;
  const auto columns = static_cast<std::size_t>(std::max(ImGui::GetContentRegionAvail().x / digit - 1, 12.0f));
  const MaskTextPicture& picture = mask_text_picture(frame, columns);
  compat::push_font(frame.fonts.pick(Face::mono, mono), mono);
  ImGui::PushStyleColor(ImGuiCol_Text, frame.look.warning);
  ImGui::TextUnformatted(picture.trouble.c_str());
  ImGui::PopStyleColor();
  ImGui::PopFont();
  note(frame, picture.sentence);
}

Choices steps_of(const Parameter& parameter, Index value, Index most) {
  const auto least = static_cast<Index>(parameter.minimum);
  const auto last = static_cast<Index>(std::min(parameter.maximum, static_cast<double>(std::max({most, value, least + 1}))));
  return Choices(least, std::min(last, least + 4096));
}

/// One argument's slider; gives the number it was moved to.
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
  char shown[24];
  std::snprintf(shown, sizeof shown, "%.3g", value);
  const auto change = float_slider(frame, id, label, static_cast<float>(value), static_cast<float>(parameter.minimum),
                                   static_cast<float>(std::min(parameter.maximum, 1e6)), shown);
  if (!change) return std::nullopt;
  return std::round(static_cast<double>(*change) * 1000) / 1000;
}

/// One argument's slider, which writes itself into the text; true where it moved.
bool draw_slider(const Frame& frame, const MaskArgument& argument) {
  const auto chosen = argument_slider(frame, argument);
  if (!chosen) return false;
  const MaskExpression& expression = *mask_text_picture(frame, 0).expression;
  frame.edit(argument.id, [mask = with_argument(expression, argument.call, argument.place, *chosen)](Scenario& s) { s.mask = mask; });
  return true;
}

/// padding() needs lengths: where there are none, every entry is some keys shorter than the one before; but the words of
/// a text are none of them padding.
void give_lengths(const Dims& dims, Scenario& scenario) {
  if (!scenario.valid_lens.empty()) return;
  for (Index b = 0; b < dims.batch; ++b) scenario.valid_lens.push_back({scenario.source == Source::text ? dims.n_k : std::max<Index>(dims.n_k - 1 - b, 1)});
}

}  // namespace

void type_mask(const Frame& frame, const std::string& text) {
  std::optional<std::string> draft;
  const bool blank = text.find_first_not_of(" \t") == std::string::npos;
  try {
    const bool pads = !blank && MaskExpression::parse(text).calls("padding") && !frame.trace()->inputs.valid_lens.defined();
    frame.edit("mask text", [mask = blank ? std::string() : text, pads, dims = frame.trace()->dims()](Scenario& s) {
      s.mask = mask;
      if (pads) give_lengths(dims, s);
    });
  } catch (const ExpressionError&) {
    draft = text;
  }
  if (draft != frame.view().mask_draft) frame.show([draft](View& v) { v.mask_draft = draft; });
}

void draw_mask_field(const Frame& frame, const char* id) {
  const std::optional<std::string>& draft = frame.view().mask_draft;
  const std::string& text = draft ? *draft : frame.document.scenario.mask;
  if (const auto typed = text_field(frame, id, text, Face::mono, true, mask_in_force(frame).c_str())) type_mask(frame, *typed);
  if (draft) draw_trouble(frame);
}

void draw_pattern_sliders(const Frame& frame) {
  if (pattern_slider_count(frame) == 0) return;
  for (const MaskArgument& argument : mask_text_picture(frame, 0).arguments) {
    if (draw_slider(frame, argument)) return;
  }
}

int pattern_slider_count(const Frame& frame) {
  if (frame.document.scenario.mask.empty() || frame.view().mask_draft) return 0;
  return static_cast<int>(mask_text_picture(frame, 0).arguments.size());
}

void draw_pattern_sliders_in_row(const Frame& frame, float width, float gap) {
  bool first = true;
  for (const MaskArgument& argument : mask_text_picture(frame, 0).arguments) {
    if (!first) ImGui::SameLine(0, gap);
    first = false;
    ImGui::PushID(argument.id.c_str());
    ImGui::BeginChild("slider", {width, 40 * frame.u}, false, ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
    const bool moved = draw_slider(frame, argument);
    ImGui::EndChild();
    ImGui::PopID();
    if (moved) return;
  }
}

}  // namespace headlight
