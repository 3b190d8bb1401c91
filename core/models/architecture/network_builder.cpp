#include "core/models/architecture/network_builder.h"

#include <algorithm>

#include "core/base/files/error_place.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"

namespace headlight {
RopeSpec plain_rope(Rope pairing, double base, Index d) { return {plain_waves(base, d), pairing, base}; }

void NetworkBuilder::fail(const std::string& array, const Message& wrong, const Message& expected) const {
  throw FileError(file.path_of(array), wrong, expected);
}

void NetworkBuilder::miss(const std::string& array, const Message& wrong, const Message& expected) const {
  throw MissingArray(file.path_of(array), wrong, expected);
}

namespace {

/// The names under a prefix, without it.
std::set<std::string> names_under(const Checkpoint& file, const std::string& prefix) {
  std::set<std::string> names;
  for (const std::string& name : file.names()) {
    if (name.starts_with(prefix)) names.insert(name.substr(prefix.size()));
  }
  return names;
}

/// Refuses a file with the same arrays under a second prefix: a student and its teacher, a model and its average.
void refuse_two_models(const Checkpoint& file, const std::string& first, const std::string& ending) {
  if (first.empty()) return;
  for (const std::string& name : file.names()) {
    if (!name.ends_with("." + ending)) continue;
    const std::string other = name.substr(0, name.size() - ending.size());
    if (other == first || other.starts_with(first) || names_under(file, other) != names_under(file, first)) continue;
    const auto bare = [](const std::string& prefix) { return prefix.substr(0, prefix.size() - 1); };
    throw FileError(file.path_of(name),
                    Message("holds two models, {0} and {1}", in_quotes(bare(first)), in_quotes(bare(other))),
                    Message("expected a file with the arrays of one of them, such as {0}", in_quotes(bare(first))));
  }
}

}  // namespace

void NetworkBuilder::find_prefix(std::initializer_list<std::string> endings) {
  if (layer) return;
  for (const std::string& ending : endings) {
    if (const auto found = file.prefix_of(ending)) {
      prefix = *found;
      refuse_two_models(file, prefix, ending);
      return;
    }
  }
  const std::string& last = *(endings.end() - 1);
  miss(last, Message("holds no {0}", in_quotes(last)),
       Message("expected the tensors of {0}, which config.json says it is", network.family));
}

void NetworkBuilder::refuse_unless(std::string_view name, const nlohmann::json& allowed) const {
  layer ? void(config.find({name})) : config.refuse_unless(name, allowed);
}

StackSpec& NetworkBuilder::begin_stack(Index d, const std::string& embedding) {
  network.width = d;
  StackSpec& stack = network.stacks.emplace_back();
  if (!embedding.empty()) stack.embedding.tokens = tokens(embedding, d);
  return stack;
}

void NetworkBuilder::add_positions(EmbeddingSpec& embedding, const std::string& name, Index rows, Index d,
                                   Index offset) const {
  embedding.position_kind = PositionKind::learned;
  embedding.positions = array(name, {rows, d}, as_config_says());
  embedding.position_offset = offset;
  embedding.most_positions = rows - offset;
}

namespace {

/// Heads of an attention whose config.json says width and heads; d_head = width / heads, or a single layer's own.
/// Throws if heads does not divide width.
void set_heads(const NetworkBuilder& b, AttentionSpec& a, Index width, Index heads) {
  if (b.layer) width = b.layer->heads * b.layer->d_head, heads = b.layer->heads;
  if (heads == 0 || width % heads != 0)
    b.config.fail(Message("says {0} heads", heads), Message("expected a divisor of the width {0}", width));
  a.heads = a.kv_heads = heads;
  a.d_head = width / heads;
  a.scale = 1 / std::sqrt(static_cast<double>(a.d_head));
}

}  // namespace

AttentionSpec NetworkBuilder::attention(const BlockLayout& layout, const std::string& name) const {
  AttentionSpec a;
  a.name = prefix + name;
  set_heads(*this, a, layout.d_head ? layout.heads * *layout.d_head : layout.d, layout.heads);
  if (layout.kv_heads) a.kv_heads = *layout.kv_heads;
  const Index width = a.heads * a.d_head, kv_width = a.kv_heads * a.d_head;
  const auto of_input = [&](const char* its_name, Index out) {
    return linear(name + "." + its_name, out, layout.d, layout.attention_bias, layout.weights);
  };
  const auto& [first, second, values, last] = layout.names.linears;
  if (!first) return a;
  if (values) {
    a.q = of_input(first, width);
    a.k = of_input(second, kv_width);
    a.v = of_input(values, kv_width);
  } else {
    const Index groups = layout.by_group ? a.kv_heads : 1;
    split_packed(of_input(first, width + 2 * kv_width), groups, width / groups, kv_width / groups, a);
  }
  a.o = linear(name + "." + (values ? last : second), layout.d, width, layout.output_bias, layout.weights);
  return a;
}

BlockSpec& NetworkBuilder::add_block(StackSpec& stack, const BlockLayout& layout, const std::string& at) const {
  BlockSpec& block = stack.blocks.emplace_back();
  const auto norm_at = [&](const char* name, NormSpec& before, NormSpec& sum) {
    if (*name) (layout.norms_after ? sum : before) = norm(at + name, layout);
  };
  norm_at(layout.names.attention_norm, block.before_attention, block.attention_sum);
  block.attention = attention(layout, at + layout.names.attention);
  block.attention.causal = layout.causal;
  if (*layout.names.cross) {
    norm_at(layout.names.cross_norm, block.before_cross, block.cross_sum);
    block.cross = attention(layout, at + layout.names.cross);
  }
  norm_at(layout.names.mlp_norm, block.before_mlp, block.mlp_sum);
  block.parallel = layout.parallel;
  if (layout.parallel && !*layout.names.mlp_norm) block.before_mlp = block.before_attention;
  if (*layout.names.mlp.up)
    block.mlp = mlp(at, layout.names.mlp, layout.inner, layout.d, layout.activation, layout.mlp_bias, layout.weights);
  return block;
}

std::vector<BlockSpec>& NetworkBuilder::add_blocks(StackSpec& stack, const BlockLayout& layout) const {
  for (Index i = 0; i < layout.count; ++i) add_block(stack, layout, layout.place(i));
  return stack.blocks;
}

std::string NetworkBuilder::any_of(std::initializer_list<std::string> names, const Message& what) const {
  Message list;
  for (const std::string& name : names) {
    if (has(name)) return name;
    const Message quoted = in_quotes(prefix + name);
    list = list.empty() ? quoted : Message("{0} or {1}", list, quoted);
  }
  miss(prefix + *names.begin(), Message("holds no {0}", list), Message("expected {0}", what));
}

std::string NetworkBuilder::array(const std::string& name, const Shape& shape, const Message& why) const {
  const std::string full = prefix + name;
  if (layer) return full;
  for (const auto& part : file.files()) {
    if (file.is_packed(full)) break;
    part->refuse_if_skipped(full);
    for (const char* packed :
         {".qweight", ".weight_packed", ".SCB", ".weight_scale", ".weight_scale_inv", ".quant_state.bitsandbytes__nf4",
          ".quant_state.bitsandbytes__fp4", ".absmax", ".qzeros", "_blocks"}) {
      const std::string stem = full.ends_with(".weight") ? full.substr(0, full.size() - 7) : full;
      for (const std::string& trace : {stem + packed, full + packed}) {
        if (part->find(trace))
          fail(full, Message("stores {0} quantised ({1})", in_quotes(full), in_quotes(trace)),
               "expected float16, bfloat16 or float32 weights");
      }
    }
  }
  if (!file.has(full))
    miss(full, Message("holds no {0}", in_quotes(full)), Message("expected {0}, {1}", to_string(shape), why));
  const ArrayEntry& entry = file.entry(full);
  if (!is_floating(entry.dtype)) {
    fail(full, Message("{0} is stored as {1}, quantised", in_quotes(full), std::string(headlight::name(entry.dtype))),
         "expected float16, bfloat16 or float32");
  }
  if (entry.shape != shape)
    fail(full, Message("{0} has shape {1}", in_quotes(full), to_string(entry.shape)),
         Message("expected {0}, {1}", to_string(shape), why));
  used.insert(full);
  return full;
}

LinearSpec NetworkBuilder::linear(const std::string& name, Index out, Index in, Bias bias, WeightLayout layout) const {
  LinearSpec spec;
  const std::string why = as_config_says();
  spec.weight = array(name + ".weight", layout == WeightLayout::in_out ? Shape{in, out} : Shape{out, in}, why);
  spec.layout = layout;
  if (bias == Bias::needed || (bias != Bias::none && has(name + ".bias")))
    spec.bias = array(name + ".bias", {out}, why);
  else if (bias != Bias::none) lacking.emplace(prefix + name + ".bias", bias == Bias::expected);
  return spec;
}

MlpSpec NetworkBuilder::mlp(const std::string& at, const MlpNames& names, Index inner, Index d, Activation activation,
                            Bias bias, WeightLayout layout) const {
  MlpSpec mlp;
  mlp.activation = activation;
  const LinearSpec up = linear(at + names.up, names.packed ? 2 * inner : inner, d, bias, layout);
  mlp.up = names.packed ? part(up, inner, inner) : up;
  mlp.down = linear(at + names.down, d, inner, bias, layout);
  if (names.packed) mlp.gate = part(up, 0, inner);
  else if (*names.gate) mlp.gate = linear(at + names.gate, inner, d, bias, layout);
  return mlp;
}

LinearSpec NetworkBuilder::part(LinearSpec whole, Index first, Index count) {
  whole.rows.emplace_back(first, count);
  return whole;
}

NormSpec NetworkBuilder::norm(const std::string& name, NormKind kind, Index d, double epsilon, bool plus_one,
                              Bias bias) const {
  NormSpec spec{kind, {}, {}, epsilon, plus_one};
  const std::string why = as_config_says();
  spec.weight = array(has(name + ".gamma") ? name + ".gamma" : name + ".weight", {d}, why);
  if (kind != NormKind::layer) return spec;
  for (const char* ending : {".bias", ".beta"}) {
    if (has(name + ending)) spec.bias = array(name + ending, {d}, why);
  }
  if (spec.bias.empty()) lacking.emplace(prefix + name + ".bias", bias == Bias::expected);
  return spec;
}

Activation NetworkBuilder::activation(const std::string& word) const {
  constexpr std::pair<std::string_view, Activation> known[] = {
      {"gelu gelu_python", Activation::gelu},
      {"gelu_new gelu_fast gelu_pytorch_tanh gelu_tanh gelu_accurate gelu_python_tanh", Activation::gelu_tanh},
      {"quick_gelu", Activation::quick_gelu},
      {"relu", Activation::relu},
      {"silu swish", Activation::silu},
      {"tanh", Activation::tanh},
      {"linear", Activation::identity},
      {"relu2", Activation::squared_relu},
  };
  for (const auto& [names, activation] : known) {
    if (any_word(names, [&](std::string_view name) { return name == word; })) return activation;
  }
  if (layer) return Activation::identity;
  config.fail(Message("its activation is {0}, which is not computed here", in_quotes(word)),
              "expected gelu, gelu_new, quick_gelu, relu, silu or tanh");
}

bool NetworkBuilder::ropes_by_kind() const {
  const nlohmann::json* rules = config.find({"rope_parameters"});
  return rules && rules->is_object() &&
         std::ranges::any_of(*rules, [](const nlohmann::json& value) { return value.is_object(); });
}

double NetworkBuilder::rotary_share(double usual) const {
  const nlohmann::json* rules = config.find({"rope_parameters"});
  if (rules && rules->is_object() && rules->contains("partial_rotary_factor") &&
      (*rules)["partial_rotary_factor"].is_number())
    usual = (*rules)["partial_rotary_factor"].get<double>();
  const double share = config.number({"rotary_pct", "partial_rotary_factor"}, usual);
  if (!(share >= 0 && share <= 1))
    config.fail(Message(config.has("rotary_pct") ? "its rotary_pct is {0}" : "its partial_rotary_factor is {0}",
                        shortest(static_cast<float>(share))),
                "expected a share from 0 to 1");
  return share;
}

RopeSpec NetworkBuilder::rope(Index d, Rope pairing, double default_base, const char* kind) const {
  // Newer files keep rope_theta in rope_parameters.
  const nlohmann::json* scaling = config.find({"rope_scaling", "rope_parameters"});
  std::string field = config.has("rope_scaling") ? "rope_scaling" : "rope_parameters";
  if (ropes_by_kind()) {
    scaling = config.find({"rope_parameters"});
    field = "rope_parameters";
    if (!scaling->contains(kind))
      config.fail(Message("its rope_parameters have no {0}", std::string(kind)),
                  "expected the rotation of each kind of layer");
    scaling = &(*scaling)[kind];
    if (scaling->is_object() && scaling->contains("partial_rotary_factor"))
      config.fail(Message("its rope_parameters rotate a part of the head in {0}", std::string(kind)),
                  "expected one partial_rotary_factor for all layers");
  }
  double base = config.number({"rope_theta", "rotary_emb_base"}, default_base);
  const auto number = [&](const char* name, double fallback) {
    return scaling && scaling->contains(name) && (*scaling)[name].is_number() ? (*scaling)[name].get<double>()
                                                                              : fallback;
  };
  if (scaling && !scaling->is_object())
    config.fail(Message("its rope_scaling is {0}", scaling->dump()), "expected an object with a rope_type");
  base = number("rope_theta", base);
  if (!(base > 0))
    config.fail(Message("its rope_theta is {0}", shortest(static_cast<float>(base))), "expected more than 0");
  if (layer && layer->rope_base) base = *layer->rope_base;
  if (layer && layer->rotary_dim) d = *layer->rotary_dim;
  std::string type = "default";
  for (const char* name : {"type", "rope_type"}) {
    if (scaling && scaling->contains(name) && (*scaling)[name].is_string()) type = (*scaling)[name].get<std::string>();
  }
  // For text alone, the three positions of mrope (Qwen2-VL) are equal.
  if (!scaling || type == "default" || type == "mrope") return plain_rope(pairing, base, d);
  const ModelLengths lengths{
      static_cast<double>(config.whole({"max_position_embeddings"}, 2048)),
      config.has("original_max_position_embeddings")
          ? std::optional(static_cast<double>(config.whole({"original_max_position_embeddings"})))
          : std::nullopt};
  return {scaled_waves(base, d, *scaling, lengths,
                       [&](const Message& wrong, const Message& expected) { config.fail(wrong, expected); }),
          pairing, base, field + " " + in_quotes(type).english()};
}

std::string NetworkBuilder::tokens(const std::string& name, Index d) {
  const std::string full = prefix + name;
  if (layer) return full;
  if (!file.has(full)) miss(full, Message("holds no {0}", in_quotes(full)), "expected the token embedding");
  const ArrayEntry& entry = file.entry(full);
  const Index vocabulary = config.whole({"vocab_size", "n_vocab"}, entry.shape.empty() ? 0 : entry.shape[0]);
  network.vocabulary = vocabulary;
  return array(name, {vocabulary, d}, as_config_says());
}

LinearSpec NetworkBuilder::output_head(const std::string& name, Index d, bool tied, Bias bias) {
  const std::string stem = name.substr(0, name.size() - std::string_view(".weight").size());
  LinearSpec head;
  head.weight = network.stacks.back().embedding.tokens;
  if (tied || layer) return head;
  // The head can be beside the model, inside it, or one level above: "model.lm_head" if the network is under "model".
  const std::size_t dot = prefix.empty() ? std::string::npos : prefix.rfind('.', prefix.size() - 2);
  const std::string above = dot == std::string::npos ? std::string() : prefix.substr(0, dot + 1);
  for (const std::string& full : {stem, prefix + stem, above + stem}) {
    if (!file.has(full + ".weight")) continue;
    const OtherPrefix root(*this);
    return linear(full, network.vocabulary, d, bias);
  }
  network.notes.push_back(Message(
      "the file has no {0}, and config.json does not tie it to the embedding: it predicts nothing", in_quotes(name)));
  return {};
}

}  // namespace headlight
