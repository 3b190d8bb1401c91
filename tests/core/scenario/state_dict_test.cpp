// Names, layouts and polarities in files: a file of each kind is written and resolved.
#include <algorithm>
#include <limits>

#include "core/compute/run/pipeline.h"
#include "core/scenario/inputs/tensor_file.h"
#include "tests/core/scenario/sample_file.h"
#include "tests/matchers.h"

using namespace headlight;
using namespace headlight::sample_files;

namespace {

Sample cross_sample() {
  Sample sample;
  sample.linears("q_proj", "k_proj", "v_proj", "out_proj").heads().cross_inputs();
  return sample;
}

/// q, k and v stacked along the first axis.
Tensor stacked(const std::string& letter, const Shape& shape) {
  Buffer values;
  for (const char* part : {"q", "k", "v"}) {
    const Tensor tensor = drawn(letter + part, shape);
    values.insert(values.end(), tensor.values().begin(), tensor.values().end());
  }
  Shape whole = shape;
  whole[0] *= 3;
  return Tensor(whole, values);
}

void check_parameters(const Inputs& in, bool output = true) {
  CHECK_THAT(in.W_q, agrees_with(drawn("W_q", {d, d})));
  CHECK_THAT(in.W_k, agrees_with(drawn("W_k", {d, d})));
  CHECK_THAT(in.W_v, agrees_with(drawn("W_v", {d, d})));
  CHECK_THAT(in.b_q, agrees_with(drawn("b_q", {d})));
  CHECK_THAT(in.b_k, agrees_with(drawn("b_k", {d})));
  CHECK_THAT(in.b_v, agrees_with(drawn("b_v", {d})));
  REQUIRE(in.W_o.defined() == output);
  if (output) CHECK_THAT(in.W_o, agrees_with(drawn("W_o", {d, d})));
  if (output) CHECK_THAT(in.b_o, agrees_with(drawn("b_o", {d})));
  CHECK(in.dims.heads == H);
}

}  // namespace

TEST_CASE("separate projections are found under every naming scheme, with and without a prefix") {
  struct Scheme {
    const char *q, *k, *v, *o;
  };
  for (const Scheme& s : {Scheme{"q_proj", "k_proj", "v_proj", "o_proj"},
                          {"q_proj", "k_proj", "v_proj", "out_proj"},
                          {"w_q", "w_k", "w_v", "w_o"},
                          {"W_q", "W_k", "W_v", "W_o"},
                          {"linear_q", "linear_k", "linear_v", "linear"},
                          {"query", "key", "value", "output"},
                          {"query", "key", "value", "out_proj"},
                          {"query", "key", "value", ""},
                          {"self.query", "self.key", "self.value", "output.dense"}}) {
    for (const std::string prefix : {"", "encoder.layer.3.attention."}) {
      CAPTURE(s.q, s.o, prefix);
      Sample sample;
      const std::string o = *s.o ? prefix + s.o : "";
      sample.linears(prefix + s.q, prefix + s.k, prefix + s.v, o).heads().self_input();
      check_parameters(sample.resolved(), *s.o != 0);
    }
  }
}

TEST_CASE("packed projections are cut into query, key and value") {
  struct Scheme {
    const char *weight, *bias, *output;
  };
  for (const Scheme& s : {Scheme{"in_proj_weight", "in_proj_bias", "out_proj"},
                          {"qkv.weight", "qkv.bias", "proj"},
                          {"proj.weight", "proj.bias", ""},
                          {"attn.qkv.weight", "attn.qkv.bias", "attn.proj"}}) {
    CAPTURE(s.weight);
    Sample sample;
    sample.add(s.weight, stacked("W_", {d, d})).add(s.bias, stacked("b_", {d})).heads().self_input();
    if (*s.output) sample.linear(s.output, "o");
    const Inputs in = sample.resolved();
    check_parameters(in, *s.output != 0);
    CHECK(in.packed);
  }
}

