#include <set>

#include <nlohmann/json.hpp>

#include "core/base/tensor/error.h"
#include "core/base/tensor/exact.h"
#include "core/compute/network/network_trace.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/settings/settings_table.h"
#include "tests/catch.h"
#include "tests/core/network/networks.h"

using namespace headlight;

namespace {

/// Four tokens of a layer of a network in the fixtures.
nlohmann::json document(const std::string& network, const std::string& layer) {
  return {{"source", "file"}, {"file", networks::folder + network}, {"text", "1 2 3 4"}, {"layer", layer}};
}

/// Where the example of a row is for another number of tokens or heads, or needs another setting to act.
void add(nlohmann::json& file, const Setting& setting) {
  static const auto others = nlohmann::json::parse(R"json({
    "attn_bias": [[0, 1, 0, 0], [0, 0, 2, 0], [0, 0, 0, 0], [1, 0, 0, 0]], "valid_lens": [[2]],
    "doc_ids": [[0, 0, 1, 1]], "grid": "2x2", "heads": 1,
    "edits": [{"stage": "W_q", "row": 1, "col": 1, "value": 3}],
    "painted": [{"query": 2, "key": 0, "attend": false}]})json");
  static const auto needs = nlohmann::json::parse(R"json({
    "valid_lens": {"mask": "padding()"}, "doc_ids": {"mask": "doc(q) == doc(k)"}, "grid": {"mask": "neighborhood(1)"},
    "fill": {"mask": "k < q"}, "dead_row": {"mask": "k < q"}, "mask_mode": {"mask": "k < q", "fill": -1},
    "rope_base": {"rope": "half"}, "rotary_dim": {"rope": "half"}, "t5_bidirectional": {"t5_bias": true},
    "dropout": {"training": true}, "training": {"dropout": 0.5},
    "dropout_seed": {"training": true, "dropout": 0.5}})json");
  if (needs.contains(setting.key)) file.update(needs[setting.key]);
  file[setting.key] = others.contains(setting.key) ? others[setting.key] : nlohmann::json::parse(setting.example);
}

}  // namespace

TEST_CASE("a setting given to a network changes its numbers, is refused, or is one of those that name things") {
  // They say what is read, how it is called, or how it is computed, and are not the layer's attention.
  const std::set<std::string> names{"source", "file",    "text",       "text_as_input", "image",
                                    "layer",  "tokens",  "key_tokens", "merge",         "x",
                                    "seed",   "threads", "knock_out",  "mask_file"};
  std::set<std::string> acts;
  for (const auto& [network, layer] : {std::pair{"gpt2", "1"}, {"llama", "1"}, {"mt5", "encoder.1"}, {"mpt", "1"}}) {
    for (const Setting& setting : all_settings()) {
      if (names.contains(setting.key)) continue;
      CAPTURE(network, setting.key);
      nlohmann::json file = document(network, layer);
      add(file, setting);
      nlohmann::json without = file;
      without.erase(setting.key);
      try {
        const auto changed = compute_any(parse_scenario(file.dump(), "a.json"), nullptr, {});
        const auto usual = compute_any(parse_scenario(without.dump(), "a.json"), nullptr, {});
        const bool differs = !identical((*changed)[Stage::output], (*usual)[Stage::output]) ||
                             !identical((*changed)[Stage::weights], (*usual)[Stage::weights]);
        CHECK(differs);
        if (!differs) continue;
        acts.insert(setting.key);
        INFO("a row that changes a layer says so with .changes_layer(), or the layers after it would not follow");
        CHECK(changed_settings(parse_scenario(file.dump(), "a.json")) != "");
      } catch (const InputError&) {  // refused
      }
    }
  }
  for (const Setting& setting : all_settings()) {
    CAPTURE(setting.key);
    const bool changes = setting.changes_layer(parse_scenario(R"({"source": "random"})", "a.json"));
    CHECK((!changes || acts.contains(setting.key) || names.contains(setting.key)));
  }
}
