// Checkpoint: a model's tensors, from one or more files.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/arrays/array_file.h"
#include "core/base/arrays/file_watch.h"
#include "core/base/tensor/tensor.h"

namespace headlight {

// The prefixes of names in dictionaries of inputs: a .pt can hold {"state_dict": …, "inputs": {"x": …, "attn_mask": …},
// "config": {"num_heads": …}}.
inline constexpr std::string_view places_of_inputs[] = {
    "inputs.", "batch.", "masks.", "kwargs.", "data.", "forward_kwargs.", "call_kwargs.", "sample.", "example."};
inline constexpr std::string_view places_of_settings[] = {
    "config.",           "model_args.",       "args.",     "hparams.",    "cfg.",
    "hyper_parameters.", "model_config.",     "settings.", "options.",    "opts.",
    "attn_config.",      "attention_config.", "params.",   "sdpa_kwargs."};

/// Opening reads only headers. The names of a GGUF file are converted to Hugging Face's. All members are const and can
/// be called from any thread.
class Checkpoint {
 public:
  /// Throws FileError if a file is missing or damaged, or if two files have the same array.
  explicit Checkpoint(const std::vector<std::filesystem::path>& files);
  /// The tensors of one open file.
  explicit Checkpoint(const std::shared_ptr<const ArrayFile>& file) {
    add(file);
    find_mxfp4();
  }

  /// From now on, weights in 8-bit floating point are multiplied by their scales, "…_scale_inv", one for each block of
  /// `rows` × `columns`. Throws FileError if the scales do not fit.
  void take_block_scales(Index rows, Index columns);

  /// Adds an array that is not in a file.
  void give(const std::string& name, const Tensor& numbers) {
    given_[name] = {name, DType::f32, numbers.shape()};
    kept_[name] = numbers;
  }
  /// In the order of the files; a weight that is packed with scales appears once, under its own name.
  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const {
    return places_.contains(name) || packed_.contains(name) || given_.contains(name);
  }
  /// Whether the array is stored in fewer bits than float32 and converted when it is read.
  bool is_packed(const std::string& name) const { return packed_.contains(name); }
  bool has_packed() const { return !packed_.empty(); }
  /// Asserts that the array exists.
  const ArrayEntry& entry(const std::string& name) const;
  /// The numbers, cached as long as all cached arrays together fit memory_budget(), so that a generating network reads
  /// each array only once. Throws FileError.
  Tensor load(const std::string& name) const;
  Tensor load_rows(const std::string& name, std::span<const Index> rows) const;
  /// One part along the first axis, cached as by load(); does not read the rest of the array.
  Tensor load_part(const std::string& name, Index part) const;
  /// A number outside of the arrays, such as nanoGPT's model_args.n_head.
  std::optional<double> number(const std::string& name) const;
  /// The same, at the top or in a dictionary of settings or inputs.
  std::optional<double> setting(const std::string& name) const;
  /// The name of an array at the top or in a dictionary of inputs; "" if there is none.
  std::string input_named(const std::string& name) const;
  const std::vector<std::shared_ptr<const ArrayFile>>& files() const { return files_; }

  /// The shortest prefix (with its dot, or "") for which an array prefix + `ending` exists; nothing if there is none.
  std::optional<std::string> prefix_of(const std::string& ending) const;
  /// Whether the files on disk are unchanged since they were opened.
  bool is_unchanged() const;
  /// The file that holds the array, or the first one.
  std::string path_of(const std::string& name) const;

 private:
  struct Place {
    std::size_t file = 0;
    std::string name;  ///< in that file
  };

  /// A weight in fewer bits. MXFP4 has no blocks of rows.
  struct Packed {
    Place codes, scales;
    Index rows = 0, columns = 0;
    ArrayEntry entry;
  };

  void add(const std::shared_ptr<const ArrayFile>& file);
  void find_mxfp4();
  Tensor read(const std::string& name) const;
  Tensor numbers_at(const Place& place) const { return files_[place.file]->load(place.name); }
  Tensor kept_or(const std::string& name, const std::function<Tensor()>& load) const;

  std::vector<std::filesystem::path> paths_;
  std::vector<FileStamp> stamps_;
  std::vector<std::shared_ptr<const ArrayFile>> files_;
  std::vector<std::string> names_;
  std::map<std::string, Place, std::less<>> places_;
  std::map<std::string, Packed, std::less<>> packed_;
  std::map<std::string, ArrayEntry, std::less<>> given_;
  std::uint64_t most_kept_ = 0;  ///< bytes
  mutable std::mutex mutex_;
  mutable std::map<std::string, Tensor, std::less<>> kept_;
  mutable std::uint64_t kept_bytes_ = 0;
};

// Weights stored in fewer bits with scales beside them, decoded.

/// MXFP4 (Open Compute Project 2023) as in gpt-oss: each 16 bytes are 32 numbers of 4 bits, the first of a pair in the
/// low half, multiplied by 2^(scale − 127). `codes` [rows, …] has 16 times as many numbers as `scales` [rows, …].
/// Returns [rows, 32 · scales per row].
Tensor from_mxfp4(const Tensor& codes, const Tensor& scales);

/// Rows of a matrix of 8-bit numbers (E4M3, as bytes), where each block of `rows` × `columns` of the whole matrix has a
/// scale, as DeepSeek publishes them. `codes` [n, in] are the rows `which` of the whole matrix, or all rows if `which`
/// is empty.
Tensor from_fp8(const Tensor& codes, const Tensor& scales, Index rows, Index columns, std::span<const Index> which);

// A GGUF file's description of its model, translated to Hugging Face's names of tensors and fields of config.json.

struct RopeSpec;

bool is_gguf(const ArrayFile& file);
/// "blk.3.attn_q.weight" → "model.layers.3.self_attn.q_proj.weight"; empty if it is not a tensor of the model.
std::string hugging_face_name(const ArrayFile& file, std::string_view name);
/// The fields of the config.json that such a model would have. Throws FileError for an architecture that is not
/// supported.
nlohmann::json gguf_config(const Checkpoint& checkpoint);
/// Divides the frequencies by rope_freqs.weight, if the file has it (LLaMA 3).
void apply_rope_factors(const Checkpoint& checkpoint, RopeSpec& rope);

}  // namespace headlight
