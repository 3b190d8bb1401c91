// The commands predict, trace and list on a whole network.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <nlohmann/json.hpp>

#include "core/base/arrays/array_file.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

namespace fs = std::filesystem;
using nlohmann::json;

struct Output {
  int status;
  std::string out, err;
};

/// A copy of a small network with a tokenizer of the words "w0" … "w28".
struct Model {
  fs::path folder;
  explicit Model(const std::string& name) : folder(fs::temp_directory_path() / ("headlight-command-" + name)) {
    fs::remove_all(folder);
    fs::copy(places::fixtures() + "/networks/" + name, folder);
    json vocabulary = json::object();
    for (int i = 0; i < 29; ++i) vocabulary["w" + std::to_string(i)] = i;
    std::ofstream(folder / "tokenizer.json")
        << json{{"model", {{"type", "WordLevel"}, {"vocab", vocabulary}, {"unk_token", "[UNK]"}}},
                {"pre_tokenizer", {{"type", "WhitespaceSplit"}}},
                {"added_tokens", json::array()}};
  }
  ~Model() { fs::remove_all(folder); }
  Output run(const std::string& command, const std::string& rest) const { return run_on(folder, command, rest); }
  Output run_on(const fs::path& file, const std::string& command, const std::string& rest) const {
    const std::string out = (folder / "out.txt").string(), err = (folder / "err.txt").string();
    const int status = std::system(
        ("\"" + places::program() + "\" " + command + " \"" + file.string() + "\" " + rest + " > " + out + " 2> " + err)
            .c_str());
    const auto text = [](const std::string& path) {
      std::ostringstream all;
      all << std::ifstream(path).rdbuf();
      return all.str();
    };
    return {status, text(out), text(err)};
  }
};

}  // namespace

TEST_CASE("predict says the next words and how likely, and others without a head") {
  const Model model("gpt2");
  const Output said = model.run("predict", "--text \"w3 w17 w5\" --top 4 --json");
  REQUIRE(said.status == 0);
  const json whole = json::parse(said.out);
  CHECK(whole["tokens"] == json({"w3", "w17", "w5"}));
  REQUIRE(whole["next"].size() == 4);
  CHECK(whole["next"][0]["probability"] > whole["next"][3]["probability"]);
  const json without = json::parse(model.run("predict", "--text \"w3 w17 w5\" --top 4 --knock-out 0.1,1.2 --json").out);
  CHECK(without["next"] != whole["next"]);
}

TEST_CASE("predict --write goes on word by word as predict says, and says the bytes of the keys and values it kept") {
  const Model model("mistral");
  std::string text = "w3 w17 w5";
  const json written =
      json::parse(model.run("predict", "--text \"" + text + "\" --write 3 --temperature 0 --top 2 --json").out);
  for (int word = 0; word < 3; ++word) {
    const json next = json::parse(model.run("predict", "--text \"" + text + "\" --top 1 --json").out);
    text += " " + next["next"][0]["token"].get<std::string>();
  }
  const json whole = json::parse(model.run("predict", "--text \"" + text + "\" --temperature 0 --top 2 --json").out);
  CHECK(written["tokens"] == whole["tokens"]);
  for (int i = 0; i < 2; ++i)
    CHECK(agrees(written["next"][i]["probability"].get<float>(), whole["next"][i]["probability"].get<float>()));
  const json& kept = written["cache_bytes"];
  REQUIRE(kept["layers"].size() == 2);
  CHECK(kept["layers"][0] ==
        json{{"layer", "0"}, {"positions", 3}, {"bytes", 2 * 4 * 2 * 6 * 3}});  // the window has 3 positions
  CHECK(kept["total"] == kept["layers"][0]["bytes"].get<int>() + kept["layers"][1]["bytes"].get<int>());
  const json lines = json::parse(model.run("predict", "--text \"w3 w17\nw4\" --write 2 --json").out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[1]["cache_bytes"]["layers"][0]["positions"] == 3);
  const Output why = model.run("predict", "--text \"w3 w17\" --write 2 --why w4");
  CHECK(why.status == 0);
  CHECK(why.out.starts_with("w3 w17 "));
  CHECK(model.run("predict", "--text w3 --write 2 --mask \"full()\" --json").out.find("\"total\": 0") !=
        std::string::npos);
}

