// A scenario whose tensors come from a file: weights, inputs, masks and numbers, found by their names.
#pragma once

#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/base/tensor/message.h"
#include "core/models/architecture/architectures.h"
#include "core/scenario/inputs/inputs.h"
#include "core/scenario/inputs/seeded.h"
#include "core/scenario/inputs/state_dict.h"
#include "core/scenario/inputs/tensor_file.h"
#include "core/scenario/settings/scenario.h"

namespace headlight {

/// The part of config.json, TensorFile::config(), for the layer with this prefix: vision_config or audio_config for a
/// layer of such a tower; for any other layer, text_config or, if there is none, the whole. Null if there is none.
nlohmann::json config_of_layer(const nlohmann::json& whole, const std::string& layer);

/// The arrays of query, key and value; equal in self-attention; "" if the file has none.
struct InputNames {
  std::string query, key, value;
};

/// What was looked for in a file, so that nothing is looked for twice.
struct FoundInFile {
  std::optional<InputNames> inputs{};
  std::shared_ptr<const nlohmann::json> config{};
};

/// One attention of an open file, and the assumptions made while reading it.
struct FileReading {
  const Resolving& resolving;
  const TensorFile& file;
  FoundAttention attention;
  std::vector<Assumption>& assumptions;
  /// Names that were looked up, so that numbers that nothing reads are reported.
  std::shared_ptr<std::set<std::string>> asked = std::make_shared<std::set<std::string>>();
  /// Names of texts that were read as settings.
  std::shared_ptr<std::set<std::string>> words_read = std::make_shared<std::set<std::string>>();
  std::shared_ptr<FoundInFile> found = std::make_shared<FoundInFile>();

