#include "core/models/architecture/model_folder.h"

#include <algorithm>
#include <fstream>

#include "core/base/arrays/foreign_files.h"
#include "core/base/assets/assets.h"
#include "core/base/files/error_place.h"
#include "core/base/files/load_budget.h"
#include "core/base/tensor/error.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/models/tokenizer/tokenizer.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_gguf_path(const fs::path& path) { return path.extension() == ".gguf"; }

bool is_index(const fs::path& path) { return path.filename().string().ends_with(".index.json"); }

/// The shards that `index` names, each once, sorted by name.
std::vector<fs::path> shards_of(const fs::path& index) {
  const ErrorPlace place{utf8_from(index)};
  if (!is_file(index)) place.fail("no such file", "the path of a file");
  const nlohmann::json json = read_json_object(index, "an index as Hugging Face writes it", 64 << 20);
  if (!json.contains("weight_map") || !json["weight_map"].is_object()) {
    place.fail("holds no weight_map", "an index as Hugging Face writes it, {\"weight_map\": {\"name\": \"file\"}}");
  }
  std::vector<std::string> names;
  for (const auto& [array, file] : json["weight_map"].items()) {
    if (!file.is_string()) place.fail(Message("its weight_map names no file for {0}", in_quotes(array)));
    names.push_back(file.get<std::string>());
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<fs::path> shards;
  for (const std::string& name : names) {
    if (path_from(name).filename() != path_from(name) || name == "." || name == "..")
      place.fail(Message("names the shard {0}, which is not beside it", in_quotes(name)),
                 "the name of a file in its folder");
    shards.push_back(index.parent_path() / path_from(name));
    if (is_file(shards.back())) continue;
    place.fail(Message("names the shard {0}, which is not beside it", in_quotes(name)),
               Message("all {0} shards in one folder", names.size()));
  }
  if (shards.empty()) place.fail("names no shard", "the files that hold the model's tensors");
  return shards;
}

/// The paths in the folder that `is_wanted` accepts, sorted; none if there is no such folder.
template <typename IsWanted>
std::vector<fs::path> paths_in(const fs::path& folder, IsWanted is_wanted) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (is_wanted(entry.path())) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

std::vector<fs::path> files_ending(const fs::path& folder, const std::string& suffix) {
  return paths_in(folder,
                  [&](const fs::path& path) { return path.filename().string().ends_with(suffix) && is_file(path); });
}

/// Finds the tensors in the order of Hugging Face, then Meta's files, then the only file of a kind.
std::vector<fs::path> tensors_in(const fs::path& folder, const std::string& file) {
  if (is_file(folder / "model.safetensors")) return {folder / "model.safetensors"};
  if (is_file(folder / "model.safetensors.index.json")) return shards_of(folder / "model.safetensors.index.json");
  if (is_file(folder / "pytorch_model.bin")) return {folder / "pytorch_model.bin"};
  if (is_file(folder / "pytorch_model.bin.index.json")) return shards_of(folder / "pytorch_model.bin.index.json");
  if (is_file(folder / "consolidated.00.pth")) {
    if (is_file(folder / "consolidated.01.pth")) {
      throw FileError(file, "is cut for several processors (consolidated.01.pth)",
                      "expected one file, or the model as Hugging Face saves it");
    }
    return {folder / "consolidated.00.pth"};
  }
  for (const char* suffix : {".safetensors.index.json", ".bin.index.json"}) {
    const auto found = files_ending(folder, suffix);
    if (found.size() == 1) return shards_of(found.front());
  }
  const auto numbered = files_ending(folder, ".safetensors");
  const std::string first = numbered.empty() ? "" : numbered.front().filename().string();
  if (first.find("-of-") != std::string::npos) {
    throw FileError(file, Message("holds shards such as {0} without their index", in_quotes(first)),
                    "expected model.safetensors.index.json beside them");
  }
  for (const char* suffix : {".safetensors", ".bin", ".pt", ".pth", ".gguf", ".npz"}) {
    auto found = files_ending(folder, suffix);
    std::erase_if(found, [](const fs::path& path) { return path.filename().string().starts_with("optim_"); });
    if (found.size() == 1) return found;
    if (found.size() > 1)
      throw FileError(file, Message("holds {0} files that end in {1}", found.size(), suffix),
                      "expected one, or model.safetensors");
  }
  if (const auto foreign = foreign_file(folder))
    throw FileError(file, Message("holds {0}", foreign->is), Message("expected {0}", foreign->expected));
  throw FileError(file, "is a folder without a model's tensors",
                  "expected model.safetensors, its shards with their index, or pytorch_model.bin");
}

fs::path config_in(const fs::path& folder) {
  for (const char* name : {"config.json", "params.json"}) {
    if (is_file(folder / name)) return folder / name;
  }
  return {};
}

/// Whether this is a file such as config.json beside tensors, so that its folder is the model.
bool is_companion(const fs::path& path) {
  const std::string name = path.filename().string();
  for (const char* known : companion_names()) {
    if (name != known) continue;
    for (const char* suffix : {".safetensors", ".bin", ".pt", ".pth", ".gguf"}) {
      if (is_file(path) && !files_ending(path.parent_path(), suffix).empty()) return true;
    }
  }
  return false;
}

std::vector<fs::path> folders_in(const fs::path& folder, const std::string& prefix) {
  return paths_in(folder, [&](const fs::path& path) {
    std::error_code error;
    return path.filename().string().starts_with(prefix) && fs::is_directory(path, error);
  });
}

std::string name_of(const fs::path& path) { return utf8_from(path.filename()); }

/// The snapshot of models--ORG--NAME that refs/main names, else the only one.
fs::path snapshot_of(const fs::path& cache, const std::string& file) {
  const std::vector<fs::path> snapshots = folders_in(cache / "snapshots", "");
  std::string revision;
  std::ifstream(cache / "refs" / "main") >> revision;
  for (const fs::path& each : snapshots) {
    if (each.filename() == path_from(revision)) return each;
  }
  if (snapshots.size() == 1) return snapshots.front();
  const std::string list = comma_list(snapshots, name_of);
  throw FileError(
      file, Message("holds {0} snapshots, and its refs name none of them", snapshots.size()),
      snapshots.empty() ? Message("expected a snapshot that was fetched whole") : Message("expected one of {0}", list));
}

/// The model's folder inside a Hugging Face cache; `folder` itself if it is no cache.
fs::path within_cache(fs::path folder, const std::string& file) {
  std::error_code error;
  for (const char* models_folder : {"hub", "."}) {
    const std::vector<fs::path> models = folders_in(folder / models_folder, "models--");
    if (models.empty()) continue;
    const std::string list = comma_list(models, name_of);
    if (models.size() > 1)
      throw FileError(file, Message("holds {0} models", models.size()), Message("expected one of {0}", list));
    folder = models.front().lexically_normal();
    break;
  }
  return fs::is_directory(folder / "snapshots", error) ? snapshot_of(folder, file) : folder;
}

/// The index of a shard: "model.safetensors.index.json" for "model-00001-of-00002.safetensors".
fs::path index_of(const fs::path& shard) {
  const std::string name = shard.filename().string();
  const std::size_t of_at = name.find("-of-"),
                    number_at = of_at == std::string::npos ? of_at : name.rfind('-', of_at - 1);
  if (number_at == std::string::npos || of_at == 0) return {};
  const fs::path index = shard.parent_path() / (name.substr(0, number_at) + shard.extension().string() + ".index.json");
  return is_file(index) ? index : fs::path();
}

}  // namespace

