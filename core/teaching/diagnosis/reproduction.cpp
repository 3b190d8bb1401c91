#include "core/teaching/diagnosis/reproduction.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <cstdint>
#include <limits>

#include "core/base/tensor/each_matrix.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"

namespace headlight {
namespace {

/// What would be saved under the stage's name.
Tensor as_saved(const Trace& run, const OwnStage& own, const Variant& variant) {
  Tensor computed = counterpart(run, own.stage);
  const auto saved = variant.saved.find(own.stage);
  if (saved != variant.saved.end()) computed = saved->second(computed);
  return with_heads_of(own.values, computed);
}

/// Whether the stage of the run agrees with the saved one; nothing if their shapes cannot be compared.
std::optional<bool> agrees(const Trace& run, const OwnStage& own, const Variant& variant) {
  const Tensor computed = as_saved(run, own, variant);
  if (!own.fits && computed.shape() != own.values.shape()) return std::nullopt;
  return all_agree(own.values, computed, own.slack);
}

/// A stage of NaN throughout shows nothing; NaN in some rows says which.
bool has_numbers(const OwnStage& own) {
  const Tensor mine = own.values.contiguous();
  return std::ranges::any_of(mine.values(), [](float v) { return !std::isnan(v); });
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
  while (place < size() && agrees(run, *stages_[place], {}).value_or(false)) ++place;
  return place;
}

std::shared_ptr<const Trace> compute_variant(const Base& base, const Variant& variant, const Run& run,
                                             const Watch& watch) {
  Scenario scenario = base.run->scenario;
  if (variant.settings) variant.settings(scenario);
  // Without a change of its own, it puts base.own into a run that was computed without them.
  const bool changes = !variant.rules.empty() || !variant.saved.empty();
  const Stage first = changes ? first_changed(variant) : Stage::query;
  Run changed = run;
  changed.override_stage = [&](Stage stage, const Trace& so_far, const std::function<Tensor()>& usual) {
    if (watch) watch(stage, so_far);
    const auto own = base.own.find(stage);
    if (own != base.own.end()) return own->second;
    if (stage < first && base.run->has(stage)) return (*base.run)[stage];
    const auto rule = variant.rules.find(stage);
    return rule != variant.rules.end() ? rule->second(so_far, usual) : usual();
  };
  if (!variant.inputs) return compute(scenario, base.run->inputs, base.run.get(), changed);
  Inputs inputs = base.run->inputs;
  variant.inputs(inputs);
  return compute(scenario, std::move(inputs), base.run.get(), changed);
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

/// Compares each stage as soon as it is computed.
class Evidence::Check {
 public:
  Check(const Evidence& evidence, const Base& base, const Variant& variant, std::size_t from, bool strict)
      : evidence_(evidence), base_(base), variant_(variant), from_(from), strict_(strict) {}

  /// Compares all saved stages before `next`. Throws Refuted at the first stage, from index `from` on, that does not
  /// agree.
  void look(const Trace& run, std::size_t next) {
    for (; place_ < evidence_.size() && static_cast<std::size_t>(evidence_.stage(place_)) < next; ++place_) {
      const OwnStage& own = *evidence_.stages_[place_];
      if (place_ < from_ && is_of_base(run, own.stage)) continue;
      const std::optional<bool> agreed = agrees(run, own, variant_);
      if (place_ < from_) {
        found_.contradicted += agreed.value_or(true) ? 0 : 1;
        if (strict_ && agreed == false) throw Refuted();
        continue;
      }
      if (agreed == false) throw Refuted();
      found_.first = found_.first || (place_ == from_ && agreed == true);
      if (agreed != true) continue;
      found_.misfit = std::max(found_.misfit, relative_difference(own.values, as_saved(run, own, variant_)));
      if (!agrees(*base_.run, own, {}).value_or(false) && has_numbers(own)) ++found_.gained;
    }
  }

  /// Whether the variant leaves the stage as it is in the base: it then contradicts nothing.
  bool is_of_base(const Trace& run, Stage stage) const {
    return !variant_.saved.contains(stage) && identical(counterpart(run, stage), counterpart(*base_.run, stage));
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
  bool strict_;
  std::size_t place_ = 0;
  Reproduction found_;
};

Evidence::Reproduction Evidence::reproduce(const Base& base, const Variant& variant, std::size_t from, const Run& run,
                                           bool strict) const {
  Check check(*this, base, variant, from, strict);
  const Watch watch = [&](Stage next, const Trace& so_far) { check.look(so_far, static_cast<std::size_t>(next)); };
  try {
    check.look(*compute_variant(base, variant, run, watch), stage_count);
  } catch (const Refuted&) {}
  return check.found();
}

double Evidence::misfit(const Base& base, const Variant& variant, std::size_t place, const Run& run) const {
  const OwnStage& own = *stages_[place];
  Run until = run;
  until.last = std::max(own.stage, standing_for(*base.run, own.stage));
  return relative_difference(own.values, as_saved(*compute_variant(base, variant, until), own, variant));
}

Index scores_of(const Trace& run) {
  const Dims& d = run.dims();
  return d.batch * d.heads * d.n_q * d.n_k;
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
  const auto is_meant = [&](const Mistake& each) { return each.id == mistake; };
  if (std::ranges::none_of(known, is_meant)) {
    const std::string ids = comma_list(known, [](const Mistake& each) { return each.id; });
    throw SettingError("mistake", Message("\"{0}\" is not known", mistake), Message("expected one of {0}", ids));
  }
  const OwnStages none;
  std::vector<Variant> variants;
  for (const Mistake& each : known) {
    if (!is_meant(each)) continue;
    for (Variant& one : each.variants({*trace, none})) variants.push_back(std::move(one));
  }
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

namespace {

double distance(float mine, float right) {
  if (mine == right || (std::isnan(mine) && std::isnan(right))) return 0;
  const double difference = std::abs(static_cast<double>(mine) - static_cast<double>(right));
  return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
}

std::vector<Index> index_of(std::size_t position, const Shape& shape) {
  std::vector<Index> index(shape.size(), 0);
  auto rest = static_cast<Index>(position);
  for (std::size_t axis = shape.size(); axis-- > 0;) {
    index[axis] = rest % shape[axis];
    rest /= shape[axis];
  }
  return index;
}

}  // namespace

double tolerance(float right, float slack) {
  return 1e-5 + (1e-4 + static_cast<double>(slack)) * std::abs(static_cast<double>(right));
}

bool agree(float mine, float right, float slack) {
  if (!std::isfinite(mine) || !std::isfinite(right)) return mine == right || (std::isnan(mine) && std::isnan(right));
  return distance(mine, right) <= tolerance(right, slack);
}

namespace {

using Floats = std::span<const float>;

/// Whether the differences are typical of a computation in half precision. With PyTorch's, the typical difference is
/// 0.5 to 1.6 times the slack from Q to the output, and the largest is up to 14 times.
bool agree_as_rounded(Floats mine, Floats right, float slack) {
  constexpr double most = 16, typical = 2;
  float fill = 0;  // the lowest number, if it is one
  for (const float v : right) fill = std::isfinite(v) && v < fill && v < -1e3F ? v : fill;
  double differences = 0, squares = 0, count = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    if (!std::isfinite(right[i]) || !std::isfinite(mine[i]) || (fill < 0 && right[i] == fill)) continue;
    differences += distance(mine[i], right[i]) * distance(mine[i], right[i]);
    squares += static_cast<double>(right[i]) * static_cast<double>(right[i]);
    ++count;
  }
  const double step = static_cast<double>(slack) * std::sqrt(squares / std::max(count, 1.0));
  if (std::sqrt(differences / std::max(count, 1.0)) > typical * step) return false;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const bool close = std::isfinite(mine[i]) && std::isfinite(right[i]) &&
                       distance(mine[i], right[i]) <= tolerance(right[i], slack) + most * step;
    if (!close && !agree(mine[i], right[i], slack)) return false;
  }
  return true;
}

/// Whether all are equal, or closer than the tolerance by more than the rounding of float32. A loop without branches,
/// which becomes vector instructions.
bool surely_agree(Floats mine, Floats right) {
  int all = 1;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const float near = 0.99e-5F + 0.99e-4F * std::abs(right[i]);
    all &= static_cast<int>(mine[i] == right[i]) | static_cast<int>(std::abs(mine[i] - right[i]) < near);
  }
  return all != 0;
}

/// Whether no difference is larger than `most`, by more than the rounding of float32. Bits of floats without a sign are
/// in the order of their values, NaN last, and integers' maximum becomes vector instructions.
bool surely_within(Floats mine, Floats right, double most) {
  if (std::isinf(most)) return true;
  std::int32_t top = 0;
  for (std::size_t i = 0; i < right.size(); ++i) {
    const float difference = std::abs(mine[i] - right[i]);
    const std::int32_t if_unequal = -static_cast<std::int32_t>(mine[i] != right[i]);
    const std::int32_t bits = std::bit_cast<std::int32_t>(difference) & if_unequal;
    top = bits > top ? bits : top;
  }
  const auto largest = std::bit_cast<float>(top);
  return std::isfinite(largest) && static_cast<double>(largest) <= 0.999 * most;
}

constexpr std::size_t chunk = 1024;  // numbers that one of the loops without branches takes at a time

bool each_agrees(Floats mine, Floats right, float slack) {
  for (std::size_t first = 0; first < right.size(); first += chunk) {
    const std::size_t end = std::min(first + chunk, right.size());
    if (surely_agree(mine.subspan(first, end - first), right.subspan(first, end - first))) continue;
    for (std::size_t i = first; i < end; ++i) {
      if (!agree(mine[i], right[i], slack)) return slack > 0 && agree_as_rounded(mine, right, slack);
    }
  }
  return true;
}

}  // namespace

Agreement agreement(const Tensor& mine, const Tensor& right, float slack) {
  assert(mine.shape() == right.shape());
  const Tensor a = mine.contiguous(), b = right.contiguous();
  const Floats as = a.values(), bs = b.values();
  Agreement result{.agrees = each_agrees(as, bs, slack)};
  if (as.empty()) return result;
  std::size_t at = 0;
  for (std::size_t first = 0; first < as.size(); first += chunk) {
    const std::size_t end = std::min(first + chunk, as.size());
    if (surely_within(as.subspan(first, end - first), bs.subspan(first, end - first), result.largest)) continue;
    for (std::size_t i = first; i < end; ++i) {
      const double difference = distance(as[i], bs[i]);
      if (difference <= result.largest) continue;
      result.largest = difference;
      at = i;
    }
  }
  result.at = index_of(at, mine.shape());
  result.mine = as[at];
  result.right = bs[at];
  return result;
}

double relative_difference(const Tensor& mine, const Tensor& right) {
  constexpr double infinite = std::numeric_limits<double>::infinity();
  constexpr std::size_t most_looked_at = 1 << 20;
  if (mine.shape() != right.shape()) return infinite;
  const Tensor a = mine.contiguous(), b = right.contiguous();
  const Floats as = a.values(), bs = b.values();
  double differences = 0, squares = 0;
  std::size_t torn = 0, looked = 0;
  // An odd step: no power of two of a row's keys keeps to the same columns. Numbers are looked at in groups of those
  // that are beside each other in memory.
  const std::size_t step = as.size() / most_looked_at | 1;
  constexpr std::size_t group = 16;
  for (std::size_t first = 0; first < as.size(); first += group * step) {
    for (std::size_t i = first; i < std::min(first + group, as.size()); ++i, ++looked) {
      const float x = as[i], y = bs[i];
      if (std::isfinite(x) != std::isfinite(y)) ++torn;
      if (!std::isfinite(x) || !std::isfinite(y) || (x == y && std::abs(x) > 1e4F)) continue;
      const double difference = static_cast<double>(x) - static_cast<double>(y);
      differences += difference * difference;
      squares += static_cast<double>(x) * static_cast<double>(x);
    }
  }
  if (torn * 2 > looked) return infinite;
  return std::sqrt(differences / std::max(squares, 1e-12));
}

std::optional<double> factor_between(const Tensor& mine, const Tensor& right, float slack) {
  if (mine.shape() != right.shape()) return {};
  const Tensor a = mine.contiguous(), b = right.contiguous();
  const Floats as = a.values(), bs = b.values();
  double products = 0, squares = 0;
  for (std::size_t i = 0; i < as.size(); ++i) {
    const auto x = static_cast<double>(as[i]), y = static_cast<double>(bs[i]);
    if (!std::isfinite(x) || !std::isfinite(y)) continue;
    products += x * y;
    squares += y * y;
  }
  const double factor = products / squares;
  if (!std::isfinite(factor)) return {};
  const auto c = static_cast<float>(factor);
  const auto scaled = [c](float v) { return std::isfinite(v) ? v * c : v; };
  for (std::size_t i = 0; i < std::min(as.size(), chunk) && slack == 0; ++i) {
    if (!agree(as[i], scaled(bs[i]))) return {};  // most are refuted here, without a tensor of their own
  }
  return all_agree(a, each_number(b, scaled), slack) ? std::optional(factor) : std::nullopt;
}

bool all_agree(const Tensor& mine, const Tensor& right, float slack) {
  if (mine.shape() != right.shape()) return false;
  const Tensor a = mine.contiguous(), b = right.contiguous();
  return each_agrees(a.values(), b.values(), slack);
}

}  // namespace headlight
