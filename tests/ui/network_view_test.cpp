// The view of a whole network: pictures of heads, and moving between heads and into one.
#include <algorithm>
#include <tuple>

#include "core/compute/network/attention_flow.h"
#include "core/compute/network/head_patterns.h"
#include "core/compute/network/network.h"
#include "core/figures/export/layers_figure.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/matchers.h"
#include "tests/places.h"
#include "tests/ui/headless.h"
#include "tests/ui/studio.h"
#include "ui/dialogs/export/export_file.h"
#include "ui/parts/scene/scene.h"
#include "ui/views/network/network_scene.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Document network_document(const std::string& model = places::sentences(),
                          const std::string& text = "the cat that chases the dogs sleeps because it is tired .",
                          const std::string& layer = "1") {
  Document document;
  document.scenario.source = Source::file;
  document.scenario.file = model;
  document.scenario.text = text;
  document.scenario.layer = layer;
  document.origin.saved = document.scenario;
  document.view.kind = ViewKind::network;
  return document;
}

/// The scene of a window of this size, without the window. Fonts are loaded as the session loads them.
struct NetworkStudio {
  NetworkStudio(const Document& document, ImVec2 size, float scale, const char* language)
      : window(document, size), words(language), view(window.document().view), u(scale), window_size(size) {
    view.language = language;
    std::string text = words.all_text() + document.scenario.text;
    for (const OverviewLayer& layer : overview().layers) {
      for (const auto& line : *layer.keys) {
        for (const std::string& word : line) text += word;
      }
    }
    fonts.load(u, text);
  }
  const HeadOverview& overview() const { return *window.document().trace->overview; }
  SceneContext context() const {
    return {*window.document().trace, view, look(Theme::light), fonts, words, u, window_size};
  }
  Rect place() const { return {{0, 46 * u}, {window_size.x, window_size.y - 62 * u}}; }
  Scene scene(const NetworkFacts& facts = {}) const { return network_scene_of(context(), overview(), facts, place()); }

  HeadlessWindow window;
  Words words;
  View view;
  float u;
  ImVec2 window_size;
  Fonts fonts;
};

const SceneTarget* target_of(const Scene& scene, HeadPlace at) {
  const auto found = std::ranges::find_if(scene.targets, [&](const SceneTarget& t) {
    return t.action == SceneAction::head && t.cell.batch == at.layer && t.cell.head == at.head;
  });
  return found == scene.targets.end() ? nullptr : &*found;
}

ImVec2 middle_of_picture(const HeadlessWindow& window, Index head, const Tensor& pictures) {
  for (const MatrixQuad& quad : window.painter.quads) {
    if (quad.head == head && identical(quad.values, pictures))
      return {(quad.min.x + quad.max.x) / 2, (quad.min.y + quad.max.y) / 2};
  }
  return {0, 0};
}

const Tensor& pictures(const HeadlessWindow& window, Index layer) {
  return window.document().trace->overview->layers[static_cast<std::size_t>(layer)].summary.pictures;
}

}  // namespace

TEST_CASE("every head of every layer is a picture of its own weights") {
  HeadlessWindow window(network_document());
  window.settle();
  for (Index layer = 0; layer < 2; ++layer) {
    for (Index head = 0; head < 4; ++head) CHECK(middle_of_picture(window, head, pictures(window, layer)).x > 0);
  }
  const auto run = network_of(window.document().trace->inputs);
  CHECK(identical(pictures(window, 0), run->layers[0].weights));
}

TEST_CASE("a click on a head opens it at its layer, its words in a line") {
  HeadlessWindow window(network_document());
  window.settle();
  window.click(middle_of_picture(window, 2, pictures(window, 0)));
  window.settle();
  CHECK(window.document().view.kind == ViewKind::pipeline);
  CHECK(window.document().view.levels.level == Level::sentence);
  CHECK(window.document().view.head == 2);
  CHECK(window.document().trace->scenario.layer == "0");
}

TEST_CASE(
    "arrow keys go along heads and layers, Enter opens the one that is looked at, Escape goes back to the words") {
  HeadlessWindow window(network_document(places::sentences(), "the cat sleeps", "0"));
  window.settle();
  window.press(compat::Key::right);
  window.press(compat::Key::right);
  window.press(compat::Key::down);
  window.frame();
  const View& view = window.document().view;
  CHECK(view.network.layer == 1);
  CHECK(view.network.head == 2);
  CHECK_FALSE(view.step);  // these arrows do not step the player
  window.press(compat::Key::down);
  window.frame();
  CHECK(view.network.layer == 1);  // layer 1 is the last
  window.press(compat::Key::enter);
  window.settle();
  CHECK(window.document().view.kind == ViewKind::pipeline);
  CHECK(window.document().view.head == 2);
  CHECK(window.document().trace->scenario.layer == "1");
}

