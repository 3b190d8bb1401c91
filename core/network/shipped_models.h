// The trained models that ship with the program, as their model.json describes them: assets/models/ID.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "core/scenario/lesson.h"
#include "core/tensor/tensor.h"

namespace headlight {

/// What a head is missed for, measured over many inputs: the right answers that are lost without it.
struct HeadClaim {
  std::string layer;  ///< "1"; "cross.0" where there are two stacks
  Index head = 0;
  std::map<std::string, std::string> does;   ///< by language: "the verb's subject"
  std::map<std::string, std::string> brief;  ///< the same in three or four words; empty where it has no more itself
  /// {"questions": their kinds, "accuracy": as it is, "without": with the head knocked out, "next_largest": with the
  /// head knocked out that is missed most but for this one}; where it was measured, "on" and "weight": on what and how
  /// much
  nlohmann::ordered_json measured;
  std::string rests_on;  ///< where it looks otherwise: "first", "previous", "itself"; "" where that was not measured
  double rests = 0;      ///< the share of rows whose largest weight is there
};

/// Where a model is best looked at first: a head, and a row and a column of its weights on the first example.
struct ModelOpening {
  std::string layer;
  Index head = 0, query = 0, key = 0;
};

struct ShippedModel {
  std::string id;
  std::map<std::string, std::string> title, task;  ///< by language
  Index layers = 0, heads = 0;                     ///< heads of one layer
  double accuracy = 0;    ///< share of the held-out questions, or next tokens, that it answers right
  double perplexity = 0;  ///< of a held-out token; 0 where that was not measured
  Index vocabulary = 0;   ///< tokens
  std::string language;   ///< in which it opens where nothing is named; "" where it does not
  ModelOpening opens;
  std::vector<std::string> examples;  ///< texts or pictures ("model:shapes/cross.png") worth opening, the best first
  std::vector<HeadClaim> claims;
  std::filesystem::path folder;
};

/// In the order of their ids, the one of English first. Throws FileError where a model.json is damaged.
std::vector<ShippedModel> shipped_models();

/// The scenario reads the first of the model's examples, a text or a picture.
void read_first_example(const ShippedModel& model, Scenario& scenario);
/// A model on the first of its examples, at the head and row that show what it is for.
Lesson opening_of(const ShippedModel& model);
/// What opens where nothing is named: the model of that language, else of English. Nothing where none ships.
std::optional<Lesson> trained_document(const std::string& language);

}  // namespace headlight