  /// The first of `names` that is an array in the file, under the layer's prefix, at the top, or in a dictionary of
  /// inputs; "" if there is none.
  std::string find(std::initializer_list<const char*> names) const;
  /// The same for a module around the layer (FoundAttention::around).
  std::string find_around(std::initializer_list<const char*> names) const;
  /// The arrays of a tuple of arguments, "args.0", "args.1" …, in order.
  std::vector<std::string> find_tuple() const;
  /// The name as the file spells it, with "." or "/" between its parts; "" if there is no such array.
  std::string stored_name(const std::string& name) const;
  /// The name that the layers of nn.Transformer use for the sequence of this attention's keys: "src", "tgt" or
  /// "memory"; "" for any other layer.
  std::string_view torch_sequence() const;
  /// The first of `names` that is a number in the file or its metadata; for a layer of a model, otherwise the number in
  /// config.json.
  struct Number {
    std::string name;
    double value = 0;
  };
  std::optional<Number> number(std::initializer_list<const char*> names) const;
  /// The same, only from the file, including its dictionaries and the modules around the layer.
  std::optional<Number> own_number(std::initializer_list<const char*> names) const;
  /// The same without the file's dictionaries, whose sizes may belong to another module.
  std::optional<Number> number_beside(std::initializer_list<const char*> names) const;
  /// The same, only from layer_config(). Only a hint: if it is missing, the user is asked.
  std::optional<Number> config_number(std::initializer_list<const char*> names) const;
  /// The prefixes under which the file may hold numbers: the layer, the top, the modules around the layer, and
  /// dictionaries of inputs and of settings.
  std::vector<std::string> places_of_numbers() const;
  /// config_of_layer() of this layer.
  const nlohmann::json& layer_config() const;
  /// Usually "config.json".
  std::string config_name() const;
  /// The array's numbers. Throws FileError, and Cancelled.
  Tensor load(const std::string& name) const;
  void assume(const std::string& what, const Message& taken_for) const;
  [[noreturn]] void fail(const Message& wrong, const Message& expected) const;
  /// `"x" has shape [2, 3]`
  Message shape_of(const std::string& array) const;
};

/// Everything from scenario.file and the files next to it; inputs that the file lacks are random. Throws FileError,
/// SettingError.
Inputs inputs_of_file(const Resolving& resolving);

/// The arrays of a file that starts after the projections, with heads or weights; unset if the file holds projections.
struct PrecomputedAttention {
  std::string Q_heads, K_heads, V_heads;  ///< V_heads may be ""
  std::vector<std::string> weights;       ///< one, or those of a list, or of a list of lists, in order
  std::string group;                      ///< common name of `weights`: "attentions"
  std::string others{};                   ///< all groups of the file, if this one was chosen from several
  Shape lists{};                          ///< how many entries each level of the lists has; none for one array
  bool steps = false;                     ///< the first level is the steps of generate()
  bool joined = false;                    ///< heads as [B, n, H · d_head] or [n, H · d_head], not split
  bool packed = false;                    ///< queries, keys and values are in one array
};
/// One layer of the attentions in a file.
struct FileAttention {
  std::string layer,
      group;            ///< as in Scenario::layer: "3", or "cross_attentions.3" if there are several groups
  Tensor weights;       ///< [B, H, n_q, n_k]
  Tensor mask;          ///< guessed from its zeros, or of the cells that the file does not store; undefined: none
  bool chosen = false;  ///< the layer that the scenario uses
};
/// All layers, in the order of the file; empty if the file holds no attentions.
std::vector<FileAttention> attentions_of(const TensorFile& file, const Scenario& scenario);
/// The names of all arrays of these attentions.
std::vector<std::string> attention_arrays(const ArrayFile& file);
/// Throws FileError if there are several attentions and --layer names none of them.
std::optional<PrecomputedAttention> find_precomputed(const TensorFile& file, const Scenario& scenario);
/// The rest of --layer after the name of the attention or of its stack: for "cross_attentions", "cross.2" leaves "2".
std::string layer_within(const Scenario& scenario, const PrecomputedAttention& found);
/// The words under the first of these names that the file has; unset if it has none.
struct NamedWords {
  std::string name;
  ArrayWords stored;
};
std::optional<NamedWords> words_of(const FileReading& reading, std::initializer_list<const char*> names);
/// The heads in a file, at the top or among its inputs; unset if it has none. Three arrays with fewer axes count as
/// heads only in a file without parameters.
std::optional<PrecomputedAttention> find_heads(const ArrayFile& file);
/// The data of such a file.
struct PrecomputedSequence {
  Sequence sequence;  ///< heads or weights
  Dims dims;
  Tensor mask;  ///< mask_guessed()
};
/// [B, 1, n_q, n_k], 0 where weights that are 0 in every head have the shape of a mask: right of a diagonal, outside a
/// window, padding at an end. Undefined if none has.
Tensor mask_guessed(const FileReading& reading, const Tensor& weights);
/// Gives the names that are spelled as in a tokenizer's vocabulary (core/models/tokenizer/spelling.h) as they are
/// drawn, and keeps the spelling. Returns whether there are any.
bool draw_spelled(Sequence& sequence);
PrecomputedSequence read_heads(const FileReading& reading, const PrecomputedAttention& found);
/// Throws FileError, SettingError.
PrecomputedSequence read_precomputed(const FileReading& reading, const PrecomputedAttention& found);

/// W_q … b_o, and the sizes that follow from them and the number of heads: all except batch, n_q and n_k.
struct SizedParameters {
  Parameters parameters;
  Dims dims;
};
SizedParameters read_parameters(const FileReading& reading);
/// The numbers of query heads and key/value heads in the file, under any of their known names.
std::optional<FileReading::Number> heads_said(const FileReading& reading);
std::optional<FileReading::Number> kv_heads_said(const FileReading& reading);

/// The properties of an attention besides its matrices.
struct FileRules {
  Rules rules;
  Tensor attn_bias{};  ///< of positions, added to the scores
};
/// The layer's description from the architecture in config.json; unset without config.json. Throws FileError for
/// features that change attention and are not supported. `dims` lacks batch, n_q and n_k.
std::optional<LayerDescription> describe_layer(const FileReading& reading, const Dims& dims);
/// The rules from the file's numbers and the layer's architecture.
FileRules read_settings(const FileReading& reading, const Dims& dims, const std::optional<LayerDescription>& layer);
/// `rules` with those from the layer's arrays: weights of a QK-norm, sinks and, unless the file has a bias, a table of
/// relative positions. Throws FileError if their shapes do not fit.
FileRules with_layer_arrays(const FileReading& reading, const std::optional<LayerDescription>& layer, const Dims& dims,
                            FileRules rules);
/// Appends the keys that no input has (bias_k and bias_v, add_zero_attn): to the inputs, with a feature of their own,
/// to W_k and W_v, which make the keys of it, and to masks, words and sizes. Throws FileError.
void add_own_keys(const FileReading& reading, Inputs& inputs);
/// Removes the biases that the layer does not have according to config.json.
void drop_biases(const FileReading& reading, const LayerDescription& layer, Parameters& parameters);
/// The name of the file's own bias for these queries and keys, attn_bias or the like; "" if it has none.
std::string bias_name(const FileReading& reading, const Dims& dims);
/// Whether the keys are of another sequence than the queries.
bool attends_elsewhere(const FileReading& reading);
/// Whether the layer has a table of relative positions.
bool has_relative_table(const FileReading& reading, const Dims& dims);
/// Reads file_mask, valid_lens, doc_ids, bias and fill, in addition to those in `known`.
Masking read_masks(const FileReading& reading, const Dims& dims, Masking known);
/// Adds an assumption about the model's own mask if neither the file nor the scenario has a mask.
void note_model_mask(const FileReading& reading, const LayerDescription& layer, const Dims& dims,
                     const Masking& masking);
/// Adds an assumption that lists unread arrays: a mask with an unknown name must not be ignored silently.
void note_unused(const FileReading& reading, bool attention_alone);
/// Adds an assumption that lists the numbers that were not read.
void note_untaken_numbers(const FileReading& reading);
/// Replaces the source's mask by scenario.mask_file. Throws FileError.
void add_mask_file(const Resolving& resolving, Inputs& inputs);

/// query = key = value from scenario.text, one line per batch entry: the embedding and the norm before the attention.
/// The norm is that of the layer's architecture or, if it is unknown, GPT-2's, BERT's or LLaMA's, chosen by the arrays'
/// names. The assumptions list what was done, and what is missing for layers after the first. Throws FileError without
/// such an embedding or a tokenizer. `dims` has the widths of the parameters.
TextSequence read_model_text(const FileReading& reading, const Dims& dims,
                             const std::optional<LayerDescription>& layer);

// Combines all masks of a file: a cell is allowed if every mask allows it; biases are added.

/// The end of the error for a boolean mask of unknown polarity; on this text, the window asks.
inline constexpr const char* mask_polarity_is_open = "expected --mask-polarity attend or ignore";

struct MaskReading {
  const FileReading& file;
  const Dims& dims;
  Masking masking{};
  std::set<std::string> taken{};          ///< arrays that were read as masks
  std::vector<Tensor> attend{}, added{};  ///< masks with 1 = may attend; masks of numbers that are added

