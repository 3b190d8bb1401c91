// TrainedModel: the network of one step as the files of a model, in memory. What is written to a folder and what opens
// from memory are the same arrays and the same texts.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "core/base/arrays/array_write.h"

namespace headlight {

class ArrayFile;

struct TrainedModel {
  std::string name;       ///< of the run: "train:reverse@40"
  std::string config;     ///< config.json: GPT-2's where the network has its shape, else model_type "headlight"
  std::string tokenizer;  ///< tokenizer.json
  std::string task;       ///< an id of training_tasks(), or "text"
  std::string example;    ///< a text for it: the probe's
  std::string run;        ///< train.json: the settings, the step, and what was measured
  std::vector<NamedArray> arrays;  ///< of model.safetensors, under GPT-2's names

  /// The arrays as an open file named `name`.
  std::shared_ptr<const ArrayFile> file() const;
};

/// Throws FileError if there is one that is not empty.
void check_model_folder(const std::filesystem::path& folder);
/// Writes config.json, tokenizer.json, train.json and model.safetensors into a new folder, all or nothing. Throws
/// FileError if there is one that is not empty.
void write_model(const std::filesystem::path& folder, const TrainedModel& model);

}  // namespace headlight
