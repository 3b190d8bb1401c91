#include "tests/allocations.h"
#include "tests/catch.h"
#include "tests/places.h"
#include "tests/ui/headless.h"
#include "tests/ui/levels.h"
#include "ui/views/masklab/mask_picture.h"
#include "ui/views/registry.h"

using namespace headlight;
using namespace headlight::test;

namespace {

// Counts only our allocations, because Dear ImGui does not use operator new.
std::size_t allocations_in_steady_frames(HeadlessWindow& window) {
  for (int frame = 0; frame < 4; ++frame) window.frame();
  const std::size_t before = allocations_of_this_thread();
  for (int frame = 0; frame < 5; ++frame) window.frame();
  return allocations_of_this_thread() - before;
}

Document with_everything() {
  Document document = with_every_stage(sentence().scenario.text.c_str());
  document.scenario.mask = "causal() && window(3)";
  return document;
}

}  // namespace

TEST_CASE("steady frames allocate nothing, in every view of every kind of document") {
  for (const ViewEntry& view : all_views()) {
    for (int kind = 0; kind < 4; ++kind) {
      Document document = kind == 0   ? sentence()
                          : kind == 1 ? with_everything()
                          : kind == 2 ? random_document(70, 16, 4)
                                      : file_document("s003_valid_lens.input.npz");
      document.view.kind = view.kind;
      HeadlessWindow window(document);
      window.settle();
      if (view.kind == ViewKind::compare) window.press('a');
      window.settle();  // a worker computes the difference
      INFO(view.word << " of document " << kind);
      CHECK(allocations_in_steady_frames(window) == 0);
    }
  }
}

TEST_CASE(
    "steady frames allocate nothing while the pointer rests on a cell, in its menu, in a step, in a presentation, in "
    "help, in a typing error") {
  HeadlessWindow window(sentence());
  window.move(window.cell(Stage::weights, 3, 1));
  CHECK(allocations_in_steady_frames(window) == 0);
  window.right_click(window.cell(Stage::weights, 3, 1));
  REQUIRE(window.document().view.menu);
  CHECK(allocations_in_steady_frames(window) == 0);
  for (const int state : {0, 1, 2, 3}) {
    Document document = sentence();
    document.view.step = state == 0 ? std::optional(40) : std::nullopt;
    document.view.presenting = state == 1;
    document.view.dialog = state == 2 ? Dialog::help : Dialog::none;
    if (state == 3) document.view.mask_draft = "causal( && window(3)";
    HeadlessWindow other(document);
    INFO(state);
    CHECK(allocations_in_steady_frames(other) == 0);
  }
}

TEST_CASE("steady frames allocate nothing in any sheet of the mask view") {
  for (const MaskTabEntry& entry : all_mask_tabs()) {
    for (Document document : {sentence(), random_document(70, 16, 4)}) {
      document.view.kind = ViewKind::mask;
      document.view.mask_lab.tab = entry.tab;
      HeadlessWindow window(document);
      window.settle();
      INFO(name(entry.tab));
      CHECK(allocations_in_steady_frames(window) == 0);
    }
  }
}

TEST_CASE("steady frames allocate nothing at any level, at a journey and at the geometry, in a presentation too") {
  for (const bool presenting : {false, true}) {
    for (int kind = 0; kind < 2; ++kind) {
      for (const auto& [level, facet] :
           {std::pair(Level::sentence, Facet::step), std::pair(Level::operation, Facet::step),
            std::pair(Level::operation, Facet::journey), std::pair(Level::operation, Facet::geometry)}) {
        Document document = kind == 0 ? with_everything() : random_document(70, 16, 4);
        document.view.levels.level = level;
        document.view.levels.facet = facet;
        document.view.presenting = presenting;
        HeadlessWindow window(document);
        window.settle();
        window.move({800, 450});
        window.settle();
        INFO(presenting << " " << kind << " " << static_cast<int>(level) << " " << static_cast<int>(facet));
        CHECK(allocations_in_steady_frames(window) == 0);
      }
    }
  }
}

TEST_CASE("steady frames allocate nothing where the next word is shown, and while a score is tried") {
  for (const bool tried : {false, true}) {
    Document document = sentence();
    if (!tried) {
      document.scenario = {};
      document.scenario.source = Source::file;
      document.scenario.file = places::sentences();
      document.scenario.text = "the cat that chases the dogs";
      document.view.levels.facet = Facet::next;
    } else {
      document.view.levels.stage = Stage::weights;
      document.view.levels.query = 3;
      document.view.levels.trial = ScoreTrial{0, 0, 3, {{1, 0.5f}}};
    }
    document.view.looked = true;
    document.view.levels.level = Level::operation;
    HeadlessWindow window(document);
    window.settle();
    window.move({800, 450});
    window.settle();
    INFO(tried);
    CHECK(allocations_in_steady_frames(window) == 0);
  }
}
