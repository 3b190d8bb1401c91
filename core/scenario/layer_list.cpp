#include "core/scenario/layer_list.h"

#include <algorithm>

#include "core/scenario/file_source.h"
#include "core/tensor/error.h"

namespace headlight {
namespace {

std::string bare(const AttentionKeys& keys, std::string name) {
  name = name.substr(keys.prefix.size());
  for (const std::string_view ending : {".weight", "_weight"}) {
    if (name.ends_with(ending)) return name.substr(0, name.size() - ending.size());
  }
  return name;
}

std::string kind_of(const AttentionKeys& keys) {
  if (!keys.is_packed())
    return bare(keys, keys.q.weight) + ", " + bare(keys, keys.k.weight) + ", " + bare(keys, keys.v.weight);
  return bare(keys, keys.packed.weight) + (keys.packed.layout == WeightLayout::in_out ? " [in, out]" : " [out, in]");
}

std::optional<Index> whole(const std::optional<FileReading::Number>& number) {
  if (!number || !(number->value >= 1 && number->value <= 1e6)) return {};
  return static_cast<Index>(number->value);
}

LayerCandidate candidate(const FileReading& r) {
  const LinearKeys& keys = r.keys.is_packed() ? r.keys.packed : r.keys.q;
  const Index outputs = outputs_of(r.file.arrays(), keys);
  LayerCandidate found{r.keys.layer(), kind_of(r.keys), 0, whole(heads_said(r))};
  if (const std::optional<Index> stored = heads_stored(r.file.arrays(), keys)) found.heads = stored;
  if (!r.keys.is_packed()) {
    found.d_model = outputs;
  } else if (const std::optional<Index> kv = whole(kv_heads_said(r)); kv && found.heads) {
    found.d_model = outputs / (*found.heads + 2 * *kv) * *found.heads;
  } else {
    found.d_model = kv || outputs % 3 != 0 ? 0 : outputs / 3;
  }
  return found;
}

}  // namespace

std::vector<LayerCandidate> list_layers(const std::string& file) {
  const auto opened = std::make_shared<const TensorFile>(file);
  const Scenario scenario;
  std::vector<Assumption> assumptions;
  std::vector<LayerCandidate> list;
  for (AttentionKeys& keys : find_attentions(opened->arrays())) {
    list.push_back(candidate({Resolving{scenario}, *opened, std::move(keys), assumptions}));
  }
  return list;
}

std::optional<LayerQuestion> open_question(const Scenario& scenario) {
  if (scenario.source != Source::file) return {};
  LayerQuestion question{scenario, {}};
  try {
    question.candidates = list_layers(scenario.file);
  } catch (const InputError&) {
    return {};  // resolve() gives the error message
  }
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
