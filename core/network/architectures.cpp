#include "core/network/architectures.h"

#include <algorithm>

#include "core/files/array_layout.h"
#include "core/files/error_place.h"
#include "core/network/blueprint.h"
#include "core/network/model_folder.h"
#include "core/network/unused_arrays.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

using nlohmann::json;

constexpr Architecture rows[] = {
    {"gpt2", "GPT-2", draw_gpt2},
    {"nanogpt", "nanoGPT", draw_nanogpt},
    {"mingpt", "minGPT", draw_mingpt},
    {"attention_only", "attention only", draw_attention_only},
    {"gpt_neo", "GPT-Neo", draw_gpt_neo},
    {"gptj", "GPT-J", draw_gpt_j},
    {"gpt_neox", "GPT-NeoX", draw_gpt_neox},
    {"opt", "OPT", draw_opt},
    {"bloom", "BLOOM", draw_bloom},
    {"falcon", "Falcon", draw_falcon},
    {"mpt", "MPT", draw_mpt},
    {"llama", "LLaMA", draw_llama},
    {"meta_llama", "LLaMA", draw_meta_llama},
    {"mistral", "Mistral", draw_mistral},
    {"qwen2", "Qwen 2", draw_qwen2},
    {"qwen3", "Qwen 3", draw_qwen3},
    {"smollm3", "SmolLM 3", draw_smollm3},
    {"olmo2", "OLMo 2", draw_olmo2},
    {"phi3", "Phi-3", draw_phi3},
    {"granite", "Granite", draw_granite},
    {"gemma", "Gemma", draw_gemma},
    {"gemma2", "Gemma 2", draw_gemma2},
    {"gemma3_text", "Gemma 3", draw_gemma3},
    {"bert", "BERT", draw_bert},
    {"roberta", "RoBERTa", draw_roberta},
    {"xlm-roberta", "XLM-RoBERTa", draw_roberta},
    {"camembert", "CamemBERT", draw_roberta},
    {"distilbert", "DistilBERT", draw_distilbert},
    {"t5", "T5", draw_t5},
    {"mt5", "mT5", draw_mt5},
    {"bart", "BART", draw_bart},
    {"mbart", "mBART", draw_mbart},
    {"marian", "Marian", draw_marian},
    {"nn.Transformer", "nn.Transformer", draw_torch_transformer},
};

/// nanoGPT's torch.save of {"model": …, "model_args": {"n_layer": …}, …}.
json model_args_of(const Checkpoint& checkpoint) {
  json fields = json::object();
  for (const char* name : {"n_layer", "n_head", "n_embd", "block_size", "vocab_size"}) {
    if (const auto number = checkpoint.number(std::string("model_args.") + name))
      fields[name] = static_cast<Index>(*number);
  }
  if (const auto bias = checkpoint.number("model_args.bias")) fields["bias"] = *bias != 0;
  if (fields.contains("n_head")) fields["model_type"] = "nanogpt";
  return fields;
}

/// nn.Transformer's layers with what the file says of them in numbers and words.
json torch_layers_of(const Checkpoint& checkpoint) {
  if (!checkpoint.prefix_of("self_attn.in_proj_weight") || !checkpoint.prefix_of("linear1.weight") ||
      !checkpoint.prefix_of("norm1.weight"))
    return {};
  json fields{{"model_type", "nn.Transformer"}};
  for (const char* name : {"num_heads", "nhead", "n_heads", "n_head", "head_num", "num_attention_heads",
                           "layer_norm_eps", "norm_first", "is_causal", "tgt_is_causal"}) {
    if (const auto number = checkpoint.number(name)) fields[name] = *number;
  }
  for (const auto& file : checkpoint.files()) {
    if (const auto found = file->texts().find("activation"); found != file->texts().end()) {
      fields["activation"] = found->second;
    } else if (const auto words = file->words("activation"); words && words->words.size() == 1) {  // of an .npz
      fields["activation"] = words->words.front();
    }
  }
  return fields;
}

std::string all_types() {
  std::string list;
  for (const Architecture& row : rows) list += (list.empty() ? "" : ", ") + std::string(row.model_type);
  return list;
}

}  // namespace

std::span<const Architecture> architectures() { return rows; }

