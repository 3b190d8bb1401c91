// Steps of tokenizers: every way to split and normalise text, compared with the ids of Hugging Face's tokenizers and
// of SentencePiece (tests/fixtures/make_tokenizer_ids.mjs, make_sentence_pieces.py).
#include <algorithm>

#include <nlohmann/json.hpp>

#include "core/base/tensor/error.h"
#include "core/models/architecture/model_folder.h"
#include "core/models/tokenizer/pattern.h"
#include "core/models/tokenizer/pre_tokenizer.h"
#include "core/models/tokenizer/token_model.h"
#include "core/models/tokenizer/tokenizer.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"

using namespace headlight;
using samples::has;

namespace {

using Json = nlohmann::json;
const std::string tokenizers = places::fixtures() + "/tokenizers/";

Json parsed(const std::string& name) { return Json::parse(places::text_of(tokenizers + name)); }

std::vector<Index> ids_in(const TokenSplitter& splitter, const std::string& line) {
  std::vector<Index> ids;
  for (const Token& token : splitter.split(line)) ids.push_back(token.id);
  return ids;
}

/// The ids of a line from a SentencePiece file and these settings in tokenizer_config.json.
std::vector<Index> ids_of_pieces(const std::string& model, const Json& settings, const std::string& line) {
  const samples::TempFolder folder;
  std::filesystem::copy(tokenizers + model + ".model", folder / "tokenizer.model");
  samples::write_text(folder / "tokenizer_config.json", settings.dump());
  return ids_in(*open_tokenizer(folder / "model.safetensors"), line);
}

Stretches matches(const std::string& expression, const std::string& text) {
  return TextPattern(expression, {"tokenizer.json"}).matches(text);
}

std::string refused_expression(const std::string& expression, const std::string& text = "a") {
  return samples::sentence_of([&] { matches(expression, text); });
}

}  // namespace

TEST_CASE("every step of a tokenizer.json gives the ids that Hugging Face's tokenizers give") {
  const Json lines = parsed("expected.json")["lines"], cases = parsed("steps.json");
  REQUIRE(cases.size() == 38);
  for (const Json& each : cases) {
    Json whole = parsed(each["base"].get<std::string>() + ".json");
    whole.update(each["parts"]);
    const samples::TempFolder folder;
    samples::write_text(folder / "tokenizer.json", whole.dump());
    const auto splitter = open_tokenizer(folder / "model.safetensors");
    for (std::size_t i = 0; i < lines.size(); ++i) {
      INFO(each["name"].get<std::string>() << ": " << lines[i]);
      CHECK(ids_in(*splitter, lines[i]) == each["ids"][i].get<std::vector<Index>>());
    }
  }
}

TEST_CASE("SentencePiece files give SentencePiece's ids, between the special tokens of each tokenizer") {
  const Json expected = parsed("sentence_pieces.json");
  for (const std::string name : {"unigram", "pairs"}) {
    const auto splitter = open_sentence_pieces(tokenizers + name + ".model");
    for (std::size_t i = 0; i < expected["lines"].size(); ++i) {
      INFO(name << ": " << expected["lines"][i]);
      CHECK(ids_in(*splitter, expected["lines"][i]) == expected[name][i].get<std::vector<Index>>());
    }
  }
  const auto plain = expected["unigram"][0].get<std::vector<Index>>();
  const auto shifted = [&](Index by, std::vector<Index> around, Index last) {
    for (const Index id : plain) around.push_back(id + by);
    around.push_back(last);
    return around;
  };
  const auto as = [&](const char* type) {
    return ids_of_pieces("unigram", {{"tokenizer_class", type}}, expected["lines"][0]);
  };
  CHECK(as("T5Tokenizer") == shifted(0, {}, 2));
  CHECK(as("XLMRobertaTokenizerFast") == shifted(1, {0}, 2));
  CHECK(as("CamembertTokenizer") == shifted(4, {5}, 6));
  CHECK(as("MBart50Tokenizer") == shifted(1, {47 + 1 + 3}, 2));  // en_XX, the fourth language after 47 pieces
  auto begun = plain;
  begun.insert(begun.begin(), 1);
  CHECK(as("LlamaTokenizer") == begun);
}

TEST_CASE("Marian's pieces have the ids of its vocab.json") {
  const samples::TempFolder folder;
  std::filesystem::copy(tokenizers + "unigram.model", folder / "source.spm");
  samples::write_text(folder / "vocab.json", R"({"</s>": 0, "<unk>": 1, ">>fra<<": 2, "▁": 7, "cat": 9, "s": 8})");
  samples::write_text(folder / "tokenizer_config.json", R"({"tokenizer_class": "MarianTokenizer"})");
  const auto ids = ids_in(*open_tokenizer(folder / "model.safetensors"), ">>fra<< cats");
  REQUIRE(ids.size() > 2);
  CHECK(ids.front() == 2);
  CHECK(ids.back() == 0);
}

TEST_CASE("tokenizer_config.json beside a tokenizer.json adds special tokens around a line and further tokens") {
  const samples::TempFolder folder;
  std::filesystem::copy(tokenizers + "gpt2.json", folder / "tokenizer.json");
  const Json vocabulary = parsed("gpt2.json")["model"]["vocab"];
  const Index end = vocabulary["<|end|>"], extra = std::ssize(vocabulary);
  samples::write_text(folder / "tokenizer_config.json", Json{{"add_bos_token", true}, {"bos_token", "<|end|>"}}.dump());
  samples::write_text(folder / "added_tokens.json", Json{{"<extra>", extra}}.dump());
  const auto ids = ids_in(*open_tokenizer(folder / "model.safetensors"), "a<extra>");
  CHECK(ids == std::vector<Index>{end, vocabulary["a"].get<Index>(), extra});
}