TEST_CASE(
    "a change that a network cannot take is taken back, and the model's own settings do not become the person's") {
  HeadlessWindow window(network_document());
  window.settle();
  const Scenario before = window.document().scenario;
  REQUIRE(window.document().trace->scenario.mask == "causal()");  // this is the model's own mask
  window.session.perform(EditScenario{[](Scenario& s) { s.layer = "77"; }, {}});
  window.settle();
  CHECK_FALSE(window.document().error.empty());
  CHECK(window.document().scenario == before);
  CHECK(window.document().scenario.mask.empty());
  CHECK(window.document().undo.empty());
}

TEST_CASE("a mask in one layer changes the pictures after it and the prediction, which stands beside the model's own") {
  HeadlessWindow window(network_document(places::sentences(), "the cat that chases the dogs", "0"));
  window.settle();
  const auto own = network_of(window.document().trace->inputs);
  window.session.perform(EditScenario{[](Scenario& s) { s.mask = "causal() && window(1)"; }, {}});
  window.settle();
  const auto changed = network_of(window.document().trace->inputs);
  CHECK(identical(pictures(window, 1), changed->layers[1].weights));
  CHECK(identical(changed->layers[0].residual, own->layers[0].residual));  // the input of the layer did not change
  CHECK(std::abs(changed->logits.matrix()(5, 0) - own->logits.matrix()(5, 0)) > 1e-3f);
}

TEST_CASE("K knocks the selected head out of the network and back in, and so does undo") {
  HeadlessWindow window(network_document());
  window.settle();
  const double before = network_of(window.document().trace->inputs)->logits.matrix()(0, 0);
  const Tensor second = pictures(window, 1).contiguous();
  window.press(compat::Key::up);
  window.press('k');
  window.settle();
  CHECK(window.document().scenario.knock_out == std::vector<HeadAddress>{{"0", 0}});
  CHECK(window.document().trace->overview->layers[0].silent[0]);
  CHECK_FALSE(network_of(window.document().trace->inputs)->logits.matrix()(0, 0) == before);
  CHECK_FALSE(std::ranges::equal(pictures(window, 1).contiguous().values(), second.values()));
  window.press('k');
  window.settle();
  CHECK(window.document().scenario.knock_out.empty());
  CHECK(network_of(window.document().trace->inputs)->logits.matrix()(0, 0) == before);
  window.press('z', true);
  window.settle();
  CHECK(window.document().scenario.knock_out.size() == 1);
}

TEST_CASE("one head of a knocked-out layer can be restored alone") {
  Document document = network_document();
  document.scenario.knock_out = {{"1", -1}};
  HeadlessWindow window(document);
  window.settle();
  window.press('k');
  window.settle();
  CHECK(window.document().scenario.knock_out == std::vector<HeadAddress>{{"1", 1}, {"1", 2}, {"1", 3}});
}

TEST_CASE("J and G in the network open the journey and the geometry of the head that is looked at") {
  for (const auto& [key, facet] : {std::pair('j', Facet::journey), std::pair('g', Facet::geometry)}) {
    HeadlessWindow window(network_document());
    window.settle();
    window.session.perform(EditView{[](View& v) {
      v.network.layer = 0;
      v.network.head = 2;
    }});
    window.press(key);
    window.settle();
    CHECK(window.document().view.kind == ViewKind::pipeline);
    CHECK(window.document().view.levels.level == Level::operation);
    CHECK(window.document().view.levels.facet == facet);
    CHECK(window.document().scenario.layer == "0");
    CHECK(window.document().view.head == 2);
  }
}

