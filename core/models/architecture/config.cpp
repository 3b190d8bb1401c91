#include "core/models/architecture/config.h"

#include <algorithm>
#include <cmath>

#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/utf8_path.h"

namespace headlight {
namespace {

using nlohmann::json;

/// Fields that do not change a forward pass at inference: names, training, generation, dropout.
constexpr std::string_view harmless =
    "architectures model_type torch_dtype dtype transformers_version use_cache task_specific_params summary_type "
    "summary_use_proj summary_activation summary_first_dropout summary_proj_to_labels initializer_range "
    "initializer_factor attn_pdrop resid_pdrop embd_pdrop attention_dropout hidden_dropout "
    "attention_probs_dropout_prob hidden_dropout_prob activation_dropout dropout dropout_rate classifier_dropout "
    "classifier_dropout_prob classif_dropout seq_classif_dropout qa_dropout layerdrop encoder_layerdrop "
    "decoder_layerdrop embed_dropout emb_pdrop init_std bos_token_id eos_token_id sep_token_id cls_token_id "
    "mask_token_id forced_eos_token_id forced_bos_token_id bad_words_ids num_beams max_length min_length "
    "early_stopping length_penalty no_repeat_ngram_size id2label label2id num_labels problem_type finetuning_task "
    "output_attentions output_hidden_states output_past return_dict gradient_checkpointing pretraining_tp "
    "_name_or_path name_or_path auto_map tokenizer_class prefix torchscript pruned_heads use_bfloat16 "
    "tf_legacy_loss chunk_size_feed_forward cross_attention_hidden_size _num_labels n_special "
    "predict_special_tokens afn static_position_embeddings vocab_size attn_implementation _attn_implementation "
    "_attn_implementation_autoset _attn_implementation_internal attention_implementation bias_dropout_fusion "
    "reorder_and_upcast_attn hidden_dim_dropout unsloth_version unsloth_fixed position_embedding_init temperature "
    "top_k top_p do_sample repetition_penalty num_return_sequences is_encoder_decoder tie_encoder_decoder "
    "normalize_embedding add_final_layer_norm add_bias_logits classifier_activation skip_bias_add "
    "skip_bias_add_qkv offset_alibi slow_but_exact masked_softmax_fusion n_positions_init seq_length n_ctx "
    "cache_implementation hidden_act_param model_max_length training optimizer learning_rate weight_decay seed "
    "batch_size epochs steps title task accuracy examples claims id languages begin_suppress_tokens "
    "suppress_tokens use_mems attention_probs_dropout gradient_checkpoint attention_softmax_in_fp32 "
    "directionality";

/// Parts of names: a field with one of them may change what attention computes.
constexpr std::string_view significant =
    "attn attention rope rotary position window mask scale scaling softcap cap head layer_type sink bias "
    "multiplier norm alibi expert moe parallel relative residual query kv rank hash state conv";

/// The same for a single layer.
constexpr std::string_view significant_to_attention =
    "rope rotary attn_ attention_ _attn _attention attention qk softcap soft_cap softmax sink alibi relative "
    "temperature logit_scale logn nope ntk lora_rank v_head_dim query_scale key_multiplier layer_scaling "
    "sliding_window_size causal bidirectional prefix_lm positional_embedding";
constexpr std::string_view harmless_to_attention =
    "num_attention_heads attention_bias attention_types attention_head_size attn_dropout attention_head_dim "
    "max_relative_position encoder_attention_heads decoder_attention_heads attention_heads "
    "scale_attention_softmax_in_fp32 attention_layers cross_attention_hidden_size add_qkv_bias "
    "attention_softmax_in_fp32 apply_query_key_layer_scaling";

bool says_nothing(const json& value) {
  return value.is_null() || value == json(false) || (value.is_structured() && value.empty()) ||
         (value.is_number() && value == json(0));
}

Message listed(std::initializer_list<std::string_view> names) {
  Message list;
  for (const std::string_view name : names) list = list.empty() ? Message(name) : Message("{0} or {1}", list, name);
  return list;
}

}  // namespace

Config Config::read(const std::filesystem::path& path) {
  return Config(read_json_object(path, "a config.json as Hugging Face writes it"), utf8_from(path));
}

void Config::fail(const Message& wrong, const Message& expected) const { throw FileError(path_, wrong, expected); }

const json* Config::find(std::initializer_list<std::string_view> names) const {
  const json* first = nullptr;
  for (const std::string_view name : names) {
    known_.emplace(name);
    const auto found = fields_.find(std::string(name));
    if (!first && found != fields_.end() && !found->is_null()) first = &*found;
  }
  return first;
}

const json& Config::wanted(std::initializer_list<std::string_view> names) const {
  const json* found = find(names);
  if (!found) fail(Message("has no {0}", listed(names)), "expected the field, which the model's numbers depend on");
  return *found;
}

Index Config::whole(std::initializer_list<std::string_view> names) const {
  if (partial_ && !find(names)) return 0;
  const json& value = wanted(names);
  const double number = value.is_number() ? value.get<double>() : -1;
  if (!(number >= 0 && number <= 1e9) || number != std::floor(number))
    fail(Message("its {0} is {1}", listed(names), value.dump()), "expected a whole number, 0 or more");
  return static_cast<Index>(number);
}

Index Config::whole(std::initializer_list<std::string_view> names, Index fallback) const {
  return find(names) ? whole(names) : fallback;
}

double Config::number(std::initializer_list<std::string_view> names) const {
  const json& value = wanted(names);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    fail(Message("its {0} is {1}", listed(names), value.dump()), "expected a number");
  return value.get<double>();
}

double Config::number(std::initializer_list<std::string_view> names, double fallback) const {
  return find(names) ? number(names) : fallback;
}

bool Config::flag(std::initializer_list<std::string_view> names, bool fallback) const {
  const json* value = find(names);
  if (!value) return fallback;
  if (value->is_number() && (*value == 0 || *value == 1)) return *value == 1;
  if (!value->is_boolean()) fail(Message("its {0} is {1}", listed(names), value->dump()), "expected true or false");
  return value->get<bool>();
}

std::string Config::text(std::initializer_list<std::string_view> names, const std::string& fallback) const {
  const json* value = find(names);
  if (!value) return fallback;
  if (!value->is_string()) fail(Message("its {0} is {1}", listed(names), value->dump()), "expected a text");
  return value->get<std::string>();
}

void Config::refuse_unless(std::string_view name, const json& allowed, const Message& expected) const {
  const json* value = find({name});
  if (!value || *value == allowed) return;
  fail(Message("its {0} is {1}, which is not computed here", std::string(name), value->dump()),
       expected.empty() ? Message("expected {0}", allowed.dump()) : expected);
}

std::vector<std::string> Config::unknown_fields() const {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : fields_.items()) {
    const auto is_name = [&name = name](std::string_view word) { return name == word; };
    const auto in_name = [&name = name](std::string_view part) { return name.find(part) != std::string::npos; };
    if (known_.contains(name) || says_nothing(value) || any_word(harmless, is_name)) continue;
    if (name.starts_with("pooler_") || name.ends_with("_token_id") || in_name("dropout") || in_name("pdrop")) continue;
    if (any_word(significant, in_name)) {
      fail(Message("has {0}: {1}, a field that this kind of model does not use here", in_quotes(name),
                   value.dump().substr(0, 60)),
           "expected a model whose computation is known whole");
    }
    unknown.push_back(name);
  }
  return unknown;
}

std::vector<std::string> Config::unknown_attention_fields() const {
  std::vector<std::string> unknown;
  for (const auto& [name, value] : fields_.items()) {
    if (known_.contains(name) || value.is_null() || (value == false && name != "is_causal")) continue;
    const auto is_name = [&name = name](std::string_view word) { return name == word; };
    const auto in_name = [&name = name](std::string_view part) { return name.find(part) != std::string::npos; };
    if (any_word(harmless, is_name) || any_word(harmless_to_attention, is_name)) continue;
    if (any_word(significant_to_attention, in_name)) unknown.push_back(name);
  }
  return unknown;
}

}  // namespace headlight