TEST_CASE("a damaged file of SentencePiece is refused, wherever it is cut") {
  const std::string whole = samples::read_bytes(tokenizers + "pairs.model");
  const samples::TempFolder folder;
  for (std::size_t end = 0; end < whole.size(); end += 97) {
    samples::write_text(folder / "tokenizer.model", whole.substr(0, end));
    CHECK_FALSE(
        samples::sentence_of([&] { open_sentence_pieces(folder / "tokenizer.model")->split("a <0x"); }).empty());
  }
  samples::write_text(folder / "tokenizer.model", "");
  CHECK(has(samples::sentence_of([&] { open_sentence_pieces(folder / "tokenizer.model"); }), "holds no pieces"));
}

TEST_CASE("regular expressions are read as by Oniguruma, and unsupported syntax is refused by name") {
  CHECK(matches(R"([^(\s|[.,])]+)", "a,b c") == Stretches{{0, 1}, {2, 3}, {4, 5}});
  CHECK(matches(R"(\d{1,3}+)", "12345") == Stretches{{0, 5}});
  CHECK(matches(R"(\d{1,3})", "12345") == Stretches{{0, 3}, {3, 5}});
  CHECK(matches(R"(\s)", "\u180E\u0085") == Stretches{{3, 5}});
  CHECK(matches("x*", "axb") == Stretches{{0, 0}, {1, 2}, {3, 3}});
  CHECK(has(refused_expression("[a&&b]"), "has an intersection of sets"));
  CHECK(has(refused_expression("[a[^b]]"), "has a negated set within a set"));
  CHECK(has(refused_expression(R"(\h)"), R"(has \h)"));
  CHECK(has(refused_expression("(a"), "cannot be read"));
}

TEST_CASE("a regular expression with exponential backtracking is stopped by its limit of steps") {
  CHECK(has(refused_expression("(a+)+[bc]", std::string(60, 'a')), "takes too many steps on this text"));
}

TEST_CASE("looking ahead over a long text, and many words one after the other, take a second and no more") {
  const std::string signs(400'000, '-');
  CHECK(has(refused_expression("(?:.(?=.*+=)|.(?=.*+!)|.)+?#", signs), "takes too many steps on this text"));
  const TextPattern pattern("(a+)+[bc]", {"tokenizer"});
  const auto read_many = [&] {
    const MatchTime time(0);
    for (int word = 0; word < 100'000; ++word) pattern.matches("aaaaaaaaaaaaaa");
  };
  CHECK(has(samples::sentence_of(read_many), "takes too many steps on this text"));
}

TEST_CASE("tiktoken's regular expressions are read as by Rust: possessive quantifiers, and $ only at the end") {
  const auto rust = [](const std::string& expression, const std::string& text) {
    return TextPattern(expression, {"tokenizer"}, PatternSyntax::rust).matches(text);
  };
  CHECK(rust(R"(\d{1,3}+)", "12345") == Stretches{{0, 3}, {3, 5}});
  CHECK(rust("a$", "a\na") == Stretches{{2, 3}});
  CHECK(rust("a$", "a\n").empty());
  CHECK(has(samples::sentence_of([&] { rust("[a--b]", "a"); }), "has --"));
}

TEST_CASE("bytes that are no UTF-8 are split like punctuation, and offsets stay right") {
  CHECK(matches("a+|[^a]",
                "aa\xC3"
                "a\xE7\x8C") == Stretches{{0, 2}, {2, 3}, {3, 4}, {4, 5}, {5, 6}});
}

TEST_CASE("a SentencePiece file is found under each of its names, and counts as part of the model") {
  for (const std::string name :
       {"tokenizer.model", "spiece.model", "sentencepiece.bpe.model", "spm.model", "sentencepiece.model"}) {
    CAPTURE(name);
    const samples::TempFolder folder;
    std::filesystem::copy(tokenizers + "unigram.model", folder / name);
    CHECK(find_tokenizer(folder / "model.safetensors"));
    CHECK(std::ranges::count(companion_names(), name) == 1);
    samples::write_text(folder / "model.safetensors", "");
    CHECK(is_model_folder((folder / name).string()));
  }
}

TEST_CASE("SentencePiece's BPE joins letters that are no pieces themselves, and what is left of them is unknown") {
  PairRules rules;
  const std::vector<ScoredPiece> pieces{{"<unk>", 0, false}, {"▁a", -1}, {"▁b", -2}, {"ab", -3}};
  for (const ScoredPiece& piece : pieces) rules.vocabulary.emplace(piece.text, std::ssize(rules.vocabulary));
  add_merges(pieces, rules);
  rules.unknown = "<unk>";
  rules.join_unknown = true;
  const auto model = pair_model(rules, "tokenizer.model");
  const auto cut = [&](std::string_view text) {
    std::vector<Token> tokens;
    model->append(text, tokens);
    std::string pieces_of_text;
    for (const Token& token : tokens) pieces_of_text += token.text + " ";
    return pieces_of_text;
  };
  CHECK(cut("▁a▁b▁ab") == "▁a ▁b ▁a <unk> ");
  CHECK(cut("ab") == "ab ");
  CHECK(cut("bb▁a") == "<unk> ▁a ");
  CHECK(cut("xbx▁a") == "<unk> ▁a ");  // as SentencePiece 0.1.97 does: one for a run, of whatever letters
  CHECK(model->last_id() == 3);
  CHECK(!model->text_of(4));
}
