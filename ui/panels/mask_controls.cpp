// The left panel's mask: an expression, the four that are wanted most, and their numbers.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "core/scenario/inputs.h"
#include "ui/document/wanted.h"
#include "ui/masklab/mask_field.h"
#include "ui/panels/controls.h"

namespace headlight {
namespace {

/// Of each batch entry; none where every query has its own, or there are none.
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
  struct Lengths {
    std::vector<Index> of;
  };
  const std::vector<Index>& lens = frame.pictures
                                       .get<Lengths>([&] { return Lengths{wanted_lengths(frame.document)}; },
                                                     frame.document.trace, frame.document.scenario.valid_lens)
                                       .of;
  for (Index b = 0; b < std::min<Index>(std::ssize(picture.length_labels), std::ssize(lens)); ++b) {
    char id[32];
    std::snprintf(id, sizeof id, "length%lld", static_cast<long long>(b));
    const char* label = picture.length_labels[static_cast<std::size_t>(b)].c_str();
    if (const auto change = int_slider(frame, id, label, lens[static_cast<std::size_t>(b)], Choices(0, dims.n_k))) {
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

void draw_mask_controls(const Frame& frame) {
  section(frame, frame.words("controls.mask"));
  const Scenario& now = frame.document.scenario;
  const Trace& trace = *frame.trace();
  draw_mask_field(frame, "##mask");
  char window[48];
  std::snprintf(window, sizeof window, "causal() && window(%lld)", static_cast<long long>((trace.dims().n_k + 1) / 2));
  const float gap = 4 * frame.u;
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
