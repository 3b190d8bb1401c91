// Errors in the window's language: no English is left in translated messages of core.
#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <set>
#include <string>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/base/arrays/array_file.h"
#include "core/base/arrays/array_write.h"
#include "core/base/tensor/error.h"
#include "core/base/tensor/message.h"
#include "core/base/text/utf8_path.h"
#include "core/compute/network/network_trace.h"
#include "core/rules/mask/expression.h"
#include "core/scenario/documents/scenario_json.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/settings/settings_table.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"
#include "tests/ui/headless.h"
#include "ui/base/look/fonts.h"
#include "ui/base/look/words.h"

using namespace headlight;
using namespace headlight::test;
using samples::TempFolder;
using samples::write_text;

namespace {

/// The words of core's English messages, without those that Chinese messages use too: names, options and code.
const std::set<std::string>& english_words() {
  static const std::set<std::string> found = [] {
    const auto words_of = [](const std::string& text, std::set<std::string>& words) {
      std::string word;
      for (const char c : text + " ") {
        if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
          word += c;
        } else {
          if (word.size() > 1 && std::ranges::all_of(word, [](char l) { return l >= 'a' && l <= 'z'; }))
            words.insert(word);
          word.clear();
        }
      }
    };
    std::ifstream file(places::assets() + "/translations/zh.json");
    std::set<std::string> english, chinese;
    const nlohmann::json table = nlohmann::json::parse(file);
    for (const auto& [key, value] : table["errors"].items()) {
      words_of(key, english);
      words_of(value.get<std::string>(), chinese);
    }
    for (const std::string& word : chinese) english.erase(word);
    // Names that look like words: of fields, of arrays, and of this test's folder "or not: at all".
    for (const char* name : {"version", "view", "values", "or", "not", "at"}) english.erase(name);
    for (const Setting& setting : all_settings()) {  // keys of settings are names too
      english.erase(setting.key);
      for (const std::string_view word : setting.words) english.erase(std::string(word));
    }
    return english;
  }();
  return found;
}

/// The text without the parts between the two marks, and without the marks.
std::string without(std::string text, const std::string& opens, const std::string& closes) {
  for (std::size_t at = text.find(opens); at != std::string::npos; at = text.find(opens, at)) {
    const std::size_t end = text.find(closes, at + opens.size());
    if (end == std::string::npos) break;
    text.erase(at, end + closes.size() - at);
  }
  return text;
}

/// The English words in a Chinese sentence, except names in quotation marks and code; "" if there are none.
std::string english_in(const std::string& sentence) {
  std::string left, word;
  for (const char c : without(without(without(sentence, "“", "”"), "\"", "\""), "{", "}") + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/' || c == '-') {
      word += c;
      continue;
    }
    if (c != '(' && english_words().contains(word)) left += word + " ";  // a word before ( is the name of a function
    word.clear();
  }
  return left;
}

std::string in_chinese(const Message& message) {
  static const Words words("zh");
  return words.translate(message);
}

/// Checks that `act` throws an error whose Chinese translation has no English words.
void check_refused_in_chinese(const std::string& what, const std::function<void()>& act) {
  Message message;
  try {
    act();
  } catch (const std::exception& error) { message = message_of(error); }
  const std::string said = in_chinese(message);
  CAPTURE(what, message, said);
  REQUIRE_FALSE(message.empty());
  CHECK(said != message.english());
  CHECK(english_in(said) == "");
}

std::string array_file(const std::string& descr, const std::string& shape, std::size_t numbers) {
  return samples::npz("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }",
                      samples::ones(numbers));
}

}  // namespace

TEST_CASE("errors of masks are shown in the window's language") {
  for (const char* wrong : {"causal( &&",
                            "k <",
                            "k < x",
                            "windwo(3)",
                            "window()",
                            "window(1, 2)",
                            "window(-1)",
                            "window(2.5)",
                            "window(q)",
                            "window(k < 2)",
                            "k = 3",
                            "k & 3",
                            "q // 4 == 0",
                            "q_idx > 1",
                            "q ** 2 > 1",
                            "k",
                            "(k < 3",
                            "k < 3)",
                            "0 < k < 5",
                            "k && true",
                            "!k",
                            "causal",
                            "abs",
                            "abs(1, 2)",
                            "min(1)",
                            "1 / 0 > 2",
                            "k < 3 ? 1 : causal()",
                            "k @ 3",
                            "doc(3) == 1",
                            "bit(q, q) == 1",
                            "random(2, 0)",
                            "document()",
                            "1e999 > k",
                            "k < 3 ? causal()",
                            "q << 2 > 1",
                            "q ^ k",
                            "floor()"}) {
    check_refused_in_chinese(wrong, [&] { (void)MaskExpression::parse(wrong); });
  }
}

