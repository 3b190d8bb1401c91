#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>
#include <set>

#include <nlohmann/json.hpp>

#include "core/base/tensor/error.h"
#include "core/compute/run/pipeline.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/settings/settings_table.h"
#include "core/teaching/explain/explain.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;
using Json = nlohmann::json;

namespace {

Scenario with(const std::string& option, const std::string& text, Scenario s = {}) {
  for (const Setting& setting : all_settings()) {
    if (setting.option == option) setting.apply(s, option, text);
  }
  return s;
}

Scenario random_settings() {
  Scenario s;
  s.source = Source::random;
  s.queries = 3, s.keys = 5, s.d_model = 16, s.heads = 2;
  s.rope = Rope::half;
  return s;
}

}  // namespace

TEST_CASE("a setting's example means the same in a file and on the command line") {
  std::set<std::string> options;
  std::vector<Scenario> others;
  for (const Setting& setting : all_settings()) {
    CAPTURE(setting.key);
    CHECK_FALSE(setting.help.empty());
    if (setting.option.empty()) continue;
    CHECK(options.insert(setting.option).second);
    Json file{{"source", "random"}};
    file[setting.key] = Json::parse(setting.example);
    const Scenario said = parse_scenario(file.dump(), "a.json");
    Scenario plain;
    plain.source = Source::random;
    if (said == plain) {
      CHECK(setting.key == "source");
      continue;
    }
    CHECK(std::ranges::find(others, said) == others.end());  // each field has one row
    others.push_back(said);
    const std::optional<std::string> text = setting.text(said);
    REQUIRE(text);
    CHECK(with(setting.option, *text, plain) == said);
  }
}

TEST_CASE("every setting's label, its choices and its text when unset are in every language") {
  const std::set<std::string> shown_as_used{"d_query", "d_key", "d_value", "d_out", "query_offset"};
  for (const char* language : {"en", "zh"}) {
    CAPTURE(language);
    std::ifstream stream(places::assets() + "/translations/" + language + ".json");
    const Json words = Json::parse(stream).at("settings");
    for (const Setting& setting : all_settings()) {
      CAPTURE(setting.key);
      CHECK(words.contains(setting.key));
      const bool slides = setting.control == Control::slider || setting.control == Control::whole_slider;
      if (slides && std::isnan(setting.number(Scenario{})) && !shown_as_used.contains(setting.key))
        CHECK(words.contains(setting.key + ".unset"));
      if (setting.control != Control::choice) continue;
      for (const std::string_view word : setting.words) CHECK(words.contains(setting.key + "." + std::string(word)));
    }
  }
}

TEST_CASE("a setting's row says which control it has, unless a panel draws its own or it has none in the left panel") {
  const std::set<std::string> own{"source",       "text",    "image",     "x",     "file",      "batch_size",
                                  "queries",      "keys",    "d_model",   "heads", "kv_heads",  "seed",
                                  "bias",         "packed",  "layer",     "axes",  "names",     "output_projection",
                                  "weight_order", "scale",   "attn_bias", "mask",  "mask_file", "mask_polarity",
                                  "valid_lens",   "doc_ids", "painted",   "fill",  "training",  "edits",
                                  "knock_out"};
  for (const Setting& setting : all_settings()) {
    INFO(setting.key << (own.contains(std::string(setting.key)) ? " is in the list above"
                                                                : " has no control in its row"));
    CHECK((setting.control == Control::own) == own.contains(std::string(setting.key)));
  }
}

TEST_CASE("a number out of its setting's range is refused by name, with the range") {
  const auto sentence = [](const std::string& option, const std::string& text) {
    return samples::sentence_of([&] { resolve(with(option, text)); });
  };
  CHECK(sentence("--rope-base", "0") == "--rope-base: 0 is out of range; expected more than 0");
  CHECK(sentence("--dropout", "1.5") == "--dropout: 1.5 is out of range; expected 0 to 1");
  CHECK(sentence("--fill", "inf") == "--fill: inf is out of range; expected a finite number or -inf");
  CHECK(sentence("--threads", "0") == "--threads: 0 is out of range; expected 1 to 1024");
  CHECK(sentence("--knock-out", "3.x") ==
        "--knock-out: \"3.x\" is not a layer and a head, such as 3.1; expected a layer and a head, such as 3.1");
  CHECK(samples::has(sentence("--edits", "[{]"), "--edits: is not JSON"));
  CHECK(samples::has(sentence("--x", "[[1, 2], [3]]"), "--x: $[1]: has 1 numbers"));
}

