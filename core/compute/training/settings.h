// TrainingSettings: a training run as a value. The same value gives the same numbers at every number of threads.
//
//   TrainingSettings settings = training_defaults("reverse");      // one layer of two heads, no MLP, no mask
//   set_training(settings, "mask", "causal()");                    // by word, as on the command line
//   Trainer trainer(settings);                                      // core/compute/training/trainer.h
//
// A run has a name, "train:reverse;mask=causal();seed=3@40" (the network after 40 steps), which opens like a file
// everywhere: the run is made again if it is not in memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/models/architecture/model_folder.h"
#include "core/scenario/settings/scenario.h"

namespace headlight {

enum class TrainedPositions : std::uint8_t { none, sinusoidal, learned };
/// What a token of a text file is.
enum class TextUnit : std::uint8_t { words, letters };

struct TrainingSettings {
  std::string task =
      "reverse";  ///< an id of training_tasks() (core/compute/training/task.h), or the path of a text file
  TextUnit unit = TextUnit::words;
  Index layers = 1, heads = 2;
  std::optional<Index> kv_heads{};  ///< divides `heads`; unset: as many
  Index d_model = 32;               ///< divided by `heads`
  bool norm = true;                 ///< LayerNorms before attention and MLP and at the end
  bool mlp = false;                 ///< of 4 · d_model neurons, GELU
  TrainedPositions positions = TrainedPositions::learned;
  Rope rope = Rope::none;
  float rope_base = 10000;
  bool alibi = false;
  std::string mask = "full()";       ///< in the mask language; q, k, h, n_q and n_k may occur
  DeadRow dead_row = DeadRow::zero;  ///< the weights of a query without keys
  std::optional<float> scale{};      ///< unset: 1/√d_head
  std::optional<float> softcap{};
  float dropout = 0;                  ///< of the attention weights
  float rate = 3e-3F, decay = 0.01F;  ///< of AdamW, with β = 0.9, 0.98 and ε = 1e-8
  Index batch_size = 32;              ///< sequences in a step
  Index length = 8;                   ///< tokens in a sequence
  std::uint64_t seed = 0;
  Index steps = 300;
  bool operator==(const TrainingSettings&) const = default;
};

/// A task with the settings that suit it: its mask, layers, length and steps. Throws SettingError for a task that is
/// neither known nor an existing file.
TrainingSettings training_defaults(const std::string& task);

/// One setting, for the command line, links and controls.
struct TrainingSetting {
  std::string_view key;      ///< "d_model"; the option is "--d-model"
  std::string_view operand;  ///< "N"; empty: a switch
  std::string_view help;
  double least, most;                       ///< of a number
  std::span<const std::string_view> words;  ///< of a choice
  void (*set)(TrainingSettings& settings, const TrainingSetting& row, std::string_view text);
  std::string (*text)(const TrainingSettings& settings);  ///< what set() takes; "" if it is unset
  std::string option() const;
};
/// In the order of the manual. `task` is not among them.
std::span<const TrainingSetting> training_settings();
/// Null if there is none. Takes the key or the option.
const TrainingSetting* training_setting(std::string_view name);
/// Throws SettingError: an unknown key, or a text that is no value of it.
void set_training(TrainingSettings& settings, std::string_view key, std::string_view text);
/// Throws SettingError where settings do not fit each other: "--heads: 3 does not divide d_model 32; …", and for a mask
/// that allows no key to any query. Throws ExpressionError for a mask that is none.
void check_training(const TrainingSettings& settings);

// Names of runs; they begin with run_prefix (core/models/architecture/model_folder.h).
/// "train:reverse;mask=causal();seed=3@40": what differs from the task's defaults, and the step.
std::string run_name(const TrainingSettings& settings, Index step);
struct NamedRun {
  TrainingSettings settings;
  Index step = 0;  ///< without "@N": settings.steps
};
/// Throws SettingError.
NamedRun named_run(const std::string& name);

}  // namespace headlight
