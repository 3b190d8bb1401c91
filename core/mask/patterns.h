// The mask patterns: one table that the parser, `headlight list masks` and the palette of the window share.
//
// A pattern is a name for a predicate over (q, k), both counted from zero; true = may attend. Each is defined in the
// mask language itself, so that evaluation and code export know nothing of any single pattern.
#pragma once

#include <limits>
#include <span>
#include <string>
#include <string_view>

#include "core/tensor/tensor.h"

namespace headlight {

/// A number a pattern takes. It may be any expression over b, h, n_q, n_k, but not over q or k.
struct Parameter {
  std::string_view name;
  double minimum = 0;
  double initial = 1;  ///< where a slider starts
  double maximum = std::numeric_limits<double>::infinity();
  bool whole = true;  ///< false: any number in the range
};

struct Pattern {
  std::string_view name;
  std::span<const Parameter> parameters;
  std::string_view predicate;   ///< for people, in Unicode: "|q − k| < w"
  std::string_view known_from;  ///< models and libraries; may be empty
  std::string_view example;     ///< an expression worth starting from
  std::string_view definition;  ///< in the mask language, over the parameters; empty where the parameters repeat
  bool repeats = false;         ///< takes one or more of its single parameter
};

/// In the order of the manual.
std::span<const Pattern> all_patterns();
/// nullptr if there is no such pattern.
const Pattern* pattern_named(std::string_view name);
/// "window(w)", "document(n1, n2, …)"
std::string signature(const Pattern& pattern);
/// The parameter that argument `index` is for.
const Parameter& parameter(const Pattern& pattern, std::size_t index);
/// "a whole number of 1 or more", "a number from 0 to 1"
std::string range_sentence(const Parameter& parameter);
/// The definition for a call with so many arguments, over `argument_name`s.
std::string definition(const Pattern& pattern, std::size_t argument_count);
/// What argument `index` is called in the definition: "w", or "n1", "n2" where the parameter repeats.
std::string argument_name(const Pattern& pattern, std::size_t index);

/// Masks of published models that are no pattern of their own: one expression each, worth starting from.
struct MaskExample {
  std::string_view name;
  std::string_view expression;
  std::string_view known_from;
  Index n_q, n_k;  ///< the sizes that its numbers are written for
};

std::span<const MaskExample> mask_examples();

}  // namespace headlight
