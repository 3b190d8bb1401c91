// Input that is too large is refused in a sentence before memory or stack is used for it.
#include <chrono>
#include <cmath>
#include <fstream>

#include "core/base/arrays/array_file.h"
#include "core/base/arrays/array_write.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/compute/run/pipeline.h"
#include "core/figures/figure/colormap.h"
#include "core/models/tokenizer/tokenizer.h"
#include "core/rules/mask/evaluate.h"
#include "core/rules/mask/expression.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/inputs/scenario_rules.h"
#include "tests/core/files/samples.h"
#include "tests/matchers.h"

using namespace headlight;
using samples::has;

namespace {

std::string nested(const std::string& before, int depth, const std::string& after) {
  return before + std::string(static_cast<std::size_t>(depth), '[') +
         std::string(static_cast<std::size_t>(depth), ']') + after;
}

std::filesystem::path written(const samples::TempFolder& folder, const std::string& name, const std::string& text) {
  std::ofstream(folder / name, std::ios::binary) << text;
  return folder / name;
}

/// The header of a PNG of this size, without pixels.
std::string png_claiming(std::uint32_t width, std::uint32_t height) {
  const auto big_endian = [](std::uint32_t n) {
    return std::string{static_cast<char>(n >> 24), static_cast<char>(n >> 16), static_cast<char>(n >> 8),
                       static_cast<char>(n)};
  };
  const auto crc = [](const std::string& bytes) {
    std::uint32_t sum = 0xFFFFFFFFu;
    for (const char c : bytes) {
      sum ^= static_cast<unsigned char>(c);
      for (int i = 0; i < 8; ++i) sum = (sum >> 1) ^ ((sum & 1) != 0 ? 0xEDB88320u : 0u);
    }
    return sum ^ 0xFFFFFFFFu;
  };
  const auto chunk = [&](const std::string& kind, const std::string& data) {
    return big_endian(static_cast<std::uint32_t>(data.size())) + kind + data + big_endian(crc(kind + data));
  };
  using namespace std::string_literals;
  return "\x89PNG\r\n\x1a\n" + chunk("IHDR", big_endian(width) + big_endian(height) + "\x01\x00\x00\x00\x00"s) +
         chunk("IDAT", "\x78\x9c\x03\x00\x00\x00\x00\x01"s) + chunk("IEND", "");
}

}  // namespace