TEST_CASE("M, R and F show what the layers give together, the command line's own numbers, and again every head") {
  HeadlessWindow window(network_document());
  window.settle();
  const std::size_t pictures_of_heads = window.painter.quads.size();
  for (const auto& [key, what, word] : {std::tuple{'m', LayersTogether::mean, ""},
                                        {'r', LayersTogether::rollout, "rollout:1"},
                                        {'f', LayersTogether::flow, "flow:1"}}) {
    CAPTURE(key);
    window.press(compat::Key::down);  // rollout through layer 1
    window.settle();
    window.press(key);
    window.settle();
    CHECK(window.document().view.network.together == what);
    REQUIRE(window.painter.quads.size() == 3);  // the averages of both layers, and the matrix
    const MatrixQuad& quad = window.painter.quads.back();
    CHECK(quad.values.size(2) == 12);
    CHECK(quad.revealed == -1);  // the whole matrix is shown
    ExportOptions options;
    options.layers = word;
    options.batch = 0;
    const Tensor expected = *word == 0 ? window.document().trace->overview->layers[1].summary.mean.view({12, 12})
                                       : join_layers(*window.document().trace, options).matrix;
    CHECK_THAT(quad.values.view({12, 12}), agrees_with(expected));
    CHECK(quad.max.x - quad.min.x > 2 * (window.painter.quads.front().max.x - window.painter.quads.front().min.x));
    window.press(key);
    window.settle();
    CHECK(window.painter.quads.size() == pictures_of_heads);
  }
}

TEST_CASE("word by word: arrows go along the words, and each step reads the kept keys and values of those before") {
  Document document = network_document(places::sentences(), "the cat sleeps", "0");
  document.view.network.together = LayersTogether::writing;
  HeadlessWindow window(document);
  window.settle();
  window.press(compat::Key::left);
  window.settle();
  CHECK(window.document().view.levels.query == 1);
  const auto run = network_of(window.document().trace->inputs);
  const std::vector<DecodeLayer> layers = decode_layers(*run->network);
  REQUIRE(layers.size() == 2);
  NetworkStudio studio(document, {1600, 900}, 1, "en");
  studio.view.levels.query = 1;
  NetworkFacts facts;
  facts.decode = layers;
  facts.text = {"the", "cat", "sleeps"};
  const std::string each =
      std::to_string(2 * layers.front().numbers);  // the bytes read for the word before, and those written for this one
  int rows = 0;
  for (const SceneItem& item : studio.scene(facts).items) {
    const auto* text = std::get_if<SceneText>(&item);
    rows += text && text->text == each + " + " + each;
  }
  CHECK(rows == 2);
}

TEST_CASE("experts: every word has a line if there is room, and the last line is the mean of the shares") {
  NetworkStudio studio(network_document(places::sentences(), "the cat sleeps", "0"), {1024, 768}, 1, "en");
  studio.view.network.together = LayersTogether::experts;
  NetworkFacts facts;
  facts.text = {"the", "cat", "sleeps"};
  facts.experts = {Tensor({1, 3, 2}, {1, 0, 0.5F, 0.5F, 0.75F, 0.25F}), Tensor()};
  std::vector<std::string> numbers;
  for (const SceneItem& item : studio.scene(facts).items) {
    const auto* text = std::get_if<SceneText>(&item);
    if (text && text->face == Face::mono && text->rect.max.x < 600) numbers.push_back(text->text);
  }
  CHECK(numbers == std::vector<std::string>{"1.00", "0.50", "0.50", "0.75", "0.25", "0.75", "0.25"});
}

TEST_CASE("rollout stops at the layer whose average is clicked") {
  HeadlessWindow window(network_document());
  window.settle();
  window.press('r');
  window.settle();
  const Tensor both = window.painter.quads.back().values;
  const MatrixQuad first = window.painter.quads.front();
  window.click({(first.min.x + first.max.x) / 2, (first.min.y + first.max.y) / 2});
  window.settle();
  CHECK(window.document().view.network.layer == 0);
  const Tensor one = window.painter.quads.back().values;
  CHECK_THAT(one.view({12, 12}),
             agrees_with(with_residual(window.document().trace->overview->layers[0].summary.mean.view({12, 12}))));
  CHECK(window.painter.quads[1].opacity < 1);  // layer 1 is not in the rollout
}

TEST_CASE("the view as a figure is the command that makes it, with what the layers give together") {
  Document document = network_document();
  document.origin.lesson.file = document.scenario.file;
  HeadlessWindow window(document);
  window.settle();
  for (const auto& [key, word] :
       {std::pair{'x', "--layers all"}, {'r', "--layers rollout:1"}, {'f', "--layers flow:1"}}) {
    window.press(key);
    window.settle();
    window.press('e', true);
    window.settle();
    CHECK(export_command(window.document(), "a.pdf").find(word) != std::string::npos);
    window.press(compat::Key::escape);
    window.settle();
  }
}

