#include "core/rules/mask/expression.h"

#include <algorithm>
#include <cassert>

#include "core/base/tensor/error.h"
#include "core/base/text/unicode.h"
#include "core/rules/mask/ast.h"

namespace headlight {
namespace {

void collect(const mask::Node& node, std::vector<PatternCall>& calls) {
  if (node.op == mask::Op::pattern) {
    PatternCall call{node.pattern, node.span.begin, node.span.end, {}};
    for (const mask::NodePtr& operand : node.operands) {
      call.arguments.push_back({operand->span.begin, operand->span.end, operand->constant});
    }
    calls.push_back(std::move(call));
  }
  for (const mask::NodePtr& operand : node.operands) collect(*operand, calls);
}

/// Whether this is a quotient by more than 1 that is not rounded down, of an operand that depends on q or k.
bool is_exact_quotient(const mask::Node& node) {
  return node.op == mask::Op::divide && (node.depends & (mask::on_q | mask::on_k)) != 0 &&
         node.operands[1]->constant.value_or(2) > 1;
}

bool reads_q(const mask::Node& node) {
  if (node.op == mask::Op::pattern) return false;
  return (node.op == mask::Op::variable && node.variable == mask::Variable::q) ||
         std::ranges::any_of(node.operands, [](const mask::NodePtr& operand) { return reads_q(*operand); });
}

const mask::Node* quotients_compared(const mask::Node& node) {
  const bool equality = node.op == mask::Op::equal || node.op == mask::Op::not_equal || node.op == mask::Op::member;
  if (equality && is_exact_quotient(*node.operands[0]) && is_exact_quotient(*node.operands[1])) return &node;
  for (const mask::NodePtr& operand : node.operands) {
    if (const mask::Node* found = quotients_compared(*operand)) return found;
  }
  return nullptr;
}

mask::NodePtr moved(const mask::NodePtr& root, std::size_t by) {
  return with_spans(root, [by](mask::Span span) { return mask::Span{span.begin + by, span.end + by}; });
}

/// An operand of &&, at this place of its text.
struct Operand {
  std::string text;
  mask::NodePtr root;
};

Operand operand(const std::string& text, const mask::NodePtr& root, std::size_t place) {
  const bool looser = root->op == mask::Op::logical_or || root->op == mask::Op::choose;
  if (looser) return {"(" + text + ")", moved(root, place + 1)};
  return {text, moved(root, place)};
}

}  // namespace

MaskExpression MaskExpression::parse(std::string_view text, const MaskExpression* file_mask) {
  return {std::string(text), mask::parse(text, file_mask ? file_mask->root_ : nullptr)};
}

MaskExpression MaskExpression::file_cells() {
  const std::string_view name = mask::name(mask::Variable::file_mask);
  return {std::string(name), mask::make_variable(mask::Variable::file_mask, {0, name.size()})};
}

MaskExpression MaskExpression::call_of_file(const MaskExpression& file_mask) {
  const Pattern& pattern = *pattern_named("file");
  std::string text = signature(pattern);
  const mask::Span span{0, text.size()};
  return {std::move(text),
          mask::make_pattern(pattern, {}, with_spans(file_mask.root_, [span](mask::Span) { return span; }), span)};
}

MaskExpression MaskExpression::call(std::string_view name, const std::vector<double>& numbers, bool from_corner) {
  const Pattern& pattern = *pattern_named(name, numbers.size());
  assert(pattern.parameters.size() == numbers.size());
  std::string text = std::string(name) + "(";
  std::vector<mask::NodePtr> arguments;
  for (const double number : numbers) {
    if (!arguments.empty()) text += ", ";
    const std::size_t begin = text.size();
    text += mask::number_text(number);
    arguments.push_back(mask::make_number(number, {begin, text.size()}));
  }
  text += ")";
  mask::NodePtr root = mask::make_call(pattern, std::move(arguments), {0, text.size()}, from_corner);
  return {std::move(text), std::move(root)};
}

bool MaskExpression::has_files_of(const MaskExpression& other) const { return mask::same_files(*root_, *other.root_); }

MaskExpression operator&&(const MaskExpression& a, const MaskExpression& b) {
  Operand left = operand(a.text_, a.root_, 0);
  const std::string text = left.text + " && ";
  Operand right = operand(b.text_, b.root_, text.size());
  const mask::Span span{0, text.size() + right.text.size()};
  return {text + right.text,
          mask::make_operation(mask::Op::logical_and, {std::move(left.root), std::move(right.root)}, span)};
}

MaskExpression or_from_key(const MaskExpression& a, std::int64_t first) {
  const std::string number = std::to_string(first), before = "(" + a.text_ + ") || ", text = before + "k >= " + number;
  const mask::Span key{before.size(), before.size() + 1}, bound{text.size() - number.size(), text.size()};
  const mask::NodePtr later = mask::make_operation(
      mask::Op::greater_equal,
      {mask::make_variable(mask::Variable::k, key), mask::make_number(static_cast<double>(first), bound)},
      {before.size(), text.size()});
  return {text, mask::make_operation(mask::Op::logical_or, {moved(a.root_, 1), later}, {0, text.size()})};
}

std::vector<PatternCall> MaskExpression::pattern_calls() const {
  std::vector<PatternCall> calls;
  collect(*root_, calls);
  return calls;
}

bool MaskExpression::calls(std::string_view pattern) const {
  const std::vector<PatternCall> all = pattern_calls();
  return std::ranges::any_of(all, [&](const PatternCall& call) { return call.pattern->name == pattern; });
}

bool reads_query(const MaskExpression& expression) { return reads_q(expression.root()); }

std::optional<Message> doubtful(std::string_view text) {
  mask::NodePtr root;
  try {
    root = mask::parse(text);
  } catch (const ExpressionError&) { return {}; }
  const mask::Node* found = quotients_compared(*root);
  if (!found) return {};
  return Message("\"{0}\" compares exact quotients: / does not round; for blocks write floor(q / 4) == floor(k / 4)",
                 text.substr(found->span.begin, found->span.end - found->span.begin));
}

std::string with_argument(const MaskExpression& expression, std::size_t call, std::size_t argument, double value) {
  const std::vector<PatternCall> calls = expression.pattern_calls();
  assert(call < calls.size() && argument < calls[call].arguments.size());
  const auto [begin, end, old_value] = calls[call].arguments[argument];
  std::string text = expression.text();
  return text.replace(begin, end - begin, mask::number_text(value));
}

std::string point_at(std::string_view text, std::size_t position, std::size_t width) {
  position = std::min(position, text.size());
  std::string line, caret;
  std::size_t column = 0, first = 0;
  for (std::size_t i = 0; i < position; ++i) column += continues_character(text[i]) ? 0 : 1;
  const std::size_t hidden = column > width * 2 / 3 ? column - width * 2 / 3 : 0;
  for (std::size_t skipped = 0; skipped < hidden; ++skipped) {
    do ++first;
    while (first < text.size() && continues_character(text[first]));
  }
  std::size_t shown = 0;
  for (std::size_t i = first; i < text.size(); ++i) {
    if (!continues_character(text[i]) && ++shown > width) break;
    line += text[i] == '\n' || text[i] == '\r' || text[i] == '\t' ? ' ' : text[i];
  }
  return line + "\n" + std::string(column - hidden, ' ') + "^";
}

Message mark_at(std::string_view text, std::size_t position, std::size_t around) {
  position = std::min(position, text.size());
  std::size_t column = 1, begin = position, end = position;
  for (std::size_t i = 0; i < position; ++i) column += continues_character(text[i]) ? 0 : 1;
  for (std::size_t i = 0; i < around && begin > 0; ++i) {
    do --begin;
    while (begin > 0 && continues_character(text[begin]));
  }
  for (std::size_t i = 0; i < around && end < text.size(); ++i) {
    do ++end;
    while (end < text.size() && continues_character(text[end]));
  }
  return {"(column {0}: {1})", column,
          (begin > 0 ? "…" : "") + std::string(text.substr(begin, position - begin)) + "▸" +
              std::string(text.substr(position, end - position)) + (end < text.size() ? "…" : "")};
}

}  // namespace headlight
