// The choices of a run as the view Train offers them: groups of options, one of which is chosen.
#pragma once

#include <span>
#include <string>

#include "core/compute/training/settings.h"
#include "ui/base/look/words.h"

namespace headlight {

struct TrainOption {
  const char* word;  ///< a translation key; without a dot, the word itself
  bool (*is)(const TrainingSettings& run);
  void (*set)(TrainingSettings& run);
};
struct TrainGroup {
  const char* word;  ///< translation key of its name
  std::span<const TrainOption> options;
  /// Its value in words, where no option has it.
  std::string (*text)(const TrainingSettings& run);
};
std::span<const TrainGroup> train_groups();

std::string option_words(const TrainOption& option, const Words& words);
/// "mask causal()"
std::string choice_words(const TrainGroup& group, const TrainingSettings& run, const Words& words);
/// The first group in which two runs differ; null if there is none.
const TrainGroup* differing_group(const TrainingSettings& a, const TrainingSettings& b);

}  // namespace headlight
