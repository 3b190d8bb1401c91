#include "core/base/text/unicode.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/headless.h"
#include "ui/views/registry.h"
#include "ui/window/panels/registry.h"

using namespace headlight;
using namespace headlight::test;

namespace {

const char* const fixtures[] = {"s000_masked_mha.input.npz", "s002_v1.input.npz",    "s003_valid_lens.input.npz",
                                "torch_mha.input.npz",       "gqa_causal.input.npz", "alibi_causal.input.npz"};

}  // namespace

TEST_CASE("every view of every kind of document draws, in both themes and at small and large sizes") {
  const ImVec2 size = GENERATE(ImVec2{640, 400}, ImVec2{1280, 720}, ImVec2{2560, 1440});
  const Theme theme = GENERATE(Theme::light, Theme::dark);
  for (const ViewEntry& view : all_views()) {
    for (const char* fixture : fixtures) {
      Document document = file_document(fixture);
      document.view.kind = view.kind;
      document.view.theme = theme;
      HeadlessWindow window(document, size);
      if (view.kind == ViewKind::compare) window.press('a');
      window.settle();
      INFO(fixture << " " << view.word << " " << window.document().error);
      CHECK(window.document().error.empty());
      CHECK(ImGui::GetDrawData()->TotalVtxCount > 500);
      CHECK_FALSE(window.painter.quads.empty());
    }
  }
}

TEST_CASE("the pipeline view shows every stage that the trace has, from the trace's own tensors") {
  HeadlessWindow window(sentence());
  const Trace& trace = *window.document().trace;
  for (const Stage stage : trace.stages()) {
    if (trace.inputs.self_attention() && (stage == Stage::query || stage == Stage::value))
      continue;  // the card of X stands for them
    INFO(name(stage));
    CHECK(window.cell(stage, 0, 0).x > 0);
  }
  for (const Stage stage : {Stage::W_q, Stage::W_k, Stage::W_v, Stage::W_o, Stage::b_q, Stage::b_o}) {
    INFO(name(stage));
    CHECK(window.cell(stage, 0, 0).x > 0);
  }
}

TEST_CASE("the first selected cell is the last query's largest weight, on itself only if there is no other") {
  const HeadlessWindow window(sentence());
  const Cell first = window.document().view.selected.value();
  CHECK(first.row == 5);
  CHECK(first.col != 5);
  const Tensor& weights = (*window.document().trace)[Stage::weights];
  for (Index k = 0; k < 5; ++k) CHECK(weights.at({0, 0, 5, k}) <= weights.at({0, 0, 5, first.col}));
  Document alone = sentence();
  alone.scenario.mask = "diagonal()";
  const HeadlessWindow looking(alone);
  CHECK(looking.document().view.selected == Cell{Stage::weights, 0, 0, 5, 5});
}

TEST_CASE("a click on the heads slider changes the scenario, and the picture follows") {
  HeadlessWindow window(sentence());
  const ImVec2 track = window.find("controls", {"heads", "##track"});
  REQUIRE(track.x > 0);
  window.drag(track, {2, track.y});
  CHECK(window.document().scenario.heads == 1);
  CHECK(window.document().trace->dims().heads == 1);
  CHECK(window.document().undo.size() == 1);  // one drag is one step of undo
}

TEST_CASE("a typed number of heads that does not divide d_model says why not, and the document stays") {
  HeadlessWindow window(random_document(5, 512, 8));
  const ImVec2 number = window.find("controls", {"heads", "##number"});
  REQUIRE(number.x > 0);
  window.click(number);
  window.type_and_enter("7");
  CHECK(window.document().error.english().find("512") != std::string::npos);
  CHECK(window.document().error.english().find('7') != std::string::npos);
  CHECK(window.document().scenario.heads == 8);
  CHECK(window.document().trace->dims().heads == 8);
}

TEST_CASE("pointing at a cell makes it the looked-at one; a click keeps it") {
  HeadlessWindow window(sentence());
  const ImVec2 at = window.cell(Stage::scaled_scores, 3, 1);
  window.move(at);
  window.frame();
  const Cell wanted{Stage::scaled_scores, 0, 0, 3, 1};
  CHECK(window.document().view.pointed.cell == wanted);
  window.click(at);
  window.move({-100, -100});
  window.frame();
  CHECK(window.document().view.selected == wanted);
  CHECK_FALSE(window.document().view.pointed.cell);
}

TEST_CASE("a bad file gives a message with its name, and the document stays as it was") {
  HeadlessWindow window(sentence());
  const auto before = window.document().trace;
  const Scenario scenario = window.document().scenario;
  for (const std::string& path : {std::string("no_such_file.npz"), places::fixtures() + "/README.md"}) {
    window.session.open(path);
    window.settle();
    INFO(window.document().error);
    CHECK(window.document().error.english().find(std::string(path).substr(std::string(path).find_last_of('/') + 1)) !=
          std::string::npos);
    CHECK(window.document().scenario == scenario);
    CHECK(window.document().trace == before);
  }
}

TEST_CASE("every slider can be dragged from end to end in any order without losing the picture") {
  HeadlessWindow window(random_document(4, 16, 4));
  for (const char* slider :
       {"heads", "d_model", "queries", "keys", "kv_heads", "batch_size", "seed", "heads", "keys", "d_model"}) {
    for (const float end : {2.0f, 290.0f, 2.0f, 90.0f}) {
      const ImVec2 track = window.find("controls", {slider, "##track"});
      INFO(slider << " " << end);
      if (track.x == 0) continue;  // the slider is not shown now, e.g. with one head
      // Sequences stay short, because the far end of the length sliders would take too long.
      const bool length = std::string(slider) == "queries" || std::string(slider) == "keys";
      window.drag(track, {length ? std::min(end, 150.0f) : end, track.y});
      CHECK(window.document().error.empty());
      CHECK_FALSE(window.painter.quads.empty());
    }
  }
}

