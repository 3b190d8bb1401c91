// Compare finds each mistake that mistaken_stages() makes.
#include "core/base/tensor/error.h"
#include "core/teaching/diagnosis/comparer.h"
#include "core/teaching/diagnosis/reproduction.h"
#include "tests/catch.h"
#include "tests/core/diagnosis/own.h"
#include "tests/core/files/samples.h"

using namespace headlight;
using samples::has;

namespace {

std::shared_ptr<const Trace> causal_words() {
  Scenario scenario;
  scenario.source = Source::text;
  scenario.text = "the cat sat on the mat";
  scenario.heads = 2;
  scenario.d_model = 16;
  scenario.mask = "causal()";
  return compute(scenario);
}

}  // namespace

TEST_CASE("a mistake made on purpose is found, and the stages before it are those of the run") {
  const auto trace = causal_words();
  for (const char* id : {"no_scale", "mask_ignored", "mask_inverted", "mask_after_softmax", "softmax_over_queries",
                         "split_without_transpose", "merge_without_transpose", "value_is_key", "causal_sees_next",
                         "weight_not_transposed"}) {
    INFO(id);
    const OwnStages own = mistaken_stages(id, 0, trace);
    const Comparison found = compared(trace, own);
    REQUIRE_FALSE(found.matches());
    REQUIRE_FALSE(found.diagnosis().empty());
    CHECK(found.diagnosis().front().id == std::string(id));
  }
  CHECK(compared(trace, own_stages_of(*trace)).matches());
}

TEST_CASE("a mistake that is unknown or cannot be made is refused with what was expected") {
  const auto trace = causal_words();
  CHECK_THROWS_AS(mistaken_stages("no_such", 0, trace), SettingError);
  CHECK_THROWS_AS(mistaken_stages("rope_pairing", 0, trace), SettingError);
  CHECK_THROWS_AS(mistaken_stages("no_scale", 99, trace), SettingError);
}

TEST_CASE("the comparer gives the differences and their causes, of the newest pair it was given") {
  const auto trace = causal_words();
  Comparer comparer;
  comparer.submit(trace, {{}, "mask_inverted", 0, false});
  comparer.submit(trace, {{}, "no_scale", 0, false});
  const auto found = comparer.wait();
  REQUIRE(found);
  CHECK(found->source.mistake == "no_scale");
  CHECK_FALSE(found->searching);
  CHECK(found->comparison.first_difference()->stage == Stage::scaled_scores);
  CHECK(found->comparison.diagnosis().front().id == "no_scale");
  CHECK_FALSE(comparer.progress().busy);
  comparer.submit(trace, {"nowhere.npz", {}, 0, false});
  const auto failed = comparer.wait();
  REQUIRE(failed);
  CHECK(has(failed->error.english(), "nowhere.npz"));
}

TEST_CASE("the comparer notes how right stages were saved, also where everything agrees") {
  const auto trace = causal_words();
  const samples::TempFolder folder;
  const auto path = folder / "mine.npz";
  write_npz(path, std::vector<NamedArray>{{"weights", (*trace)[Stage::weights].transpose(1, 2).contiguous()},
                                          {"output", (*trace)[Stage::output].contiguous()}});
  Comparer comparer;
  comparer.submit(trace, {path.string(), {}, 0, false});
  const auto found = comparer.wait();
  REQUIRE(found);
  CHECK(found->comparison.matches());
  REQUIRE(found->comparison.wrongs.size() == 1);
  CHECK(has(found->comparison.wrongs[0].findings.front().explanation, "weights is saved as [n_q, H, n_k]"));
}
