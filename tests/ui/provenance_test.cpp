#include <algorithm>

#include "core/compute/run/pipeline.h"
#include "core/teaching/explain/explain.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/views/inspector/inspector_picture.h"
#include "ui/views/pipeline/picture.h"

using namespace headlight;
using namespace headlight::test;

namespace {

/// The cards of the pipeline with their matrices, made without fonts or a window.
PipelinePicture reached_cards(const Trace& trace, Index head) {
  PipelinePicture picture;
  picture.layout = lay_out_pipeline(trace, {.size = {1100, 700}, .foot = 70});
  for (const Slot& slot : picture.layout.slots) {
    CardPicture card;
    card.stage = slot.stage;
    card.card = slot.card;
    HeatPicture heat;
    heat.stage = slot.stage;
    heat.head = !has_head_axis(slot.stage) ? 0 : is_per_kv_head(slot.stage) ? head / trace.dims().groups() : head;
    heat.rows = trace[slot.stage].size(-2);
    heat.cols = trace[slot.stage].size(-1);
    heat.rect = slot.card.grown(-8);
    card.heats.push_back(heat);
    picture.cards.push_back(std::move(card));
  }
  return picture;
}

const CardPicture& card(const PipelinePicture& picture, Stage stage) {
  return *std::ranges::find(picture.cards, stage, &CardPicture::stage);
}

bool on_edge(const Rect& rect, ImVec2 p) {
  const bool x = std::abs(p.x - rect.min.x) < 0.01f || std::abs(p.x - rect.max.x) < 0.01f;
  const bool y = std::abs(p.y - rect.min.y) < 0.01f || std::abs(p.y - rect.max.y) < 0.01f;
  return x || y;
}

}  // namespace

TEST_CASE("arcs run from the sources' cards to an edge of the cell, along the lines between cells") {
  Scenario scenario = sentence().scenario;
  const bool rotary = GENERATE(false, true);
  if (rotary) scenario.rope = Rope::half, scenario.qk_norm = QkNorm::rms;
  const auto trace = compute(scenario);
  const PipelinePicture picture = reached_cards(*trace, 1);
  for (const Stage stage :
       {Stage::Q, Stage::Q_heads, Stage::Q_normed, Stage::Q_rotated, Stage::scores, Stage::scaled_scores,
        Stage::masked_scores, Stage::weights, Stage::head_outputs, Stage::concat, Stage::output}) {
    if (!trace->has(stage)) continue;
    const Cell cell{stage, 0, has_head_axis(stage) ? 1 : 0, 3, stage == Stage::concat ? 5 : 2};
    const Provenance provenance = make_provenance(*trace, picture, cell);
    INFO(name(stage));
    CHECK_FALSE(provenance.marks.empty());
    CHECK_FALSE(provenance.arcs.empty());
    const HeatPicture& heat = card(picture, stage).heats[0];
    const float w = heat.rect.width() / static_cast<float>(heat.cols),
                h = heat.rect.height() / static_cast<float>(heat.rows);
    const ImVec2 corner{heat.rect.min.x + static_cast<float>(cell.col) * w,
                        heat.rect.min.y + static_cast<float>(cell.row) * h};
    for (const ProvenanceArc& arc : provenance.arcs) {
      CHECK(on_edge(card(picture, arc.from_stage).card, arc.from));
      CHECK(on_edge(card(picture, stage).card, arc.to));
      CHECK(on_edge({corner, {corner.x + w, corner.y + h}}, arc.end));
      const bool level = arc.to.y == arc.end.y && arc.enter.y == arc.end.y && std::abs(arc.end.y - corner.y) < 0.01f;
      const bool upright = arc.to.x == arc.end.x && arc.enter.x == arc.end.x && std::abs(arc.end.x - corner.x) < 0.01f;
      CHECK((level || upright));
    }
    for (const SourceMark& mark : provenance.marks) {
      const Rect area = card(picture, mark.stage).heats[0].rect.grown(0.01f);
      CHECK((mark.rect.min.x >= area.min.x && mark.rect.max.x <= area.max.x && mark.rect.min.y >= area.min.y &&
             mark.rect.max.y <= area.max.y));
    }
  }
}

TEST_CASE("a number that is not shown, and an input, have no arcs") {
  const auto trace = compute(sentence().scenario);
  const PipelinePicture picture = reached_cards(*trace, 1);
  CHECK(make_provenance(*trace, picture, {Stage::weights, 0, 2, 3, 1}).arcs.empty());
  CHECK(make_provenance(*trace, picture, {Stage::key, 0, 0, 3, 1}).arcs.empty());
  CHECK(make_provenance(*trace, picture, {Stage::key, 0, 0, 99, 1}).arcs.empty());
}

TEST_CASE("what a number reaches is marked instead of what it came from, for an input always") {
  HeadlessWindow window(sentence());
  window.click(window.cell(Stage::key, 2, 5));  // X is an input and has no sources
  const View& view = window.document().view;
  REQUIRE((view.selected == Cell{Stage::key, 0, 0, 2, 5}));
  CHECK(shows_reach(view, *window.document().trace, Stage::key));
  CHECK_FALSE(shows_reach(view, *window.document().trace, Stage::Q));

  window.click(window.cell(Stage::weights, 3, 1));
  CHECK_FALSE(view.reaches);
  window.press('r');
  CHECK(view.reaches);
  CHECK(shows_reach(view, *window.document().trace, Stage::weights));
  const ImVec2 link = window.find("inspector", {"source0"});
  REQUIRE(link.x > 0);
  window.click(link);
  CHECK((view.selected == Cell{Stage::head_outputs, 0, 0, 3, 0}));
}