TEST_CASE("undo takes back the last change and redo brings it again") {
  HeadlessWindow window(sentence());
  const ImVec2 causal = window.find("controls", {"none"});
  REQUIRE(causal.x > 0);
  window.click(causal);
  CHECK(window.document().scenario.mask.empty());
  window.click(window.find("top_bar", {"undo"}));
  CHECK(window.document().scenario.mask == "causal()");
  window.click(window.find("top_bar", {"redo"}));
  CHECK(window.document().scenario.mask.empty());
}

TEST_CASE("every variant can be switched on in the window, each shows its stages, and undo takes all back") {
  HeadlessWindow window(sentence());
  const Scenario before = window.document().scenario;
  const std::initializer_list<const char*> chips[] = {
      {"positions", "sinusoidal"}, {"rope", "half"},    {"qk_norm", "RMS"}, {"alibi"}, {"t5_bias"}, {"sink_logit"},
      {"output_projection"},       {"mode", "training"}};
  ImGui::GetIO().DisplaySize = {1600, 2400};  // tall enough for the whole panel
  window.settle();
  for (const auto& chip : chips) {
    const ImVec2 at = window.find("controls", chip);
    INFO(*(chip.end() - 1));
    REQUIRE(at.x > 0);
    window.click(at);
    CHECK(window.document().error.empty());
  }
  const ImVec2 dropout = window.find("controls", {"dropout", "##track"});
  window.drag(dropout, {dropout.x + 60, dropout.y});
  for (const Stage stage : {Stage::K_normed, Stage::Q_rotated, Stage::biased_scores, Stage::dropped_weights}) {
    INFO(name(stage));
    CHECK(window.document().trace->has(stage));
    if (stage != Stage::K_normed) CHECK(window.cell(stage, 0, 0).x > 0);  // its card is folded into that of K_rotated
  }
  CHECK_FALSE(window.document().trace->has(Stage::W_o));
  while (!window.document().undo.empty()) window.click(window.find("top_bar", {"undo"}));
  CHECK(window.document().scenario == before);
}

TEST_CASE("a number of a weight matrix can be typed, everything downstream follows, and it can be taken back") {
  HeadlessWindow window(sentence());
  const float before = (*window.document().trace)[Stage::output].at({0, 0, 0});
  window.click(window.cell(Stage::W_v, 0, 0));
  const ImVec2 number = window.find("inspector", {"set", "##number"});
  REQUIRE(number.x > 0);
  window.click(number);
  window.type_and_enter("2.5");
  CHECK((*window.document().trace)[Stage::W_v].at({0, 0}) == 2.5f);
  CHECK((*window.document().trace)[Stage::output].at({0, 0, 0}) != before);
  window.click(window.find("inspector", {"restore"}));
  CHECK((*window.document().trace)[Stage::output].at({0, 0, 0}) == before);
}

TEST_CASE("packed projections show the same numbers in one card") {
  HeadlessWindow window(file_document("torch_mha.input.npz"));
  const ImVec2 q = window.cell(Stage::W_q, 0, 0);
  const ImVec2 v = window.cell(Stage::W_v, 0, 0);
  CHECK(q.x == Approx(v.x));
  CHECK(q.y < v.y);
  window.click(window.find("controls", {"packing", "three matrices"}));
  CHECK(window.cell(Stage::W_q, 0, 0).x > 0);
  CHECK(window.cell(Stage::b_q, 0, 0).x > 0);  // biases have a card of their own again
}

TEST_CASE("a click on a lesson opens it in the pipeline, with its title and story") {
  Document document = sentence();
  document.view.kind = ViewKind::lesson;
  HeadlessWindow window(document, {1600, 2400});  // the course stands above the presets
  const ImVec2 card = window.find("canvas", {"masked-self-attention"});
  REQUIRE(card.x > 0);
  window.click(card);
  CHECK(window.document().view.kind == ViewKind::pipeline);
  CHECK(window.document().origin.lesson.id == "masked-self-attention");
  CHECK(window.document().trace->dims().heads == 8);
  CHECK(window.session.title().starts_with("Masked self-attention"));
}

TEST_CASE("the window's list of views has the rows of core's, in the same order, each with its name and functions") {
  const std::span<const ViewEntry> entries = all_views();
  REQUIRE(entries.size() == view_rows.size());
  for (std::size_t i = 0; i < entries.size(); ++i) {
    CAPTURE(view_rows[i].name);
    CHECK(entries[i].kind == static_cast<ViewKind>(i));
    CHECK(entries[i].word == "views." + std::string(view_rows[i].name));
    CHECK((entries[i].draw && entries[i].least && entries[i].shows && entries[i].sides && entries[i].offer));
  }
}

TEST_CASE("the button to another language has all letters of its name") {
  if (find_font(FontRole::cjk).path == find_font(FontRole::text).path) return;  // no Chinese face is installed
  HeadlessWindow window(sentence(), {1024, 768});
  window.settle();
  for (const std::string& language : list_languages()) {
    const std::string name = language_name(language);
    CAPTURE(name);
    for (std::size_t at = 0; at < name.size();) {
      const auto letter = static_cast<ImWchar>(next_character(name, at));
      bool found = false;
      for (const ImFont* font : ImGui::GetIO().Fonts->Fonts)
        found = found || const_cast<ImFont*>(font)->FindGlyphNoFallback(letter) != nullptr;
      CHECK(found);
    }
  }
}
