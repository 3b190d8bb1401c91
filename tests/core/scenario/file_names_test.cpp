// Names under which arrays and numbers of a file are found, and notes about those that are not used.
#include "tests/core/scenario/sample_file.h"
#include "tests/matchers.h"

using namespace headlight;
using namespace headlight::sample_files;

namespace {

/// A file with an attention under "enc.attn.", and optionally another one beside it.
Sample nested_sample(bool another = false) {
  Sample sample;
  sample.linears("enc.attn.q_proj", "enc.attn.k_proj", "enc.attn.v_proj", "enc.attn.out_proj").heads().self_input();
  if (another) sample.linears("enc.other.q_proj", "enc.other.k_proj", "enc.other.v_proj", "");
  return sample;
}

Tensor lower() { return Tensor::of({n_q, n_q}, {1, 0, 0, 1, 1, 0, 1, 1, 1}); }
Tensor upper() { return Tensor::of({n_q, n_q}, {0, 1, 1, 0, 0, 1, 0, 0, 0}); }

Scenario at_layer(const std::string& name) {
  Scenario scenario;
  scenario.layer = name;
  return scenario;
}

/// Adds the parameters of nn.MultiheadAttention under this prefix.
void add_torch(Sample& sample, const std::string& prefix) {
  sample.add(prefix + "in_proj_weight", drawn("in", {3 * d, d}));
  sample.add(prefix + "out_proj.weight", drawn("out", {d, d}));
}

}  // namespace

TEST_CASE("masks and settings of a module that contains one attention apply to it, not if it contains two") {
  Sample sample = nested_sample();
  sample.add("enc.attn_mask", upper(), true).number("enc.scale", 0.5F).add("enc.bias_k", drawn("k", {1, 1, d}));
  sample.number("enc.sliding_window", 2);
  const Inputs inputs = sample.resolved();
  CHECK(inputs.rules.scale == 0.5F);
  REQUIRE(inputs.file_mask.defined());
  CHECK_THAT(inputs.file_mask, agrees_with(lower().view({1, 1, n_q, n_q})));
  CHECK(is_said(inputs, "not used", "enc.bias_k"));
  CHECK(is_said(inputs, "numbers not taken", "enc.sliding_window"));

  Sample two = nested_sample(true);
  two.add("enc.attn_mask", upper(), true);
  const Inputs of_first = two.resolved(at_layer("enc.attn"));
  CHECK_FALSE(of_first.file_mask.defined());
  CHECK(is_said(of_first, "not used", "enc.attn_mask"));
}

TEST_CASE("a mask that does not fit the attention in its module is named, as Swin's window mask") {
  Sample sample = nested_sample();
  sample.add("enc.attn_mask", drawn("mask", {4, 7, 7}));
  const Inputs inputs = sample.resolved();
  CHECK_FALSE(inputs.attn_bias.defined());
  CHECK(is_said(inputs, "not used", "enc.attn_mask"));
}

TEST_CASE("a causal buffer is recognised also in an outer module and at the top") {
  for (const char* name : {"enc.mask", "mask", "causal_mask"}) {
    CAPTURE(name);
    Sample sample = nested_sample();
    sample.add(name, upper());
    const Inputs inputs = sample.resolved();
    REQUIRE(inputs.file_mask.defined());
    CHECK_THAT(inputs.file_mask, agrees_with(lower().view({1, 1, n_q, n_q})));
  }
}

TEST_CASE("names may have slashes between their parts") {
  Sample sample;
  sample.add("inputs/x", drawn("x", {B, n_q, d})).add("inputs/attn_mask", upper(), true).heads();
  sample.add("attn/in_proj_weight", drawn("in", {3 * d, d}));
  const Inputs inputs = sample.resolved();
  CHECK_THAT(inputs.query, agrees_with(drawn("x", {B, n_q, d})));
  CHECK_THAT(inputs.file_mask, agrees_with(lower().view({1, 1, n_q, n_q})));
}

TEST_CASE("the arguments of a call are inputs: one is x, three are query, key and value, others are refused") {
  const auto with_arguments = [](int count) {
    Sample sample;
    sample.linears("q_proj", "k_proj", "v_proj", "out_proj").heads();
    for (int i = 0; i < count; ++i)
      sample.add("args." + std::to_string(i), drawn("x" + std::to_string(i), {B, n_q, d}));
    return sample;
  };
  CHECK(with_arguments(1).resolved().self_attention());
  const Inputs three = with_arguments(3).resolved();
  CHECK_THAT(three.key, agrees_with(drawn("x1", {B, n_q, d})));
  CHECK_THAT(three.value, agrees_with(drawn("x2", {B, n_q, d})));
  CHECK(contains(with_arguments(2).error(), "2 arrays without names"));
}

