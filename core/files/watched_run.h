// What headlight.watch(module) writes while a model runs (python/headlight_watch.py): a folder a model, in it
// step-N.npz for each recorded call, step-N.gradients.npz once its backward pass has run, latest.npz (the newest call),
// and "looking", which is touched while a window shows one of them and without which nothing is recorded.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/tensor/tensor.h"

namespace headlight {

/// The name that the model is watched by, of a file in such a folder; "" for any other. Looks at the path alone.
std::string_view watched_name(std::string_view path);
inline bool same_run(std::string_view a, std::string_view b) {
  return !watched_name(a).empty() && a.substr(0, a.find_last_of("/\\")) == b.substr(0, b.find_last_of("/\\"));
}
/// What changes on disk when there is something new to show: latest.npz for a recorded call, else the file itself.
std::string file_to_follow(const std::string& path);
/// "looking" beside a file of such a folder; "" for any other.
std::string looking_file(const std::string& path);
void touch(const std::string& looking);

struct RecordedStep {
  Index step = 0;
  std::string path;
};
/// Of the folder that `path` is in, oldest first.
std::vector<RecordedStep> recorded_steps(const std::string& path);
/// The gradients of the loss by the weights of a layer, [B, H, n_q, n_k]; undefined where no backward pass has run.
Tensor recorded_gradients(const std::string& step, Index layer);

/// The names of models that are or were watched and have a recorded call, the newest first.
std::vector<std::string> watched_runs();
/// The newest recorded call. Throws SettingError.
std::string newest_of_run(const std::string& name);

}  // namespace headlight
