// Contribution norms beside weights, the parts of a logit, and the logit lens, which predicts from the row after a
// layer.
#include "ui/views/operation/why.h"

#include <numeric>

#include "core/compute/network/head_study.h"
#include "core/compute/network/logit_parts.h"
#include "core/compute/network/network.h"
#include "core/compute/network/network_trace.h"
#include "core/compute/run/contributions.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/catch.h"
#include "tests/core/files/samples.h"
#include "tests/ui/studio.h"
#include "ui/base/document/view.h"
#include "ui/base/frame/colormaps.h"
#include "ui/base/frame/frame.h"
#include "ui/base/look/fonts.h"
#include "ui/base/timeline/timeline.h"
#include "ui/parts/scene/matrix_numbers.h"
#include "ui/parts/scene/row_prose.h"
#include "ui/views/network/network_scene.h"
#include "ui/views/sentence/story.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Document of_network_saying(const char* text = "the cat that chases the dogs") {
  Document document = sentence();
  document.scenario = {};
  document.scenario.source = Source::file;
  document.scenario.file = "model:english";
  document.scenario.text = text;
  document.view.kind = ViewKind::pipeline;
  document.view.looked = true;
  document.view.levels.query = 3;
  return document;
}

const ScreenSetting why_sizes[] = {
    {{1024, 768}}, {{1600, 900}}, {{1600, 900}, 1, false, "zh"}, {{1024, 768}, 1, false, "zh"}};

const SceneTarget* find_target(const Scene& scene, SceneAction action, Index index) {
  const auto found = std::ranges::find_if(
      scene.targets, [&](const SceneTarget& each) { return each.action == action && each.index == index; });
  return found == scene.targets.end() ? nullptr : &*found;
}

Scene sentence_scene_of(const Studio& studio) {
  const View& view = studio.context().view;
  return make_sentence(studio.context(), story_of(studio.trace(), view, view.levels.query.value_or(-1), {}),
                       studio.place());
}

WhyParts why_parts_in(const Studio& studio, std::optional<Index> token = {}, std::optional<Index> than = {}) {
  return why_parts(studio.trace(), studio.context().view, {}, 3, token, than);
}

double sum_of_parts(const WhyParts& why) {
  return std::accumulate(why.parts.begin(), why.parts.end(), 0.0,
                         [](double sum, const LogitPart& part) { return sum + part.value; });
}

}  // namespace

TEST_CASE(
    "a trace has what its heads bring as soon as a view measures it, and the sentence shows it beside the weight") {
  HeadlessWindow window(of_network_saying());
  window.settle();
  CHECK_FALSE(window.document().trace->has(Stage::contribution_norms));
  window.session.perform(EditView{[](View& v) { v.measure = HeadMeasure::arrives; }});
  window.settle();
  CHECK(identical((*window.document().trace)[Stage::contribution_norms], window.document().trace->contributions));

  Document document = of_network_saying();
  document.view.measure = HeadMeasure::arrives;
  Studio studio(document, {{1600, 900}});
  const Tensor lengths = contribution_norms(studio.trace());
  const ContributionRow brought = contribution_row(studio.trace(), studio.context().view, 3);
  double shares = 0;
  for (std::size_t k = 0; k < brought.shares.size(); ++k) {
    CHECK(brought.lengths[k] == lengths.at({0, studio.context().view.head, 3, static_cast<Index>(k)}));
    shares += static_cast<double>(brought.shares[k]);
  }
  CHECK(shares == Approx(1).margin(1e-5));
  const auto hollow = [&] {
    const Scene scene = sentence_scene_of(studio);
    for (Index k = 0; k < 4; ++k) CHECK(has_text(scene, length_text(brought.lengths[static_cast<std::size_t>(k)])));
    return std::ranges::count_if(scene.items,
                                 [](const SceneItem& item) { return std::holds_alternative<SceneBox>(item); });
  };
  const auto beside = hollow();
  studio.view().measure = HeadMeasure::weight;
  const Scene plain = sentence_scene_of(studio);
  CHECK(beside > std::ranges::count_if(plain.items,
                                       [](const SceneItem& item) { return std::holds_alternative<SceneBox>(item); }));
}