TEST_CASE("predict --write says how many words the network's positions leave room for, and does not blame the text") {
  const Model model("gpt2");
  const json config = json::parse(std::ifstream(model.folder / "config.json"));
  const int room = config["n_positions"].get<int>() - 2;
  const Output refused = model.run("predict", "--text \"w3 w17\" --write 1000 --temperature 0");
  CHECK(refused.status != 0);
  CHECK(refused.out.empty());
  CHECK(refused.err.starts_with("headlight: --write: "));
  CHECK(refused.err.find("expected at most " + std::to_string(room) + " after this text") != std::string::npos);
  CHECK(model.run("predict", "--text \"w3 w17\" --temperature 0 --write " + std::to_string(room)).status == 0);
}

TEST_CASE("predict says where logits are NaN, makes no word certain there and writes none") {
  const Model model("gpt2");
  const Output said = model.run("predict", "--text \"w3 w17\" --mask \"k < 0\" --temperature 0 --top 2");
  CHECK(said.status == 0);
  CHECK(said.err.find("prediction: none, since the logits are NaN") != std::string::npos);
  CHECK(said.out.find("NaN") != std::string::npos);
  CHECK(said.out.find("1.0000") == std::string::npos);
  const Output written = model.run("predict", "--text \"w3 w17\" --mask \"k < 0\" --write 2");
  CHECK(written.status != 0);
  CHECK(written.out.empty());
  CHECK(written.err.starts_with("headlight: --write: draws no word after \"w3 w17\""));
  CHECK(model.run("predict", "--text \"w3 w17\"").err.find("prediction:") == std::string::npos);
}

TEST_CASE("predict takes a mask in one layer, says where, and predicts after each line") {
  const Model model("gpt2");
  const json own = json::parse(model.run("predict", "--text \"w3 w17 w5\" --top 4 --json").out);
  const Output masked = model.run("predict", "--text \"w3 w17 w5\" --top 4 --json --mask \"k == q\" --layer 1");
  REQUIRE(masked.status == 0);
  CHECK(json::parse(masked.out)["next"] != own["next"]);
  CHECK(masked.err.find("mask: in layer 1 alone") != std::string::npos);
  const json lines = json::parse(model.run("predict", "--text \"w3 w17 w5\nw4\" --top 4 --json").out);
  REQUIRE(lines.size() == 2);
  CHECK(lines[0]["tokens"] == own["tokens"]);
  CHECK(lines[0]["next"][0]["token"] == own["next"][0]["token"]);
  CHECK(lines[1]["tokens"] == json({"w4"}));
}

