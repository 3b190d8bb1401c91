// The shipped vision model: the accuracy and the effects of heads in its model.json hold on pictures that were not in
// its training data (tests/fixtures/held_out/shapes.png, 20 in a row, written by its train.py).
#include <fstream>
#include <map>
#include <sstream>

#include "core/base/files/picture_file.h"
#include "core/compute/network/pictures.h"
#include "core/compute/network/shipped_models.h"
#include "tests/catch.h"
#include "tests/places.h"

using namespace headlight;

namespace {

constexpr int side = 48, across = 20;

struct Scene {
  std::string answer;
  std::vector<std::string> kinds;  ///< the answer among them
};

std::vector<Scene> scenes_held_out() {
  std::vector<Scene> scenes;
  std::ifstream stream(places::fixtures() + "/held_out/shapes.txt");
  for (std::string line; std::getline(stream, line);) {
    Scene& scene = scenes.emplace_back();
    std::istringstream fields(line);
    for (std::string kind; std::getline(fields, kind, '\t');) scene.kinds.push_back(kind);
    scene.answer = scene.kinds.front();
  }
  return scenes;
}

/// [count, 3, side, side]
Tensor pixels_held_out(const Network& network, Index count) {
  const Image sheet = read_picture(places::fixtures() + "/held_out/shapes.png");
  Buffer values;
  for (int n = 0; n < count; ++n) {
    Image one(side, side);
    for (int y = 0; y < side; ++y) {
      for (int x = 0; x < side; ++x) one.set(x, y, sheet.at(n % across * side + x, n / across * side + y));
    }
    const Tensor pixels = pixels_of(one, network.spec().picture->steps);
    values.insert(values.end(), pixels.values().begin(), pixels.values().end());
  }
  return Tensor({count, 3, side, side}, std::move(values));
}

/// Whether the answer to each scene is right while these heads are silent.
std::vector<bool> answered(const Network& network, const std::vector<Scene>& scenes, const Tensor& pixels,
                           const KnockOut& silent) {
  RunOptions options;
  options.knock_out = silent;
  options.weights = false;
  options.threads = 1;
  const NetworkRun run = network.run(text_of_pixels(network.spec(), pixels), options);
  std::vector<bool> right;
  for (std::size_t n = 0; n < scenes.size(); ++n)
    right.push_back(most_likely(run, static_cast<Index>(n), 0, 1).front().text == scenes[n].answer);
  return right;
}

struct Share {
  double share = 0;
  Index places = 0;
};
/// The share of right answers to scenes of one kind, or to all if `kind` is "".
Share share_of(const std::vector<Scene>& scenes, const std::vector<bool>& right, const std::string& kind) {
  Share found;
  for (std::size_t n = 0; n < scenes.size(); ++n) {
    if (!kind.empty() && std::ranges::find(scenes[n].kinds, kind) == scenes[n].kinds.end()) continue;
    found.share += right[n];
    ++found.places;
  }
  found.share /= static_cast<double>(std::max<Index>(found.places, 1));
  return found;
}

}  // namespace

TEST_CASE("shapes: the accuracy on held-out pictures and the effect of each labelled head are those in model.json") {
  const std::vector<ShippedModel> models = shipped_models();
  const auto model = std::ranges::find(models, "shapes", &ShippedModel::id);
  REQUIRE(model != models.end());
  const auto network = open_network("model:shapes");
  const std::vector<Scene> scenes = scenes_held_out();
  REQUIRE(scenes.size() >= 200);
  const Tensor pixels = pixels_held_out(*network, std::ssize(scenes));
  std::ifstream stream(model->folder / "model.json", std::ios::binary);
  const auto json = nlohmann::ordered_json::parse(stream);
  const std::vector<bool> whole = answered(*network, scenes, pixels, {});
  const double one = 1.1 / static_cast<double>(scenes.size());  // rounding may change the answer to one picture
  CHECK(std::abs(share_of(scenes, whole, "").share - json.at("probes").at("accuracy").get<double>()) < one);
  CHECK(model->accuracy > 0.9);
  REQUIRE_FALSE(model->claims.empty());
  std::map<std::pair<Index, Index>, std::vector<bool>> without;
  for (Index layer = 0; layer < model->layers; ++layer) {
    for (Index head = 0; head < model->heads; ++head)
      without[{layer, head}] = answered(*network, scenes, pixels, {{layer, head}});
  }
  for (const HeadClaim& claim : model->claims) {
    const std::string kind = claim.measured.at("questions");
    const auto& probed = claim.measured.at("probes");
    INFO(claim.layer << "." << claim.head << " " << claim.does.at("en") << " " << claim.measured.dump());
    const std::pair own{network->layer_named(claim.layer), claim.head};
    const Share with = share_of(scenes, whole, kind), lost = share_of(scenes, without[own], kind);
    double next_largest = 1;
    for (const auto& [head, right] : without) {
      if (head != own) next_largest = std::min(next_largest, share_of(scenes, right, kind).share);
    }
    const double verge = 1.1 / static_cast<double>(with.places);
    CHECK(with.places == probed.at("places").get<Index>());
    CHECK(std::abs(with.share - probed.at("accuracy").get<double>()) < verge);
    CHECK(std::abs(lost.share - probed.at("without").get<double>()) < verge);
    CHECK(std::abs(next_largest - probed.at("next_largest").get<double>()) < verge);
    CHECK(lost.share < next_largest);
    CHECK(claim.measured.at("without") < claim.measured.at("next_largest"));
    CHECK(claim.does.contains("zh"));
  }
}

TEST_CASE("shapes opens on a picture whose answer changes without the selected head") {
  const std::vector<ShippedModel> models = shipped_models();
  const auto model = std::ranges::find(models, "shapes", &ShippedModel::id);
  REQUIRE(model != models.end());
  CHECK(opening_of(*model).scenario.image == model->examples.front());
  const auto network = open_network("model:shapes");
  const NetworkText text = network->read(model->examples.front());
  RunOptions options;
  const NetworkRun run = network->run(text, options);
  options.knock_out = {{network->layer_named(model->opens.layer), model->opens.head}};
  const NetworkRun without = network->run(text, options);
  CHECK(most_likely(run, 0, 0, 1).front().text != most_likely(without, 0, 0, 1).front().text);
}
