// The terms that are added to the scores: ALiBi, T5's table, a tensor of the source or of the user, DeBERTa's two
// products. One row of a table says everything about a term; the stage biased_scores is their sum with the scores.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "core/compute/run/trace.h"

namespace headlight {

/// A term in the explanation of one cell.
struct TermOfCell {
  std::string_view name;  ///< of its quantity
  double value = 0;
  std::string formula;  ///< "m_{0} (k − q)"
  /// If the value is a product: its factor and the whole number that it is multiplied by.
  std::optional<std::pair<double, Index>> product{};
  std::string_view also{};  ///< another quantity: "slope"; "" for none
  double also_value = 0;
};

/// A term in a script of Python.
struct TermOfScript {
  std::vector<std::string> before{};  ///< lines
  std::string value;                  ///< broadcast to [B, H, n_q, n_k]
};

struct ScoreTerm {
  std::string_view name;
  std::string_view prose;  ///< ending of the key of the stage's prose: "_given"; "" for prose.biased_scores
  bool (*there)(const Scenario& scenario, const Inputs& inputs);
  AddedTerm (*values)(const Trace& trace);
  std::vector<TermOfCell> (*of_cell)(const Trace& trace, const Cell& cell);
  TermOfScript (*script)(const Trace& trace, bool torch);
};

/// Those of a run, in the order in which they are added.
std::vector<const ScoreTerm*> terms_of(const Scenario& scenario, const Inputs& inputs);

/// What they add in this trace, whose t5_table and query_offset are known; equal tensors are those of `last`.
AddedTerms added_terms(const Trace& trace, const Trace* last);

}  // namespace headlight
