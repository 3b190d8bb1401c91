#include <algorithm>
#include <cmath>

#include "core/base/tensor/error.h"
#include "core/scenario/inputs/inputs.h"
#include "tests/matchers.h"
#include "tests/places.h"

using namespace headlight;

namespace {

Inputs of_text(const std::string& text, Tokenizer tokenizer = Tokenizer::words) {
  Scenario scenario;
  scenario.text = text;
  scenario.tokenizer = tokenizer;
  return resolve(scenario);
}

Scenario random_scenario() {
  Scenario scenario;
  scenario.source = Source::random;
  return scenario;
}

std::string failure_of(const Scenario& scenario) {
  try {
    resolve(scenario);
  } catch (const InputError& error) { return error.what(); }
  return "no error";
}

Tensor row(const Inputs& in, Index batch, Index at) { return in.query.slice(0, batch, 1).slice(1, at, 1).contiguous(); }

bool same_bits(const Tensor& a, const Tensor& b) { return std::ranges::equal(a.values(), b.values()); }

}  // namespace

TEST_CASE("equal tokens get equal vectors at every position, and other tokens get others") {
  const Inputs in = of_text("the cat sat on the mat");
  CHECK(in.query.shape() == Shape{1, 6, 16});
  CHECK(same_bits(row(in, 0, 0), row(in, 0, 4)));
  CHECK_FALSE(same_bits(row(in, 0, 0), row(in, 0, 1)));
  CHECK(same_bits(row(in, 0, 1), row(of_text("a cat"), 0, 1)));
  CHECK(in.self_attention());
  CHECK(in.query_tokens.front() == std::vector<std::string>{"the", "cat", "sat", "on", "the", "mat"});
}

TEST_CASE("lines become batch entries; shorter ones are padded, and their lengths are kept") {
  const Inputs in = of_text("a b c\n\nd\n");
  CHECK(in.dims.batch == 2);
  CHECK(in.query_tokens[1] == std::vector<std::string>{"d", "<pad>", "<pad>"});
  REQUIRE(in.valid_lens.defined());
  CHECK(in.valid_lens.at({0}) == 3);
  CHECK(in.valid_lens.at({1}) == 1);
  CHECK_FALSE(of_text("a b\nc d").valid_lens.defined());
}

TEST_CASE("character tokens are grapheme clusters, not bytes") {
  CHECK(of_text("注意力 a", Tokenizer::characters).query_tokens.front() ==
        std::vector<std::string>{"注", "意", "力", "␣", "a"});
  CHECK(of_text("e\u0301\u3000x").query_tokens.front() == std::vector<std::string>{"e\u0301", "x"});
  CHECK(of_text("e\u0301x", Tokenizer::characters).query_tokens.front() == std::vector<std::string>{"e\u0301", "x"});
  const std::string family = "\U0001F468\u200D\U0001F469\u200D\U0001F467", flag = "\U0001F1E8\U0001F1F3",
                    waves = "\U0001F44B\U0001F3FD", other_flag = "\U0001F1EB\U0001F1F7";
  CHECK(of_text(family + flag + other_flag + waves, Tokenizer::characters).query_tokens.front() ==
        std::vector<std::string>{family, flag, other_flag, waves});
  const std::string ka = "\u0915\u093E",
                    han = "\u1112\u1161\u11AB";  // a consonant with a vowel sign; a syllable of three letters
  CHECK(of_text(ka + han, Tokenizer::characters).query_tokens.front() == std::vector<std::string>{ka, han});
}

TEST_CASE("sinusoidal positions are those of Vaswani et al.") {
  Scenario scenario;
  const Tensor plain = resolve(scenario).query;
  scenario.positions = Positions::sinusoidal;
  const Tensor placed = resolve(scenario).query;
  CHECK(placed.at({0, 0, 0}) == plain.at({0, 0, 0}));
  CHECK(placed.at({0, 0, 1}) == plain.at({0, 0, 1}) + 1);
  const double angle = 3 / std::pow(10000.0, 4.0 / 16.0);
  CHECK(agrees(placed.at({0, 3, 4}) - plain.at({0, 3, 4}), static_cast<float>(std::sin(angle))));
  CHECK(agrees(placed.at({0, 3, 5}) - plain.at({0, 3, 5}), static_cast<float>(std::cos(angle))));
}

TEST_CASE("random input is self-attention while the numbers of queries and keys are equal") {
  Scenario scenario = random_scenario();
  CHECK(resolve(scenario).self_attention());
  scenario.keys = 6;
  CHECK(resolve(scenario).self_attention());
  scenario.keys = 4;
  const Inputs cross = resolve(scenario);
  CHECK_FALSE(identical(cross.query, cross.key));
  CHECK(identical(cross.key, cross.value));
  scenario.d_value = 5;
  CHECK(resolve(scenario).value.shape() == Shape{1, 4, 5});
}

