// The left panel's mask: an expression, the four that are wanted most, and their numbers.
#include <algorithm>
#include <cmath>

#include "ui/masklab/mask_field.h"
#include "ui/panels/controls.h"

namespace headlight {
namespace {

void draw_lengths(const Frame& frame) {
  const Dims& dims = frame.trace()->dims();
  const Tensor& lens = frame.trace()->inputs.valid_lens;
  if (frame.document.scenario.mask != "padding()" || !lens.defined() || lens.rank() != 1) return;
  for (Index b = 0; b < std::min<Index>(dims.batch, 8); ++b) {
    char id[24];
    std::snprintf(id, sizeof id, "length%lld", static_cast<long long>(b));
    const std::string label = frame.words.fill("controls.valid_length", {std::to_string(b)});
    if (const auto change = int_slider(frame, id, label.c_str(), std::lround(lens.at({b})), counting(0, dims.n_k))) {
      Scenario scenario = frame.document.scenario;
      scenario.valid_lens.clear();
      for (Index i = 0; i < dims.batch; ++i) scenario.valid_lens.push_back({i == b ? change->value : std::lround(lens.at({i}))});
      frame.change(std::move(scenario), id);
    }
  }
}

void mask_chip(const Frame& frame, const char* id, const std::string& expression, bool chosen, float width) {
  char key[48];
  std::snprintf(key, sizeof key, "controls.mask_%s", id);
  if (chip(frame, id, frame.words(key), chosen, width) && !chosen) type_mask(frame, expression);
}

/// "15 of 36 masked, 42 %", of the matrix that is looked at.
std::string masked_words(const Frame& frame) {
  const Trace& trace = *frame.trace();
  const MatrixView mask = trace[Stage::mask].matrix(frame.view().batch, frame.view().head);
  Index masked = 0;
  for (Index r = 0; r < mask.rows; ++r) {
    for (Index c = 0; c < mask.cols; ++c) masked += mask(r, c) == 0 ? 1 : 0;
  }
  const Index all = mask.rows * mask.cols;
  return frame.words.fill("controls.masked", {std::to_string(masked), std::to_string(all), std::to_string((100 * masked + all / 2) / all)});
}

}  // namespace

void draw_mask_controls(const Frame& frame) {
  section(frame, frame.words("controls.mask"));
  const Scenario& now = frame.document.scenario;
  const Trace& trace = *frame.trace();
  draw_mask_field(frame, "##mask");
  const Index start = std::max<Index>((trace.dims().n_k + 1) / 2, 1);
  const float gap = 4 * frame.u;
  const float each = (ImGui::GetContentRegionAvail().x - gap) / 2;
  const bool file_masks = trace.inputs.file_mask.defined() || (trace.inputs.valid_lens.defined() && now.valid_lens.empty());
  mask_chip(frame, file_masks ? "of_file" : "none", "", now.mask.empty(), each);
  ImGui::SameLine(0, gap);
  mask_chip(frame, "causal", "causal()", now.mask == "causal()", each);
  mask_chip(frame, "window", "causal() && window(" + std::to_string(start) + ")", now.mask.starts_with("causal() && window("), each);
  ImGui::SameLine(0, gap);
  mask_chip(frame, "padding", "padding()", now.mask == "padding()", each);
  draw_pattern_sliders(frame);
  draw_lengths(frame);
  if (trace.has(Stage::mask)) note(frame, masked_words(frame));
}

}  // namespace headlight