TEST_CASE("layers of nn.Transformer take the masks of their own sequence") {
  const auto layer = [](const std::string& mask, bool decoder) {
    Sample sample;
    add_torch(sample, "self_attn.");
    if (decoder) add_torch(sample, "multihead_attn.");
    sample.number("nhead", H).add(decoder ? "tgt" : "src", drawn("x", {B, n_q, d})).add(mask, upper(), true);
    return sample.resolved(at_layer("self_attn"));
  };
  CHECK(layer("src_mask", false).file_mask.defined());
  CHECK(layer("tgt_mask", true).file_mask.defined());
  const Inputs other = layer("memory_mask", true);
  CHECK_FALSE(other.file_mask.defined());
  CHECK(is_said(other, "not used", "memory_mask"));
}

TEST_CASE("the input of a layer of nn.Transformer is not its attention's input if a norm comes first") {
  Sample sample;
  add_torch(sample, "self_attn.");
  sample.number("nhead", H).add("src", drawn("x", {B, n_q, d})).number("norm_first", 1);
  CHECK(contains(sample.error(), "norm_first"));
  Sample memory;
  add_torch(memory, "self_attn.");
  add_torch(memory, "multihead_attn.");
  memory.number("nhead", H).add("tgt", drawn("x", {B, n_q, d})).add("memory", drawn("y", {B, n_k, d}));
  CHECK(contains(memory.error(at_layer("multihead_attn")), "cross.0"));
}

TEST_CASE("query, key and value without parameters are heads of scaled_dot_product_attention") {
  const auto sample = [](const Shape& shape) {
    Sample file;
    for (const char* name : {"q", "k", "v"}) file.add(name, drawn(name, shape));
    return file;
  };
  const Inputs batch = sample({B, n_q, d}).resolved();
  CHECK(batch.dims.heads == 1);
  CHECK_THAT(batch.Q_heads, agrees_with(drawn("q", {B, n_q, d}).view({B, 1, n_q, d})));
  CHECK(sample({n_q, d}).resolved().Q_heads.shape() == Shape{1, 1, n_q, d});
  const Inputs split = sample({B, n_q, d}).heads().resolved();
  CHECK(split.dims.heads == H);
  CHECK_THAT(split.K_heads, agrees_with(drawn("k", {B, n_q, d}).view({B, n_q, H, d / H}).transpose(1, 2).contiguous()));
  const Inputs of_flash = sample({B, n_q, H, 2}).heads().resolved();  // [B, n, H, d_head]
  CHECK(of_flash.dims.n_q == n_q);
  CHECK_THAT(of_flash.V_heads, agrees_with(drawn("v", {B, n_q, H, 2}).transpose(1, 2).contiguous()));
  Sample with_weights = sample({B, n_q, d});
  CHECK(contains(with_weights.add("mix.weight", drawn("w", {d, d})).error(), "holds no attention weights"));
}

TEST_CASE("norms of queries and keys are found under names of several libraries, but not one without the other") {
  struct Names {
    const char *q, *k, *kind;
  };
  for (const auto& [q, k, kind] : {Names{"norm_q.weight", "norm_k.weight", "RMSNorm"},
                                   {"q_norm.gamma", "k_norm.gamma", "RMSNorm"},
                                   {"q_norm.scale", "k_norm.scale", "RMSNorm"},
                                   {"q_ln.weight", "k_ln.weight", "LayerNorm"},
                                   {"norm.query_norm.scale", "norm.key_norm.scale", "RMSNorm"},
                                   {"qnorm.weight", "knorm.weight", "RMSNorm"}}) {
    CAPTURE(q);
    Sample file;
    file.linears("q_proj", "k_proj", "v_proj", "o_proj").heads().self_input();
    Sample one_alone = file;
    const Tensor gains = drawn("gains", {2});
    const Inputs in = file.add(q, gains).add(k, gains).resolved();
    CHECK(is_said(in, "QK-norm", kind));
    CHECK_THAT(in.rules.q_norm, agrees_with(gains));
    if (std::string(q).find("_norm.") != std::string::npos) continue;
    CHECK(is_said(one_alone.add(q, gains).resolved(), "not used", q));
  }
  Sample by_head;
  by_head.linears("q_proj", "k_proj", "v_proj", "o_proj").heads().self_input();
  by_head.add("q_norm.gamma", drawn("a", {H, 1, 2})).add("k_norm.gamma", drawn("b", {H, 1, 2}));
  const Inputs in = by_head.resolved();
  CHECK(is_said(in, "QK-norm", "RMSNorm with q_norm.gamma and k_norm.gamma, over each head, with weights of its own"));
}