TEST_CASE("the sentence offers the three measures and is whole with each, at every size and in both languages") {
  for (const ScreenSetting& at : why_sizes) {
    for (const HeadMeasure measure : {HeadMeasure::weight, HeadMeasure::arrives, HeadMeasure::share}) {
      Document document = of_network_saying("the cat that chases the dogs sleeps because it is tired .");
      document.view.measure = measure;
      Studio studio(document, at);
      const Scene scene = sentence_scene_of(studio);
      INFO(at.window.x << at.language << static_cast<int>(measure));
      CHECK(faults(scene, studio) == "");
      for (Index i = 0; i < 3; ++i) CHECK(find_target(scene, SceneAction::measure, i));
    }
  }
}

TEST_CASE("the measure is a field of the view: a link and the journal have it, and heads show its stage") {
  View view;
  view.measure = HeadMeasure::share;
  CHECK(look_text(view).find("measure=share") != std::string::npos);
  CHECK(with_look({}, "measure=arrives").measure == HeadMeasure::arrives);
  CHECK(with_view_fields({}, "facet=why").levels.facet == Facet::why);
  CHECK(with_view_fields({}, "facet=next").levels.facet == Facet::next);
  Document lengths = of_network_saying();
  lengths.view.kind = ViewKind::heads;
  lengths.view.measure = HeadMeasure::arrives;
  HeadlessWindow heads(lengths);
  heads.settle();
  const Tensor& norms = heads.document().trace->contributions;
  float most = 0;
  for (Index h = 0; h < norms.size(1); ++h) {
    for (Index q = 0; q < norms.size(2); ++q) {
      for (Index k = 0; k < norms.size(3); ++k) most = std::max(most, norms.at({0, h, q, k}));
    }
  }
  CHECK(std::ranges::any_of(heads.painter.quads, [&](const MatrixQuad& quad) {
    return quad.values.defined() && identical(quad.values, norms) && quad.range.lo == 0 && quad.range.hi == most;
  }));
  Document document = of_network_saying();
  document.view.kind = ViewKind::heads;
  document.view.measure = HeadMeasure::share;
  HeadlessWindow window(document);
  window.settle();
  const Tensor shares = row_shares(contribution_norms(*window.document().trace));
  const bool shown = std::ranges::any_of(window.painter.quads, [&](const MatrixQuad& quad) {
    if (!quad.values.defined() || quad.values.shape() != shares.shape()) return false;
    for (Index k = 0; k < 4; ++k) {
      if (quad.values.at({0, 1, 3, k}) != shares.at({0, 1, 3, k})) return false;
    }
    return true;
  });
  CHECK(shown);
}

TEST_CASE("a scenario keeps the measure that it shows; without one it shows weights") {
  View view;
  view.measure = HeadMeasure::share;
  CHECK(field_of(saved_view(view), "measure") == "share");
  CHECK(with_saved_view({}, saved_view(view)).measure == HeadMeasure::share);
  CHECK_FALSE(field_of(saved_view({}), "measure"));
  CHECK(with_saved_view(view, {}).measure == HeadMeasure::weight);
}

TEST_CASE("bars under a sentence end where the colours of what heads bring end: the most in any batch entry") {
  Document document = of_network_saying("the cat\nthe dogs sleep because they are tired of cats");
  document.view.measure = HeadMeasure::arrives;
  Studio studio(document, {{1600, 900}});
  const ValueRange range = stage_range(studio.trace(), Stage::contribution_norms, ColormapKind::sequential);
  for (const Index batch : {0, 1}) {
    studio.view().batch = batch;
    CHECK(contribution_row(studio.trace(), studio.context().view, 1).most == range.hi);
  }
}

