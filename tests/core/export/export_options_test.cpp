#include "core/figures/export/export_options.h"

#include <algorithm>
#include <map>

#include "core/base/arrays/array_write.h"
#include "core/base/tensor/error.h"
#include "core/compute/network/network_trace.h"
#include "core/figures/export/command_words.h"
#include "core/figures/figure/canvas.h"
#include "core/scenario/settings/settings_table.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/places.h"

using namespace headlight;

namespace {

ExportOptions parsed(const std::vector<std::string>& words) {
  ExportOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto found = std::find_if(all_export_options().begin(), all_export_options().end(),
                                    [&](const ExportOption& option) { return option.option == words[i]; });
    REQUIRE(found != all_export_options().end());
    found->apply(options, found->option, found->operand.empty() ? "true" : words.at(++i));
  }
  return options;
}

}  // namespace

TEST_CASE("options of a figure written as words and read again are the same options") {
  const std::vector<std::vector<std::string>> lines = {
      {"--stage", "weights"},
      {"--stage", "scores", "--batch", "2", "--head", "0,2,3", "--colormap", "viridis", "--range", "row"},
      {"--stage", "Q_heads", "--head", "all", "--range", "-0.25:3", "--theme", "dark", "--title", "", "--no-tokens"},
      {"--stage", "mask", "--row-label", "where from", "--col-label", "", "--no-bar", "--values", "--transparent"},
      {"--stage", "output", "--bare", "--cell", "7.5"},
      {"--stage", "output", "--size", "8x6.5cm", "--dpi", "600", "--svg-text", "outlines"},
  };
  for (const auto& line : lines) {
    CHECK(export_words(parsed(line)) == line);
    CHECK(parsed(export_words(parsed(line))) == parsed(line));
  }
}

TEST_CASE("settings that differ become a command line, unless too many painted cells would have to be typed") {
  const Scenario base;
  Scenario changed;
  changed.mask = "causal() && window(3)";
  changed.heads = 2;
  changed.bias = false;
  changed.alibi = true;
  changed.fill = -std::numeric_limits<float>::infinity();
  changed.qk_norm = QkNorm::l2;
  changed.valid_lens = {{3}, {2}};
  const auto words = settings_between(base, changed);
  REQUIRE(words);
  CHECK(*words == std::vector<std::string>{"--heads", "2", "--no-bias", "--qk-norm=l2", "--alibi", "--mask",
                                           "causal() && window(3)", "--valid-lens", "3,2", "--fill", "-inf"});
  CHECK_FALSE(settings_between(changed, base));  // no option removes a mask
  Scenario edited;
  edited.edits = {{Stage::query, 0, 1, 2, 0.5f}};
  CHECK(settings_between(base, edited).value() ==
        std::vector<std::string>{"--edits", R"([{"stage":"query","batch":0,"row":1,"col":2,"value":0.5}])"});
  for (Index i = 0; i < 300; ++i) edited.edits.push_back({Stage::query, 0, i, 0, 1});
  CHECK_FALSE(settings_between(base, edited));
}

TEST_CASE("a command line names the lesson, the file, the sentence or the seed that a scenario begins with") {
  Scenario text;
  text.text = "it's here";
  CHECK(source_words(text, {}) == std::vector<std::string>{"--text", "it's here"});
  CHECK(source_words(Scenario{}, {}) == std::vector<std::string>{"--text", Scenario{}.text});
  Scenario random;
  random.text = "of no account";
  random.source = Source::random;
  random.queries = 7;
  CHECK(source_words(random, {}) == std::vector<std::string>{"--random", "--queries", "7"});
  const Lesson lesson = shipped_lesson(default_lesson);
  CHECK(source_words(lesson.scenario, {lesson, ""}) == std::vector<std::string>{"lesson:first-light"});
  Scenario edited = text;
  edited.edits = {{Stage::query, 0, 1, 2, 0.5f}};
  CHECK(source_words(edited, {}));  // one edit has an option; thousands are too long for a line
  Scenario much = edited;
  for (Index i = 0; i < 300; ++i) much.edits.push_back({Stage::query, 0, i, 0, 1});
  CHECK_FALSE(source_words(much, {}));
  Lesson opened;
  opened.scenario = edited;
  const auto saved = source_words(edited, {opened, "/a/b.json"});
  REQUIRE(saved);
  CHECK(saved->front() == samples::rooted("/a/b.json"));
}

