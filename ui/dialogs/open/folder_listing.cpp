#include "ui/dialogs/open/folder_listing.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>

#include "core/base/arrays/array_file.h"
#include "core/base/files/error_place.h"
#include "core/base/files/places.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"
#include "core/models/architecture/model_folder.h"

namespace headlight {
namespace {

namespace fs = std::filesystem;

#ifdef _WIN32
constexpr const char* slashes = "/\\";
#else
constexpr const char* slashes = "/";
#endif

/// Files that belong to a model's tensors: JSON, but not scenarios.
bool is_model_companion(const std::string& name) {
  return std::ranges::find(companion_names(), name) != companion_names().end() || name.ends_with(".index.json");
}

/// The word for the contents of a file with this name; null if it cannot be opened or, if `masks`, cannot be a mask.
const char* kind_of(const std::string& name, bool masks) {
  const std::string low = lowercase(name);
  constexpr const char* words[] = {"open.numpy", "open.numpy", "open.safetensors", "open.torch"};  // by ArrayKind
  if (const auto kind = array_kind(name)) return words[static_cast<std::size_t>(*kind)];
  if (masks && low.ends_with(".png")) return "open.picture";
  if (masks && is_mask_name(path_from(low))) return "open.table";
  if (!masks && low.ends_with(".gguf")) return "open.model";
  if (!masks && low.ends_with(".json") && !is_model_companion(low)) return "open.scenario";
  return nullptr;
}

/// Whether the folder is a network: it has the model's description, or is a Hugging Face cache.
bool holds_model(const fs::path& folder) {
  std::error_code error;
  return fs::exists(folder / "config.json", error) || fs::exists(folder / "params.json", error) ||
         utf8_from(folder.filename()).starts_with("models--");
}

/// Adds the entry unless it is hidden or cannot be opened.
void add_entry(const fs::directory_entry& found, bool masks, std::vector<FolderEntry>& entries) {
  FolderEntry entry;
  entry.name = utf8_from(found.path().filename());
  if (entry.name.starts_with('.') || !is_utf8(entry.name)) return;
  std::error_code error;
  entry.folder = found.is_directory(error);
  entry.model = entry.folder && !masks && holds_model(found.path());
  const char* kind = entry.model ? "open.model" : entry.folder ? "open.folder" : kind_of(entry.name, masks);
  if (kind == nullptr || (!entry.folder && !found.is_regular_file(error))) return;
  entry.kind = kind;
  if (!entry.folder) entry.size = byte_count(found.file_size(error)).english();
  const fs::file_time_type changed = found.last_write_time(error);
  if (!error) entry.changed = local_time(changed);
  entries.push_back(std::move(entry));
}

/// The length of the folder part: up to the last slash.
std::size_t cut_of(const std::string& typed) {
  const std::size_t slash = typed.find_last_of(slashes);
  return slash == std::string::npos ? 0 : slash + 1;
}

std::string with_slash(std::string folder) {
  if (folder.empty() || folder.find_last_of(slashes) != folder.size() - 1) folder += '/';
  return folder;
}

}  // namespace

std::string local_time(fs::file_time_type changed) {
  // By the difference to now: not every C++20 library converts a file's clock yet.
  using std::chrono::system_clock;
  const auto ago = fs::file_time_type::clock::now() - changed;
  const std::time_t time =
      system_clock::to_time_t(system_clock::now() - std::chrono::duration_cast<system_clock::duration>(ago));
  char text[32] = "";
  if (const std::tm* local = std::localtime(&time)) std::strftime(text, sizeof text, "%Y-%m-%d %H:%M", local);
  return text;
}

FolderListing list_folder(const std::string& folder, bool masks) {
  constexpr std::size_t most = 20'000;  // more than anyone reads
  FolderListing listing{{}, true, !masks && holds_model(path_from(folder).parent_path())};
  std::error_code error;
  fs::directory_iterator at(path_from(folder), error);
  listing.readable = !error;
  while (!error && at != fs::directory_iterator() && listing.entries.size() < most) {
    add_entry(*at, masks, listing.entries);
    at.increment(error);
  }
  std::ranges::sort(listing.entries, [](const FolderEntry& a, const FolderEntry& b) {
    return a.folder != b.folder ? a.folder
                                : std::pair(lowercase(a.name), a.name) < std::pair(lowercase(b.name), b.name);
  });
  return listing;
}

std::string folder_part(const std::string& typed) {
  std::string folder = typed.substr(0, cut_of(typed));
  for (const std::string_view anew : {"//", "/~/"}) {
    if (const std::size_t at = folder.rfind(anew); at != std::string::npos) folder.erase(0, at + 1);
  }
  if (folder.starts_with("~/")) {
    if (const fs::path home = home_folder(); !home.empty()) folder = with_slash(utf8_from(home)) + folder.substr(2);
  }
  std::error_code error;
  const fs::path whole = fs::absolute(path_from(folder.empty() ? "." : folder), error);
  return error ? folder : with_slash(utf8_from(whole.lexically_normal()));
}

std::string name_part(const std::string& typed) { return typed.substr(cut_of(typed)); }

std::string folder_above(const std::string& folder) {
  const fs::path whole = path_from(folder).parent_path();  // without the final slash
  return with_slash(utf8_from(whole.parent_path()));
}

std::vector<std::size_t> matching(const FolderListing& listing, std::string_view part) {
  const std::string wanted = lowercase(part);
  std::vector<std::size_t> first, later;
  for (std::size_t i = 0; i < listing.entries.size(); ++i) {
    const std::size_t at = lowercase(listing.entries[i].name).find(wanted);
    if (at != std::string::npos) (at == 0 ? first : later).push_back(i);
  }
  first.insert(first.end(), later.begin(), later.end());
  return first;
}

std::string completed(const FolderListing& listing, const std::string& part) {
  const std::string wanted = lowercase(part);
  std::string common;
  std::size_t found = 0;
  bool folder = false;
  for (const FolderEntry& entry : listing.entries) {
    if (!lowercase(entry.name).starts_with(wanted)) continue;
    folder = entry.folder;
    if (found++ == 0) {
      common = entry.name;
      continue;
    }
    const auto end = std::ranges::mismatch(common, entry.name, [](char a, char b) {
      return lowercase({&a, 1}) == lowercase({&b, 1});
    });
    common.resize(static_cast<std::size_t>(end.in1 - common.begin()));
  }
  if (found == 0) return part;
  while (!is_utf8(common)) common.pop_back();  // cut between characters only
  return found == 1 && folder ? common + '/' : common;
}

}  // namespace headlight
