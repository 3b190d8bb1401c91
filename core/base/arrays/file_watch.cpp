#include "core/base/arrays/file_watch.h"

#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/arrays/array_file.h"
#include "core/base/files/error_place.h"
#include "core/base/files/file_reading.h"
#include "core/base/files/own_files.h"
#include "core/base/files/places.h"
#include "core/base/tensor/error.h"
#include "core/base/text/number_text.h"
#include "core/base/text/texts.h"
#include "core/base/text/utf8_path.h"

namespace headlight {

FileStamp stamp_of(const std::filesystem::path& path) {
  std::error_code error;  // ignored here: reading the file gives the error message
  FileStamp stamp;
  stamp.size = std::filesystem::file_size(path, error);
  stamp.changed = change_time(path, error);
  return stamp;
}

FileWatch::FileWatch(std::function<void()> changed) : changed_(std::move(changed)) {}

FileWatch::~FileWatch() = default;

bool FileWatch::take() {
  const std::lock_guard lock(mutex_);
  return std::exchange(ready_, false);
}

namespace {

namespace fs = std::filesystem;

constexpr std::string_view latest = "latest.npz", step_begins = "step-", step_ends = ".npz";

std::string sibling_path(const std::string& path, std::string_view name) {
  return path.substr(0, path.size() - file_name_of(path).size()) + std::string(name);
}

/// N of "step-N.npz"; -1 for any other name.
Index step_number(std::string_view name) {
  if (!name.starts_with(step_begins) || !name.ends_with(step_ends)) return -1;
  name = name.substr(step_begins.size(), name.size() - step_begins.size() - step_ends.size());
  return number_of_text<Index>(name).value_or(-1);
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator at(folder, error), end; !error && at != end; at.increment(error))
    files.push_back(at->path());
  return files;
}

fs::path runs_folder() {
  const fs::path state = state_folder();
  return state.empty() ? state : state / "watch";
}

}  // namespace

std::string_view watched_name(std::string_view path) {
  const std::string_view file = file_name_of(path);
  if (file != latest && step_number(file) < 0) return {};
  path.remove_suffix(std::min(path.size(), file.size() + 1));
  const std::string_view name = file_name_of(path);
  path.remove_suffix(std::min(path.size(), name.size() + 1));
  if (file_name_of(path) != "watch") return {};
  path.remove_suffix(std::min<std::size_t>(path.size(), 6));
  return file_name_of(path) == "headlight" ? name : std::string_view();
}

std::string file_to_follow(const std::string& path) {
  return watched_name(path).empty() ? path : sibling_path(path, latest);
}

std::string looking_file(const std::string& path) {
  return watched_name(path).empty() ? std::string() : sibling_path(path, "looking");
}

void touch(const std::string& looking) {
  // Not where somebody else's folder is opened, nor where one's own has been deleted.
  const fs::path file = path_from(looking);
  std::error_code error;
  if (file.parent_path().parent_path() == runs_folder() && fs::exists(file.parent_path(), error)) touch_own_file(file);
}

std::vector<RecordedStep> recorded_steps(const std::string& path) {
  std::vector<RecordedStep> steps;
  for (const fs::path& file : files_in(path_from(path).parent_path())) {
    std::string name = utf8_from(file.filename());
    if (const Index number = step_number(name); number >= 0) steps.push_back({number, sibling_path(path, name)});
  }
  std::ranges::sort(steps, {}, &RecordedStep::step);
  return steps;
}

Tensor recorded_gradients(const std::string& step, Index layer) {
  if (!step.ends_with(step_ends)) return {};
  const std::string file = step.substr(0, step.size() - step_ends.size()) + ".gradients.npz";
  std::error_code error;
  if (!fs::exists(path_from(file), error)) return {};
  const auto arrays = open_arrays(path_from(file));
  const std::string name = "gradients." + std::to_string(layer);
  return arrays->find(name) ? arrays->load(name) : Tensor();
}

std::vector<std::string> watched_runs() {
  std::vector<std::pair<fs::file_time_type, std::string>> found;
  for (const fs::path& folder : files_in(runs_folder())) {
    std::error_code error;
    const auto changed = change_time(folder / latest, error);
    if (!error) found.emplace_back(changed, utf8_from(folder.filename()));
  }
  std::ranges::sort(found, std::greater<>());
  std::vector<std::string> names;
  for (auto& [when, name] : found) names.push_back(std::move(name));
  return names;
}

std::string newest_of_run(const std::string& name) {
  const std::vector<std::string> runs = watched_runs();
  if (std::ranges::find(runs, name) != runs.end()) {
    const std::vector<RecordedStep> steps = recorded_steps(utf8_from(runs_folder() / path_from(name) / latest));
    if (!steps.empty()) return steps.back().path;
  }
  const std::string known = comma_list(runs);
  throw SettingError("--watch", Message("no call of {0} is recorded", in_quotes(name)),
                     known.empty() ? Message("expected headlight.watch(model) in Python and one call of the model")
                                   : Message("expected one of {0}", known));
}

}  // namespace headlight
