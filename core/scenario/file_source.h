// A scenario whose tensors come from a file: weights, inputs, masks and numbers under their names.
#pragma once

#include <memory>
#include <set>
#include <string>

#include "core/scenario/inputs.h"
#include "core/scenario/seeded.h"
#include "core/scenario/state_dict.h"
#include "core/scenario/tensor_file.h"

namespace headlight {

/// One attention of an open file, on its way into `inputs`; what is taken for granted is noted in inputs.assumptions.
struct FileReading {
  const Resolving& resolving;
  const TensorFile& file;
  AttentionKeys keys;
  Inputs& inputs;
  /// Names that were asked for, so that a number that nobody takes is not passed over in silence.
  std::shared_ptr<std::set<std::string>> asked = std::make_shared<std::set<std::string>>();

  /// The first of `names` that the file holds as an array, under the layer's prefix or at the top; "" if none.
  std::string find(std::initializer_list<const char*> names) const;
  /// The first of `names` that the file holds as a number, there or in its metadata; for a layer of a model else what
  /// config.json beside it says.
  struct Number {
    std::string name;
    double value = 0;
  };
  std::optional<Number> number(std::initializer_list<const char*> names) const;
  /// The same, of the file alone.
  std::optional<Number> own_number(std::initializer_list<const char*> names) const;
  void assume(const std::string& what, const std::string& taken_for) const;
  [[noreturn]] void fail(const std::string& wrong, const std::string& expected) const;
  /// `"x" has shape [2, 3]`
  std::string shape_of(const std::string& array) const;
};

/// Everything of `inputs` from scenario.file; inputs that the file lacks are drawn. Throws FileError, SettingError.
void read_file(const Resolving& resolving, Inputs& inputs);

/// The arrays of a file that begins after its projections, by how much later; nothing where it holds projections.
struct LateBeginning {
  std::string Q_heads, K_heads, V_heads;  ///< V_heads may be ""
  std::vector<std::string> weights;       ///< one, or one for each layer, in their order
  std::string group;                      ///< what `weights` are called together: "attentions"
  std::string others{};                   ///< all groups of the file, where this one was chosen among them
};
/// One layer of the attentions that a file holds.
struct FileAttention {
  std::string layer, group;  ///< as Scenario::layer names it: "3", or "cross_attentions.3" where there are several groups
  Tensor weights;            ///< [B, H, n_q, n_k]
  bool chosen = false;       ///< the one that the scenario means
};
/// All of them, in the order of the file; none where the file holds other things.
std::vector<FileAttention> attentions_of(const TensorFile& file, const Scenario& scenario);
/// The names of the arrays of all of them.
std::vector<std::string> attention_arrays(const ArrayFile& file);
/// Throws FileError where several attentions could be meant and `layer` says none of them.
std::optional<LateBeginning> find_late_beginning(const ArrayFile& file, const std::string& layer);
/// Heads or weights, and the sizes in inputs.dims. Throws FileError, SettingError.
void read_late_beginning(const FileReading& reading, const LateBeginning& found);

/// Heads, W_q … b_o and the widths in inputs.dims.
void read_parameters(const FileReading& reading);
/// The numbers of query heads and of key/value heads that the file says, under the names that there are for them.
std::optional<FileReading::Number> heads_said(const FileReading& reading);
std::optional<FileReading::Number> kv_heads_said(const FileReading& reading);
/// query, key, value, and batch, n_q, n_k in inputs.dims; after read_parameters.
void read_inputs(const FileReading& reading);
/// inputs.says: scale, soft-cap and the like from the file's numbers and from a config.json beside it. Throws FileError for
/// what changes attention and is not computed.
void read_settings(const FileReading& reading);
/// What the layer's file says besides: weights of a QK-norm, sinks, a table of relative positions; after read_masks. Throws
/// FileError where they do not fit.
void read_file_rules(const FileReading& reading);
/// Whether read_file_rules adds relative positions.
bool has_relative_table(const FileReading& reading);
/// The part of read_settings that asks config.json: of a layer of a model only.
void read_config_settings(const FileReading& reading);
/// Says which mask the model has that none is in the file of; after read_masks.
void note_model_mask(const FileReading& reading);
/// Says which numbers of the file nobody took.
void note_untaken_numbers(const FileReading& reading);
/// query_tokens and key_tokens; after read_inputs. Throws FileError where they are not as many as the positions.
void read_tokens(const FileReading& reading);
/// file_mask, valid_lens, bias and fill; after read_inputs and settle_heads.
void read_masks(const FileReading& reading);
/// scenario.mask_file in place of the source's own mask; after everything else. Throws FileError.
void read_mask_file(const Resolving& resolving, Inputs& inputs);

}  // namespace headlight