TEST_CASE("the network view shows of every head what the view measures, in one scale over all layers") {
  Document document = of_network_saying();
  document.view.kind = ViewKind::network;
  document.view.measure = HeadMeasure::arrives;
  HeadlessWindow window(document, {1600, 900});
  window.settle();
  for (int i = 0; i < 12; ++i) window.frame();
  const Trace& trace = *window.document().trace;
  const auto run = network_of(trace.inputs);
  float most = 0;
  std::size_t shown = 0;
  for (std::size_t layer = 0; layer < run->layers.size(); ++layer) {
    Scenario scenario = window.document().scenario;
    scenario.layer = std::to_string(layer);
    const Tensor lengths = contribution_norms(*compute_layer(run, static_cast<Index>(layer), scenario));
    for (const float length : lengths.contiguous().values()) most = std::max(most, length);
    shown += std::ranges::any_of(window.painter.quads, [&](const MatrixQuad& quad) {
      return quad.values.defined() && quad.values.shape() == lengths.shape() &&
             quad.values.at({0, 1, 3, 1}) == Approx(lengths.at({0, 1, 3, 1}));
    });
  }
  CHECK(shown == run->layers.size());
  CHECK(
      std::ranges::any_of(window.painter.quads, [&](const MatrixQuad& quad) { return quad.range.hi == Approx(most); }));
}

TEST_CASE("the pipeline's card of the weights shows what the view measures, and weights until these are played") {
  Document document = of_network_saying();
  document.view.levels.level = Level::pipeline;
  document.view.measure = HeadMeasure::arrives;
  const auto shows = [&](std::optional<Stage> played) {
    const Timeline timeline(*compute_any(document.scenario), document.view.way);
    document.view.step = played ? std::optional(timeline.chapter_of(*played)->first) : std::nullopt;
    HeadlessWindow window(document, {1600, 900});
    window.settle();
    window.frame();
    const Tensor& lengths = window.document().trace->contributions;
    return std::ranges::any_of(window.painter.quads, [&](const MatrixQuad& quad) {
      return quad.values.defined() && identical(quad.values, lengths);
    });
  };
  CHECK(shows({}));
  CHECK_FALSE(shows(Stage::scores));
  CHECK_FALSE(shows(Stage::weights));
  CHECK(shows(Stage::output));
}

TEST_CASE("a click on a measure's name on the card of the weights chooses what the card shows") {
  Document document = of_network_saying();
  document.view.levels.level = Level::pipeline;
  HeadlessWindow window(document, {1600, 900});
  window.settle();
  // The names are in the card's first line, which is searched for.
  const auto chosen_by_clicking = [&](HeadMeasure measure) {
    for (float y = 280; y < 310; y += 6) {
      for (float x = 950; x < 1260; x += 12) {
        window.click({x, y});
        if (window.document().view.measure == measure) return true;
      }
    }
    return false;
  };
  CHECK(chosen_by_clicking(HeadMeasure::share));
  CHECK(chosen_by_clicking(HeadMeasure::arrives));
  CHECK(chosen_by_clicking(HeadMeasure::weight));
}

TEST_CASE("arcs between words are of what the view measures: the shares of what arrives") {
  Document document = of_network_saying();
  document.view.measure = HeadMeasure::arrives;
  document.view.kind = ViewKind::heads;
  document.view.heads.mass = 1;
  HeadlessWindow window(document);
  window.settle();
  int met = 0;
  for (float y = 200; y < 800; y += 7) {
    window.move({1080, y});  // this is among the arcs
    window.frame();
    window.frame();
    const std::optional<Cell> cell = window.document().view.pointed.cell;
    if (!cell) continue;
    ++met;
    CHECK(cell->stage == Stage::contribution_norms);
  }
  CHECK(met > 5);
}

TEST_CASE("why: the parts of a logit, and of the difference of two, add up to it; bars add up whatever is folded") {
  Studio studio(of_network_saying(), {{1600, 900}});
  const auto run = network_of(studio.trace().inputs);
  const WhyParts one = why_parts_in(studio);
  const auto likely = most_likely(*run, 0, 3, 2);
  CHECK(one.words[one.chosen].token == likely[0].id);
  CHECK(sum_of_parts(one) == Approx(run->logits.at({0, 3, likely[0].id})).margin(1e-4));
  const WhyParts two = why_parts_in(studio, likely[0].id, likely[1].id);
  CHECK(sum_of_parts(two) ==
        Approx(run->logits.at({0, 3, likely[0].id}) - run->logits.at({0, 3, likely[1].id})).margin(1e-4));
  for (const std::size_t most : {2u, 3u, 5u, 9u, 100u}) {
    const std::vector<WhyBar> bars = why_bars(two, most);
    CHECK(bars.size() <= std::max<std::size_t>(most, 2));
    double sum = 0;
    std::vector<std::size_t> parts;
    for (const WhyBar& bar : bars) {
      sum += bar.value;
      parts.insert(parts.end(), bar.parts.begin(), bar.parts.end());
    }
    std::ranges::sort(parts);
    REQUIRE(parts.size() == two.parts.size());
    for (std::size_t i = 0; i < parts.size(); ++i) CHECK(parts[i] == i);
    CHECK(sum == Approx(sum_of_parts(two)).margin(1e-9));
  }
}

