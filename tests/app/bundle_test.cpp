// Bundles made with the command line. Python runs their scripts, if it has NumPy or PyTorch.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>

#include <nlohmann/json.hpp>
#ifndef _WIN32
#include <sys/wait.h>
#endif

#include "core/base/arrays/array_file.h"
#include "core/base/arrays/array_write.h"
#include "core/figures/export/command_words.h"
#include "core/rules/stage/stage.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/score_settings.h"

using namespace headlight;
namespace fs = std::filesystem;

namespace {

int shell(const std::string& command) {
  const int status = std::system(command.c_str());
#ifndef _WIN32
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
#else
  return status;
#endif
}

class Folder {
 public:
  Folder() : path_(fs::temp_directory_path() / ("headlight-bundle-" + std::to_string(std::random_device{}()))) {
    fs::create_directories(path_);
  }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  ~Folder() { fs::remove_all(path_); }
  fs::path operator/(const std::string& name) const { return path_ / name; }

 private:
  fs::path path_;
};

int headlight_run(const std::string& arguments) {
  return shell("\"" + places::program() + "\" " + arguments + " 2> /dev/null");
}

int bundle(const std::string& arguments, const fs::path& out) {
  return headlight_run("bundle " + arguments + " -o \"" + out.string() + "\"");
}

/// A Python that can import the module; "" if there is none.
std::string python_with(const std::string& module) {
  for (const std::string python : {"/usr/bin/python3", "python3"}) {
    if (shell(python + " -c \"import numpy, " + module + "\" > /dev/null 2>&1") == 0) return python;
  }
  return "";
}

const std::string fixtures = places::fixtures() + "/";

/// Command-line words for every setting of scores.
std::vector<std::string> score_words() {
  Scenario random;
  random.source = Source::random;
  return settings_between(random, every_score_setting()).value();
}

const std::vector<std::string>& cases() {
  static const std::vector<std::string> all{
      "--text \"the cat sat\" --mask \"causal()\" --heads 2 --d-model 8",
      "--random --batch-size 2 --queries 5 --keys 7 --heads 4 --kv-heads 2 --d-model 32 --rope half "
      "--mask \"causal_bottom_right() && window(3)\"",
      "--random --queries 6 --heads 3 --d-model 24 --alibi --mask \"causal()\"",
      "--random --queries 20 --heads 4 --d-model 32 --softcap 3 --rope interleaved --qk-norm",
      "--random --queries 140 --heads 2 --d-model 16 --t5-bias",
      "--random --queries 6 --heads 4 --d-model 32 --sink-logit --mask \"causal()\"",
      "--random --queries 6 --heads 4 --d-model 32 --mask \"k < q\" --dead-row zero --dropout 0.3 --training",
      "--random --queries 6 --heads 4 --d-model 32 --mask \"q > 1 && causal()\" --dead-row uniform --scale 2",
      fixtures + "s000_masked_mha.input.npz",
      fixtures + "gqa_causal.input.npz",
      fixtures + "s002_v2.input.npz",
      fixtures + "s003_valid_lens_per_query.input.npz",
      fixtures + "torch_mha.input.npz",
      fixtures + "alibi_causal.input.npz",
      "--random --queries 6 --heads 4 --d-model 32 " + shell_line(score_words()),
      "model:english --layer 1 --heads 8 --text \"the dog ate its food\"",
  };
  return all;
}

void scripts_confirm_every_stage(const std::string& module, const std::string& script) {
  const std::string python = python_with(module);
  if (python.empty()) {
    WARN("skipped: no Python with NumPy and " + module);
    return;
  }
  for (const std::string& arguments : cases()) {
    INFO(arguments);
    const Folder folder;
    REQUIRE(bundle(arguments, folder / "b") == 0);
    const fs::path log = folder / "log";
    const int status = shell(python + " \"" + (folder / "b" / script).string() + "\" > \"" + log.string() + "\" 2>&1");
    const std::string said = places::text_of(log);
    INFO(said);
    CHECK(status == 0);
    // The script prints a line for every stage of the trace, and a last sentence.
    std::size_t stages = 0;
    std::size_t checked = 0;
    const auto trace = open_arrays(folder / "b" / "trace.npz");
    for (const ArrayEntry& entry : trace->entries()) {
      if (!stage_named(entry.name) || is_parameter(*stage_named(entry.name))) continue;
      ++stages;
      if (said.find("\n" + entry.name + " ") != std::string::npos || said.starts_with(entry.name + " ")) ++checked;
    }
    CHECK(stages >= 16);
    CHECK(checked == stages);
    CHECK(said.find("Every stage agrees.") != std::string::npos);
  }
}

}  // namespace

TEST_CASE("reproduce_numpy.py computes every stage again") {
  scripts_confirm_every_stage("numpy", "reproduce_numpy.py");
}

TEST_CASE("reproduce.py computes every stage again") { scripts_confirm_every_stage("torch", "reproduce.py"); }

