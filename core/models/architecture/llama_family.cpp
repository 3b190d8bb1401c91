#include "core/models/architecture/llama_family.h"

#include <algorithm>
#include <tuple>

#include "core/base/files/error_place.h"
#include "core/base/tensor/message.h"
#include "core/models/architecture/checkpoint.h"

namespace headlight {
namespace {

/// The number of keys that the queries of each layer see, 0 for all: from sliding_window, layer_types and the family's
/// defaults.
std::vector<Index> windows_of(NetworkBuilder& b, const LlamaFlavour& flavour, Index blocks) {
  const Config& c = b.config;
  const bool has_window = c.fields().contains("sliding_window");
  const Index window = has_window ? c.whole({"sliding_window"}, 0) : flavour.usual_window;
  const Index pattern =
      flavour.window_pattern > 0
          ? c.whole({"sliding_window_pattern", "_sliding_window_pattern", "layer_switch"}, flavour.window_pattern)
          : 0;
  c.find({"sliding_window"});
  std::vector<Index> windows(static_cast<std::size_t>(blocks), 0);
  const nlohmann::json* types = c.find({"layer_types"});
  const bool windows_used = c.flag({"use_sliding_window"}, !flavour.window_by_flag);
  const Index first = c.whole({"max_window_layers"}, flavour.window_by_flag && !flavour.window_unrotated ? 28 : 0);
  if (types && (b.whole() || (types->is_array() && static_cast<Index>(types->size()) >= blocks))) {
    if (!types->is_array() || (b.whole() && static_cast<Index>(types->size()) != blocks))
      c.fail(Message("its layer_types name {0} layers", types->size()),
             Message("expected one for each of {0}", blocks));
    for (std::size_t i = 0; i < windows.size(); ++i) {
      if ((*types)[i] == "sliding_attention") {
        if (window == 0)
          c.fail("its layer_types have sliding_attention without a sliding_window",
                 "expected the number of keys that a query sees");
        windows[i] = window;
      } else if ((*types)[i] != "full_attention") {
        c.fail(Message("its layer_types have {0}, which is not computed here", (*types)[i].dump()),
               "expected full_attention or sliding_attention");
      }
    }
    return windows;
  }
  if (window == 0 || !windows_used) return windows;
  if (!flavour.window_by_field && !flavour.window_by_flag && flavour.usual_window == 0) {
    b.network.notes.push_back("sliding_window in config.json is not applied: the model's code has no window");
    return windows;
  }
  for (Index i = 0; i < blocks; ++i) {
    const bool full = pattern > 0 ? (i + 1) % pattern == 0 : i < first;
    windows[static_cast<std::size_t>(i)] = full ? 0 : window;
  }
  return windows;
}

/// Which layers rotate queries and keys: no_rope_layers holds 0 for those that do not (SmolLM 3).
std::vector<bool> rotated_layers(const NetworkBuilder& b, Index blocks, Index default_interval) {
  const Config& c = b.config;
  std::vector<bool> rotated(static_cast<std::size_t>(blocks), true);
  const Index interval = c.whole({"no_rope_layer_interval"}, default_interval);
  if (const auto* list = c.find({"no_rope_layers"}); list && !list->empty()) {
    if (!list->is_array() || (b.whole() && static_cast<Index>(list->size()) != blocks))
      c.fail(Message("its no_rope_layers name {0} layers", list->size()),
             Message("expected one for each of {0}", blocks));
    for (std::size_t i = 0; i < std::min(rotated.size(), list->size()); ++i) rotated[i] = (*list)[i] != 0;
  } else if (interval > 0) {
    for (Index i = 0; i < blocks; ++i) rotated[static_cast<std::size_t>(i)] = (i + 1) % interval != 0;
  }
  return rotated;
}

/// Whether a layer's queries see only their own chunk: layer_types says it, else exactly the rotated layers do.
bool is_chunked(const Config& c, Index layer, bool rotated) {
  const nlohmann::json* types = c.find({"layer_types"});
  if (!types || !types->is_array() || static_cast<Index>(types->size()) <= layer) return rotated;
  const nlohmann::json& type = (*types)[static_cast<std::size_t>(layer)];
  if (type != "chunked_attention" && type != "full_attention")
    c.fail(Message("its layer_types have {0}, which is not computed here", type.dump()),
           "expected full_attention or chunked_attention");
  return type == "chunked_attention";
}

class LlamaFamily {
 public:
  LlamaFamily(NetworkBuilder& builder, const LlamaFlavour& flavour)
      : b_(builder), c_(builder.config), flavour_(flavour) {}
  void build();