TEST_CASE("why is whole at every size, with one word and with two") {
  for (const ScreenSetting& at : why_sizes) {
    for (const bool two : {false, true}) {
      Studio studio(of_network_saying("the cat that chases the dogs sleeps because it is tired ."), at);
      const WhyParts first = why_parts_in(studio);
      const WhyParts why = why_parts_in(studio, {}, two ? std::optional(first.words[1].token) : std::nullopt);
      const Scene scene = make_why(studio.context(), why, studio.place());
      INFO(at.window.x << at.language << two);
      CHECK(faults(scene, studio) == "");
    }
  }
}

TEST_CASE("in why a click on a word chooses it, and one on a head goes to that head and row") {
  Document document = of_network_saying();
  document.view.levels.level = Level::operation;
  document.view.levels.facet = Facet::why;
  const auto [word, head] = [&] {
    Studio studio(document, {{1600, 900}});
    const Scene scene = make_why(studio.context(), why_parts_in(studio), studio.place());
    const SceneTarget* word_at = find_target(scene, SceneAction::explained, why_parts_in(studio).words[2].token);
    const auto head_at = std::ranges::find_if(scene.targets, [](const SceneTarget& each) {
      return each.action == SceneAction::head && each.cell.batch == 1 && each.cell.head == 2;
    });
    REQUIRE(word_at);
    REQUIRE(head_at != scene.targets.end());
    return std::pair(*word_at, *head_at);
  }();
  HeadlessWindow window(document, {1600, 900});
  window.settle();
  window.click(word.rect.centre());
  CHECK(window.document().view.levels.explained == word.index);
  window.settle();
  window.session.perform(EditView{[](View& v) { v.levels.explained.reset(); }});
  window.settle();
  window.click(head.rect.centre());
  window.settle();
  CHECK(window.document().view.levels.level == Level::sentence);
  CHECK(window.document().view.head == 2);
  CHECK(window.document().scenario.layer == "1");
  CHECK(window.document().view.levels.query == Index{3});
}

TEST_CASE("the lens is a way of the network view; a click goes to that layer and word") {
  Document document = of_network_saying();
  document.view.kind = ViewKind::network;
  document.scenario.layer = "1";
  document.view.network.together = LayersTogether::lens;
  const Rect place = [&] {
    Studio studio(document, {{1600, 900}});
    const auto run = network_of(studio.trace().inputs);
    NetworkFacts facts;
    facts.lens = lens_of(*run, 0);
    CHECK(facts.lens.back()[3].likely.id == most_likely(*run, 0, 3, 1).front().id);
    for (const Token& token : run->text.tokens.entries[0]) facts.lens_words.push_back(token.text);
    for (Index i = 0; i < std::ssize(facts.lens); ++i) facts.lens_layers.push_back(i);
    const Scene scene = network_scene_of(studio.context(), *studio.trace().overview, facts, studio.place());
    CHECK(has_text(scene, facts.lens[0][3].likely.text));
    const auto cell = std::ranges::find_if(scene.targets, [](const SceneTarget& each) {
      return each.action == SceneAction::lens && each.index == 3 && each.cell.batch == 0;
    });
    REQUIRE(cell != scene.targets.end());
    return cell->rect;
  }();
  HeadlessWindow window(document, {1600, 900});
  window.settle();
  for (int i = 0; i < 12; ++i) window.frame();
  window.click(place.centre());
  window.settle();
  CHECK(window.document().view.levels.level == Level::sentence);
  CHECK(window.document().scenario.layer == "0");
  CHECK(window.document().view.levels.query == Index{3});
}

