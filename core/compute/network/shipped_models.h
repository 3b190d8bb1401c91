// The trained models that ship with the program, as described in their model.json: assets/models/ID.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/base/tensor/tensor.h"
#include "core/scenario/documents/lesson.h"

namespace headlight {

/// What a head is needed for, measured over many inputs: the correct answers that are lost without it.
struct HeadClaim {
  std::string layer;  ///< "1"; "cross.0" if there are two stacks
  Index head = 0;
  std::map<std::string, std::string> does;   ///< what it does, by language: "the verb's subject"
  std::map<std::string, std::string> brief;  ///< the same in three or four words; empty if it is already short
  /// {"questions": their kinds, "accuracy": of the model, "without": with the head knocked out, "next_largest": with
  /// the most important other head knocked out}; if it was measured, also "on" and "weight": where the head attends,
  /// and how much
  nlohmann::ordered_json measured;
  std::string rests_on;  ///< where it attends otherwise: "first", "previous", "itself"; "" if not measured
  double rests = 0;      ///< the share of rows whose largest weight is there
};

/// The suggested first view of a model: a head, and a row and a column of its weights on the first example.
struct ModelOpening {
  std::string layer;
  Index head = 0, query = 0, key = 0;
};

struct ShippedModel {
  std::string id;
  std::map<std::string, std::string> title, task;  ///< by language
  Index layers = 0, heads = 0;                     ///< heads of one layer
  double accuracy = 0;    ///< share of correct answers on held-out questions, or of correct next tokens
  double perplexity = 0;  ///< per held-out token; 0 if not measured
  Index vocabulary = 0;   ///< tokens
  std::string language;   ///< the language in which it opens by default; "" if it does not
  ModelOpening opens;
  std::vector<std::string> examples;  ///< texts or pictures ("model:shapes/cross.png") to open, the best first
  std::vector<HeadClaim> claims;
  std::filesystem::path folder;
};

/// In the order of their ids, the English one first. Throws FileError if a model.json is damaged.
std::vector<ShippedModel> shipped_models();

/// Sets the scenario's input to the model's first example, a text or a picture.
void read_first_example(const ShippedModel& model, Scenario& scenario);
/// A model with its first example, at the head and row of its suggested view.
Lesson opening_of(const ShippedModel& model);
/// What opens if nothing is named: the model of that language, otherwise the English one. Unset if none is shipped.
std::optional<Lesson> trained_document(const std::string& language);
/// "model:chinese" for a Chinese text beside "model:english", and the other way round: the shipped model of the text's
/// script. "" if `file` is of that script, or no such model.
std::string model_of_script(const std::string& file, std::string_view text);

}  // namespace headlight
