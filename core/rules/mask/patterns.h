// The mask patterns: one table for the parser, `headlight list masks` and the window's palette.
//
// A pattern is a named predicate over (q, k), counted from zero; true = may attend. Each is defined in the mask
// language itself, so that evaluation and code export treat all patterns alike.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "core/base/tensor/message.h"
#include "core/base/tensor/tensor.h"

namespace headlight {

/// A parameter of a pattern. It may be any expression over b, h, n_q, n_k, but not over q or k.
struct Parameter {
  std::string_view name;
  double minimum = 0;
  double initial = 1;  ///< initial value of its slider
  double maximum = std::numeric_limits<double>::infinity();
  bool whole = true;  ///< false: not only integers
};

struct Pattern {
  std::string_view name;
  std::span<const Parameter> parameters;
  std::string_view predicate;   ///< in Unicode mathematics: "|q − k| < w"
  std::string_view known_from;  ///< models and libraries; may be empty
  std::string_view example;     ///< a useful example expression
  std::string_view definition;  ///< in the mask language, over the parameters; empty if the parameters repeat
  bool repeats = false;         ///< takes one or more arguments for its single parameter
  /// Compares the places of query and key, so that under causal_bottom_right() it counts queries from the same corner:
  /// q in its definition is then q + (n_k − n_q).
  bool moves = false;
};

/// In the order of the manual.
std::span<const Pattern> all_patterns();
/// Null if there is none. If two patterns have the same name, the one with this number of parameters, otherwise the
/// first.
const Pattern* pattern_named(std::string_view name, std::size_t arguments = 0);
/// "window(w)", "document(n1, n2, …)"
std::string signature(const Pattern& pattern);
/// The parameter of argument `index`.
const Parameter& parameter(const Pattern& pattern, std::size_t index);
/// "a whole number of 1 or more", "a number from 0 to 1"
Message range_sentence(const Parameter& parameter);
/// The definition for a call with this number of arguments, over `argument_name`s.
std::string definition(const Pattern& pattern, std::size_t argument_count);
/// The name of argument `index` in the definition: "w", or "n1", "n2" if the parameter repeats.
std::string argument_name(const Pattern& pattern, std::size_t index);

/// Masks of published models that are not a single pattern: one example expression each.
struct MaskExample {
  std::string_view name;
  std::string_view expression;
  std::string_view known_from;
  Index n_q, n_k;  ///< the sizes that the numbers in the expression are made for
};

std::span<const MaskExample> mask_examples();

}  // namespace headlight