TEST_CASE("a script whose trace was changed names the stage and fails") {
  const std::string python = python_with("numpy");
  if (python.empty()) {
    WARN("skipped: no Python with NumPy");
    return;
  }
  const Folder folder;
  REQUIRE(bundle("--random --queries 4 --heads 2 --d-model 8", folder / "b") == 0);
  const auto trace = open_arrays(folder / "b" / "trace.npz");
  std::vector<NamedArray> arrays;
  for (const ArrayEntry& entry : trace->entries()) {
    const Tensor values = trace->load(entry.name);
    arrays.push_back({entry.name, entry.name == "concat" ? Tensor::full(values.shape(), 7) : values, false});
  }
  write_npz(folder / "b" / "trace.npz", arrays);
  const fs::path log = folder / "log";
  CHECK(shell(python + " \"" + (folder / "b" / "reproduce_numpy.py").string() + "\" > \"" + log.string() + "\" 2>&1") ==
        1);
  CHECK(places::text_of(log).find("These stages differ: concat") != std::string::npos);
}

TEST_CASE("a script has only the parts that its scenario uses") {
  const Folder folder;
  REQUIRE(bundle("--random --queries 4 --heads 2 --d-model 8", folder / "plain") == 0);
  const std::string plain = places::text_of(folder / "plain" / "reproduce.py");
  for (const char* word : {"rotate", "slopes", "tanh", "normalise", "dropout", "sink", "masked_fill", "dead"}) {
    CHECK(plain.find(word) == std::string::npos);
  }
  REQUIRE(bundle("--random --queries 4 --heads 2 --d-model 8 --alibi --softcap 5", folder / "more") == 0);
  const std::string more = places::text_of(folder / "more" / "reproduce.py");
  CHECK(more.find("slopes") != std::string::npos);
  CHECK(more.find("tanh") != std::string::npos);
}

TEST_CASE("a bundle's scenario opens and traces to the bundle's numbers") {
  for (const std::string source :
       {"torch_mha.input.npz --mask \"causal()\"", "models/gpt2/pytorch_model.bin --layer h.1 --mask \"causal()\"",
        "models/llama/pytorch_model.bin --layer model.layers.0 --rope half"}) {
    INFO(source);
    const Folder folder;
    REQUIRE(bundle(fixtures + source, folder / "b") == 0);
    REQUIRE(headlight_run("trace \"" + (folder / "b" / "scenario.json").string() + "\" -o \"" +
                          (folder / "t.npz").string() + "\"") == 0);
    const auto saved = open_arrays(folder / "b" / "trace.npz"), again = open_arrays(folder / "t.npz");
    const Tensor a = saved->load("output"), b = again->load("output");
    REQUIRE(a.shape() == b.shape());
    CHECK(std::equal(a.values().begin(), a.values().end(), b.values().begin()));
  }
}

TEST_CASE(
    "a bundle of a network's layers has a script for each, and one for what they give together, that confirm its "
    "numbers") {
  const std::string python = python_with("numpy");
  if (python.empty()) {
    WARN("skipped: no Python with NumPy");
    return;
  }
  const Folder folder;
  REQUIRE(bundle("model:induction --layers all --stage weights", folder / "all") == 0);
  int layers = 0;
  for (const auto& layer : fs::directory_iterator(folder / "all" / "layers")) {
    INFO(layer.path().string());
    CHECK(shell(python + " \"" + (layer.path() / "reproduce_numpy.py").string() + "\" > /dev/null 2>&1") == 0);
    ++layers;
  }
  CHECK(layers > 1);
  const Tensor all =
      open_arrays(folder / "all" / "data.npy")->load(open_arrays(folder / "all" / "data.npy")->entries().front().name);
  CHECK(all.size(0) == layers);
  for (const std::string way : {"rollout", "flow", "rollout:0", "rollout --rows 2:5"}) {
    INFO(way);
    const fs::path out = folder / ("b_" + way.substr(0, way.find(' ')) + std::to_string(way.size()));
    REQUIRE(bundle("model:induction --stage weights --layers " + way, out) == 0);
    const std::string script = python + " \"" + (out / "reproduce_numpy.py").string() + "\" > /dev/null 2>&1";
    CHECK(shell(script) == 0);
    const auto data = open_arrays(out / "data.npy");
    const Tensor values = data->load(data->entries().front().name);
    write_npy(out / "data.npy", Tensor::full(values.shape(), 7));
    CHECK(shell(script) == 1);
  }
  REQUIRE(bundle("model:induction --layers all --head mean --stage weights", folder / "mean.zip") == 0);
  CHECK(places::text_of(folder / "mean.zip").find("mean/layers/0/trace.npz") != std::string::npos);
}

TEST_CASE("a bundle's PDF says of which file, layer and head it is") {
  const Folder folder;
  REQUIRE(bundle("model:induction --layer 1 --head 0 --stage weights", folder / "b") == 0);
  const std::string about = places::about_pdf(folder / "b" / "figure.pdf");
  const std::size_t subject = about.find("Subject:");
  REQUIRE(subject != std::string::npos);
  const std::string said = about.substr(subject, about.find('\n', subject) - subject);
  for (const char* part : {"model:induction", "layer 1", "head 0"}) CHECK(said.find(part) != std::string::npos);
}

