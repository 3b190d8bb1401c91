// Numbers of a trace that lessons refer to.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <mutex>
#include <numeric>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/compute/network/gradients.h"
#include "core/compute/network/logit_parts.h"
#include "core/compute/network/network.h"
#include "core/compute/run/contributions.h"
#include "core/compute/run/trace.h"
#include "core/compute/training/trainer.h"
#include "core/rules/stage/entropy.h"
#include "core/scenario/inputs/inputs.h"
#include "core/teaching/diagnosis/own_stages.h"
#include "core/teaching/lesson/course.h"

namespace headlight {
namespace {

/// [batch, head, row, column]; −1 = all of them.
struct Address {
  Stage stage{};
  std::array<Index, 4> at{0, 0, 0, 0};
  bool gradient = false;  ///< of the stage's gradient, "d_weights:…"
};

Address address_of(const std::string& text) {
  const auto wrong = [&] {
    throw SettingError("of", Message("{0} names no cells", in_quotes(text)),
                       "expected STAGE:batch,head,row,column, \":\" for all of an axis");
  };
  const std::size_t colon = text.find(':');
  const std::string named = text.substr(0, colon);
  const auto slope = gradient_named(named), stage = slope ? slope : stage_named(named);
  if (!stage || colon == std::string::npos) wrong();
  Address address{*stage};
  address.gradient = slope.has_value();
  std::size_t from = colon + 1;
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const std::size_t to = axis == 3 ? text.size() : text.find(',', from);
    if (to == std::string::npos || from >= to) wrong();
    const std::string part = text.substr(from, to - from);
    from = to + 1;
    if (part == ":") {
      address.at[axis] = -1;
      continue;
    }
    address.at[axis] = number_of_text<Index>(part).value_or(-1);
    if (address.at[axis] < 0) wrong();
  }
  return address;
}

/// The gradient of a stage, by the loss that the network has learned.
Tensor gradient_of(const Trace& trace, Stage stage) {
  const std::shared_ptr<const NetworkRun> run = network_of(trace.inputs);
  if (!run)
    throw SettingError("of", Message("there is no {0} here", gradient_name(stage)),
                       "expected a network that has learned a task");
  const auto layer = static_cast<std::size_t>(run->network->layer_or_first(trace.scenario.layer));
  return gradients_of(*run, {}).of_stages[layer][stage];
}

/// The cells of a tensor with two to four axes, the last ones of [batch, head, row, column].
std::vector<double> cells_of(const Trace& trace, const std::string& of) {
  const Address address = address_of(of);
  const bool needs_contributions = address.stage == Stage::contribution_norms && !trace.has(address.stage);
  const Tensor tensor = address.gradient      ? gradient_of(trace, address.stage)
                        : needs_contributions ? contribution_norms(trace)
                                              : trace[address.stage];
  if (!tensor.defined())
    throw SettingError("of", Message("there is no {0} here", std::string(name(address.stage))),
                       "expected a stage that this scenario has");
  std::array<Index, 4> size{1, 1, 1, tensor.size(-1)};
  if (tensor.rank() > 1) size[2] = tensor.size(-2);
  if (tensor.rank() > 2) size[0] = tensor.size(0);
  if (tensor.rank() > 3) size[1] = tensor.size(1);
  std::array<Index, 4> first{}, last{};
  for (std::size_t axis = 0; axis < 4; ++axis) {
    const Index at = address.at[axis];
    if (at >= size[axis]) {
      static constexpr std::array missing{"{0} has no such batch", "{0} has no such head", "{0} has no such row",
                                          "{0} has no such column"};
      throw SettingError("of", Message(missing[axis], in_quotes(of)), Message("expected 0 to {0}", size[axis] - 1));
    }
    first[axis] = std::max<Index>(at, 0);
    last[axis] = at < 0 ? size[axis] : at + 1;
  }
  std::vector<double> cells;
  std::array<Index, 4> at{};
  for (at[0] = first[0]; at[0] < last[0]; ++at[0]) {
    for (at[1] = first[1]; at[1] < last[1]; ++at[1]) {
      const MatrixView matrix = tensor.matrix(at[0], at[1]);
      for (at[2] = first[2]; at[2] < last[2]; ++at[2]) {
        for (at[3] = first[3]; at[3] < last[3]; ++at[3]) cells.push_back(static_cast<double>(matrix(at[2], at[3])));
      }
    }
  }
  return cells;
}

double reduced(Taking take, const std::vector<double>& cells) {
  const auto count = static_cast<double>(cells.size());
  const double mean = std::accumulate(cells.begin(), cells.end(), 0.0) / count;
  switch (take) {
    case Taking::value:
      if (cells.size() != 1)
        throw SettingError("of", Message("names {0} cells", cells.size()), "expected one, or what to take of them");
      return cells.front();
    case Taking::sum: return mean * count;
    case Taking::mean: return mean;
    case Taking::deviation: {
      double squares = 0;
      for (const double cell : cells) squares += (cell - mean) * (cell - mean);
      return std::sqrt(squares / count);
    }
    case Taking::largest: return std::ranges::max(cells);
    case Taking::smallest: return std::ranges::min(cells);
    case Taking::entropy: {
      RowEntropy entropy;
      for (const double cell : cells) entropy.add(cell);
      return entropy.bits();
    }
    case Taking::count: return static_cast<double>(std::ranges::count_if(cells, [](double cell) { return cell != 0; }));
    case Taking::where_largest: return static_cast<double>(std::ranges::max_element(cells) - cells.begin());
    case Taking::probability:
    case Taking::logit:
    case Taking::part:
    case Taking::accuracy:
    case Taking::ceiling: break;
  }
  return 0;
}

/// A measure of a next word, after the first text.
double of_next_word(Taking take, const std::string& of, const Trace& trace) {
  const auto run = network_of(trace.inputs);
  if (!run || !run->logits.defined())
    throw SettingError("take", "nothing is predicted here", "expected a network that says what comes next");
  const std::size_t blank = take == Taking::part ? of.find(' ') : std::string::npos;
  const std::string word = blank == std::string::npos ? of : of.substr(blank + 1);
  const Index place = place_of_prediction(*run, 0);
  const std::vector<LikelyToken> tokens = most_likely(*run, 0, place, run->logits.size(-1));
  const auto found = std::ranges::find_if(tokens, [&](const LikelyToken& token) {
    const std::size_t from = token.text.find_first_not_of(' ');
    return token.text == word || (from != std::string::npos && token.text.substr(from) == word);
  });
  if (found == tokens.end())
    throw SettingError("of", Message("{0} is not a word of this network", in_quotes(word)),
                       "expected one of its tokens");
  if (take == Taking::probability) return found->probability;
  const MatrixView logits = run->logits.matrix(0);
  if (take == Taking::logit) return static_cast<double>(logits(std::min(place, logits.rows - 1), found->id));
  const std::string part = of.substr(0, blank == std::string::npos ? 0 : blank);
  if (!run->layers.back().heads.defined())
    throw SettingError("take", "the parts of a logit are not kept here", "expected a shorter text");
  for (const LogitPart& each : run->network->parts_of(*run, 0, found->id).parts) {
    if (!each.layer) continue;
    const std::string& layer = run->network->layer(*each.layer).layer;
    if (part == (each.head ? layer + "." + std::to_string(*each.head) : layer) &&
        (each.head || each.what == LogitPart::What::mlp))
      return each.value;
  }
  throw SettingError("of", Message("{0} is no part of a logit", in_quotes(part)),
                     "expected a head and a word, such as \"1.2 is\"");
}

/// The share of right answers of a run that is made here, or that was made before: lessons state some of them twice.
double accuracy_of(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, double> known;
  const std::lock_guard lock(mutex);
  if (const auto found = known.find(name); found != known.end()) return found->second;
  const NamedRun run = named_run(name);
  Trainer trainer(run.settings);
  trainer.train(run.step);
  return known[name] = trainer.measure(trainer.kept_at(run.step), 1024).accuracy;
}

/// The best that a run can reach.
double ceiling_of(const std::string& name) {
  const NamedRun run = named_run(name);
  const auto ceiling = training_ceiling(run.settings, TrainingData(run.settings));
  if (!ceiling)
    throw SettingError("of", Message("{0} has no ceiling that can be computed", in_quotes(name)), "expected a task");
  return ceiling->accuracy;
}

}  // namespace

