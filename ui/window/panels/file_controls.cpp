// File settings in the left panel: the assumptions made about a file, and the choices they leave.
#include <algorithm>
#include <string_view>
#include <utility>

#include "core/scenario/settings/settings_table.h"
#include "ui/base/look/measure.h"
#include "ui/dialogs/open/opener.h"
#include "ui/window/panels/controls.h"

namespace headlight {
namespace {

/// A choice between a few options, below a small heading.
template <typename Choice>
void choose(const Frame& frame, const char* id, const char* heading, std::initializer_list<const char*> keys,
            Choice Scenario::*member) {
  note(frame, frame.words(heading));
  if (const auto clicked =
          pick(frame, id, std::span(keys.begin(), keys.size()), static_cast<int>(frame.document.scenario.*member)))
    frame.edit({}, [member, i = *clicked](Scenario& s) { s.*member = static_cast<Choice>(i); });
}

/// The translation keys of the headings that core gives to assumptions.
constexpr std::pair<std::string_view, const char*> headings[] = {{"layer", "taken.layer"},
                                                                 {"projections", "taken.projections"},
                                                                 {"output projection", "taken.output"},
                                                                 {"heads", "taken.heads"},
                                                                 {"key/value heads", "taken.kv_heads"},
                                                                 {"inputs", "taken.inputs"},
                                                                 {"batch", "taken.batch"},
                                                                 {"mask", "taken.mask"},
                                                                 {"bias", "taken.bias"},
                                                                 {"fill", "taken.fill"},
                                                                 {"not used", "taken.unused"},
                                                                 {"edits", "taken.edits"},
                                                                 {"positions", "taken.positions"},
                                                                 {"tokens", "taken.tokens"},
                                                                 {"norm", "taken.norm"},
                                                                 {"model", "taken.model"},
                                                                 {"text", "taken.text"},
                                                                 {"knocked out", "taken.knocked_out"},
                                                                 {"changed", "taken.changed"},
                                                                 {"scale", "taken.scale"},
                                                                 {"soft-cap", "taken.softcap"},
                                                                 {"dropout", "taken.dropout"},
                                                                 {"QK-norm", "taken.qk_norm"},
                                                                 {"sinks", "taken.sinks"},
                                                                 {"values", "taken.values"},
                                                                 {"weights", "taken.weights"},
                                                                 {"alibi", "taken.alibi"},
                                                                 {"padding", "taken.padding"},
                                                                 {"merge", "taken.merge"},
                                                                 {"attentions", "taken.attentions"},
                                                                 {"axes", "taken.axes"},
                                                                 {"steps", "taken.steps"},
                                                                 {"own keys", "taken.own_keys"},
                                                                 {"numbers not taken", "taken.numbers"},
                                                                 {"config.json not taken", "taken.config"}};

void draw_assumption(const Frame& frame, const Assumption& assumption, const std::string& taken_for) {
  const float u = frame.u;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  frame.write(Face::ui, TypeSize::note, at, frame.look.ink, taken_heading(frame, assumption));
  ImGui::Dummy({0, Space::pad * u});
  note(frame, taken_for);
}

/// Square matrices may be stored either way: the file does not say which.
bool order_is_open(const Frame& frame) {
  const Inputs& inputs = frame.trace()->inputs;
  const auto square = [](const Tensor& weight) { return weight.defined() && weight.size(0) == weight.size(1); };
  const bool may_be_either = !inputs.packed && square(inputs.W_q) && square(inputs.W_k) && square(inputs.W_v);
  return may_be_either || frame.document.scenario.weight_order != WeightOrder::by_name;
}

}  // namespace

const char* taken_heading(const Frame& frame, const Assumption& assumption) {
  const auto* found = std::ranges::find(headings, assumption.what, &std::pair<std::string_view, const char*>::first);
  return found != std::end(headings) ? frame.words(found->second) : assumption.what.c_str();
}

void draw_file_controls(const Frame& frame) {
  const Scenario& now = frame.document.scenario;
  const Inputs& inputs = frame.trace()->inputs;
  const bool of_file = now.source == Source::file;
  if (!of_file && inputs.assumptions.empty()) return;
  section(frame, frame.words(of_file ? "taken.title" : "taken.notes"));
  const std::vector<std::string>& lines = frame.kept([&] {
    std::vector<std::string> made;
    for (const Assumption& assumption : inputs.assumptions) made.push_back(frame.words.translate(assumption.taken_for));
    return made;
  });
  for (std::size_t i = 0; i < lines.size(); ++i) draw_assumption(frame, inputs.assumptions[i], lines[i]);
  const bool has_layers =
      std::ranges::any_of(inputs.assumptions, [](const Assumption& a) { return a.what == "layer"; });
  if (has_layers &&
      chip(frame, "other_layer", frame.words("taken.other_layer"), false, ImGui::GetContentRegionAvail().x)) {
    frame.show([v = with_layer_dialog(frame.document)](View& view) {
      view.layers = v.layers;
      view.dialog = v.dialog;
    });
  }
  if (inputs.file_mask.defined() || now.mask_polarity != MaskPolarity::by_name) {
    choose(frame, "polarity", "taken.polarity", {"taken.by_name", "taken.attend", "taken.ignore"},
           &Scenario::mask_polarity);
  }
  if (order_is_open(frame)) {
    choose(frame, "weight_order", "taken.order", {"taken.by_name", "taken.out_in", "taken.in_out"},
           &Scenario::weight_order);
  }
  if (inputs.weights.defined()) draw_setting(frame, *setting_named("axes"));
  if (!now.names.empty()) draw_setting(frame, *setting_named("names"));
}

/// A pasted matrix replaces the source's until it is removed.
void draw_pasted(const Frame& frame) {
  const Scenario& now = frame.document.scenario;
  const float width = ImGui::GetContentRegionAvail().x;
  if (now.x && chip(frame, "drop_x", frame.words("paste.drop_input"), false, width)) {
    frame.edit({}, [](Scenario& s) { s.x.reset(); });
  }
  if (now.attn_bias && chip(frame, "drop_bias", frame.words("paste.drop_bias"), false, width)) {
    frame.edit({}, [](Scenario& s) { s.attn_bias.reset(); });
  }
}

}  // namespace headlight
