// Models without rules of splitting: ids typed as numbers, nanoGPT's characters.
#include "core/tensor/error.h"
#include "core/tokenizer/tokenizer.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using samples::has;

namespace {

std::vector<Index> ids_of(const TokenSplitter& splitter, const std::string& line) {
  std::vector<Index> ids;
  for (const Token& token : splitter.split(line)) ids.push_back(token.id);
  return ids;
}

std::string refusal(const TokenSplitter& splitter, const std::string& line) {
  try {
    splitter.split(line);
  } catch (const SettingError& error) { return error.what(); }
  return "taken";
}

/// pickle.dumps({"stoi": {" ": 0, "a": 1, "é": 2}}, protocol=2), without what is remembered for later.
std::string pickled_characters() {
  const auto text = [](const std::string& value) {
    return "X" + std::string(1, static_cast<char>(value.size())) + std::string(3, '\0') + value;
  };
  const auto entry = [&](const std::string& key, char id) { return text(key) + "K" + std::string(1, id) + "s"; };
  return "\x80\x02}" + text("stoi") + "}" + entry(" ", 0) + entry("a", 1) + entry("é", 2) + "s.";
}

}  // namespace

TEST_CASE("without a tokenizer, numbers are the tokens, and words are refused with what would make them tokens") {
  const auto ids = token_ids(12);
  CHECK(ids_of(*ids, "2 0, 11\t3 ") == std::vector<Index>{2, 0, 11, 3});
  CHECK(ids_of(*ids, "  ").empty());
  CHECK(ids->text_of(11) == "11");
  CHECK(ids->text_of(12) == std::nullopt);
  for (const char* wrong : {"12", "-1", "cat", "1.5", "99999999999999999999"}) {
    CAPTURE(wrong);
    CHECK(has(refusal(*ids, wrong), "expected numbers from 0 to 11, or tokenizer.json"));
  }
}

TEST_CASE("nanoGPT's meta.pkl makes a token of each character, and of no other") {
  const samples::TempFolder folder;
  samples::write_text(folder / "meta.pkl", pickled_characters());
  const auto found = find_tokenizer(folder / "ckpt.pt");
  REQUIRE(found);
  CHECK(ids_of(*found, "é a") == std::vector<Index>{2, 0, 1});
  CHECK(found->split(" ").front().text == "␣");
  CHECK(has(refusal(*found, "ab"), "\"b\""));
  samples::write_text(folder / "meta.pkl", "\x80\x02}.");
  CHECK_THROWS_AS(find_tokenizer(folder / "ckpt.pt"), FileError);
}