TEST_CASE("RoPE with a rotary dimension rotates only the first channels, by angles for that many") {
  Scenario s = random_settings();
  s.rotary_dim = 4;
  for (const Rope pairing : {Rope::half, Rope::interleaved}) {
    s.rope = pairing;
    const auto trace = compute(s);
    const Tensor &before = (*trace)[Stage::Q_heads], &after = (*trace)[Stage::Q_rotated];
    const Index first = pairing == Rope::half ? 1 : 2, second = 3;  // the pair of the lower frequency
    const double angle = 2 * std::pow(10000.0, -2.0 / 4);
    const auto a = static_cast<double>(before.at({0, 1, 2, first})),
               b = static_cast<double>(before.at({0, 1, 2, second}));
    CHECK(agrees(after.at({0, 1, 2, first}), static_cast<float>(a * std::cos(angle) - b * std::sin(angle))));
    CHECK(agrees(after.at({0, 1, 2, second}), static_cast<float>(a * std::sin(angle) + b * std::cos(angle))));
    for (Index channel = 4; channel < 8; ++channel)
      CHECK(after.at({0, 1, 2, channel}) == before.at({0, 1, 2, channel}));
  }
  s.rotary_dim = 5;
  CHECK(samples::has(samples::sentence_of([&] { compute(s); }), "--rotary-dim: 5 is not an even part of d_head 8"));
  s.rotary_dim = 10;
  CHECK(samples::has(samples::sentence_of([&] { compute(s); }), "--rotary-dim: 10 is not an even part of d_head 8"));
}

TEST_CASE("a query offset moves the positions of queries for RoPE and biases, and not those of keys") {
  Scenario s = random_settings();
  s.alibi = s.t5_bias = true;
  const auto plain = compute(s);
  s.query_offset = 2;
  const auto moved = compute(s);
  CHECK(identical((*compute(s, plain.get()))[Stage::K_rotated], (*plain)[Stage::K_rotated]));
  Scenario longer = s;
  longer.query_offset.reset();
  longer.queries = 5;
  // Query 0 of the run with offset has the ALiBi bias of query 2: twice the slope for the key two positions back.
  const auto bias = [](const Trace& t, Index q, Index k) {
    return t[Stage::biased_scores].at({0, 0, q, k}) - t[Stage::scaled_scores].at({0, 0, q, k});
  };
  CHECK(agrees(bias(*moved, 0, 2), bias(*plain, 2, 2)));
  CHECK(agrees(bias(*moved, 0, 0), bias(*plain, 2, 0)));
  const Explanation explained = explain(*moved, {Stage::Q_rotated, 0, 1, 1, 0});
  CHECK(agrees(static_cast<float>(explained.quantity("angle")->value), 3.0F));
}

TEST_CASE(
    "causal_bottom_right over fewer queries than keys means that the queries stand last, unless they are placed") {
  Scenario s = random_settings();
  s.mask = "causal_bottom_right()";
  CHECK(compute(s)->query_offset == 2);
  s.query_offset = 0;
  CHECK(compute(s)->query_offset == 0);
  s.query_offset.reset();
  s.mask = "causal()";
  CHECK(compute(s)->query_offset == 0);
}

TEST_CASE("--tokens names the axes for every source, from words or from a file") {
  Scenario s = random_settings();
  s = with("--tokens", "a b c", s);
  s = with("--key-tokens", "1 2 3 4 5", s);
  CHECK(resolve(s).query_tokens == TokenNames{{"a", "b", "c"}});
  CHECK(resolve(s).key_tokens == TokenNames{{"1", "2", "3", "4", "5"}});
  s.batch_size = 2;
  CHECK(resolve(s).query_tokens == TokenNames{{"a", "b", "c"}, {"a", "b", "c"}});
  CHECK(samples::sentence_of([&] { resolve(with("--tokens", "a b", s)); }) == "--tokens: has 2 names; expected 3");
  const samples::TempFolder folder;
  samples::write_text(folder / "t.txt", "x\ny\nz\n");
  CHECK(with("--tokens", "@" + (folder / "t.txt").string()).tokens == TokenNames{{"x", "y", "z"}});
  samples::write_text(folder / "t.txt", "a b\nc d\n");
  CHECK(with("--tokens", "@" + (folder / "t.txt").string()).tokens == TokenNames{{"a", "b"}, {"c", "d"}});
  CHECK(samples::has(samples::sentence_of([&] { with("--tokens", "@/nowhere"); }), "/nowhere: no such file"));
}