double measured(const Measure& measure, const Trace& trace) {
  if (is_of_run(measure.take)) {
    const auto value_of = measure.take == Taking::accuracy ? accuracy_of : ceiling_of;
    return value_of(measure.of) - (measure.minus.empty() ? 0 : value_of(measure.minus));
  }
  if (trace.gradients_of) return measured(measure, *trace.gradients_of);
  const bool of_word = measure.take >= Taking::probability;
  const auto value_of = [&](const std::string& of) {
    return of_word ? of_next_word(measure.take, of, trace) : reduced(measure.take, cells_of(trace, of));
  };
  return value_of(measure.of) - (measure.minus.empty() ? 0 : value_of(measure.minus));
}

std::vector<double> row_of(const Trace& trace, const std::string& of) {
  const Address address = address_of(of);
  if (address.at[2] < 0 || address.at[3] >= 0 || address.at[0] < 0 || address.at[1] < 0) {
    throw SettingError("of", Message("{0} is no row", in_quotes(of)), "expected STAGE:batch,head,row,:");
  }
  return cells_of(trace, of);
}

bool is_address(const std::string& of) {
  try {
    address_of(of);
  } catch (const SettingError&) { return false; }
  return true;
}

std::optional<Cell> row_place(const std::string& of) {
  try {
    const Address address = address_of(of);
    return Cell{address.stage, address.at[0], address.at[1], address.at[2], 0};
  } catch (const InputError&) { return std::nullopt; }
}

std::optional<Cell> cell_place(const std::string& of) {
  try {
    const auto [stage, at, gradient] = address_of(of);
    if (std::ranges::min(at) < 0 || gradient) return std::nullopt;
    return Cell{stage, at[0], at[1], at[2], at[3]};
  } catch (const InputError&) { return std::nullopt; }
}

Trace with_stages(const Trace& trace, const OwnStages& own) {
  Trace other = trace;
  for (const OwnStage& stage : own.stages) other.records[static_cast<std::size_t>(stage.stage)].output = stage.values;
  return other;
}

bool says(const std::string& shown, double value, double within) {
  std::string text = replaced(shown, "−", "-");  // typographic minus signs and ∞ are allowed
  if (text == "NaN") return std::isnan(value);
  if (text == "-∞" || text == "∞") return std::isinf(value) && (value < 0) == (text.front() == '-');
  const bool percent = text.ends_with("%");
  while (!text.empty() && (text.back() == '%' || text.back() == ' ')) text.pop_back();
  const std::optional<double> number = number_of_text<double>(text);
  if (!number) return false;
  const double stated = *number;
  const std::size_t point = text.find('.');
  const double places = point == std::string::npos ? 0 : static_cast<double>(text.size() - point - 1);
  // Half a unit of the last decimal, plus the precision of float32.
  const double slack = 0.5 * std::pow(10.0, -places) * (1 + 1e-6) + 1e-6 * std::abs(stated);
  const double factor = percent ? 100 : 1;
  return std::abs(stated - factor * value) <= slack + factor * within;
}

}  // namespace headlight
