// Networks that read pictures, from the file to the labels. architectures_test.cpp compares their numbers with PyTorch.
#include "core/compute/network/pictures.h"

#include <filesystem>
#include <fstream>

#include <nlohmann/json.hpp>

#include "core/base/arrays/array_write.h"
#include "core/base/files/whole_file.h"
#include "core/compute/network/key_cache.h"
#include "core/compute/network/logit_parts.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/network/next_word.h"
#include "tests/core/network/networks.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

/// The fixture's first picture. The fixture's pixels are bytes / 127.5 − 1.
Image picture_of(const Tensor& pixels) {
  Image image(static_cast<int>(pixels.size(3)), static_cast<int>(pixels.size(2)), {0, 0, 0, 255});
  for (Index y = 0; y < pixels.size(2); ++y) {
    for (Index x = 0; x < pixels.size(3); ++x) {
      const auto byte = [&](Index c) {
        return static_cast<std::uint8_t>(std::lround((pixels.at({0, c, y, x}) + 1) * 127.5F));
      };
      image.set(static_cast<int>(x), static_cast<int>(y), {byte(0), byte(1), byte(2), 255});
    }
  }
  return image;
}

void write_bytes(const std::filesystem::path& path, std::span<const std::uint8_t> bytes) {
  write_whole_file(path, std::as_bytes(bytes));
}

Scenario scenario_of(const std::string& model, const std::filesystem::path& picture) {
  Scenario scenario;
  scenario.source = Source::file;
  scenario.file = networks::folder + model;
  scenario.image = picture.string();
  return scenario;
}

}  // namespace

TEST_CASE("a picture's file gives the labels that its pixels give, and tokens are named by row and column") {
  const samples::TempFolder folder;
  const auto expected = open_arrays(networks::folder + "vit/expected.npz");
  write_bytes(folder / "a.png", encode_png(picture_of(expected->load("pixels"))));
  const auto pass = run_network(scenario_of("vit", folder / "a.png"));
  CHECK(networks::excess(pass->logits, expected->load("logits").slice(0, 0, 1)) <= 0);
  std::vector<std::string> names;
  for (const Token& token : pass->text.tokens.entries.front()) names.push_back(token.text);
  CHECK(names == std::vector<std::string>{"cls", "0,0", "0,1", "0,2", "1,0", "1,1", "1,2"});
  const Network& network = *pass->network;
  CHECK(network.word(3) == "卡车");
  CHECK(network.word(19) == "class 19");
  CHECK(next_token(network, "", "tabby cat", "--why").id == 2);
  CHECK(next_token(network, "", "tench, Tinca tinca", "--why").id == 0);
  CHECK_THROWS_WITH(next_token(network, "", "cat", "--why"), ContainsSubstring("is no label of"));
  CHECK_THAT(network.title().english(), ContainsSubstring("ViT, 2 layers of 3 heads, 2 × 3 patches, 20 labels"));
}

TEST_CASE("several pictures are a batch, and the parts of a label's logit add up to it") {
  const samples::TempFolder folder;
  const auto expected = open_arrays(networks::folder + "vit/expected.npz");
  const Tensor pixels = expected->load("pixels");
  write_bytes(folder / "a.png", encode_png(picture_of(pixels)));
  write_bytes(folder / "b.png", encode_png(picture_of(pixels.slice(0, 1, 1))));
  Scenario scenario = scenario_of("vit", folder / "a.png");
  scenario.image += "\n" + (folder / "b.png").string();
  RunOptions options;
  options.parts = true;
  const auto pass = run_network(scenario, nullptr, options);
  CHECK(networks::excess(pass->logits, expected->load("logits")) <= 0);
  for (const Index entry : {0, 1}) {
    const LogitParts parts = pass->network->parts_of(*pass, entry, 2);
    double sum = 0;
    for (const LogitPart& part : parts.parts) sum += part.value;
    CHECK(sum == Approx(pass->logits.at({entry, 0, 2})).margin(1e-4));
  }
}

