// Tokenizers without a tokenizer.json: ids typed as numbers, nanoGPT's characters, vocab.txt, vocab.json with
// merges.txt.
#include "core/base/tensor/error.h"
#include "core/models/tokenizer/tokenizer.h"
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

/// pickle.dumps({"stoi": {" ": 0, "a": 1, "é": 2}}, protocol=2), without the memo opcodes.
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

TEST_CASE("nanoGPT's meta.pkl makes a token of each of its characters and refuses others") {
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

TEST_CASE("of equal lines in vocab.txt the last counts, and later lines keep their numbers") {
  const samples::TempFolder folder;
  samples::write_text(folder / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\ncat\ncat\nsat\n");
  const auto found = find_tokenizer(folder / "model.safetensors");
  CHECK(ids_of(*found, "cat sat") == std::vector<Index>{2, 5, 6, 3});
}

TEST_CASE("vocab.txt is in lower case or not as tokenizer_config.json says, else by its capitals") {
  const samples::TempFolder folder;
  samples::write_text(folder / "vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\ncat\ncafé\ncafe\n");
  CHECK(ids_of(*find_tokenizer(folder / "a.bin"), "Cat café") == std::vector<Index>{2, 4, 6, 3});
  samples::write_text(folder / "tokenizer_config.json", R"({"do_lower_case": false})");
  CHECK(ids_of(*find_tokenizer(folder / "a.bin"), "Cat café") == std::vector<Index>{2, 1, 5, 3});
  samples::write_text(folder / "tokenizer_config.json", R"({"do_lower_case": true, "strip_accents": false})");
  CHECK(ids_of(*find_tokenizer(folder / "a.bin"), "Cat café") == std::vector<Index>{2, 4, 5, 3});
}

TEST_CASE("vocab.json with merges.txt has what tokenizer_config.json puts around a line, and added tokens") {
  const samples::TempFolder folder;
  samples::write_text(folder / "vocab.json",
                      R"({"<s>": 0, "<pad>": 1, "</s>": 2, "<mask>": 3, "a": 4, "b": 5, "ab": 6, "Ġ": 7})");
  samples::write_text(folder / "merges.txt", "#version: 0.2\na b\n");
  CHECK(ids_of(*find_tokenizer(folder / "a.bin"), "ab") == std::vector<Index>{6});
  samples::write_text(folder / "config.json", R"({"model_type": "roberta"})");
  CHECK(ids_of(*find_tokenizer(folder / "a.bin"), "ab") == std::vector<Index>{0, 6, 2});
  CHECK(ids_of(*find_tokenizer(folder / "a.bin"), "a <mask>") ==
        std::vector<Index>{0, 4, 3, 2});  // the added token includes the blank before it
  samples::write_text(
      folder / "tokenizer_config.json",
      R"({"tokenizer_class": "GPT2Tokenizer", "add_bos_token": true, "bos_token": {"content": "</s>"}})");
  samples::write_text(folder / "added_tokens.json", R"({"<new>": 8})");
  CHECK(ids_of(*find_tokenizer(folder / "a.bin"), "ab<new>b") == std::vector<Index>{2, 6, 8, 5});
  CHECK(find_tokenizer(folder / "a.bin")->text_of(8) == "<new>");
}

TEST_CASE(
    "a pre-tokenizer of words keeps vowel signs and joiners within them, and puts other numbers than digits apart") {
  const samples::TempFolder folder;
  samples::write_text(
      folder / "tokenizer.json",
      R"({"pre_tokenizer": {"type": "Whitespace"}, "model": {"type": "WordLevel", "unk_token": "?", )"
      R"("vocab": {"?": 0, "हिन्दी": 1, "क्‍ष": 2, "x": 3, "²": 4, "a_1": 5, "!": 6}}})");
  const auto found = find_tokenizer(folder / "a.bin");
  CHECK(ids_of(*found, "हिन्दी क्‍ष! x² a_1") == std::vector<Index>{1, 2, 6, 3, 4, 5});
}
