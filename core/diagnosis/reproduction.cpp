#include "core/diagnosis/reproduction.h"

#include <algorithm>

#include "core/diagnosis/agreement.h"

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

}  // namespace headlight
