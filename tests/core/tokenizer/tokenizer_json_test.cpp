// tokenizer.json, compared with the ids of Hugging Face's tokenizers (tests/fixtures/make_tokenizer_ids.mjs).
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/models/tokenizer/tokenizer.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"

using namespace headlight;
using samples::has;

namespace {

using Json = nlohmann::json;
const std::string folder = places::fixtures() + "/tokenizers/";

Json json_of(const std::string& path) {
  std::ifstream stream(path);
  return Json::parse(stream);
}

std::vector<Index> numbers_of(const TokenSplitter& splitter, const std::string& line) {
  std::vector<Index> ids;
  for (const Token& token : splitter.split(line)) ids.push_back(token.id);
  return ids;
}

std::vector<std::string> texts_of(const std::string& name, const std::string& line) {
  std::vector<std::string> texts;
  for (const Token& token : open_tokenizer_json(folder + name + ".json")->split(line)) texts.push_back(token.text);
  return texts;
}

/// The error for GPT-2's file with another value at this place.
std::string refused(const std::string& place, const Json& value) {
  Json json = json_of(folder + "gpt2.json");
  json[Json::json_pointer(place)] = value;
  const samples::TempFolder scratch;
  samples::write_text(scratch / "tokenizer.json", json.dump());
  return samples::sentence_of([&] { open_tokenizer(scratch / "model.safetensors")->split("the cat"); });
}

}  // namespace

TEST_CASE(
    "a tokenizer.json gives the ids that Hugging Face's tokenizers give: GPT-2, RoBERTa, LLaMA 2 and 3, Mistral, Qwen "
    "2, BERT, CLIP, T5") {
  const Json expected = json_of(folder + "expected.json");
  REQUIRE(expected["ids"].size() == 11);
  for (const auto& [name, rows] : expected["ids"].items()) {
    const auto splitter = open_tokenizer_json(folder + name + ".json");
    for (std::size_t i = 0; i < rows.size(); ++i) {
      const std::string line = expected["lines"][i];
      INFO(name << ": " << line);
      CHECK(numbers_of(*splitter, line) == rows[i].get<std::vector<Index>>());
    }
  }
}

TEST_CASE("tokens are shown as they read: blanks as ␣, bytes of a character without a token as they are spelled") {
  CHECK(texts_of("gpt2", "the cat") == std::vector<std::string>{"the", "␣cat"});
  CHECK(texts_of("llama2", "the 猫") == std::vector<std::string>{"<s>", "␣the", "␣", "<0xE7>", "<0x8C>", "<0xAB>"});
  CHECK(texts_of("bert", "Cats [MASK]") == std::vector<std::string>{"[CLS]", "cat", "##s", "[MASK]", "[SEP]"});
}

TEST_CASE("an unknown part of a tokenizer.json is refused by name") {
  CHECK(refused("/version", "1.0") == "no error");
  CHECK(has(refused("/model/type", "Odd"), R"(its model is "Odd", which is not known here)"));
  CHECK(has(refused("/normalizer", {{"type", "Odd"}}), R"(its normalizer is "Odd")"));
  CHECK(has(refused("/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "AAA="}}),
            "precompiled_charsmap is damaged"));
  CHECK(has(refused("/normalizer", {{"type", "Precompiled"}, {"precompiled_charsmap", "?"}}), "that is no base64"));
  CHECK(has(refused("/pre_tokenizer", {{"type", "UnicodeScripts"}}), R"(its pre_tokenizer is "UnicodeScripts")"));
  CHECK(has(refused("/pre_tokenizer", {{"type", "Split"}, {"pattern", {{"Regex", "a"}}}, {"behavior", "Odd"}}),
            R"(has the behavior "Odd")"));
  CHECK(has(refused("/post_processor", {{"type", "Odd"}}), R"(its post_processor is "Odd")"));
  CHECK(has(refused("/model/merges/0", "one"), "one of its merges is no pair"));
  CHECK(has(refused("/model/merges/0", "the nothing"), "has no token"));
  CHECK(has(refused("/model/vocab", Json::object()), "its model has no vocab"));
  CHECK(has(refused("/model/vocab/t", -3), "no whole number"));
  Json nested = {{"type", "NFC"}};
  for (int i = 0; i < 1000; ++i) nested = {{"type", "Sequence"}, {"normalizers", Json::array({std::move(nested)})}};
  CHECK(has(refused("/normalizer", nested), "nested more than 16 deep"));
  CHECK(has(refused("", 7), "is no tokenizer.json"));
}