TEST_CASE("GPT-2's Conv1D is stored as [in, out], nanoGPT's Linear of the same name as [out, in]") {
  for (const bool conv1d : {true, false}) {
    CAPTURE(conv1d);
    const auto stored = [&](const Tensor& weight) { return conv1d ? weight.transpose(0, 1).contiguous() : weight; };
    Sample sample;
    sample.add("h.0.attn.c_attn.weight", stored(stacked("W_", {d, d}))).add("h.0.attn.c_attn.bias", stacked("b_", {d}));
    sample.add("h.0.attn.c_proj.weight", stored(drawn("W_o", {d, d}))).add("h.0.attn.c_proj.bias", drawn("b_o", {d}));
    sample.number("n_head", H).self_input();
    check_parameters(sample.resolved());
  }
}

TEST_CASE("a packed matrix of keys and values holds all keys, then all values") {
  const auto both = [](const Tensor& one, const Tensor& other) { return joined(std::vector<Tensor>{one, other}); };
  const Tensor W_kv = both(drawn("W_k", {d, d}), drawn("W_v", {d, d})),
               b_kv = both(drawn("b_k", {d}), drawn("b_v", {d}));
  const std::tuple<const char*, const char*, const char*> schemes[] = {
      {"q", "kv", "proj"}, {"to_q", "to_kv", "to_out.0"}, {"q_proj", "kv_proj", "out_proj"}};
  for (const auto& [q, kv, o] : schemes) {
    for (const std::string prefix : {"", "blocks.3.cross_attn."}) {
      CAPTURE(q, prefix);
      Sample sample;
      sample.linear(prefix + q, "q").linear(prefix + o, "o").heads().cross_inputs();
      sample.add(prefix + kv + ".weight", W_kv).add(prefix + kv + ".bias", b_kv);
      check_parameters(sample.resolved());
    }
  }
  // GPT-2's cross-attention uses Conv1D.
  const auto turned = [](const Tensor& weight) { return weight.transpose(0, 1).contiguous(); };
  Sample gpt2;
  gpt2.add("q_attn.weight", turned(drawn("W_q", {d, d}))).add("q_attn.bias", drawn("b_q", {d}));
  gpt2.add("c_attn.weight", turned(W_kv)).add("c_attn.bias", b_kv);
  gpt2.add("c_proj.weight", turned(drawn("W_o", {d, d}))).add("c_proj.bias", drawn("b_o", {d}));
  check_parameters(gpt2.heads().cross_inputs().resolved());
}

TEST_CASE("nn.MultiheadAttention with kdim keeps its weights apart and its biases packed") {
  Sample sample;
  for (const std::string letter : {"q", "k", "v"}) sample.add(letter + "_proj_weight", drawn("W_" + letter, {d, d}));
  sample.add("in_proj_bias", stacked("b_", {d})).linear("out_proj", "o").heads().self_input();
  check_parameters(sample.resolved());
}

TEST_CASE("a file of several attentions needs a layer, given by any prefix that only one has") {
  Sample sample;
  for (const std::string prefix : {"decoder.0.self_attn.", "decoder.0.cross_attn.", "decoder.1.self_attn."}) {
    sample.linears(prefix + "q_proj", prefix + "k_proj", prefix + "v_proj", "");
  }
  sample.heads().self_input();
  CHECK(contains(sample.error(),
                 "holds 3 attention layers; expected --layer with one of \"decoder.0.self_attn\", "
                 "\"decoder.0.cross_attn\", \"decoder.1.self_attn\""));
  Scenario scenario;
  for (const char* layer : {"decoder.1", "decoder.1.self_attn", "decoder.1.self_attn."}) {
    scenario.layer = layer;
    CHECK(sample.error(scenario) == "no error");
  }
  scenario.layer = "decoder.0";
  CHECK(contains(sample.error(scenario), "holds 2 attention layers"));
  scenario.layer = "decoder.7";
  CHECK(contains(sample.error(scenario), "has no attention layer \"decoder.7\""));
}

