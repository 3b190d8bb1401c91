// The trained models that ship with the program, as their model.json describes them: assets/models/ID.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/tensor/tensor.h"

namespace headlight {

/// What a head does, and how that was measured over many inputs: by its weight, and by what is lost without it.
struct HeadClaim {
  std::string layer;  ///< "1"; "cross.0" where there are two stacks
  Index head = 0;
  std::map<std::string, std::string> does;  ///< by language: "the verb's subject"
  /// {"on": questions, "weight": mean weight on what decides, "accuracy": as it is, "without": with the head knocked
  /// out}
  nlohmann::ordered_json measured;
};

struct ShippedModel {
  std::string id;
  std::map<std::string, std::string> title, task;  ///< by language
  Index layers = 0, heads = 0;                     ///< heads of one layer
  double accuracy = 0;                             ///< share of the held-out questions that it answers right
  std::vector<std::string> examples;               ///< texts worth opening, the best first
  std::vector<HeadClaim> claims;
  std::filesystem::path folder;
};

/// In the order of their ids, `sentences` first. Throws FileError where a model.json is damaged.
std::vector<ShippedModel> shipped_models();

}  // namespace headlight