TEST_CASE("explain opens a logit into its parts and each part into its sum; what is not there is said") {
  const Model model("gpt2");
  const auto explained = [&](const std::string& cell) {
    return json::parse(model.run("explain", "--text \"w3 w17\" --json --cell " + cell).out);
  };
  const auto sum_of = [](const json& made) {
    double sum = 0;
    for (const json& term : made["terms"]) sum += term["value"].get<double>() * term["factor"].get<double>();
    for (const json& each : made["quantities"]) sum += each["value"].get<double>();
    return sum;
  };
  const json whole = explained("logit_parts:0,1,w5");
  CHECK(sum_of(whole) == Approx(whole["value"].get<double>()).margin(1e-4));
  CHECK(whole["value"] == json::parse(model.run("predict", "--text \"w3 w17\" --why w5 --json").out)["logit"]);
  for (const json& term : whole["terms"]) {
    const json part = explained("logit_parts:0,1,w5," + term["part"].get<std::string>());
    INFO(term["part"]);
    CHECK(part["value"] == term["value"]);
    CHECK(sum_of(part) == Approx(part["value"].get<double>()).margin(1e-4));
  }
  const json head = explained("logit_parts:0,1,w5,1.0");
  REQUIRE(head["terms"].size() == 2);
  CHECK(head["terms"][1]["stage"] == "weights");
  CHECK(head["terms"][1]["index"] == json({0, 0, 1, 1}));
  const auto error = [&](const std::string& cell) {
    return model.run("explain", "--text \"w3 w17\" --cell " + cell).err;
  };
  CHECK(error("logit_parts:0,1").find("names no logit") != std::string::npos);
  CHECK(error("logit_parts:0,2,w5").find("position 2 is not there") != std::string::npos);
  CHECK(error("logit_parts:0,1,w5,head").find("is no part of the logit") != std::string::npos);
  CHECK(error("logit_parts:0,1,cat").find("is not in the vocabulary") != std::string::npos);
}

TEST_CASE("predict --why says the parts of a logit, which add up to it, and of two words the difference") {
  const Model model("gpt2");
  const json one = json::parse(model.run("predict", "--text \"w3 w17\" --why w5 --json").out);
  CHECK(one["word"] == "w5");
  CHECK(one["other"].is_null());
  double sum = 0;
  for (const json& part : one["parts"]) sum += part["value"].get<double>();
  CHECK(sum == Approx(one["logit"].get<double>()).margin(1e-4));
  CHECK(one["parts"][0] ==
        json({{"layer", nullptr}, {"what", "token"}, {"head", nullptr}, {"value", one["parts"][0]["value"]}}));
  CHECK(one["parts"][2]["layer"] == "0");
  CHECK(one["parts"][2]["what"] == "head");
  CHECK(one["parts"][2]["head"] == 0);
  const json two = json::parse(model.run("predict", "--text \"w3 w17\" --why w5,w9 --json").out);
  const json other = json::parse(model.run("predict", "--text \"w3 w17\" --why w9 --json").out);
  CHECK(two["other"] == "w9");
  CHECK(two["logit"].get<double>() == Approx(one["logit"].get<double>() - other["logit"].get<double>()).margin(1e-4));
  CHECK(model.run("predict", "--text \"w3 w17\" --why cat").err.find("\"cat\" is not in the vocabulary") !=
        std::string::npos);
  CHECK(model.run("predict", "--text \"w3 w17\" --why w5").out.find("logit of w5") != std::string::npos);
}

TEST_CASE("predict --lens ends in the word that predict says") {
  const Model model("gpt2");
  const json lens = json::parse(model.run("predict", "--text \"w3 w17 w5\" --lens --json").out);
  const json said = json::parse(model.run("predict", "--text \"w3 w17 w5\" --top 1 --json").out);
  CHECK(lens["tokens"] == said["tokens"]);
  REQUIRE(lens["layers"].size() == 2);
  CHECK(lens["layers"][1][2]["token"] == said["next"][0]["token"]);
  CHECK(lens["layers"][1][2]["probability"].get<double>() == Approx(said["next"][0]["probability"].get<double>()));
}