TEST_CASE("key and value heads come from a number or from the rows of W_k") {
  for (const bool told : {true, false}) {
    Sample sample;
    sample.add("q_proj.weight", drawn("W_q", {d, d})).add("k_proj.weight", drawn("W_k", {4, d}));
    sample.add("v_proj.weight", drawn("W_v", {4, d})).heads().self_input();
    if (told) sample.number("num_kv_heads", 2);
    const Inputs in = sample.resolved();
    CHECK(in.dims.kv_heads == 2);
    CHECK(in.dims.d_head == 2);
  }
}

TEST_CASE("the width of a head gives the number of heads if nothing else does") {
  Sample sample;
  sample.linears("q_proj", "k_proj", "v_proj", "out_proj").number("head_dim", d / H).self_input();
  const Inputs in = sample.resolved();
  check_parameters(in);
  CHECK(is_said(in, "heads", "4, as head_dim is 2 and d_model 8"));
}

TEST_CASE("a note says that a number of key/value heads does not fit the rows of a packed matrix") {
  Sample sample;
  sample.add("in_proj_weight", stacked("W_", {d, d})).add("in_proj_bias", stacked("b_", {d})).linear("out_proj", "o");
  const Inputs in = sample.heads().number("num_kv_heads", 2).self_input().resolved();
  check_parameters(in);
  CHECK(is_said(in, "key/value heads", "4, from the rows of in_proj_weight, where num_kv_heads says 2"));
}

TEST_CASE("if W_q is square, the widths of W_k show whether weights are [out, in] or [in, out]") {
  Sample sample;
  const Tensor W_q = drawn("W_q", {d, d}), W_k = drawn("W_k", {2 * d, d}), W_v = drawn("W_v", {2 * d, d});
  sample.add("W_q", W_q).add("W_k", W_k).add("W_v", W_v).heads();
  sample.add("query", drawn("query", {B, n_q, d})).add("key", drawn("key", {B, n_k, 2 * d}));
  const Inputs in = sample.resolved();
  CHECK_THAT(in.W_q, agrees_with(W_q.transpose(0, 1).contiguous()));
  CHECK_THAT(in.W_k, agrees_with(W_k.transpose(0, 1).contiguous()));
  CHECK(is_said(in, "projections", "stored [in, out], as the width of the keys or values tells"));
}

TEST_CASE("a text setting is read as a number or as yes or no; other texts are named") {
  const samples::TempFolder folder;
  const auto with = [&](const std::string& metadata) {
    // the file has x and three projections of one channel
    const std::string header =
        R"({"x":{"dtype":"F32","shape":[1,1,1],"data_offsets":[0,4]},)"
        R"("in_proj_weight":{"dtype":"F32","shape":[3,1],"data_offsets":[4,16]},"__metadata__":{)" +
        metadata + "}}";
    samples::write_text(folder / "a.safetensors", samples::safetensors(header, samples::ones(4)));
    Scenario scenario;
    scenario.source = Source::file;
    scenario.file = (folder / "a.safetensors").string();
    return resolve(scenario);
  };
  CHECK(is_said(with(R"("batch_first":"no")"), "inputs", "[n, B, d], batch_first being false"));
  CHECK(is_said(with(R"("mask_type":"causal")"), "numbers not taken", "mask_type"));
  CHECK(is_said(with(R"("batch_first":"perhaps")"), "numbers not taken", "batch_first"));
  CHECK_FALSE(is_said(with(R"("format":"pt")"), "numbers not taken", "format"));
}

TEST_CASE("a file has one input for all or three, and a missing value is the key") {
  CHECK(Sample().linears("q_proj", "k_proj", "v_proj", "").heads().self_input().resolved().self_attention());
  const Inputs cross = cross_sample().resolved();
  CHECK_FALSE(cross.self_attention());
  CHECK(cross.dims.n_q == n_q);
  CHECK(cross.dims.n_k == n_k);
  Sample two;
  two.linears("query", "key", "value", "")
      .heads()
      .add("queries", drawn("a", {B, n_q, d}))
      .add("keys", drawn("b", {B, n_k, d}));
  const Inputs in = two.resolved();
  CHECK(identical(in.value, in.key));
  const Inputs single = Sample().linears("w_q", "w_k", "w_v", "").heads().add("x", drawn("x", {n_q, d})).resolved();
  CHECK(single.query.shape() == Shape{1, n_q, d});
}