TEST_CASE("weights lie within nn.Linear's bound times the gain, and reach nearly to it") {
  Scenario scenario = random_scenario();
  scenario.d_model = 64;
  scenario.d_query = 25;
  scenario.weight_gain = 2;
  const Inputs in = resolve(scenario);
  float largest = 0;
  for (const float w : in.W_q.values()) largest = std::max(largest, std::abs(w));
  CHECK(largest <= 0.4F);
  CHECK(largest > 0.39F);
}

TEST_CASE("the three projections are slices of one packed matrix") {
  Scenario scenario = random_scenario();
  scenario.packed = true;
  const Inputs in = resolve(scenario);
  CHECK(in.packed);
  CHECK(in.W_q.shape() == Shape{16, 16});
  CHECK_FALSE(same_bits(in.W_q, in.W_k));
}

TEST_CASE("tensors whose settings did not change are the same tensors") {
  const Scenario first = random_scenario();
  const Inputs before = resolve(first);
  const auto again = [&](auto change) {
    Scenario scenario = first;
    change(scenario);
    return resolve(scenario, &first, &before);
  };
  const Inputs masked = again([](Scenario& s) { s.mask = "causal()"; });
  for (const Stage stage : {Stage::query, Stage::key, Stage::value, Stage::W_q, Stage::W_o, Stage::b_v}) {
    CHECK(identical(masked.matrix(stage), before.matrix(stage)));
  }
  const Inputs longer = again([](Scenario& s) { s.queries = 9; });
  CHECK_FALSE(identical(longer.query, before.query));
  CHECK(identical(longer.W_q, before.W_q));
  const Inputs cross = again([](Scenario& s) { s.keys = 3; });
  CHECK(identical(cross.query, before.query));
  CHECK(cross.key.shape() == Shape{1, 3, 16});
  CHECK_FALSE(identical(again([](Scenario& s) { s.seed = 1; }).W_q, before.W_q));
  CHECK_FALSE(identical(again([](Scenario& s) { s.weight_gain = 2; }).b_q, before.b_q));
}

TEST_CASE("numbers do not depend on scenarios that were resolved before") {
  Scenario other = random_scenario();
  other.keys = 4;
  other.edits = {{Stage::query, 0, 1, 2, 9}};
  const Inputs last = resolve(other);
  const Scenario scenario = random_scenario();
  const Inputs after = resolve(scenario, &other, &last);
  const Inputs fresh = resolve(scenario);
  for (const Stage stage : {Stage::query, Stage::key, Stage::value, Stage::W_q, Stage::W_k, Stage::b_o}) {
    CHECK(same_bits(after.matrix(stage), fresh.matrix(stage)));
  }
  CHECK(after.self_attention());
}

TEST_CASE("a random sequence has the same numbers after another one as alone") {
  std::vector<Scenario> all(8, random_scenario());
  all[1].keys = 3;
  all[2].d_key = 24;
  all[3].d_key = all[3].d_value = 24;
  all[4].d_value = 24;
  all[5].positions = Positions::sinusoidal;
  all[6].seed = 5;
  all[7].edits = {{Stage::key, 0, 1, 2, 9}};
  for (const Scenario& one : all) {
    const Inputs last = resolve(one);
    for (const Scenario& other : all) {
      CAPTURE(&one - all.data(), &other - all.data());
      const Inputs after = resolve(other, &one, &last), fresh = resolve(other);
      for (const Stage stage : {Stage::query, Stage::key, Stage::value})
        CHECK(same_bits(after.matrix(stage), fresh.matrix(stage)));
    }
  }
}

TEST_CASE("an edit changes one number of one tensor; in self-attention query, key and value share it") {
  Scenario scenario = random_scenario();
  const Inputs before = resolve(scenario);
  Scenario edited = scenario;
  edited.edits = {{Stage::W_k, 0, 2, 3, 7}, {Stage::key, 0, 1, 0, -4}};
  const Inputs in = resolve(edited, &scenario, &before);
  CHECK(in.W_k.at({2, 3}) == 7);
  CHECK(in.W_k.at({3, 2}) == before.W_k.at({3, 2}));
  CHECK(identical(in.W_q, before.W_q));
  CHECK(in.query.at({0, 1, 0}) == -4);
  CHECK(in.self_attention());
  CHECK(in.assumptions.empty());
  const Inputs again = resolve(edited, &edited, &in);
  CHECK(identical(again.W_k, in.W_k));
  const Inputs undone = resolve(scenario, &edited, &in);
  CHECK(same_bits(undone.W_k, before.W_k));
}

