// The settings in the left panel, and the mask: an expression, the four most common patterns, and their numbers.
#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <optional>

#include "core/base/text/number_text.h"
#include "core/scenario/inputs/inputs.h"
#include "ui/base/document/wanted.h"
#include "ui/base/look/measure.h"
#include "ui/parts/widgets/controls.h"
#include "ui/views/masklab/mask_field.h"
#include "ui/window/panels/controls.h"

namespace headlight {
namespace {

/// The text of settings.KEY, or settings.KEY.SUFFIX.
const char* word_for(const Frame& frame, const Setting& setting, std::string_view suffix = "") {
  std::array<char, 96> key{};
  std::snprintf(key.data(), key.size(), "settings.%s%s%.*s", setting.key.c_str(), suffix.empty() ? "" : ".",
                static_cast<int>(suffix.size()), suffix.data());
  return frame.words(key.data());
}

void set(const Frame& frame, const Setting& setting, double number, bool gesture) {
  frame.edit(gesture ? setting.key : std::string(), [&setting, number](Scenario& s) { setting.set_number(s, number); });
}

/// The value in effect for an unset setting; NaN if there is none.
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
  const std::string digits = with_minus(formatted("%.6g", value));
  const char* shown = std::isnan(shown_number) ? word_for(frame, setting, "unset") : digits.c_str();
  const auto chosen = float_slider(frame, setting.key.c_str(), word_for(frame, setting), static_cast<float>(value),
                                   static_cast<float>(setting.slide_from), static_cast<float>(setting.slide_to), shown);
  if (!chosen) return;
  double number = static_cast<double>(*chosen);
  if (setting.control == Control::whole_slider) number = std::round(number);
  if (setting.key == "rotary_dim") number = 2 * std::round(number / 2);  // a number of pairs
  const bool unsets = number == 0 && !setting.range.holds(0);
  if (unsets ? !std::isnan(own) : number != own) set(frame, setting, unsets ? std::nan("") : number, true);
}

void draw_text_setting(const Frame& frame, const Setting& setting) {
  note(frame, word_for(frame, setting));
  const std::string* own = setting.string(frame.document.scenario);
  const std::string written = own ? std::string() : setting.text(frame.document.scenario).value_or("");
  std::array<char, 96> id{};
  std::snprintf(id.data(), id.size(), "##%s", setting.key.c_str());  // the label is above the field, not next to it
  if (const auto typed = text_field(frame, id.data(), own ? *own : written, Face::ui)) {
    frame.edit({}, [&setting, typed = *typed](Scenario& s) { setting.apply(s, setting.option, typed); });
  }
}

void draw_toggle(const Frame& frame, const Setting& setting, ChipFlow& flow) {
  const bool on = setting.number(frame.document.scenario) != 0;
  if (flow.chip(setting.key.c_str(), word_for(frame, setting), on)) set(frame, setting, on ? 0 : 1, false);
}

/// One length per batch entry; empty if each query has its own, or if there are none.
std::vector<Index> wanted_lengths(const Document& document) {
  std::vector<Index> lengths;
  for (const std::vector<Index>& entry : document.scenario.valid_lens) {
    if (entry.size() != 1) return {};
    lengths.push_back(entry.front());
  }
  const Tensor& known = document.trace->inputs.valid_lens;
  if (!lengths.empty() || !known.defined() || known.rank() != 1) return lengths;
  for (Index b = 0; b < known.size(0); ++b) lengths.push_back(std::lround(known.at({b})));
  return lengths;
}

void draw_lengths(const Frame& frame) {
  const Dims dims = wanted_dims(frame.document);
  const ControlsPicture& picture = controls_picture(frame);
  if (frame.document.scenario.mask != "padding()") return;
  const std::vector<Index>& lens = frame.pictures.kept([&] { return wanted_lengths(frame.document); },
                                                       frame.document.trace, frame.document.scenario.valid_lens);
  for (Index b = 0; b < std::min<Index>(std::ssize(picture.length_labels), std::ssize(lens)); ++b) {
    const std::string id = "length" + std::to_string(b);
    const char* label = picture.length_labels[static_cast<std::size_t>(b)].c_str();
    if (const auto change =
            int_slider(frame, id.c_str(), label, lens[static_cast<std::size_t>(b)], Choices(0, dims.n_k))) {
      frame.edit(id, [lens, b, length = change->value](Scenario& s) {
        if (s.valid_lens.size() != lens.size()) {
          s.valid_lens.clear();
          for (const Index one : lens) s.valid_lens.push_back({one});
        }
        s.valid_lens[static_cast<std::size_t>(b)] = {length};
      });
    }
  }
}

void mask_chip(const Frame& frame, const char* id, const char* expression, bool chosen, float width) {
  char key[48];
  std::snprintf(key, sizeof key, "controls.mask_%s", id);
  if (chip(frame, id, frame.words(key), chosen, width) && !chosen) type_mask(frame, expression);
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
  std::optional<ChipFlow> flow;  // consecutive toggles share lines
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

void draw_mask_controls(const Frame& frame) {
  section(frame, frame.words("controls.mask"));
  const Scenario& now = frame.document.scenario;
  const Trace& trace = *frame.trace();
  const View& view = frame.view();
  const bool in_lab = view.kind == ViewKind::mask && view.mask_lab.tab == MaskTab::patterns;  // it has the larger field
  draw_mask_field(frame, "##mask", in_lab ? Trouble::elsewhere : Trouble::here);
  char window[48];
  std::snprintf(window, sizeof window, "causal() && window(%lld)", static_cast<long long>((trace.dims().n_k + 1) / 2));
  const float gap = Space::tight * frame.u;
  const float each = (ImGui::GetContentRegionAvail().x - gap) / 2;
  const bool file_masks = trace.inputs.has_file_mask() || (trace.inputs.valid_lens.defined() && now.valid_lens.empty());
  const bool model_masks = network_of(trace.inputs) != nullptr && now.mask.empty() && trace.has(Stage::mask);
  mask_chip(frame, model_masks ? "of_model" : file_masks ? "of_file" : "none", "", now.mask.empty(), each);
  ImGui::SameLine(0, gap);
  mask_chip(frame, "causal", "causal()", now.mask == "causal()", each);
  mask_chip(frame, "window", window, now.mask.starts_with("causal() && window("), each);
  ImGui::SameLine(0, gap);
  mask_chip(frame, "padding", "padding()", now.mask == "padding()", each);
  draw_pattern_sliders(frame);
  draw_lengths(frame);
  if (trace.has(Stage::mask)) draw_settings(frame, SettingGroup::mask);
  if (trace.has(Stage::mask)) note(frame, controls_picture(frame).masked);
}

}  // namespace headlight