TEST_CASE("a file without inputs gets random ones of the right width, with a note") {
  Scenario scenario;
  scenario.queries = 9;
  const Inputs in = Sample().linears("w_q", "w_k", "w_v", "").heads().resolved(scenario);
  CHECK(in.query.shape() == Shape{1, 9, d});
  CHECK(contains(in.assumptions.back().taken_for.english(), "random"));
}

TEST_CASE("the shape of a mask says to which of batch, heads, queries and keys its axes belong") {
  struct Case {
    const char* name;
    Shape shape;
    Shape placed;
  };
  for (const Case& c : {Case{"mask", {n_q, n_k}, {1, 1, n_q, n_k}},
                        {"mask", {B, n_k}, {B, 1, 1, n_k}},
                        {"mask", {B, n_q, n_k}, {B, 1, n_q, n_k}},
                        {"mask", {B, 1, n_k}, {B, 1, 1, n_k}},
                        {"mask", {H, n_q, n_k}, {1, H, n_q, n_k}},
                        {"mask", {B, 1, 1, n_k}, {B, 1, 1, n_k}},
                        {"mask", {B, H, n_q, n_k}, {B, H, n_q, n_k}},
                        {"att_mask", {B, n_k}, {B, 1, 1, n_k}},
                        {"attention_mask", {B, n_k}, {B, 1, 1, n_k}},
                        {"attn_mask", {B * H, n_q, n_k}, {B, H, n_q, n_k}},
                        {"attn_mask", {n_q, n_k}, {1, 1, n_q, n_k}},
                        {"key_padding_mask", {B, n_k}, {B, 1, 1, n_k}}}) {
    CAPTURE(c.name, c.shape);
    Sample sample = cross_sample();
    sample.add(c.name, Tensor::full(c.shape, 1), true);
    const Inputs in = sample.resolved();
    REQUIRE(in.file_mask.defined());
    CHECK(in.file_mask.shape() == c.placed);
  }
}

TEST_CASE("whether true means may attend follows from the mask's name or the scenario") {
  const Tensor keys = Tensor::of({B, n_k}, {1, 1, 0, 0, 0, 1, 1, 1, 1, 0});
  Scenario ignore, attend;
  ignore.mask_polarity = MaskPolarity::ignore;
  attend.mask_polarity = MaskPolarity::attend;
  Sample plain = cross_sample();
  plain.add("mask", keys, true);
  Sample padding = cross_sample();
  padding.add("key_padding_mask", keys, true);
  CHECK(plain.resolved().file_mask.at({0, 0, 0, 0}) == 1);
  CHECK(plain.resolved(ignore).file_mask.at({0, 0, 0, 0}) == 0);
  CHECK(padding.resolved().file_mask.at({0, 0, 0, 0}) == 0);
  CHECK(padding.resolved().file_mask.at({0, 0, 0, 4}) == 1);
  CHECK(padding.resolved(attend).file_mask.at({0, 0, 0, 0}) == 1);
}

