// TensorFile: an opened file of arrays that hands out the same tensor each time a name is asked for, so that a stage
// whose sources come from the file is recognised as unchanged.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/files/array_file.h"
#include "core/files/file_watch.h"
#include "core/text/utf8_path.h"

namespace headlight {

class TokenSplitter;

class TensorFile {
 public:
  /// `last` itself where it is this very file, unchanged on disk since; else a newly opened one. Throws FileError.
  static std::shared_ptr<const TensorFile> open(const std::string& path, const std::shared_ptr<const TensorFile>& last);
  /// The same for a file that open_mask_arrays() opens.
  static std::shared_ptr<const TensorFile> open_mask(const std::string& path,
                                                     const std::shared_ptr<const TensorFile>& last);
  explicit TensorFile(const std::string& path);
  virtual ~TensorFile() = default;

  const std::string& path() const { return path_; }
  const ArrayFile& arrays() const { return *arrays_; }
  const std::shared_ptr<const ArrayFile>& shared_arrays() const { return arrays_; }
  /// The array's numbers, read once. Thread-safe. Throws FileError.
  Tensor load(const std::string& name) const;
  /// Whether load() was ever asked for it.
  bool was_loaded(const std::string& name) const;
  /// What `make` makes of the file's arrays, made once; `recipe` says what it is. What depends on the lengths of the
  /// sequences too is kept for the last `lengths` alone.
  Tensor made(const std::string& recipe, const std::function<Tensor()>& make, const Shape& lengths = {}) const;
  /// The model's tokenizer, which lies beside it; opened once. Thread-safe. Throws FileError.
  std::shared_ptr<const TokenSplitter> tokenizer() const;

 protected:
  /// Of a model whose tensors are read elsewhere (core/scenario/inputs.h): it has no arrays().
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
  mutable std::shared_ptr<const TokenSplitter> tokenizer_;
};

}  // namespace headlight