TEST_CASE("files that are cut, damaged or something else are refused in the window's language") {
  const TempFolder folder;
  const std::string png = "\x89PNG\r\n\x1a\n" + std::string(64, '\0');
  const std::string good = array_file("<f4", "(2, 2)", 4);
  const std::string legacy = samples::read_bytes(samples::fixture("torch_legacy.pt"));
  const std::pair<const char*, std::string> files[] = {
      {"empty.npz", ""},
      {"png.npz", png},
      {"png.safetensors", png},
      {"text.npy", "1,2,3\n"},
      {"page.pt", "<!DOCTYPE html>"},
      {"plain.txt", "hello"},
      {"lfs.safetensors", "version https://git-lfs.github.com/spec/v1\noid sha256:0\n"},
      {"legacy.pt", legacy.substr(0, legacy.size() / 2)},
      {"other.npz", samples::zip({{"readme.txt", "hello"}})},
      {"none.npz", samples::zip({})},
      {"cut.npz", good.substr(0, good.size() / 2)},
      {"dtype.npz", array_file("banana", "(4,)", 4)},
      {"complex.npz", array_file("<c8", "(2,)", 4)},
      {"negative.npz", array_file("<f4", "(-4,)", 4)},
      {"large.npz", array_file("<f4", "(1000000000,)", 4)},
      {"object.npz", array_file("|O", "(2,)", 4)},
      {"json.safetensors", samples::safetensors("hello, hello", "")},
      {"long.safetensors",
       samples::safetensors(R"({"x": {"dtype": "F32", "shape": [8], "data_offsets": [0, 32]}})", samples::ones(4))},
      {"list.safetensors", samples::safetensors("[]", "")},
      {"stop.pt", samples::torch_zip("a")},
      {"system.pt", samples::torch_zip("cos\nsystem\n.")}};
  for (const auto& [name, bytes] : files) {
    write_text(folder / name, bytes);
    check_refused_in_chinese(name, [&, file = folder / name] {
      const auto arrays = open_arrays(file);
      for (const ArrayEntry& entry : arrays->entries()) arrays->load(entry.name);
    });
  }
  check_refused_in_chinese("no file", [&] { open_arrays(folder / "gone; or not: at all.npz"); });
  check_refused_in_chinese("a folder", [&] { open_arrays(folder.path()); });
  check_refused_in_chinese("no folder to write to", [&] { write_npy(folder / "no/a.npy", Tensor::of({1}, {1})); });
}

TEST_CASE("scenarios and settings out of their ranges are refused in the window's language") {
  for (const char* json :
       {R"({"head": 4})", R"({"heads": "4"})", R"({"heads": 0})", R"({"kv_heads": -1})", R"({"rope": "quarter"})",
        R"({"dropout": 2})", R"({"valid_lens": [[1, "x"]]})", R"({"x": [[1, 2], [3]]})", R"({"x": [[1, "y"]]})",
        R"({"scale": 1e300})", "[1]", "{\"heads\": 4,\n oops}", R"({"version": 2})", R"({"view": {"level": "near"}})",
        R"({"view": {"level": "operation:W_q"}})", R"({"edits": [{"stage": "weights", "value": 1}]})",
        R"({"source": "file"})", "\xff", R"({"heads": 4)"}) {
    check_refused_in_chinese(json, [&] { parse_scenario(json, "a.json"); });
  }
  const auto settings = [](const char* json) {
    check_refused_in_chinese(json, [&] { compute_any(parse_scenario(json, "a.json")); });
  };
  for (const char* json :
       {R"({"source": "random", "d_model": 32, "heads": 5})", R"({"source": "random", "heads": 4, "kv_heads": 3})",
        R"({"text": ""})", R"({"text": "a b", "tokens": [["x", "y", "z"]]})",
        R"({"source": "random", "x": [[1, 2, 3]], "queries": 5})", R"({"text": "a b", "valid_lens": [[1], [2]]})",
        R"({"source": "random", "queries": 2, "keys": 3, "doc_ids": [[0, 1]]})",
        R"json({"text": "a b c", "mask": "windwo(2)"})json", R"json({"text": "a b c", "mask": "padding()"})json",
        R"({"text": "a b c", "mask_file": "gone.npy"})", R"({"source": "file", "file": "gone.npz"})",
        R"({"source": "random", "rope": "half", "d_model": 6, "heads": 2})",
        R"({"source": "random", "rope": "half", "rotary_dim": 99})"}) {
    settings(json);
  }
}