TEST_CASE(
    "in a boolean attn_mask true hides beside in_proj_weight or out_proj, attends beside bare q, k and v, else it is "
    "asked") {
  const Tensor causal = Tensor::of({n_q, n_q}, {1, 0, 0, 1, 1, 0, 1, 1, 1});
  const auto mask_beside = [&](Sample sample, const Scenario& scenario = {}) {
    return sample.add("attn_mask", causal, true).resolved(scenario).file_mask;
  };
  Sample packed, bare, other;
  packed.add("in_proj_weight", drawn("W", {3 * d, d})).heads().self_input();
  for (const char* name : {"q", "k", "v"}) bare.add(name, drawn(name, {B, H, n_q, 2}));
  other.linears("q_proj", "k_proj", "v_proj", "o_proj").heads().self_input();
  CHECK(mask_beside(packed).at({0, 0, 0, 0}) == 0);
  CHECK(mask_beside(bare).at({0, 0, 0, 0}) == 1);
  Sample asked = other;
  CHECK(contains(asked.add("attn_mask", causal, true).error(), "expected --mask-polarity attend or ignore"));
  Scenario attend;
  attend.mask_polarity = MaskPolarity::attend;
  CHECK(mask_beside(other, attend).at({0, 0, 0, 0}) == 1);
  CHECK(mask_beside(packed, attend).at({0, 0, 0, 0}) == 1);
}

TEST_CASE("an attn_mask of three axes is by head beside separate heads, as it is broadcast from the last axis") {
  const Tensor heads = drawn("q", {2, 2, n_q, d}), by_head = Tensor::of({2, 1, n_q}, {1, 1, 0, 1, 1, 1});
  for (const auto& names : {std::array{"q", "k", "v"}, std::array{"query", "key", "value"}}) {
    Sample sample;
    for (const char* name : names) sample.add(name, heads);
    const Inputs inputs = sample.add("attn_mask", by_head, true).resolved();
    CHECK_THAT(inputs.file_mask, agrees_with(by_head.view({1, 2, 1, n_q})));
  }
}

TEST_CASE("masks that fit [n, B, d] alone say that nn.MultiheadAttention's inputs are stored so") {
  for (const bool padding : {false, true}) {
    Sample sample;
    sample.add("in_proj_weight", drawn("W", {3 * d, d})).linear("out_proj", "o").heads();
    sample.add("x", drawn("x", {5, 2, d}));
    if (padding) sample.add("key_padding_mask", Tensor::full({2, 5}, 0), true);
    else sample.add("attn_mask", Tensor::full({5, 5}, 0), true);
    CHECK(sample.resolved().query.shape() == Shape{2, 5, d});
  }
}

TEST_CASE("queries and keys of different lengths that fit [n, B, d] alone say so for nn.MultiheadAttention") {
  const auto with = [](const Shape& query, const Shape& key) {
    Sample sample;
    sample.add("in_proj_weight", drawn("W", {3 * d, d})).linear("out_proj", "o").heads();
    return sample.add("query", drawn("q", query)).add("key", drawn("k", key)).add("value", drawn("v", key));
  };
  const Inputs in = with({3, 2, d}, {5, 2, d}).resolved();
  CHECK(in.query.shape() == Shape{2, 3, d});
  CHECK(in.key.shape() == Shape{2, 5, d});
  CHECK(in.query.at({1, 2, 0}) == drawn("q", {3, 2, d}).at({2, 1, 0}));
  CHECK(is_said(in, "inputs", "there being no batch_first and the lengths fitting it"));
  CHECK(with({1, 3, d}, {5, 3, d}).resolved().query.shape() == Shape{5, 3, d});  // stored once, for each entry
  CHECK(with({2, 3, d}, {2, 5, d}).resolved().key.shape() == Shape{2, 5, d});
  CHECK(contains(with({3, 2, d}, {5, 4, d}).error(), "expected batch 3"));
  Sample flagged = with({3, 2, d}, {5, 2, d});
  CHECK(contains(flagged.number("batch_first", 1).error(), "expected batch 3"));
}