TEST_CASE("JSON nested a hundred thousand deep is refused in a sentence, wherever JSON is read") {
  CHECK(has(samples::sentence_of([] { parse_scenario(nested("{\"text\": ", 100'000, "}"), "a.json"); }),
            "nested more than"));
  CHECK(has(samples::sentence_of([] { parse_scenario(std::string(100'000, '['), "a.json"); }), "nested more than"));
  CHECK(
      has(samples::sentence_of([] { parse_scenario(nested("{\"text\": ", 100, "}"), "a.json"); }), "is not a string"));
  CHECK(has(samples::sentence_of([] { parse_scenario(R"({"text": "[[", "heads": "[[[[\"[["})", "a.json"); }), "heads"));
  const samples::TempFolder folder;
  written(folder, "tokenizer.json", nested("{\"model\": ", 100'000, "}"));
  CHECK(has(samples::sentence_of([&] { open_tokenizer(folder / "a.npz"); }), "nested more than"));
  std::filesystem::remove(folder / "tokenizer.json");
  written(folder, "vocab.json", nested("{\"a\": ", 100'000, "}"));
  written(folder, "merges.txt", "#version: 0.2\n");
  CHECK(has(samples::sentence_of([&] { open_tokenizer(folder / "a.npz"); }), "nested more than"));
}

TEST_CASE("the limit is for all files of one load, and each load has its own") {
  const auto half = [](const std::string& file) {
    LoadBudget budget({file});
    budget.strings(LoadBudget::most_strings / 2 + 1);
  };
  {
    const WholeLoad load;
    half("first");
    const WholeLoad part_of_it;
    CHECK(has(samples::sentence_of([&] { half("second"); }), "second: holds more than 4000000 strings"));
  }
  half("first");
  half("second");
  CHECK_NOTHROW(half("third"));
}

TEST_CASE("a tokenizer whose steps double the text again and again is refused") {
  const samples::TempFolder folder;
  std::string steps;
  for (int i = 0; i < 40; ++i)
    steps += std::string(i > 0 ? "," : "") + R"({"type": "Replace", "pattern": {"String": "a"}, "content": "aa"})";
  written(folder, "tokenizer.json",
          R"({"normalizer": {"type": "Sequence", "normalizers": [)" + steps +
              R"(]}, "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})");
  const auto splitter = open_tokenizer(folder / "a.npz");
  CHECK(has(samples::sentence_of([&] { splitter->split("aaaa"); }), "more than 4 MB"));
}

TEST_CASE("the size of unpacked content is checked before it is unpacked") {
  CHECK(has(samples::sentence_of([] { open_arrays(samples::fixture("hostile/words.pt")); }), "text and tables"));
  const samples::TempFolder folder;
  const auto tokenizer = [&](const std::string& parts) {
    written(folder, "tokenizer.json", "{" + parts + R"(, "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})");
    return samples::sentence_of([&] { open_tokenizer(folder / "a.npz"); });
  };
  CHECK(has(tokenizer(R"("pre_tokenizer": {"type": "Metaspace", "replacement": ""})"), "has the replacement \"\""));
  std::string ids = "0", tokens = "\"a\"", single = R"({"Sequence": {"id": "A"}})";
  for (int i = 0; i < 1500; ++i) {
    ids += ", 0";
    tokens += ", \"a\"";
    single += R"(, {"SpecialToken": {"id": "x"}})";
  }
  CHECK(has(tokenizer(R"("post_processor": {"type": "TemplateProcessing", "single": [)" + single +
                      R"(], "special_tokens": {"x": {"ids": [)" + ids + R"(], "tokens": [)" + tokens + "]}}}"),
            "1048576 tokens of a line"));
}

TEST_CASE("a token id beyond any vocabulary is refused, not truncated") {
  const samples::TempFolder folder;
  written(folder, "vocab.json", R"({"a": 0, "b": 18446744073709551615})");
  written(folder, "merges.txt", "#version: 0.2\n");
  CHECK(has(samples::sentence_of([&] { open_tokenizer(folder / "a.npz"); }), "the id of \"b\" is no whole number"));
}

TEST_CASE("a long word is joined as the merges of byte pairs say") {
  const samples::TempFolder folder;
  written(
      folder, "tokenizer.json",
      R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "aa": 2, "aab": 3, "aaaa": 4}, "merges": ["a a", "aa b", "aa aa"]}})");
  const auto splitter = open_tokenizer(folder / "a.npz");
  const auto texts = [&](const std::string& text) {
    std::string joined;
    for (const Token& token : splitter->split(text)) joined += token.text + " ";
    return joined;
  };
  CHECK(texts("aab") == "aab ");
  CHECK(texts("aaaaab") == "aaaa a b ");
  CHECK(texts("aaaab") == "aa aab ");
  CHECK(splitter->split(std::string(400'000, 'a')).size() == 100'000);
}

TEST_CASE("a picture's size is checked before its pixels are decoded") {
  const samples::TempFolder folder;
  for (const std::uint32_t side : {20'000u, 65'535u}) {
    const auto file = written(folder, "bomb.png", png_claiming(side, side));
    Scenario scenario;
    scenario.text = "the cat sat";
    scenario.mask_file = file.string();
    scenario.mask = "file()";
    CHECK(has(samples::sentence_of([&] { resolve(scenario); }), "expected [n_q, n_k] = [3, 3]"));
  }
}

TEST_CASE("a run that does not fit into memory is refused with both sizes") {
  Scenario scenario;
  scenario.source = Source::random;
  scenario.d_model = 1 << 20;
  const std::string sentence = samples::sentence_of([&] { resolve(scenario); });
  CHECK(has(sentence, "W_q 4.4 TB"));
  CHECK(has(sentence, "are free"));
  scenario = {};
  scenario.text = "a b\n" + std::string(1 << 20, 'x');
  for (int i = 0; i < 21; ++i) scenario.text += scenario.text.size() < (1u << 22) ? "\nc d e" : "";
  CHECK_NOTHROW(resolve(scenario));
}

TEST_CASE("rectangles of painted cells larger than the longest sequence are refused") {
  CHECK(has(samples::sentence_of([] {
              parse_scenario(R"({"painted": [{"query": 0, "key": 0, "queries": 9223372036854775807, "attend": true}]})",
                             "a.json");
            }),
            "painted"));
  CHECK(has(samples::sentence_of([] {
              parse_scenario(R"({"painted": [{"query": 0, "key": 9223372036854775807, "attend": true}]})", "a.json");
            }),
            "painted"));
}

TEST_CASE("an integer of a pattern larger than the longest sequence is refused; a document may have many runs") {
  CHECK_THROWS_AS(MaskExpression::parse("window(1e30)"), ExpressionError);
  std::string runs;
  for (int i = 0; i < 150; ++i) runs += (i > 0 ? ", " : "") + std::to_string(1 + i % 3);
  const MaskExpression many = MaskExpression::parse("document(" + runs + ")");
  const MaskContext context{.batch = 1, .heads = 1, .n_q = 320, .n_k = 320};
  const Tensor mask = evaluate(many, context).expand({1, 1, 320, 320});
  std::vector<Index> run_of;
  for (Index run = 0; run < 150; ++run) run_of.insert(run_of.end(), static_cast<std::size_t>(1 + run % 3), run);
  while (run_of.size() < 320) run_of.push_back(150 + (static_cast<Index>(run_of.size()) - 300) / 3);
  Index wrong = 0;
  for (Index q = 0; q < 320; ++q) {
    for (Index k = 0; k < 320; ++k)
      wrong +=
          (mask.at({0, 0, q, k}) != 0) != (run_of[static_cast<std::size_t>(q)] == run_of[static_cast<std::size_t>(k)]);
  }
  CHECK(wrong == 0);
  std::string too_many = "document(1";
  for (int i = 0; i < 500; ++i) too_many += ", 1";
  CHECK_THROWS_AS(MaskExpression::parse(too_many + ")"), ExpressionError);
}

TEST_CASE("a colour map has a colour for every number, also NaN and infinities") {
  const Colormap map = colormap("signal", Theme::dark);
  CHECK(map.at(NAN) == map.at(0));
  CHECK(map.at(INFINITY) == map.at(1));
  CHECK(map.at(-INFINITY) == map.at(0));
}

TEST_CASE("an error is one line of readable text, also for a long or unprintable name") {
  const InputError error("a\nb", "\x1b[31m\xff\xc2\x85 is wrong", std::string(100'000, 'x') + "end");
  const std::string line = error.what();
  CHECK(has(line, "a\\x0ab: \\x1b[31m\\xff\\xc2\\x85 is wrong; xxx"));
  CHECK(line.size() < 5000);
  CHECK(line.ends_with("xend"));
  CHECK(std::string(InputError("猫", "是错的").what()) == "猫: 是错的");
}

TEST_CASE("rows of a matrix are read from an .npz, packed or not, in any order") {
  const samples::TempFolder folder;
  Buffer values(60);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i);
  const Tensor table({20, 3}, values);
  write_npz(folder / "a.npz", std::vector<NamedArray>{{"wte.weight", table, false}});
  const std::vector<Index> rows{7, 2, 7, 19, 0};
  const Tensor read = open_arrays(folder / "a.npz")->load_rows("wte.weight", rows);
  for (std::size_t i = 0; i < rows.size(); ++i)
    CHECK(read.at({static_cast<Index>(i), 1}) == static_cast<float>(rows[i] * 3 + 1));
}

TEST_CASE("a file that was replaced after it was opened is refused") {
  const samples::TempFolder folder;
  write_npz(folder / "a.npz", std::vector<NamedArray>{{"x", Tensor::full({2, 3}, 1), false}});
  const auto file = open_arrays(folder / "a.npz");
  write_npz(folder / "a.npz", std::vector<NamedArray>{{"x", Tensor::full({40, 3}, 1), false}});
  CHECK(has(samples::sentence_of([&] { file->load("x"); }), "was replaced while it was being read"));
}

TEST_CASE("the number of words in an .npz is checked before they are read") {
  const samples::TempFolder folder;
  const std::string count = std::to_string(LoadBudget::most_strings + 1);
  const std::string words = samples::npy("{'descr': '|S1', 'fortran_order': False, 'shape': (" + count + ",), }",
                                         std::string(LoadBudget::most_strings + 1, 'a'));
  const std::string x = samples::npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", samples::ones(1));
  samples::write_text(folder / "words.npz", samples::zip({{"x.npy", x}, {"tokens.npy", words}}));
  const auto file = open_arrays(folder / "words.npz");
  CHECK(has(samples::sentence_of([&] { file->words("tokens"); }), "more than 4000000 strings"));
}