const std::vector<const char*>& companion_names() {
  static const std::vector<const char*> names = [] {
    std::vector<const char*> all = tokenizer_files();
    all.insert(all.end(), {"config.json", "params.json", "generation_config.json", "preprocessor_config.json"});
    return all;
  }();
  return names;
}

bool is_model_folder(const std::string& file) {
  if (is_model_name(file)) return true;
  std::error_code error;
  const fs::path path = path_from(file);
  return !file.empty() && (is_index(path) || is_gguf_path(path) || fs::is_directory(path, error) || is_companion(path));
}

ModelFolder find_model(const std::string& file) {
  ModelFolder model{file, {}, {}, {}, {}};
  fs::path path = path_from(file);
  if (file.starts_with(shipped_model_prefix)) {
    const std::string id = file.substr(std::string_view(shipped_model_prefix).size());
    const fs::path shipped =
        id.empty() || id.find_first_of("/\\.") != std::string::npos ? fs::path() : path_from("models/" + id);
    try {
      path = shipped.empty() ? path : asset(utf8_from(shipped));
    } catch (const FileError&) {
      throw FileError(file, "no such model ships", "expected one that headlight list models names");
    }
    if (shipped.empty())
      throw FileError(file, "names no model", "expected model:ID, with an ID that headlight list models names");
  }
  std::error_code error;
  if (!fs::exists(path, error)) throw FileError(file, "no such file or folder", "expected a model's folder or file");
  const fs::path named = path;
  if (is_companion(path)) path = path.has_parent_path() ? path.parent_path() : fs::path(".");
  if (fs::is_directory(path, error)) path = within_cache(path, file);
  if (const fs::path index = index_of(path); !index.empty()) path = index;
  const bool is_folder = fs::is_directory(path, error);
  model.folder = is_folder ? path : path.parent_path();
  model.config = config_in(model.folder);
  model.tensors = is_folder ? tensors_in(path, file) : is_index(path) ? shards_of(path) : std::vector{path};
  if (path != named) {
    const fs::path first = model.tensors.front().filename();
    const std::string opened = utf8_from(is_folder ? path / first : path);
    model.chosen = model.tensors.size() > 1 ? Message("opened {0}, {1} shards", opened, model.tensors.size())
                                            : Message("opened {0}", opened);
  }
  if (is_gguf_path(model.tensors.front())) model.config.clear();  // a GGUF file holds its config itself
  return model;
}

}  // namespace headlight