TEST_CASE("heads and patch write what the reference says, and refuse in a sentence") {
  const Model model("gpt2");
  const std::string texts = (model.folder / "texts.txt").string();
  std::ofstream(texts) << "w3 w17 w5 w3\n\nw4 w4 w8\r\n";
  const json heads = json::parse(model.run("heads", "--texts \"" + texts + "\" --json").out);
  REQUIRE(heads.size() == 6);
  for (const char* key : {"layer", "head", "previous", "first", "same", "induction", "entropy", "effect"})
    CHECK(heads[5].contains(key));
  CHECK(heads[5]["layer"] == "1");
  const Output table = model.run("heads", "--texts \"" + texts + "\" --csv");
  CHECK(table.out.starts_with("layer,head,previous,first,same,induction,entropy,effect"));
  CHECK(std::ranges::count(table.out, '\n') == 7);
  CHECK(model.run("heads", "").err.find("--texts FILE") != std::string::npos);
  CHECK(heads[5]["mean_effect"].is_null());
  const json both = json::parse(model.run("heads", "--texts \"" + texts + "\" --ablate mean --json").out);
  CHECK(both[5]["effect"] == heads[5]["effect"]);
  CHECK(both[5]["mean_effect"].is_number());
  const json patch =
      json::parse(model.run("patch", "--text \"w3 w17 w5\" --from \"w3 w9 w5\" --what heads --word w7 --json").out);
  CHECK(patch["tokens"] == json({"w3", "w17", "w5"}));
  CHECK(patch["from"] == json({"w3", "w9", "w5"}));
  CHECK(patch["word"] == "w7");
  REQUIRE(patch["grid"].size() == 2);
  CHECK(patch["grid"][0].size() == 3);
  CHECK(patch["before"].is_number());
  CHECK(patch["after_all"].is_number());
  const Output unequal = model.run("patch", "--text \"w3 w17\" --from \"w3\" --what mlp --word w7");
  CHECK(unequal.status != 0);
  CHECK(unequal.err.find("--from: number of tokens: 1, of --text: 2; expected as many") != std::string::npos);
}

TEST_CASE("predict puts zero, or with --ablate mean the mean over a file, in the place of a head, and says which") {
  const Model model("gpt2");
  const std::string texts = (model.folder / "texts.txt").string(), out = "--text \"w3 w17 w5\" --knock-out 0.1 --json";
  std::ofstream(texts) << "w3 w17 w5 w3\nw4 w4 w8\n";
  const Output zero = model.run("predict", out),
               mean = model.run("predict", out + " --ablate mean --texts \"" + texts + "\"");
  CHECK(model.run("predict", out + " --ablate zero").out == zero.out);
  CHECK(json::parse(mean.out)["tokens"] == json::parse(zero.out)["tokens"]);
  CHECK(mean.out != zero.out);
  CHECK(zero.err.find("outputs are zero") != std::string::npos);
  CHECK(mean.err.find("outputs are their means") != std::string::npos);
  CHECK(model.run("predict", out + " --ablate mean").err.find("--ablate mean needs --texts FILE") != std::string::npos);
  CHECK(model.run("predict", out + " --ablate half").err.find("expected zero or mean") != std::string::npos);
  CHECK(model.run("predict", out + " --texts \"" + texts + "\"").status != 0);
  CHECK(model.run("predict", "--text w3 --ablate zero").err.find("--knock-out") != std::string::npos);
}

TEST_CASE("trace --contributions adds contribution_norms, of a layer and of all") {
  const Model model("gpt2");
  const std::string out = (model.folder / "c.npz").string();
  REQUIRE(model.run("trace", "--text \"w3 w17\" --layer all --stages weights --contributions -o " + out).status == 0);
  CHECK(open_arrays(out)->load("layers.1.contribution_norms").shape() == Shape{1, 3, 2, 2});
  REQUIRE(model.run("trace", "--text \"w3 w17\" --layer 1 --contributions -o " + out).status == 0);
  CHECK(open_arrays(out)->load("contribution_norms").shape() == Shape{1, 3, 2, 2});
  REQUIRE(model.run("trace", "--text \"w3 w17\" --layer 1 -o " + out).status == 0);
  CHECK(open_arrays(out)->find("contribution_norms") == nullptr);
}