TEST_CASE("an error message is in the window's language, and in English in an English window") {
  const TempFolder folder;
  write_text(folder / "page.pt", "<!DOCTYPE html>");
  Document start = sentence();
  start.view.language = "zh";
  HeadlessWindow window(std::move(start), {1024, 768});
  Record record;
  ImGui::GetIO().UserData = &record;
  const auto shown = [&] {
    window.frame();
    record.texts.clear();
    window.frame();
    std::string all;
    for (const RecordedText& text : record.texts) all += text.text;
    return all;
  };
  const std::string path = utf8_from(folder / "page.pt");
  window.session.open(path);
  window.settle();
  std::string all = shown();
  CAPTURE(all);
  CHECK(all.find("page.pt：不是 ZIP 归档（以“<!DOCTYPE”开头，是网页）；应为 torch.save 写出的文件") !=
        std::string::npos);
  CHECK(all.find("not a ZIP archive") == std::string::npos);
  window.session.perform(EditView{[](View& view) { view.language = "en"; }});
  all = shown();
  CHECK(all.find("not a ZIP archive") != std::string::npos);
  ImGui::GetIO().UserData = nullptr;
}

TEST_CASE("a long message breaks between Chinese characters and stays within its box") {
  Document start = sentence();
  start.view.language = "zh";
  HeadlessWindow window(std::move(start), {1024, 768});
  window.session.warn(
      Message("{0}: {1}", "a.bin",
              Message("{0}; {1}", "is a folder without a model's tensors",
                      "expected tokenizer.json, vocab.json and merges.txt (GPT-2), vocab.txt (BERT), tokenizer.model "
                      "(SentencePiece), tokenizer.pkl (nanochat) or meta.pkl (nanoGPT), in the same folder")));
  Record record;
  ImGui::GetIO().UserData = &record;
  window.frame();
  record.texts.clear();
  window.frame();
  ImGui::GetIO().UserData = nullptr;
  std::string all;
  float left = 0, right = 0;
  int lines = 0;
  for (const RecordedText& text : record.texts) {
    if (text.text.find("文件夹里没有模型的张量") == std::string::npos && lines == 0) continue;
    if (lines > 0 && text.min.x != left) break;  // another text begins here
    ++lines;
    all += text.text;
    left = text.min.x;
    right = std::max(right, text.max.x);
    CHECK(text.max.x <= text.clip_max.x);
    CHECK(text.max.y <= text.clip_max.y);
  }
  CAPTURE(all);
  CHECK(lines >= 2);
  CHECK(all.find("meta.pkl (nanoGPT)") != std::string::npos);
  CHECK(right - left < 600);
}

TEST_CASE("assumptions about a file are shown in the window's language") {
  for (const char* name : {"s000_masked_mha.input.npz", "s003_valid_lens.input.npz", "torch_mha.input.safetensors",
                           "gqa_causal.input.npz", "torch_state_dict.pth"}) {
    Scenario scenario;
    scenario.source = Source::file;
    scenario.file = utf8_from(samples::fixture(name));
    if (std::string(name) == "torch_state_dict.pth") scenario.heads = 2;
    const Inputs inputs = resolve(scenario);
    CHECK_FALSE(inputs.assumptions.empty());
    for (const Assumption& assumption : inputs.assumptions) {
      const std::string said = in_chinese(assumption.taken_for);
      CAPTURE(name, assumption.what, assumption.taken_for, said);
      CHECK(english_in(said) == "");
    }
  }
}
