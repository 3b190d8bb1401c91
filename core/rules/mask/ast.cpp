#include "core/rules/mask/ast.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <charconv>
#include <cmath>
#include <map>

#include "core/base/tensor/error.h"
#include "core/rules/mask/operations.h"

namespace headlight::mask {
namespace {

// A number of tokens that no sequence has. All arithmetic here can hold it as a whole number.
constexpr double largest_count = 4294967296.0;

// All walks over the tree are recursive: this depth fits the smallest stack of a thread.
constexpr int deepest_tree = 500;

bool takes_conditions(Op op) { return op == Op::logical_not || op == Op::logical_and || op == Op::logical_or; }
bool compares(Op op) { return op >= Op::less && op <= Op::member; }

const char* kind(const Node& node) { return node.condition ? "a condition" : "a number"; }

[[noreturn]] void fail_type(Op op, const Node& operand) {
  const Message sign("'{0}'", symbol(op));
  if (compares(op) && operand.condition && compares(operand.op)) {
    throw ExpressionError(operand.span.begin, "a comparison cannot be compared with a number",
                          "expected two comparisons joined by &&, such as 0 < k && k < 5");
  }
  const char* wanted = operand.condition ? "a number" : "a condition such as k <= q";
  throw ExpressionError(operand.span.begin, Message("{0} is applied to {1}", sign, kind(operand)),
                        Message("expected {0}", wanted));
}

void check_types(Op op, const std::vector<NodePtr>& operands) {
  if (op == Op::choose) {
    if (!operands[0]->condition) fail_type(op, *operands[0]);
    if (operands[1]->condition != operands[2]->condition) {
      throw ExpressionError(operands[2]->span.begin,
                            Message("the two sides of ':' are {0} and {1}", kind(*operands[1]), kind(*operands[2])),
                            "expected the same on both");
    }
    return;
  }
  const bool equates = op == Op::equal || op == Op::not_equal || op == Op::member;
  if (equates && std::ranges::all_of(operands, [](const NodePtr& operand) { return operand->condition; })) return;
  for (const NodePtr& operand : operands) {
    if (operand->condition != takes_conditions(op)) fail_type(op, *operand);
  }
}

void check_divisor(Op op, const std::vector<NodePtr>& operands) {
  if ((op == Op::divide || op == Op::modulo) && operands[1]->constant == 0.0) {
    throw ExpressionError(operands[1]->span.begin, "division by zero", "expected a divisor other than 0");
  }
}

bool stays_whole(Op op, const std::vector<NodePtr>& operands) {
  if (op == Op::floor || op == Op::hash) return true;
  if (op == Op::divide) return false;
  const std::size_t first = op == Op::choose ? 1 : 0;
  return std::all_of(operands.begin() + static_cast<std::ptrdiff_t>(first), operands.end(),
                     [](const NodePtr& operand) { return operand->whole; });
}

std::optional<double> folded(Op op, const std::vector<NodePtr>& operands) {
  if (!std::ranges::all_of(operands, [](const NodePtr& operand) { return operand->constant.has_value(); })) return {};
  const auto constant = [&](std::size_t i) { return *operands[i]->constant; };
  if (is_of_one_number(op)) return with_function_of_one(op, [&](auto f) { return f(constant(0)); });
  if (is_of_two_numbers(op)) return with_function_of_two(op, [&](auto f) { return f(constant(0), constant(1)); });
  return {};
}

constexpr std::uint8_t on_every_index = on_q | on_k | on_b | on_h;

/// In the order of Variable.
struct VariableInfo {
  std::string_view name;
  std::uint8_t depends;  ///< Depends bits
};
constexpr VariableInfo variable_infos[] = {
    {"q", on_q},
    {"k", on_k},
    {"b", on_b},
    {"h", on_h},
    {"n_q", on_nothing},
    {"n_k", on_nothing},
    {"valid_len", on_b | on_q},
    {"file_mask", on_every_index},
    {"painted_mask", on_every_index},
    {"doc(q)", on_b | on_q},
    {"doc(k)", on_b | on_k},
    {"place(q)", on_b | on_q},
    {"place(k)", on_b | on_k},
    {"grid_rows", on_nothing},
    {"grid_columns", on_nothing},
    {"first_patch", on_nothing},
};
static_assert(std::size(variable_infos) == variable_count);

/// Takes from an operand: what the node depends on, its depth, and whether it can fail.
void take_from_operand(Node& node, const NodePtr& child) {
  node.depends |= child->depends;
  node.can_fail |= child->can_fail;
  node.depth = std::max(node.depth, child->depth + 1);
  if (node.depth > deepest_tree) {
    throw ExpressionError(node.span.begin, "the expression is too long or too deeply nested",
                          Message("expected at most {0} operators one inside the other", deepest_tree));
  }
}

}  // namespace

NodePtr make_number(double value, Span span) {
  Node node(Op::number, span);
  node.constant = value;
  node.whole = value == std::floor(value);
  return std::make_shared<Node>(std::move(node));
}

NodePtr make_truth(bool value, Span span) {
  Node node(Op::truth, span);
  node.condition = true;
  node.constant = value ? 1 : 0;
  return std::make_shared<Node>(std::move(node));
}

NodePtr make_variable(Variable variable, Span span) {
  Node node(Op::variable, span);
  node.variable = variable;
  node.condition = variable == Variable::file_mask || variable == Variable::painted_mask;
  node.whole = !node.condition;
  node.depends = variable_infos[static_cast<std::size_t>(variable)].depends;
  return std::make_shared<Node>(std::move(node));
}

NodePtr make_operation(Op op, std::vector<NodePtr> operands, Span span) {
  check_types(op, operands);
  check_divisor(op, operands);
  Node node(op, span);
  for (const NodePtr& operand : operands) take_from_operand(node, operand);
  node.condition = op >= Op::less && (op != Op::choose || operands[1]->condition);
  node.whole = !node.condition && stays_whole(op, operands);
  if (!node.condition) node.constant = folded(op, operands);
  if ((op == Op::divide || op == Op::modulo) && !operands[1]->constant) node.can_fail = true;
  node.operands = std::move(operands);
  return std::make_shared<Node>(std::move(node));
}

NodePtr make_pattern(const Pattern& pattern, std::vector<NodePtr> arguments, NodePtr body, Span span) {
  Node node(Op::pattern, span);
  take_from_operand(node, body);
  node.operands = std::move(arguments);
  node.pattern = &pattern;
  node.condition = true;
  node.body = std::move(body);
  return std::make_shared<Node>(std::move(node));
}

NodePtr make_argument(const Pattern& pattern, std::size_t index, NodePtr value) {
  const Parameter& wanted = parameter(pattern, index);
  const Message parameter_name("{0}'s {1}", pattern.name, argument_name(pattern, index));
  if (value->condition) {
    throw ExpressionError(value->span.begin, Message("{0} is a condition", parameter_name),
                          Message("expected {0}", range_sentence(wanted)));
  }
  if (value->depends & (on_q | on_k)) {
    throw ExpressionError(value->span.begin, Message("{0} depends on q or k", parameter_name),
                          "expected a number that is the same for all queries and keys");
  }
  if (value->constant) {
    check_argument(pattern, wanted, *value->constant, value->span.begin);
    return value;
  }
  Node node(Op::argument, value->span);
  take_from_operand(node, value);
  node.operands = {value};
  node.pattern = &pattern;
  node.parameter = &wanted;
  node.whole = wanted.whole;
  node.can_fail = true;
  return std::make_shared<Node>(std::move(node));
}

void check_argument(const Pattern& pattern, const Parameter& parameter, double value, std::size_t position) {
  const bool too_large = parameter.whole && value > largest_count;
  const bool in_range = value >= parameter.minimum && value <= parameter.maximum && !too_large;
  if (in_range && std::isfinite(value) && (!parameter.whole || value == std::floor(value))) return;
  throw ExpressionError(position, Message("{0}'s {1} is {2}", pattern.name, parameter.name, number_text(value)),
                        too_large ? Message("expected no more than {0}", number_text(largest_count))
                                  : Message("expected {0}", range_sentence(parameter)));
}

namespace {

/// Nodes that have several parents are copied once.
NodePtr copied(const NodePtr& node, const std::function<Span(Span)>& span, std::map<const Node*, NodePtr>& copies) {
  if (!node) return node;
  const auto [found, is_new] = copies.try_emplace(node.get());
  if (!is_new) return found->second;
  Node copy = *node;
  copy.span = span(node->span);
  for (NodePtr& operand : copy.operands) operand = copied(operand, span, copies);
  copy.body = copied(node->body, span, copies);
  return copies[node.get()] = std::make_shared<Node>(std::move(copy));
}

/// Equal operations on equal operands.
bool equal(const Node& a, const Node& b) {
  if (&a == &b) return true;
  const bool alike = a.op == b.op && a.variable == b.variable && a.constant == b.constant && a.pattern == b.pattern &&
                     a.parameter == b.parameter;
  return alike && (a.body != nullptr) == (b.body != nullptr) && (!a.body || equal(*a.body, *b.body)) &&
         std::ranges::equal(a.operands, b.operands, [](const NodePtr& x, const NodePtr& y) { return equal(*x, *y); });
}

}  // namespace

NodePtr with_spans(const NodePtr& root, const std::function<Span(Span)>& span) {
  std::map<const Node*, NodePtr> copies;
  return copied(root, span, copies);
}

bool same_files(const Node& a, const Node& b) {
  if (&a == &b) return true;
  if (a.op == Op::pattern && a.pattern->name == "file") return equal(*a.body, *b.body);
  return std::ranges::equal(a.operands, b.operands,
                            [](const NodePtr& x, const NodePtr& y) { return same_files(*x, *y); });
}

std::string_view symbol(Op op) {
  static constexpr std::string_view symbols[] = {
      "number", "true", "variable", "-",  "+",  "-",  "*",  "/",     "%", "abs", "floor", "min", "max",     "hash",
      "<",      "<=",   ">",        ">=", "==", "!=", "in", "drawn", "!", "&&",  "||",    "?",   "pattern", "argument"};
  static_assert(std::size(symbols) == static_cast<std::size_t>(Op::argument) + 1);
  return symbols[static_cast<std::size_t>(op)];
}

std::string_view name(Variable variable) { return variable_infos[static_cast<std::size_t>(variable)].name; }

std::string number_text(double value) {
  std::array<char, 64> text{};
  const bool plain = value == std::floor(value) && std::abs(value) < 1e15;
  const auto end = plain ? std::to_chars(text.data(), text.data() + text.size(), static_cast<long long>(value))
                         : std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

}  // namespace headlight::mask