TEST_CASE("masks are added as in PyTorch where one fill would give other weights in a row without keys") {
  const auto weights_of = [](const Tensor& attn_mask, const Tensor& padding) {
    Sample sample;
    sample.add("in_proj_weight", drawn("W", {3 * d, d})).linear("out_proj", "o").heads();
    sample.add("x", drawn("x", {1, 2, d})).add("attn_mask", attn_mask);
    if (padding.defined()) sample.add("key_padding_mask", padding, true);
    return (*compute({}, sample.resolved()))[Stage::weights];
  };
  const Tensor mixed = weights_of(Tensor::of({2, 2}, {0, -1e9F, 0, 0}), Tensor::of({1, 2}, {1, 0}));
  for (Index h = 0; h < H; ++h) {  // row 0 has -inf and -1e9
    CHECK(mixed.matrix(0, h)(0, 0) == 0);
    CHECK(mixed.matrix(0, h)(0, 1) == 1);
  }
  const Tensor small = weights_of(Tensor::full({2, 2}, -1e4F), {}), none = weights_of(Tensor::full({2, 2}, 0), {});
  for (Index h = 0; h < H; ++h) CHECK(std::abs(small.matrix(0, h)(0, 0) - none.matrix(0, h)(0, 0)) < 1e-3F);
}

TEST_CASE("a key must be allowed by both masks of a file") {
  Sample sample = cross_sample();
  sample.add("key_padding_mask", Tensor::of({B, n_k}, {0, 0, 0, 0, 1, 0, 0, 0, 0, 0}), true);
  sample.add("attn_mask", Tensor::of({1, n_k}, {1, 0, 0, 0, 0}), true);
  const Tensor mask = sample.resolved().file_mask;
  CHECK(mask.shape() == Shape{B, 1, 1, n_k});
  CHECK(mask.at({0, 0, 0, 0}) == 0);
  CHECK(mask.at({0, 0, 0, 4}) == 0);
  CHECK(mask.at({1, 0, 0, 4}) == 1);
}

TEST_CASE("floating numbers are a boolean mask or an additive one, by name and by value") {
  const Tensor zeros_and_ones = Tensor::of({1, n_k}, {1, 1, 1, 1, 0});
  const Tensor large = Tensor::of({1, n_k}, {0, 0, 0, 0, -10000});
  const Tensor infinite = Tensor::of({1, n_k}, {0, 0, 0, 0, -inf});
  const auto with = [&](const char* name, const Tensor& tensor) {
    Sample sample = cross_sample();
    sample.add(name, tensor);
    return sample.resolved();
  };
  CHECK(with("mask", zeros_and_ones).file_mask.defined());
  CHECK(with("attention_mask", zeros_and_ones).file_mask.defined());
  CHECK_FALSE(with("mask", zeros_and_ones).attn_bias.defined());
  for (const char* name : {"attn_mask", "attention_mask", "mask"}) {
    for (const Tensor& tensor : {large, infinite}) {
      const Inputs in = with(name, tensor);
      CHECK_FALSE(in.attn_bias.defined());
      REQUIRE(in.file_mask.defined());
      CHECK(in.file_mask.at({0, 0, 0, 3}) == 1);
      CHECK(in.file_mask.at({0, 0, 0, 4}) == 0);
      CHECK(in.fill == tensor.at({0, 4}));
    }
  }
  CHECK(with("attn_mask", zeros_and_ones).attn_bias.defined());
  CHECK(with("attention_mask", Tensor::full({B, 1, 1, n_k}, 0)).file_mask.at({0, 0, 0, 0}) == 1);
  CHECK(with("attn_bias", large).file_mask.defined());
  CHECK(with("attn_bias", Tensor::of({1, n_k}, {0, 0, 0, 0, -5000})).attn_bias.defined());
  CHECK(with("attn_bias", drawn("bias", {H, n_q, n_k})).attn_bias.shape() == Shape{1, H, n_q, n_k});
}

TEST_CASE("mask_fill is the fill, unless the scenario sets one") {
  Sample sample = cross_sample();
  sample.add("mask", Tensor::full({n_q, n_k}, 1), true).number("mask_fill", -1e6F);
  CHECK(sample.resolved().fill == -1e6F);
}