TEST_CASE("settings, lengths and ALiBi are found under several names and in several dictionaries") {
  const auto sample = [] {
    Sample file;
    file.linears("q_proj", "k_proj", "v_proj", "o_proj").heads().self_input();
    return file;
  };
  CHECK(sample().number("settings.scale", 0.25f).resolved().rules.scale == 0.25f);
  CHECK(sample().number("qk_scale", 0.5f).resolved().rules.scale == 0.5f);
  CHECK(sample().number("logit_cap", 30).resolved().rules.softcap == 30.0f);
  CHECK(is_said(sample().number("options.is_causal", 1).resolved(), "mask", "options.is_causal"));
  const Tensor lengths = Tensor::of({B}, {3, 2});
  CHECK_THAT(sample().add("lengths", lengths).resolved().valid_lens, agrees_with(lengths));
  CHECK(is_said(sample().add("lengths", Tensor::of({3}, {1, 2, 3})).resolved(), "not used", "lengths"));
  CHECK(sample().add("data.attn_bias", drawn("bias", {B, H, n_q, n_q})).resolved().attn_bias.defined());
  const Inputs alibi = sample().add("alibi", drawn("alibi", {B * H, 1, n_q})).resolved();
  CHECK(alibi.attn_bias.defined());
  CHECK(is_said(sample().add("alibi", Tensor::full({}, 1)).resolved(), "numbers not taken", "alibi"));
  const Tensor gains = drawn("gains", {2});
  const Inputs normed =
      sample().add("q_norm.weight", gains).add("k_norm.weight", gains).number("rms_norm_eps", 0.5f).resolved();
  CHECK(normed.rules.qk_epsilon == 0.5);
}

TEST_CASE("queries, keys and values may be packed in one array, along the axis of size 3 or the last one") {
  const Tensor q = drawn("q", {B, n_k, H, 2}), k = drawn("k", {B, n_k, H, 2}), v = drawn("v", {B, n_k, H, 2});
  const auto by_head = [](const Tensor& t) { return t.transpose(1, 2).contiguous(); };
  const auto check = [&](Sample file) {
    const Inputs in = file.resolved();
    CHECK_THAT(in.Q_heads, agrees_with(by_head(q)));
    CHECK_THAT(in.K_heads, agrees_with(by_head(k)));
    CHECK_THAT(in.V_heads, agrees_with(by_head(v)));
  };
  const auto stacked = [&](const auto& each) {
    Buffer numbers;
    for (const Tensor& t : {each(q), each(k), each(v)})
      numbers.insert(numbers.end(), t.values().begin(), t.values().end());
    Shape shape = each(q).shape();
    shape.insert(shape.begin(), 3);
    return Tensor(shape, std::move(numbers));
  };
  const Tensor all = stacked([](const Tensor&t) { return t; }), split = stacked(by_head);
  check(Sample().add("qkv", all.transpose(0, 1).transpose(1, 2).contiguous()).number("num_heads", H));
  check(Sample().add("qkv", split));
  check(Sample().add("qkv", split.transpose(0, 1).contiguous()));
  check(Sample().add("qkv", all.transpose(0, 1).transpose(1, 2).contiguous().view({B, n_k, 3 * H * 2})).heads());
  CHECK(contains(Sample().add("qkv", drawn("a", {2, 4, 5, H, 2})).error(), "one of the first three sizes is 3"));
}

TEST_CASE("a second sequence in the file, under its usual names, is the input of keys and values") {
  for (const char* name : {"memory", "context", "enc_output", "kv", "inputs_kv"}) {
    CAPTURE(name);
    Sample sample;
    sample.linears("attn.q_proj", "attn.k_proj", "attn.v_proj", "attn.out_proj").heads().self_input();
    const Inputs inputs = sample.add(name, drawn("y", {B, n_k, d})).resolved();
    CHECK_THAT(inputs.key, agrees_with(drawn("y", {B, n_k, d})));
    CHECK_THAT(inputs.value, agrees_with(drawn("y", {B, n_k, d})));
  }
  Sample keras;
  keras.linears("q_proj", "k_proj", "v_proj", "out_proj").heads();
  keras.add("query", drawn("x", {B, n_q, d})).add("value", drawn("y", {B, n_k, d}));
  CHECK_THAT(keras.resolved().key, agrees_with(drawn("y", {B, n_k, d})));
}

