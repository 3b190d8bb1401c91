#include "core/scenario/inputs/layer_list.h"

#include <algorithm>

#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/scenario/inputs/attention_axes.h"
#include "core/scenario/inputs/file_source.h"

namespace headlight {
namespace {

std::string bare(const FoundAttention& attention, std::string name) {
  name = name.substr(attention.prefix.size());
  for (const std::string_view ending : {".weight", "_weight"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

std::string kind_of(const FoundAttention& attention) {
  if (!attention.is_packed())
    return bare(attention, attention.q.weight) + ", " + bare(attention, attention.k.weight) + ", " +
           bare(attention, attention.v.weight);
  return bare(attention, attention.packed.weight) +
         (attention.packed.layout == WeightLayout::in_out ? " [in, out]" : " [out, in]");
}

std::optional<Index> whole(const std::optional<FileReading::Number>& number) {
  if (!number || !(number->value >= 1 && number->value <= 1e6)) return {};
  return static_cast<Index>(number->value);
}

LayerCandidate candidate(const FileReading& r) {
  const LinearSpec& linear = r.attention.is_packed() ? r.attention.packed : r.attention.q;
  const Index outputs = outputs_of(r.file.arrays(), linear);
  LayerCandidate found{r.attention.layer(), kind_of(r.attention), 0, whole(heads_said(r))};
  if (const std::optional<Index> stored = heads_stored(r.file.arrays(), linear)) found.heads = stored;
  if (!r.attention.is_packed()) {
    found.d_model = outputs;
  } else if (const std::optional<Index> kv = whole(kv_heads_said(r)); kv && found.heads) {
    found.d_model = outputs / (*found.heads + 2 * *kv) * *found.heads;
  } else {
    found.d_model = kv || outputs % 3 != 0 ? 0 : outputs / 3;
  }
  return found;
}

/// "L 3, H 4, q 7, k 7": a reading of saved attention, with its sizes.
LayerCandidate reading_candidate(const std::string& reading, const Shape& sizes) {
  LayerCandidate candidate{reading, "", 0, 1};
  std::size_t axis = sizes.size() - std::min<std::size_t>(sizes.size(), std::ranges::count(reading, ',') + 1);
  for (const std::string_view name : Split(reading, ',')) {
    const Index size = axis < sizes.size() ? sizes[axis++] : 0;
    candidate.kind += (candidate.kind.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(size);
    if (name == "H") candidate.heads = size;
  }
  return candidate;
}

/// The question about the axes of saved attention.
std::optional<LayerQuestion> axes_question(const Scenario& scenario) {
  LayerQuestion question{scenario, {}, open_axes(scenario)};
  if (question.axes.size() < 2) return {};
  const TensorFile file(scenario.file);
  const auto found = find_precomputed(file, scenario);
  Shape sizes = found->lists;
  const Shape& shape = file.arrays().find(found->weights.front())->shape;
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  for (const std::string& reading : question.axes) question.candidates.push_back(reading_candidate(reading, sizes));
  return question;
}

/// The question which arrays are the projections: of a file that holds matrices, none under a known name.
std::optional<LayerQuestion> names_question(const Scenario& scenario) {
  LayerQuestion question{scenario, {}};
  if (!scenario.names.empty()) return {};
  try {
    const TensorFile file(scenario.file);
    if (find_precomputed(file, scenario)) return {};
    for (const ArrayEntry& entry : file.arrays().entries()) {
      if (entry.shape.size() < 2 || !is_floating(entry.dtype)) continue;
      question.arrays.push_back(entry.name);
      question.candidates.push_back({entry.name, to_string(entry.shape), 0, 1});
    }
    choose_attention(file.arrays(), file.attentions({}), scenario.layer);
  } catch (const InputError& error) {
    const bool unknown = error.message().english().find("holds no attention weights") != std::string::npos;
    if (unknown && question.arrays.size() >= 3) return question;
  }
  return {};
}

}  // namespace

std::vector<LayerCandidate> list_layers(const std::string& file, const std::string& names) {
  const auto opened = std::make_shared<const TensorFile>(file);
  const Scenario scenario;
  std::vector<Assumption> assumptions;
  std::vector<LayerCandidate> list;
  for (const FoundAttention& attention : opened->attentions(names)) {
    list.push_back(candidate({Resolving{scenario}, *opened, attention, assumptions}));
  }
  return list;
}

std::optional<LayerQuestion> open_question(const Scenario& scenario) {
  if (scenario.source != Source::file) return {};
  LayerQuestion question{scenario, {}};
  try {
    if (auto axes = axes_question(scenario)) return axes;
    question.candidates = list_layers(scenario.file, scenario.names);
  } catch (const InputError&) {
    return {};  // resolve() gives the error message
  }
  if (question.candidates.empty()) return names_question(scenario);
  const std::string wanted = scenario.layer + (scenario.layer.ends_with('.') ? "" : ".");
  const auto exact =
      std::ranges::find_if(question.candidates, [&](const LayerCandidate& c) { return c.layer + "." == wanted; });
  if (!scenario.layer.empty() && exact != question.candidates.end()) {
    question.candidates = {*exact};
  } else if (!scenario.layer.empty()) {
    std::erase_if(question.candidates, [&](const LayerCandidate& c) { return !c.layer.starts_with(wanted); });
  }
  const bool asks_heads = question.candidates.size() == 1 && !question.candidates[0].heads && !scenario.heads;
  if (question.candidates.size() < 2 && !asks_heads) return {};
  return question;
}

}  // namespace headlight