TEST_CASE("an edit outside a tensor that became smaller is ignored, with a note") {
  Scenario scenario = random_scenario();
  scenario.queries = 2;
  scenario.edits = {{Stage::query, 0, 5, 0, 1}};
  const Inputs in = resolve(scenario);
  REQUIRE(in.assumptions.size() == 1);
  CHECK(in.assumptions[0].what == "edits");
}

TEST_CASE("an input given by hand is query, key and value of a random scenario, and fixes its sizes") {
  Scenario scenario = random_scenario();
  scenario.d_model = 8;
  scenario.x = GivenMatrix{Tensor::of({2, 3}, {1, 2, 3, 4, 5, 6})};
  const Inputs inputs = resolve(scenario);
  CHECK(inputs.query.shape() == Shape{1, 2, 3});
  CHECK(inputs.query.at({0, 1, 0}) == 4);
  CHECK(inputs.self_attention());
  CHECK(inputs.W_q.shape() == Shape{8, 3});
  Scenario changed = scenario;
  changed.seed = 9;
  CHECK(identical(resolve(changed, &scenario, &inputs).query, inputs.query));
  changed.queries = 5;
  CHECK(failure_of(changed).find("--queries: cannot be set to 5, since the given input x fixes it") !=
        std::string::npos);
  Scenario text;
  text.x = scenario.x;
  CHECK(failure_of(text).find("x: is given, but the text is the input") != std::string::npos);
}

TEST_CASE("a bias given by hand is added to every head's scores, and a wrong shape is refused") {
  Scenario scenario = random_scenario();
  scenario.queries = 2;
  scenario.attn_bias = GivenMatrix{Tensor::of({2, 2}, {0, -INFINITY, 1, 2})};
  CHECK_THAT(resolve(scenario).attn_bias, agrees_with(Tensor::of({1, 1, 2, 2}, {0, -INFINITY, 1, 2})));
  scenario.queries = 3;
  CHECK(failure_of(scenario).find("attn_bias: has shape [2, 2]; expected [n_q, n_k] = [3, 3]") != std::string::npos);
  scenario.attn_bias = GivenMatrix{Tensor::full({3, 3}, NAN)};
  CHECK(failure_of(scenario).find("holds NaN") != std::string::npos);
}

TEST_CASE("settings that contradict each other are refused with the name of one") {
  const auto error_with = [](auto change) {
    Scenario scenario = random_scenario();
    change(scenario);
    return failure_of(scenario);
  };
  CHECK(error_with([](Scenario& s) { s.heads = 3; }) ==
        "--heads: 3 does not divide d_model 16; expected one of 1, 2, 4, 8 or 16");
  CHECK(error_with([](Scenario& s) { s.kv_heads = 3; }) ==
        "--kv-heads: 3 does not divide heads 4; expected one of 1, 2 or 4");
  CHECK(error_with([](Scenario& s) { s.queries = 0; }).starts_with("--queries: 0 is out of range"));
  CHECK(error_with([](Scenario& s) { s.dropout = 1.5F; }).starts_with("--dropout: 1.5 is out of range"));
  CHECK(error_with([](Scenario& s) { s.fill = NAN; }).starts_with("--fill: nan"));
  CHECK(error_with([](Scenario& s) { s.softcap = 0.0F; }).starts_with("--softcap: 0"));
  CHECK(error_with([](Scenario& s) { s.d_model = 1 << 20; }).find("are free") != std::string::npos);
  CHECK(error_with([](Scenario& s) { s.valid_lens = {{3}, {2}}; }).starts_with("--valid-lens: has 2 entries"));
  CHECK(error_with([](Scenario& s) {
          s.d_model = 6;
          s.heads = 2;
          s.rope = Rope::half;
        }).starts_with("--rope"));
  Scenario text;
  text.text = " \n\t";
  CHECK(failure_of(text).starts_with("--text: holds no token"));
}

TEST_CASE("resolving a scenario of any source stops when asked to") {
  std::stop_source stop;
  stop.request_stop();
  Scenario random;
  random.source = Source::random;
  random.queries = 4096;
  random.d_model = 512;  // large enough that all threads draw its numbers
  CHECK_THROWS_AS(resolve(random, nullptr, nullptr, stop.get_token()), Cancelled);
  Scenario file;
  file.source = Source::file;
  file.file = places::fixtures() + "/alibi_causal.input.npz";
  REQUIRE_NOTHROW(resolve(file));
  CHECK_THROWS_AS(resolve(file, nullptr, nullptr, stop.get_token()), Cancelled);
}
