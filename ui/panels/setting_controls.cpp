#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "ui/document/wanted.h"
#include "ui/panels/controls.h"
#include "ui/widgets/controls.h"

namespace headlight {
namespace {

/// The word for settings.KEY, or settings.KEY.SUFFIX.
const char* word_for(const Frame& frame, const Setting& setting, std::string_view suffix = "") {
  std::array<char, 96> key{};
  std::snprintf(key.data(), key.size(), "settings.%s%s%.*s", setting.key.c_str(), suffix.empty() ? "" : ".",
                static_cast<int>(suffix.size()), suffix.data());
  return frame.words(key.data());
}

void set(const Frame& frame, const Setting& setting, double number, bool gesture) {
  frame.edit(gesture ? setting.key : std::string(), [&setting, number](Scenario& s) { setting.set_number(s, number); });
}

/// The number that an unset setting comes to; NaN where that is none.
double in_force(const Frame& frame, const Setting& setting) {
  if (!frame.trace()) return std::nan("");
  const Dims dims = wanted_dims(frame.document);
  const struct {
    const char* key;
    Index number;
  } known[] = {{"d_query", dims.d_query},
               {"d_key", dims.d_key},
               {"d_value", dims.d_value},
               {"d_out", dims.d_out},
               {"query_offset", frame.trace()->query_offset}};
  for (const auto& one : known) {
    if (setting.key == one.key) return static_cast<double>(one.number);
  }
  return std::nan("");
}

void draw_choice(const Frame& frame, const Setting& setting) {
  note(frame, word_for(frame, setting));
  std::array<const char*, 8> labels{};
  const std::size_t count = std::min(setting.words.size(), labels.size());
  for (std::size_t i = 0; i < count; ++i) labels[i] = word_for(frame, setting, setting.words[i]);
  const int chosen = static_cast<int>(setting.number(frame.document.scenario));
  if (const auto clicked = segments(frame, setting.key.c_str(), std::span(labels.data(), count), chosen)) {
    if (*clicked != chosen) set(frame, setting, *clicked, false);
  }
}

void draw_slider(const Frame& frame, const Setting& setting) {
  const double own = setting.number(frame.document.scenario);
  const double shown_number = std::isnan(own) ? in_force(frame, setting) : own;
  const double value = std::isnan(shown_number) ? setting.slide_from : shown_number;
  std::array<char, 32> digits{};
  std::snprintf(digits.data(), digits.size(), "%.6g", value);
  const char* shown = std::isnan(shown_number) ? word_for(frame, setting, "unset") : digits.data();
  const auto chosen = float_slider(frame, setting.key.c_str(), word_for(frame, setting), static_cast<float>(value),
                                   static_cast<float>(setting.slide_from), static_cast<float>(setting.slide_to), shown);
  if (!chosen) return;
  double number = static_cast<double>(*chosen);
  if (setting.control == Control::whole_slider) number = std::round(number);
  if (setting.key == "rotary_dim") number = 2 * std::round(number / 2);  // pairs
  const bool unsets = number == 0 && !setting.range.holds(0);
  if (unsets ? !std::isnan(own) : number != own) set(frame, setting, unsets ? std::nan("") : number, true);
}

void draw_text_setting(const Frame& frame, const Setting& setting) {
  note(frame, word_for(frame, setting));
  const std::string* own = setting.string(frame.document.scenario);
  const std::string written = own ? std::string() : setting.text(frame.document.scenario).value_or("");
  std::array<char, 96> id{};
  std::snprintf(id.data(), id.size(), "##%s", setting.key.c_str());  // the word stands above the field, not beside it
  if (const auto typed = text_field(frame, id.data(), own ? *own : written, Face::ui)) {
    frame.edit({}, [&setting, typed = *typed](Scenario& s) { setting.apply(s, setting.option, typed); });
  }
}

void draw_toggle(const Frame& frame, const Setting& setting, ChipFlow& flow) {
  const bool on = setting.number(frame.document.scenario) != 0;
  if (flow.chip(setting.key.c_str(), word_for(frame, setting), on)) set(frame, setting, on ? 0 : 1, false);
}

}  // namespace

void draw_setting(const Frame& frame, const Setting& setting) {
  ChipFlow flow(frame);
  switch (setting.control) {
    case Control::toggle: return draw_toggle(frame, setting, flow);
    case Control::choice: return draw_choice(frame, setting);
    case Control::slider:
    case Control::whole_slider: return draw_slider(frame, setting);
    case Control::text:
    case Control::own: return draw_text_setting(frame, setting);
  }
}

void draw_settings(const Frame& frame, SettingGroup group) {
  std::optional<ChipFlow> flow;  // toggles that follow each other share lines
  for (const Setting& setting : all_settings()) {
    if (setting.group != group || setting.control == Control::own) continue;
    if (setting.applies != nullptr && !setting.applies(frame.document.scenario)) continue;
    if (setting.control == Control::toggle) {
      if (!flow) flow.emplace(frame);
      draw_toggle(frame, setting, *flow);
    } else {
      flow.reset();
      draw_setting(frame, setting);
    }
  }
}

void draw_variant_controls(const Frame& frame) {
  section(frame, frame.words("controls.variants"));
  draw_settings(frame, SettingGroup::variants);
  if (frame.document.scenario.source == Source::file) return;
  note(frame, frame.words("controls.projections"));
  const Scenario& now = frame.document.scenario;
  ChipFlow flow(frame);
  const auto toggle = [&](const char* id, const char* word, bool on, auto set) {
    if (flow.chip(id, frame.words(word), on)) frame.edit({}, [set, on](Scenario& s) { set(s, !on); });
  };
  toggle("bias", "settings.bias", now.bias.value_or(true), [](Scenario& s, bool on) { s.bias = on; });
  toggle("output_projection", "settings.output_projection", now.output_projection.value_or(true),
         [](Scenario& s, bool on) { s.output_projection = on; });
  toggle("packed", "settings.packed", now.packed, [](Scenario& s, bool on) { s.packed = on; });
}

void draw_dropout_controls(const Frame& frame) {
  const Scenario& now = frame.document.scenario;
  section(frame, frame.words("controls.dropout"));
  constexpr const char* modes[] = {"controls.evaluation", "controls.training"};
  if (const auto mode = pick(frame, "mode", modes, now.training ? 1 : 0))
    frame.edit({}, [training = *mode == 1](Scenario& s) { s.training = training; });
  draw_settings(frame, SettingGroup::dropout);
  note(frame, frame.words(now.training && now.dropout > 0 ? "controls.dropout_acts" : "controls.dropout_idle"));
}

void draw_further_controls(const Frame& frame) {
  section(frame, frame.words("controls.more"));
  draw_settings(frame, SettingGroup::more);
}

}  // namespace headlight
