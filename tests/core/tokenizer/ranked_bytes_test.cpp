// Files of tiktoken: LLaMA 3's tokenizer.model and nanochat's tokenizer.pkl.
#include <map>

#include <nlohmann/json.hpp>

#include "core/base/arrays/array_file.h"
#include "core/base/text/texts.h"
#include "core/base/text/unicode.h"
#include "core/models/tokenizer/token_pipeline.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"

using namespace headlight;

namespace {

/// The vocabulary of a tokenizer.json in tiktoken's format: base64 of the bytes, and their rank.
std::string as_ranks(const nlohmann::json& model) {
  std::map<std::string, std::uint8_t> byte_of;
  for (int byte = 0; byte < 256; ++byte)
    byte_of[spelled_bytes(std::string(1, static_cast<char>(byte)))] = static_cast<std::uint8_t>(byte);
  std::string lines;
  for (const auto& [token, id] : model["vocab"].items()) {
    if (token.starts_with('<') && token.size() > 1) continue;  // special tokens
    std::vector<std::uint8_t> bytes;
    for (std::size_t at = 0; at < token.size();) {
      std::size_t end = at + 1;
      while (end < token.size() && (static_cast<unsigned char>(token[end]) & 0xC0) == 0x80) ++end;
      bytes.push_back(byte_of.at(token.substr(at, end - at)));
      at = end;
    }
    lines += base64(bytes) + " " + std::to_string(id.get<int>()) + "\n";
  }
  return lines;
}

}  // namespace

TEST_CASE("a file of ranks gives the ids that the same tokens with their merges give") {
  const std::string fixtures = places::fixtures() + "/tokenizers/";
  const auto whole = nlohmann::json::parse(places::text_of(fixtures + "llama3.json"));
  const auto expected = nlohmann::json::parse(places::text_of(fixtures + "expected.json"));
  const samples::TempFolder folder;
  samples::write_text(folder / "tokenizer.model", as_ranks(whole["model"]));
  const auto splitter = find_tokenizer(folder / "model.safetensors");
  REQUIRE(splitter);
  int tried = 0;
  for (std::size_t i = 0; i < expected["lines"].size(); ++i) {
    const std::string line = expected["lines"][i];
    if (line.find("<|") != std::string::npos) continue;
    INFO(line);
    const std::vector<Token> tokens = splitter->split(line);
    const auto& ids = expected["ids"]["llama3"][i];
    REQUIRE(tokens.size() == ids.size());
    CHECK(tokens.front().text == "<|begin_of_text|>");
    for (std::size_t at = 1; at < ids.size(); ++at) CHECK(tokens[at].id == ids[at].get<Index>());
    ++tried;
  }
  CHECK(tried > 8);
  const std::vector<Token> marked = splitter->split("a<|eot_id|>");
  CHECK(marked.back().id == marked.front().id + 9);
}

TEST_CASE("a damaged file of ranks is refused with its line") {
  const samples::TempFolder folder;
  const auto refused = [&](const std::string& text) {
    samples::write_text(folder / "tokenizer.model", text);
    return samples::sentence_of([&] { find_tokenizer(folder / "model.safetensors"); });
  };
  CHECK(samples::has(refused("IQ== 0\nIg==\n"),
                     "line 2 is no token; expected its bytes as base64, a blank, and its rank"));
  CHECK(samples::has(refused("IQ== 0\nI? 1\n"), "line 2 is no token"));
  CHECK(samples::has(refused("IQ== 0\nIQ== 1\n"), "line 2 has a token for the second time"));
  CHECK(samples::has(refused("IQ== 0\nIg== -4\n"), "line 2 is no token"));
}

namespace {

const std::string pickled = places::fixtures() + "/tokenizers/ranks.pkl";

/// The error for a tokenizer.pkl whose first `from` is replaced by `to`.
std::string refused_pickle(const std::string& from, const std::string& to) {
  std::string bytes = places::text_of(pickled);
  bytes.replace(bytes.find(from), from.size(), to);
  const samples::TempFolder folder;
  samples::write_text(folder / "tokenizer.pkl", bytes);
  return samples::sentence_of([&] { find_tokenizer(folder / "model_000010.pt"); });
}

}  // namespace

TEST_CASE("nanochat's tokenizer.pkl gives the ids that tiktoken's definition gives, in 200 lines of mixed scripts") {
  const samples::TempFolder folder;
  std::filesystem::create_directories(folder / "tokenizer");
  std::filesystem::create_directories(folder / "base_checkpoints" / "d4");
  std::filesystem::copy(pickled, folder / "tokenizer" / "tokenizer.pkl");
  const auto splitter = find_tokenizer(folder / "base_checkpoints" / "d4" / "model_000010.pt");
  REQUIRE(splitter);
  CHECK(find_tokenizer(folder / "base_checkpoints" / "d4" / "." / "config.json"));
  const auto truth = open_arrays(places::fixtures() + "/tokenizers/ranks.npz");
  const Tensor text = truth->load("text"), ids = truth->load("ids");
  std::string line;
  Index lines = 0, at = 0;
  for (const float byte : text.values()) {
    if (byte != 0) {
      line += static_cast<char>(static_cast<int>(byte));
      continue;
    }
    std::vector<Index> expected, got;
    for (; ids.at({at}) != 65535; ++at) expected.push_back(static_cast<Index>(ids.at({at})));
    ++at;
    for (const Token& token : splitter->split(line)) got.push_back(token.id);
    INFO(line);
    CHECK(got == expected);
    line.clear();
    ++lines;
  }
  CHECK(lines == 200);
  CHECK(splitter->split("a").front().text == "<|bos|>");
}

TEST_CASE("a tokenizer.pkl that asks for anything but tiktoken's class is refused by its name, and nothing is run") {
  CHECK(samples::has(refused_pickle("tiktoken.core", "posix________"), "asks for \"posix________.Encoding\""));
  CHECK(samples::has(refused_pickle("pat_str", "pat_stt"), "lacks pat_str, mergeable_ranks or special_tokens"));
  const std::string byte_token = "C\x01";  // SHORT_BINBYTES of one byte
  CHECK(samples::has(refused_pickle(byte_token + 'A', byte_token + 'B'), "for the second time"));
  CHECK(samples::has(refused_pickle("\\p{L}+|", "\\p{L(+|"), "cannot be read"));
  CHECK(samples::has(refused_pickle("\\s*[\\r", "\\w*[\\r"), "has \\w, which is not known here"));
}
