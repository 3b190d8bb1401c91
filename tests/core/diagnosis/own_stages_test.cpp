#include "core/teaching/diagnosis/own_stages.h"

#include "core/base/tensor/error.h"
#include "core/compute/attention/projection.h"
#include "tests/core/diagnosis/own.h"
#include "tests/matchers.h"

using namespace headlight;

namespace {

/// A run of 6 tokens, d_model 16 and 4 heads.
std::shared_ptr<const Trace> run_of(Index batch, Index kv_heads = 4) {
  Scenario scenario;
  scenario.source = Source::random;
  scenario.batch_size = batch;
  scenario.queries = 6;
  scenario.d_model = 16;
  scenario.heads = 4;
  scenario.kv_heads = kv_heads;
  scenario.mask = "causal()";
  return compute(scenario);
}

/// Checks that a stage saved in this layout is read as the stage of the run.
void check_read(const Trace& trace, Stage stage, const Tensor& saved) {
  CAPTURE(name(stage), to_string(saved.shape()));
  const OwnStages own = own_stages(trace, {{std::string(name(stage)), saved, stage == Stage::mask}});
  REQUIRE(own.stages.size() == 1);
  CHECK(own.stages[0].fits);
  CHECK(own.stages[0].stored == saved.shape());
  CHECK(all_agree(own.stages[0].values, with_heads_of(own.stages[0].values, trace[stage])));
}

}  // namespace

TEST_CASE("the axis of a batch of one, or of a single head, may be missing") {
  const auto one = run_of(1);
  check_read(*one, Stage::weights, (*one)[Stage::weights].view({4, 6, 6}));
  check_read(*one, Stage::output, (*one)[Stage::output].view({6, 16}));
  check_read(*one, Stage::output, (*one)[Stage::output].view({1, 1, 6, 16}));
}

TEST_CASE("batch and heads may be one axis, and the sequence may come first") {
  const auto two = run_of(2);
  check_read(*two, Stage::weights, (*two)[Stage::weights].view({8, 6, 6}));
  check_read(*two, Stage::Q_heads, (*two)[Stage::Q_heads].view({8, 6, 4}));
  check_read(*two, Stage::output, (*two)[Stage::output].transpose(0, 1).contiguous());
}

TEST_CASE("key and value heads may be repeated for each query head") {
  const auto grouped = run_of(2, 2);
  const Tensor keys = (*grouped)[Stage::K_heads].contiguous();
  const Tensor repeated = with_heads_of(Tensor::full({2, 4, 6, 4}, 0), keys);
  CHECK(repeated.at({1, 1, 3, 2}) == keys.at({1, 0, 3, 2}));
  CHECK(repeated.at({1, 2, 3, 2}) == keys.at({1, 1, 3, 2}));
  check_read(*grouped, Stage::K_heads, repeated);
}

TEST_CASE("a mask may be broadcast or additive") {
  const auto two = run_of(2);
  const Tensor mask = (*two)[Stage::mask].slice(0, 0, 1).slice(1, 0, 1).view({6, 6});
  check_read(*two, Stage::mask, mask);
  const Tensor additive = each(mask, [](float v) { return v != 0 ? 0.0F : -INFINITY; });
  const OwnStages own = own_stages(*two, {{"mask", additive}});
  CHECK(own.stages[0].fits);
  CHECK(all_agree(own.stages[0].values, (*two)[Stage::mask]));
  CHECK_FALSE(own_stages(*two, {{"mask", Tensor::full({6, 6}, 0.5F)}}).stages[0].fits);
}

TEST_CASE("a shape that cannot be the stage's is refused with the expected one") {
  const auto two = run_of(2);
  const OwnStages own = own_stages(*two, {{"Q_heads", (*two)[Stage::Q_heads].transpose(1, 2).contiguous()}});
  CHECK_FALSE(own.stages[0].fits);
  CHECK(translated_error(own.stages[0].reading) ==
        "is [2, 6, 4, 4]; expected [2, 4, 6, 4] (is .transpose(1, 2) missing?)");
}

TEST_CASE("a file that holds none of the stages lists them") {
  const auto two = run_of(2);
  try {
    own_stages(*two, {{"attention", Tensor::full({2}, 0)}});
    FAIL("it was read");
  } catch (const FileError& error) {
    const std::string sentence = error.sentence().english();
    CHECK(sentence.find("holds no array that is named as a stage (it holds \"attention\")") != std::string::npos);
    for (const Stage stage : all_stages()) CHECK(sentence.find(name(stage)) != std::string::npos);
  }
}

TEST_CASE("a file of parameters given in place of own stages is recognised as two exchanged files") {
  const auto two = run_of(2);
  for (const char* name : {"W_q", "layers.0.self_attn.q_proj.weight"}) {
    try {
      own_stages(*two, {{name, Tensor::full({4, 4}, 0)}});
      FAIL("it was read");
    } catch (const FileError& error) {
      CHECK(error.sentence().english().find("the file with the weights comes first") != std::string::npos);
    }
  }
}

TEST_CASE("a stage that the run leaves out is compared with the stage that stands for it") {
  const auto two = run_of(2);
  const OwnStages own =
      own_stages(*two, {{"dropped_weights", (*two)[Stage::weights]}, {"Q_rotated", (*two)[Stage::Q_heads]}});
  const Comparison comparison = compared(two, own);
  CHECK(comparison.matches());
  CHECK(comparison.stages.size() == two->stages().size() + 2);
}

TEST_CASE("for arrays with unknown names the error suggests stages of the same shape") {
  const auto run = run_of(1);
  const OwnStages own = own_stages(
      *run, {{"attn", (*run)[Stage::weights]}, {"context", (*run)[Stage::concat]}, {"output", (*run)[Stage::output]}});
  REQUIRE(own.others.size() == 2);
  CHECK(own.others[0].meant == Stage::weights);
  CHECK(own.others[1].meant == Stage::concat);
  try {
    own_stages(*run, {{"attn", (*run)[Stage::weights]}});
    FAIL("no stage is named, and nothing was said");
  } catch (const FileError& error) {
    CHECK(std::string(error.what()).find("did you mean weights for \"attn\"?") != std::string::npos);
  }
}