TEST_CASE("heads sorted by a pattern have the largest share of it first") {
  HeadlessWindow window(network_document());
  window.settle();
  const HeadOverview& overview = *window.document().trace->overview;
  NetworkChoice choice;
  choice.order = HeadOrder::pattern;
  choice.pattern = HeadPattern::previous;
  const auto order = heads_in_order(overview, {}, choice);
  REQUIRE(order.size() == 8);
  for (std::size_t i = 1; i < order.size(); ++i) {
    const auto share = [&](HeadPlace at) {
      return overview.layers[static_cast<std::size_t>(at.layer)]
          .summary.patterns[static_cast<std::size_t>(at.head)][HeadPattern::previous];
    };
    CHECK(share(order[i - 1]) >= share(order[i]));
  }
  choice.order = HeadOrder::entropy;
  const auto sharp = heads_in_order(overview, {}, choice);
  const auto spread = [&](HeadPlace at) {
    return overview.layers[static_cast<std::size_t>(at.layer)]
        .summary.patterns[static_cast<std::size_t>(at.head)]
        .entropy;
  };
  for (std::size_t i = 1; i < sharp.size(); ++i) CHECK(spread(sharp[i - 1]) <= spread(sharp[i]));
}

TEST_CASE("the view says that weights are random, and not so of trained ones") {
  for (const bool random : {true, false}) {
    Document document = random ? sentence() : network_document();
    document.view.kind = ViewKind::network;
    NetworkStudio studio(document, {1600, 900}, 1, "en");
    NetworkFacts facts;
    facts.random_weights = random;
    const Scene scene = studio.scene(facts);
    const bool said = std::ranges::any_of(scene.items, [](const SceneItem& item) {
      const auto* text = std::get_if<SceneText>(&item);
      return text && text->text.find("random") != std::string::npos;
    });
    CHECK(said == random);
  }
}

TEST_CASE("heads over many sentences are there for a network that reads sentences, not for one that reads pictures") {
  for (const bool pictures : {false, true}) {
    Document document = network_document();
    if (pictures) {
      document.scenario = Scenario();
      document.scenario.source = Source::file;
      document.scenario.file = places::fixtures() + "/networks/vit";
    }
    NetworkStudio studio(document, {1600, 900}, 1, "en");
    const Scene scene = studio.scene();
    const auto offered = [&](LayersTogether way) {
      return std::ranges::any_of(scene.targets, [way](const SceneTarget& target) {
        return target.action == SceneAction::together && target.index == static_cast<Index>(way);
      });
    };
    CHECK(offered(LayersTogether::patch));
    CHECK(offered(LayersTogether::study) == !pictures);
  }
}

TEST_CASE("beside a head that is left out stands the same head with its mean in its place, where that is known") {
  NetworkStudio studio(network_document(), {1600, 900}, 1, "en");
  NetworkFacts facts;
  facts.likeliest = "cat";
  facts.probability = 0.9;
  for (const OverviewLayer& layer : studio.overview().layers) {
    facts.without.emplace_back(layer.silent.size(), 0.21);
    facts.without_layer.emplace_back(0.11);
  }
  const auto says = [&](const std::string& number) {
    const Scene scene = studio.scene(facts);
    return std::ranges::any_of(scene.items, [&](const SceneItem& item) {
      const auto* text = std::get_if<SceneText>(&item);
      return text && text->text == number;
    });
  };
  CHECK(says("0.21"));
  CHECK_FALSE(says("0.43"));
  for (const OverviewLayer& layer : studio.overview().layers) facts.with_mean.emplace_back(layer.silent.size(), 0.43);
  CHECK(says("0.43"));
}

TEST_CASE("heads over many sentences ask for a file where none came with the network, and show no error") {
  Document document = network_document(places::fixtures() + "/networks/gpt2", "3 17 5");
  document.view.network.together = LayersTogether::study;
  HeadlessWindow window(document);
  window.settle();
  window.frame();
  NetworkStudio studio(document, {1600, 900}, 1, "en");
  NetworkFacts facts;
  facts.study = {{}, {}, true, true};
  const Scene scene = studio.scene(facts);
  CHECK(std::ranges::any_of(scene.items, [](const SceneItem& item) {
    const auto* text = std::get_if<SceneText>(&item);
    return text && text->text.find("sentences.") != std::string::npos;
  }));
  CHECK(window.document().error.empty());
}