namespace {

/// All text of one frame.
std::string text_drawn(HeadlessWindow& window) {
  Record record;
  ImGui::GetIO().UserData = &record;
  window.frame();
  ImGui::GetIO().UserData = nullptr;
  std::string all;
  for (const RecordedText& each : record.texts) all += each.text + "\n";
  return all;
}

}  // namespace

TEST_CASE("patching is a way of the network view: the grid of the command, filled in, with faults said") {
  Document document = of_network_saying("the cat that chases the dogs");
  document.view.kind = ViewKind::network;
  document.view.network.together = LayersTogether::patch;
  document.view.network.patch_from = "the dog that chases the cats";
  const std::shared_ptr<const Network> network = open_network("model:english");
  const NetworkText text = network->read("the cat that chases the dogs"),
                    from = network->read("the dog that chases the cats");
  HeadlessWindow window(document, {1600, 900});
  window.settle();
  const auto run = network_of(window.document().trace->inputs);
  const Index word = most_likely(*run, 0, place_of_prediction(*run, 0), 1).front().id;
  for (const PatchedState state : {PatchedState::residual, PatchedState::heads, PatchedState::mlp}) {
    window.session.perform(EditView{[state](View& v) { v.network.patched = state; }});
    window.settle();
    const std::string drawn = text_drawn(window);
    const PatchGrid grid = patch_grid(*network, text, from, static_cast<Patch::What>(state), word);
    for (const std::size_t layer : {0u, 2u}) {
      const double effect = grid.grid[layer][1] - grid.before;
      CHECK(drawn.find(MatrixNumbers(2, true)(static_cast<float>(effect))) != std::string::npos);
    }
  }
  window.session.perform(EditView{[](View& v) { v.network.patch_from = "the dog"; }});
  window.settle();
  CHECK(text_drawn(window).find("expected as many") != std::string::npos);
  for (const char* language : {"en", "zh"}) {
    window.session.perform(EditView{[language](View& v) { v.language = language; }});
    window.settle();
    const Words words(language);
    const std::string drawn = text_drawn(window);
    CHECK(drawn.find(std::string("“") + words("network.patch_from") + "”") != std::string::npos);
    CHECK(drawn.find("--") == std::string::npos);  // no options of the command line
  }
}

namespace {

/// The scene of the network view with these facts.
Scene network_scene_of(const Studio& studio, const NetworkFacts& facts) {
  return headlight::test::network_scene_of(studio.context(), *studio.trace().overview, facts, studio.place());
}

}  // namespace

TEST_CASE("the tables of patches and of heads over sentences are whole at every size, done, under way or stopped") {
  for (const ScreenSetting& at : why_sizes) {
    Document document = of_network_saying("the cat that chases the dogs");
    document.view.kind = ViewKind::network;
    document.view.network.together = LayersTogether::patch;
    Studio studio(document, at);
    NetworkFacts facts;
    facts.patch.words = {"the", "cat", "that", "chases", "the", "dogs"};
    facts.patch.from = {"the", "dog", "that", "chases", "the", "cats"};
    facts.patch.grid.grid = {{0, -1.25, 0, 0.5, 0, 1}, {0, 3}};
    facts.task = {true, false, 0.4, 12.0, ""};
    INFO(at.window.x << at.language);
    CHECK(faults(network_scene_of(studio, facts), studio) == "");
    CHECK(find_target(network_scene_of(studio, facts), SceneAction::task_stop, 0));
    facts.task = {false, true, 0.4, {}, ""};
    CHECK(faults(network_scene_of(studio, facts), studio) == "");
    CHECK(find_target(network_scene_of(studio, facts), SceneAction::task_again, 0));

    studio.view().network.together = LayersTogether::study;
    facts = {};
    facts.study.lines = {"the cat sat on the mat", "a dog"};
    for (Index i = 0; i < 12; ++i) {
      HeadMeans head;
      head.layer = i / 4;
      head.head = i % 4;
      head.entropy = 1.5;
      head.effect = 0.1 * static_cast<double>(i);
      head.lines = {{1, 0.5}, {0, 0.25}};
      facts.study.heads.push_back(head);
    }
    const Scene scene = network_scene_of(studio, facts);
    CHECK(faults(scene, studio) == "");
    const auto first = std::ranges::find(scene.targets, SceneAction::study_head, &SceneTarget::action);
    REQUIRE(first != scene.targets.end());
    CHECK(first->cell.batch == 2);  // sorted by effect, largest first
    CHECK(first->cell.head == 3);
    CHECK(find_target(scene, SceneAction::study_line, 1));
    studio.view().network.study_of = StudyFilter::layer;
    studio.view().network.layer = 1;
    for (const SceneTarget& each : network_scene_of(studio, facts).targets)
      CHECK((each.action != SceneAction::study_head || each.cell.batch == 1));
  }
}