 private:
  void read_sizes();
  void read_rotation();
  void add_block(StackSpec& stack, Index i);
  void place_norms(BlockSpec& block, const std::string& at) const;
  void add_attention(AttentionSpec& a, const std::string& at, Index i) const;
  NormSpec norm(const std::string& name, Index width) const;

  NetworkBuilder& b_;
  const Config& c_;
  const LlamaFlavour& flavour_;
  BlockLayout layout_;
  bool plus_one_ = false;
  RopeSpec rope_, sliding_rope_;
  std::vector<Index> windows_;
  std::vector<bool> rotated_;
};

NormSpec LlamaFamily::norm(const std::string& name, Index width) const {
  if (!flavour_.gains) return {flavour_.norm, {}, {}, layout_.epsilon, false};
  return b_.norm(name, flavour_.norm, width, layout_.epsilon, plus_one_, flavour_.norm_bias);
}

void LlamaFamily::read_sizes() {
  layout_.names = {flavour_.blocks, flavour_.attention};
  if (!flavour_.latent) layout_.names.linears = flavour_.linears;
  layout_.causal = true;
  layout_.read_sizes(c_);
  layout_.inner = c_.whole({"intermediate_size"});
  const Index d = layout_.d, heads = layout_.heads, kv_heads = c_.whole({"num_key_value_heads"}, heads);
  if (heads == 0 || kv_heads == 0 || heads % kv_heads != 0)
    c_.fail(Message("says {0} heads on {1} key/value heads", heads, kv_heads), "expected a multiple");
  if (!c_.has("head_dim") && !flavour_.latent && d % heads != 0)
    c_.fail(Message("its hidden_size {0} is no multiple of its {1} heads", d, heads), "expected a head_dim");
  layout_.kv_heads = kv_heads;
  layout_.d_head = c_.whole({"head_dim"}, d / heads);
  if (flavour_.latent) layout_.d_head = c_.whole({"qk_nope_head_dim"}) + c_.whole({"qk_rope_head_dim"});
  layout_.epsilon = !flavour_.gains && flavour_.norm == NormKind::layer ? flavour_.epsilon
                    : flavour_.norm == NormKind::rms
                        ? c_.number({"rms_norm_eps"}, flavour_.epsilon)
                        : c_.number({"layer_norm_eps", "layer_norm_epsilon", "norm_epsilon"}, flavour_.epsilon);
  plus_one_ = flavour_.plus_one && !c_.flag({"norms_hold_gains"}, false);
  // The first config.json files of Gemma have "gelu" in hidden_act but mean its tanh form.
  layout_.activation = b_.activation(flavour_.plus_one ? c_.text({"hidden_activation"}, "gelu_pytorch_tanh")
                                                       : c_.text({"hidden_act"}, flavour_.activation));
  c_.find({"hidden_act", "hidden_activation", "original_max_position_embeddings", "mlp_bias", "use_qk_norm",
           "sliding_window_pattern", "_sliding_window_pattern", "sliding_window_size", "output_router_logits",
           "router_aux_loss_coef", "router_jitter_noise", "rms_norm_eps"});
  c_.refuse_unless("full_attn_mod", 1);
  layout_.attention_bias = flavour_.always_bias                               ? Bias::needed
                           : *flavour_.bias || flavour_.norm == NormKind::rms ? Bias::where_there
                                                                              : Bias::expected;
  layout_.output_bias = layout_.mlp_bias =
      layout_.attention_bias == Bias::expected ? Bias::expected : Bias::where_there;
  const bool says_bias = *flavour_.bias && c_.has(flavour_.bias);
  if (says_bias) layout_.attention_bias = c_.flag({flavour_.bias}, false) ? Bias::needed : Bias::none;
  if (flavour_.output_bias && !flavour_.always_bias) layout_.output_bias = layout_.attention_bias;
  c_.find({"attention_bias"});
}

void LlamaFamily::read_rotation() {
  const double share = b_.rotary_share(flavour_.rotated_share);
  const Index d_head = *layout_.d_head;
  const Index rotary =
      flavour_.latent ? c_.whole({"qk_rope_head_dim"}) : static_cast<Index>(share * static_cast<double>(d_head));
  if (rotary % 2 != 0 || rotary > d_head)
    c_.fail(Message("rotates {0} of {1} channels", rotary, d_head), "expected an even number");
  const Rope pairing = c_.flag({"rope_interleaved"}, false) ? Rope::interleaved : flavour_.pairing;
  rope_ = b_.rope(rotary, pairing, flavour_.base);
  if (b_.whole()) apply_rope_factors(b_.file, rope_);
  sliding_rope_ = b_.ropes_by_kind()      ? b_.rope(rotary, pairing, flavour_.base, "sliding_attention")
                  : flavour_.window_plain ? plain_rope(pairing, rope_.theta, rotary)
                                          : rope_;
  rotated_ = rotated_layers(b_, layout_.count, flavour_.unrotated_every);
  if (flavour_.chunks) windows_.assign(static_cast<std::size_t>(layout_.count), 0);
  else windows_ = windows_of(b_, flavour_, layout_.count);
}

void LlamaFamily::place_norms(BlockSpec& block, const std::string& at) const {
  using Norms = LlamaFlavour::Norms;
  if (flavour_.norms != Norms::after) block.before_attention = norm(at + "input_layernorm", layout_.d);
  if (flavour_.parallel) {
    block.parallel = true;
    block.before_mlp = block.before_attention;
    return;
  }
  const std::string after_attention = at + "post_attention_layernorm";
  switch (flavour_.norms) {
    case Norms::before: block.before_mlp = norm(after_attention, layout_.d); break;
    case Norms::around: block.before_mlp = norm(at + "pre_feedforward_layernorm", layout_.d); [[fallthrough]];
    case Norms::after:
      block.after_attention = norm(after_attention, layout_.d);
      block.after_mlp = norm(at + "post_feedforward_layernorm", layout_.d);
      break;
    case Norms::around_glm:
      block.after_attention = norm(at + "post_self_attn_layernorm", layout_.d);
      block.before_mlp = norm(after_attention, layout_.d);
      block.after_mlp = norm(at + "post_mlp_layernorm", layout_.d);
      break;
  }
}

void LlamaFamily::add_attention(AttentionSpec& a, const std::string& at, Index i) const {
  const Index heads = layout_.heads, kv_heads = *layout_.kv_heads, d_head = *layout_.d_head;
  const bool capped = flavour_.norms == LlamaFlavour::Norms::around;
  if (capped) a.scale = 1 / std::sqrt(c_.number({"query_pre_attn_scalar"}, static_cast<double>(d_head)));
  if (flavour_.multipliers) a.scale = c_.number({"attention_multiplier"}, 1);  // GraniteConfig's default
  if (capped && c_.has("attn_logit_softcapping")) a.softcap = c_.number({"attn_logit_softcapping"});
  const auto layer = static_cast<std::size_t>(i);
  a.window = flavour_.window_unrotated && rotated_[layer] && !c_.has("layer_types") ? 0 : windows_[layer];
  if (flavour_.chunks && is_chunked(c_, i, rotated_[layer])) a.chunk = c_.whole({"attention_chunk_size"}, 8192);
  if (rotated_[layer] && (a.window > 0 || !flavour_.window_rotated)) a.rope = a.window > 0 ? sliding_rope_ : rope_;
  if (flavour_.latent) add_latent_attention(b_, at, layout_.d, a);
  if (flavour_.backwards) {
    for (const auto& [linear, count] : {std::pair{&a.q, heads}, {&a.k, kv_heads}}) {
      for (Index half = 1; half < 2 * count; half += half % 2 == 1 ? -1 : 3)
        linear->rows.emplace_back(half * (d_head / 2), d_head / 2);
    }
  }
  if (flavour_.sinks) a.sinks = b_.array(at + "sinks", {heads}, "a logit a head");
  if (flavour_.qk_norms == LlamaFlavour::QkNorms::none) return;
  // Cohere's LayerNorm has a row of weights for each head.
  a.norm_whole = flavour_.qk_norms == LlamaFlavour::QkNorms::whole;
  if (flavour_.qk_norms == LlamaFlavour::QkNorms::unit) {
    if (c_.flag({"use_qk_norm"}, true) && rotated_[layer])
      a.q_norm = a.k_norm = {NormKind::rms, {}, {}, layout_.epsilon};
    return;
  }
  if (flavour_.qk_norms == LlamaFlavour::QkNorms::each) {
    for (const auto& [which, gains, count] :
         {std::tuple{"q", &a.q_gains, heads}, std::tuple{"k", &a.k_gains, kv_heads}}) {
      for (Index h = 0; h < count; ++h)
        gains->push_back(b_.array(at + which + "_layernorm.norms." + std::to_string(h) + ".weight", {d_head},
                                  "a number for each channel of the head"));
    }
    a.q_norm = a.k_norm = {flavour_.norm, {}, {}, layout_.epsilon};
    return;
  }
  const auto head_norm = [&](const std::string& name, Index count) {
    if (flavour_.norm == NormKind::rms) return norm(at + name, a.norm_whole ? count * d_head : d_head);
    NormSpec spec{flavour_.norm, {}, {}, layout_.epsilon, false};
    spec.weight = b_.array(at + name + ".weight", {count, d_head}, "a row for each head");
    return spec;
  };
  a.q_norm = head_norm("q_norm", heads);
  a.k_norm = head_norm("k_norm", kv_heads);
}

void LlamaFamily::add_block(StackSpec& stack, Index i) {
  const std::string at = layout_.place(i);
  BlockSpec& block = b_.add_block(stack, layout_, at);
  if (flavour_.multipliers) block.multiplier = c_.number({"residual_multiplier"}, 1);
  place_norms(block, at);
  add_attention(block.attention, at + flavour_.attention + ".", i);
  LlamaMlps(b_, flavour_, layout_).add(block, at, i);
}

void LlamaFamily::build() {
  b_.find_prefix({flavour_.tokens});
  read_sizes();
  read_rotation();
  const bool tied = c_.flag({"tie_word_embeddings"}, flavour_.tied);
  StackSpec& stack = b_.begin_stack(layout_.d, flavour_.tokens);
  stack.embedding.scale = flavour_.root_scale ? static_cast<double>(std::sqrt(static_cast<float>(layout_.d))) : 1;
  if (flavour_.embedding_norm) stack.embedding.norm = norm("", layout_.d);
  if (flavour_.multipliers) stack.embedding.scale *= c_.number({"embedding_multiplier"}, 1);
  // With dynamic scaling, RoPE's base grows with the text, so texts may be longer than in training.
  stack.embedding.most_positions = rope_.dynamic_factor > 0
                                       ? static_cast<Index>(rope_.dynamic_factor * static_cast<double>(rope_.original))
                                       : c_.whole({"max_position_embeddings"}, 0);
  for (Index i = 0; i < layout_.count; ++i) add_block(stack, i);
  stack.final_norm = norm(flavour_.final_norm, layout_.d);
  HeadSpec& head = b_.network.head;
  head.output = b_.output_head("lm_head.weight", layout_.d, tied, layout_.mlp_bias);
  if (flavour_.multipliers) head.scale = 1 / c_.number({"logits_scaling"}, 1);
  if (flavour_.logit_scale > 0) head.scale = c_.number({"logit_scale"}, flavour_.logit_scale);
  if ((flavour_.norms == LlamaFlavour::Norms::around || flavour_.softcap > 0) && c_.has("final_logit_softcapping"))
    head.softcap = c_.number({"final_logit_softcapping"});
  else if (flavour_.softcap > 0) head.softcap = flavour_.softcap;
}

}  // namespace

void build_llama_family(NetworkBuilder& b, const LlamaFlavour& flavour) { LlamaFamily(b, flavour).build(); }

// Multi-head latent attention (DeepSeek-V2 2024) under the names of its config.json and tensors.
namespace {

/// For each head the rotated rows, then the others; in the file the others come first.
std::vector<std::pair<Index, Index>> rotated_first(Index heads, Index plain, Index rotated) {
  std::vector<std::pair<Index, Index>> rows;
  for (Index h = 0; h < heads; ++h) {
    rows.emplace_back(h * (plain + rotated) + plain, rotated);
    rows.emplace_back(h * (plain + rotated), plain);
  }
  return rows;
}

/// With YaRN the scores are scaled by the square of its gain at mscale_all_dim.
double yarn_growth(const Config& c) {
  const nlohmann::json* scaling = c.find({"rope_scaling", "rope_parameters"});
  if (!scaling || !scaling->is_object()) return 1;
  const auto number = [&](const char* name) {
    return scaling->contains(name) && (*scaling)[name].is_number() ? (*scaling)[name].get<double>() : 0.0;
  };
  const double factor = number("factor"), all = number("mscale_all_dim");
  return factor > 1 && all != 0 ? 0.1 * all * std::log(factor) + 1 : 1;
}

}  // namespace

void add_latent_attention(const NetworkBuilder& b, const std::string& at, Index d, AttentionSpec& a) {
  const Config& c = b.config;
  LatentSpec latent;
  latent.rank = c.whole({"kv_lora_rank"});
  latent.rotated = c.whole({"qk_rope_head_dim"});
  latent.plain = c.whole({"qk_nope_head_dim"});
  latent.value = c.whole({"v_head_dim"});
  c.find({"qk_head_dim", "head_dim"});
  if (latent.rank == 0 || latent.value == 0 || latent.plain + latent.rotated == 0)
    c.fail(Message("its latent attention has a kv_lora_rank of {0}, a v_head_dim of {1} and queries of {2}",
                   latent.rank, latent.value, latent.plain + latent.rotated),
           "expected more than 0");
  constexpr double epsilon = 1e-6;  // the epsilon of these norms; config.json has no field for it
  const Index query_rank = c.whole({"q_lora_rank"}, 0), width = a.heads * (latent.plain + latent.rotated);
  if (query_rank > 0) {
    latent.q_down = b.linear(at + "q_a_proj", query_rank, d);
    latent.q_norm = b.norm(at + "q_a_layernorm", NormKind::rms, query_rank, epsilon);
    a.q = b.linear(at + "q_b_proj", width, query_rank);
  } else {
    a.q = b.linear(at + "q_proj", width, d);
  }
  a.q.rows = rotated_first(a.heads, latent.plain, latent.rotated);
  latent.kv_down = b.linear(at + "kv_a_proj_with_mqa", latent.kept(), d);
  latent.kv_norm = b.norm(at + "kv_a_layernorm", NormKind::rms, latent.rank, epsilon);
  const std::string why = b.as_config_says();
  if (b.has(at + "k_b_proj.weight")) {
    latent.key_up = b.array(at + "k_b_proj.weight", {a.heads, latent.rank, latent.plain}, why);
    latent.value_up = b.array(at + "v_b_proj.weight", {a.heads, latent.value, latent.rank}, why);
  } else {
    latent.kv_up = b.linear(at + "kv_b_proj", a.heads * (latent.plain + latent.value), latent.rank);
  }
  a.o = b.linear(at + "o_proj", d, a.heads * latent.value);
  const double growth = yarn_growth(c);
  a.scale *= growth * growth;
  a.kv_heads = a.heads;
  a.latent = std::move(latent);
}

}  // namespace headlight
