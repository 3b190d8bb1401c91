// Inside core/explain: one function a kind of step, and what they share.
#pragma once

#include <span>

#include "core/explain/explain.h"

namespace headlight::steps {

void explain_projection(const Trace& trace, Explanation& to);
void explain_split(const Trace& trace, Explanation& to);
void explain_position(const Trace& trace, Explanation& to);
void explain_scores(const Trace& trace, Explanation& to);
void explain_scale(const Trace& trace, Explanation& to);
void explain_cap(const Trace& trace, Explanation& to);
void explain_bias(const Trace& trace, Explanation& to);
void explain_mask(const Trace& trace, Explanation& to);
void explain_masked_scores(const Trace& trace, Explanation& to);
void explain_weights(const Trace& trace, Explanation& to);
void explain_dropout(const Trace& trace, Explanation& to);
void explain_head_outputs(const Trace& trace, Explanation& to);
void explain_concat(const Trace& trace, Explanation& to);

/// A projection's input, matrix and bias.
struct Projection {
  Stage input, weight, bias;
};
Projection projection_of(Stage stage);
/// What a stage of scores was made from: the stage before it that this trace has.
Stage scores_before(const Trace& trace, Stage stage);
/// What the scores multiply: rotated where there is that.
Stage queries_of_scores(const Trace& trace);
Stage keys_of_scores(const Trace& trace);
/// What multiplies the values.
Stage weights_in_use(const Trace& trace);

void add_term(const Trace& trace, Explanation& to, const Cell& cell, double factor);
/// Terms left[i] with factor right[i], then right[i] with factor 0; the same as text, largest products first to be
/// kept.
void add_products(const Trace& trace, Explanation& to, std::span<const Cell> left, std::span<const Cell> right);

/// About three digits, a real minus sign, −∞, NaN; very small and large ones as powers of ten.
std::string number(double value);
/// In parentheses where it is negative.
std::string bracketed(double value);
/// "_{2,3}"
std::string at(Index row, Index col);
/// `text` as a symbol that stands for numbers of `stage`: \in{stage}{text}.
std::string in_stage(Stage stage, const std::string& text);
/// "S′_{2,3}" and the like: how a stage is called in formulas, as a symbol of it.
std::string symbol(const Cell& cell);

}  // namespace headlight::steps