TEST_CASE("trace --layer all gives the named stages of every layer, what enters it, and the logits") {
  const Model model("gpt2");
  const std::string out = (model.folder / "all.npz").string();
  REQUIRE(model.run("trace", "--text \"w3 w17 w5\" --layer all --stages weights,output -o " + out).status == 0);
  const auto arrays = open_arrays(out);
  CHECK(arrays->entries().size() == 7);
  CHECK(arrays->find("layers.1.weights")->shape == Shape{1, 3, 3, 3});
  CHECK(arrays->find("layers.0.residual")->shape == Shape{1, 3, 12});
  CHECK(arrays->find("logits")->shape == Shape{1, 3, 29});
  const std::string one = (model.folder / "one.npz").string();
  REQUIRE(model.run("trace", "--text \"w3 w17 w5\" --layer 1 -o " + one).status == 0);
  CHECK_THAT(open_arrays(one)->load("weights"), agrees_with(arrays->load("layers.1.weights")));
}

TEST_CASE("trace --layer all takes the layers of nn.Transformer, with the masks beside them") {
  const Model model("torch_masked_transformer");
  const fs::path out = model.folder / "all.npz";
  REQUIRE(model.run_on(model.folder / "model.safetensors", "trace", "--layer all --stages weights -o " + out.string())
              .status == 0);
  const auto arrays = open_arrays(out), expected = open_arrays(model.folder / "expected.npz");
  for (const char* layer : {"encoder.1", "decoder.0", "decoder.1", "cross.1"})
    CHECK_THAT(arrays->load("layers." + std::string(layer) + ".weights"),
               agrees_with(expected->load("weights." + std::string(layer))));
}

TEST_CASE("list layers names every attention of both stacks") {
  const Model model("t5");
  const json layers = json::parse(model.run("list layers", "--json").out);
  REQUIRE(layers.size() == 6);
  CHECK(layers[4] == json({{"layer", "cross.0"},
                           {"name", "decoder.block.0.layer.1.EncDecAttention"},
                           {"kind", "cross"},
                           {"heads", 3},
                           {"kv_heads", 3},
                           {"d_head", 5}}));
}

TEST_CASE("a word or a layer that a network has not is one line and writes nothing") {
  const Model model("gpt2");
  const Output layer = model.run("trace", "--text w3 --layer 7 -o " + (model.folder / "x.npz").string());
  CHECK(layer.status != 0);
  CHECK(layer.err.find("expected 0 to 1") != std::string::npos);
  CHECK_FALSE(fs::exists(model.folder / "x.npz"));
  const Output head = model.run("predict", "--text w3 --knock-out 0.9");
  CHECK(head.err.find("\"0.9\" names no head; expected 0 to 2") != std::string::npos);
}

TEST_CASE("a network without a tokenizer takes ids, and shows some where no text is given") {
  const Model model("gpt2");
  fs::remove(model.folder / "tokenizer.json");
  const Output typed = model.run("predict", "--text \"3 5\" --json");
  REQUIRE(typed.status == 0);
  CHECK(json::parse(typed.out).at("tokens") == json{"3", "5"});
  const Output none = model.run("trace", "--layer 0 -o " + (model.folder / "out.npz").string());
  CHECK(none.status == 0);
  CHECK(none.err.find("0 1 2 3 4 5 6 7, since none was given") != std::string::npos);
  const Output words = model.run("predict", "--text \"the cat\"");
  CHECK(words.status != 0);
  CHECK(words.err.find("\"the\" is no token id") != std::string::npos);
}

TEST_CASE("a figure of the layers of cross-attention names the words that ask and not those that are asked") {
  const fs::path out = fs::temp_directory_path() / "headlight-cross-layers.svg";
  const std::string command = "\"" + places::program() +
                              "\" render model:numbers --stage weights --layers cross --svg-text text -o " +
                              out.string();
  REQUIRE(std::system(command.c_str()) == 0);
  std::ostringstream svg;
  svg << std::ifstream(out).rdbuf();
  fs::remove(out);
  CHECK(svg.str().find("&lt;s&gt;") != std::string::npos);  // the first token of the decoder
}