TEST_CASE("the network view of a picture speaks of patches, in every language") {
  for (const char* language : {"en", "zh"}) {
    Document document = network_document(places::fixtures() + "/networks/vit", "");
    NetworkStudio studio(document, {1024, 768}, 1, language);
    CHECK(key_for(*studio.window.document().trace, "network.title") == "network.title_picture");
    for (const char* key :
         {"title", "habit_previous", "habit_first", "habit_next", "measured", "lens_says", "patch", "patch_says",
          "patch_from_hint", "positions", "the_words", "rollout_says", "flow_says", "patch_word_hint"}) {
      const std::string about = key_for(*studio.window.document().trace, std::string("network.") + key);
      CHECK(about.ends_with("_picture"));
      CHECK(std::string(studio.words(about)) != about);
    }
  }
  NetworkStudio words(network_document(), {1024, 768}, 1, "en");
  CHECK(key_for(*words.window.document().trace, "network.title") == "network.title");
}

TEST_CASE("a colour bar for rows with ranges of their own does not say 0 to 1") {
  const auto says = [](const Document& document, const char* words) {
    NetworkStudio studio(document, {1600, 900}, 1, "en");
    NetworkFacts facts;
    facts.can_measure = true;
    const Scene scene = studio.scene(facts);
    return std::ranges::any_of(scene.items, [words](const SceneItem& item) {
      const auto* text = std::get_if<SceneText>(&item);
      return text && text->text == words;
    });
  };
  const Document pictures = network_document("model:shapes", "");
  CHECK(says(pictures, "colours: each row up to its largest weight"));
  CHECK_FALSE(says(pictures, "colours: 0 to 1"));
  CHECK(says(network_document(), "colours: 0 to 1"));
}

TEST_CASE("in the overview no text leaves the window or lies over another, in either language, at any size") {
  struct Setting {
    ImVec2 size;
    float scale;
    const char* language;
  };
  for (const auto& [size, scale, language] :
       {Setting{{1600, 900}, 1, "en"}, {{1024, 768}, 1, "zh"}, {{1024, 768}, 1, "en"}, {{3840, 2160}, 2.25F, "en"}}) {
    for (const std::string& model : {places::sentences(), std::string("model:numbers")}) {
      const bool numbers = model == "model:numbers";
      NetworkStudio studio(network_document(model,
                                            numbers ? "digits two hundred forty one"
                                                    : "the cat that chases the dogs sleeps because it is tired .",
                                            ""),
                           size, scale, language);
      for (const auto& [order, together] : {std::pair{HeadOrder::layer, LayersTogether::none},
                                            {HeadOrder::pattern, LayersTogether::none},
                                            {HeadOrder::layer, LayersTogether::mean},
                                            {HeadOrder::layer, LayersTogether::rollout},
                                            {HeadOrder::layer, LayersTogether::experts},
                                            {HeadOrder::layer, LayersTogether::writing}}) {
        studio.view.network.order = order;
        studio.view.network.together = together;
        NetworkFacts facts;
        facts.can_knock = true;
        facts.predictions = {{"the", "cat", 0.5}, {"cat", "that", 0.25, true}};
        for (const OverviewLayer& layer : studio.overview().layers) {
          facts.decode.push_back({layer.layer, KeysShared::gqa, 32, 8, 3, 0, 2048, 8192});
          facts.experts.push_back(Tensor::full({1, std::ssize(layer.queries->front()), 16}, 1.0F / 16));
        }
        facts.text = studio.overview().layers.front().queries->front();
        const Scene scene = studio.scene(facts);
        std::vector<const SceneText*> texts;
        for (const SceneItem& item : scene.items) {
          if (const auto* text = std::get_if<SceneText>(&item)) texts.push_back(text);
        }
        for (std::size_t i = 0; i < texts.size(); ++i) {
          INFO(texts[i]->text << " at " << texts[i]->rect.min.x << "," << texts[i]->rect.min.y << " in " << size.x
                              << " " << language << " " << model);
          CHECK(texts[i]->rect.min.x >= -1);
          CHECK(texts[i]->rect.max.x <= size.x + 1);
          CHECK(texts[i]->rect.max.y <= studio.place().max.y + 1);
          for (std::size_t j = i + 1; j < texts.size(); ++j) {
            const Rect &a = texts[i]->rect, &b = texts[j]->rect;
            const bool crosses =
                a.min.x + 2 < b.max.x && b.min.x + 2 < a.max.x && a.min.y + 3 < b.max.y && b.min.y + 3 < a.max.y;
            INFO("over " << texts[j]->text << " at " << b.min.x << "," << b.min.y);
            CHECK_FALSE(crosses);
          }
        }
        if (together != LayersTogether::none) continue;
        CHECK(target_of(scene, {0, 0}) != nullptr);
        CHECK(target_of(scene, {studio.overview().layers.size() > 2 ? 2 : 1, 3}) != nullptr);
      }
    }
  }
}
