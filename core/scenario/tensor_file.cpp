#include "core/scenario/tensor_file.h"

namespace headlight {

std::filesystem::path path_from(const std::string& utf8) {
  return std::filesystem::path(std::u8string(utf8.begin(), utf8.end()));
}

TensorFile::Stamp TensorFile::stamp_of(const std::string& path) {
  std::error_code error;  // a missing file is open_arrays' to report
  Stamp stamp;
  stamp.size = std::filesystem::file_size(path_from(path), error);
  stamp.changed = std::filesystem::last_write_time(path_from(path), error);
  return stamp;
}

std::shared_ptr<const TensorFile> TensorFile::open(const std::string& path,
                                                   const std::shared_ptr<const TensorFile>& last) {
  if (last && last->path_ == path && last->stamp_ == stamp_of(path)) return last;
  return std::make_shared<const TensorFile>(path);
}

TensorFile::TensorFile(const std::string& path)
    : path_(path), stamp_(stamp_of(path)), arrays_(open_arrays(path_from(path))) {}

Tensor TensorFile::load(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  const auto it = loaded_.find(name);
  if (it != loaded_.end()) return it->second;
  return loaded_.emplace(name, arrays_->load(name)).first->second;
}

bool TensorFile::was_loaded(const std::string& name) const {
  const std::lock_guard lock(mutex_);
  return loaded_.contains(name);
}

Tensor TensorFile::load_transposed(const std::string& name) const {
  const Tensor stored = load(name);
  const std::lock_guard lock(mutex_);
  Tensor& transposed = transposed_[name];
  if (!transposed.defined()) transposed = stored.transpose(0, 1).contiguous();
  return transposed;
}

}  // namespace headlight
