// A scenario whose tensors come from a file: weights, inputs, masks and numbers under their names.
#pragma once

#include <filesystem>
#include <initializer_list>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include <nlohmann/json_fwd.hpp>

#include "core/architecture/architectures.h"
#include "core/scenario/inputs.h"
#include "core/scenario/scenario.h"
#include "core/scenario/seeded.h"
#include "core/scenario/state_dict.h"
#include "core/scenario/tensor_file.h"
#include "core/tensor/message.h"

namespace headlight {

// What config.json (Hugging Face) or params.json (Meta) beside a model's tensors says of one layer.

/// config.json in the folder of `tensors`; params.json if there is only that.
std::filesystem::path config_path(const std::filesystem::path& tensors);

/// The part of config.json that concerns the layer with this prefix: vision_config or audio_config for a layer of such
/// a tower, text_config for another, else all of it. Null if there is no such file or part, or if it is no object.
nlohmann::json config_beside(const std::filesystem::path& tensors, const std::string& layer);

/// One attention of an open file, and what is taken for granted while it is read.
struct FileReading {
  const Resolving& resolving;
  const TensorFile& file;
  AttentionKeys keys;
  std::vector<Assumption>& assumptions;
  /// Names that were asked for, so that a number that nobody takes is not passed over in silence.
  std::shared_ptr<std::set<std::string>> asked = std::make_shared<std::set<std::string>>();

  /// The first of `names` that the file holds as an array, under the layer's prefix, at the top, or in a dictionary of
  /// inputs; "" if none.
  std::string find(std::initializer_list<const char*> names) const;
  /// The same, in a module around the layer (AttentionKeys::around).
  std::string find_around(std::initializer_list<const char*> names) const;
  /// The arrays of a tuple of arguments, "args.0", "args.1" …, in their order.
  std::vector<std::string> find_tuple() const;
  /// The name as the file has it, with dots or with "/" between its parts; "" if there is no such array.
  std::string stored_name(const std::string& name) const;
  /// What the layers of nn.Transformer call the sequence of this attention's keys, "src", "tgt" or "memory"; "" for
  /// another layer.
  std::string_view torch_sequence() const;
  /// The first of `names` that the file holds as a number, there or in its metadata; for a layer of a model else what
  /// config.json beside it says.
  struct Number {
    std::string name;
    double value = 0;
  };
  std::optional<Number> number(std::initializer_list<const char*> names) const;
  /// The same, of the file alone: also in its dictionaries and in the modules around the layer.
  std::optional<Number> own_number(std::initializer_list<const char*> names) const;
  /// The same, not of dictionaries in the file, whose sizes may be another module's.
  std::optional<Number> number_beside(std::initializer_list<const char*> names) const;
  /// The same, of config_beside() alone. Only a hint: if it is missing, the user is asked.
  std::optional<Number> config_number(std::initializer_list<const char*> names) const;
  /// Mostly "config.json".
  std::string config_name() const;
  /// The array's numbers. Throws FileError, and Cancelled.
  Tensor load(const std::string& name) const;
  void assume(const std::string& what, const Message& taken_for) const;
  [[noreturn]] void fail(const Message& wrong, const Message& expected) const;
  /// `"x" has shape [2, 3]`
  Message shape_of(const std::string& array) const;
};

/// All that scenario.file and its neighbours say; inputs that the file lacks are drawn. Throws FileError, SettingError.
Inputs inputs_of_file(const Resolving& resolving);

/// The arrays of a file that begins after its projections, by how much later; nothing where it holds projections.
struct PrecomputedAttention {
  std::string Q_heads, K_heads, V_heads;  ///< V_heads may be ""
  std::vector<std::string> weights;       ///< one, or one for each layer, in their order
  std::string group;                      ///< what `weights` are called together: "attentions"
  std::string others{};                   ///< all groups of the file, where this one was chosen among them
  bool joined = false;                    ///< heads as [B, n, H · d_head] or [n, H · d_head]: not split
};
/// One layer of the attentions that a file holds.
struct FileAttention {
  std::string layer,
      group;            ///< as Scenario::layer names it: "3", or "cross_attentions.3" where there are several groups
  Tensor weights;       ///< [B, H, n_q, n_k]
  bool chosen = false;  ///< the one that the scenario means
};
/// All of them, in the order of the file; none where the file holds other things.
std::vector<FileAttention> attentions_of(const TensorFile& file, const Scenario& scenario);
/// The names of the arrays of all of them.
std::vector<std::string> attention_arrays(const ArrayFile& file);
/// Throws FileError where several attentions could be meant and `layer` says none of them.
std::optional<PrecomputedAttention> find_precomputed(const ArrayFile& file, const std::string& layer);
/// The heads of a file, at the top or among its inputs; nothing where it has none. Three arrays of fewer axes are heads
/// only in a file without parameters.
std::optional<PrecomputedAttention> find_heads(const ArrayFile& file);
/// What is known of such a file.
struct PrecomputedSequence {
  Sequence sequence;  ///< heads or weights
  Dims dims;
  Tensor mask;  ///< [1, 1, n_q, n_k]: 0 where no head has any weight; undefined where there is no such cell
};
PrecomputedSequence read_heads(const FileReading& reading, const PrecomputedAttention& found);
/// Throws FileError, SettingError.
PrecomputedSequence read_precomputed(const FileReading& reading, const PrecomputedAttention& found);

/// W_q … b_o, and the sizes that they make with the heads: all but batch, n_q and n_k.
struct SizedParameters {
  Parameters parameters;
  Dims dims;
};
SizedParameters read_parameters(const FileReading& reading);
/// The numbers of query heads and of key/value heads that the file says, under the names that there are for them.
std::optional<FileReading::Number> heads_said(const FileReading& reading);
std::optional<FileReading::Number> kv_heads_said(const FileReading& reading);

/// What is said of the attention besides its matrices.
struct FileRules {
  SourceSettings says;            ///< scale, soft-cap and the like
  std::optional<OwnRules> own{};  ///< what no setting says; nothing where that is nothing
  Tensor bias{};                  ///< of positions, added to the scores
};
/// What the architecture says of the layer, by the config.json beside its model; nothing where there is none. Throws
/// FileError for what changes attention and is not computed. `dims` without batch, n_q and n_k.
std::optional<LayerDescription> describe_layer(const FileReading& reading, const Dims& dims);
/// By the file's numbers and the layer's architecture.
FileRules read_settings(const FileReading& reading, const Dims& dims, const std::optional<LayerDescription>& layer);
/// `rules` with what the layer's arrays say: weights of a QK-norm, sinks, and unless there is a bias a table of
/// relative positions. Throws FileError where they do not fit.
FileRules with_layer_arrays(const FileReading& reading, const std::optional<LayerDescription>& layer, const Dims& dims,
                            FileRules rules);
/// The parameters without the biases that config.json says the layer has not.
void drop_biases(const FileReading& reading, const LayerDescription& layer, Parameters& parameters);
/// Whether that has a table.
bool has_relative_table(const FileReading& reading, const Dims& dims);
/// file_mask, valid_lens, doc_ids, bias and fill; what is known of them before is `known`.
Masking read_masks(const FileReading& reading, const Dims& dims, Masking known);
/// Says which mask the model has, where neither the file nor the scenario has one.
void note_model_mask(const FileReading& reading, const LayerDescription& layer, const Dims& dims,
                     const Masking& masking);
/// Says which arrays of the file nobody read: a mask with an unknown name must not be ignored silently.
void note_unused(const FileReading& reading, bool attention_alone);
/// Says which numbers of the file nobody took.
void note_untaken_numbers(const FileReading& reading);
/// scenario.mask_file in place of the source's own mask. Throws FileError.
void add_mask_file(const Resolving& resolving, Inputs& inputs);

/// query = key = value from scenario.text, a line per batch entry: the embedding, and the norm before the attention
/// that the layer's architecture has, or else GPT-2's, BERT's or LLaMA's, judged by the arrays' names. What was done,
/// and what is missing for layers after the first, is noted in the assumptions. Throws FileError without such an
/// embedding or a tokenizer. `dims` has the widths of the parameters.
TextSequence read_model_text(const FileReading& reading, const Dims& dims,
                             const std::optional<LayerDescription>& layer);

// The masks of a file together: a cell is allowed if all masks allow it; biases are added.

/// Ends the error that nothing says what true means in a boolean attn_mask: the window asks.
inline constexpr const char* mask_polarity_is_open = "expected --mask-polarity attend or ignore";

struct MaskReading {
  const FileReading& file;
  const Dims& dims;
  Masking masking{};
  std::set<std::string> taken{};          ///< arrays that were read as masks
  std::vector<Tensor> attend{}, added{};  ///< those of 1 = may attend, and those of numbers that are added