TEST_CASE("an array that does not fit is named with its shape and the expected one") {
  const auto with = [&](const char* name, const Tensor& tensor, bool boolean = false) {
    Sample sample = cross_sample();
    sample.add(name, tensor, boolean);
    return sample.error();
  };
  CHECK(
      contains(with("mask", Tensor::full({4, 5}, 1), true), "\"mask\" has shape [4, 5]; expected [n_q, n_k] = [3, 5]"));
  CHECK(contains(with("mask", Tensor::full({n_q, n_k}, 2)), "\"mask\" holds 2; expected 0 and 1"));
  CHECK(contains(with("valid_lens", Tensor::full({3}, 1)), "\"valid_lens\" has shape [3]; expected [B] = [2]"));
  CHECK(contains(with("key_padding_mask", Tensor::full({B, n_q}, 1), true), "expected [B, n_k] = [2, 5]"));

  Sample no_heads;
  no_heads.linears("w_q", "w_k", "w_v", "").self_input();
  CHECK(contains(no_heads.error(), "has no num_heads; expected --heads N, N one of 1, 2, 4 or 8"));
  Sample odd_heads;
  odd_heads.linears("w_q", "w_k", "w_v", "").number("num_heads", 3).self_input();
  CHECK(
      contains(odd_heads.error(), "\"num_heads\" is 3, which does not divide d_model 8; expected one of 1, 2, 4 or 8"));
  Sample wide;
  wide.linears("w_q", "w_k", "w_v", "").heads().add("x", drawn("x", {B, n_q, 9}));
  CHECK(contains(wide.error(), "\"x\" has shape [2, 3, 9]; expected [B, n, 8], the width of \"w_q.weight\" [8, 8]"));
  Sample half;
  half.linear("q_proj", "q").linear("k_proj", "k").heads().self_input();
  CHECK(contains(half.error(), "has \"q_proj.weight\" but no \"v_proj.weight\""));
  Sample batches;
  batches.linears("w_q", "w_k", "w_v", "")
      .heads()
      .add("query", drawn("x", {B, n_q, d}))
      .add("key", drawn("y", {3, n_k, d}));
  CHECK(contains(batches.error(), "\"key\" has shape [3, 5, 8]; expected batch 2, as in \"query\""));
  CHECK(contains(Sample().self_input().error(), "holds no attention weights (found \"x\")"));
  Sample packed;  // the shape that the file has, not that of a third
  packed.add("in_proj_weight", drawn("W", {3 * d, d})).linear("out_proj", "o").heads();
  packed.add("x", drawn("x", {B, n_q, d + 1}));
  CHECK(contains(packed.error(), "expected [B, n, 8], the width of \"in_proj_weight\" [24, 8]"));
}

TEST_CASE("a setting that the file fixes is refused, another number of heads is not") {
  Scenario scenario;
  scenario.d_model = 16;
  CHECK(contains(cross_sample().error(scenario), "--d-model: cannot be set to 16, since the file's weights fix it"));
  scenario = {};
  scenario.queries = 4;
  CHECK(contains(cross_sample().error(scenario), "--queries"));
  scenario = {};
  scenario.heads = 2;
  CHECK(cross_sample().resolved(scenario).dims.d_head == 4);
  scenario.heads = 3;
  CHECK(contains(cross_sample().error(scenario), "--heads 3 does not divide its d_model 8"));
}

TEST_CASE("the layout of a file's weights and of its input can be set by hand, with a note") {
  Scenario scenario;
  scenario.weight_order = WeightOrder::in_out;
  scenario.x = GivenMatrix{Tensor::full({4, d}, 2)};
  const Inputs inputs = Sample().linears("q_proj", "k_proj", "v_proj", "").heads().self_input().resolved(scenario);
  CHECK(inputs.W_q.at({5, 3}) == drawn("W_q", {d, d}).at({3, 5}));
  CHECK(inputs.query.shape() == Shape{1, 4, d});
  const auto says = [&](const std::string& what, const std::string& part) {
    return std::ranges::any_of(inputs.assumptions, [&](const Assumption& a) {
      return a.what == what && a.taken_for.english().find(part) != std::string::npos;
    });
  };
  CHECK(says("projections", "stored [in, out] as Conv1D does, as set"));
  CHECK(says("inputs", "given by hand, [1, 4, 8]"));
  scenario.x = GivenMatrix{Tensor::full({4, 3}, 2)};
  CHECK(Sample()
            .linears("q_proj", "k_proj", "v_proj", "")
            .heads()
            .error(scenario)
            .find("x: has shape [4, 3]; expected rows of 8 numbers, the width of") != std::string::npos);
}

