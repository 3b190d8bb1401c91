// The left panel's variants of attention, dropout, and what stands last.
#include "ui/panels/controls.h"
#include "ui/panels/setting_controls.h"

namespace headlight {

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
  const char* modes[] = {frame.words("controls.evaluation"), frame.words("controls.training")};
  if (const auto clicked = segments(frame, "mode", modes, now.training ? 1 : 0)) {
    if ((*clicked == 1) != now.training)
      frame.edit({}, [training = *clicked == 1](Scenario& s) { s.training = training; });
  }
  draw_settings(frame, SettingGroup::dropout);
  note(frame, frame.words(now.training && now.dropout > 0 ? "controls.dropout_acts" : "controls.dropout_idle"));
}

void draw_further_controls(const Frame& frame) {
  section(frame, frame.words("controls.more"));
  draw_settings(frame, SettingGroup::more);
}

}  // namespace headlight