TEST_CASE("a key_padding_mask that fits [n, B, d] alone says that inputs are stored so, in any module") {
  Sample sample;
  sample.linears("q_proj", "k_proj", "v_proj", "out_proj").heads().add("x", drawn("x", {n_k, B, d}));
  sample.add("key_padding_mask", Tensor::of({B, n_k}, {0, 0, 0, 0, 1, 0, 0, 0, 1, 1}), true);
  CHECK(sample.resolved().query.shape() == Shape{B, n_k, d});
}

TEST_CASE("a padding mask has the polarity of its name, and applies to the keys of cross-attention") {
  const Tensor keep = Tensor::of({B, n_k}, {1, 1, 1, 1, 1, 1, 1, 1, 0, 0});
  const Tensor padding = Tensor::of({B, n_k}, {0, 0, 0, 0, 0, 0, 0, 0, 1, 1});
  const auto file = [](bool cross) {
    Sample sample;
    sample.linears("attn.q_proj", "attn.k_proj", "attn.v_proj", "attn.out_proj").heads();
    sample.add("x", drawn("x", {B, cross ? n_q : n_k, d}));
    if (cross) sample.add("memory", drawn("y", {B, n_k, d}));
    return sample;
  };
  for (const auto& [name, cross, numbers] : {std::tuple{"encoder_attention_mask", true, keep},
                                             {"context_mask", true, keep},
                                             {"encoder_padding_mask", true, padding},
                                             {"memory_key_padding_mask", true, padding},
                                             {"src_padding_mask", false, padding},
                                             {"tgt_padding_mask", false, padding},
                                             {"self_attn_padding_mask", false, padding}}) {
    CAPTURE(name);
    CHECK_THAT(file(cross).add(name, numbers, true).resolved().file_mask, agrees_with(keep.view({B, 1, 1, n_k})));
  }
  const Inputs both =
      file(true).add("attention_mask", Tensor::full({B, n_k}, 1)).add("encoder_attention_mask", keep).resolved();
  CHECK_THAT(both.file_mask, agrees_with(keep.view({B, 1, 1, n_k})));
  CHECK(is_said(both, "not used", "attention_mask"));
  CHECK(is_said(file(false).add("memory_key_padding_mask", padding, true).resolved(), "not used", "memory_key"));
  CHECK_THROWS_WITH(file(false).add("pad_mask", padding, true).resolved(), ContainsSubstring("--mask-polarity"));
  Scenario said;
  said.mask_polarity = MaskPolarity::attend;
  CHECK_THAT(file(false).add("pad_mask", keep, true).resolved(said).file_mask, agrees_with(keep.view({B, 1, 1, n_k})));
}

TEST_CASE("a note says that the norm before an attention is not applied to x") {
  Sample sample = nested_sample();
  CHECK(is_said(sample.add("enc.norm1.weight", drawn("norm", {d})).resolved(), "inputs", "enc.norm1.weight"));
  CHECK_FALSE(is_said(nested_sample().resolved(), "inputs", "is not applied"));
}

TEST_CASE("a QK-norm in a block with Gemma's names multiplies by one plus its weight") {
  const Tensor gains = drawn("gains", {d / H});
  Sample sample = nested_sample();
  sample.add("enc.attn.q_norm.weight", gains).add("enc.attn.k_norm.weight", gains);
  const Inputs plain = sample.resolved();
  CHECK_THAT(plain.rules.q_norm, agrees_with(gains));
  const Inputs gemma = sample.add("enc.pre_feedforward_layernorm.weight", drawn("norm", {d})).resolved();
  CHECK(gemma.rules.q_norm.at({0}) == gains.at({0}) + 1);
}

