// TensorFile: an opened file of arrays that hands out the same tensor each time a name is asked for, so that a stage
// whose sources come from the file is recognised as unchanged.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "core/files/array_file.h"

namespace headlight {

class TensorFile {
 public:
  /// `last` itself where it is this very file, unchanged on disk since; else a newly opened one. Throws FileError.
  static std::shared_ptr<const TensorFile> open(const std::string& path, const std::shared_ptr<const TensorFile>& last);
  explicit TensorFile(const std::string& path);

  const std::string& path() const { return path_; }
  const ArrayFile& arrays() const { return *arrays_; }
  /// The array's numbers, read once. Thread-safe. Throws FileError.
  Tensor load(const std::string& name) const;
  /// Whether load() was ever asked for it.
  bool was_loaded(const std::string& name) const;
  /// The array transposed and packed, made once.
  Tensor load_transposed(const std::string& name) const;

 private:
  struct Stamp {
    std::uintmax_t size = 0;
    std::filesystem::file_time_type changed;
    bool operator==(const Stamp&) const = default;
  };
  static Stamp stamp_of(const std::string& path);

  std::string path_;
  Stamp stamp_;
  std::shared_ptr<const ArrayFile> arrays_;
  mutable std::mutex mutex_;
  mutable std::map<std::string, Tensor> loaded_, transposed_;
};

/// The path that a person's UTF-8 text names.
std::filesystem::path path_from(const std::string& utf8);

}  // namespace headlight
