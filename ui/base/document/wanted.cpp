#include "ui/base/document/wanted.h"

#include <nlohmann/json.hpp>

#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/models/architecture/model_folder.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/inputs/scenario_rules.h"

namespace headlight {
namespace {

/// Clears the settings that depend on the number of tokens.
void drop_what_has_sizes(Scenario& s) {
  s.valid_lens.clear();
  s.doc_ids.clear();
  s.painted.clear();
  s.attn_bias.reset();
  std::erase_if(s.edits, [](const CellEdit& edit) { return edit.stage <= Stage::value; });
}

bool same_tokens(const Dims& a, const Dims& b) { return a.batch == b.batch && a.n_q == b.n_q && a.n_k == b.n_k; }

}  // namespace

Dims wanted_dims(const Scenario& scenario, const Trace& shown) {
  Dims dims = shown.dims();
  if (scenario.source == Source::file) {
    dims.heads = scenario.heads.value_or(dims.heads);
    dims.kv_heads = scenario.kv_heads.value_or(scenario.heads ? *scenario.heads : dims.kv_heads);
    return dims;
  }
  try {
    Dims own = seeded_dims(scenario);
    set_head_size(scenario, own);
    const bool drawn = scenario.source == Source::random && !scenario.x;
    if (!drawn) own.batch = dims.batch, own.n_q = dims.n_q, own.n_k = dims.n_k;
    if (scenario.x) own.d_query = own.d_key = own.d_value = dims.d_query;
    return own;
  } catch (const InputError&) {  // they contradict each other; the engine reports it
    return dims;
  }
}

Dims wanted_dims(const Document& document) {
  return is_current(document) ? document.trace->dims() : wanted_dims(document.scenario, *document.trace);
}

Scenario with_source(const Document& document, Source source) {
  Scenario to = document.scenario;
  to.source = source;
  to.x.reset();
  to.batch_size = to.queries = to.keys = std::nullopt;
  if (source != document.scenario.source) to.tokens.clear(), to.key_tokens.clear();
  if (source == Source::file) {
    const Scenario& began = document.origin.lesson.scenario;
    const bool same_file = began.source == Source::file && began.file == to.file;
    to.d_model = to.d_query = to.d_key = to.d_value = to.d_out = std::nullopt;
    to.heads = same_file ? began.heads : std::nullopt;
    to.kv_heads = same_file ? began.kv_heads : std::nullopt;
    drop_what_has_sizes(to);
    return to;
  }
  if (!document.trace) return to;
  const Dims had = wanted_dims(document);
  if (source == Source::random) {  // keep the current sizes
    to.queries = had.n_q;
    if (had.n_k != had.n_q) to.keys = had.n_k;
    if (had.batch > 1) to.batch_size = had.batch;
    return to;
  }
  Scenario bare = to;
  drop_what_has_sizes(bare);
  bare.edits.clear();
  try {
    if (!same_tokens(resolve(bare).dims, had)) drop_what_has_sizes(to);
  } catch (const InputError&) { drop_what_has_sizes(to); }
  return to;
}

std::string scenario_patch(const Scenario& from, const Scenario& to) {
  using Json = nlohmann::json;
  const Json before = Json::parse(to_json(from)), after = Json::parse(to_json(to));
  Json patch = Json::object();
  for (const auto& [key, value] : after.items()) {
    if (!before.contains(key) || before[key] != value) patch[key] = value;
  }
  for (const auto& [key, value] : before.items()) {
    if (!after.contains(key)) patch[key] = nullptr;
  }
  return patch.dump(-1, ' ', false, Json::error_handler_t::replace);
}

Scenario patched(const Scenario& scenario, const std::string& patch) {
  using Json = nlohmann::json;
  Json whole = Json::parse(to_json(scenario));
  const Json changes = Json::parse(patch, nullptr, false);
  if (!changes.is_object()) throw InputError("a logged change", "is no JSON object", "expected settings by their keys");
  for (const auto& [key, value] : changes.items()) {
    if (value.is_null()) whole.erase(key);
    else whole[key] = value;
  }
  return parse_scenario(whole.dump(), "a logged change");
}

Scenario with_whole_paths(Scenario scenario) {
  for (std::string* file : {&scenario.file, &scenario.mask_file, &scenario.image}) {
    if (file->empty() || is_model_name(*file)) continue;
    std::error_code error;
    const auto whole = std::filesystem::absolute(path_from(*file), error);
    if (!error) *file = utf8_from(whole.lexically_normal());
  }
  return scenario;
}

const std::string& second_mask(const MaskLab& lab, const Scenario& scenario) {
  static const std::string causal = "causal()", window = "causal() && window(3)";
  return lab.other ? *lab.other : scenario.mask == causal ? window : causal;
}

}  // namespace headlight
