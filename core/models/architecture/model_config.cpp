// The description of a checkpoint's architecture, from config.json or elsewhere, as one config; and the errors for
// architectures without attention.
#include <algorithm>
#include <limits>

#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"
#include "core/models/architecture/architectures.h"
#include "core/models/architecture/checkpoint.h"
#include "core/models/architecture/model_folder.h"
#include "core/models/architecture/network_builder.h"

namespace headlight {
namespace {

using nlohmann::json;

/// nanoGPT's file holds {"model": …, "model_args": {"n_layer": …}, …}.
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

/// For layers of nn.Transformer: the settings that the file holds as numbers and texts.
json torch_layers_of(const Checkpoint& checkpoint) {
  if (!checkpoint.prefix_of("self_attn.in_proj_weight") || !checkpoint.prefix_of("linear1.weight") ||
      !checkpoint.prefix_of("norm1.weight"))
    return {};
  // Of modules that were saved whole the first layer says it.
  const std::string first = *checkpoint.prefix_of("self_attn.in_proj_weight"), attention = first + "self_attn.";
  json fields{{"model_type", "nn.Transformer"}};
  for (const char* name : {"num_heads", "nhead", "n_heads", "n_head", "head_num", "num_attention_heads",
                           "layer_norm_eps", "norm_first", "is_causal", "tgt_is_causal"}) {
    for (const std::string& place : {std::string(), first, attention}) {
      const auto number = place.empty() ? checkpoint.setting(name) : checkpoint.number(place + name);
      if (number && !fields.contains(name)) fields[name] = *number;
    }
  }
  const auto epsilon = checkpoint.number(first + "norm1.eps");
  if (epsilon && !fields.contains("layer_norm_eps")) fields["layer_norm_eps"] = *epsilon;
  for (const auto& file : checkpoint.files()) {
    for (const auto& [name, text] : file->texts()) {
      const std::size_t dot = name.find('.');
      const bool in_settings =
          dot != std::string::npos &&
          std::ranges::find(places_of_settings, name.substr(0, dot + 1)) != std::end(places_of_settings);
      if (name == "activation" || name == first + "activation" || (in_settings && name.substr(dot + 1) == "activation"))
        fields["activation"] = text;
    }
    if (fields.contains("activation")) continue;
    const auto words = file->words("activation");  // an .npz holds texts as arrays
    if (words && words->words.size() == 1) fields["activation"] = words->words.front();
  }
  return fields;
}

/// Gemma 3 and Llama 4 as they are published: text_config holds the fields of the text model. Gemma 3 leaves out fields
/// with default values.
json text_of(const json& whole) {
  const bool gemma = whole["model_type"] == "gemma3";
  const json gemma_defaults{{"vocab_size", 262208},      {"hidden_size", 2304},
                            {"intermediate_size", 9216}, {"num_hidden_layers", 26},
                            {"num_attention_heads", 8},  {"num_key_value_heads", 4},
                            {"head_dim", 256},           {"max_position_embeddings", 131072}};
  json fields = gemma ? gemma_defaults : json::object();
  if (whole["text_config"].is_object()) fields.update(whole["text_config"]);
  fields["model_type"] = gemma ? "gemma3_text" : "llama4_text";
  for (const char* name : {"quantization_config", "eos_token_id", "tie_word_embeddings"}) {
    if (whole.contains(name)) fields[name] = whole[name];
  }
  return fields;
}

/// nanochat's meta_N.json beside model_N.pt, with transformers' names; nothing if there is none. Its norms are
/// PyTorch's with the default epsilon, that of float32.
json nanochat_config(const ModelFolder& folder, const Checkpoint& checkpoint) {
  const std::string name = folder.tensors.front().stem().string();
  const std::filesystem::path meta =
      folder.tensors.front().parent_path() / ("meta" + (name.starts_with("model_") ? name.substr(5) : "") + ".json");
  std::error_code error;
  if (!name.starts_with("model_") || !std::filesystem::is_regular_file(meta, error)) return {};
  const json whole = read_json_object(meta, "the meta_N.json that nanochat writes", 1 << 20);
  const json settings = whole.value("model_config", json::object());
  const std::string up = "transformer.h.0.mlp.c_fc.weight";
  const auto prefix = checkpoint.prefix_of(up);
  if (!settings.is_object() || !prefix || checkpoint.entry(*prefix + up).shape.size() != 2) return {};
  json fields{{"model_type", "nanochat"},
              {"intermediate_size", checkpoint.entry(*prefix + up).shape[0]},
              {"rms_norm_eps", std::numeric_limits<float>::epsilon()}};
  for (const auto& [from, to] : {std::pair{"n_embd", "hidden_size"},
                                 {"n_layer", "num_hidden_layers"},
                                 {"n_head", "num_attention_heads"},
                                 {"n_kv_head", "num_key_value_heads"},
                                 {"sequence_len", "max_position_embeddings"},
                                 {"vocab_size", "vocab_size"}}) {
    if (settings.contains(from)) fields[to] = settings[from];
  }
  for (const auto& [field, value] : settings.items()) {  // fields of later versions are refused or reported as unused
    if (field == "window_pattern" && value.is_string() &&
        value.get<std::string>().find_first_not_of("L") == std::string::npos)
      continue;
    if (field == "window_pattern")
      throw FileError(utf8_from(meta), Message("its window_pattern is {0}, which is not computed here", value.dump()),
                      "expected L, every key");
    if (!field.starts_with("n_") && field != "sequence_len" && field != "vocab_size") fields[field] = value;
  }
  return fields;
}

}  // namespace

Config config_of(const ModelFolder& folder, const Checkpoint& checkpoint) {
  if (is_gguf(*checkpoint.files().front())) return Config(gguf_config(checkpoint), folder.said);
  if (folder.config.empty()) {
    json fields = model_args_of(checkpoint);
    if (fields.contains("n_head")) return Config(std::move(fields), "model_args");
    fields = nanochat_config(folder, checkpoint);
    if (fields.is_object()) return Config(std::move(fields), folder.said);
    fields = torch_layers_of(checkpoint);
    if (fields.is_object()) return Config(std::move(fields), folder.said);
    throw UnknownModel(folder.said, "has no config.json, which says how its layers are built",
                       Message("expected one beside {0}", utf8_from(folder.tensors.front().filename())));
  }
  const Config config = Config::read(folder.config);
  json fields = config.fields();
  const bool nested = fields.contains("model") && fields["model"].is_object() && fields["model"].contains("n_layer");
  if (nested) fields = fields["model"];  // minGPT's config.json of a training run
  if (folder.config.filename() == "params.json") fields["model_type"] = "meta_llama";
  const json model_type = fields.value("model_type", json());
  if ((model_type == "gemma3" || model_type == "llama4") && fields.contains("text_config")) fields = text_of(fields);
  if (fields.contains("architecture") && !fields.contains("model_type")) fields = timm_config(fields, checkpoint);
  for (const char* towers : {"clip", "siglip"}) {
    if (fields.value("model_type", json()) == towers) fields = image_tower_config(fields, towers);
  }
  const std::string type =
      fields.contains("model_type") && fields["model_type"].is_string() ? fields["model_type"].get<std::string>() : "";
  const bool is_gpt = fields.contains("block_size") && fields.contains("n_embd") &&
                      (type.empty() || type.starts_with("gpt") || type == "openai-gpt");
  if (is_gpt) fields["model_type"] = nested || !fields.contains("bias") ? "mingpt" : "nanogpt";
  return Config(std::move(fields), config.path());
}

void refuse_recurrent(const Config& config, const std::string& type, const Checkpoint& checkpoint) {
  // Parts of model types, and what their layers are.
  constexpr std::pair<std::string_view, const char*> kinds[] = {
      {"mamba jamba bamba zamba nemotron_h granitemoehybrid falcon_h1", "state spaces"},
      {"rwkv", "RWKV's recurrence"},
      {"recurrent_gemma", "linear recurrences"},
      {"qwen3_next", "gated delta rules"},
      {"lfm2", "short convolutions"},
      {"xlstm", "LSTM cells"},
  };
  const auto in_type = [&](std::string_view word) { return type.find(word) != std::string::npos; };
  const auto* const kind = std::ranges::find_if(kinds, [&](const auto& each) { return any_word(each.first, in_type); });
  if (kind == std::end(kinds)) return;
  std::string attentions;
  int others = 0;
  for (const std::string& name : checkpoint.names()) {
    constexpr std::string_view query = ".q_proj.weight";
    if (!name.ends_with(query) || type == "qwen3_next") continue;  // its q_proj also holds a gate
    const std::string at = name.substr(0, name.size() - query.size());
    attentions.size() > 200 ? void(++others) : void(attentions += (attentions.empty() ? "" : ", ") + at);
  }
  if (others > 0) attentions += " and " + std::to_string(others) + " more";
  throw UnknownModel(
      config.path(),
      Message("its model_type {0} has layers of {1}, which are not computed here", in_quotes(type), kind->second),
      attentions.empty()
          ? Message("expected a network of attention")
          : Message(
                "expected a network of attention; its own can be shown alone, on inputs from a file, by --layer: {0}",
                attentions));
}

}  // namespace headlight
