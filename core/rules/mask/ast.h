// Tokens and the syntax tree of a mask expression: typed, checked and constant-folded as it is built.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/rules/mask/patterns.h"

namespace headlight::mask {

enum class Op : std::uint8_t {
  number,
  truth,
  variable,
  negate,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  absolute,
  floor,
  minimum,
  maximum,
  hash,  // the operations up to here give a number
  less,
  less_equal,
  greater,
  greater_equal,
  equal,
  not_equal,
  member,  // whether the first operand equals one of the others
  drawn,   // the operations from less on give a condition
  logical_not,
  logical_and,
  logical_or,
  choose,
  pattern,   // operands: its arguments; body: its definition with the arguments in place
  argument,  // a pattern's argument that is known only at evaluation, and checked there
};

enum class Variable : std::uint8_t {
  q,
  k,
  b,
  h,
  n_q,
  n_k,
  valid_len,
  file_mask,
  painted_mask,
  doc_q,
  doc_k,
  place_q,
  place_k,
  grid_rows,
  grid_columns,
  first_patch
};
inline constexpr std::size_t variable_count = 16;

/// What a value depends on, as bits.
enum Depends : std::uint8_t { on_nothing = 0, on_q = 1, on_k = 2, on_b = 4, on_h = 8 };

/// The range of bytes of the expression's text that a token or node was parsed from.
struct Span {
  std::size_t begin = 0;
  std::size_t end = 0;
};

struct Node;
using NodePtr = std::shared_ptr<const Node>;

struct Node {
  Node(Op op_of_node, Span span_of_node) : op(op_of_node), span(span_of_node) {}

  Op op;
  Span span;
  std::vector<NodePtr> operands;
  NodePtr body;
  const Pattern* pattern = nullptr;
  const Parameter* parameter = nullptr;  ///< of an `argument`
  Variable variable = Variable::q;
  bool condition = false;    ///< a condition; otherwise a number
  bool whole = false;        ///< always an integer, whatever the variables
  bool can_fail = false;     ///< evaluation may find a zero divisor or an argument out of range
  std::uint8_t depends = 0;  ///< Depends bits, an upper bound
  int depth = 1;
  std::optional<double> constant;  ///< the value of a number without variables
  std::string_view called{};       ///< its name in generated code, e.g. "row_q", if the expression itself is long
};

NodePtr make_number(double value, Span span);
NodePtr make_truth(bool value, Span span);
NodePtr make_variable(Variable variable, Span span);
/// Checks the types of the operands and constant divisors. Throws ExpressionError at the wrong operand.
NodePtr make_operation(Op op, std::vector<NodePtr> operands, Span span);
NodePtr make_pattern(const Pattern& pattern, std::vector<NodePtr> arguments, NodePtr body, Span span);
/// An argument of a pattern: checked now if it is constant, otherwise at evaluation.
NodePtr make_argument(const Pattern& pattern, std::size_t index, NodePtr value);
/// Throws ExpressionError unless the value is in the parameter's range.
void check_argument(const Pattern& pattern, const Parameter& parameter, double value, std::size_t position);

/// A call of a pattern: its definition with these arguments in place. `from_corner`: the expression that it is part of
/// calls causal_bottom_right(). Throws ExpressionError if an argument is out of range.
NodePtr make_call(const Pattern& pattern, std::vector<NodePtr> values, Span span, bool from_corner);

/// The tree of a whole expression, which must be a condition; file() has the tree `file_mask`, by default the cells of
/// the file's mask. Throws ExpressionError.
NodePtr parse(std::string_view text, const NodePtr& file_mask = nullptr);

/// The same tree with other spans: of the text that it becomes part of.
NodePtr with_spans(const NodePtr& root, const std::function<Span(Span)>& span);
/// Whether two trees that were parsed from the same text are the same: they differ in what file() stands for, if at
/// all.
bool same_files(const Node& a, const Node& b);

/// "+", "&&", "floor", …
std::string_view symbol(Op op);
/// "q", "n_k", …
std::string_view name(Variable variable);
/// The shortest decimal text that reads back as the same number; integers have no decimal point.
std::string number_text(double value);

struct Token {
  enum class Kind : std::uint8_t { number, name, symbol, end };
  Kind kind = Kind::end;
  std::string_view text;  ///< part of the tokenized text
  Span span;
  double number = 0;
};

/// The last token has Kind::end. Throws ExpressionError at a character that is not part of the language. `and` and `or`
/// become the symbols && and ||; `not` stays a name, since it binds more loosely than `!`.
std::vector<Token> tokenize(std::string_view text);

}  // namespace headlight::mask