  /// 1 = may attend, [B|1, H|1, n_q|1, n_k|1]. `numbers`: what the file adds to the scores for it, if the mask is of
  /// numbers.
  void restrict_to(const Tensor& allowed, const Tensor& numbers = {});
  /// The same, in the mask language.
  void restrict_to(const std::string& rule);
  /// With the same axes. Throws FileError for NaN.
  void add_bias(const Tensor& bias);
};

/// Whether the array is a buffer for the module's longest sequence, not a mask of this one.
bool is_causal_buffer(const MaskReading& reading, const std::string& name);
/// GPT-2's attn.bias, minGPT's and nanoGPT's; tril and mask of teaching code, of which the head's modules have one
/// each.
void read_causal_buffer(MaskReading& reading);
/// The flag of scaled_dot_product_attention.
void read_is_causal(MaskReading& reading);
/// How many keys of each batch entry, or each query, there are.
void read_valid_lens(MaskReading& reading);
/// Packed sequences: cu_seqlens [documents + 1], where each begins and the last ends, or an id for each token, [n] or
/// [B, n]. Tokens of one document see each other.
void read_documents(MaskReading& reading);

/// Whether the file is a mask. A picture or a table always is; a single array, or a file of arrays without attention,
/// only if one is `wanted`. Never throws; false for files that cannot be opened.
bool is_mask_file(const std::string& path, bool wanted);
/// The scenario with that mask: it becomes file(), and the expression becomes file() unless it uses it already.
Scenario with_mask_file(Scenario scenario, const std::string& path);

}  // namespace headlight
