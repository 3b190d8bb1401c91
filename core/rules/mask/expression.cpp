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

}  // namespace

MaskExpression MaskExpression::parse(std::string_view text, std::string_view file_definition) {
  MaskExpression result;
  result.text_ = text;
  result.file_definition_ = file_definition;
  result.root_ = mask::parse(text, file_definition);
  return result;
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