TEST_CASE(
    "a table of more heads than fit shows the rows from where the wheel or a click has turned it, and says which") {
  Studio studio(of_network_saying(), {{1600, 900}});
  studio.view().kind = ViewKind::network;
  studio.view().network.together = LayersTogether::study;
  NetworkFacts facts;
  facts.study.lines = {"the cat"};
  for (Index i = 0; i < 144; ++i) {
    HeadMeans head;
    head.layer = i / 48;
    head.head = i % 4;
    head.effect = 1 - 0.001 * static_cast<double>(i);
    facts.study.heads.push_back(head);
  }
  const auto rows = [&] {
    const Scene scene = network_scene_of(studio, facts);
    CHECK(faults(scene, studio) == "");
    return std::ranges::count(scene.targets, SceneAction::study_head, &SceneTarget::action);
  };
  const auto page = [&] {
    const Scene scene = network_scene_of(studio, facts);
    return *std::ranges::find(scene.targets, SceneAction::study_page, &SceneTarget::action);
  };
  const auto shown = rows();
  CHECK(shown < 144);
  CHECK(page().index == shown);
  CHECK(page().cell.row == 144 - shown);
  studio.view().network.study_from = 1000;  // beyond the end, so the last rows are shown
  CHECK(rows() == shown);
  CHECK(page().cell.col == 144 - shown);
  CHECK(page().index == 0);
}

TEST_CASE("the effect with a head's mean has a column of its own where it is asked for") {
  Studio studio(of_network_saying(), {{1600, 900}});
  studio.view().kind = ViewKind::network;
  studio.view().network.together = LayersTogether::study;
  NetworkFacts facts;
  facts.study.lines = {"the cat"};
  facts.study.heads.resize(2);
  const auto columns = [&] {
    const Scene scene = network_scene_of(studio, facts);
    CHECK(faults(scene, studio) == "");
    CHECK(find_target(scene, SceneAction::study_mean, 1));
    return std::ranges::count(scene.targets, SceneAction::study_sort, &SceneTarget::action);
  };
  const auto without = columns();
  studio.view().network.study_mean = true;
  CHECK(columns() == without + 1);
}

TEST_CASE("heads over many sentences: a click on a head shows its sentences, one on a sentence opens it") {
  Document document = of_network_saying();
  document.view.kind = ViewKind::network;
  document.view.network.together = LayersTogether::study;
  const samples::TempFolder folder;
  samples::write_text(folder / "lines.txt", "the cat sleeps\nthe dogs chase the cat\n");
  document.view.network.texts = (folder / "lines.txt").string();
  const auto heads = head_means(*open_network("model:english"), {"the cat sleeps", "the dogs chase the cat"});
  const SceneTarget sentence_at = [&] {
    Studio studio(document, {{1600, 900}});
    NetworkFacts facts;
    facts.study = {{"the cat sleeps", "the dogs chase the cat"}, heads, true};
    const Scene scene = network_scene_of(studio, facts);
    const auto found = std::ranges::find(scene.targets, SceneAction::study_line, &SceneTarget::action);
    REQUIRE(found != scene.targets.end());
    return *found;
  }();
  HeadlessWindow window(document, {1600, 900});
  window.settle();
  window.frame();
  const HeadPlace looked = looked_at_head(*window.document().trace->overview, window.document().view);
  const auto at = std::ranges::find_if(
      heads, [&](const HeadMeans& each) { return each.layer == looked.layer && each.head == looked.head; });
  window.click(sentence_at.rect.centre());
  window.settle();
  CHECK(window.document().scenario.text == (at->lines.front().line == 0 ? "the cat sleeps" : "the dogs chase the cat"));
  CHECK(window.document().view.levels.level == Level::sentence);
}
