// What goes wrong, in the window's language: how a sentence is taken apart, and that core's own leave no English
// behind.
#include "ui/look/error_translation.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <functional>
#include <set>
#include <utility>

#include <nlohmann/json.hpp>

#include "core/files/array_file.h"
#include "core/files/array_write.h"
#include "core/mask/expression.h"
#include "core/network/network_trace.h"
#include "core/scenario/inputs.h"
#include "core/scenario/scenario_json.h"
#include "core/scenario/settings_table.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"
#include "tests/ui/headless.h"
#include "ui/look/record.h"

using namespace headlight;
using namespace headlight::test;
using samples::TempFolder;
using samples::write_text;

namespace {

const ErrorTranslation& made_up() {
  static const ErrorTranslation said(
      ErrorTranslation::Templates{{"{0}: {1}", "{0}：{1}"},
                                  {"{0}; {1}", "{0}；{1}"},
                                  {"no such file", "没有这个文件"},
                                  {"is no JSON object", "不是 JSON 对象"},
                                  {"the text on the clipboard", "剪贴板上的文字"},
                                  {"words", "文字"},
                                  {"\"{0}\" is no layer of this network", "这个网络没有“{0}”层"},
                                  {"expected {0}", "应为 {0}"},
                                  {"expected one of {0}", "应为其中之一：{0}"},
                                  {"expected fewer; a file opens faster", "应少一些；用文件打开更快"},
                                  {"a list of names", "名称的列表"},
                                  {"{0} is {1}", "{0} 是 {1}"},
                                  {"{0} is {1}, which does not divide {2}", "{0} 是 {1}，不能整除 {2}"},
                                  {"{0} or {1}", "{0} 或 {1}"},
                                  {"its {0} lies on {1}", "{1} 上有它的 {0}"},
                                  {"cannot be written: {0}", "无法写入：{0}"},
                                  {"Permission denied", "没有权限"},
                                  {"runs{0}{1} together", "连在一起{0}{1}"},
                                  {"'{0}' does not belong here", "“{0}”不应在这里"}});
  return said;
}

}  // namespace

TEST_CASE("a sentence is its subject, what is wrong and what was expected, each said by its template") {
  const ErrorTranslation& say = made_up();
  CHECK(say("a.json: is no JSON object") == "a.json：不是 JSON 对象");
  CHECK(say("a.json: is no JSON object; expected a list of names") == "a.json：不是 JSON 对象；应为名称的列表");
  CHECK(say("C: my files: x; y.json: no such file") == "C: my files: x; y.json：没有这个文件");
  CHECK(say("a.json: $.heads: is no JSON object") == "a.json：$.heads：不是 JSON 对象");
  CHECK(say("the text on the clipboard: is no JSON object") == "剪贴板上的文字：不是 JSON 对象");
  CHECK(say("words: is no JSON object") == "words：不是 JSON 对象");  // a setting's name
  CHECK(say("a.npz: cannot be written: Permission denied") == "a.npz：无法写入：没有权限");
  CHECK(say("no such file; expected fewer; a file opens faster") == "没有这个文件；应少一些；用文件打开更快");
}

TEST_CASE("what stands in quotation marks is a name, whatever it reads like") {
  const ErrorTranslation& say = made_up();
  CHECK(say("\"a list of names\" is no layer of this network") == "这个网络没有“a list of names”层");
  CHECK(say("\"a; expected b: c\" is no layer of this network; expected 1") ==
        "这个网络没有“a; expected b: c”层；应为 1");
  CHECK(say("expected \"no such file\"") == "应为 \"no such file\"");
  CHECK(say("';' does not belong here") == "“;”不应在这里");
  CHECK(say("\"\" is no layer of this network") == "这个网络没有“”层");
  const std::string two = "\"one\" is 2 and \"two\" is no layer of this network";
  CHECK(say(two) == two);
}

TEST_CASE("of the templates that fit, that with the most fixed text says it, and slots may change places") {
  const ErrorTranslation& say = made_up();
  CHECK(say("expected one of 1, 2 or 4") == "应为其中之一：1, 2 或 4");
  CHECK(say("3 is 4, which does not divide 10") == "3 是 4，不能整除 10");
  CHECK(say("its \"x\" lies on \"y\"") == "\"y\" 上有它的 \"x\"");
}

TEST_CASE("what no template fits stays English, whole or in part, without a guess") {
  const ErrorTranslation& say = made_up();
  for (const char* other :
       {"", "; ", ": ", "the disk is on fire and nobody is here", "runsab together", "runs together", "x is"})
    CHECK(say(other) == other);
  CHECK(say("a.json: this was never foreseen; expected a list of names") ==
        "a.json：this was never foreseen；应为名称的列表");
  CHECK(say("a.json: no such file; see the manual at home") == "a.json：没有这个文件；see the manual at home");
  CHECK(ErrorTranslation("en")("a.json: no such file") == "a.json: no such file");
  CHECK(ErrorTranslation(ErrorTranslation::Templates{})("a.json: no such file") == "a.json: no such file");
}

TEST_CASE("a sentence as long as core lets it be is said at once") {
  std::string long_one = "x.json: \"a\" is no layer of this network; expected one of ";
  for (int i = 0; i < 400; ++i) long_one += "layer: " + std::to_string(i) + "; or ";
  CHECK(made_up()(long_one).find("这个网络没有“a”层") != std::string::npos);
}

