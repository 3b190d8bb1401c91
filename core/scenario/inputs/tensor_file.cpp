#include "core/scenario/inputs/tensor_file.h"

#include "core/base/arrays/array_file.h"
#include "core/models/tokenizer/tokenizer.h"

namespace headlight {

std::shared_ptr<const TensorFile> TensorFile::open(const std::string& path,
                                                   const std::shared_ptr<const TensorFile>& last) {
  if (last && last->is_unchanged(path)) return last;
  return std::make_shared<const TensorFile>(path);
}

std::shared_ptr<const TensorFile> TensorFile::open_mask(const std::string& path,
                                                        const std::shared_ptr<const TensorFile>& last) {
  if (last && last->is_unchanged(path)) return last;
  return std::shared_ptr<const TensorFile>(new TensorFile(path, open_mask_arrays(path_from(path))));
}

TensorFile::TensorFile(const std::string& path) : TensorFile(path, open_arrays(path_from(path))) {}

TensorFile::TensorFile(const std::string& path, std::shared_ptr<const ArrayFile> arrays)
    : path_(path), stamp_(arrays->opened().value_or(stamp_of(path_from(path)))), arrays_(std::move(arrays)) {}

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

Tensor TensorFile::made(const std::string& recipe, const std::function<Tensor()>& make, const Shape& lengths) const {
  {
    const std::lock_guard lock(mutex_);
    const auto found = made_.find(recipe);
    if (found != made_.end() && found->second.lengths == lengths) return found->second.tensor;
  }
  Tensor tensor = make();  // it may load another array, which must not wait for this lock
  const std::lock_guard lock(mutex_);
  made_[recipe] = {lengths, tensor};
  return tensor;
}

std::shared_ptr<const TokenSplitter> TensorFile::tokenizer() const {
  const std::lock_guard lock(mutex_);
  if (!tokenizer_) tokenizer_ = open_tokenizer(path_from(path_));
  return tokenizer_;
}

}  // namespace headlight
