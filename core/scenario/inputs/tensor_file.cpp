#include "core/scenario/inputs/tensor_file.h"

#include <fstream>

#include <nlohmann/json.hpp>

#include "core/base/arrays/array_file.h"
#include "core/base/files/load_budget.h"
#include "core/models/tokenizer/tokenizer.h"
#include "core/scenario/inputs/state_dict.h"

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

const std::vector<FoundAttention>& TensorFile::attentions(const std::string& names) const {
  const std::lock_guard lock(mutex_);
  auto& found = attentions_[names];
  if (!found) found = std::make_shared<const std::vector<FoundAttention>>(find_attentions(*arrays_, names));
  return *found;
}

std::filesystem::path TensorFile::config_path() const {
  const std::filesystem::path folder = path_from(path_).parent_path();
  std::error_code error;
  const bool is_meta_format = !std::filesystem::exists(folder / "config.json", error) &&
                              std::filesystem::is_regular_file(folder / "params.json", error);
  return folder / (is_meta_format ? "params.json" : "config.json");
}

namespace {

nlohmann::json parsed_config(const std::filesystem::path& path) {
  constexpr std::uintmax_t most = 1 << 20;
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error) || std::filesystem::file_size(path, error) > most) return {};
  std::ifstream stream(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (nested_deeper_than(text, deepest_json)) return {};
  nlohmann::json config = nlohmann::json::parse(text, nullptr, false);
  if (!config.is_object()) return {};
  if (path.filename() == "params.json") config["model_type"] = "meta_llama";
  return config;
}

}  // namespace

std::shared_ptr<const nlohmann::json> TensorFile::config() const {
  const std::filesystem::path path = config_path();
  const FileStamp stamp = stamp_of(path);
  const std::lock_guard lock(mutex_);
  if (!config_ || !(stamp == config_stamp_)) {
    config_ = std::make_shared<const nlohmann::json>(parsed_config(path));
    config_stamp_ = stamp;
  }
  return config_;
}

std::shared_ptr<const TokenSplitter> TensorFile::tokenizer() const {
  const std::lock_guard lock(mutex_);
  if (!tokenizer_) tokenizer_ = open_tokenizer(path_from(path_));
  return tokenizer_;
}

}  // namespace headlight
