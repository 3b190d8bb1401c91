#include "core/diagnosis/mistaken_run.h"

#include <algorithm>

#include "core/diagnosis/mistakes.h"
#include "core/diagnosis/reproduction.h"
#include "core/tensor/error.h"

namespace headlight {

OwnStages own_stages_of(const Trace& trace) {
  OwnStages own;
  for (const Stage stage : trace.stages()) {
    if (stage < Stage::Q) continue;
    own.stages.push_back({.stage = stage, .values = trace[stage], .stored = trace[stage].shape()});
  }
  return own;
}

OwnStages mistaken_stages(const std::string& mistake, std::size_t variant, const std::shared_ptr<const Trace>& trace,
                          const Run& run) {
  const auto known = all_mistakes();
  const auto found = std::ranges::find_if(known, [&](const Mistake& each) { return each.id == mistake; });
  if (found == known.end()) {
    std::string ids;
    for (const Mistake& each : known) ids += (ids.empty() ? "" : ", ") + std::string(each.id);
    throw SettingError("mistake", Message("\"{0}\" is not known", mistake), Message("expected one of {0}", ids));
  }
  const OwnStages none;
  const std::vector<Variant> variants = found->variants({*trace, none});
  if (variants.empty())
    throw SettingError("mistake", Message("{0} cannot be made here", mistake),
                       "expected a scenario that has what it gets wrong");
  if (variant >= variants.size()) {
    throw SettingError("variant", Message("there is no such way to make {0}", mistake),
                       Message("expected 0 to {0}", variants.size() - 1));
  }
  const Variant& wrong = variants[variant];
  OwnStages own = own_stages_of(*compute_variant({trace, {}}, wrong, run));
  for (OwnStage& stage : own.stages) {
    const auto saved = wrong.saved.find(stage.stage);
    if (saved == wrong.saved.end()) continue;
    stage.values = saved->second(stage.values);
    stage.stored = stage.values.shape();
  }
  return own;
}

}  // namespace headlight