Config config_of(const ModelFolder& folder, const Checkpoint& checkpoint) {
  if (folder.config.empty()) {
    json fields = model_args_of(checkpoint);
    if (fields.contains("n_head")) return Config(std::move(fields), "model_args");
    fields = torch_layers_of(checkpoint);
    if (fields.is_object()) return Config(std::move(fields), folder.said);
    throw UnknownModel(folder.said, "has no config.json, which says how its layers are built",
                       "expected one beside " + utf8_from(folder.tensors.front().filename()));
  }
  const Config config = Config::read(folder.config);
  json fields = config.fields();
  const bool nested = fields.contains("model") && fields["model"].is_object() && fields["model"].contains("n_layer");
  if (nested) fields = fields["model"];  // minGPT's config.json of a training run
  if (folder.config.filename() == "params.json") fields["model_type"] = "meta_llama";
  const std::string type =
      fields.contains("model_type") && fields["model_type"].is_string() ? fields["model_type"].get<std::string>() : "";
  const bool of_karpathy = fields.contains("block_size") && fields.contains("n_embd") &&
                           (type.empty() || type.starts_with("gpt") || type == "openai-gpt");
  if (of_karpathy) fields["model_type"] = nested || !fields.contains("bias") ? "mingpt" : "nanogpt";
  return Config(std::move(fields), config.path());
}

namespace {

/// What config.json says of sizes, held against the file before anything is made of it: no more layers than arrays, no
/// head wider than the largest array, no share above 1.
void check_sizes(const Config& config, const Checkpoint& checkpoint) {
  Index largest = 0;
  for (const std::string& name : checkpoint.names())
    largest = std::max(largest, checked_count(checkpoint.entry(name).shape).value_or(0));
  const auto arrays = static_cast<Index>(checkpoint.names().size());
  constexpr double always_few = 4096, always_narrow = 1 << 20;
  const auto check = [&](const char* name, Index have, double always, const std::string& expected) {
    const auto found = config.fields().find(name);
    if (found == config.fields().end() || !found->is_number()) return;
    const double said = found->get<double>();
    if (said <= std::max(always, static_cast<double>(have))) return;
    config.fail("says that its " + std::string(name) + " is " + found->dump() + ", which the file cannot hold",
                expected);
  };
  for (const char* layers : {"num_hidden_layers", "n_layer", "n_layers", "num_layers", "num_decoder_layers",
                             "encoder_layers", "decoder_layers"}) {
    check(layers, arrays, always_few, "expected at most its " + std::to_string(arrays) + " arrays");
  }
  for (const char* width :
       {"head_dim", "d_kv", "hidden_size", "n_embd", "d_model", "dim", "rotary_dim", "intermediate_size",
        "num_attention_heads", "n_head", "num_heads", "num_key_value_heads", "vocab_size"}) {
    check(width, largest, always_narrow,
          "expected at most the " + std::to_string(largest) + " numbers of its largest array");
  }
  for (const char* share : {"rotary_pct", "partial_rotary_factor"}) check(share, 1, 1, "expected a share from 0 to 1");
}

}  // namespace

NetworkSpec draw_network(const Config& config, const Checkpoint& checkpoint) {
  check_sizes(config, checkpoint);
  const std::string type = config.text({"model_type"}, "");
  const auto row = std::ranges::find(rows, type, &Architecture::model_type);
  if (row == std::end(rows)) {
    throw UnknownModel(config.path(),
                       type.empty() ? "has no model_type" : "its model_type " + in_quotes(type) + " is not known",
                       "expected one of " + all_types());
  }
  Blueprint blueprint(config, checkpoint);
  blueprint.network.family = row->title;
  row->draw(blueprint);
  NetworkSpec spec = std::move(blueprint.network);
  if (spec.stacks.empty() || spec.stacks.back().blocks.empty())
    config.fail("says that the network has no layers", "expected at least one");
  if (!spec.takes_tensors) {  // beside those stand inputs and other layers
    const std::string unused = unused_arrays(spec, checkpoint, blueprint.prefix);
    if (!unused.empty()) spec.notes.push_back("not used: " + unused + ", of which " + config.path() + " says nothing");
  }
  for (const auto& [name, field] : {std::pair{"decoder_start_token_id", &spec.start_token},
                                    {"eos_token_id", &spec.end_token},
                                    {"mask_token_id", &spec.mask_token}}) {
    const json* value = config.find({name});
    if (value && value->is_array() && !value->empty()) value = &value->front();
    if (value && value->is_number_unsigned()) *field = value->get<Index>();
  }
  std::string unknown;
  for (const std::string& field : config.unknown_fields()) unknown += (unknown.empty() ? "" : ", ") + in_quotes(field);
  if (!unknown.empty()) spec.notes.push_back("config.json: not used: " + unknown);
  return spec;
}

}  // namespace headlight
