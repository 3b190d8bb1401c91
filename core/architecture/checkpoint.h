// Checkpoint: a model's tensors, whatever files they are spread over.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/files/array_file.h"
#include "core/files/file_watch.h"

namespace headlight {

/// Opening reads headers only. Names come without what torch.compile and DataParallel put before them ("_orig_mod.",
/// "module."), those of a GGUF file as Hugging Face has them. All of it is const and may be called from any thread.
class Checkpoint {
 public:
  /// Throws FileError where a file is missing or damaged, or two hold the same array.
  explicit Checkpoint(const std::vector<std::filesystem::path>& files);
  /// Of one file that is open.
  explicit Checkpoint(const std::shared_ptr<const ArrayFile>& file) { add(file); }

  /// In the files' order.
  const std::vector<std::string>& names() const { return names_; }
  bool has(const std::string& name) const { return places_.contains(name); }
  /// Asserts that it is there.
  const ArrayEntry& entry(const std::string& name) const;
  /// The numbers, kept for the next time while all that is kept takes no more than memory_budget(): a network that
  /// writes reads each of them once. Throws FileError.
  Tensor load(const std::string& name) const;
  Tensor load_rows(const std::string& name, std::span<const Index> rows) const;
  /// One of the parts along the first axis, kept as by load(); nothing else of it is read.
  Tensor load_part(const std::string& name, Index part) const;
  /// A number that is no array, such as nanoGPT's model_args.n_head.
  std::optional<double> number(const std::string& name) const;
  const std::vector<std::shared_ptr<const ArrayFile>>& files() const { return files_; }

  /// The shortest prefix (with its dot, or "") of an array that is called prefix + `ending`; nothing if there is none.
  std::optional<std::string> prefix_of(const std::string& ending) const;
  /// Whether the files are on disk as they were when they were opened.
  bool is_unchanged() const;
  /// The file that holds the array, or the first one.
  std::string path_of(const std::string& name) const;

 private:
  struct Place {
    std::size_t file = 0;
    std::string name;  ///< in that file
  };

  void add(const std::shared_ptr<const ArrayFile>& file);
  Tensor kept_or(const std::string& name, const std::function<Tensor()>& load) const;

  std::vector<std::filesystem::path> paths_;
  std::vector<FileStamp> stamps_;
  std::vector<std::shared_ptr<const ArrayFile>> files_;
  std::vector<std::string> names_;
  std::map<std::string, Place, std::less<>> places_;
  std::uint64_t most_kept_ = 0;  ///< bytes
  mutable std::mutex mutex_;
  mutable std::map<std::string, Tensor, std::less<>> kept_;
  mutable std::uint64_t kept_bytes_ = 0;
};

}  // namespace headlight
