// Checks that every stage in the table has a card, a moment, an operation, a colour and texts in the window.
#include "core/compute/run/pipeline.h"
#include "tests/catch.h"
#include "tests/ui/headless.h"
#include "ui/base/look/words.h"
#include "ui/views/operation/operation.h"
#include "ui/views/pipeline/layout.h"

using namespace headlight;
using namespace headlight::test;

namespace {

Scenario everything(bool scale_first = false) {
  Scenario s;
  s.source = Source::random;
  s.queries = 4;
  s.keys = 5;
  s.d_model = 8;
  s.heads = s.kv_heads = 2;
  s.rope = Rope::half;
  s.qk_norm = QkNorm::rms;
  s.softcap = 2.0F;
  s.alibi = s.training = true;
  s.dropout = 0.3F;
  s.mask = "k <= q + 2";
  s.scale_first = scale_first;
  return s;
}

}  // namespace

TEST_CASE("every stage of a run has a card, chapters in the player, an operation and words in every language") {
  const bool scale_first = GENERATE(false, true);
  const auto trace = compute(everything(scale_first));
  REQUIRE(trace->stages().size() == stage_count - 1);  // Q_scaled and scaled_scores exclude each other
  const PipelineLayout layout =
      lay_out_pipeline(*trace, {.size = {2400, 1200}, .foot = 70});  // wide enough that no card is folded
  const Timeline timeline(*trace, ProductOrder::rows);
  const Words english("en"), chinese("zh");
  for (const Stage stage : trace->stages()) {
    INFO(name(stage));
    REQUIRE(layout.find(stage) != nullptr);
    CHECK(layout.find(stage)->width() > 20);
    CHECK(timeline.chapter_of(stage) != nullptr);
    const OperationKind kind = operation_of(*trace, stage);
    CHECK((kind == OperationKind::input) == is_input(stage));
    CHECK((kind == OperationKind::mask || is_input(stage)) == (made_from(*trace, stage) == stage));
    CHECK((kind == OperationKind::product) == is_product(stage));
    CHECK((kind == OperationKind::split || kind == OperationKind::merge) == is_rearrangement(stage));
    const std::string key = "handout.about_" + std::string(name(stage));
    for (const Words* words : {&english, &chinese}) CHECK((*words)(key) != key);
    CHECK(std::string(chinese("stages." + std::string(name(stage)))).find("stages.") == std::string::npos);
    CHECK_FALSE(stage_words(chinese, stage).empty());
  }
}

TEST_CASE(
    "cards of one lane stand in the order of computation and overlap nothing, with QK-norm, RoPE, both and neither") {
  for (const QkNorm norm : {QkNorm::none, QkNorm::rms}) {
    for (const Rope rope : {Rope::none, Rope::half}) {
      Scenario scenario = everything();
      scenario.qk_norm = norm;
      scenario.rope = rope;
      const auto trace = compute(scenario);
      for (const ImVec2 size : {ImVec2{820, 560}, ImVec2{1400, 900}, ImVec2{3000, 1700}}) {
        const PipelineLayout layout = lay_out_pipeline(*trace, {.size = size, .foot = 70});
        for (std::size_t i = 0; i < layout.slots.size(); ++i) {
          for (std::size_t j = i + 1; j < layout.slots.size(); ++j) {
            const Slot &a = layout.slots[i], &b = layout.slots[j];
            INFO(name(a.stage) << " " << name(b.stage));
            const bool apart = a.card.max.x <= b.card.min.x || b.card.max.x <= a.card.min.x ||
                               a.card.max.y <= b.card.min.y || b.card.max.y <= a.card.min.y;
            CHECK(apart);
            // Dropped weights are left of the weights, above the values that they mix.
            const bool both_left = a.card.min.y == b.card.min.y && info(a.stage).lane == info(b.stage).lane &&
                                   info(a.stage).lane != Lane::weights && !is_parameter(a.stage) &&
                                   !is_parameter(b.stage);
            if (both_left) CHECK((a.stage < b.stage) == (a.card.min.x < b.card.min.x));
          }
        }
      }
    }
  }
}
