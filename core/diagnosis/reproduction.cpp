#include "core/diagnosis/reproduction.h"

#include <algorithm>

#include "core/diagnosis/agreement.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

/// Whether the run gives the stage; nothing where their shapes leave nothing to compare.
std::optional<bool> gives(const Trace& run, const OwnStage& own, const Variant& variant) {
  Tensor computed = counterpart(run, own.stage);
  const auto saved = variant.saved.find(own.stage);
  if (saved != variant.saved.end()) computed = saved->second(computed);
  computed = with_heads_of(own.values, computed);
  if (!own.fits && computed.shape() != own.values.shape()) return std::nullopt;
  return all_agree(own.values, computed, own.slack);
}

struct Refuted {};

}  // namespace

Evidence::Evidence(const OwnStages& own, std::vector<Stage> except) {
  for (const OwnStage& stage : own.stages) {
    if (std::ranges::find(except, stage.stage) == except.end()) stages_.push_back(&stage);
  }
}

std::size_t Evidence::first_difference(const Trace& run, std::size_t from) const {
  std::size_t place = from;
  while (place < size() && gives(run, *stages_[place], {}).value_or(false)) ++place;
  return place;
}

std::shared_ptr<const Trace> compute_variant(const Base& base, const Variant& variant, const Run& run,
                                             const Watch& watch) {
  Scenario scenario = base.run->scenario;
  if (variant.settings) variant.settings(scenario);
  Run changed = run;
  changed.override_stage = [&](Stage stage, const Trace& so_far, const std::function<Tensor()>& usual) {
    if (watch) watch(stage, so_far);
    const auto own = base.own.find(stage);
    if (own != base.own.end()) return own->second;
    const auto rule = variant.rules.find(stage);
    return rule != variant.rules.end() ? rule->second(so_far, usual) : usual();
  };
  return compute(scenario, base.run->inputs, base.run.get(), changed);
}

Base Evidence::taken_over(const Base& base, std::size_t places, const Run& run) const {
  Base result = base;
  for (std::size_t place = 0; place < places; ++place) {
    const OwnStage& own = *stages_[place];
    const Stage stage = standing_for(*base.run, own.stage);
    if (own.fits && base.run->has(stage)) result.own[stage] = own.values;
  }
  result.run = compute_variant(result, {}, run);
  return result;
}

/// Looks at each stage as soon as it has been computed.
class Evidence::Check {
 public:
  Check(const Evidence& evidence, const Base& base, const Variant& variant, std::size_t from)
      : evidence_(evidence), base_(base), variant_(variant), from_(from) {}

  /// All places whose stages come before `next`. Throws Refuted at the first from `from` on that does not come out.
  void look(const Trace& run, std::size_t next) {
    for (; place_ < evidence_.size() && static_cast<std::size_t>(evidence_.stage(place_)) < next; ++place_) {
      const OwnStage& own = *evidence_.stages_[place_];
      const std::optional<bool> given = gives(run, own, variant_);
      if (place_ < from_) {
        found_.contradicted += given.value_or(true) ? 0 : 1;
        continue;
      }
      if (given == false) throw Refuted();
      found_.first = found_.first || (place_ == from_ && given == true);
      if (given == true && !gives(*base_.run, own, {}).value_or(false)) ++found_.gained;
    }
  }

  Reproduction found() {
    found_.end = place_;
    return found_;
  }

 private:
  const Evidence& evidence_;
  const Base& base_;
  const Variant& variant_;
  std::size_t from_;
  std::size_t place_ = 0;
  Reproduction found_;
};

Evidence::Reproduction Evidence::reproduce(const Base& base, const Variant& variant, std::size_t from,
                                           const Run& run) const {
  Check check(*this, base, variant, from);
  const Watch watch = [&](Stage next, const Trace& so_far) { check.look(so_far, static_cast<std::size_t>(next)); };
  try {
    check.look(*compute_variant(base, variant, run, watch), stage_count);
  } catch (const Refuted&) {}
  return check.found();
}

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
