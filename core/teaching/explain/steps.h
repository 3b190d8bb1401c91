// Inside core/teaching/explain: one function per kind of step, and helpers.
#pragma once

#include <span>

#include "core/teaching/explain/explain.h"

namespace headlight::steps {

/// A cell of a trace of gradients, back to the stages after it.
Explanation explain_gradient(const Trace& gradients, const Cell& cell);
void explain_given(const Trace& trace, Explanation& to);
void explain_projection(const Trace& trace, Explanation& to);
void explain_split(const Trace& trace, Explanation& to);
void explain_norm(const Trace& trace, Explanation& to);
void explain_rotation(const Trace& trace, Explanation& to);
void explain_scores(const Trace& trace, Explanation& to);
void explain_scale(const Trace& trace, Explanation& to);
void explain_cap(const Trace& trace, Explanation& to);
void explain_bias(const Trace& trace, Explanation& to);
void explain_mask(const Trace& trace, Explanation& to);
void explain_masked_scores(const Trace& trace, Explanation& to);
void explain_weights(const Trace& trace, Explanation& to);
void explain_dropout(const Trace& trace, Explanation& to);
void explain_head_outputs(const Trace& trace, Explanation& to);
void explain_contribution(const Trace& trace, Explanation& to);
void explain_concat(const Trace& trace, Explanation& to);

/// What replaces one of a stage's sources in this trace (not for weights, biases and masks).
Stage source_of(const Trace& trace, Stage stage, std::size_t which = 0);

/// The same cell of the stage before.
Cell source_cell(const Trace& trace, const Cell& cell);

void add_term(const Trace& trace, Explanation& to, const Cell& cell, double factor);

/// About three digits, with a real minus sign, −∞, NaN; very small and large ones as powers of ten.
std::string number(double value);
/// In parentheses if it is negative.
std::string bracketed(double value);
/// "_{2,3}"
std::string at(Index row, Index col);
/// `text` as a symbol for numbers of `stage`: \in{stage}{text}.
std::string in_stage(Stage stage, const std::string& text);
/// "S_{2,k}": the stage's letter with an index.
std::string indexed(Stage stage, const std::string& index);
/// "S′_{2,3}": a cell of a stage in a formula.
std::string symbol(const Cell& cell);

}  // namespace headlight::steps
