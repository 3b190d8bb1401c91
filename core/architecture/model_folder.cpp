#include "core/architecture/model_folder.h"

#include <algorithm>

#include "core/assets/assets.h"
#include "core/files/error_place.h"
#include "core/files/json_object.h"
#include "core/tensor/error.h"
#include "core/text/utf8_path.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

bool is_file(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error);
}

bool is_gguf_path(const fs::path& path) { return path.extension() == ".gguf"; }

bool is_index(const fs::path& path) { return path.filename().string().ends_with(".index.json"); }

/// The shards of `index`, each once, in the order of their names.
std::vector<fs::path> shards_of(const fs::path& index) {
  const ErrorPlace place{utf8_from(index)};
  if (!is_file(index)) place.fail("no such file", "the path of one");
  const nlohmann::json json = read_json_object(index, "an index as Hugging Face writes it", 64 << 20);
  if (!json.contains("weight_map") || !json["weight_map"].is_object()) {
    place.fail("holds no weight_map", "an index as Hugging Face writes it, {\"weight_map\": {\"name\": \"file\"}}");
  }
  std::vector<std::string> names;
  for (const auto& [array, file] : json["weight_map"].items()) {
    if (!file.is_string()) place.fail("its weight_map names no file for " + in_quotes(array));
    names.push_back(file.get<std::string>());
  }
  std::ranges::sort(names);
  names.erase(std::unique(names.begin(), names.end()), names.end());
  std::vector<fs::path> shards;
  for (const std::string& name : names) {
    if (path_from(name).filename() != path_from(name) || name == "." || name == "..")
      place.fail("names the shard " + in_quotes(name) + ", which is not beside it", "the name of a file in its folder");
    shards.push_back(index.parent_path() / path_from(name));
    if (is_file(shards.back())) continue;
    place.fail("names the shard " + in_quotes(name) + ", which is not beside it",
               "all " + std::to_string(names.size()) + " shards in one folder");
  }
  if (shards.empty()) place.fail("names no shard", "the files that hold the model's tensors");
  return shards;
}

/// Files of the folder that end in `suffix`, sorted.
std::vector<fs::path> files_ending(const fs::path& folder, const std::string& suffix) {
  std::vector<fs::path> found;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
    if (entry.path().filename().string().ends_with(suffix) && is_file(entry.path())) found.push_back(entry.path());
  }
  std::ranges::sort(found);
  return found;
}

/// In the order in which Hugging Face looks for them, then Meta's, then whatever is the only one.
std::vector<fs::path> tensors_in(const fs::path& folder, const std::string& said) {
  if (is_file(folder / "model.safetensors")) return {folder / "model.safetensors"};
  if (is_file(folder / "model.safetensors.index.json")) return shards_of(folder / "model.safetensors.index.json");
  if (is_file(folder / "pytorch_model.bin")) return {folder / "pytorch_model.bin"};
  if (is_file(folder / "pytorch_model.bin.index.json")) return shards_of(folder / "pytorch_model.bin.index.json");
  if (is_file(folder / "consolidated.00.pth")) {
    if (is_file(folder / "consolidated.01.pth")) {
      throw FileError(said, "is cut for several processors (consolidated.01.pth)",
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
    throw FileError(said, "holds shards such as " + in_quotes(first) + " without their index",
                    "expected model.safetensors.index.json beside them");
  }
  for (const char* suffix : {".safetensors", ".bin", ".pt", ".pth", ".gguf", ".npz"}) {
    const auto found = files_ending(folder, suffix);
    if (found.size() == 1) return found;
    if (found.size() > 1)
      throw FileError(said, "holds " + std::to_string(found.size()) + " files that end in " + suffix,
                      "expected one, or model.safetensors");
  }
  throw FileError(said, "is a folder without a model's tensors",
                  "expected model.safetensors, its shards with their index, or pytorch_model.bin");
}

fs::path config_in(const fs::path& folder) {
  for (const char* name : {"config.json", "params.json"}) {
    if (is_file(folder / name)) return folder / name;
  }
  return {};
}

}  // namespace

bool is_model_folder(const std::string& file) {
  if (file.starts_with(shipped_model_prefix)) return true;
  std::error_code error;
  const fs::path path = path_from(file);
  return !file.empty() && (is_index(path) || is_gguf_path(path) || fs::is_directory(path, error));
}

ModelFolder find_model(const std::string& file) {
  ModelFolder model{file, {}, {}, {}};
  fs::path path = path_from(file);
  if (file.starts_with(shipped_model_prefix)) {
    const std::string id = file.substr(std::string_view(shipped_model_prefix).size());
    const fs::path shipped =
        id.empty() || id.find_first_of("/\\.") != std::string::npos ? fs::path() : path_from("models/" + id);
    try {
      path = shipped.empty() ? path : asset(utf8_from(shipped));
    } catch (const FileError&) {
      throw FileError(file, "no such model ships", "expected one of headlight list models");
    }
    if (shipped.empty()) throw FileError(file, "names no model", "expected model:ID, one of headlight list models");
  }
  std::error_code error;
  if (!fs::exists(path, error)) throw FileError(file, "no such file or folder", "expected a model's folder or file");
  model.folder = fs::is_directory(path, error) ? path : path.parent_path();
  model.config = config_in(model.folder);
  model.tensors = fs::is_directory(path, error) ? tensors_in(path, file)
                  : is_index(path)              ? shards_of(path)
                                                : std::vector{path};
  if (is_gguf_path(model.tensors.front())) model.config.clear();  // the file says it itself
  return model;
}

}  // namespace headlight