TEST_CASE("an array with an unknown name is reported as unused") {
  Sample sample = cross_sample();
  sample.add("my_mask", Tensor::full({n_q, n_k}, 1), true);
  const Inputs in = sample.resolved();
  CHECK(in.assumptions.back() == Assumption{"not used", "\"my_mask\""});
}

TEST_CASE("a floating attn_mask is added to the scores and not also read as a causal mask") {
  Sample sample;
  sample.add("in_proj_weight", drawn("W", {3 * d, d})).add("out_proj.weight", drawn("W_o", {d, d}));
  sample.heads().self_input();
  sample.add("attn_mask", Tensor::of({n_q, n_q}, {0, 1, 1, 0, 0, 1, 0, 0, 0}));
  const Inputs in = sample.resolved();
  CHECK(in.attn_bias.defined());
  CHECK_FALSE(in.has_file_mask());
}

TEST_CASE("settings and masks in a dictionary of their own are read as those beside the weights") {
  Sample sample = cross_sample();
  sample.number("config.scale", 0.5F).number("kwargs.is_causal", 1);
  sample.number("config.hidden_size", 4 * d);  // this setting belongs to another module
  sample.add("masks.key_padding_mask", Tensor::of({B, n_k}, {0, 0, 0, 0, 1, 0, 0, 0, 0, 1}), true);
  const Inputs inputs = sample.resolved();
  CHECK(inputs.rules.scale == 0.5F);
  CHECK(inputs.file_rule == parse_mask("causal()"));
  CHECK(inputs.file_mask.defined());
}

TEST_CASE("is_causal is a rule for every length") {
  Sample sample;
  sample.linears("q_proj", "k_proj", "v_proj", "o_proj").heads().self_input();
  sample.number("is_causal", 1);
  const Inputs in = sample.resolved();
  CHECK_FALSE(in.file_mask.defined());
  CHECK(in.file_rule == parse_mask("causal()"));
  const auto trace = compute({}, in, nullptr, {});
  for (Index q = 0; q < n_q; ++q) {
    for (Index k = 0; k < n_q; ++k) CHECK((*trace)[Stage::mask].at({1, 2, q, k}) == (k <= q ? 1 : 0));
  }
}

TEST_CASE("--doc-ids replaces the file's documents, with a note") {
  Sample sample;
  sample.linears("q_proj", "k_proj", "v_proj", "o_proj").heads().self_input();
  sample.add("document_ids", Tensor::of({n_q}, {0, 0, 1}));
  Scenario scenario;
  scenario.doc_ids = {{5}, {6}, {6}};
  const Inputs in = sample.resolved(scenario);
  CHECK(in.doc_ids.at({0, 1}) == 6);
  CHECK(std::ranges::any_of(in.assumptions, [](const Assumption& assumption) {
    return assumption.taken_for == "--doc-ids in place of the file's documents";
  }));
}

TEST_CASE("results that depend on the lengths of a text are cached for the last lengths only") {
  const samples::TempFolder folder;
  write_npz(folder / "a.npz", std::array{NamedArray{"x", Tensor::full({1}, 0)}});
  const TensorFile file((folder / "a.npz").string());
  int made = 0;
  const auto make = [&] {
    ++made;
    return Tensor::full({1}, 0);
  };
  const Tensor first = file.made("bias", make, {4, 4});
  CHECK(identical(file.made("bias", make, {4, 4}), first));
  file.made("bias", make, {5, 5});
  file.made("bias", make, {4, 4});
  CHECK(made == 3);
}