TEST_CASE("masks of Swin's shifted windows are found in the block, and repeat for each picture of the batch") {
  constexpr Index windows = 2, n = 4;
  const Tensor mask = drawn("mask", {windows, n, n});
  Sample sample;
  sample.linears("blocks.1.attn.q", "blocks.1.attn.k", "blocks.1.attn.v", "blocks.1.attn.proj").heads();
  sample.linears("blocks.0.attn.q", "blocks.0.attn.k", "blocks.0.attn.v", "blocks.0.attn.proj");
  sample.add("blocks.1.attn.relative_position_bias_table", Tensor::full({9, H}, 0));
  sample.add("blocks.1.attn_mask", mask).add("x", drawn("x", {3 * windows, n, d}));
  const Inputs inputs = sample.resolved(at_layer("blocks.1.attn"));
  REQUIRE(inputs.attn_bias.size(0) == 3 * windows);
  for (Index b = 0; b < 3 * windows; ++b) CHECK(inputs.attn_bias.at({b, 0, 1, 2}) == mask.at({b % windows, 1, 2}));
}

TEST_CASE("learned queries, stored once, are those of each batch entry of the keys") {
  for (const Shape& shape : {Shape{1, n_q, d}, Shape{n_q, d}}) {
    const Tensor latents = drawn("latents", shape);
    for (const char* name : {"query", "latents"}) {
      Sample sample;
      sample.linears("to_q", "to_k", "to_v", "to_out").heads();
      const Inputs inputs = sample.add(name, latents).add("context", drawn("y", {B, n_k, d})).resolved();
      const Tensor once = latents.view({1, n_q, d});
      CHECK_THAT(inputs.query, agrees_with(joined(std::vector<Tensor>{once, once})));
      CHECK(is_said(inputs, "batch", "the same for each of the 2 batch entries"));
    }
  }
  Sample other;
  other.linears("to_q", "to_k", "to_v", "to_out").heads().add("query", drawn("q", {3, n_q, d}));
  CHECK(contains(other.add("key", drawn("k", {B, n_k, d})).error(), "expected batch 3"));
}

TEST_CASE("ChatGLM's query_key_value is packed by thirds where its queries share key/value heads") {
  constexpr Index d_head = d / H;
  const auto file = [](bool shared, Index groups) {
    Sample sample;
    sample.add("query_key_value.weight", drawn("W", {d + 2 * (shared ? groups : H) * d_head, d}));
    sample.add("dense.weight", drawn("o", {d, d})).heads().self_input();
    sample.number("multi_query_group_num", static_cast<float>(groups));
    return sample.number("multi_query_attention", shared ? 1 : 0);
  };
  for (const Index groups : {Index{1}, Index{2}, H}) {
    const Tensor rows = drawn("W", {d + 2 * groups * d_head, d});
    const Inputs inputs = file(true, groups).resolved();
    CHECK(inputs.dims.kv_heads == groups);
    CHECK_THAT(inputs.W_q, agrees_with(rows.slice(0, 0, d)));
    CHECK_THAT(inputs.W_v, agrees_with(rows.slice(0, d + groups * d_head, groups * d_head)));
  }
  const Inputs apart = file(false, 1).resolved();
  CHECK(apart.dims.kv_heads == H);
  CHECK_THAT(apart.W_q.slice(0, d_head, d_head), agrees_with(drawn("W", {3 * d, d}).slice(0, 3 * d_head, d_head)));
}

TEST_CASE("what --axes is given for is saved attention, whatever its name and sums; beside projections it is refused") {
  Scenario said;
  said.axes = "H,q,k";
  Sample percent;
  percent.add("maps", Tensor::full({H, n_q, n_k}, 25));
  CHECK(contains(percent.error(), "or --axes of saved attention"));
  const Inputs in = percent.resolved(said);
  CHECK(in.weights.shape() == Shape{1, H, n_q, n_k});
  CHECK(is_said(in, "weights", "rows do not sum to 1"));
  Sample list;
  list.add("encoder.0", Tensor::full({H, n_q, n_k}, 25)).add("encoder.1", Tensor::full({H, n_q, n_k}, 50));
  said.layer = "1";
  CHECK(list.resolved(said).weights.at({0, 0, 0, 0}) == 50);
  said.layer = "";
  Sample unknown;
  unknown.add("a", Tensor::full({H, n_q, n_k}, 1)).add("b", Tensor::full({H, n_q, n_k}, 1));
  CHECK(contains(unknown.error(said), "holds no attention weights"));
  Sample projections;
  projections.linears("q_proj", "k_proj", "v_proj", "out_proj").heads().self_input();
  CHECK(contains(projections.error(said), "and the file holds projections"));
}