TEST_CASE("a shell line quotes words that the shell would split") {
  CHECK(shell_line({"headlight", "--mask", "causal() && window(3)", "it's", "", "a-b_c/d.png", "--head=0,2"}) ==
        "headlight --mask 'causal() && window(3)' 'it'\\''s' '' a-b_c/d.png --head=0,2");
}

TEST_CASE("a shell line escapes control characters, and the shell reads the same word") {
  CHECK(shell_line({"--text",
                    "a\x15"
                    "1'\\b"}) == "--text $'a\\0251\\'\\\\b'");
  CHECK(shell_line({"\x1b[31m"}) == "$'\\033[31m'");
  CHECK(shell_line({"é\xC2\x9B"}) == "$'é\\302\\233'");
}

TEST_CASE("a size without a number is refused with an example of a size") {
  for (const char* wrong : {"xcm", "3.3xin", "cm", "0x4cm"}) {
    INFO(wrong);
    CHECK_THROWS_WITH(parse_wanted_size("--size", wrong), ContainsSubstring("is not a size"));
  }
}

TEST_CASE("a command line gives a vision network no text, unless it compares pictures with texts") {
  Scenario shapes;
  shapes.source = Source::file;
  shapes.file = "model:shapes";
  CHECK(source_words(shapes, {}) == std::vector<std::string>{"model:shapes"});
  shapes.image = "model:shapes/cross.png";
  CHECK(source_words(shapes, {}) == std::vector<std::string>{"model:shapes", "--image", "model:shapes/cross.png"});
  Scenario clip = shapes;
  clip.file = places::fixtures() + "/networks/clip";
  clip.text_as_input = true;
  clip.text = "1 28";
  const auto words = source_words(clip, {});
  REQUIRE(words);
  const auto text = std::ranges::find(*words, "--text");
  REQUIRE(text != words->end());
  CHECK(*(text + 1) == "1 28");
}

TEST_CASE("the ending of a file name chooses the format, and an unknown ending is refused") {
  const std::map<std::string, std::string> starts{{".csv", "0."},   {".npy", "\x93NUMPY"}, {".npz", "PK"},
                                                  {".json", "{"},   {".png", "\x89PNG"},   {".svg", "<?xml"},
                                                  {".pdf", "%PDF"}, {".html", "<!doctype"}};
  const samples::TempFolder folder;
  const auto trace = compute_any(Scenario());
  ExportOptions options;
  for (const std::string ending : export_endings()) {
    INFO(ending);
    const std::filesystem::path path = folder / ("a" + ending);
    write_export(*trace, options, path.string());
    REQUIRE(starts.contains(ending));
    CHECK(samples::read_bytes(path).starts_with(starts.at(ending)));
  }
  const std::string sentence =
      samples::sentence_of([&] { write_export(*trace, options, (folder / "a.mat").string()); });
  CHECK(samples::has(sentence, "expected a name that ends in .png, "));
  for (const char* ending : export_endings()) CHECK(samples::has(sentence, ending));
}

TEST_CASE("a bundle has its figure as a PDF where the program can write one, and the rest everywhere") {
  const samples::TempFolder folder;
  write_bundle(folder / "bundle", *compute_any(Scenario()), {});
  for (const char* name : {"figure.png", "figure.svg", "data.npy", "reproduce.py"})
    CHECK(std::filesystem::exists(folder / "bundle" / name));
  CHECK(std::filesystem::exists(folder / "bundle" / "figure.pdf") == PdfCanvas::is_available());
}

TEST_CASE("several matrices are refused where a file format holds one") {
  const samples::TempFolder folder;
  const auto trace = compute_any(Scenario());
  ExportOptions options;
  options.all_heads = true;
  const auto written = [&](const char* name) {
    return samples::sentence_of([&] { write_export(*trace, options, (folder / name).string()); });
  };
  CHECK(samples::has(written("a.csv"), "--head: several heads cannot be written as .csv, which holds one matrix"));
  CHECK(written("a.npy") == "no error");
  options.pool = HeadPool::mean;
  CHECK(written("b.csv") == "no error");
}
