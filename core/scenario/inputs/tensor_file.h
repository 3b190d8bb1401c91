// TensorFile: a model's file, opened once: its arrays, the attentions in it, config.json and the tokenizer beside it.
// It returns the same tensor each time a name is loaded, so that a stage whose sources come from the file counts as
// unchanged.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "core/base/arrays/array_file.h"
#include "core/base/arrays/file_watch.h"
#include "core/base/text/utf8_path.h"

namespace headlight {

class TokenSplitter;
struct FoundAttention;

class TensorFile {
 public:
  /// Returns `last` if it is this file and has not changed on disk; otherwise opens the file. Throws FileError.
  static std::shared_ptr<const TensorFile> open(const std::string& path, const std::shared_ptr<const TensorFile>& last);
  /// The same for files of open_mask_arrays().
  static std::shared_ptr<const TensorFile> open_mask(const std::string& path,
                                                     const std::shared_ptr<const TensorFile>& last);
  explicit TensorFile(const std::string& path);
  virtual ~TensorFile() = default;

  const std::string& path() const { return path_; }
  const ArrayFile& arrays() const { return *arrays_; }
  const std::shared_ptr<const ArrayFile>& shared_arrays() const { return arrays_; }
  /// The array's numbers, read once. Thread-safe. Throws FileError.
  Tensor load(const std::string& name) const;
  /// Whether load() was ever called for it.
  bool was_loaded(const std::string& name) const;
  /// A tensor that `make` computes from the file's arrays, computed once for each `recipe`. Tensors that also depend on
  /// the lengths of the sequences are kept only for the last `lengths`.
  Tensor made(const std::string& recipe, const std::function<Tensor()>& make, const Shape& lengths = {}) const;
  /// find_attentions(arrays(), names), found once for each text of names. Thread-safe. Throws like it.
  const std::vector<FoundAttention>& attentions(const std::string& names) const;
  /// config.json in the file's folder; params.json if only that exists.
  std::filesystem::path config_path() const;
  /// Its fields, parsed once while it does not change; null if there is no such file, or if it is no object.
  /// Thread-safe.
  std::shared_ptr<const nlohmann::json> config() const;
  /// The tokenizer of the model, from the files next to it; opened once. Thread-safe. Throws FileError.
  std::shared_ptr<const TokenSplitter> tokenizer() const;

 protected:
  /// For a model whose tensors are read elsewhere (core/scenario/inputs/inputs.h): it has no arrays().
  TensorFile() = default;

 private:
  TensorFile(const std::string& path, std::shared_ptr<const ArrayFile> arrays);
  bool is_unchanged(const std::string& path) const { return path_ == path && stamp_ == stamp_of(path_from(path)); }

  std::string path_;
  FileStamp stamp_;
  std::shared_ptr<const ArrayFile> arrays_;
  mutable std::mutex mutex_;
  struct Made {
    Shape lengths;
    Tensor tensor;
  };
  mutable std::map<std::string, Tensor> loaded_;
  mutable std::map<std::string, Made> made_;
  mutable std::map<std::string, std::shared_ptr<const std::vector<FoundAttention>>> attentions_;
  mutable FileStamp config_stamp_;
  mutable std::shared_ptr<const nlohmann::json> config_;
  mutable std::shared_ptr<const TokenSplitter> tokenizer_;
};

}  // namespace headlight