namespace {

/// The words that core's English sentences are made of and that Chinese ones do not use themselves: names, options and
/// code are none of them.
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
    // Names that read like words: of fields, of arrays, and of this test's folder "or not: at all".
    for (const char* name : {"version", "view", "values", "or", "not", "at"}) english.erase(name);
    for (const Setting& setting : all_settings()) {  // names, too
      english.erase(setting.key);
      for (const std::string_view word : setting.words) english.erase(std::string(word));
    }
    return english;
  }();
  return found;
}

/// What is between two marks, and the marks, left out.
std::string without(std::string text, const std::string& opens, const std::string& closes) {
  for (std::size_t at = text.find(opens); at != std::string::npos; at = text.find(opens, at)) {
    const std::size_t end = text.find(closes, at + opens.size());
    if (end == std::string::npos) break;
    text.erase(at, end + closes.size() - at);
  }
  return text;
}

/// The English that is left in a Chinese sentence but for names in quotation marks and code: "" where there is none.
std::string english_in(const std::string& sentence) {
  std::string left, word;
  for (const char c : without(without(without(sentence, "“", "”"), "\"", "\""), "{", "}") + " ") {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.' || c == '/' || c == '-') {
      word += c;
      continue;
    }
    if (c != '(' && english_words().contains(word)) left += word + " ";  // else a function's name
    word.clear();
  }
  return left;
}

const ErrorTranslation& chinese() {
  static const ErrorTranslation said("zh");
  return said;
}

/// That a thing goes wrong, and is told without English.
void goes_wrong(const std::string& what, const std::function<void()>& act) {
  const std::string sentence = samples::sentence_of(act);
  CAPTURE(what, sentence);
  REQUIRE(sentence != "no error");
  const std::string said = chinese()(sentence);
  CAPTURE(said);
  CHECK(said != sentence);
  CHECK(english_in(said) == "");
}

std::string array_file(const std::string& descr, const std::string& shape, std::size_t numbers) {
  return samples::npz("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + ", }",
                      samples::ones(numbers));
}

}  // namespace

TEST_CASE("what is wrong about a mask is said in the window's language") {
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
    goes_wrong(wrong, [&] { (void)MaskExpression::parse(wrong); });
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
      {"module.pt", samples::read_bytes(samples::fixture("torch_whole_module.pt"))},
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
    goes_wrong(name, [&, file = folder / name] {
      const auto arrays = open_arrays(file);
      for (const ArrayEntry& entry : arrays->entries()) arrays->load(entry.name);
    });
  }
  goes_wrong("no file", [&] { open_arrays(folder / "gone; or not: at all.npz"); });
  goes_wrong("a folder", [&] { open_arrays(folder.path()); });
  goes_wrong("no folder to write to", [&] { write_npy(folder / "no/a.npy", Tensor::of({1}, {1})); });
}

TEST_CASE("scenarios and settings out of their ranges are refused in the window's language") {
  for (const char* json :
       {R"({"head": 4})", R"({"heads": "4"})", R"({"heads": 0})", R"({"kv_heads": -1})", R"({"rope": "quarter"})",
        R"({"dropout": 2})", R"({"valid_lens": [[1, "x"]]})", R"({"x": [[1, 2], [3]]})", R"({"x": [[1, "y"]]})",
        R"({"scale": 1e300})", "[1]", "{\"heads\": 4,\n oops}", R"({"version": 2})", R"({"view": {"level": "near"}})",
        R"({"view": {"level": "operation:W_q"}})", R"({"edits": [{"stage": "weights", "value": 1}]})",
        R"({"source": "file"})", "\xff", R"({"heads": 4)"}) {
    goes_wrong(json, [&] { parse_scenario(json, "a.json"); });
  }
  const auto settings = [](const char* json) {
    goes_wrong(json, [&] { compute_any(parse_scenario(json, "a.json")); });
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

TEST_CASE("what went wrong stands in the message in the window's language, and in English in an English window") {
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
  window.session.perform(ShowError{
      "--range: \"x\" is not a range; expected row, head, stage or LO:HI with LO below HI, such as -2:2 or 1%:99%"});
  window.session.perform(
      ShowError{"a.bin: is a folder without a model's tensors; expected tokenizer.json, vocab.json and merges.txt "
                "(GPT-2), vocab.txt (BERT), or meta.pkl (nanoGPT), in the same folder"});
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
    if (lines > 0 && text.min.x != left) break;  // the next thing
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

TEST_CASE("what was taken for what of a file is told in the window's language") {
  for (const char* name : {"s000_masked_mha.input.npz", "s003_valid_lens.input.npz", "torch_mha.input.safetensors",
                           "gqa_causal.input.npz", "torch_state_dict.pth"}) {
    Scenario scenario;
    scenario.source = Source::file;
    scenario.file = utf8_from(samples::fixture(name));
    if (std::string(name) == "torch_state_dict.pth") scenario.heads = 2;
    const Inputs inputs = resolve(scenario);
    CHECK_FALSE(inputs.assumptions.empty());
    for (const Assumption& assumption : inputs.assumptions) {
      const std::string said = chinese()(assumption.taken_for);
      CAPTURE(name, assumption.what, assumption.taken_for, said);
      CHECK(english_in(said) == "");
    }
  }
}