TEST_CASE("a layer's trace is computed from the picture, and a file that changed on disk is read again") {
  const samples::TempFolder folder;
  const auto expected = open_arrays(networks::folder + "vit/expected.npz");
  const Tensor pixels = expected->load("pixels");
  write_bytes(folder / "a.png", encode_png(picture_of(pixels)));
  Scenario scenario = scenario_of("vit", folder / "a.png");
  scenario.layer = "1";
  const auto trace = compute_any(scenario);
  CHECK_THAT((*trace)[Stage::weights], agrees_with(expected->load("weights.1").slice(0, 0, 1).contiguous()));
  CHECK(trace->inputs.query_tokens.front().front() == "cls");
  const auto pass = run_network(scenario);
  CHECK(run_network(scenario, pass) == pass);
  write_bytes(folder / "a.png", encode_png(Image(12, 8, {255, 255, 255, 255}), 300));
  CHECK_FALSE(run_network(scenario, pass)->text == pass->text);
}

TEST_CASE("without a picture a random one is used, with a note") {
  const auto pass = run_network(scenario_of("vit", ""));
  std::string notes;
  for (const Assumption& note : notes_of(*pass, scenario_of("vit", "")))
    notes += note.what + ": " + note.taken_for.english() + "\n";
  CHECK_THAT(notes, ContainsSubstring("image: a drawn one of 12 × 8 pixels, since none was given"));
}

TEST_CASE("a file that is no picture for the network is refused in a sentence") {
  const samples::TempFolder folder;
  const auto said = [&](const Scenario& scenario) -> std::string {
    try {
      compute_any(scenario);
    } catch (const InputError& error) { return error.what(); }
    return "";
  };
  std::vector<std::uint8_t> png = encode_png(Image(40, 30, {9, 99, 200, 255}));
  write_bytes(folder / "whole.png", png);
  CHECK(said(scenario_of("vit", folder / "whole.png")).empty());
  write_bytes(folder / "cut.png", std::span(png).first(png.size() - 30));
  CHECK_THAT(said(scenario_of("vit", folder / "cut.png")), ContainsSubstring("is a damaged PNG picture"));
  png[16] = 0, png[17] = 1, png[20] = 0, png[21] = 1;  // width and height are 65536, and the checksum is wrong
  write_bytes(folder / "huge.png", png);
  CHECK_THAT(said(scenario_of("vit", folder / "huge.png")), ContainsSubstring("is a damaged PNG picture"));
  std::ofstream(folder / "text.png") << "not a picture";
  CHECK_THAT(said(scenario_of("vit", folder / "text.png")), ContainsSubstring("is no PNG or JPEG picture"));
  CHECK_THAT(said(scenario_of("vit", folder / "none.png")), ContainsSubstring("none.png"));
  CHECK_THAT(said(scenario_of("bert", folder / "whole.png")), ContainsSubstring("reads no pictures; expected --text"));
  Scenario text = scenario_of("vit", "");
  text.text_as_input = true;
  CHECK_THAT(said(text), ContainsSubstring("reads pictures; expected --image FILE"));
  Scenario plain;
  plain.image = (folder / "whole.png").string();
  CHECK_THAT(said(plain), ContainsSubstring("this is no network"));
}

TEST_CASE("a decoder begins what it writes with the token that config.json forces, and keeps keys of one text alone") {
  const samples::TempFolder folder;
  std::filesystem::copy(networks::folder + "bart", folder / "bart");
  nlohmann::json config = nlohmann::json::parse(std::ifstream(folder / "bart/config.json"));
  config["forced_bos_token_id"] = 8;
  std::ofstream(folder / "bart/config.json") << config;
  const auto network = open_network((folder / "bart").string());
  const NetworkText text = network->read("3 5 7", {}, 4);
  REQUIRE(text.decoder.count() > 1);
  CHECK(text.decoder.entries.front()[1].id == 8);
  KeyCache cache;
  RunOptions options;
  options.cache = &cache;
  network->run(text, options);
  NetworkText other = network->read("11 2 13", {}, 0);
  other.decoder = text.decoder;
  CHECK(networks::excess(network->run(other, options).logits, network->run(other, {}).logits) <= 0);
}