TEST_CASE("a bundle is a folder or a zip, whole or not at all") {
  const Folder folder;
  const std::string small = "--random --queries 4 --heads 2 --d-model 8";
  REQUIRE(bundle(small, folder / "b.zip") == 0);
  CHECK(places::text_of(folder / "b.zip").substr(0, 2) == "PK");
  REQUIRE(bundle(small + " --stage scores --head 1", folder / "b") == 0);
  for (const char* name : {"figure.png", "figure.svg", "data.npy", "data.csv", "scenario.json", "inputs.npz",
                           "trace.npz", "reproduce.py", "reproduce_numpy.py"}) {
    CHECK(fs::exists(folder / "b" / name));
  }
  CHECK(bundle(small, folder / "b") == 2);  // the folder exists already
  CHECK(bundle(small, folder / "nowhere" / "b") == 2);
  CHECK(bundle(small + " --stage nonsense", folder / "c") == 2);
  CHECK_FALSE(fs::exists(folder / "c"));
  CHECK(std::distance(fs::directory_iterator(folder / ""), fs::directory_iterator()) ==
        2);  // no temporary files are left
}

TEST_CASE("a figure of 8 by 6 cm at 300 dpi has 945 by 709 pixels") {
  const Folder folder;
  const std::string out = (folder / "a.png").string();
  REQUIRE(headlight_run("render --random --queries 4 --stage weights --size 8x6cm --dpi 300 -o \"" + out + "\"") == 0);
  const std::string png = places::text_of(out);
  const auto big_endian = [&](std::size_t at) {
    unsigned value = 0;
    for (std::size_t i = 0; i < 4; ++i) value = value << 8 | static_cast<unsigned char>(png.at(at + i));
    return value;
  };
  CHECK(big_endian(16) == 945);
  CHECK(big_endian(20) == 709);
  CHECK(headlight_run("render --stage weights --size 8xcm -o \"" + out + "\"") == 2);
  CHECK(headlight_run("render --stage weights --dpi 0 -o \"" + out + "\"") == 2);
}

TEST_CASE("chosen heads are drawn and written in the order they were named") {
  const Folder folder;
  const std::string source = "--random --queries 3 --heads 4 --d-model 8 ";
  REQUIRE(headlight_run("render " + source + "--stage weights --head 3,1 -o \"" + (folder / "a.npy").string() + "\"") ==
          0);
  REQUIRE(headlight_run("trace " + source + "-o \"" + (folder / "t.npz").string() + "\"") == 0);
  const Tensor all = open_arrays(folder / "t.npz")->load("weights");
  const Tensor two = open_arrays(folder / "a.npy")->load("a");
  REQUIRE(two.shape() == Shape{2, 3, 3});
  CHECK(two.at({0, 1, 2}) == all.at({0, 3, 1, 2}));
  CHECK(two.at({1, 1, 2}) == all.at({0, 1, 1, 2}));
  for (const char* wrong : {"4", "1,", ",", "1,,2", "x"}) {
    CHECK(headlight_run("render " + source + "--stage weights --head " + wrong + " -o \"" +
                        (folder / "b.npy").string() + "\"") == 2);
  }
}

TEST_CASE("JSON holds every stage, its infinities as words") {
  const Folder folder;
  REQUIRE(headlight_run("trace --random --queries 3 --heads 2 --d-model 8 --mask \"causal()\" -o \"" +
                        (folder / "t.json").string() + "\"") == 0);
  const auto json = nlohmann::json::parse(places::text_of(folder / "t.json"));
  CHECK(json["masked_scores"]["values"][0][1][0][2] == "-inf");
  CHECK(json["mask"]["values"][0][1][0][2] == false);
  CHECK(json["mask"]["dtype"] == "bool");
  CHECK(json["weights"]["values"][0][1][0][0] == 1.0);
  CHECK(json["weights"]["dtype"] == "float32");
  CHECK(json["weights"]["shape"] == nlohmann::json{1, 2, 3, 3});
  CHECK(json["output"]["values"][0].size() == 3);
}

TEST_CASE("SVG text is text, or outlines where asked for") {
  const Folder folder;
  const std::string render = "render --random --queries 3 --stage weights --title \"Figure one\" --transparent -o \"";
  REQUIRE(headlight_run(render + (folder / "a.svg").string() + "\"") == 0);
  REQUIRE(headlight_run(render + (folder / "b.svg").string() + "\" --svg-text outlines") == 0);
  CHECK(places::text_of(folder / "a.svg").find("Figure one") != std::string::npos);
  CHECK(places::text_of(folder / "b.svg").find("<text") == std::string::npos);
  CHECK(headlight_run(render + (folder / "c.svg").string() + "\" --svg-text shapes") == 2);
}
