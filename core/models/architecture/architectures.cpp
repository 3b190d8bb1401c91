#include "core/models/architecture/architectures.h"

#include <algorithm>
#include <map>
#include <set>

#include "core/base/arrays/array_contents.h"
#include "core/base/files/error_place.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/models/architecture/checkpoint.h"
#include "core/models/architecture/model_folder.h"
#include "core/models/architecture/network_builder.h"

namespace headlight {
namespace {

using nlohmann::json;

using Scope = Architecture::Scope;
constexpr auto rms = NormKind::rms, layer_norm = NormKind::layer;

void build_relative_encoder(NetworkBuilder& b) {
  build_layers(b, {.pairing = Rope::none, .causal = false, .relative = true});
}
/// T5's encoders: scores are not scaled.
void build_unscaled_encoder(NetworkBuilder& b) {
  build_layers(b, {.pairing = Rope::none, .scale = 1, .causal = false, .relative = true});
}
void build_rms_decoder(NetworkBuilder& b) { build_layers(b, {.norm = rms, .epsilon = 1e-6}); }

/// Architectures of whole networks first, then those of which only a single layer is known.
constexpr Architecture rows[] = {
    {"gpt2", "GPT-2", build_gpt2},
    {"nanogpt", "nanoGPT", build_nanogpt},
    {"mingpt", "minGPT", build_mingpt},
    {"headlight", "Headlight", build_headlight, Scope::network},
    {"attention_only", "attention only", build_attention_only, Scope::network},
    {"gpt_neo", "GPT-Neo", build_gpt_neo},
    {"gptj", "GPT-J", build_gpt_j},
    {"gpt_neox", "GPT-NeoX", build_gpt_neox},
    {"opt", "OPT", build_opt},
    {"bloom", "BLOOM", build_bloom},
    {"falcon", "Falcon", build_falcon},
    {"mpt", "MPT", build_mpt},
    {"llama", "LLaMA", build_llama},
    {"meta_llama", "LLaMA", build_meta_llama},
    {"mistral", "Mistral", build_mistral},
    {"qwen2", "Qwen 2", build_qwen2},
    {"qwen3", "Qwen 3", build_qwen3},
    {"smollm3", "SmolLM 3", build_smollm3},
    {"olmo2", "OLMo 2", build_olmo2},
    {"olmo", "OLMo", build_olmo},
    {"olmo3", "OLMo 3", build_olmo3},
    {"phi", "Phi", build_phi},
    {"phi3", "Phi-3", build_phi3},
    {"stablelm", "StableLM", build_stablelm},
    {"persimmon", "Persimmon", build_persimmon},
    {"nanochat", "nanochat", build_nanochat},
    {"starcoder2", "StarCoder 2", build_starcoder2},
    {"cohere", "Cohere", build_cohere},
    {"cohere2", "Cohere 2", build_cohere2},
    {"glm", "GLM", build_glm},
    {"glm4", "GLM 4", build_glm},
    {"granite", "Granite", build_granite},
    {"granitemoe", "Granite MoE", build_granite_moe},
    {"gpt_oss", "gpt-oss", build_gpt_oss},
    {"mixtral", "Mixtral", build_mixtral},
    {"qwen2_moe", "Qwen 2 MoE", build_qwen2_moe},
    {"qwen3_moe", "Qwen 3 MoE", build_qwen3_moe},
    {"olmoe", "OLMoE", build_olmoe},
    {"deepseek_v2", "DeepSeek 2", build_deepseek, Scope::network},
    {"deepseek_v3", "DeepSeek 3", build_deepseek, Scope::network},
    {"llama4_text", "Llama 4", build_llama4},
    {"gemma", "Gemma", build_gemma},
    {"gemma2", "Gemma 2", build_gemma2},
    {"gemma3_text", "Gemma 3", build_gemma3},
    {"bert", "BERT", build_bert},
    {"roberta", "RoBERTa", build_roberta},
    {"xlm-roberta", "XLM-RoBERTa", build_roberta},
    {"camembert", "CamemBERT", build_roberta},
    {"distilbert", "DistilBERT", build_distilbert},
    {"electra", "ELECTRA", build_electra},
    {"albert", "ALBERT", build_albert},
    {"modernbert", "ModernBERT", build_modernbert},
    {"deberta-v2", "DeBERTa 2", build_deberta2, Scope::network},
    {"vit", "ViT", build_vit},
    {"deit", "DeiT", build_deit, Scope::network},
    {"dinov2", "DINOv2", build_dinov2, Scope::network},
    {"dinov2_with_registers", "DINOv2", build_dinov2, Scope::network},
    {"clip_vision_model", "CLIP", build_clip, Scope::network},
    {"siglip_vision_model", "SigLIP", build_siglip, Scope::network},
    {"clip_text_model", "CLIP's texts", build_clip_text, Scope::network},
    {"siglip_text_model", "SigLIP's texts", build_siglip_text, Scope::network},
    {"timm_vit", "ViT", build_timm_vit, Scope::network},
    {"t5", "T5", build_t5},
    {"mt5", "mT5", build_mt5},
    {"bart", "BART", build_bart},
    {"mbart", "mBART", build_mbart},
    {"marian", "Marian", build_marian},
    {"nn.Transformer", "nn.Transformer", build_torch_transformer, Scope::network},
    {"qwen2_vl", "Qwen 2 VL", build_rms_decoder, Scope::layer},
    {"qwen2_5_vl", "Qwen 2.5 VL", build_rms_decoder, Scope::layer},
    {"internlm", "InternLM", build_rms_decoder, Scope::layer},
    {"internlm2", "InternLM 2",
     [](NetworkBuilder& b) {
       build_layers(b, {.norm = rms, .norm_name = "attention_norm", .tokens = "tok_embeddings.weight"});
     },
     Scope::layer},
    {"nemotron", "Nemotron",
     [](NetworkBuilder& b) { build_layers(b, {.share = 0.5, .norm = layer_norm, .plus_one = true}); }, Scope::layer},
    {"ernie4_5", "ERNIE 4.5", [](NetworkBuilder& b) { build_layers(b, {.pairing = Rope::interleaved, .norm = rms}); },
     Scope::layer},
    {"helium", "Helium",
     [](NetworkBuilder& b) { build_layers(b, {.pairing = Rope::interleaved, .norm = rms, .epsilon = 1e-8}); },
     Scope::layer},
    {"dbrx", "DBRX",
     [](NetworkBuilder& b) { build_layers(b, {.norm = layer_norm, .norm_name = "norm_1", .tokens = "wte.weight"}); },
     Scope::layer},
    {"umt5", "umT5", build_unscaled_encoder, Scope::layer},
    {"longt5", "LongT5", build_unscaled_encoder, Scope::layer},
    {"mpnet", "MPNet", build_relative_encoder, Scope::layer},
    {"swin", "Swin", build_relative_encoder, Scope::layer},
    {"beit", "BEiT", build_relative_encoder, Scope::layer},
    {"deberta", "DeBERTa", build_relative_encoder, Scope::layer},
    {"deberta-v2", "DeBERTa 2", build_relative_encoder, Scope::layer},
    {"gemma3", "Gemma 3", build_gemma3, Scope::layer},
    {"codegen", "CodeGen", build_codegen, Scope::layer},
    {"gpt_bigcode", "StarCoder", build_gpt_bigcode, Scope::layer},
    {"chatglm", "ChatGLM", build_chatglm, Scope::layer},
};

/// Whether an array need not be reported as unused: it repeats a part of the network, or the pass to the logits does
/// not need it.
bool need_not_be_named(const std::string& name) {
  constexpr std::string_view endings =
      "attn.bias attention.bias masked_bias inv_freq rope.freqs position_ids token_type_ids attn.mask lm_head.weight "
      "embed_tokens.weight embed_out.weight output.weight decoder.weight decoder.bias vocab_projector.weight "
      "embed_positions.weight proj_out.weight lm_head.bias final_logits_bias num_batches_tracked";
  constexpr std::string_view parts =
      "pooler seq_relationship classifier optimizer qa_outputs rotary_emb cls. mask_token _extra_state "
      "EncDecAttention.relative_attention_bias";
  return any_word(endings, [&](std::string_view ending) { return name.ends_with(ending); }) ||
         any_word(parts, [&](std::string_view part) { return name.find(part) != std::string::npos; });
}

/// The arrays under the prefix that no part of the network uses, as "\"model.layers.0.self_attn.q_norm.weight\" and 11
/// more", or "". Throws FileError for an adapter, which changes other weights.
Message unused_arrays(const NetworkBuilder& b) {
  const Checkpoint& checkpoint = b.file;
  Message first;
  int others = 0;
  for (const std::string& name : checkpoint.names()) {
    if (!name.starts_with(b.prefix) || b.used.contains(name)) continue;
    if (name.find(".lora_") != std::string::npos) {
      throw FileError(checkpoint.path_of(name), Message("holds {0}, an adapter that changes a weight", in_quotes(name)),
                      "expected weights that adapters are merged into");
    }
    if (need_not_be_named(name)) continue;
    first.empty() ? void(first = in_quotes(name)) : void(++others);
  }
  return others > 0 ? Message("{0} and {1} more", first, others) : first;
}

/// "layers.#.norm.bias": the same for every layer.
std::string without_numbers(std::string_view name) {
  std::string pattern;
  for (const char c : name) {
    const bool digit = c >= '0' && c <= '9';
    if (!digit) pattern += c;
    else if (!pattern.ends_with('#')) pattern += '#';
  }
  return pattern;
}

/// Refuses a file that lacks a bias which other layers have; names biases that the family has and the file lacks.
void note_lacking_biases(const NetworkBuilder& b, NetworkSpec& spec) {
  std::map<std::string, std::string> have;
  for (const std::string& name : b.used) have.emplace(without_numbers(name), name);
  std::set<std::string> named;
  for (const auto& [name, is_expected] : b.lacking) {
    const auto other = have.find(without_numbers(name));
    if (other != have.end())
      throw FileError(b.file.files().front()->path(),
                      Message("holds no {0}, and holds {1}", in_quotes(name), in_quotes(other->second)),
                      "expected the bias in every layer or in none");
    const std::string last = name.substr(0, name.rfind('.'));
    if (is_expected) named.insert(last.substr(last.rfind('.') + 1));
  }
  if (!named.empty()) spec.notes.push_back(Message("no bias in the file for {0}: computed without", comma_list(named)));
}

bool is_causal(const NetworkSpec& spec) {
  return std::ranges::any_of(spec.stacks, [](const StackSpec& stack) {
    return std::ranges::any_of(stack.blocks, [](const BlockSpec& block) { return block.attention.causal; });
  });
}

}  // namespace

std::span<const Architecture> architectures() {
  const auto first_layer = std::ranges::find(rows, Scope::layer, &Architecture::scope);
  return {rows, static_cast<std::size_t>(first_layer - rows)};
}

void check_sizes(const Config& config, const Checkpoint& checkpoint) {
  Index largest = 0;
  for (const std::string& name : checkpoint.names())
    largest = std::max(largest, checked_count(checkpoint.entry(name).shape).value_or(0));
  const auto arrays = static_cast<Index>(checkpoint.names().size());
  constexpr double always_few = 4096, always_narrow = 1 << 20;
  constexpr std::string_view layers =
      "num_hidden_layers n_layer n_layers num_layers num_decoder_layers encoder_layers decoder_layers";
  constexpr std::string_view widths =
      "head_dim d_kv hidden_size n_embd d_model dim rotary_dim intermediate_size num_attention_heads n_head num_heads "
      "num_key_value_heads vocab_size kv_lora_rank q_lora_rank qk_rope_head_dim qk_nope_head_dim "
      "v_head_dim moe_intermediate_size n_shared_experts num_local_experts num_experts n_routed_experts";
  const auto check = [&](std::string_view names, Index have, double always, const Message& expected) {
    for (const std::string_view name : Split(names, ' ')) {
      const auto found = config.fields().find(std::string(name));
      if (found == config.fields().end() || !found->is_number()) continue;
      const double size = found->get<double>();
      if (size <= std::max(always, static_cast<double>(have))) continue;
      config.fail(Message("says that its {0} is {1}, which the file cannot hold", name, found->dump()), expected);
    }
  };
  check(layers, arrays, always_few, Message("expected at most its {0} arrays", arrays));
  check(widths, largest, always_narrow, Message("expected at most the {0} numbers of its largest array", largest));
}

namespace {

/// Reads the ids of special tokens, and of the token that a decoder must write first.
void read_special_tokens(const Config& config, NetworkSpec& spec) {
  for (const auto& [name, field] : {std::pair{"decoder_start_token_id", &spec.start_token},
                                    {"eos_token_id", &spec.end_token},
                                    {"mask_token_id", &spec.mask_token}}) {
    const json* value = config.find({name});
    if (value && value->is_array() && !value->empty()) value = &value->front();
    if (value && value->is_number_unsigned()) *field = value->get<Index>();
  }
  if (const json* first = config.find({"forced_bos_token_id"}); first && first->is_number_unsigned())
    spec.forced_first = first->get<Index>();
}

}  // namespace

NetworkSpec build_network(const Config& config, const Checkpoint& checkpoint) {
  check_sizes(config, checkpoint);
  const std::string type = config.text({"model_type"}, "");
  const auto known = architectures();
  const auto row = std::ranges::find(known, type, &Architecture::model_type);
  if (row == known.end()) {
    refuse_recurrent(config, type, checkpoint);
    if (std::ranges::find(rows, type, &Architecture::model_type) != std::end(rows))
      throw UnknownModel(config.path(), Message("a network of model_type {0} is not run as a whole", in_quotes(type)),
                         Message("expected one of its layers alone: {0} in place of the folder, with --layer",
                                 checkpoint.files().front()->path()));
    throw UnknownModel(
        config.path(),
        type.empty() ? Message("has no model_type") : Message("its model_type {0} is not known", in_quotes(type)),
        Message("expected one of {0}",
                comma_list(architectures(), [](const Architecture& known_row) { return known_row.model_type; })));
  }
  NetworkBuilder builder(config, checkpoint);
  builder.network.family = row->title;
  row->build(builder);
  NetworkSpec spec = std::move(builder.network);
  if (builder.whole()) note_lacking_biases(builder, spec);
  if (const ArrayFile& first = *checkpoint.files().front(); is_gguf(first))
    spec.notes.push_back(Message("weights are stored as {0}; what they stand for is computed with, in float32",
                                 first.texts().at("gguf.formats")));
  if (spec.stacks.empty() || spec.stacks.back().blocks.empty())
    config.fail("says that the network has no layers", "expected at least one");
  if (!spec.takes_tensors) {  // such a file also holds inputs and other layers
    const Message unused = unused_arrays(builder);
    if (!unused.empty())
      spec.notes.push_back(Message("not used: {0}, of which {1} says nothing", unused, config.path()));
  }
  // Text models only; CLIP and SigLIP are read as their image towers.
  if (!spec.picture && !type.ends_with("_text_model") &&
      std::ranges::any_of(checkpoint.names(), [](const std::string& name) {
        return name.starts_with("vision_") || name.find(".vision_tower.") != std::string::npos;
      }))
    spec.notes.push_back("its vision tower is not used: text alone is computed");
  read_special_tokens(config, spec);
  if (config.has("auto_map"))
    spec.notes.push_back(
        Message("config.json: auto_map names code of the model's own, which is not run; computed as {0}",
                std::string(row->title)));
  if (const json* causal = config.find({"is_causal"});
      causal && *causal == false && is_causal(spec) && !spec.takes_tensors)
    config.fail("its is_causal is false, which is not computed here", "expected true");
  if (const std::vector<std::string> unknown = config.unknown_fields(); !unknown.empty())
    spec.notes.push_back(Message("config.json: not used: {0}", first_in_quotes(unknown, unknown.size())));
  return spec;
}

const Architecture* layer_architecture(std::string_view type) {
  const auto row = std::ranges::find_if(
      rows, [&](const Architecture& each) { return each.model_type == type && each.scope != Scope::network; });
  return row == std::end(rows) ? nullptr : row;
}

}  // namespace headlight