  /// 1 = may attend, [B|1, H|1, n_q|1, n_k|1]. `numbers`: the original numbers, if the mask was additive.
  void restrict_to(const Tensor& allowed, const Tensor& numbers = {});
  /// The same, in the mask language.
  void restrict_to(const MaskExpression& rule);
  /// Must have the same axes. Throws FileError for NaN.
  void add_bias(const Tensor& bias);
};

/// Whether the array is a buffer for the module's longest sequence, not a mask for this sequence.
bool is_causal_buffer(const MaskReading& reading, const std::string& name);
/// attn.bias of GPT-2, minGPT and nanoGPT; tril and mask in teaching code, where each head's module has its own.
void read_causal_buffer(MaskReading& reading);
/// The flag of scaled_dot_product_attention.
void read_is_causal(MaskReading& reading);
/// The number of keys of each batch entry, or of each query.
void read_valid_lens(MaskReading& reading);
/// Packed sequences: cu_seqlens [documents + 1], the start of each document and the end of the last, or an id for each
/// token, [n] or [B, n]. Only tokens of the same document attend to each other.
void read_documents(MaskReading& reading);

/// PyTorch adds masks of numbers to the scores, and nn.MultiheadAttention adds -inf where a boolean mask hides a key. A
/// single fill gives the same weights except in rows without keys: there the sum is added if it gives other weights.
void add_fills_of_empty_rows(MaskReading& reading);
/// The number that masked scores are filled with: as set, as the file says, or -inf.
void read_fill(MaskReading& reading);
/// Notes the masks of the file that --mask replaces.
void note_replaced(const MaskReading& reading);

/// Whether the file is a mask. Pictures and tables always are; a single array, or a file of arrays without attention,
/// only if `wanted`. Never throws; false for files that cannot be opened.
bool is_mask_file(const std::string& path, bool wanted);
/// The scenario with this mask file. Its expression becomes file() unless it already calls file().
Scenario with_mask_file(Scenario scenario, const std::string& path);

}  // namespace headlight
