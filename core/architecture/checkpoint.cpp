#include "core/architecture/checkpoint.h"

#include <algorithm>
#include <cassert>

#include "core/architecture/gguf_model.h"
#include "core/files/error_place.h"
#include "core/tensor/memory.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

/// "module._orig_mod.h.0" → "h.0"; also within, where only a part was compiled.
std::string plain(std::string name) {
  if (name.starts_with("module.")) name.erase(0, 7);
  for (std::size_t at = name.find("_orig_mod."); at != std::string::npos; at = name.find("_orig_mod."))
    name.erase(at, 10);
  return name;
}

}  // namespace

Checkpoint::Checkpoint(const std::vector<std::filesystem::path>& files) : paths_(files) {
  for (const std::filesystem::path& path : paths_) {
    stamps_.push_back(stamp_of(path));
    add(open_arrays(path));
  }
  most_kept_ = static_cast<std::uint64_t>(memory_budget());
}

void Checkpoint::add(const std::shared_ptr<const ArrayFile>& file) {
  files_.push_back(file);
  const bool named_by_ggml = is_gguf(*file);
  for (const ArrayEntry& entry : file->entries()) {
    const std::string name = named_by_ggml ? hugging_face_name(*file, entry.name) : plain(entry.name);
    if (name.empty()) continue;
    const auto [place, is_new] = places_.emplace(name, Place{files_.size() - 1, entry.name});
    if (is_new) {
      names_.push_back(name);
    } else if (place->second.file + 1 != files_.size()) {
      ErrorPlace{file->path()}.fail(
          "holds " + in_quotes(name) + ", which " + files_[place->second.file]->path() + " holds too",
          "each array in one shard");
    }
  }
}

const ArrayEntry& Checkpoint::entry(const std::string& name) const {
  const auto place = places_.find(name);
  assert(place != places_.end());
  return *files_[place->second.file]->find(place->second.name);
}

Tensor Checkpoint::load(const std::string& name) const {
  const auto place = places_.find(name);
  assert(place != places_.end());
  return kept_or(name, [&] { return files_[place->second.file]->load(place->second.name); });
}

Tensor Checkpoint::load_part(const std::string& name, Index part) const {
  return kept_or(name + "[" + std::to_string(part) + "]", [&] {
    const Tensor row = load_rows(name, std::span(&part, 1));
    Shape shape = entry(name).shape;
    shape.erase(shape.begin());
    return row.view(std::move(shape));
  });
}

Tensor Checkpoint::kept_or(const std::string& name, const std::function<Tensor()>& load) const {
  {
    const std::lock_guard lock(mutex_);
    if (const auto kept = kept_.find(name); kept != kept_.end()) return kept->second;
  }
  const Tensor numbers = load();
  const std::uint64_t bytes = static_cast<std::uint64_t>(numbers.count()) * sizeof(float);
  const std::lock_guard lock(mutex_);
  if (kept_bytes_ + bytes <= most_kept_ && kept_.emplace(name, numbers).second) kept_bytes_ += bytes;
  return numbers;
}

Tensor Checkpoint::load_rows(const std::string& name, std::span<const Index> rows) const {
  const Place& place = places_.at(name);
  return files_[place.file]->load_rows(place.name, rows);
}

std::optional<double> Checkpoint::number(const std::string& name) const {
  for (const auto& file : files_) {
    if (const auto found = file->numbers().find(name); found != file->numbers().end()) return found->second;
    if (const auto found = file->find(name); found && element_count(found->shape) == 1) return file->number(name);
    if (file->texts().contains(name)) return file->number(name);
  }
  return {};
}

std::optional<std::string> Checkpoint::prefix_of(const std::string& ending) const {
  std::optional<std::string> shortest;
  for (const std::string& name : names_) {
    if (!name.ends_with(ending)) continue;
    const std::string prefix = name.substr(0, name.size() - ending.size());
    if (!prefix.empty() && !prefix.ends_with('.')) continue;
    if (!shortest || prefix.size() < shortest->size()) shortest = prefix;
  }
  return shortest;
}

bool Checkpoint::is_unchanged() const {
  for (std::size_t i = 0; i < paths_.size(); ++i) {
    if (!(stamp_of(paths_[i]) == stamps_[i])) return false;
  }
  return true;
}

std::string Checkpoint::path_of(const std::string& name) const {
  const auto place = places_.find(name);
  return files_[place == places_.end() ? 0 : place->second.file]->path();
}

}  // namespace headlight
