// A single layer: what config.json says of it, and families of which only single layers are known.

#include <algorithm>

#include "core/base/files/error_place.h"
#include "core/models/architecture/architectures.h"
#include "core/models/architecture/network_builder.h"
#include "core/rules/position/relative_bias.h"

namespace headlight {
namespace {

using nlohmann::json;

bool is_true(const Config& c, std::string_view name) {
  const nlohmann::json* value = c.find({name});
  return value && *value == true;
}

std::string word_of(const Config& c, std::string_view name) {
  const nlohmann::json* value = c.find({name});
  return value && value->is_string() ? value->get<std::string>() : "";
}

std::optional<double> number_of(const Config& c, std::initializer_list<std::string_view> names) {
  std::optional<double> first;
  for (const std::string_view name : names) {
    const nlohmann::json* value = c.find({name});
    if (!first && value && value->is_number()) first = value->get<double>();
  }
  return first;
}

/// The attn_config inside the config (MPT, DBRX), an object.
nlohmann::json attn_config_of(const Config& c) {
  const nlohmann::json* found = c.find({"attn_config"});
  nlohmann::json inner = found && found->is_object() ? *found : nlohmann::json::object();
  for (const char* name : {"clip_qkv", "softmax_scale", "qk_ln", "prefix_lm", "qk_gn", "rope"}) {
    if (inner.contains(name) && !inner[name].is_null() && inner[name] != false)
      c.fail(Message("its attn_config has {0}, which is not computed here", std::string(name)),
             "expected an attention without it");
  }
  return inner;
}

/// Whether this is the config of a vision tower: it has patches and no vocabulary.
bool is_tower(const NetworkBuilder& b) {
  return b.config.has("patch_size") || word_of(b.config, "model_type").ends_with("_vision") ||
         b.config.has("spatial_merge_size");
}

/// Refuses settings that are not computed for a single layer.
void refuse_other_attention(const NetworkBuilder& b) {
  const Config& c = b.config;
  const std::string model = word_of(c, "model_type"), position = word_of(c, "position_embedding_type");
  if (model.starts_with("llama4"))
    c.fail(Message("its model_type {0} is not computed here", in_quotes(model)),
           "expected a norm and a rotation that are known");
  for (const char* model_with_2d_rope :
       {"qwen2_vl_vision", "qwen2_5_vl_vision", "qwen3_vl_vision", "qwen3_vl_moe_vision", "glm4v_vision", "pixtral",
        "kimi_vl_vision", "qwen2_5_vl", "qwen2_vl"}) {
    if (is_tower(b) && model == model_with_2d_rope)
      c.fail("its vision tower turns queries and keys by rows and columns, which is not computed here",
             "expected a tower whose places are added to its patches");
  }
  if (position.starts_with("relative"))
    c.fail(Message("its position_embedding_type is {0}, which is not computed here", in_quotes(position)),
           "expected absolute positions");
  c.refuse_unless("relative_attention", false, "expected scores of queries and keys alone");
  c.refuse_unless("clip_qkv", nlohmann::json(), "expected queries, keys and values that are not clipped");
}

/// Whether layer i has a window: layer_types says it, else a pattern, in which the last of every few layers has none.
bool has_window(const Config& c, Index i) {
  const nlohmann::json* types = c.find({"layer_types"});
  if (types && types->is_array() && i < static_cast<Index>(types->size()))
    return (*types)[static_cast<std::size_t>(i)] == "sliding_attention";
  const auto pattern = number_of(c, {"sliding_window_pattern", "_sliding_window_pattern"});
  const Index every = pattern ? static_cast<Index>(*pattern) : 0;
  return every <= 0 || (i + 1) % every != 0;
}

bool is_rotated(const Config& c, Index i) {
  const nlohmann::json* list = c.find({"no_rope_layers"});
  const auto every = static_cast<Index>(number_of(c, {"no_rope_layer_interval"}).value_or(0));
  if (list && list->is_array() && !list->empty())
    return i >= static_cast<Index>(list->size()) || (*list)[static_cast<std::size_t>(i)] != 0;
  return every <= 0 || (i + 1) % every != 0;
}

/// How many first channels of a head are rotated: rotary_dim, or a share of the head, or the family's number.
Index rotated_channels(const NetworkBuilder& b, const LayerFamily& family) {
  const Index d_head = b.layer->d_head;
  const auto rotary_dim = number_of(b.config, {"rotary_dim"});
  const double share = b.rotary_share(family.share);
  const Index whole = rotary_dim              ? static_cast<Index>(*rotary_dim)
                      : family.rotary_dim > 0 ? family.rotary_dim
                                              : static_cast<Index>(share * static_cast<double>(d_head));
  if (whole >= d_head) return d_head;
  if (whole < 2 || whole % 2 != 0)
    b.config.fail(Message("rotates {0} of {1} channels", whole, d_head), "expected an even number");
  return whole;
}

void scale_and_cap(const NetworkBuilder& b, const LayerFamily& family, AttentionSpec& a) {
  const Config& c = b.config;
  a.scale = family.scale > 0 ? family.scale : 1 / std::sqrt(static_cast<double>(a.d_head));
  if (const auto scalar = number_of(c, {"query_pre_attn_scalar"})) a.scale = 1 / std::sqrt(*scalar);
  if (const auto multiplier = number_of(c, {"attention_multiplier"})) a.scale = *multiplier;
  if (const nlohmann::json* scaled = c.find({"scale_attn_weights"}); scaled && *scaled == false) a.scale = 1;
  c.refuse_unless("scale_attn_by_inverse_layer_idx", false, "expected the same scale in every layer");
  if (const auto cap = number_of(c, {"attn_logit_softcapping"}); cap && *cap > 0) a.softcap = *cap;
}

/// Whether a field of config.json says that queries and keys are rotated.
bool says_rope(const Config& c) {
  const std::string position = word_of(c, "position_embedding_type");
  const nlohmann::json* parameters = c.find({"rope_parameters"});
  const nlohmann::json* scaling = c.find({"rope_scaling"});
  return number_of(c, {"rope_theta", "rotary_emb_base", "rotary_pct", "partial_rotary_factor", "rotary_dim"}) ||
         position == "rotary" || position == "rope" ||
         (parameters && parameters->is_object() && !parameters->empty()) ||
         (scaling && scaling->is_object() && !scaling->empty());
}

bool says_causal(const Config& c, const LayerFamily& family) {
  std::string names;
  if (const nlohmann::json* list = c.find({"architectures"}); list && list->is_array()) {
    for (const auto& name : *list) names += name.is_string() ? name.get<std::string>() : "";
  }
  return family.causal || names.find("CausalLM") != std::string::npos || names.find("LMHeadModel") != std::string::npos;
}

/// The name before the attention's own: "model.layers.3." of "model.layers.3.self_attn".
std::string block_around(const std::string& attention) {
  const std::size_t dot = attention.rfind('.');
  return dot == std::string::npos ? std::string() : attention.substr(0, dot + 1);
}

}  // namespace

void build_layers(NetworkBuilder& b, const LayerFamily& family) {
  const Config& c = b.config;
  refuse_other_attention(b);
  const nlohmann::json inner = attn_config_of(c);
  // Swin's window_size is the side of a square of patches.
  const auto window =
      family.relative ? number_of(c, {"sliding_window"}) : number_of(c, {"sliding_window", "window_size"});
  const nlohmann::json* uses_window = c.find({"use_sliding_window"});
  const bool windowed = window && *window > 0 && !(uses_window && *uses_window == false);
  const bool alibi = is_true(c, "alibi") || is_true(c, "use_alibi") ||
                     word_of(c, "position_embedding_type") == "alibi" || inner.value("alibi", nlohmann::json()) == true;
  const auto local = number_of(c, {"rope_local_base_freq"});
  const bool rotates = !alibi && (family.pairing != Rope::none || says_rope(c) || inner.contains("rope_theta"));
  const Rope pairing = family.pairing == Rope::none ? Rope::half : family.pairing;
  const Index channels = rotates ? rotated_channels(b, family) : 0;
  const double base =
      inner.value("rope_theta", nlohmann::json()).is_number() ? inner["rope_theta"].get<double>() : 10000;
  const double epsilon =
      number_of(c, {"layer_norm_eps", "layer_norm_epsilon", "rms_norm_eps", "norm_epsilon", "norm_eps"})
          .value_or(family.epsilon);
  StackSpec& stack = b.network.stacks.emplace_back();
  stack.embedding.tokens = b.file.prefix_of(family.tokens).value_or("") + family.tokens;
  const std::string block_name = block_around(b.layer->name);
  for (Index i = 0; i < c.whole({"num_hidden_layers"}); ++i) {
    BlockSpec& block = stack.blocks.emplace_back();
    block.before_attention.kind = family.norm;
    block.before_attention.epsilon = epsilon;
    if (family.norm != NormKind::none && *family.norm_name)
      block.before_attention =
          b.norm(block_name + family.norm_name, family.norm, b.layer->width, epsilon, family.plus_one);
    AttentionSpec& a = block.attention;
    a.heads = b.layer->heads, a.kv_heads = b.layer->kv_heads, a.d_head = b.layer->d_head;
    scale_and_cap(b, family, a);
    a.causal = says_causal(c, family);
    const bool slides = windowed && has_window(c, i);
    a.window = slides ? static_cast<Index>(*window) : 0;
    a.alibi = alibi;
    a.other_relative = family.relative;
    if (!rotates || !is_rotated(c, i)) continue;
    const bool is_local = local && has_window(c, i);
    a.rope = is_local ? plain_rope(pairing, *local, channels)
                      : b.rope(channels, pairing, base, slides ? "sliding_attention" : "full_attention");
  }
}

/// ChatGLM 2 and later have multi_query_attention in config.json, and rotate half of each head. The first ChatGLM
/// rotates by two positions.
void build_chatglm(NetworkBuilder& b) {
  if (b.config.find({"multi_query_attention"})) {
    b.config.refuse_unless("rope_ratio", 1, "");  // its versions differ in what they multiply by it
    return build_layers(b, {.pairing = Rope::interleaved, .share = 0.5});
  }
  if (b.layer->packed)
    b.config.fail("its model_type \"chatglm\" packs query_key_value in an order that is not known here",
                  "expected separate projections");
  build_layers(b, {.pairing = Rope::none, .causal = false});
}

/// Nijkamp et al. 2022.
void build_codegen(NetworkBuilder& b) {
  if (b.layer->packed)
    b.config.fail("its model_type \"codegen\" packs eight blocks in an order that is not known here",
                  "expected separate projections");
  build_layers(b, {.pairing = Rope::interleaved,
                   .rotary_dim = 64,
                   .norm = NormKind::layer,
                   .norm_name = "ln_1",
                   .tokens = "wte.weight"});
}

/// StarCoder (Li et al. 2023): one key/value head.
void build_gpt_bigcode(NetworkBuilder& b) {
  const nlohmann::json* single = b.config.find({"multi_query"});
  if (b.layer->packed && single && *single == false)
    b.config.fail("its multi_query is false: c_attn is packed head by head", "expected one key/value head");
  build_layers(b, {.pairing = Rope::none});
}

std::optional<Index> layer_number(const std::string& layer) {
  for (const std::string_view part : Split(layer, '.')) {
    if (!part.empty() && part.size() < 5 && part.find_first_not_of("0123456789") == std::string_view::npos)
      return static_cast<Index>(std::stol(std::string(part)));
  }
  return {};
}

namespace {

/// The fields of config.json with the sizes of the layer itself, under every name that such a field can have.
json fields_of(json fields, const LayerAlone& layer, std::optional<Index> number) {
  const auto set = [&](std::initializer_list<const char*> names, Index value) {
    for (const char* name : names) fields[name] = value;
  };
  set({"hidden_size", "n_embd", "n_embed", "d_model", "dim"}, layer.width);
  set({"num_attention_heads", "n_head", "n_heads", "num_heads", "encoder_attention_heads", "decoder_attention_heads"},
      layer.heads);
  set({"num_key_value_heads", "n_kv_heads", "num_kv_heads", "n_head_kv"}, layer.kv_heads);
  set({"head_dim", "d_kv"}, layer.d_head);
  constexpr Index usual_layers = 12;  // with 12 layers, each kind of layer is among them
  for (const char* name : {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers",
                           "encoder_layers", "decoder_layers"}) {
    const bool valid = fields.contains(name) && fields[name].is_number_unsigned() && fields[name] < 10000;
    fields[name] = std::max(valid    ? fields[name].get<Index>()
                            : number ? Index{1}
                                     : usual_layers,
                            number.value_or(0) + 1);
  }
  return fields;
}

struct LayerPlace {
  Index stack = 0, block = 0;
  bool cross = false;
};

/// Finds the layer by its whole name, else by its number and the name of its stack. `prefix` gets what comes before the
/// name.
LayerPlace place_in(const NetworkSpec& spec, const std::string& name, Index number, std::string& prefix) {
  for (std::size_t stack = 0; stack < spec.stacks.size(); ++stack) {
    for (std::size_t i = 0; i < spec.stacks[stack].blocks.size(); ++i) {
      const BlockSpec& block = spec.stacks[stack].blocks[i];
      for (const AttentionSpec* a : {&block.attention, block.cross ? &*block.cross : nullptr}) {
        if (!a || a->name.empty() || !name.ends_with(a->name)) continue;
        prefix = name.substr(0, name.size() - a->name.size());
        if (prefix.empty() || prefix.ends_with('.'))
          return {static_cast<Index>(stack), static_cast<Index>(i), a != &block.attention};
      }
    }
  }
  prefix.clear();
  const auto has = [&](const char* word) { return name.find(word) != std::string::npos; };
  const bool two = spec.stacks.size() == 2, cross = has("cross") || has("encoder_attn") || has("EncDec");
  const Index stack = two && (cross || has("decoder")) ? 1 : 0;
  const auto blocks = static_cast<Index>(spec.stacks[static_cast<std::size_t>(stack)].blocks.size());
  return {stack, std::min(number, blocks - 1), two && cross};
}

bool same_rules(const AttentionSpec& a, const AttentionSpec& b) {
  return a.scale == b.scale && a.rope.pairing == b.rope.pairing && a.rope.frequencies == b.rope.frequencies;
}

}  // namespace

LayerDescription describe_layer(const json& fields, const std::string& path, const Checkpoint& file,
                                const LayerAlone& layer) {
  const std::optional<Index> number = layer_number(layer.name);
  const Config config(fields_of(fields, layer, number), path, true);
  check_sizes(config, file);
  const json* model_type = config.find({"model_type"});
  const std::string type = model_type && model_type->is_string() ? model_type->get<std::string>() : "";
  const Architecture* row = layer_architecture(type);
  const auto build = [&](const std::string& prefix) {
    NetworkBuilder builder(config, file, &layer);
    builder.prefix = prefix;
    row ? row->build(builder) : build_layers(builder, {.pairing = Rope::none, .causal = false});
    return std::move(builder.network);
  };
  NetworkSpec spec = build("");
  std::string prefix;
  const LayerPlace at = place_in(spec, layer.name, number.value_or(0), prefix);
  if (!prefix.empty()) spec = build(prefix);
  const StackSpec& stack = spec.stacks[static_cast<std::size_t>(at.stack)];
  const BlockSpec& block = stack.blocks[static_cast<std::size_t>(at.block)];
  const bool differ = std::ranges::any_of(
      stack.blocks, [&](const BlockSpec& other) { return !same_rules(block.attention, other.attention); });
  if (!number && differ)
    config.fail(Message("has layers of several kinds, and {0} has no number", in_quotes(layer.name)),
                "expected a layer with its number");
  const json* causal = config.find({"is_causal"});
  LayerDescription description{row ? std::string(row->title) : "",
                               at.cross && block.cross ? *block.cross : block.attention,
                               at.cross ? block.before_cross : block.before_attention,
                               stack.embedding,
                               config.unknown_attention_fields(),
                               false,
                               false,
                               fields};
  description.input_known =
      row && (row->scope == Architecture::Scope::any || description.before_attention.kind != NormKind::none);
  if (causal && *causal == false) description.attention.causal = false;
  description.unrotated =
      description.attention.rope.pairing == Rope::none && std::ranges::any_of(stack.blocks, [](const BlockSpec& other) {
        return other.attention.rope.pairing != Rope::none;
      });
  return description;
}

}  // namespace headlight
