// The left panel's variants of attention: positions, biases, normalisation, dropout.
#include <algorithm>
#include <cstdio>

#include "ui/panels/controls.h"

namespace headlight {
namespace {

/// One of several, under a small heading.
template <std::size_t count, typename Set>
void choose(const Frame& frame, const char* id, const char* const (&keys)[count], int chosen, Set set) {
  char key[48];
  std::snprintf(key, sizeof key, "controls.%s", id);
  note(frame, frame.words(key));
  const char* labels[count];
  for (std::size_t i = 0; i < count; ++i) labels[i] = frame.words(keys[i]);
  if (const auto clicked = segments(frame, id, labels, chosen)) {
    if (*clicked != chosen) change_scenario(frame, [&](Scenario& s) { set(s, *clicked); });
  }
}

/// On or off, side by side with others.
template <typename Set>
void toggle(const Frame& frame, const char* id, bool on, float width, Set set) {
  char key[48];
  std::snprintf(key, sizeof key, "controls.%s", id);
  if (chip(frame, id, frame.words(key), on, width)) change_scenario(frame, [&](Scenario& s) { set(s, !on); });
}

}  // namespace

void draw_variant_controls(const Frame& frame) {
  const Scenario& now = frame.document.scenario;
  section(frame, frame.words("controls.variants"));
  if (now.source == Source::text) {
    choose(frame, "positions", {"controls.none", "controls.sinusoidal"}, static_cast<int>(now.positions),
           [](Scenario& s, int i) { s.positions = static_cast<Positions>(i); });
  }
  choose(frame, "rope", {"controls.none", "controls.rope_half", "controls.rope_interleaved"}, static_cast<int>(now.rope),
         [](Scenario& s, int i) { s.rope = static_cast<Rope>(i); });
  choose(frame, "qk_norm", {"controls.none", "controls.qk_rms", "controls.qk_l2"}, static_cast<int>(now.qk_norm),
         [](Scenario& s, int i) { s.qk_norm = static_cast<QkNorm>(i); });
  note(frame, frame.words("controls.biases"));
  const float gap = 4 * frame.u;
  const float third = (ImGui::GetContentRegionAvail().x - 2 * gap) / 3;
  toggle(frame, "alibi", now.alibi, third, [](Scenario& s, bool on) { s.alibi = on; });
  ImGui::SameLine(0, gap);
  toggle(frame, "t5_bias", now.t5_bias, third, [](Scenario& s, bool on) { s.t5_bias = on; });
  ImGui::SameLine(0, gap);
  toggle(frame, "sink_logit", now.sink_logit, third, [](Scenario& s, bool on) { s.sink_logit = on; });

  char shown[24];
  std::snprintf(shown, sizeof shown, "%.3g", static_cast<double>(now.softcap.value_or(0)));
  const char* cap = now.softcap ? shown : frame.words("controls.off");
  if (const auto chosen = float_slider(frame, "softcap", frame.words("controls.softcap"), now.softcap.value_or(0), 0, 50, cap)) {
    change_scenario(frame, [&](Scenario& s) { s.softcap = *chosen > 0 ? std::optional(*chosen) : std::nullopt; }, "softcap");
  }
  if (now.source == Source::file) return;
  note(frame, frame.words("controls.projections"));
  const Inputs& inputs = frame.trace()->inputs;
  toggle(frame, "bias", inputs.b_q.defined(), third, [](Scenario& s, bool on) { s.bias = on; });
  ImGui::SameLine(0, gap);
  toggle(frame, "output_projection", inputs.W_o.defined(), third, [](Scenario& s, bool on) { s.output_projection = on; });
  ImGui::SameLine(0, gap);
  toggle(frame, "packed", now.packed, third, [](Scenario& s, bool on) { s.packed = on; });
}

void draw_dropout_controls(const Frame& frame) {
  const Scenario& now = frame.document.scenario;
  section(frame, frame.words("controls.dropout"));
  char shown[24];
  std::snprintf(shown, sizeof shown, "%.3g", static_cast<double>(now.dropout));
  if (const auto p = float_slider(frame, "dropout", frame.words("controls.dropout_p"), now.dropout, 0, 0.95f, shown)) {
    change_scenario(frame, [&](Scenario& s) { s.dropout = *p; }, "dropout");
  }
  choose(frame, "mode", {"controls.evaluation", "controls.training"}, now.training ? 1 : 0,
         [](Scenario& s, int i) { s.training = i == 1; });
  if (now.training && now.dropout > 0) {
    scenario_slider(frame, "dropout_seed", static_cast<Index>(now.dropout_seed), Choices(0, 99), true,
                    [](Scenario& s, Index n) { s.dropout_seed = static_cast<std::uint64_t>(std::max<Index>(n, 0)); });
  }
  note(frame, frame.words(now.training && now.dropout > 0 ? "controls.dropout_acts" : "controls.dropout_idle"));
}

}  // namespace headlight
